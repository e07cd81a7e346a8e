package weir

// #include "weirgo.h"
import "C"

import (
	"fmt"
	"runtime"
)

// Element is one item of a sequence. Iterator.NextInto fills it any number of times. One goroutine at a time may use it.
type Element struct{ c *C.weirgo_element }

// Origin is a record of a file.
type Origin struct {
	File   string
	Record int64
}

// NewElement makes an empty element.
func NewElement() (*Element, error) {
	out := &Element{}
	err := call(func(e *C.weir_error) C.int32_t {
		out.c = C.weirgo_element_new(e)
		return -e.code
	})
	if err != nil {
		return nil, err
	}
	runtime.SetFinalizer(out, (*Element).Close)
	return out, nil
}

// Close releases the element; its slices and views end.
func (e *Element) Close() error {
	if e.c != nil {
		runtime.SetFinalizer(e, nil)
		C.weirgo_element_free(e.c)
		e.c = nil
	}
	return nil
}

// Clear releases the values, so that their memory can be used elsewhere.
func (e *Element) Clear() {
	if e.c != nil {
		e.c.viewed = 0
		C.weir_element_clear(e.c.handle)
	}
	runtime.KeepAlive(e)
}

var errClosed = Errorf(CodeFailedPrecondition, "expected an open element, found one that was closed")

func (e *Element) view(index int) (*C.weir_view, error) {
	if e.c == nil {
		return nil, errClosed
	}
	if index >= 0 && index < int(e.c.viewed) {
		return &e.c.views[index], nil
	}
	if result := C.weir_element_view(e.c.handle, number(index), &e.c.other, &e.c.error); result < 0 {
		return nil, takeError(result, &e.c.error)
	}
	return &e.c.other, nil
}

// number is an index as the library takes it; one beyond its reach is out of range there too.
func number(index int) C.uint32_t {
	if index < 0 || int64(index) > 1<<31 {
		return 1<<32 - 1
	}
	return C.uint32_t(index)
}

// View gives a component of the flat list, in which the components of a dict stand in written order. Spec.Component finds
// one by name.
func (e *Element) View(index int) (View, error) {
	view, err := e.view(index)
	if err != nil {
		return View{}, err
	}
	return View{*view}, nil
}

// Strings gives the entries of a component of strings, over the library's memory.
func (e *Element) Strings(index int) ([][]byte, error) {
	view, err := e.View(index)
	if err != nil {
		return nil, err
	}
	return view.Strings()
}

// Text gives the only entry of a component of strings without dimensions, copied.
func (e *Element) Text(index int) (string, error) {
	view, err := e.View(index)
	if err != nil {
		return "", err
	}
	values, err := view.Strings()
	if err != nil {
		return "", err
	}
	if view.raw.rank != 0 {
		return "", expectedFound("a scalar", fmt.Sprint("a tensor of shape ", view.Dims()))
	}
	out := string(values[0])
	runtime.KeepAlive(e)
	return out, nil
}

// call runs a function that needs the handle of an element that was not closed.
func (e *Element) call(function func(handle C.weir_element, slot *C.weir_error) C.int32_t) error {
	if e.c == nil {
		return errClosed
	}
	result := function(e.c.handle, &e.c.error)
	defer runtime.KeepAlive(e)
	if result < 0 || result == C.WEIR_ELEMENT_FAILED {
		return takeError(result, &e.c.error)
	}
	return nil
}

// Tensor gives the component as a tensor of its own, without a copy. Filling the element again doesn't touch it.
func (e *Element) Tensor(index int) (*Tensor, error) {
	return newTensor(func(out *C.weir_tensor, _ *C.weir_error) error {
		return e.call(func(handle C.weir_element, slot *C.weir_error) C.int32_t {
			return C.weir_element_tensor(handle, number(index), out, slot)
		})
	})
}

// Dataset gives the dataset that a component holds, such as one of window. It runs in the given runtime.
func (e *Element) Dataset(r *Runtime, index int) (*Dataset, error) {
	return newDataset(r, func(out *C.weir_dataset, _ *C.weir_error) error {
		return e.call(func(handle C.weir_element, slot *C.weir_error) C.int32_t {
			return C.weir_element_dataset(handle, number(index), out, slot)
		})
	})
}

// Origin gives the record that the element came from, or that row `row` of several did; a batch has that of its first
// member. Record is -1 where it is not known.
func (e *Element) Origin(row int) (Origin, error) {
	raw := C.weir_origin{struct_size: C.sizeof_weir_origin}
	err := e.call(func(handle C.weir_element, slot *C.weir_error) C.int32_t {
		return C.weir_element_origin(handle, number(row), &raw, slot)
	})
	if err != nil {
		return Origin{}, err
	}
	return Origin{goString(raw.file), int64(raw.record)}, nil
}

// Format gives the element as one line in the notation. A nested dataset is read to its end for it.
func (e *Element) Format() (string, error) { return e.format(C.WEIR_TEXT) }

// JSON gives the element as one value of JSON.
func (e *Element) JSON() (string, error) { return e.format(0) }

func (e *Element) format(flags C.uint32_t) (string, error) {
	var out C.weir_bytes
	err := e.call(func(handle C.weir_element, slot *C.weir_error) C.int32_t {
		return C.weir_element_format(handle, flags, &out, slot)
	})
	if err != nil {
		return "", err
	}
	return string(takeBytes(&out)), nil
}
