package weir

// #cgo pkg-config: weir
// #include "weirgo.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unsafe"
)

// Error is what went wrong and where. errors.Is compares its code: errors.Is(err, weir.CodeNotFound).
type Error struct {
	// Code says what kind of error it is.
	Code Code
	// Message is what was expected, what was found, what to do; may have several lines.
	Message string
	// Path is the operator, from the root: "batch/map". Empty where it is not known.
	Path string
	// File is the file that was read. Empty where it is not known.
	File string
	// Offset is where in the file, in decompressed bytes; -1 where it is not known.
	Offset int64
	// Record is the record in the file, counted from 0; -1 where it is not known.
	Record int64
	// Line is all of this except the code in one line, for logs.
	Line string
	// Element says that one element failed, after which the iterator continues. If it is false, the call failed, and
	// repeating it will not help.
	Element bool
}

// Errorf makes an error of the program's own, for callbacks and generators.
func Errorf(code Code, format string, values ...any) *Error {
	message := fmt.Sprintf(format, values...)
	line := strings.ReplaceAll(message, "\n", `\n`)
	return &Error{Code: code, Message: message, Line: line, Offset: -1, Record: -1}
}

// Error is the code and all of what is known: the Line, or several lines where the Message has them, as that of a text with
// a mistake in it.
func (e *Error) Error() string {
	if e.Line != "" && !strings.Contains(e.Message, "\n") {
		return e.Code.String() + ": " + e.Line
	}
	text := e.Code.String() + ": " + e.Message
	if where := e.where(); where != "" {
		text += "\n(" + where + ")"
	}
	return text
}

// where is the place as the Line has it.
func (e *Error) where() string {
	var parts []string
	if e.File != "" {
		parts = append(parts, e.File)
	}
	if e.Offset >= 0 {
		parts = append(parts, fmt.Sprint("offset ", e.Offset))
	}
	if e.Record >= 0 {
		parts = append(parts, fmt.Sprint("record ", e.Record))
	}
	if e.Path != "" {
		parts = append(parts, "in "+e.Path)
	}
	return strings.Join(parts, ", ")
}

// Is lets errors.Is compare codes; CodeCancelled is context.Canceled too, and CodeNotFound fs.ErrNotExist.
func (e *Error) Is(target error) bool {
	code, ok := target.(Code)
	return ok && code == e.Code || target == context.Canceled && e.Code == CodeCancelled ||
		target == fs.ErrNotExist && e.Code == CodeNotFound
}

// IsElement says whether err is that of one element, after which the iterator continues.
func IsElement(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Element
}

// Error makes a code something that errors.Is can look for.
func (c Code) Error() string { return c.String() }

// String is its name, such as invalid_argument.
func (c Code) String() string { return C.GoString(C.weir_code_name(C.int32_t(c))) }

// String is its name in the notation.
func (d DType) String() string {
	if d < 1 || int(d) > len(dtypeNames) {
		return fmt.Sprintf("dtype %d", int32(d))
	}
	return dtypeNames[d-1]
}

// Version is that of the library that is running.
func Version() string { return C.GoString(C.weir_version()) }

func goString(s C.weir_string) string {
	return string(unsafe.Slice((*byte)(unsafe.Pointer(s.data)), int(s.size)))
}

// takeError makes an Error of an error that the library filled, and empties it.
func takeError(result C.int32_t, from *C.weir_error) *Error {
	out := &Error{
		Code: Code(from.code), Message: goString(from.message), Path: goString(from.path), File: goString(from.file),
		Offset: int64(from.offset), Record: int64(from.record), Line: goString(from.line),
		Element: result == C.WEIR_ELEMENT_FAILED,
	}
	C.weir_error_clear(from)
	return out
}

// call runs a function of the library and makes an Error of its error.
func call(function func(*C.weir_error) C.int32_t) error {
	slot := C.weir_error{struct_size: C.sizeof_weir_error}
	if result := function(&slot); result < 0 || result == C.WEIR_ELEMENT_FAILED {
		return takeError(result, &slot)
	}
	return nil
}

func expectedFound(expected, found any) *Error {
	return Errorf(CodeInvalidArgument, "expected %v, found %v", expected, found)
}

// chars is text as C takes it for one call.
func chars(text string) (*C.char, C.uint64_t) {
	if text == "" {
		return nil, 0
	}
	bytes := []byte(text)
	return (*C.char)(unsafe.Pointer(&bytes[0])), C.uint64_t(len(bytes))
}

// pointer is the first of some bytes.
func pointer(bytes []byte) (unsafe.Pointer, C.uint64_t) {
	if len(bytes) == 0 {
		return nil, 0
	}
	return unsafe.Pointer(&bytes[0]), C.uint64_t(len(bytes))
}

// takeBytes copies bytes that the library made, and releases them.
func takeBytes(from *C.weir_bytes) []byte {
	out := append([]byte{}, unsafe.Slice((*byte)(unsafe.Pointer(from.data)), int(from.size))...)
	C.weir_bytes_release(from)
	return out
}

// bytesOf gives the bytes that a call makes.
func bytesOf(function func(*C.weir_bytes, *C.weir_error) C.int32_t) ([]byte, error) {
	var out C.weir_bytes
	if err := call(func(e *C.weir_error) C.int32_t { return function(&out, e) }); err != nil {
		return nil, err
	}
	return takeBytes(&out), nil
}

func textOf(function func(*C.weir_bytes, *C.weir_error) C.int32_t) (string, error) {
	out, err := bytesOf(function)
	return string(out), err
}

// arena is memory of C for one call: what structs point to may not be Go's.
type arena struct{ blocks []unsafe.Pointer }

func (a *arena) free() {
	for _, block := range a.blocks {
		C.free(block)
	}
}

func (a *arena) new(size uintptr) unsafe.Pointer {
	block := C.calloc(1, C.size_t(size)+1)
	a.blocks = append(a.blocks, block)
	return block
}

func (a *arena) text(text string) (*C.char, C.uint64_t) {
	block := a.new(uintptr(len(text)))
	copy(unsafe.Slice((*byte)(block), len(text)), text)
	return (*C.char)(block), C.uint64_t(len(text))
}
