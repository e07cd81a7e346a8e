// parse_sequence_example(r, context, lists): the context of a serialized tf.SequenceExample as parse_example
// reads features, and its feature lists. Strings in the result are views into the record.
#include <algorithm>

#include "core/text.h"
#include "expr/features/example_features.h"
#include "expr/kernels/shared/check.h"
#include "expr/types/partial_state.h"
#include "format/sequence_example.h"

namespace weir {

namespace {

using Form = FeatureSyntax::Form;

// Of one list for the plan.
FeatureListConfig config_of(const FeatureSyntax& list) {
  FeatureListConfig config;
  config.name = list.name;
  config.type = list.type;
  if (list.form == Form::sequence) {
    config.kind = FeatureKind::fixed;
    config.count = list.count();
    config.may_lack = list.allow_missing.value_or(false);
  } else {
    config.may_lack = true;
  }
  return config;
}

struct Parts : PartialState {
  ExampleFeatures context;
  std::vector<FeatureSyntax> lists;
  std::shared_ptr<const FeatureListsPlan> plan;
  // The first component of each list, and one past its last.
  std::vector<int> results;
  std::vector<int> ends;

  Status compile() {
    std::vector<FeatureListConfig> configs;
    for (const FeatureSyntax& list : lists) configs.push_back(config_of(list));
    WEIR_ASSIGN(plan, FeatureListsPlan::compile(std::move(configs)));
    return Status();
  }

  std::shared_ptr<const KernelState> for_results(const std::vector<bool>& used) const override {
    Result<ExampleFeatures> only = context.only(used);
    if (!only.ok()) return nullptr;
    auto out = std::make_shared<Parts>();
    out->context = *std::move(only);
    for (size_t i = 0; i < lists.size(); ++i) {
      const auto end = used.begin() + ends[i];
      if (std::find(used.begin() + results[i], end, true) == end) continue;
      out->lists.push_back(lists[i]);
      out->results.push_back(results[i]);
      out->ends.push_back(ends[i]);
    }
    if (!out->compile().ok()) return nullptr;
    return out;
  }
};

void put_list(KernelRun& run, int row, size_t list, const FeatureListViews& steps) {
  const auto& parts = run.state<Parts>();
  const FeatureSyntax& feature = parts.lists[list];
  const FeatureTarget to{run, parts.results[list], row, feature.type, steps.of(list), false};
  if (feature.form == Form::sequence) {
    put_steps(to, feature.shape);
  } else if (feature.form == Form::varlen) {
    put_sparse(to);
  } else {
    put_ragged(to);
  }
}

void parse_sequence_example_body(KernelRun& run) {
  const Arg& records = run.arg(0);
  const auto& parts = run.state<Parts>();
  if (records.shape.rank() != 0) {
    const Status status =
        invalid_argument(expected_found("a string", concat("the shape ", records.shape.to_string())));
    for (int i = 0; i < run.rows(); ++i) run.fail(i, status);
    return;
  }
  FailedRows failed;
  parts.context.parse(run, failed);
  FeatureListViews steps;
  for (int row = 0; row < run.rows(); ++row) {
    if (failed.has(row)) continue;
    if (Status status = parts.plan->parse(*records.row<Str>(row), steps); !status.ok()) {
      run.fail(row, status);
      continue;
    }
    for (size_t list = 0; list < parts.lists.size(); ++list) put_list(run, row, list, steps);
  }
}

Result<Spec> spec_of(const KernelCall& call, const FeatureSyntax& list) {
  const auto refuse = [&](std::string_view found) {
    return refuse_feature(call, 2, list.name, found,
                          "a list is sequence(float32[2]), varlen(string) or ragged(int64)");
  };
  if (list.fallback) return refuse("has a default");
  switch (list.form) {
    case Form::sequence:
      return Spec::tensor(list.dtype, list.shape.prepended(kUnknownDim));
    case Form::varlen:
      return Spec::sparse(list.dtype, Shape{kUnknownDim, kUnknownDim});
    case Form::ragged:
      return Spec::ragged(list.dtype, Shape{kUnknownDim, kUnknownDim});
    case Form::fixed:
      return refuse("is a feature, and not a list of them");
    case Form::sparse:
      break;
  }
  return refuse("is of the kind sparse");
}

Status parse_sequence_example_infer(KernelCall& call) {
  if (call.dtype(0) != DType::string) return wrong_dtype(call, 0, "string");
  if (call.shape(0).rank_known() && call.shape(0).rank() > 0) {
    return call.error(0, expected_found("a string", concat("the shape ", call.shape(0).to_string()),
                                        "parse records before they are batched"));
  }
  auto state = std::make_shared<Parts>();
  WEIR_ASSIGN(state->context, ExampleFeatures::read(call, 1, "tf.SequenceExample"));
  WEIR_ASSIGN(state->lists, read_features(call, 2));
  Spec lists = Spec::dict({}, {});
  for (const FeatureSyntax& list : state->lists) {
    WEIR_ASSIGN(Spec spec, spec_of(call, list));
    state->results.push_back(state->context.spec().component_count() + lists.component_count());
    lists.keys.push_back(list.name);
    lists.children.push_back(std::move(spec));
    state->ends.push_back(state->context.spec().component_count() + lists.component_count());
  }
  if (Status status = state->compile(); !status.ok()) return call.error(2, status.error().what());
  call.result(Spec::tuple({state->context.spec(), std::move(lists)}));
  call.body(parse_sequence_example_body, std::move(state));
  return Status();
}

}  // namespace

extern constinit const Kernel parse_sequence_example_kernel{
    .name = "parse_sequence_example",
    .params = {{.name = "r", .doc = "A string."},
               {.name = "context",
                .kind = ParamKind::syntax,
                .doc = "The features of the record as a whole, as in parse_example: `{id: int64}`."},
               {.name = "lists",
                .kind = ParamKind::syntax,
                .doc = "The feature lists: `{tokens: sequence(int64), words: varlen(string)}`."}},
    .infer = parse_sequence_example_infer,
    .doc =
        "Parses a serialized tf.SequenceExample into two dicts, its context and its feature lists, as tf.io.parse_single_sequence_example. The dicts have the order of the parameters. In `lists`, each step of `sequence(float32[2])` has exactly as many values as its shape says; in `varlen(string)` and `ragged(string)` a step has any number. A record that lacks a `sequence` is an error of the element unless it says `allow_missing: true`; then the list has no steps, like a missing list of the other kinds. A record that is damaged, or has another kind or number of values, is an error of the element. Features and lists that neither the lambda nor the operators after it use are not parsed: they may be missing or of another kind, but damage to the record is still an error.",
    .result =
        "A tuple of two dicts. A list is DTYPE[?, SHAPE] for `sequence`, sparse<DTYPE>[?, ?] for `varlen` and ragged<DTYPE>[?, ?] for `ragged`: a row for each step.",
    .cost =
        "Two passes over the record's bytes, and a third over the values of the lists; strings are views of the record.",
    .example =
        R"(from_tensors("\n\x0d\n\x0b\n\x02id\x12\x05\x1a\x03\n\x01\x03\x12\x17\n\x15\n\x03tok\x12\x0e\n\x05\x1a\x03\n\x01\x05\n\x05\x1a\x03\n\x01\x06") | map(r -> parse_sequence_example(r, {id: int64}, {tok: sequence(int64)})))",
    .output = "({id: 3}, {tok: [5, 6]})",
    .bench = "parse_sequence_example(e, {a: float32 = 0.0}, {b: sequence(int64, allow_missing: true)})",
    .can_fail = true};

}  // namespace weir
