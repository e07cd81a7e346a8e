// OperatorDef and define(): the declaration at the bottom of an operator's file.
//
//   const OperatorDef& take_operator() {
//     static const OperatorDef def = define<Params, Take>({
//         .name = "take", .kind = OperatorKind::transformation, .doc = "…",
//         .spec = same_spec, .cardinality = …});
//     return def;
//   }
//
// Adding an operator touches three places: its file, its test, one line in src/ops/list.inc.
// Ownership: definitions are static. Threads: immutable. Cost: none after start-up.
#pragma once

#include <span>

#include "dataset/cursor.h"
#include "dataset/dataset.h"
#include "dataset/port.h"

namespace weir {

// A terminal yields one element, the value; in a lambda it is an expression, at the end of a document a
// dataset of one.
enum class OperatorKind : uint8_t { source, transformation, terminal };

struct OperatorDef {
  const char* name = "";
  OperatorKind kind = OperatorKind::transformation;
  // One paragraph: what it yields, errors, order, cost; the text of `weir --help NAME` and of the docs.
  const char* doc = "";
  // The field that a single positional argument sets, where that is not the first: `range(stop)`.
  const char* single_argument = nullptr;

  // Structure and cardinality from the parts; errors are build errors.
  Result<Spec> (*spec)(const ParamsBase& params, std::span<const DatasetRef> inputs) = nullptr;
  int64_t (*cardinality)(const ParamsBase& params, std::span<const DatasetRef> inputs) = nullptr;
  // For operators that stand for others (tfrecord reads ahead over a reader, list_files shuffles a list):
  // what they stand for, built at `site` once `spec` has accepted them, and appended to the inputs. Null
  // parts of the site's runtime are for it to refuse.
  Result<DatasetRef> (*expand)(const ParamsBase& params, std::span<const DatasetRef> inputs,
                               const BuildSite& site) = nullptr;
  // Openings are counted per epoch (shuffle, and what stands for one).
  bool counts_openings = false;
  // Opens a dataset that it finds in a variable.
  bool opens_variables = false;
  // Runs its input ahead, so that a segment ends below it.
  bool (*is_window)(const ParamsBase& params) = nullptr;
  // Null, or why equal positions need not give equal rows with these parameters.
  const char* (*not_replayable)(const ParamsBase& params) = nullptr;
  // Serves another operator and stands in no text, nor in the path of an error.
  bool internal = false;
  // The lane its own work needs.
  Lane lane = Lane::compute;

  // Filled by define().
  std::unique_ptr<ParamsBase> (*make_params)() = nullptr;
  Result<std::unique_ptr<Cursor>> (*open)(Opening& opening, const ParamsBase& params) = nullptr;
};

// What an operator that changes neither structure nor count says.
Result<Spec> same_spec(const ParamsBase&, std::span<const DatasetRef> inputs);
int64_t same_cardinality(const ParamsBase&, std::span<const DatasetRef> inputs);
int64_t unknown_cardinality(const ParamsBase&, std::span<const DatasetRef>);

// Adapts functions over an operator's own Params to those of OperatorDef.
template <class P, Result<Spec> (*F)(const P&, std::span<const DatasetRef>)>
Result<Spec> spec_of(const ParamsBase& params, std::span<const DatasetRef> inputs) {
  return F(static_cast<const P&>(params), inputs);
}
template <class P, int64_t (*F)(const P&, std::span<const DatasetRef>)>
int64_t cardinality_of(const ParamsBase& params, std::span<const DatasetRef> inputs) {
  return F(static_cast<const P&>(params), inputs);
}

// Completes a definition: C is built from (Opening&, const P&), or by a static
// `Result<std::unique_ptr<Cursor>> C::open(Opening&, const P&)` where opening can fail or choose.
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
