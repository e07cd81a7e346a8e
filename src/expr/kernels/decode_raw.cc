// decode_raw(s, dtype, little_endian: true): the bytes of a string as a vector of numbers; a tensor of
// strings of equal length gets a last dimension. The bytes are copied once, into rows side by side, where
// kernels run flat loops.
#include <algorithm>
#include <bit>
#include <cstring>

#include "core/text.h"
#include "expr/check.h"

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

Shape shape_of(const KernelRun& run, size_t length) {
  const Shape& strings = run.arg(0).shape;
  int64_t dims[kMaxRank];
  std::copy(strings.dims().begin(), strings.dims().end(), dims);
  dims[strings.rank()] = static_cast<int64_t>(length / run.state<Layout>().size);
  return Shape(std::span<const int64_t>(dims, static_cast<size_t>(strings.rank() + 1)));
}

void copy(const KernelRun& run, int row, size_t length, uint8_t* out) {
  const auto& layout = run.state<Layout>();
  const Str* strings = run.arg(0).row<Str>(row);
  const int64_t count = run.arg(0).shape.count();
  for (int64_t k = 0; length > 0 && k < count; ++k, out += length) {
    std::memcpy(out, strings[k].data, length);
    if (layout.boolean) {
      for (size_t at = 0; at < length; ++at) out[at] = out[at] != 0;
    }
    for (size_t at = 0; layout.swapped > 1 && at < length; at += layout.swapped) {
      std::reverse(out + at, out + at + layout.swapped);
    }
  }
}

void body(KernelRun& run) {
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

Status infer(KernelCall& call) {
  if (call.dtype(0) != DType::string) return wrong_dtype(call, 0, "string");
  const DType dtype = call.dtype_value(1);
  if (!is_number(dtype) && dtype != DType::boolean) {
    return call.error(1, expected_found("a dtype of numbers or bool", dtype_name(dtype)));
  }
  const Shape& strings = call.shape(0);
  if (!strings.rank_known()) return call.error(0, "expected strings of known rank; reshape them first");
  if (strings.rank() == kMaxRank)
    return call.error(0, concat("expected at most ", kMaxRank - 1, " dimensions"));
  WEIR_ASSIGN(const bool little, call.flag(2));
  auto state = std::make_shared<Layout>();
  state->size = dtype_size(dtype);
  state->boolean = dtype == DType::boolean;
  if (little != (std::endian::native == std::endian::little)) {
    state->swapped = is_complex(dtype) ? state->size / 2 : state->size;
  }
  int64_t dims[kMaxRank];
  std::copy(strings.dims().begin(), strings.dims().end(), dims);
  dims[strings.rank()] = kUnknownDim;
  call.result(dtype, Shape(std::span<const int64_t>(dims, static_cast<size_t>(strings.rank() + 1))));
  call.set_can_fail(state->size > 1 || strings.rank() > 0);
  call.body(body, std::move(state));
  return Status();
}

}  // namespace

const Kernel& decode_raw_kernel() {
  static const Kernel def{
      .name = "decode_raw",
      .params = {{.name = "s", .doc = "A string or a tensor of strings."},
                 {.name = "dtype", .kind = ParamKind::dtype},
                 {.name = "little_endian",
                  .kind = ParamKind::constant,
                  .type = "bool",
                  .fallback = "true",
                  .doc = "The byte order of the numbers."}},
      .infer = infer,
      .doc =
          "The bytes of a string as a vector of numbers. A tensor of strings of one length gets a last dimension. A length that is not a multiple of the dtype's size is an error of the element.",
      .result = "The given dtype; one more dimension than `s`.",
      .cost = "One copy.",
      .example = R"(from_tensors(decode_raw("\x01\x00\x02\x00", int16)))",
      .output = "[1, 2]",
      .bench = "decode_raw(s, uint8)",
      .can_fail = true};
  return def;
}

}  // namespace weir
