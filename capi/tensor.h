// TensorObject: a tensor behind a handle, and the DLPack dtypes.
// Ownership: the object shares the tensor's memory. Threads: immutable. Errors: invalid_argument. Cost: see
// weir.h.
#pragma once

#include "capi/barrier.h"
#include "core/tensor.h"
#include "weir/dlpack.h"

namespace weir::capi {

struct TensorObject final : Object {
  static constexpr HandleKind kKind = HandleKind::tensor;
  explicit TensorObject(Tensor t) : tensor(std::move(t)) {}
  const Tensor tensor;
};

weir_tensor publish_tensor(Tensor tensor);
Result<Tensor> tensor_of(weir_tensor tensor);

// A versioned DLPack tensor that shares the memory of `tensor`, read-only unless `writable`, for which it is
// copied.
Result<DLManagedTensorVersioned*> to_dlpack(const Tensor& tensor, bool writable);

}  // namespace weir::capi
