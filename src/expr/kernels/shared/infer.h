// Rules of typing that many kernels share.
#pragma once

#include <string_view>

#include "expr/kernels/shared/broadcast.h"
#include "expr/kernels/shared/check.h"
#include "expr/kernels/shared/elementwise.h"
#include "expr/types/dispatch.h"

namespace weir {

inline constexpr std::initializer_list<KernelParam> kXParam = {{.name = "x"}};
inline constexpr std::initializer_list<KernelParam> kBothParams = {{.name = "a", .type = "T"},
                                                                   {.name = "b", .type = "T"}};

// Completes the definition of a function of `x`, or of `a` and `b`, entry by entry.
constexpr Kernel of_one(Kernel def) {
  if (def.params.size() == 0) def.params = kXParam;
  if (*def.result == 0) def.result = "The dtype and shape of `x`.";
  if (*def.cost == 0) def.cost = "One vectorised pass over the entries.";
  return def;
}
constexpr Kernel of_both(Kernel def) {
  if (def.params.size() == 0) def.params = kBothParams;
  if (*def.result == 0) def.result = "The operands' dtype and broadcast shape.";
  if (*def.cost == 0) def.cost = "One vectorised pass over the entries.";
  return def;
}

// f(x), entry by entry, with the same dtype, for the dtypes of a list. Calls F's operator() with Compute<T>.
template <class List, class F>
Status infer_unary(KernelCall& call, std::string_view expected) {
  call.result(call.dtype(0), call.shape(0));
  const bool known = visit<List>(call.dtype(0), [&]<class T>() { call.entry_body(entries_body<F, T, T>); });
  return known ? Status() : wrong_dtype(call, 0, expected);
}

// True if broadcasting two arguments may fail at run time: not if both shapes are known.
inline bool may_not_broadcast(const KernelCall& call) {
  return !call.shape(0).is_static() || !call.shape(1).is_static();
}

// f(a, b), entry by entry with broadcasting, for two arguments of the same dtype of a list.
template <class List, class F>
Status infer_binary(KernelCall& call, std::string_view expected) {
  constexpr int kBoth[] = {0, 1};
  const bool known =
      visit<List>(call.dtype(0), [&]<class T>() { call.entry_body(entries_body<F, T, T, T>); });
  if (!known) return wrong_dtype(call, 0, expected);
  WEIR_ASSIGN(const Shape shape, broadcast_shapes(call, kBoth));
  call.result(call.dtype(0), shape);
  call.set_can_fail(may_not_broadcast(call));
  return Status();
}

}  // namespace weir
