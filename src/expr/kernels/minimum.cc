// minimum(a, b) and maximum(a, b), entry by entry with broadcasting; nan passes through.
#include "expr/infer.h"

namespace weir {

namespace {

struct Minimum {
  template <class T>
  T operator()(T a, T b) const {
    const T least = a < b ? a : b;  // b if it is nan
    return a != a ? a : least;
  }
};

struct Maximum {
  template <class T>
  T operator()(T a, T b) const {
    const T greatest = a > b ? a : b;
    return a != a ? a : greatest;
  }
};

template <class F>
Status infer(KernelCall& call) {
  return infer_binary<Reals, F>(call, "an integer or float dtype");
}

}  // namespace

const Kernel& minimum_kernel() {
  static const Kernel def{.name = "minimum",
                          .params = {{.name = "a", .type = "T"}, {.name = "b", .type = "T"}},
                          .infer = infer<Minimum>,
                          .doc = "The lesser of two entries, with broadcasting; nan if one is nan."};
  return def;
}

const Kernel& maximum_kernel() {
  static const Kernel def{.name = "maximum",
                          .params = {{.name = "a", .type = "T"}, {.name = "b", .type = "T"}},
                          .infer = infer<Maximum>,
                          .doc = "The greater of two entries, with broadcasting; nan if one is nan."};
  return def;
}

}  // namespace weir
