package weir

// #include "weirgo.h"
import "C"

import (
	"runtime"
	"runtime/cgo"
	"strings"
	"unsafe"
)

// Runtime is what iterators share: threads, memory and logging. Most programs need one.
type Runtime struct{ handle C.weir_runtime }

// RuntimeOptions is what a runtime is made with. Zeros stand for the defaults.
type RuntimeOptions struct {
	// ThreadCount is the number of threads for computing. Default: one for each CPU that the process may use.
	ThreadCount int32
	// PoolBytes is how much of free batch buffers is kept for reuse; negative: none. Default: 256 MiB.
	PoolBytes int64
	// RecordBytes is the longest record that is read. Default: 256 MiB.
	RecordBytes int64
	// MemoryBytes is what all shuffles and memory caches may hold together. Default: no limit.
	MemoryBytes int64
	// Top shows what the iterators do to `weir top`.
	Top bool
	// TraceFile gets a timeline when the runtime ends, for Perfetto. Default: none.
	TraceFile string
	// Extensions are folders in which extensions are looked for, with absolute names, before those of the environment.
	Extensions []string
	// LogLevel is the level below which lines of the log are dropped. Default: LogWarning.
	LogLevel LogLevel
	// Log receives the log in place of standard error, from any goroutine. It must not call into this package.
	Log func(level LogLevel, line string)
}

// NewRuntime creates a runtime and starts its threads.
func NewRuntime(options ...RuntimeOptions) (*Runtime, error) {
	var memory arena
	defer memory.free()
	raw := (*C.weir_runtime_options)(memory.new(C.sizeof_weir_runtime_options))
	raw.struct_size = C.sizeof_weir_runtime_options
	for _, given := range options {
		raw.thread_count = C.int32_t(given.ThreadCount)
		raw.pool_bytes = C.int64_t(given.PoolBytes)
		raw.record_bytes = C.int64_t(given.RecordBytes)
		raw.memory_bytes = C.int64_t(given.MemoryBytes)
		raw.flags = flags(map[C.uint32_t]bool{C.WEIR_RUNTIME_TOP: given.Top})
		if given.TraceFile != "" {
			raw.trace_file, raw.trace_file_size = memory.text(given.TraceFile)
		}
		if len(given.Extensions) > 0 {
			raw.extensions, raw.extensions_size = memory.text(strings.Join(given.Extensions, ":"))
		}
		raw.log_level = C.int32_t(given.LogLevel)
		if given.Log != nil {
			logger := (*C.weir_logger)(memory.new(C.sizeof_weir_logger))
			C.weirgo_logger(logger, C.uintptr_t(cgo.NewHandle(given.Log)))
			raw.logger = logger
		}
	}
	out := &Runtime{}
	err := call(func(e *C.weir_error) C.int32_t { return C.weir_runtime_create(raw, &out.handle, e) })
	if err != nil {
		return nil, err
	}
	closeUnreachable(out, (*Runtime).Close)
	return out, nil
}

// closers holds how many unreachable objects are closed at once: each takes a thread, and a program has 10,000 at most.
var closers = make(chan struct{}, 16)

// closeUnreachable lets the garbage collector close an object whose Close may wait, such as for a callback: in a goroutine of
// its own, since all finalizers share one.
func closeUnreachable[T any](object *T, close func(*T) error) {
	runtime.SetFinalizer(object, func(object *T) {
		go func() {
			closers <- struct{}{}
			close(object)
			<-closers
		}()
	})
}

// Close closes the runtime: nothing new can be made with it. What was made with it stays usable.
func (r *Runtime) Close() error {
	runtime.SetFinalizer(r, nil)
	C.weir_runtime_destroy(r.handle)
	return nil
}

// LoadExtension loads an extension, a shared library with an absolute name.
func (r *Runtime) LoadExtension(file string) error {
	var memory arena
	defer memory.free()
	text, size := memory.text(file)
	return call(func(e *C.weir_error) C.int32_t { return C.weir_runtime_load_extension(r.handle, text, size, e) })
}

// Register gives a callback a name that every text parsed with this runtime may use, as @NAME, or as NAME(...) if it has a
// signature. Serialized graphs keep the name.
func (r *Runtime) Register(name string, callback *Callback) error {
	var memory arena
	defer memory.free()
	raw, err := callback.raw(&memory)
	if err != nil {
		return err
	}
	text, size := chars(name)
	err = call(func(e *C.weir_error) C.int32_t { return C.weir_runtime_register(r.handle, text, size, raw, e) })
	runtime.KeepAlive(r)
	return err
}

//export weirgoLog
func weirgoLog(handle C.uintptr_t, level C.int32_t, line *C.char, size C.uint64_t) {
	log := cgo.Handle(handle).Value().(func(LogLevel, string))
	text := string(unsafe.Slice((*byte)(unsafe.Pointer(line)), int(size)))
	_ = guarded(func() error { log(LogLevel(level), text); return nil })
}

// weirgoDelete ends what a handle stands for: a callback, generator, run, logger or pinned memory.
//
//export weirgoDelete
func weirgoDelete(handle C.uintptr_t) {
	h := cgo.Handle(handle)
	value := h.Value()
	if own, ok := value.(*registered); ok && !own.drop() {
		return
	}
	h.Delete()
	if owner, ok := value.(interface{ release() }); ok {
		_ = guarded(func() error { owner.release(); return nil })
	}
}
