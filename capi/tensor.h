// TensorObject: a tensor behind a handle, whose memory it shares, and the DLPack dtypes. Immutable.
#pragma once

#include <memory>
#include <utility>
#include <vector>

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

// The memory of the CPU that receivers of DLPack tensors may write to, of those that came from one element.
class HandedOut {
 public:
  bool has(const Tensor& tensor) const;
  // It is, as long as what this returns lives: with a reference to the memory, so that no other has its
  // address.
  std::shared_ptr<void> add(const Tensor& tensor);

 private:
  std::vector<std::pair<const Buffer*, std::weak_ptr<void>>> buffers_;
};

// Makes a versioned DLPack tensor that shares the memory of `tensor`, or a copy with WEIR_DLPACK_WRITABLE and
// of what is handed out. Shared memory is read-only unless `unshared`, where only the caller's element uses
// it; then it is handed out until the deleter runs. Memory of a device isn't copied; `stream` waits for it.
Result<DLManagedTensorVersioned*> to_dlpack(const Tensor& tensor, uint32_t flags, bool unshared,
                                            HandedOut& handed_out, StreamNumber stream);

}  // namespace weir::capi
