// serialize_tensor(x) and parse_tensor(s, dtype): between tensors and TensorFlow's serialized TensorProto.
#include "core/text.h"
#include "expr/kernels/shared/stacked.h"
#include "format/tensor_proto.h"
#include "format/wire_writer.h"

namespace weir {

namespace {

void serialize_body(KernelRun& run) {
  const Arg& x = run.arg(0);
  const TensorWriter writer(x.dtype, x.shape);
  Str* out = run.make<Str>(0, Shape());
  if (out == nullptr) return;
  for (int row = 0; row < run.rows(); ++row) {
    // All rows share one value.
    if (row > 0 && x.stride == 0) {
      out[row] = out[0];
      continue;
    }
    const size_t size = writer.size(x.row<uint8_t>(row));
    if (size > kMessageBytesLimit) {
      run.fail(row, resource_exhausted(expected_found("a tensor below 2 GiB for serialize_tensor",
                                                      concat(size, " bytes"), "split it")));
      continue;
    }
    char* to = run.bytes(size);
    writer.write(x.row<uint8_t>(row), to);
    out[row] = Str(to, size);
  }
}

Status serialize_infer(KernelCall& call) {
  call.result(DType::string, Shape());
  call.body(serialize_body);
  return Status();
}

struct Wanted : KernelState {
  DType dtype = DType::invalid;
};

Status parse(KernelRun& run, std::string_view bytes, Stacked& tensors) {
  TensorMessage message;
  WEIR_TRY(open_tensor(bytes, message));
  const DType wanted = run.state<Wanted>().dtype;
  if (message.dtype != wanted) {
    return invalid_argument(expected_found(concat(dtype_name(wanted), " for parse_tensor"),
                                           concat(dtype_name(message.dtype), message.shape.to_string())));
  }
  WEIR_ASSIGN(uint8_t* const out, tensors.room(message.shape, dtype_size(wanted)));
  return out != nullptr ? read_tensor(message, out) : Status();
}

void parse_body(KernelRun& run) {
  for (int row = 0; row < run.rows(); ++row) {
    Stacked tensors(run, row);
    const Status status =
        tensors.each(Shape(), [&](std::string_view bytes) { return parse(run, bytes, tensors); });
    if (!status.ok()) run.fail(row, status);
  }
}

Status parse_infer(KernelCall& call) {
  WEIR_TRY(check_string_or_vector(call));
  auto state = std::make_shared<Wanted>();
  state->dtype = call.dtype_value(1);
  call.result(state->dtype, Shape::unknown_rank());
  call.body(parse_body, std::move(state));
  return Status();
}

}  // namespace

extern constinit const Kernel serialize_tensor_kernel{
    .name = "serialize_tensor",
    .params = {{.name = "x"}},
    .infer = serialize_infer,
    .doc =
        "Serializes a tensor as a TensorProto, byte for byte as tf.io.serialize_tensor. More than 2 GiB are an error of the element.",
    .result = "A scalar string.",
    .cost = "One copy.",
    .example = "from_tensors(parse_tensor(serialize_tensor([[1, 2]]), int64))",
    .output = "[[1, 2]]",
    .bench = "serialize_tensor(x)",
    .can_fail = true};

extern constinit const Kernel parse_tensor_kernel{
    .name = "parse_tensor",
    .params = {{.name = "s", .doc = "A string, or a vector of strings."},
               {.name = "dtype", .kind = ParamKind::dtype, .doc = "The dtype that the tensor must have."}},
    .infer = parse_infer,
    .doc =
        "Parses a TensorProto into a tensor, as tf.io.parse_tensor. A vector of strings gives one tensor of their tensors, which must have one shape. Other bytes, another dtype and more than 8 dimensions are errors of the element. The shape is not known when the dataset is built; `ensure_shape` and `reshape` give it one.",
    .result = "The given dtype; unknown rank.",
    .cost = "Two passes over the message's fields and one copy of the entries; strings are views of `s`.",
    .example =
        R"(from_tensors(parse_tensor("\x08\x01\x12\x04\x12\x02\x08\x02\x22\x08\x00\x00\x80?\x00\x00 @", float32)))",
    .output = "[1.0, 2.5]",
    .bench = "parse_tensor(serialize_tensor(x), float32)",
    .can_fail = true};

}  // namespace weir
