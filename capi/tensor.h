// TensorObject: a tensor behind a handle, whose memory it shares, and the DLPack dtypes. Immutable.
#pragma once

#include "capi/barrier.h"
#include "core/tensor.h"
#include "device/ring.h"
#include "weir/dlpack.h"

namespace weir::capi {

struct TensorObject final : Object {
  static constexpr HandleKind kKind = HandleKind::tensor;
  explicit TensorObject(Tensor t) : tensor(std::move(t)) {}
  const Tensor tensor;
};

weir_tensor publish_tensor(Tensor tensor);
Result<Tensor> tensor_of(weir_tensor tensor);

// Makes a versioned DLPack tensor that shares the memory of `tensor`, or a copy if `writable`. Shared memory
// is read-only unless `unshared`: then only the caller's element uses it. Memory of a device is never copied;
// `stream` waits for it.
Result<DLManagedTensorVersioned*> to_dlpack(const Tensor& tensor, bool writable, bool unshared,
                                            StreamNumber stream);

}  // namespace weir::capi
