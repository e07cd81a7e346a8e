// example({name: value}) and sequence_example({context}, {lists}): serialized tf.Examples and
// tf.SequenceExamples.
#include <algorithm>
#include <numeric>

#include "core/text.h"
#include "expr/types/kernel.h"
#include "format/example_writer.h"
#include "format/wire_writer.h"

namespace weir {

namespace {

// A feature and where its values are.
struct Feature {
  std::string name;
  FeatureType type = FeatureType::int64;
  int argument = 0;
  // A ragged tensor: each of its rows is a step, and its row splits are the next argument.
  bool ragged = false;
};

// Sorted by name, so that equal features give equal bytes.
struct Message : KernelState {
  std::vector<Feature> context;
  std::vector<Feature> lists;
};

// The values from entry `first` on, `count` of them.
FeatureToWrite values_of(const Feature& feature, const Arg& arg, int row, int64_t first, int64_t count) {
  const uint8_t* data = arg.row<uint8_t>(row) + static_cast<size_t>(first) * dtype_size(arg.dtype);
  return {feature.name, feature.type, data, static_cast<size_t>(count)};
}

void set_context(const KernelRun& run, int row, std::vector<FeatureToWrite>& out) {
  const auto& message = run.state<Message>();
  for (size_t i = 0; i < message.context.size(); ++i) {
    const Arg& arg = run.arg(message.context[i].argument);
    out[i] = values_of(message.context[i], arg, row, 0, arg.shape.count());
  }
}

// Gives the row `size` bytes that write(to) fills.
template <class Write>
void put(KernelRun& run, int row, size_t size, Str& out, Write write) {
  if (size > kMessageBytesLimit) {
    return run.fail(row,
                    resource_exhausted(expected_found("an Example below 2 GiB, which is what parsers read",
                                                      concat(size, " bytes"), "split it")));
  }
  char* to = run.bytes(size);
  write(to);
  out = Str(to, size);
}

void example_body(KernelRun& run) {
  std::vector<FeatureToWrite> features(run.state<Message>().context.size());
  Str* out = run.make<Str>(0, Shape());
  if (out == nullptr) return;
  for (int row = 0; row < run.rows(); ++row) {
    set_context(run, row, features);
    put(run, row, measure_features(features), out[row], [&](char* to) { write_features(features, to); });
  }
}

// Memory for the steps of a row's lists, used again for the next row.
class Steps {
 public:
  // invalid_argument if the list has no steps to speak of.
  Status set(const KernelRun& run, int row) {
    const auto& message = run.state<Message>();
    lists_.resize(message.lists.size());
    steps_.clear();
    sizes_.clear();
    for (const Feature& feature : message.lists) {
      const size_t before = steps_.size();
      WEIR_TRY(add(run, feature, row));
      sizes_.push_back(steps_.size() - before);
    }
    std::span<FeatureToWrite> left(steps_);
    for (size_t i = 0; i < lists_.size(); ++i) {
      lists_[i] = {message.lists[i].name, left.first(sizes_[i])};
      left = left.subspan(sizes_[i]);
    }
    return Status();
  }
  std::span<FeatureSteps> lists() { return lists_; }

 private:
  Status add(const KernelRun& run, const Feature& feature, int row) {
    const Arg& values = run.arg(feature.argument);
    if (values.shape.rank() == 0) {
      return invalid_argument(expected_found(
          concat("a list of steps for ", quote(feature.name), " of sequence_example"), "a scalar"));
    }
    const int64_t rows = values.shape[0];
    const int64_t each = rows == 0 ? 0 : values.shape.count() / rows;
    if (!feature.ragged) {
      for (int64_t i = 0; i < rows; ++i) steps_.push_back(values_of(feature, values, row, i * each, each));
      return Status();
    }
    const Arg& splits = run.arg(feature.argument + 1);
    const int64_t* at = splits.row<int64_t>(row);
    for (int64_t i = 0; i + 1 < splits.shape.count(); ++i) {
      // Values may come from a callback.
      if (at[i] < 0 || at[i + 1] < at[i] || at[i + 1] > rows) {
        return invalid_argument(expected_found(concat("row splits that rise from 0 to ", rows),
                                               concat(at[i], " and ", at[i + 1])));
      }
      steps_.push_back(values_of(feature, values, row, at[i] * each, (at[i + 1] - at[i]) * each));
    }
    return Status();
  }

  std::vector<FeatureSteps> lists_;
  std::vector<FeatureToWrite> steps_;
  std::vector<size_t> sizes_;
};

void sequence_body(KernelRun& run) {
  std::vector<FeatureToWrite> context(run.state<Message>().context.size());
  Steps steps;
  Str* out = run.make<Str>(0, Shape());
  if (out == nullptr) return;
  for (int row = 0; row < run.rows(); ++row) {
    set_context(run, row, context);
    if (Status status = steps.set(run, row); !status.ok()) {
      run.fail(row, status);
      continue;
    }
    put(run, row, measure_sequence(context, steps.lists()), out[row],
        [&](char* to) { write_sequence(context, steps.lists(), to); });
  }
}

Status set_type(const KernelCall& call, int param, DType dtype, Feature& feature) {
  if (dtype == DType::int64) {
    feature.type = FeatureType::int64;
  } else if (dtype == DType::float32) {
    feature.type = FeatureType::float32;
  } else if (dtype == DType::string) {
    feature.type = FeatureType::string;
  } else {
    std::string cast;
    if (is_float(dtype)) cast = "write float32(…) around it to cast it";
    if (is_integer(dtype) || dtype == DType::boolean) cast = "write int64(…) around it to cast it";
    return call.error(param, expected_found(concat("int64, float32 or string for ", quote(feature.name)),
                                            dtype_name(dtype), cast));
  }
  return Status();
}

// The features of a dict, sorted by name. `lists`: each has steps.
Status read_features(const KernelCall& call, int param, bool lists, std::vector<Feature>& out) {
  const Spec& dict = call.spec(param);
  // `{}` is the empty tuple and dict.
  if (dict.kind != Spec::Kind::dict && !(dict.kind == Spec::Kind::tuple && dict.children.empty())) {
    return call.error(param,
                      expected_found("a dict of features, such as {image: s, label: 3}", dict.to_string()));
  }
  for (size_t i = 0; i < dict.keys.size(); ++i) {
    const Spec& value = dict.children[i];
    Feature feature{.name = dict.keys[i],
                    .argument = call.argument(param) + dict.child_offset(static_cast<int>(i))};
    feature.ragged = lists && value.kind == Spec::Kind::ragged;
    if (!value.is_tensor() && !feature.ragged) {
      return call.error(param,
                        expected_found(concat("a tensor for ", quote(feature.name)), value.to_string()));
    }
    if (lists && value.shape == Shape()) {
      return call.error(param, expected_found(concat("a list of steps for ", quote(feature.name)), "a scalar",
                                              "its first dimension counts the steps"));
    }
    WEIR_TRY(set_type(call, param, value.dtype, feature));
    out.push_back(std::move(feature));
  }
  std::sort(out.begin(), out.end(), [](const Feature& a, const Feature& b) { return a.name < b.name; });
  return Status();
}

Status example_infer(KernelCall& call) {
  auto state = std::make_shared<Message>();
  WEIR_TRY(read_features(call, 0, false, state->context));
  call.result(DType::string, Shape());
  call.body(example_body, std::move(state));
  return Status();
}

Status sequence_infer(KernelCall& call) {
  auto state = std::make_shared<Message>();
  WEIR_TRY(read_features(call, 0, false, state->context));
  WEIR_TRY(read_features(call, 1, true, state->lists));
  call.result(DType::string, Shape());
  call.body(sequence_body, std::move(state));
  return Status();
}

}  // namespace

extern constinit const Kernel example_kernel{
    .name = "example",
    .params = {{.name = "values",
                .kind = ParamKind::any,
                .doc = "A dict of tensors of int64, float32 or string."}},
    .infer = example_infer,
    .doc =
        "Serializes a dict as a tf.Example, with one feature per value. Features are sorted by name. Entries of a tensor are written row by row, without its shape. More than 2 GiB are an error of the element.",
    .result = "A scalar string.",
    .cost = "Two passes over the values.",
    .example = "range(2) | map(x -> parse_example(example({id: x, name: \"a\"}), {name: string, id: int64}))",
    .output = "{name: \"a\", id: 0}\n{name: \"a\", id: 1}",
    .bench = "example({x: x, s: s})",
    .can_fail = true};

extern constinit const Kernel sequence_example_kernel{
    .name = "sequence_example",
    // Not `context` and `lists`, which the grammar takes for features to parse.
    .params =
        {{.name = "context_values",
          .kind = ParamKind::any,
          .doc = "A dict of tensors of int64, float32 or string, as of `example`."},
         {.name = "list_values",
          .kind = ParamKind::any,
          .doc =
              "A dict of tensors with the steps along the first dimension, or of ragged tensors with one row per step."}},
    .infer = sequence_infer,
    .doc =
        "Serializes two dicts as a tf.SequenceExample. Each value of the first is a feature of the context; each value of the second is a feature list with one feature per step. Both are sorted by name. More than 2 GiB are an error of the element.",
    .result = "A scalar string.",
    .cost = "Two passes over the values.",
    .example =
        "from_tensors(string_length(sequence_example({id: 7}, {words: [\"a\", \"b\"], scores: [[0.5, 1.0], [1.5, 2.0]]})))",
    .output = "82",
    .bench = "sequence_example({n: n}, {x: reshape(x, [28, 28])})",
    .can_fail = true};

}  // namespace weir
