package weir

// #include "weirgo.h"
import "C"

import (
	"runtime"
	"unsafe"
)

// DLPack is a tensor in the form in which libraries hand them to each other without a copy: a *DLManagedTensorVersioned of
// DLPack 1, https://github.com/dmlc/dlpack. It is owned: Close releases the memory, unless HandOver or Tensor passed it on.
// One goroutine at a time may use it.
type DLPack struct{ managed *C.DLManagedTensorVersioned }

var errClosedDLPack = Errorf(CodeFailedPrecondition, "expected an open DLPack, found one that was closed or passed on")

func newDLPack(managed *C.DLManagedTensorVersioned) *DLPack {
	out := &DLPack{managed}
	runtime.SetFinalizer(out, (*DLPack).Close)
	return out
}

// DLPack gives the component for another library, without a copy. It is read-only where others still read the memory; else
// the receiver may write, which the element's slices show and its tensors, copies until then, do not. An error for strings
// and nested datasets, which DLPack has no type for.
func (e *Element) DLPack(index int) (*DLPack, error) { return e.dlpack(index, 0) }

// WritableDLPack is DLPack with a copy, so that the receiver may write in any case.
func (e *Element) WritableDLPack(index int) (*DLPack, error) {
	return e.dlpack(index, C.WEIR_DLPACK_WRITABLE)
}

func (e *Element) dlpack(index int, flags C.uint32_t) (*DLPack, error) {
	var managed *C.DLManagedTensorVersioned
	err := e.call(func(handle C.weir_element, slot *C.weir_error) C.int32_t {
		return C.weir_element_dlpack(handle, number(index), flags, &managed, slot)
	})
	if err != nil {
		return nil, err
	}
	return newDLPack(managed), nil
}

// TakeDLPack takes over a *DLManagedTensorVersioned that other code made, such as one out of a capsule of Python. Its deleter
// runs once, also if this is an error.
func TakeDLPack(managed unsafe.Pointer) (*DLPack, error) {
	given := (*C.DLManagedTensorVersioned)(managed)
	if given == nil {
		return nil, expectedFound("a DLPack tensor", "nil")
	}
	if major := given.version.major; major != C.DLPACK_MAJOR_VERSION {
		C.weirgo_delete_dlpack(given)
		return nil, expectedFound("DLPack version 1", major)
	}
	return newDLPack(given), nil
}

// HandOver gives the *DLManagedTensorVersioned to other code, which calls its deleter once. This DLPack is closed then; nil
// if it was closed before.
func (d *DLPack) HandOver() unsafe.Pointer {
	runtime.SetFinalizer(d, nil)
	managed := d.managed
	d.managed = nil
	return unsafe.Pointer(managed)
}

// Tensor makes a tensor of it that pipelines read, without a copy unless it is not row-major or not aligned. The memory must
// not change as long as something uses the tensor; then the deleter runs. The DLPack is closed, also if this is an error.
func (d *DLPack) Tensor() (*Tensor, error) {
	managed := (*C.DLManagedTensorVersioned)(d.HandOver())
	if managed == nil {
		return nil, errClosedDLPack
	}
	return checked(func(out *C.weir_tensor, e *C.weir_error) C.int32_t { return C.weir_tensor_from_dlpack(managed, out, e) })
}

// Close releases it. Closing twice is allowed.
func (d *DLPack) Close() error {
	if managed := (*C.DLManagedTensorVersioned)(d.HandOver()); managed != nil {
		C.weirgo_delete_dlpack(managed)
	}
	return nil
}

// ReadOnly says that the memory must not be written to. A closed one is.
func (d *DLPack) ReadOnly() bool {
	defer runtime.KeepAlive(d)
	return d.managed == nil || d.managed.flags&C.DLPACK_FLAG_BITMASK_READ_ONLY != 0
}

// Dims are its dimensions; nil if it is closed.
func (d *DLPack) Dims() []int64 {
	defer runtime.KeepAlive(d)
	if d.managed == nil {
		return nil
	}
	return append([]int64{}, unsafe.Slice((*int64)(unsafe.Pointer(d.managed.dl_tensor.shape)), int(d.managed.dl_tensor.ndim))...)
}
