// zeros(shape), ones(shape), full(shape, value), zeros_like(x), ones_like(x): tensors of one value.
#include <algorithm>
#include <array>
#include <cstring>

#include "expr/kernels/shared/check.h"
#include "expr/kernels/shared/shape_argument.h"
#include "expr/types/dispatch.h"

namespace weir {

namespace {

// The bytes of the entry to fill with.
struct Entry : KernelState {
  std::array<uint8_t, 16> bytes = {};
  size_t size = 0;
};

// Doubles what has been written.
void fill(uint8_t* out, const uint8_t* entry, size_t size, size_t count) {
  const size_t bytes = size * count;
  if (bytes == 0) return;
  std::memcpy(out, entry, size);
  for (size_t done = size; done < bytes; done *= 2)
    std::memcpy(out + done, out, std::min(done, bytes - done));
}

void shaped_body(KernelRun& run) {
  const auto& entry = run.state<Entry>();
  make_shaped(run, run.arg(0), [&](int, int rows, int64_t count, uint8_t* out) {
    fill(out, entry.bytes.data(), entry.size, static_cast<size_t>(rows) * static_cast<size_t>(count));
  });
}

void like_body(KernelRun& run) {
  const auto& entry = run.state<Entry>();
  const Shape& shape = run.arg(0).shape;
  uint8_t* out = run.make(0, shape);
  if (out == nullptr) return;
  fill(out, entry.bytes.data(), entry.size,
       static_cast<size_t>(run.rows()) * static_cast<size_t>(shape.count()));
}

void full_body(KernelRun& run) {
  const Arg& value = run.arg(1);
  const size_t size = dtype_size(value.dtype);
  make_shaped(run, run.arg(0), [&](int first, int rows, int64_t count, uint8_t* out) {
    const size_t row_bytes = static_cast<size_t>(count) * size;
    for (int i = 0; i < rows; ++i) {
      fill(out + static_cast<size_t>(i) * row_bytes, value.row<uint8_t>(first + i), size,
           static_cast<size_t>(count));
    }
  });
}

template <class T>
T one() {
  if constexpr (is_half<T>) {
    return store<T>(1.0f);
  } else {
    return T{1};
  }
}

// An entry of 0 (false, "") or 1 (true). Null if the dtype has none.
std::shared_ptr<const Entry> entry_of(DType dtype, bool of_ones) {
  auto entry = std::make_shared<Entry>();
  entry->size = dtype_size(dtype);
  if (!of_ones) return entry;
  const bool known = visit<JoinT<Numbers, TypeList<bool>>>(dtype, [&]<class T>() {
    const T value = one<T>();
    std::memcpy(entry->bytes.data(), &value, sizeof(value));
  });
  return known ? entry : nullptr;
}

template <bool kOnes>
Status shaped_infer(KernelCall& call) {
  std::shared_ptr<const Entry> entry = entry_of(call.dtype_value(1), kOnes);
  if (!entry) return call.error(1, "expected a dtype of numbers or bool; a string has no one");
  WEIR_ASSIGN(const Shape shape, shape_from(call, 0));
  call.result(call.dtype_value(1), shape);
  call.body(shaped_body, std::move(entry));
  call.set_can_fail(!shape.is_static());
  return Status();
}

template <bool kOnes>
Status like_infer(KernelCall& call) {
  std::shared_ptr<const Entry> entry = entry_of(call.dtype(0), kOnes);
  if (!entry) return wrong_dtype(call, 0, "a dtype of numbers or bool");
  call.result(call.dtype(0), call.shape(0));
  call.body(like_body, std::move(entry));
  return Status();
}

Status full_infer(KernelCall& call) {
  WEIR_TRY(check_scalar(call, 1, "the value"));
  WEIR_ASSIGN(const Shape shape, shape_from(call, 0));
  call.result(call.dtype(1), shape);
  call.body(full_body);
  call.set_can_fail(!shape.is_static());
  return Status();
}

constexpr std::initializer_list<KernelParam> kShapedParams = {
    {.name = "shape", .type = "int64", .doc = "The dimensions: an integer or a vector."},
    {.name = "dtype", .kind = ParamKind::dtype, .fallback = "float32"}};

}  // namespace

extern constinit const Kernel full_kernel{
    .name = "full",
    .params = {{.name = "shape", .type = "int64", .doc = "The dimensions: an integer or a vector."},
               {.name = "value", .doc = "A scalar."}},
    .infer = full_infer,
    .doc = "A tensor of the given shape, filled with one value.",
    .result = "The dtype of `value`.",
    .cost = "One store per entry.",
    .example = "from_tensors(full([2, 2], 7))",
    .output = "[[7, 7], [7, 7]]",
    .bench = "full([784], x[0])",
    .can_fail = true};

extern constinit const Kernel ones_kernel{.name = "ones",
                                          .params = kShapedParams,
                                          .infer = shaped_infer<true>,
                                          .doc = "A tensor of the given shape, filled with 1 or true.",
                                          .result = "The given dtype and shape.",
                                          .cost = "One store per entry.",
                                          .example = "from_tensors(ones([3], int64))",
                                          .output = "[1, 1, 1]",
                                          .bench = "ones([n[0] + 784])",
                                          .can_fail = true};

extern constinit const Kernel ones_like_kernel{
    .name = "ones_like",
    .params = {{.name = "x"}},
    .infer = like_infer<true>,
    .doc = "A tensor of the dtype and shape of `x`, filled with 1 or true.",
    .result = "The dtype and shape of `x`.",
    .cost = "One store per entry.",
    .example = "from_tensors(ones_like([5, 6]))",
    .output = "[1, 1]",
    .bench = "ones_like(x)"};

extern constinit const Kernel zeros_kernel{
    .name = "zeros",
    .params = kShapedParams,
    .infer = shaped_infer<false>,
    .doc = R"(A tensor of the given shape, filled with 0, false or "".)",
    .result = "The given dtype and shape.",
    .cost = "One store per entry.",
    .example = "from_tensors(zeros([2, 2]))",
    .output = "[[0.0, 0.0], [0.0, 0.0]]",
    .bench = "zeros([n[0] + 784])",
    .can_fail = true};

extern constinit const Kernel zeros_like_kernel{
    .name = "zeros_like",
    .params = {{.name = "x"}},
    .infer = like_infer<false>,
    .doc = R"(A tensor of the dtype and shape of `x`, filled with 0, false or "".)",
    .result = "The dtype and shape of `x`.",
    .cost = "One store per entry.",
    .example = "from_tensors(zeros_like([5, 6]))",
    .output = "[0, 0]",
    .bench = "zeros_like(x)"};

}  // namespace weir
