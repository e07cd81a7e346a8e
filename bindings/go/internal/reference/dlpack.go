package reference

// #include <stdlib.h>
// #include <weir/dlpack.h>
//
// typedef struct foreign {
//   DLManagedTensorVersioned managed;
//   float values[6];
//   int64_t shape[2];
//   int64_t strides[2];
//   int deleted;
// } foreign;
//
// static void delete_foreign(DLManagedTensorVersioned* self) { ++((foreign*)self->manager_ctx)->deleted; }
//
// static foreign* make_foreign(uint32_t major, int turned, uint64_t flags) {
//   foreign* out = calloc(1, sizeof *out);
//   DLTensor* tensor = &out->managed.dl_tensor;
//   for (int i = 0; i < 6; ++i) out->values[i] = (float)i;
//   out->shape[0] = turned ? 3 : 2;
//   out->shape[1] = turned ? 2 : 3;
//   out->strides[0] = turned ? 1 : 3;
//   out->strides[1] = turned ? 3 : 1;
//   out->managed.version.major = major;
//   out->managed.manager_ctx = out;
//   out->managed.deleter = delete_foreign;
//   out->managed.flags = flags;
//   tensor->data = out->values;
//   tensor->device.device_type = kDLCPU;
//   tensor->ndim = 2;
//   tensor->dtype = (DLDataType){kDLFloat, 32, 1};
//   tensor->shape = out->shape;
//   tensor->strides = out->strides;
//   return out;
// }
//
// static void delete_managed(void* managed) {
//   DLManagedTensorVersioned* self = (DLManagedTensorVersioned*)managed;
//   self->deleter(self);
// }
// static void* data_of(void* managed) { return ((DLManagedTensorVersioned*)managed)->dl_tensor.data; }
import "C"

import "unsafe"

// Foreign is the DLPack tensor of another library: the numbers 0 to 5 as float32[2, 3].
type Foreign struct{ made *C.foreign }

// NewForeign makes one. If it is turned, it is a column-major float32[3, 2].
func NewForeign(major uint32, turned, readOnly bool) *Foreign {
	var columns C.int
	var flags C.uint64_t
	if turned {
		columns = 1
	}
	if readOnly {
		flags = C.DLPACK_FLAG_BITMASK_READ_ONLY
	}
	return &Foreign{C.make_foreign(C.uint32_t(major), columns, flags)}
}

// Managed is what the library hands over.
func (f *Foreign) Managed() unsafe.Pointer { return unsafe.Pointer(&f.made.managed) }

// Data is where its entries lie.
func (f *Foreign) Data() unsafe.Pointer { return unsafe.Pointer(&f.made.values) }

// Deleted is how often the deleter ran.
func (f *Foreign) Deleted() int { return int(f.made.deleted) }

// DataOf is where the entries of a DLPack tensor lie.
func DataOf(managed unsafe.Pointer) unsafe.Pointer { return C.data_of(managed) }

// Delete is what the receiver of a DLPack tensor does in the end.
func Delete(managed unsafe.Pointer) { C.delete_managed(managed) }
