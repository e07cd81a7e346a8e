// some(x), nothing(SPEC), has_value(o) and get_value(o). An optional is a flag and the parts of its value.
#include <cstring>

#include "core/text.h"
#include "expr/kernels/shared/check.h"
#include "syntax/spec.h"

namespace weir {

namespace {

void some_body(KernelRun& run) {
  bool* flags = run.make<bool>(0, Shape());
  for (int i = 0; flags != nullptr && i < run.rows(); ++i) flags[i] = true;
}

Status some_infer(KernelCall& call) {
  const Spec value = call.spec(0);
  call.result(Spec::optional(value));
  for (int i = 0; i < value.component_count(); ++i) call.alias(1 + i, call.argument(0) + i);
  call.body(some_body);
  return Status();
}

// The shapes of parts that nobody reads.
struct OptionalParts : KernelState {
  std::vector<Component> parts;
};

void nothing_body(KernelRun& run) {
  const std::vector<Component>& parts = run.state<OptionalParts>().parts;
  for (size_t i = 0; i < parts.size(); ++i) {
    uint8_t* out = run.make(static_cast<int>(i), parts[i].shape);
    const size_t bytes = static_cast<size_t>(parts[i].shape.count()) * dtype_size(parts[i].dtype);
    if (out != nullptr && bytes > 0) std::memset(out, 0, bytes * static_cast<size_t>(run.rows()));
  }
}

// The smallest value of each part: the splits of a ragged tensor without rows are [0].
void smallest(const Spec& spec, std::vector<Component>& out) {
  if (spec.kind == Spec::Kind::ragged) {
    out.push_back({spec.dtype, Shape{0}});
    out.push_back({DType::int64, Shape{1}});
    return;
  }
  if (spec.kind == Spec::Kind::optional) out.push_back({DType::boolean, Shape()});
  if (!spec.children.empty()) {
    for (const Spec& child : spec.children) smallest(child, out);
    return;
  }
  for (const Component& part : spec.components()) {
    Shape shape = part.shape.rank_known() ? part.shape : Shape();
    for (int d = 0; d < shape.rank(); ++d) shape.set_dim(d, std::max<int64_t>(shape[d], 0));
    out.push_back({part.dtype, shape});
  }
}

Status nothing_infer(KernelCall& call) {
  if (call.node(0).kind < syntax::Kind::spec_tensor) {
    return call.error(0, "expected an element spec, such as int64 or {x: float32[3]}");
  }
  const Spec value = syntax::to_spec(call.node(0));
  WEIR_TRY(value.check_size());
  if (value.has_dataset()) return call.error(0, expected_found("tensors", value.to_string()));
  auto state = std::make_shared<OptionalParts>();
  smallest(Spec::optional(value), state->parts);
  call.result(Spec::optional(value));
  call.body(nothing_body, std::move(state));
  return Status();
}

Status has_value_infer(KernelCall& call) {
  call.result(DType::boolean, Shape());
  call.alias(0, call.argument(0));
  return Status();
}

void get_value_body(KernelRun& run) {
  for (int i = 0; i < run.rows(); ++i) {
    if (*run.arg(0).row<bool>(i)) continue;
    run.fail(i, invalid_argument("expected an optional with a value, found none; ask has_value(x) before"));
  }
}

Status get_value_infer(KernelCall& call) {
  const Spec& value = call.spec(0).children[0];
  call.result(value);
  for (int i = 0; i < value.component_count(); ++i) call.alias(i, call.argument(0) + 1 + i);
  call.body(get_value_body);
  return Status();
}

}  // namespace

extern constinit const Kernel some_kernel{
    .name = "some",
    .params = {{.name = "x", .kind = ParamKind::any, .doc = "A value of any structure."}},
    .infer = some_infer,
    .doc = "An optional with the value `x`, as tf.experimental.Optional.from_value.",
    .result = "optional<the structure of `x`>.",
    .cost = "A flag; the value is not copied.",
    .example = "range(3) | map(x -> if x == 1 then nothing(int64) else some(x))",
    .output = "some(0)\nnone\nsome(2)",
    .bench = "some(x)"};

extern constinit const Kernel nothing_kernel{
    .name = "nothing",
    .params = {{.name = "spec", .kind = ParamKind::syntax, .doc = "The structure of the missing value."}},
    .infer = nothing_infer,
    .doc = "An optional without a value, as tf.experimental.Optional.empty.",
    .result = "optional<SPEC>.",
    .cost = "A flag and the smallest value of each part.",
    .example = "from_tensors(nothing({x: float32[3]}))",
    .output = "none",
    .bench = "nothing(float32[784])"};

extern constinit const Kernel has_value_kernel{
    .name = "has_value",
    .params = {{.name = "o", .kind = ParamKind::optional}},
    .infer = has_value_infer,
    .doc = "Whether an optional has a value.",
    .result = "bool.",
    .cost = "Moves no bytes.",
    .example = "from_tensors((has_value(some(1)), has_value(nothing(int64))))",
    .output = "(true, false)",
    .bench = "has_value(some(x))"};

extern constinit const Kernel get_value_kernel{
    .name = "get_value",
    .params = {{.name = "o", .kind = ParamKind::optional}},
    .infer = get_value_infer,
    .doc = "The value of an optional; if it has none, an error of the element.",
    .result = "The structure of the value.",
    .cost = "Moves no bytes.",
    .example = "from_tensors(get_value(some({a: 1, b: \"x\"})))",
    .output = "{a: 1, b: \"x\"}",
    .bench = "get_value(some(x))",
    .can_fail = true};

}  // namespace weir
