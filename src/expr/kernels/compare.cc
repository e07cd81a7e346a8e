// a == b, != < <= > >=: entry by entry, broadcast, giving bool. Strings compare by bytes; bool and complex
// numbers only for equality.
#include "expr/infer.h"

namespace weir {

namespace {

struct Equal {
  template <class T>
  bool operator()(T a, T b) const {
    return a == b;
  }
  bool operator()(Str a, Str b) const { return a.view() == b.view(); }
};
struct NotEqual {
  template <class T>
  bool operator()(T a, T b) const {
    return a != b;
  }
  bool operator()(Str a, Str b) const { return a.view() != b.view(); }
};
struct Less {
  template <class T>
  bool operator()(T a, T b) const {
    return a < b;
  }
  bool operator()(Str a, Str b) const { return a.view() < b.view(); }
};
struct LessEqual {
  template <class T>
  bool operator()(T a, T b) const {
    return a <= b;
  }
  bool operator()(Str a, Str b) const { return a.view() <= b.view(); }
};
struct Greater {
  template <class T>
  bool operator()(T a, T b) const {
    return a > b;
  }
  bool operator()(Str a, Str b) const { return a.view() > b.view(); }
};
struct GreaterEqual {
  template <class T>
  bool operator()(T a, T b) const {
    return a >= b;
  }
  bool operator()(Str a, Str b) const { return a.view() >= b.view(); }
};

template <class List, class F>
Status infer(KernelCall& call) {
  constexpr int kBoth[] = {0, 1};
  const bool known = visit<List>(call.dtype(0), [&]<class T>() { call.body(binary_body<T, T, bool, F>); });
  if (!known) return wrong_dtype(call, 0, "something that has an order");
  WEIR_ASSIGN(const Shape shape, broadcast_shapes(call, kBoth));
  call.result(DType::boolean, shape);
  call.set_can_fail(may_not_broadcast(call));
  return Status();
}

using Ordered = JoinT<Reals, TypeList<Str>>;

template <class List, class F>
Kernel comparison(const char* name, const char* doc) {
  return {.name = name,
          .params = {{.name = "a", .type = "T"}, {.name = "b", .type = "T"}},
          .infer = infer<List, F>,
          .doc = doc};
}

}  // namespace

const Kernel& equal_kernel() {
  static const Kernel def = comparison<Everything, Equal>("==", "Whether two values of one dtype are equal.");
  return def;
}
const Kernel& not_equal_kernel() {
  static const Kernel def = comparison<Everything, NotEqual>("!=", "Whether two values of one dtype differ.");
  return def;
}
const Kernel& less_kernel() {
  static const Kernel def =
      comparison<Ordered, Less>("<", "Whether a is less than b; strings by their bytes.");
  return def;
}
const Kernel& less_equal_kernel() {
  static const Kernel def =
      comparison<Ordered, LessEqual>("<=", "Whether a is at most b; strings by their bytes.");
  return def;
}
const Kernel& greater_kernel() {
  static const Kernel def =
      comparison<Ordered, Greater>(">", "Whether a is more than b; strings by their bytes.");
  return def;
}
const Kernel& greater_equal_kernel() {
  static const Kernel def =
      comparison<Ordered, GreaterEqual>(">=", "Whether a is at least b; strings by their bytes.");
  return def;
}

}  // namespace weir
