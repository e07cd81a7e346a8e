#include <algorithm>

#include "capi/callback.h"
#include "capi/tensor.h"
#include "core/checked.h"

namespace weir::capi {

namespace {

// Lanes are 0 for a dtype that DLPack does not support.
DLDataType dlpack_of(DType dtype) {
  const auto bits = static_cast<uint8_t>(8 * dtype_size(dtype));
  switch (dtype_info(dtype).kind) {
    case DTypeClass::boolean:
      return {kDLBool, bits, 1};
    case DTypeClass::signed_integer:
      return {kDLInt, bits, 1};
    case DTypeClass::unsigned_integer:
      return {kDLUInt, bits, 1};
    case DTypeClass::floating:
      return {static_cast<uint8_t>(dtype == DType::bfloat16 ? kDLBfloat : kDLFloat), bits, 1};
    case DTypeClass::complex:
      return {kDLComplex, bits, 1};
    default:
      return {0, 0, 0};
  }
}

// An exported tensor.
struct Exported {
  DLManagedTensorVersioned managed;
  Tensor tensor;
  int64_t dims[kMaxRank];
  // Set while the receiver may write to memory that it shares.
  std::shared_ptr<void> handed_out;
  // Of memory on a device: where it is used, and by which thread.
  StreamNumber stream;
  uint64_t thread;

  ~Exported() {
    if (const RefPtr<Lease>* lease = lease_of(tensor)) (*lease)->release_on(stream, thread);
  }
};

void delete_exported(DLManagedTensorVersioned* self) {
  released([&] {
    if (self) delete static_cast<Exported*>(self->manager_ctx);
  });
}

void delete_managed(void* managed) {
  auto* self = static_cast<DLManagedTensorVersioned*>(managed);
  if (self->deleter) self->deleter(self);
}

// REQUIRES: the tensor has entries
bool is_row_major(const DLTensor& tensor) {
  if (!tensor.strides) return true;
  int64_t expected = 1;
  for (int i = tensor.ndim - 1; i >= 0; --i) {
    if (tensor.shape[i] != 1 && tensor.strides[i] != expected) return false;
    expected *= tensor.shape[i];
  }
  return true;
}

// How far the entries reach, in bytes before and after the first one.
struct Reach {
  int64_t low = 0;
  int64_t high = 0;
};

Result<Reach> reach_of(const DLTensor& tensor, size_t entry_bytes) {
  Reach reach;
  for (int i = 0; tensor.strides && i < tensor.ndim; ++i) {
    int64_t& end = tensor.strides[i] < 0 ? reach.low : reach.high;
    const auto bytes = checked_multiply(checked_multiply(tensor.shape[i] - 1, tensor.strides[i]),
                                        static_cast<int64_t>(entry_bytes));
    const auto sum = checked_add(bytes, end);
    if (!sum) {
      return invalid_argument(expected_found(
          "DLPack strides that reach no further than memory does",
          concat("stride ", tensor.strides[i], " over ", tensor.shape[i], " entries in dimension ", i)));
    }
    end = *sum;
  }
  return reach;
}

// Returns the first entry, or an error unless all entries lie in the address space, so that no
// address computation overflows.
// REQUIRES: the tensor has entries.
Result<uint8_t*> first_entry_of(const DLTensor& tensor, int64_t count, size_t entry_bytes) {
  if (!tensor.data) return invalid_argument("expected entries, found NULL");
  const auto first = checked_add(static_cast<uint64_t>(reinterpret_cast<uintptr_t>(tensor.data)),
                                 uint64_t{tensor.byte_offset});
  if (!first) {
    return invalid_argument(expected_found("a DLPack byte_offset within memory", concat(tensor.byte_offset)));
  }
  WEIR_ASSIGN(Reach reach, reach_of(tensor, entry_bytes));
  if (!tensor.strides) reach.high = (count - 1) * static_cast<int64_t>(entry_bytes);
  // The addresses of a program fit 63 bits.
  const bool addresses = *first <= INT64_MAX;
  const int64_t begin = addresses ? static_cast<int64_t>(*first) : 0;
  const auto end = checked_add(checked_add(begin, reach.high), static_cast<int64_t>(entry_bytes));
  if (!addresses || begin + reach.low < 0 || !end) {
    return invalid_argument(
        expected_found("DLPack entries within memory",
                       concat("some from byte ", reach.low, " to byte ", reach.high, " of the first")));
  }
  return static_cast<uint8_t*>(tensor.data) + tensor.byte_offset;
}

void copy_strided(const DLTensor& from, const uint8_t* data, int axis, size_t entry_bytes, uint8_t*& out) {
  if (axis == from.ndim) {
    std::memcpy(out, data, entry_bytes);
    out += entry_bytes;
    return;
  }
  for (int64_t i = 0; i < from.shape[axis]; ++i) {
    copy_strided(from, data + i * from.strides[axis] * static_cast<int64_t>(entry_bytes), axis + 1,
                 entry_bytes, out);
  }
}

Result<DType> dtype_of_dlpack(const DLDataType& type) {
  for (const DTypeInfo& info : kDTypes) {
    const DLDataType known = dlpack_of(info.dtype);
    if (known.code == type.code && known.bits == type.bits && known.lanes == 1 && type.lanes == 1)
      return info.dtype;
  }
  return invalid_argument(
      expected_found("a DLPack dtype that is one of weir's",
                     concat("code ", static_cast<int>(type.code), " with ", static_cast<int>(type.bits),
                            " bits and ", type.lanes, " lanes")));
}

Status check_dlpack(const DLManagedTensorVersioned& managed) {
  if (managed.version.major != DLPACK_MAJOR_VERSION) {
    return invalid_argument(
        expected_found(concat("DLPack version ", DLPACK_MAJOR_VERSION), concat(managed.version.major)));
  }
  const DLTensor& tensor = managed.dl_tensor;
  if (tensor.device.device_type != kDLCPU) {
    return invalid_argument(
        expected_found("a tensor in CPU memory (device type 1)",
                       concat("device type ", static_cast<int>(tensor.device.device_type))));
  }
  return Status();
}

Result<Tensor> import(DLManagedTensorVersioned* managed) {
  if (!managed) return invalid_argument("expected a DLPack tensor, found NULL");
  // In another major version, only version, manager and deleter are at known places.
  DestroyGuard guard(delete_managed, managed);
  WEIR_TRY(check_dlpack(*managed));
  const DLTensor& from = managed->dl_tensor;
  WEIR_ASSIGN(DType dtype, dtype_of_dlpack(from.dtype));
  WEIR_ASSIGN(auto dims, read_dims(from.ndim, from.shape));
  int64_t count = checked_count(dims);
  size_t entry_bytes = dtype_size(dtype);
  if (count < 0) {
    return invalid_argument(
        expected_found("DLPack dimensions whose product fits 63 bits", Shape(dims).to_string()));
  }
  if (count > Limits().tensor_bytes / static_cast<int64_t>(entry_bytes)) {
    return resource_exhausted(expected_found(
        concat("a tensor of at most ", Limits().tensor_bytes, " bytes (the limit tensor_bytes)"),
        concat("shape ", Shape(dims).to_string())));
  }
  if (count == 0) return Tensor::allocate(dtype, Shape(dims));
  WEIR_ASSIGN(auto* data, first_entry_of(from, count, entry_bytes));
  size_t alignment = is_complex(dtype) ? entry_bytes / 2 : entry_bytes;
  // A bool from elsewhere may be any byte, so it is copied and normalised.
  bool copied =
      dtype == DType::boolean || reinterpret_cast<uintptr_t>(data) % alignment != 0 || !is_row_major(from);
  if (copied) {
    Tensor tensor = Tensor::allocate(dtype, Shape(dims));
    uint8_t* out = tensor.data;
    if (from.strides) {
      copy_strided(from, data, 0, entry_bytes, out);
    } else {
      std::memcpy(out, data, tensor.byte_size());
    }
    if (dtype == DType::boolean) {
      for (uint8_t& byte : tensor.entries<uint8_t>()) byte = byte != 0;
    }
    return tensor;
  }
  Tensor tensor;
  tensor.dtype = dtype;
  tensor.shape = Shape(dims);
  tensor.buffer = Buffer::wrap(data, static_cast<size_t>(count) * entry_bytes, delete_managed, managed);
  guard.dismiss();
  tensor.data = data;
  return tensor;
}

}  // namespace

bool HandedOut::has(const Tensor& tensor) const {
  return std::any_of(buffers_.begin(), buffers_.end(), [&](const auto& one) {
    return one.first == tensor.buffer.get() && !one.second.expired();
  });
}

std::shared_ptr<void> HandedOut::add(const Tensor& tensor) {
  std::erase_if(buffers_, [](const auto& one) { return one.second.expired(); });
  std::shared_ptr<void> lives = std::make_shared<BufferRef>(tensor.buffer);
  buffers_.emplace_back(tensor.buffer.get(), lives);
  return lives;
}

Result<DLManagedTensorVersioned*> to_dlpack(const Tensor& tensor, uint32_t flags, bool unshared,
                                            HandedOut& handed_out, StreamNumber stream) {
  const DLDataType type = dlpack_of(tensor.dtype);
  if (type.lanes == 0) {
    return invalid_argument(expected_found("a dtype that DLPack has", dtype_name(tensor.dtype),
                                           "read it through weir_element_view"));
  }
  const RefPtr<Lease>* lease = lease_of(tensor);
  if (lease && (flags & WEIR_DLPACK_WRITABLE) && !unshared) {
    return failed_precondition(
        "expected memory with one user, found memory of a device with several; copy it there first");
  }
  WEIR_TRY(check_stream(stream));
  if (lease) WEIR_TRY((*lease)->wait_on(stream));
  auto exported = std::make_unique<Exported>();
  exported->tensor = tensor;
  exported->stream = stream;
  exported->thread = this_thread();
  const bool copied = !lease && ((flags & WEIR_DLPACK_WRITABLE) || handed_out.has(tensor));
  const bool read_only = !copied && (!unshared || (flags & WEIR_DLPACK_READ_ONLY));
  if (copied) {
    exported->tensor = deep_copy(tensor);
  } else if (!lease && !read_only) {
    exported->handed_out = handed_out.add(tensor);
  }
  for (int i = 0; i < tensor.shape.rank(); ++i) exported->dims[i] = tensor.shape[i];
  DLManagedTensorVersioned& managed = exported->managed;
  managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  managed.flags = copied ? DLPACK_FLAG_BITMASK_IS_COPIED : read_only ? DLPACK_FLAG_BITMASK_READ_ONLY : 0;
  managed.deleter = delete_exported;
  DLTensor& out = managed.dl_tensor;
  out.data = exported->tensor.data;
  out.device = lease ? DLDevice{kDLCUDA, (*lease)->context().ordinal()} : DLDevice{kDLCPU, 0};
  out.ndim = tensor.shape.rank();
  out.dtype = type;
  out.shape = exported->dims;
  out.strides = nullptr;
  out.byte_offset = 0;
  managed.manager_ctx = exported.get();
  return &exported.release()->managed;
}

}  // namespace weir::capi

using namespace weir;
using namespace weir::capi;

int32_t weir_tensor_from_dlpack(DLManagedTensorVersioned* managed, weir_tensor* out, weir_error* error) {
  if (!out) {
    if (managed) delete_managed(managed);
    return answer_null_out(error);
  }
  return guarded(error, out, [&]() -> Status {
    WEIR_ASSIGN(Tensor tensor, import(managed));
    *out = publish_tensor(std::move(tensor));
    return Status();
  });
}
