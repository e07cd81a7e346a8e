package weir

// #include "weirgo.h"
import "C"

import (
	"errors"
	"io"
	"runtime/cgo"
	"unsafe"
)

// Generator is a source of elements that the program makes; Generate begins a pipeline with it. Each opening of the
// dataset, one an epoch of each iterator, is a run of its own. A panic in it is the error of the element.
type Generator struct {
	// Spec is the structure of its elements.
	Spec string
	// Open begins a run.
	Open func() (Run, error)
	// Restore begins one at a place that Saver.Save gave. Without it, the elements of a pure generator are made again and
	// passed over.
	Restore func(state []byte) (Run, error)
	// Concurrent says that several runs may make elements at once; the calls of one come one at a time in any case.
	Concurrent bool
	// Blocking says that it waits for a disk, a lock or another process.
	Blocking bool
	// Pure says that each run gives the same elements, so that positions can be saved.
	Pure bool
}

// Run is one run through a generator. If it is an io.Closer too, it is closed at its end.
type Run interface {
	// Next writes the next element into the outputs of the call, or gives io.EOF.
	Next(*Call) error
}

// Saver is what the runs of a generator with Restore are too: Save gives the place. It is called between two elements,
// often.
type Saver interface {
	Save() ([]byte, error)
}

// RunFunc is a run that is a function.
type RunFunc func(*Call) error

// Next calls it.
func (f RunFunc) Next(c *Call) error { return f(c) }

// declared is a generator that stands beside its structure in the text. Another structure there would give it too little
// memory for its results, so there is no other way to hand one in.
type declared struct{ *Generator }

type source struct{ Generator }

type run struct {
	Run
	saved
}

func (r *run) release() {
	r.saved.release()
	if closer, ok := r.Run.(io.Closer); ok {
		_ = closer.Close()
	}
}

func (g declared) raw(memory *arena) (*C.weir_generator, error) {
	if g.Open == nil {
		return nil, expectedFound("a generator with Open", "one without")
	}
	out := (*C.weir_generator)(memory.new(C.sizeof_weir_generator))
	saves := C.int32_t(0)
	if g.Restore != nil {
		saves = 1
	}
	C.weirgo_generator(out, C.uintptr_t(cgo.NewHandle(&source{*g.Generator})), saves)
	out.flags = flags(map[C.uint32_t]bool{
		C.WEIR_CALLBACK_CONCURRENT: g.Concurrent, C.WEIR_CALLBACK_BLOCKING: g.Blocking, C.WEIR_CALLBACK_PURE: g.Pure,
	})
	return out, nil
}

// begun hands a new run over.
func (s *source) begun(out *C.uintptr_t, open func() (Run, error)) C.int32_t {
	return status(guarded(func() error {
		opened, err := open()
		if err == nil && opened == nil {
			err = errors.New("expected a run or an error, found neither")
		}
		if err == nil {
			*out = C.uintptr_t(cgo.NewHandle(&run{Run: opened}))
		}
		return err
	}))
}

//export weirgoOpen
func weirgoOpen(handle C.uintptr_t, out *C.uintptr_t) C.int32_t {
	own := cgo.Handle(handle).Value().(*source)
	return own.begun(out, own.Open)
}

//export weirgoReopen
func weirgoReopen(handle C.uintptr_t, data unsafe.Pointer, size C.uint64_t, out *C.uintptr_t) C.int32_t {
	own := cgo.Handle(handle).Value().(*source)
	state := append([]byte{}, unsafe.Slice((*byte)(data), int(size))...)
	return own.begun(out, func() (Run, error) { return own.Restore(state) })
}

//export weirgoRunNext
func weirgoRunNext(handle C.uintptr_t, raw C.weir_call) C.int32_t {
	own := cgo.Handle(handle).Value().(*run)
	c := &Call{raw}
	ended := false
	failed := guarded(func() error {
		err := own.Next(c)
		if ended = err == io.EOF; ended {
			return nil
		}
		return err
	})
	if ended {
		return C.WEIR_END
	}
	if failed != nil {
		return c.failAll(failed)
	}
	return C.WEIR_OK
}
