package weir

// #include "weirgo.h"
import "C"

import (
	"runtime"
	"unsafe"
)

// Spec is the structure of an element.
type Spec struct{ handle C.weir_spec }

// Member is a part of a tuple or dict, or what an optional or dataset holds. Key is empty except in a dict.
type Member struct {
	Key  string
	Spec *Spec
}

// ParseSpec reads a text such as "{image: uint8[28, 28], label: int64}".
func ParseSpec(text string) (*Spec, error) {
	data, size := chars(text)
	return newSpec(func(out *C.weir_spec, e *C.weir_error) C.int32_t { return C.weir_spec_parse(data, size, out, e) })
}

func newSpec(function func(*C.weir_spec, *C.weir_error) C.int32_t) (*Spec, error) {
	out := &Spec{}
	if err := call(func(e *C.weir_error) C.int32_t { return function(&out.handle, e) }); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(out, (*Spec).Close)
	return out, nil
}

// Close releases the spec.
func (s *Spec) Close() error {
	runtime.SetFinalizer(s, nil)
	C.weir_spec_unref(s.handle)
	s.handle = C.weir_spec{}
	return nil
}

func (s *Spec) info() (C.weir_spec_info, error) {
	out := C.weir_spec_info{struct_size: C.sizeof_weir_spec_info}
	err := call(func(e *C.weir_error) C.int32_t { return C.weir_spec_view(s.handle, &out, e) })
	return out, err
}

// Kind is what it is at its top.
func (s *Spec) Kind() (SpecKind, error) {
	info, err := s.info()
	runtime.KeepAlive(s)
	return SpecKind(info.kind), err
}

// DType is that of a tensor, sparse or ragged one; else 0.
func (s *Spec) DType() (DType, error) {
	info, err := s.info()
	runtime.KeepAlive(s)
	return DType(info.dtype), err
}

// Dims are the dimensions of a tensor, sparse or ragged one, each -1 where it is not known; nil where their number isn't.
func (s *Spec) Dims() ([]int64, error) {
	info, err := s.info()
	if err != nil || info.rank < 0 {
		return nil, err
	}
	out := append([]int64{}, unsafe.Slice((*int64)(unsafe.Pointer(info.dims)), int(info.rank))...)
	runtime.KeepAlive(s)
	return out, nil
}

// ComponentCount is how many components an element has.
func (s *Spec) ComponentCount() (int, error) {
	info, err := s.info()
	runtime.KeepAlive(s)
	return int(info.component_count), err
}

// Members are the parts of a tuple or dict, or what an optional or dataset holds.
func (s *Spec) Members() ([]Member, error) {
	info, err := s.info()
	if err != nil {
		return nil, err
	}
	var out []Member
	for i := C.uint32_t(0); i < info.child_count; i++ {
		var key C.weir_string
		child, err := newSpec(func(out *C.weir_spec, e *C.weir_error) C.int32_t {
			return C.weir_spec_child(s.handle, i, out, &key, e)
		})
		if err != nil {
			return nil, err
		}
		out = append(out, Member{goString(key), child})
	}
	runtime.KeepAlive(s)
	return out, nil
}

// Component is the index of a component, by its path: "image", "1", "pair.0"; "" where there is only one component.
func (s *Spec) Component(path string) (int, error) {
	var out C.uint32_t
	text, size := chars(path)
	err := call(func(e *C.weir_error) C.int32_t { return C.weir_spec_component(s.handle, text, size, &out, e) })
	runtime.KeepAlive(s)
	return int(out), err
}

// String is its text.
func (s *Spec) String() string {
	defer runtime.KeepAlive(s)
	text, err := textOf(func(out *C.weir_bytes, e *C.weir_error) C.int32_t { return C.weir_spec_format(s.handle, out, e) })
	if err != nil {
		return err.Error()
	}
	return text
}

// ComponentDTypes are the dtypes of all components.
func (s *Spec) ComponentDTypes() ([]DType, error) {
	kind, err := s.Kind()
	if err != nil {
		return nil, err
	}
	dtype, err := s.DType()
	if err != nil {
		return nil, err
	}
	switch kind {
	case SpecTensor:
		return []DType{dtype}, nil
	case SpecSparse:
		return []DType{DTypeInt64, dtype, DTypeInt64}, nil
	case SpecRagged:
		return []DType{dtype, DTypeInt64}, nil
	case SpecDataset:
		return []DType{DTypeDataset}, nil
	}
	var out []DType
	if kind == SpecOptional {
		out = append(out, DTypeBool)
	}
	members, err := s.Members()
	for _, member := range members {
		inner, err := member.Spec.ComponentDTypes()
		if err != nil {
			return nil, err
		}
		out = append(out, inner...)
		member.Spec.Close()
	}
	return out, err
}
