package weir

// #include "weirgo.h"
import "C"

import (
	"runtime"
	"unsafe"
)

// Compression is the name of a compression in the notation.
type Compression string

// The compressions of files. Zstd is written in frames with a table, so that records are also read by their position.
const (
	CompressionNone Compression = ""
	CompressionGzip Compression = "gzip"
	CompressionZlib Compression = "zlib"
	CompressionZstd Compression = "zstd"
	CompressionLz4  Compression = "lz4"
	CompressionBz2  Compression = "bz2"
	CompressionXz   Compression = "xz"
)

// RecordWriter writes a TFRecord file. One goroutine at a time may use it.
type RecordWriter struct {
	handle C.weir_record_writer
	closed bool
}

// CreateRecords creates an empty TFRecord file, replacing any of that name.
func CreateRecords(r *Runtime, file string, compression Compression) (*RecordWriter, error) {
	var memory arena
	defer memory.free()
	options := (*C.weir_record_writer_options)(memory.new(C.sizeof_weir_record_writer_options))
	options.struct_size = C.sizeof_weir_record_writer_options
	options.compression_name, options.compression_name_size = memory.text(string(compression))
	out := &RecordWriter{}
	text, size := chars(file)
	err := call(func(e *C.weir_error) C.int32_t {
		return C.weir_record_writer_create(r.handle, text, size, options, &out.handle, e)
	})
	runtime.KeepAlive(r)
	if err != nil {
		return nil, err
	}
	closeUnreachable(out, func(w *RecordWriter) error {
		C.weir_record_writer_destroy(w.handle)
		return nil
	})
	return out, nil
}

// Write appends a record. After an error the file is damaged.
func (w *RecordWriter) Write(record []byte) (int, error) {
	data, size := pointer(record)
	err := call(func(e *C.weir_error) C.int32_t { return C.weir_record_writer_write(w.handle, data, size, e) })
	runtime.KeepAlive(w)
	if err != nil {
		return 0, err
	}
	return len(record), nil
}

// Close writes what is still in the buffer and closes the file. Without it the file is incomplete.
func (w *RecordWriter) Close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	runtime.SetFinalizer(w, nil)
	err := call(func(e *C.weir_error) C.int32_t { return C.weir_record_writer_close(w.handle, e) })
	C.weir_record_writer_destroy(w.handle)
	return err
}

// Example is a tf.Example: features by name, each an int64, float32, string or []byte, or a slice of one of them.
type Example map[string]any

// Serialize gives the message; equal features give equal bytes.
func (x Example) Serialize() ([]byte, error) {
	var handle C.weir_example
	if err := call(func(e *C.weir_error) C.int32_t { return C.weir_example_create(&handle, e) }); err != nil {
		return nil, err
	}
	defer C.weir_example_destroy(handle)
	for name, values := range x {
		if err := setFeature(handle, name, values); err != nil {
			return nil, err
		}
	}
	return bytesOf(func(out *C.weir_bytes, e *C.weir_error) C.int32_t { return C.weir_example_serialize(handle, out, e) })
}

func setFeature(handle C.weir_example, name string, values any) error {
	set := func(dtype DType, data unsafe.Pointer, count int) error {
		text, size := chars(name)
		return call(func(e *C.weir_error) C.int32_t {
			return C.weir_example_set(handle, text, size, C.int32_t(dtype), data, C.uint64_t(count), e)
		})
	}
	switch values := values.(type) {
	case int64:
		return setFeature(handle, name, []int64{values})
	case float32:
		return setFeature(handle, name, []float32{values})
	case string:
		return setFeature(handle, name, []string{values})
	case []byte:
		return setFeature(handle, name, []string{string(values)})
	case []int64:
		data, _ := first(values)
		return set(DTypeInt64, data, len(values))
	case []float32:
		data, _ := first(values)
		return set(DTypeFloat32, data, len(values))
	case []string:
		var memory arena
		defer memory.free()
		list := (*C.weir_string)(memory.new(uintptr(len(values)) * C.sizeof_weir_string))
		for i, value := range values {
			entry := &unsafe.Slice(list, len(values))[i]
			entry.data, entry.size = memory.text(value)
		}
		return set(DTypeString, unsafe.Pointer(list), len(values))
	case [][]byte:
		texts := make([]string, len(values))
		for i, value := range values {
			texts[i] = string(value)
		}
		return setFeature(handle, name, texts)
	}
	return Errorf(CodeInvalidArgument,
		"%s: expected an int64, float32, string or []byte, or a slice of one of them, found %T; convert it", name, values)
}
