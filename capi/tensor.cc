#include "capi/tensor.h"

#include "capi/callback.h"
#include "capi/view.h"

namespace weir::capi {

namespace {

#define WEIR_DTYPE_ENTRY(name, number, abi, text, kind, type) \
  static_assert(WEIR_DTYPE_##abi == static_cast<int>(DType::name));
WEIR_DTYPES(WEIR_DTYPE_ENTRY)
#undef WEIR_DTYPE_ENTRY

struct Described {
  DType dtype;
  Shape shape;
  size_t alignment;
};

size_t alignment_of(DType dtype) {
  if (has_owners(dtype)) return alignof(weir_string);
  if (is_complex(dtype)) return dtype_size(dtype) / 2;
  return dtype_size(dtype);
}

// Checks what the caller says about memory for contradictions.
Result<Described> describe(int32_t dtype, int32_t rank, const int64_t* dims, const void* data,
                           uint64_t byte_size) {
  if (dtype <= 0 || dtype > WEIR_DTYPE_STRING) {
    return invalid_argument(expected_found(concat("a dtype from 1 to ", WEIR_DTYPE_STRING), concat(dtype)));
  }
  WEIR_ASSIGN(auto extents, read_dims(rank, dims));
  Described out{static_cast<DType>(dtype), Shape(extents), alignment_of(static_cast<DType>(dtype))};
  int64_t count = checked_count(extents);
  if (count < 0) {
    return invalid_argument(
        expected_found("dimensions whose products from the first on fit 63 bits", out.shape.to_string()));
  }
  uint64_t entry_bytes = dtype_size(out.dtype);
  if (static_cast<uint64_t>(count) > UINT64_MAX / entry_bytes ||
      static_cast<uint64_t>(count) * entry_bytes != byte_size) {
    return invalid_argument(expected_found(
        concat("byte_size to be that of ", dtype_name(out.dtype), out.shape.to_string()), concat(byte_size)));
  }
  if (byte_size > static_cast<uint64_t>(Limits().tensor_bytes)) {
    return resource_exhausted(expected_found(
        concat("a tensor of at most ", Limits().tensor_bytes, " bytes (the limit tensor_bytes)"),
        concat(byte_size)));
  }
  if (!data && byte_size > 0) return invalid_argument("expected entries, found NULL");
  return out;
}

Status check_strings(const Tensor& tensor) {
  if (tensor.dtype != DType::string) return Status();
  for (const Str& text : tensor.entries<const Str>()) {
    if ((!text.data && text.size > 0) || text.size > static_cast<uint64_t>(Limits().tensor_bytes)) {
      return invalid_argument(expected_found("strings with bytes",
                                             concat("one of size ", text.size, text.data ? "" : " at NULL")));
    }
  }
  return Status();
}

// To a compiler, only the bytes 0 and 1 are bools.
void normalise(Tensor& tensor) {
  if (tensor.dtype != DType::boolean) return;
  for (uint8_t& byte : tensor.entries<uint8_t>()) byte = byte != 0;
}

bool has_foreign_bools(const Tensor& tensor) {
  if (tensor.dtype != DType::boolean) return false;
  for (uint8_t byte : tensor.entries<const uint8_t>()) {
    if (byte > 1) return true;
  }
  return false;
}

Result<Tensor> wrap(int32_t dtype, int32_t rank, const int64_t* dims, const void* data, uint64_t byte_size,
                    void (*release)(void*), void* user_data) {
  DestroyGuard guard(release, user_data);
  WEIR_ASSIGN(Described described, describe(dtype, rank, dims, data, byte_size));
  if (reinterpret_cast<uintptr_t>(data) % described.alignment != 0) {
    return invalid_argument(expected_found(concat("entries at a multiple of ", described.alignment, " bytes"),
                                           "another address", "weir_tensor_copy takes any"));
  }
  Tensor tensor;
  tensor.dtype = described.dtype;
  tensor.shape = described.shape;
  tensor.buffer = Buffer::wrap(const_cast<void*>(data), byte_size, release, user_data);
  guard.dismiss();
  tensor.data = tensor.buffer->data();
  WEIR_TRY(check_strings(tensor));
  if (has_foreign_bools(tensor)) {
    return invalid_argument("expected bytes 0 and 1 in a bool tensor; weir_tensor_copy takes any");
  }
  return tensor;
}

Result<Tensor> copy(int32_t dtype, int32_t rank, const int64_t* dims, const void* data, uint64_t byte_size) {
  WEIR_ASSIGN(Described described, describe(dtype, rank, dims, data, byte_size));
  Tensor tensor = Tensor::allocate(described.dtype, described.shape);
  if (byte_size > 0) std::memcpy(tensor.data, data, byte_size);
  normalise(tensor);
  WEIR_TRY(check_strings(tensor));
  return tensor.dtype == DType::string ? deep_copy(tensor) : tensor;
}

}  // namespace

weir_tensor publish_tensor(Tensor tensor) {
  return weir_tensor{publish(HandleKind::tensor, std::make_unique<TensorObject>(std::move(tensor)))};
}

Result<Tensor> tensor_of(weir_tensor tensor) {
  Pin<TensorObject> pinned(tensor.value);
  if (!pinned) return pin_error(pinned, "a tensor", tensor.value);
  return pinned->tensor;
}

}  // namespace weir::capi

using namespace weir;
using namespace weir::capi;

int32_t weir_tensor_wrap(int32_t dtype, int32_t rank, const int64_t* dims, const void* data,
                         uint64_t byte_size, void (*release)(void* user_data), void* user_data,
                         weir_tensor* out, weir_error* error) {
  if (!out) {
    DestroyGuard released(release, user_data);
    return answer_null_out(error);
  }
  return guarded(error, out, [&]() -> Status {
    WEIR_ASSIGN(Tensor tensor, wrap(dtype, rank, dims, data, byte_size, release, user_data));
    *out = publish_tensor(std::move(tensor));
    return Status();
  });
}

int32_t weir_tensor_copy(int32_t dtype, int32_t rank, const int64_t* dims, const void* data,
                         uint64_t byte_size, weir_tensor* out, weir_error* error) {
  return guarded(error, out, [&]() -> Status {
    WEIR_ASSIGN(Tensor tensor, copy(dtype, rank, dims, data, byte_size));
    *out = publish_tensor(std::move(tensor));
    return Status();
  });
}

int32_t weir_tensor_view(weir_tensor tensor, weir_view* out, weir_error* error) {
  return guarded(error, [&]() -> Status {
    WEIR_TRY(check_view(out));
    Pin<TensorObject> pinned(tensor.value);
    if (!pinned) return pin_error(pinned, "a tensor", tensor.value);
    fill_view(*out, pinned->tensor.dtype, pinned->tensor.shape, 0, pinned->tensor.data);
    fill_device(*out, pinned->tensor);
    return Status();
  });
}

int32_t weir_tensor_ref(weir_tensor tensor, weir_error* error) {
  return guarded(error, [&]() -> Status { return share(HandleKind::tensor, "a tensor", tensor.value); });
}

void weir_tensor_unref(weir_tensor tensor) {
  released([&] { drop_owner(HandleKind::tensor, tensor.value); });
}
