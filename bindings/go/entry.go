package weir

// #include "weirgo.h"
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"
)

// Float16 is a float of 16 bits, by its bits.
type Float16 uint16

// Bfloat16 is the upper 16 bits of a float32.
type Bfloat16 uint16

// Entry is what entries can be read and written as. A bool is a byte in C too.
type Entry interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | Float16 | Bfloat16 | float32 | float64 |
		complex64 | complex128
}

func dtypeOf[T Entry]() DType {
	var zero T
	switch any(zero).(type) {
	case bool:
		return DTypeBool
	case int8:
		return DTypeInt8
	case int16:
		return DTypeInt16
	case int32:
		return DTypeInt32
	case int64:
		return DTypeInt64
	case uint8:
		return DTypeUint8
	case uint16:
		return DTypeUint16
	case uint32:
		return DTypeUint32
	case uint64:
		return DTypeUint64
	case Float16:
		return DTypeFloat16
	case Bfloat16:
		return DTypeBfloat16
	case float32:
		return DTypeFloat32
	case float64:
		return DTypeFloat64
	case complex64:
		return DTypeComplex64
	default:
		return DTypeComplex128
	}
}

// View is one tensor, row-major, read in place. It is valid as long as what it was taken from; see Memory above.
type View struct{ raw C.weir_view }

// DType is the type of its entries.
func (v View) DType() DType { return DType(v.raw.dtype) }

// Dims are its dimensions, over the library's memory.
func (v View) Dims() []int64 {
	return unsafe.Slice((*int64)(unsafe.Pointer(v.raw.dims)), int(v.raw.rank))
}

// Bytes are its entries as they lie in memory; nil for strings, whose bytes lie elsewhere.
func (v View) Bytes() []byte {
	if v.raw.dtype == C.WEIR_DTYPE_STRING {
		return nil
	}
	return unsafe.Slice((*byte)(v.raw.data), int(v.raw.byte_size))
}

// Strings are its entries if those are strings, over the library's memory.
func (v View) Strings() ([][]byte, error) {
	if v.raw.dtype != C.WEIR_DTYPE_STRING {
		return nil, expectedFound(DTypeString, v.DType())
	}
	entries := unsafe.Slice((*C.weir_string)(v.raw.data), int(v.raw.byte_size/C.sizeof_weir_string))
	out := make([][]byte, len(entries))
	for i, entry := range entries {
		out[i] = unsafe.Slice((*byte)(unsafe.Pointer(entry.data)), int(entry.size))
	}
	return out, nil
}

// ViewSlice gives the entries of a view over the library's memory. An error if they are of another type.
func ViewSlice[T Entry](view View) ([]T, error) { return entries[T](&view.raw) }

func entries[T Entry](view *C.weir_view) ([]T, error) {
	var zero T
	if dtype := dtypeOf[T](); DType(view.dtype) != dtype {
		return nil, expectedFound(dtype, DType(view.dtype))
	}
	return unsafe.Slice((*T)(view.data), int(uintptr(view.byte_size)/unsafe.Sizeof(zero))), nil
}

// Slice gives the entries of a component, row-major, over the library's memory: it is valid until the element is filled
// again, cleared or closed. An error if they are of another type.
func Slice[T Entry](element *Element, index int) ([]T, error) {
	view, err := element.view(index)
	if err != nil {
		return nil, err
	}
	return entries[T](view)
}

// Scalar gives the only entry of a component without dimensions.
func Scalar[T Entry](element *Element, index int) (T, error) {
	var zero T
	view, err := element.view(index)
	if err != nil {
		return zero, err
	}
	if view.rank != 0 {
		return zero, expectedFound("a scalar", fmt.Sprint("a tensor of shape ", View{*view}.Dims()))
	}
	values, err := entries[T](view)
	if err != nil {
		return zero, err
	}
	zero = values[0]
	runtime.KeepAlive(element)
	return zero, nil
}
