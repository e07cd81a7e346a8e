// a == b, != < <= > >=: entry by entry, broadcast, giving bool. Strings compare by bytes, bool and complex
// numbers only for equality.
#include "expr/kernels/shared/infer.h"

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
Status compare_infer(KernelCall& call) {
  constexpr int kBoth[] = {0, 1};
  const bool known =
      visit<List>(call.dtype(0), [&]<class T>() { call.entry_body(entries_body<F, bool, T, T>); });
  if (!known) return wrong_dtype(call, 0, "something that has an order");
  WEIR_ASSIGN(const Shape shape, broadcast_shapes(call, kBoth));
  call.result(DType::boolean, shape);
  call.set_can_fail(may_not_broadcast(call));
  return Status();
}

using Ordered = JoinT<Reals, TypeList<Str>>;

// Completes the definition of a comparison.
template <class List, class F>
constexpr Kernel comparison(Kernel def) {
  def.infer = compare_infer<List, F>;
  def.result = "bool, of the broadcast shape.";
  return of_both(def);
}

}  // namespace

extern constinit const Kernel equal_kernel = comparison<Everything, Equal>({
    .name = "==",
    .step = StepKind::equal,
    .doc = "Whether two values of one dtype are equal. Strings are compared by their bytes.",
    .example = "from_tensors([1, 2, 3] == 2)",
    .output = "[false, true, false]",
    .bench = "x == 1.0",
});

extern constinit const Kernel not_equal_kernel = comparison<Everything, NotEqual>({
    .name = "!=",
    .step = StepKind::not_equal,
    .doc = "Whether two values of one dtype differ. Strings are compared by their bytes.",
    .example = "from_tensors([1, 2, 3] != 2)",
    .output = "[true, false, true]",
    .bench = "x != 1.0",
});

extern constinit const Kernel less_kernel = comparison<Ordered, Less>({
    .name = "<",
    .step = StepKind::less,
    .doc =
        "Whether `a` is less than `b`. Integers, floats and strings only, of one dtype; strings are compared by their bytes.",
    .example = "from_tensors([1, 2, 3] < 2)",
    .output = "[true, false, false]",
    .bench = "x < 1.0",
});

extern constinit const Kernel less_equal_kernel = comparison<Ordered, LessEqual>({
    .name = "<=",
    .step = StepKind::less_equal,
    .doc =
        "Whether `a` is at most `b`. Integers, floats and strings only, of one dtype; strings are compared by their bytes.",
    .example = "from_tensors([1, 2, 3] <= 2)",
    .output = "[true, true, false]",
    .bench = "x <= 1.0",
});

extern constinit const Kernel greater_kernel = comparison<Ordered, Greater>({
    .name = ">",
    .step = StepKind::greater,
    .doc =
        "Whether `a` is greater than `b`. Integers, floats and strings only, of one dtype; strings are compared by their bytes.",
    .example = "from_tensors([1, 2, 3] > 2)",
    .output = "[false, false, true]",
    .bench = "x > 1.0",
});

extern constinit const Kernel greater_equal_kernel = comparison<Ordered, GreaterEqual>({
    .name = ">=",
    .step = StepKind::greater_equal,
    .doc =
        "Whether `a` is at least `b`. Integers, floats and strings only, of one dtype; strings are compared by their bytes.",
    .example = "from_tensors([1, 2, 3] >= 2)",
    .output = "[false, true, true]",
    .bench = "x >= 1.0",
});

}  // namespace weir
