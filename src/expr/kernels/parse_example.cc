// parse_example(r, features): parses serialized tf.Examples from the wire straight into columns, a dict in
// the order written. r is one string or a vector of them; strings in the result are views into the records.
#include "core/text.h"
#include "expr/features/example_features.h"
#include "expr/kernels/shared/check.h"
#include "expr/types/partial_state.h"

namespace weir {

namespace {

struct Features : PartialState {
  ExampleFeatures features;

  std::shared_ptr<const KernelState> for_results(const std::vector<bool>& used) const override {
    Result<ExampleFeatures> only = features.only(used);
    if (!only.ok()) return nullptr;
    auto out = std::make_shared<Features>();
    out->features = *std::move(only);
    return out;
  }
};

void parse_example_body(KernelRun& run) {
  const Shape& records = run.arg(0).shape;
  if (records.rank() > 1) {
    const Status status = invalid_argument(
        expected_found("a string or a vector of strings", concat("the shape ", records.to_string())));
    for (int i = 0; i < run.rows(); ++i) run.fail(i, status);
    return;
  }
  FailedRows failed;
  run.state<Features>().features.parse(run, failed);
}

Status parse_example_infer(KernelCall& call) {
  if (call.dtype(0) != DType::string) return wrong_dtype(call, 0, "string");
  const Shape& records = call.shape(0);
  if (records.rank_known() && records.rank() > 1) {
    return call.error(
        0, expected_found("a string or a vector of strings", concat("the shape ", records.to_string())));
  }
  auto state = std::make_shared<Features>();
  WEIR_ASSIGN(state->features, ExampleFeatures::read(call, 1));
  call.result(state->features.spec());
  call.body(parse_example_body, std::move(state));
  return Status();
}

}  // namespace

extern constinit const Kernel parse_example_kernel{
    .name = "parse_example",
    .params =
        {{.name = "r", .doc = "A string or a vector of strings."},
         {.name = "features",
          .kind = ParamKind::syntax,
          .doc =
              "A dict of features: `{image: string, pixels: float32[64], label: int64 = 0, tags: varlen(string)}`."}},
    .infer = parse_example_infer,
    .doc =
        "Parses a serialized tf.Example, or a vector of them, into a dict of tensors. The dict has the order of `features`. `float32[3]` has exactly as many values as its shape says, or its default (`float32[3] = 0.0`) if the feature is missing. The other kinds have any number of values, and none if the feature is missing: `varlen(int64)` is sparse, `ragged(int64)` ragged (of one record a vector), `sequence(float32[2])` dense, and records of a vector are padded with its default. `sparse(index_key: \"i\", value_key: \"v\", dtype: float32, size: 100)` takes the indices of its values from another feature. `sequence(int64, allow_missing: false)` refuses a record without the feature. A record that is damaged, lacks a feature without a default, or has another kind or number of values, and an index outside of `size`, are errors of the element. Features that neither the lambda nor the operators after it use are not parsed: they may be missing or of another kind, but damage to the record is still an error (`weir explain` shows which maps leave something out).",
    .result =
        "A dict with the dtype and shape of each feature; of a vector, with a first dimension. `varlen` is sparse<DTYPE>[?], `sparse` sparse<DTYPE>[SIZE], `sequence` DTYPE[?, SHAPE].",
    .cost =
        "One pass over the record's bytes, and a second one over values whose number varies; strings are views of the record.",
    .example =
        R"(tfrecord("tests/data/records/people.tfrecord") | map(r -> parse_example(r, {name: string, age: int64})))",
    .output = R"({name: "ada", age: 36}
{name: "bob", age: 41}
{name: "cyd", age: 29}
{name: "dee", age: 55})",
    .bench = "parse_example(e, {a: float32 = 0.0})",
    .can_fail = true};

}  // namespace weir
