package weir

// #include "weirgo.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime/cgo"
	"sync"
	"unsafe"
)

// Callback is a function of the program for map, filter and others to call. A panic in it is the error of the element, with
// CodeInternal; runtime.Goexit, which t.FailNow calls, ends the process with a panic that says so, as the library cannot be
// left that way. Wherever one Callback is used, its calls come one at a time unless it is Concurrent.
type Callback struct {
	// Function reads its inputs from the call and writes its results there.
	Function func(*Call) error
	// Result is the structure of one result, such as "(float32[28, 28], int64)". Default: that of the input.
	Result string
	// Signature makes it a function of expressions: a dict of its arguments, such as "{image: uint8[?, ?, 3]}".
	Signature string
	// Concurrent says that several threads may call it at once.
	Concurrent bool
	// Blocking says that it waits for a disk, a lock or another process.
	Blocking bool
	// Block says that it takes a block of rows: every view and output has the rows as its first dimension.
	Block bool
	// Pure says that equal inputs give equal results, so that positions can be saved.
	Pure bool
	// OnCaller says that it runs only on a thread that is inside a call for the next element.
	OnCaller bool
	// Save and Restore are for one that remembers something from call to call, which checkpoints then have. Both or none.
	Save    func() ([]byte, error)
	Restore func(state []byte) error
}

// registered is a callback that the library has. All that it took over of one Callback have one handle, by which it knows
// whose turn it is.
type registered struct {
	callback Callback
	of       *Callback
	handle   cgo.Handle
	uses     int
	saved
}

var taken = struct {
	sync.Mutex
	callbacks map[*Callback]*registered
}{callbacks: map[*Callback]*registered{}}

// functions are its parts that no == compares.
func (c *Callback) functions() [3]unsafe.Pointer {
	pointer := func(function unsafe.Pointer) unsafe.Pointer { return *(*unsafe.Pointer)(function) }
	return [3]unsafe.Pointer{
		pointer(unsafe.Pointer(&c.Function)), pointer(unsafe.Pointer(&c.Save)), pointer(unsafe.Pointer(&c.Restore)),
	}
}

// take counts another use, as it is now.
func (c *Callback) take() cgo.Handle {
	taken.Lock()
	defer taken.Unlock()
	own := taken.callbacks[c]
	if own == nil || own.callback.functions() != c.functions() {
		own = &registered{callback: *c, of: c}
		own.handle = cgo.NewHandle(own)
		taken.callbacks[c] = own
	}
	own.uses++
	return own.handle
}

// drop ends a use, and says whether it was the last.
func (r *registered) drop() bool {
	taken.Lock()
	defer taken.Unlock()
	r.uses--
	if r.uses == 0 && taken.callbacks[r.of] == r {
		delete(taken.callbacks, r.of)
	}
	return r.uses == 0
}

// saved is what was saved last, in memory of C that lives until the next time.
type saved struct{ state unsafe.Pointer }

func (s *saved) release() { C.free(s.state) }

func (s *saved) hand(state []byte, data *unsafe.Pointer, size *C.uint64_t) {
	C.free(s.state)
	s.state = C.malloc(C.size_t(len(state)) + 1)
	copy(unsafe.Slice((*byte)(s.state), len(state)), state)
	*data, *size = s.state, C.uint64_t(len(state))
}

func flags(given map[C.uint32_t]bool) (out C.uint32_t) {
	for flag, is := range given {
		if is {
			out |= flag
		}
	}
	return out
}

// raw makes what the library takes over.
func (c *Callback) raw(memory *arena) (*C.weir_callback, error) {
	if c.Function == nil || (c.Save == nil) != (c.Restore == nil) {
		return nil, expectedFound("a callback with a Function, and with both or none of Save and Restore", "another one")
	}
	out := (*C.weir_callback)(memory.new(C.sizeof_weir_callback))
	saves := C.int32_t(0)
	if c.Save != nil {
		saves = 1
	}
	C.weirgo_callback(out, C.uintptr_t(c.take()), saves)
	out.flags = flags(map[C.uint32_t]bool{
		C.WEIR_CALLBACK_CONCURRENT: c.Concurrent, C.WEIR_CALLBACK_BLOCKING: c.Blocking, C.WEIR_CALLBACK_BLOCK: c.Block,
		C.WEIR_CALLBACK_PURE: c.Pure, C.WEIR_CALLBACK_ON_CALLER: c.OnCaller,
	})
	if c.Result != "" {
		out.result_spec, out.result_spec_size = memory.text(c.Result)
	}
	if c.Signature != "" {
		out.signature, out.signature_size = memory.text(c.Signature)
	}
	return out, nil
}

// Call is what a callback or generator is given, until it returns.
type Call struct{ handle C.weir_call }

// guarded runs code of the program. What it returns or panics with becomes an error that the library knows the code of.
func guarded(body func() error) *Error {
	returned := false
	defer func() {
		if !returned {
			panic("weir: runtime.Goexit, which t.FailNow calls, in a function that the library called; return an error")
		}
	}()
	failed := recovered(body)
	returned = true
	return failed
}

func recovered(body func() error) (failed *Error) {
	what := "the program"
	ended := false
	defer func() {
		// There is no value after panic(nil).
		if value := recover(); !ended {
			failed = Errorf(CodeInternal, "%s panicked: %v", what, value)
		}
	}()
	err := body()
	what = "the error that the program returned"
	failed = ownError(err)
	ended = true
	return failed
}

// codeOf is the code of an error, CodeUnknown if it has none of weir's.
func codeOf(err error) Code {
	var own *Error
	if errors.As(err, &own) && own.Code >= CodeCancelled && own.Code <= CodeDataLoss {
		return own.Code
	}
	return CodeUnknown
}

// ownError is an error of the program's with a code of weir's.
func ownError(err error) *Error {
	if err == nil {
		return nil
	}
	message := err.Error()
	if whole, ok := err.(*Error); ok {
		message = whole.Message
	}
	return &Error{Code: codeOf(err), Message: message}
}

// failAll makes an error of the program's that of all rows. The result fails them if its message is refused.
func (c *Call) failAll(failed *Error) C.int32_t {
	for row := 0; row < c.Rows(); row++ {
		if c.Fail(row, failed.Code, failed.Message) != nil {
			return status(failed)
		}
	}
	return C.WEIR_OK
}

//export weirgoCall
func weirgoCall(handle C.uintptr_t, raw C.weir_call) C.int32_t {
	own := cgo.Handle(handle).Value().(*registered)
	c := &Call{raw}
	if failed := guarded(func() error { return own.callback.Function(c) }); failed != nil {
		return c.failAll(failed)
	}
	return C.WEIR_OK
}

//export weirgoSave
func weirgoSave(handle C.uintptr_t, data *unsafe.Pointer, size *C.uint64_t) C.int32_t {
	return status(guarded(func() error {
		switch own := cgo.Handle(handle).Value().(type) {
		case *registered:
			state, err := own.callback.Save()
			own.hand(state, data, size)
			return err
		case *run:
			state, err := own.Run.(Saver).Save()
			own.hand(state, data, size)
			return err
		default:
			return fmt.Errorf("%T saves nothing", own)
		}
	}))
}

//export weirgoRestore
func weirgoRestore(handle C.uintptr_t, data unsafe.Pointer, size C.uint64_t) C.int32_t {
	own := cgo.Handle(handle).Value().(*registered)
	state := append([]byte{}, unsafe.Slice((*byte)(data), int(size))...)
	return status(guarded(func() error { return own.callback.Restore(state) }))
}

// status is the result of a function that gets no call. If it failed, the library is told why first.
func status(failed *Error) C.int32_t {
	if failed == nil {
		return C.WEIR_OK
	}
	unnamed := &Call{}
	_ = unnamed.Fail(0, failed.Code, failed.Message)
	return -C.int32_t(failed.Code)
}

// Rows is the number of rows: 1 without Block.
func (c *Call) Rows() int { return int(C.weir_call_rows(c.handle)) }

// Input gives a component of the element, until the callback returns; with Block, the rows are its first dimension.
func (c *Call) Input(index int) (View, error) {
	out := View{C.weir_view{struct_size: C.sizeof_weir_view}}
	err := call(func(e *C.weir_error) C.int32_t { return C.weir_call_input(c.handle, number(index), &out.raw, e) })
	return out, err
}

// Cancelled says whether the result is no longer needed, so that a long callback should return.
func (c *Call) Cancelled() bool { return C.weir_call_cancelled(c.handle) != 0 }

// Fail fails one row with an error of the program's own. The callback may go on with others.
func (c *Call) Fail(row int, code Code, message string) error {
	text, size := chars(message)
	return call(func(e *C.weir_error) C.int32_t {
		return C.weir_call_fail(c.handle, C.int64_t(row), C.int32_t(code), text, size, e)
	})
}

// Input gives the entries of an input over the library's memory, until the callback returns.
func Input[T Entry](c *Call, index int) ([]T, error) {
	view, err := c.Input(index)
	if err != nil {
		return nil, err
	}
	return ViewSlice[T](view)
}

func (c *Call) memory(index int, dtype DType, dims []int64) (unsafe.Pointer, int, error) {
	var out unsafe.Pointer
	shape, rank := dimensions(dims)
	// The library knows of which dtype the result is, and refuses another: WEIR_CALL_DTYPE. It refuses ranks of 255, too.
	if rank > 255 {
		rank = 255
	}
	rank += C.int32_t(dtype) * 256
	err := call(func(e *C.weir_error) C.int32_t {
		return C.weir_call_output(c.handle, number(index), rank, shape, &out, e)
	})
	count := 1
	for _, dim := range dims {
		count *= int(dim)
	}
	return out, count, err
}

// Output gives memory for a component of the result, filled with zeros, until the callback returns.
func Output[T Entry](c *Call, index int, dims ...int64) ([]T, error) {
	memory, count, err := c.memory(index, dtypeOf[T](), dims)
	if err != nil {
		return nil, err
	}
	out := unsafe.Slice((*T)(memory), count)
	var zero T
	for i := range out {
		out[i] = zero
	}
	return out, nil
}

// Write gives a component of the result: Write(c, 0, []float32{1, 2}, 2), or Write(c, 0, []int64{5}) for a scalar.
func Write[T Entry](c *Call, index int, values []T, dims ...int64) error {
	out, err := Output[T](c, index, dims...)
	if err != nil {
		return err
	}
	if len(out) != len(values) {
		return expectedFound(fmt.Sprint(len(out), " values"), len(values))
	}
	copy(out, values)
	return nil
}

// WriteStrings gives a component of the result that is strings, whose bytes are copied.
func (c *Call) WriteStrings(index int, values []string, dims ...int64) error {
	memory, count, err := c.memory(index, DTypeString, dims)
	if err != nil {
		return err
	}
	if count != len(values) {
		return expectedFound(fmt.Sprint(count, " values"), len(values))
	}
	out := unsafe.Slice((*C.weir_string)(memory), count)
	for i, value := range values {
		var bytes unsafe.Pointer
		size := C.uint64_t(len(value))
		err := call(func(e *C.weir_error) C.int32_t { return C.weir_call_allocate(c.handle, size, &bytes, e) })
		if err != nil {
			return err
		}
		copy(unsafe.Slice((*byte)(bytes), len(value)), value)
		out[i] = C.weir_string{data: (*C.char)(bytes), size: size}
	}
	return nil
}
