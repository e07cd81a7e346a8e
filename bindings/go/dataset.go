package weir

// #include "weirgo.h"
import "C"

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// Dataset is an immutable description of a sequence.
type Dataset struct {
	runtime *Runtime
	handle  C.weir_dataset
	loops   uint64
}

// Arguments are what a text refers to as @NAME: a string, *Tensor, *Dataset, *Callback, or func(*Call) error.
type Arguments map[string]any

func newDataset(r *Runtime, function func(*C.weir_dataset, *C.weir_error) error) (*Dataset, error) {
	out := &Dataset{runtime: r}
	slot := C.weir_error{struct_size: C.sizeof_weir_error}
	if err := function(&out.handle, &slot); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(out, (*Dataset).Close)
	return out, nil
}

// argument is passed in by name.
func argument(name string, value any) node {
	switch value := value.(type) {
	case string:
		return text(value).called(name)
	case func(*Call) error:
		return handed(&Callback{Function: value}).called(name)
	case *Tensor, *Dataset, *Callback:
		return handed(value).called(name)
	}
	return node{err: Errorf(CodeInvalidArgument, "expected a string, *Tensor, *Dataset or *Callback, found %T", value)}
}

func (a Arguments) nodes() []node {
	out := make([]node, 0, len(a))
	for name, value := range a {
		out = append(out, argument(name, value))
	}
	return out
}

// rawArguments are nodes for one call of the library, which takes their callbacks over.
type rawArguments struct {
	arena
	owned   []C.uintptr_t
	defined map[string]any // a callback that pipelines share is passed in once
}

func (m *rawArguments) list(nodes []node) (*C.weir_argument, C.uint64_t, error) {
	list := (*C.weir_argument)(m.new(uintptr(len(nodes)) * C.sizeof_weir_argument))
	count := 0
	for _, given := range nodes {
		if callback, ok := given.value.(*Callback); ok && len(given.name) > 0 && given.name[0] == '@' {
			if m.defined[given.name] == any(callback) {
				continue
			}
			m.defined[given.name] = callback
		}
		if err := m.set(&unsafe.Slice(list, len(nodes))[count], given); err != nil {
			return nil, 0, err
		}
		count++
	}
	return list, C.uint64_t(count), nil
}

func (m *rawArguments) set(out *C.weir_argument, given node) (err error) {
	if given.err != nil {
		return given.err
	}
	out.struct_size, out.kind = C.sizeof_weir_argument, given.kind
	out.name, out.name_size = m.text(given.name)
	out.number = C.double(given.number)
	switch value := given.value.(type) {
	case *Tensor:
		out.tensor = value.handle
	case *Dataset:
		out.dataset = value.handle
	case *Callback:
		if out.callback, err = value.raw(&m.arena); err == nil {
			m.owned = append(m.owned, C.uintptr_t(uintptr(out.callback.user_data)))
		}
	case declared:
		if out.generator, err = value.raw(&m.arena); err == nil {
			m.owned = append(m.owned, C.uintptr_t(uintptr(out.generator.user_data)))
		}
	default:
		if given.kind == 0 || given.kind == C.WEIR_VALUE_STRING || given.kind == C.WEIR_VALUE_CALL {
			out.text, out.text_size = m.text(given.text)
		}
		out.members, out.member_count, err = m.list(given.members)
	}
	return err
}

// with runs a call with arguments.
func with(nodes []node, function func(*C.weir_argument, C.uint64_t, *C.weir_error) C.int32_t) error {
	memory := rawArguments{defined: map[string]any{}}
	defer memory.free()
	list, count, err := memory.list(nodes)
	if err != nil {
		// No call took these over.
		for _, callback := range memory.owned {
			weirgoDelete(callback)
		}
		return err
	}
	err = call(func(e *C.weir_error) C.int32_t { return function(list, count, e) })
	runtime.KeepAlive(nodes)
	return err
}

// Parse makes a dataset from a text such as "range(10) | batch(4)". Everything is checked now except what depends on the
// data. A string among the arguments is one of the text, byte for byte, so tfrecord(@file) needs no quotes.
func Parse(r *Runtime, text string, arguments ...Arguments) (*Dataset, error) {
	given := Arguments{}
	for _, some := range arguments {
		for name, value := range some {
			given[name] = value
		}
	}
	data, size := chars(text)
	defer runtime.KeepAlive(r)
	return newDataset(r, func(out *C.weir_dataset, _ *C.weir_error) error {
		return with(given.nodes(), func(list *C.weir_argument, count C.uint64_t, e *C.weir_error) C.int32_t {
			return C.weir_dataset_parse(r.handle, data, size, list, count, out, e)
		})
	})
}

// Apply makes a dataset by applying one operator, by its name, to others: Apply(r, "batch", []*Dataset{d},
// Arguments{"n": "32"}). A string among the arguments is a value of the notation. The first input stands to the left of a
// transformation; further ones, and those of a source such as zip, become its first positional arguments.
func Apply(r *Runtime, operator string, inputs []*Dataset, arguments Arguments) (*Dataset, error) {
	return applied(r, operator, inputs, arguments.nodes())
}

func applied(r *Runtime, operator string, inputs []*Dataset, arguments []node) (*Dataset, error) {
	var memory arena
	defer memory.free()
	list := (*C.weir_dataset)(memory.new(uintptr(len(inputs)) * C.sizeof_weir_dataset))
	for i, input := range inputs {
		unsafe.Slice(list, len(inputs))[i] = input.handle
	}
	name, size := chars(operator)
	defer runtime.KeepAlive(r)
	defer runtime.KeepAlive(inputs)
	return newDataset(r, func(out *C.weir_dataset, _ *C.weir_error) error {
		return with(arguments, func(given *C.weir_argument, count C.uint64_t, e *C.weir_error) C.int32_t {
			return C.weir_dataset_apply(r.handle, name, size, list, C.uint64_t(len(inputs)), given, count, out, e)
		})
	})
}

// Check gives the mistakes of a text as JSON: "[]" if it builds.
func Check(r *Runtime, text string, arguments Arguments) (string, error) {
	data, size := chars(text)
	var out C.weir_bytes
	err := with(arguments.nodes(), func(list *C.weir_argument, count C.uint64_t, e *C.weir_error) C.int32_t {
		return C.weir_dataset_check(r.handle, data, size, list, count, 0, &out, e)
	})
	runtime.KeepAlive(r)
	if err != nil {
		return "", err
	}
	return string(takeBytes(&out)), nil
}

// Schema describes the operator or function of a name, or all of them for "", as JSON or as text for a terminal.
func Schema(name string, asText bool) (string, error) {
	data, size := chars(name)
	flags := C.uint32_t(0)
	if asText {
		flags = C.WEIR_TEXT
	}
	return textOf(func(out *C.weir_bytes, e *C.weir_error) C.int32_t { return C.weir_schema(data, size, flags, out, e) })
}

// Deserialize makes the dataset that Serialize wrote.
func Deserialize(r *Runtime, graph []byte, arguments Arguments) (*Dataset, error) {
	data, size := pointer(graph)
	defer runtime.KeepAlive(r)
	return newDataset(r, func(out *C.weir_dataset, _ *C.weir_error) error {
		return with(arguments.nodes(), func(list *C.weir_argument, count C.uint64_t, e *C.weir_error) C.int32_t {
			return C.weir_dataset_deserialize(r.handle, data, size, list, count, out, e)
		})
	})
}

// Close gives the dataset up. Iterators over it go on.
func (d *Dataset) Close() error {
	runtime.SetFinalizer(d, nil)
	C.weir_dataset_unref(d.handle)
	d.handle = C.weir_dataset{}
	return nil
}

// NextEpoch begins the next epoch, so that shuffles have another order at each call. Iterator begins the first one.
func (d *Dataset) NextEpoch() (*Iterator, error) {
	return d.Iterator(IteratorOptions{Epoch: atomic.AddUint64(&d.loops, 1) - 1})
}

// Runtime is the runtime that it was made with.
func (d *Dataset) Runtime() *Runtime { return d.runtime }

// Spec is the structure of its elements.
func (d *Dataset) Spec() (*Spec, error) {
	defer runtime.KeepAlive(d)
	return newSpec(func(out *C.weir_spec, e *C.weir_error) C.int32_t { return C.weir_dataset_spec(d.handle, out, e) })
}

// Cardinality is the number of its elements, or CardinalityInfinite, or CardinalityUnknown.
func (d *Dataset) Cardinality() (int64, error) {
	info, err := d.info()
	return int64(info.cardinality), err
}

func (d *Dataset) info() (C.weir_dataset_info, error) {
	out := C.weir_dataset_info{struct_size: C.sizeof_weir_dataset_info}
	err := call(func(e *C.weir_error) C.int32_t { return C.weir_dataset_view(d.handle, &out, e) })
	runtime.KeepAlive(d)
	return out, err
}

// Format gives its canonical text; parsing it gives an equal dataset.
func (d *Dataset) Format() (string, error) {
	defer runtime.KeepAlive(d)
	return textOf(func(out *C.weir_bytes, e *C.weir_error) C.int32_t { return C.weir_dataset_format(d.handle, out, e) })
}

// Serialize gives the graph as bytes, for another process or another day. An error if it has a callback without a name.
func (d *Dataset) Serialize() ([]byte, error) {
	defer runtime.KeepAlive(d)
	return bytesOf(func(out *C.weir_bytes, e *C.weir_error) C.int32_t {
		return C.weir_dataset_serialize(d.handle, out, e)
	})
}

// Explain says what it will do and what saving an iterator takes, as JSON or as text for a terminal. Nothing is opened.
func (d *Dataset) Explain(text bool) (string, error) {
	var flags C.uint32_t
	if text {
		flags = C.WEIR_TEXT
	}
	defer runtime.KeepAlive(d)
	return textOf(func(out *C.weir_bytes, e *C.weir_error) C.int32_t {
		return C.weir_dataset_explain(d.handle, flags, out, e)
	})
}

// Fingerprint gives 128 bits that equal graphs share, in every process and on every machine.
func (d *Dataset) Fingerprint() ([2]uint64, error) {
	info, err := d.info()
	return [2]uint64{uint64(info.fingerprint[0]), uint64(info.fingerprint[1])}, err
}

// At fills the element with the one at a position, without reading those before it. An error for operators that don't know
// where their elements are.
func (d *Dataset) At(position int64, e *Element) error {
	if e.c == nil {
		return errClosed
	}
	result := C.weirgo_at(d.runtime.handle, d.handle, C.int64_t(position), e.c)
	defer runtime.KeepAlive(d)
	return e.result(result)
}
