package weir

// #include "weirgo.h"
import "C"

import (
	"runtime"
	"unsafe"
)

// Tensor is memory of the program, or of an element, that pipelines read; it never changes.
type Tensor struct{ handle C.weir_tensor }

func newTensor(function func(*C.weir_tensor, *C.weir_error) error) (*Tensor, error) {
	out := &Tensor{}
	slot := C.weir_error{struct_size: C.sizeof_weir_error}
	if err := function(&out.handle, &slot); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(out, (*Tensor).Close)
	return out, nil
}

func checked(function func(*C.weir_tensor, *C.weir_error) C.int32_t) (*Tensor, error) {
	return newTensor(func(out *C.weir_tensor, slot *C.weir_error) error {
		if result := function(out, slot); result < 0 {
			return takeError(result, slot)
		}
		return nil
	})
}

func dimensions(dims []int64) (*C.int64_t, C.int32_t) {
	if len(dims) == 0 {
		return nil, 0
	}
	return (*C.int64_t)(unsafe.Pointer(&dims[0])), C.int32_t(len(dims))
}

func first[T Entry](values []T) (unsafe.Pointer, C.uint64_t) {
	if len(values) == 0 {
		return nil, 0
	}
	return unsafe.Pointer(&values[0]), C.uint64_t(uintptr(len(values)) * unsafe.Sizeof(values[0]))
}

// CopyTensor makes a tensor of values, which are copied. FillTensor makes one without a copy.
func CopyTensor[T Entry](values []T, dims ...int64) (*Tensor, error) {
	data, size := first(values)
	shape, rank := dimensions(dims)
	return checked(func(out *C.weir_tensor, e *C.weir_error) C.int32_t {
		return C.weir_tensor_copy(C.int32_t(dtypeOf[T]()), rank, shape, data, size, out, e)
	})
}

// FillTensor makes a tensor of what `fill` writes into its memory, which begins as zeros and lies outside Go's.
func FillTensor[T Entry](fill func(values []T) error, dims ...int64) (*Tensor, error) {
	var zero T
	count := int64(1)
	for _, dim := range dims {
		if dim < 0 || dim != 0 && count > (1<<46)/dim {
			return nil, expectedFound("dimensions of a tensor that fits into memory", dims)
		}
		count *= dim
	}
	size := C.size_t(count) * C.size_t(unsafe.Sizeof(zero))
	data := C.calloc(1, size+1)
	if data == nil {
		return nil, Errorf(CodeResourceExhausted, "no memory for a tensor of %d bytes", uint64(size))
	}
	if err := fill(unsafe.Slice((*T)(data), int(count))); err != nil {
		C.free(data)
		return nil, err
	}
	shape, rank := dimensions(dims)
	return checked(func(out *C.weir_tensor, e *C.weir_error) C.int32_t {
		return C.weirgo_wrap(C.int32_t(dtypeOf[T]()), rank, shape, data, C.uint64_t(size), out, e)
	})
}

// StringTensor makes a tensor of strings, whose bytes are copied.
func StringTensor(values []string, dims ...int64) (*Tensor, error) {
	var memory arena
	defer memory.free()
	data := memory.new(uintptr(len(values)) * C.sizeof_weir_string)
	for i, value := range values {
		entry := &unsafe.Slice((*C.weir_string)(data), len(values))[i]
		entry.data, entry.size = memory.text(value)
	}
	shape, rank := dimensions(dims)
	return checked(func(out *C.weir_tensor, e *C.weir_error) C.int32_t {
		size := C.uint64_t(len(values)) * C.sizeof_weir_string
		return C.weir_tensor_copy(C.WEIR_DTYPE_STRING, rank, shape, data, size, out, e)
	})
}

// Close gives the tensor up; its views end. Pipelines that use it keep it.
func (t *Tensor) Close() error {
	runtime.SetFinalizer(t, nil)
	C.weir_tensor_unref(t.handle)
	t.handle = C.weir_tensor{}
	return nil
}

// View gives its entries, as long as the program holds the tensor.
func (t *Tensor) View() (View, error) {
	out := View{C.weir_view{struct_size: C.sizeof_weir_view}}
	err := call(func(e *C.weir_error) C.int32_t { return C.weir_tensor_view(t.handle, &out.raw, e) })
	runtime.KeepAlive(t)
	return out, err
}
