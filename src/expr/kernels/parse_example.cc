// parse_example(r, features): parses serialized tf.Examples from the wire straight into columns, a dict in
// the order written. r is one string or a vector of them; strings in the result are views into the records.
#include "core/text.h"
#include "expr/check.h"
#include "format/example.h"
#include "syntax/tree.h"

namespace weir {

namespace {

struct Features : KernelState {
  std::shared_ptr<const ExamplePlan> plan;
  std::vector<Shape> shapes;
};

// The result's shape for records of that shape: [], [n] or unknown.
Shape joined(const Shape& records, const Shape& feature) {
  if (!records.rank_known()) return records;
  return records.rank() == 0 ? feature : feature.prepended(records[0]);
}

// Parses rows whose records lie one after the other into columns that begin with the first of them.
void parse(KernelRun& run, int first, int rows, void* const* columns) {
  const Arg& records = run.arg(0);
  const auto per_row = static_cast<size_t>(records.shape.count());
  std::vector<ExampleError> errors;
  run.state<Features>().plan->parse({records.row<Str>(first), static_cast<size_t>(rows) * per_row}, columns,
                                    errors);
  for (const ExampleError& error : errors) {
    const int row = first + static_cast<int>(error.row / per_row);
    if (records.shape.rank() == 0) {
      run.fail(row, error.status);
    } else {
      run.fail(row, invalid_argument(concat("record ", error.row % per_row, " of ", per_row, ": ",
                                            error.status.error().message)));
    }
  }
}

void body(KernelRun& run) {
  const Arg& records = run.arg(0);
  const auto& features = run.state<Features>();
  if (records.shape.rank() > 1) {
    Status status = invalid_argument(
        expected_found("a string or a vector of strings", concat("the shape ", records.shape.to_string())));
    for (int i = 0; i < run.rows(); ++i) run.fail(i, status);
    return;
  }
  const size_t count = features.shapes.size();
  std::vector<void*> columns(count);
  std::vector<size_t> row_bytes(count);
  for (size_t f = 0; f < count; ++f) {
    const Shape shape = joined(records.shape, features.shapes[f]);
    columns[f] = run.make(static_cast<int>(f), shape);
    if (columns[f] == nullptr) return;
    const size_t width = features.plan->features()[f].type == FeatureType::string    ? sizeof(Str)
                         : features.plan->features()[f].type == FeatureType::float32 ? sizeof(float)
                                                                                     : sizeof(int64_t);
    row_bytes[f] = width * static_cast<size_t>(shape.count());
  }
  if (features.plan->default_bytes()) run.keep(features.plan->default_bytes());
  if (run.rows() == 1 || records.stride == static_cast<int64_t>(records.row_bytes())) {
    return parse(run, 0, run.rows(), columns.data());
  }
  for (int i = 0; i < run.rows(); ++i) {
    parse(run, i, 1, columns.data());
    for (size_t f = 0; f < count; ++f) columns[f] = static_cast<uint8_t*>(columns[f]) + row_bytes[f];
  }
}

Status set_default(KernelCall& call, const syntax::Node& node, DType dtype, FeatureConfig& feature) {
  WEIR_ASSIGN(const Tensor value, call.constant_of(node, dtype));
  feature.has_default = true;
  if (dtype == DType::int64) {
    for (int64_t entry : value.entries<const int64_t>()) feature.int64_default.push_back(entry);
  } else if (dtype == DType::float32) {
    for (float entry : value.entries<const float>()) feature.float_default.push_back(entry);
  } else {
    for (const Str& entry : value.entries<const Str>()) feature.string_default.emplace_back(entry.view());
  }
  return Status();
}

// `node` is a spec and the default after it, if there is one.
Status read_feature(KernelCall& call, const syntax::Node& node, FeatureConfig& feature, Spec& spec) {
  const syntax::Node& type = node.child(0);
  const auto refuse = [&](std::string_view found, std::string hint = "") {
    return call.error(1, {concat("the feature ", quote(feature.name), " ", found), std::move(hint)});
  };
  if (type.kind != syntax::Kind::spec_tensor) {
    return refuse(concat("is of the kind ", type.text),
                  "this version parses fixed features, such as int64 or float32[3]");
  }
  switch (type.dtype) {
    case DType::int64:
      feature.type = FeatureType::int64;
      break;
    case DType::float32:
      feature.type = FeatureType::float32;
      break;
    case DType::string:
      feature.type = FeatureType::string;
      break;
    default:
      return refuse(concat("is of dtype ", dtype_name(type.dtype)),
                    "an Example holds int64, float32 and string");
  }
  const int64_t count = type.shape.is_static() ? checked_count(type.shape.dims()) : -1;
  if (count < 0) return refuse(concat("needs a known shape, found ", type.shape.to_string()));
  if (type.shape.rank() == kMaxRank) return refuse(concat("has too many dimensions; at most ", kMaxRank - 1));
  feature.count = static_cast<size_t>(count);
  spec = Spec::tensor(type.dtype, joined(call.shape(0), type.shape));
  return node.items.size() > 1 ? set_default(call, node.child(1), type.dtype, feature) : Status();
}

Status infer(KernelCall& call) {
  if (call.dtype(0) != DType::string) return wrong_dtype(call, 0, "string");
  const Shape& records = call.shape(0);
  if (records.rank_known() && records.rank() > 1) {
    return call.error(
        0, expected_found("a string or a vector of strings", concat("the shape ", records.to_string())));
  }
  const syntax::Node& node = call.node(1);
  if (node.kind != syntax::Kind::features) {
    return call.error(1, "expected features, such as {image: string, label: int64}");
  }
  auto state = std::make_shared<Features>();
  std::vector<FeatureConfig> configs;
  std::vector<std::string> keys;
  std::vector<Spec> specs;
  for (const syntax::Item& item : node.items) {
    FeatureConfig feature;
    feature.name = item.name;
    Spec spec;
    WEIR_TRY(read_feature(call, *item.value, feature, spec));
    state->shapes.push_back(item.value->child(0).shape);
    configs.push_back(std::move(feature));
    keys.push_back(item.name);
    specs.push_back(std::move(spec));
  }
  Result<std::shared_ptr<const ExamplePlan>> plan = ExamplePlan::compile(std::move(configs));
  if (!plan.ok()) return call.error(1, plan.status().error().what());
  state->plan = *std::move(plan);
  call.result(Spec::dict(std::move(keys), std::move(specs)));
  call.body(body, std::move(state));
  return Status();
}

}  // namespace

const Kernel& parse_example_kernel() {
  static const Kernel def{
      .name = "parse_example",
      .params = {{.name = "r", .doc = "A string or a vector of strings."},
                 {.name = "features",
                  .kind = ParamKind::syntax,
                  .doc = "A dict of features: `{image: string, pixels: float32[64], label: int64 = 0}`."}},
      .infer = infer,
      .doc =
          "The features of a serialized tf.Example, or of a vector of them, as a dict in written order. A feature has exactly as many values as its shape says, and one that is missing gets its default. A record that is damaged, lacks a feature without a default, or has another kind or number of values is an error of the element.",
      .result = "A dict with the dtype and shape of each feature; of a vector, with a first dimension.",
      .cost = "One pass over the record's bytes; strings are views of the record.",
      .example =
          R"(tfrecord("tests/data/records/people.tfrecord") | map(r -> parse_example(r, {name: string, age: int64})))",
      .output = R"({name: "ada", age: 36}
{name: "bob", age: 41}
{name: "cyd", age: 29}
{name: "dee", age: 55})",
      .bench = "parse_example(e, {a: float32 = 0.0})",
      .can_fail = true};
  return def;
}

}  // namespace weir
