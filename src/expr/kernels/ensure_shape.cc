// ensure_shape(x, shape): x, or an error of the element if its shape is another. No bytes move.
#include "expr/kernels/shared/array.h"
#include "syntax/tree.h"

namespace weir {

namespace {

struct WantedShape : KernelState {
  Shape shape;
};

Status shape_error(const Shape& wanted, const Shape& found) {
  return invalid_argument(expected_found(concat("the shape ", shape_text(wanted)), shape_text(found)));
}

void ensure_shape_body(KernelRun& run) {
  const Shape& wanted = run.state<WantedShape>().shape;
  const Shape& shape = run.arg(0).shape;
  if (!shape.compatible(wanted)) return fail_all(run, "ensure_shape", shape_error(wanted, shape));
  run.share(0, 0, shape);
}

// Checks what a list says.
Status add_dims(KernelCall& call, std::span<const int64_t> entries, std::vector<int64_t>& dims) {
  for (int64_t entry : entries) {
    if (entry < 0) {
      return call.error(1, expected_found("dimensions of 0 and more, or none", concat(entry),
                                          "write none for an unknown dimension"));
    }
    dims.push_back(entry);
  }
  return Status();
}

Result<Shape> read_shape(KernelCall& call) {
  const syntax::Node& node = call.node(1);
  std::vector<int64_t> dims;
  if (node.kind == syntax::Kind::list) {
    for (const syntax::Item& item : node.items) {
      if (item.value->kind == syntax::Kind::none) {
        dims.push_back(kUnknownDim);
        continue;
      }
      WEIR_ASSIGN(const Tensor entry, call.constant_of(*item.value, DType::int64));
      if (entry.shape.rank() != 0) return call.error(1, "expected a list of integers and none");
      WEIR_TRY(add_dims(call, entry.entries<const int64_t>(), dims));
    }
  } else {
    WEIR_ASSIGN(const Tensor entries, call.constant_of(node, DType::int64));
    if (entries.shape.rank() > 1) return call.error(1, "expected a list of integers and none");
    WEIR_TRY(add_dims(call, entries.entries<const int64_t>(), dims));
  }
  if (dims.size() > static_cast<size_t>(kMaxRank)) {
    return call.error(1, expected_found(concat("at most ", kMaxRank, " dimensions"), concat(dims.size())));
  }
  return Shape(dims);
}

Status ensure_shape_infer(KernelCall& call) {
  const Shape& from = call.shape(0);
  auto state = std::make_shared<WantedShape>();
  WEIR_ASSIGN(state->shape, read_shape(call));
  const Shape& wanted = state->shape;
  if (!from.compatible(wanted)) return call.error(1, shape_error(wanted, from).error().what());
  Shape shape = wanted;
  bool can_fail = !from.rank_known();
  for (int d = 0; from.rank_known() && d < wanted.rank(); ++d) {
    if (wanted[d] < 0) shape.set_dim(d, from[d]);
    can_fail = can_fail || (wanted[d] >= 0 && from[d] < 0);
  }
  call.result(call.dtype(0), shape);
  call.set_can_fail(can_fail);
  if (can_fail) {
    call.body(ensure_shape_body, std::move(state));
  } else {
    call.alias(0, call.argument(0));
  }
  return Status();
}

}  // namespace

extern constinit const Kernel ensure_shape_kernel{
    .name = "ensure_shape",
    .params = {{.name = "x"},
               {.name = "shape",
                .kind = ParamKind::syntax,
                .doc = "The dimensions, a list; none for a dimension of any size."}},
    .infer = ensure_shape_infer,
    .doc =
        "Checks the shape of `x`; another shape is an error of the element. Operators and functions that follow know the shape when the dataset is built, as `batch` and `unstack` may need it.",
    .result = "The dtype of `x` and the shape, as far as it is known.",
    .cost = "Moves no bytes.",
    .example = R"(from_tensor_slices(["ab", "abc"]) | map(s -> ensure_shape(decode_raw(s, uint8), [2])))",
    .output =
        "[97, 98]\nerror: invalid_argument: map: ensure_shape: expected the shape [2], found [3]; in ensure_shape of uint8[3] at line 1, column 46 (in map)",
    .bench = "ensure_shape(x, [784])",
    .can_fail = true};

}  // namespace weir
