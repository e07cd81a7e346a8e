// decode_raw(s, dtype, little_endian: true): the bytes of a string as a vector of numbers; a tensor of
// strings of equal length gets a last dimension. The bytes are copied once, into rows side by side, where
// kernels run flat loops. decode_padded_raw(s, length, dtype): the same for strings cut or padded to one
// length.
#include <algorithm>
#include <bit>
#include <cstring>

#include "core/text.h"
#include "expr/kernels/shared/check.h"
#include "expr/kernels/shared/shape_argument.h"

namespace weir {

namespace {

struct Layout : KernelState {
  size_t size = 1;
  // Reverses runs of this many bytes; 1 leaves them as they are.
  size_t swapped = 1;
  bool boolean = false;
};

// The length of the row's strings, or an error if they differ or it does not divide.
Result<size_t> length_of_row(const KernelRun& run, int row) {
  const auto& layout = run.state<Layout>();
  const Str* strings = run.arg(0).row<Str>(row);
  const int64_t count = run.arg(0).shape.count();
  if (count == 0) return size_t{0};
  for (int64_t k = 1; k < count; ++k) {
    if (strings[k].size == strings[0].size) continue;
    return invalid_argument(
        expected_found("strings of one length", concat(strings[0].size, " and ", strings[k].size, " bytes")));
  }
  if (strings[0].size % layout.size == 0) return static_cast<size_t>(strings[0].size);
  return invalid_argument(
      expected_found(concat("a multiple of ", layout.size, " bytes"), concat(strings[0].size)));
}

std::string too_many_dimensions() { return concat("expected at most ", kMaxRank - 1, " dimensions"); }

// True if the strings have no room for another dimension, after failing all rows.
bool fail_full_rank(KernelRun& run) {
  if (run.arg(0).shape.rank() < kMaxRank) return false;
  for (int i = 0; i < run.rows(); ++i) run.fail(i, invalid_argument(too_many_dimensions()));
  return true;
}

// The shape with a last dimension.
Shape appended(const Shape& strings, int64_t extent) {
  if (!strings.rank_known()) return strings;
  Shape shape = strings.prepended(extent);
  for (int d = 0; d < strings.rank(); ++d) shape.set_dim(d, strings[d]);
  shape.set_dim(strings.rank(), extent);
  return shape;
}

Shape shape_of(const KernelRun& run, size_t length) {
  return appended(run.arg(0).shape, static_cast<int64_t>(length / run.state<Layout>().size));
}

// Copies as much of each string of the row as there is of `length` bytes; the rest is 0.
void copy(const KernelRun& run, int row, size_t length, uint8_t* out) {
  const auto& layout = run.state<Layout>();
  const Str* strings = run.arg(0).row<Str>(row);
  const int64_t count = run.arg(0).shape.count();
  for (int64_t k = 0; length > 0 && k < count; ++k, out += length) {
    const size_t size = std::min<size_t>(strings[k].size, length);
    if (size > 0) std::memcpy(out, strings[k].data, size);
    if (size < length) std::memset(out + size, 0, length - size);
    if (layout.boolean) {
      for (size_t at = 0; at < length; ++at) out[at] = out[at] != 0;
    }
    for (size_t at = 0; layout.swapped > 1 && at < length; at += layout.swapped) {
      std::reverse(out + at, out + at + layout.swapped);
    }
  }
}

void decode_raw_body(KernelRun& run) {
  if (fail_full_rank(run)) return;
  // Usually all rows have one length, and then rows that fail don't matter.
  size_t common = 0;
  bool found = false;
  bool equal = true;
  int failed = 0;
  for (int i = 0; i < run.rows(); ++i) {
    Result<size_t> length = length_of_row(run, i);
    if (!length.ok()) {
      run.fail(i, length.status());
      ++failed;
      continue;
    }
    equal = equal && (!found || *length == common);
    common = *length;
    found = true;
  }
  if (!found) return;
  if (equal && failed == 0) {
    uint8_t* out = run.make(0, shape_of(run, common));
    if (out == nullptr) return;
    const size_t row_bytes = common * static_cast<size_t>(run.arg(0).shape.count());
    for (int i = 0; i < run.rows(); ++i) copy(run, i, common, out + static_cast<size_t>(i) * row_bytes);
    return;
  }
  for (int i = 0; i < run.rows(); ++i) {
    Result<size_t> length = length_of_row(run, i);
    if (!length.ok()) continue;
    if (uint8_t* out = run.make_row(0, i, shape_of(run, *length))) copy(run, i, *length, out);
  }
}

// What both functions check; the dtype is the parameter `param`.
Status check(const KernelCall& call, int param) {
  if (call.dtype(0) != DType::string) return wrong_dtype(call, 0, "string");
  const DType dtype = call.dtype_value(param);
  if (!is_number(dtype) && dtype != DType::boolean) {
    return call.error(param, expected_found("a dtype of numbers or bool", dtype_name(dtype)));
  }
  const Shape& strings = call.shape(0);
  if (strings.rank_known() && strings.rank() == kMaxRank) {
    return call.error(0, too_many_dimensions());
  }
  return Status();
}

std::shared_ptr<Layout> layout_of(DType dtype, bool little) {
  auto state = std::make_shared<Layout>();
  state->size = dtype_size(dtype);
  state->boolean = dtype == DType::boolean;
  if (little != (std::endian::native == std::endian::little)) {
    state->swapped = is_complex(dtype) ? state->size / 2 : state->size;
  }
  return state;
}

Status decode_raw_infer(KernelCall& call) {
  WEIR_TRY(check(call, 1));
  WEIR_ASSIGN(const bool little, call.flag(2));
  std::shared_ptr<Layout> layout = layout_of(call.dtype_value(1), little);
  call.result(call.dtype_value(1), appended(call.shape(0), kUnknownDim));
  call.set_can_fail(layout->size > 1 || !(call.shape(0) == Shape()));
  call.body(decode_raw_body, std::move(layout));
  return Status();
}

Status check_length(int64_t length, size_t size) {
  if (length > 0 && length % static_cast<int64_t>(size) == 0) return Status();
  return invalid_argument(expected_found(
      concat("a length for decode_padded_raw of ", size, " bytes or a multiple of it"), concat(length)));
}

void padded_body(KernelRun& run) {
  if (fail_full_rank(run)) return;
  const auto& layout = run.state<Layout>();
  const Arg& lengths = run.arg(1);
  const Shape& strings = run.arg(0).shape;
  if (same_in_all_rows(run, lengths) && check_length(*lengths.row<int64_t>(0), layout.size).ok()) {
    const auto length = static_cast<size_t>(*lengths.row<int64_t>(0));
    uint8_t* out = run.make(0, shape_of(run, length));
    const size_t row_bytes = length * static_cast<size_t>(strings.count());
    for (int i = 0; out != nullptr && i < run.rows(); ++i)
      copy(run, i, length, out + static_cast<size_t>(i) * row_bytes);
    return;
  }
  for (int i = 0; i < run.rows(); ++i) {
    const int64_t length = *lengths.row<int64_t>(i);
    if (Status status = check_length(length, layout.size); !status.ok()) {
      run.fail(i, status);
    } else if (uint8_t* out = run.make_row(0, i, shape_of(run, static_cast<size_t>(length)))) {
      copy(run, i, static_cast<size_t>(length), out);
    }
  }
}

Status padded_infer(KernelCall& call) {
  WEIR_TRY(check(call, 2));
  WEIR_TRY(check_scalar(call, 1, "the length"));
  std::shared_ptr<Layout> layout = layout_of(call.dtype_value(2), true);
  int64_t extent = kUnknownDim;
  if (const Tensor* length = call.constant(1)) {
    const Status status = check_length(*length->as<int64_t>(), layout->size);
    if (!status.ok()) return call.error(1, status.error().what());
    extent = *length->as<int64_t>() / static_cast<int64_t>(layout->size);
  }
  const Shape shape = appended(call.shape(0), extent);
  call.result(call.dtype_value(2), shape);
  call.set_can_fail(!shape.is_static());
  call.body(padded_body, std::move(layout));
  return Status();
}

}  // namespace

extern constinit const Kernel decode_raw_kernel{
    .name = "decode_raw",
    .params = {{.name = "s", .doc = "A string or a tensor of strings."},
               {.name = "dtype", .kind = ParamKind::dtype},
               {.name = "little_endian",
                .kind = ParamKind::constant,
                .type = "bool",
                .fallback = "true",
                .doc = "The byte order of the numbers."}},
    .infer = decode_raw_infer,
    .doc =
        "Reinterprets the bytes of a string as a vector of numbers. A tensor of strings of one length gets a last dimension. A length that is not a multiple of the dtype's size is an error of the element.",
    .result = "The given dtype; one more dimension than `s`.",
    .cost = "One copy.",
    .example = R"(from_tensors(decode_raw("\x01\x00\x02\x00", int16)))",
    .output = "[1, 2]",
    .bench = "decode_raw(s, uint8)",
    .can_fail = true};

extern constinit const Kernel decode_padded_raw_kernel{
    .name = "decode_padded_raw",
    .params = {{.name = "s", .doc = "A string or a tensor of strings."},
               {.name = "length", .type = "int64", .doc = "The number of bytes to take of each string."},
               {.name = "dtype", .kind = ParamKind::dtype}},
    .infer = padded_infer,
    .doc =
        "Reinterprets the bytes of strings as vectors of one length, as tf.io.decode_raw with `fixed_length`. A longer string is cut to `length` bytes, a shorter one padded with zeros; the numbers are little-endian. A length that is not positive or not a multiple of the dtype's size is an error; a computed one is an error of the element.",
    .result = "The given dtype; the shape of `s`, then `length` divided by the dtype's size.",
    .cost = "One copy.",
    .example = R"(from_tensors(decode_padded_raw(["abcd", "e"], 2, uint8)))",
    .output = "[[97, 98], [101, 0]]",
    .bench = "decode_padded_raw(s, 1024, uint8)",
    .can_fail = true};

}  // namespace weir
