package weir

// #include "weirgo.h"
import "C"

import (
	"runtime"
	"time"
)

// Feedable takes each element from the iterator that a StringHandle names. That one keeps its position, so training can
// pause for validation and go on.
type Feedable struct{ handle C.weir_feedable }

// NewFeedable makes one for elements of this structure.
func NewFeedable(spec *Spec) (*Feedable, error) {
	out := &Feedable{}
	err := call(func(e *C.weir_error) C.int32_t { return C.weir_feedable_create(spec.handle, &out.handle, e) })
	runtime.KeepAlive(spec)
	if err != nil {
		return nil, err
	}
	runtime.SetFinalizer(out, (*Feedable).Close)
	return out, nil
}

// Close releases it.
func (f *Feedable) Close() error {
	runtime.SetFinalizer(f, nil)
	C.weir_feedable_destroy(f.handle)
	return nil
}

// NextInto fills the element with the next one of the iterator that the handle names, or gives io.EOF at its end.
func (f *Feedable) NextInto(handle string, e *Element) error {
	if e.c == nil {
		return errClosed
	}
	text, size := chars(handle)
	result := C.weirgo_feed(f.handle, text, size, e.c)
	runtime.KeepAlive(f)
	return e.result(result)
}

// TryNextInto is NextInto without waiting: false and no error means that there is none yet.
func (f *Feedable) TryNextInto(handle string, e *Element) (bool, error) {
	if e.c == nil {
		return false, errClosed
	}
	text, size := chars(handle)
	result := C.weirgo_try_feed(f.handle, text, size, e.c)
	runtime.KeepAlive(f)
	if result == C.WEIR_PENDING {
		return false, nil
	}
	return result == C.WEIR_OK, e.result(result)
}

// NextWithin is NextInto that waits for at most so long: false and no error means that there is none yet.
func (f *Feedable) NextWithin(handle string, timeout time.Duration, e *Element) (bool, error) {
	if e.c == nil {
		return false, errClosed
	}
	text, size := chars(handle)
	result := C.weirgo_feed_within(f.handle, text, size, C.int64_t(timeout.Nanoseconds()), e.c)
	runtime.KeepAlive(f)
	if result == C.WEIR_PENDING {
		return false, nil
	}
	return result == C.WEIR_OK, e.result(result)
}
