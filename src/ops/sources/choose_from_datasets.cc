// choose_from_datasets(datasets, choice, stop_on_empty): elements of the datasets in the order of the
// choices. Errors, end and checkpoint: ops/shuffling/directed.h.
#include "core/text.h"
#include "ops/shuffling/directed.h"

namespace weir::choose_from_datasets_op {
namespace {

struct Params : ParamsOf<Params> {
  InputsParam datasets{.list = true};
  InputParam choice;
  BoolParam stop_on_empty{true};
  void fields(Fields& f) override {
    f("datasets", datasets, "A list of datasets of one structure.");
    f("choice", choice,
      "A dataset of int64: the index of the dataset for each element; another number is an error (invalid_argument).");
    f("stop_on_empty", stop_on_empty,
      "End when a chosen dataset has no more elements; if false, skip such choices.");
  }
};

struct ChooseFromDatasets {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    return std::unique_ptr<Cursor>(
        std::make_unique<Directed>(opening, opening.input(params.choice.index), params.datasets.indices,
                                   Directed::Rules{.stop_on_empty = *params.stop_on_empty}));
  }
};

Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
  const Spec& choice = inputs[static_cast<size_t>(params.choice.index)]->spec();
  if (!choice.is_scalar(DType::int64))
    return invalid_argument(expected_found("choices that are int64", choice.to_string()));
  return directed_spec(params.datasets.indices, inputs);
}

int64_t cardinality(const Params& params, std::span<const DatasetRef> inputs) {
  if (inputs[static_cast<size_t>(params.choice.index)]->cardinality() != kInfinite) return kUnknown;
  return directed_cardinality(params.datasets.indices, *params.stop_on_empty, inputs);
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, ChooseFromDatasets>({
      .name = "choose_from_datasets",
      .kind = OperatorKind::source,
      .page =
          {.doc =
               "Takes the next element from the dataset that `choice` selects by index. Indices count from 0. Ends with the choices, when a chosen dataset has no more elements, or, if `stop_on_empty` is false, when no dataset has. An index without a dataset is an error in its place.",
           .cost = "Two copies of each element.",
           .tf_names = "choice_dataset=choice stop_on_empty_dataset=stop_on_empty",
           .example = "choose_from_datasets([range(3), range(10, 13)], from_tensor_slices([0, 1, 1, 0]))",
           .output = "0\n10\n11\n1",
           .bench = "choose_from_datasets([range(1000000), range(1000000)], range(2) | repeat())"},
      .typing = {.spec = spec_of<Params, spec>,
                 .cardinality = cardinality_of<Params, cardinality>,
                 .needs = needs_of_directed<Params>},
      .position = {.ends_early = true,
                   .keeps_rows = true,
                   .kept = [](const ParamsBase&) { return kept_by_directed(); }},
  });
  return def;
}

}  // namespace weir::choose_from_datasets_op
