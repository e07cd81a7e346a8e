//go:build go1.21

package weir

// #include "weirgo.h"
import "C"

import (
	"runtime"
	"runtime/cgo"
)

type pinned struct{ pinner runtime.Pinner }

func (p *pinned) release() { p.pinner.Unpin() }

// PinTensor makes a tensor over the program's own memory, without a copy. It must not change as long as something uses the
// tensor, which may be after Close. Needs Go 1.21.
func PinTensor[T Entry](values []T, dims ...int64) (*Tensor, error) {
	if len(values) == 0 {
		return CopyTensor(values, dims...)
	}
	data, size := first(values)
	owner := &pinned{}
	owner.pinner.Pin(&values[0])
	handle := C.uintptr_t(cgo.NewHandle(owner))
	shape, rank := dimensions(dims)
	return checked(func(out *C.weir_tensor, e *C.weir_error) C.int32_t {
		return C.weirgo_wrap_pinned(C.int32_t(dtypeOf[T]()), rank, shape, data, size, handle, out, e)
	})
}
