// Fills a weir_view, whatever version of it the caller has. The view borrows the tensor.
#pragma once

#include "capi/barrier.h"
#include "core/block.h"
#include "core/tensor.h"
#include "device/ring.h"

namespace weir::capi {

// The first version of weir_view.
inline constexpr uint32_t kViewBytes = offsetof(weir_view, device_type);

inline void fill_view(weir_view& view, DType dtype, const Shape& shape, int skipped_dims,
                      const uint8_t* data) {
  view.dtype = static_cast<int32_t>(dtype);
  view.rank = shape.rank() - skipped_dims;
  view.reserved = 0;
  view.dims = shape.dims().data() + skipped_dims;
  view.data = data;
  uint64_t count = 1;
  for (int i = skipped_dims; i < shape.rank(); ++i) count *= static_cast<uint64_t>(shape[i]);
  view.byte_size = count * dtype_size(dtype);
}

// Where the entries are, in views that have room to say so.
inline void fill_device(weir_view& view, const Tensor& tensor) {
  if (view.struct_size < sizeof(weir_view)) return;
  view.device_type = WEIR_DEVICE_CPU;
  view.device_id = 0;
  view.ready = nullptr;
  const RefPtr<Lease>* const lease = lease_of(tensor);
  if (!lease) [[likely]]
    return;
  view.device_type = WEIR_DEVICE_CUDA;
  view.device_id = (*lease)->context().ordinal();
  view.ready = (*lease)->ready();
}

// Views row `row` of a tensor whose first dimension counts rows (skipped_dims 1), or all of it (0).
inline void fill_view(weir_view& view, const Tensor& tensor, int skipped_dims, int row) {
  fill_view(view, tensor.dtype, tensor.shape, skipped_dims, tensor.data);
  fill_device(view, tensor);
  if (row > 0) view.data = static_cast<const uint8_t*>(view.data) + static_cast<size_t>(row) * view.byte_size;
}

// Views the first row of a column, or all rows with a leading dimension.
inline void fill_view(weir_view& view, const Column& column, bool whole) {
  const Tensor& tensor = column.dense() ? column.tensor() : column.list()[0];
  fill_view(view, tensor, column.dense() && !whole ? 1 : 0, 0);
}

inline Status check_view(const weir_view* view) {
  if (!view) return invalid_argument("expected a weir_view to fill, found NULL");
  WEIR_TRY(check_out_struct("weir_view", view->struct_size, kViewBytes));
  return check_reserved("weir_view", view->reserved);
}

}  // namespace weir::capi
