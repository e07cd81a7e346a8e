// OperatorDef and define(): the declaration at the bottom of an operator's file.
//
//   namespace weir::take_op {
//   …
//   const OperatorDef& definition() {
//     static const OperatorDef def = define<Params, Take>({
//         .name = "take",
//         .page = {.doc = "…", .cost = "…", .example = "…", .output = "…", .bench = "…"},
//         .typing = {.slice = …},
//     });
//     return def;
//   }
//
// Each group has defaults, and most operators set two. Adding an operator touches four places: its file, its
// test, one line in src/ops/list.inc and a golden case. Help, docs, schema and benchmark follow from the
// definition. Definitions are static and immutable.
#pragma once

#include "dataset/cursor.h"
#include "dataset/dataset.h"
#include "dataset/port.h"

namespace weir {

// Adapts functions over an operator's own Params to those of OperatorDef.
template <class P, Result<Spec> (*F)(const P&, std::span<const DatasetRef>)>
Result<Spec> spec_of(const ParamsBase& params, std::span<const DatasetRef> inputs) {
  return F(static_cast<const P&>(params), inputs);
}
template <class P, int64_t (*F)(const P&, std::span<const DatasetRef>)>
int64_t cardinality_of(const ParamsBase& params, std::span<const DatasetRef> inputs) {
  return F(static_cast<const P&>(params), inputs);
}

template <class P, Slice (*F)(const P&)>
Result<Slice> slice_of(const ParamsBase& params) {
  return F(static_cast<const P&>(params));
}

// For whatever an operator does with any parameters.
inline bool always(const ParamsBase&) { return true; }

// Completes a definition. C is made from (Opening&, const P&), or by a static
// `Result<std::unique_ptr<Cursor>> C::open(Opening&, const P&)` if opening can fail or choose.
template <class P, class C>
OperatorDef define(OperatorDef def) {
  def.make_params = []() -> std::unique_ptr<ParamsBase> { return std::make_unique<P>(); };
  def.open = [](Opening& opening, const ParamsBase& params) -> Result<std::unique_ptr<Cursor>> {
    const P& typed = static_cast<const P&>(params);
    if constexpr (requires { C::open(opening, typed); }) {
      return C::open(opening, typed);
    } else {
      return std::unique_ptr<Cursor>(std::make_unique<C>(opening, typed));
    }
  };
  return def;
}

}  // namespace weir
