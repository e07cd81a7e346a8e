package weir

// #include "weirgo.h"
import "C"

import (
	"context"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// IteratorOptions say where and how an iterator begins. At most one of Checkpoint, CheckpointFile, RankCheckpoints and
// Epoch is set.
type IteratorOptions struct {
	// Params are values for `param NAME: spec` of the document: numbers, bools, strings, *Tensor, or an Expr.
	Params map[string]Value
	// Checkpoint is a position that Save gave.
	Checkpoint []byte
	// CheckpointFile is a file that SaveFile or a CheckpointManager wrote.
	CheckpointFile string
	// RankCheckpoints are the positions of all ranks of another run; of another number of ranks only with partition.
	RankCheckpoints [][]byte
	// Epoch is how often the dataset was gone through before, so that shuffles have another order.
	Epoch uint64
	// Rank and WorldSize are for shard(auto, auto). Default: what the environment says.
	Rank, WorldSize uint32
	// CheckpointPolicy says what saving does where elements cannot be made again. Default: what the iterator had before,
	// else CheckpointRefuse.
	CheckpointPolicy CheckpointPolicy
	// Uninitialized makes an iterator that begins with Initialize.
	Uninitialized bool
	// StringHandle, alone, names the iterator that a feedable one takes from.
	StringHandle string
}

// with runs a call with the options.
func (o IteratorOptions) with(function func(*C.weir_iterator_options, *C.weir_error) C.int32_t) error {
	var memory arena
	defer memory.free()
	raw := (*C.weir_iterator_options)(memory.new(C.sizeof_weir_iterator_options))
	raw.struct_size = C.sizeof_weir_iterator_options
	if o.StringHandle != "" {
		raw.string_handle, raw.string_handle_size = memory.text(o.StringHandle)
	}
	if o.Uninitialized {
		raw.flags = C.WEIR_ITERATOR_UNINITIALIZED
	}
	raw.epoch = C.uint64_t(o.Epoch)
	raw.rank, raw.world_size = C.uint32_t(o.Rank), C.uint32_t(o.WorldSize)
	raw.checkpoint_policy = C.uint32_t(o.CheckpointPolicy)
	if o.Checkpoint != nil {
		data, size := memory.text(string(o.Checkpoint))
		raw.checkpoint, raw.checkpoint_size = unsafe.Pointer(data), size
	}
	if o.CheckpointFile != "" {
		raw.checkpoint_file, raw.checkpoint_file_size = memory.text(o.CheckpointFile)
	}
	if count := len(o.RankCheckpoints); count > 0 {
		list := memory.new(uintptr(count) * C.sizeof_weir_string)
		for i, position := range o.RankCheckpoints {
			entry := &unsafe.Slice((*C.weir_string)(list), count)[i]
			entry.data, entry.size = memory.text(string(position))
		}
		raw.rank_checkpoints, raw.rank_checkpoint_count = (*C.weir_string)(list), C.uint64_t(count)
	}
	params := make([]node, 0, len(o.Params))
	for name, value := range o.Params {
		params = append(params, asValue(value).called(name))
	}
	return with(params, func(list *C.weir_argument, count C.uint64_t, e *C.weir_error) C.int32_t {
		raw.params, raw.param_count = list, count
		return function(raw, e)
	})
}

// Iterator is a position in a dataset. Several goroutines may take elements from one; they take turns.
type Iterator struct {
	handle C.weir_iterator
	// How many components from the first on can be viewed right after a call for an element.
	views   C.uint32_t
	runtime *Runtime
	// Guards ready, which is made when it is first needed, and is not after closed.
	mutex  sync.Mutex
	ready  *readiness
	closed atomic.Bool
}

func newIterator(r *Runtime, function func(*C.weir_iterator) error) (*Iterator, error) {
	out := &Iterator{runtime: r}
	if err := function(&out.handle); err != nil {
		return nil, err
	}
	closeUnreachable(out, (*Iterator).Close)
	spec, err := out.Spec()
	if err != nil {
		out.Close()
		return nil, err
	}
	defer spec.Close()
	dtypes, err := spec.ComponentDTypes()
	for _, dtype := range dtypes {
		if dtype == DTypeDataset || out.views == C.WEIRGO_VIEWS {
			break
		}
		out.views++
	}
	return out, err
}

// Iterator begins a dataset, in the order of the first epoch unless the options say otherwise.
func (d *Dataset) Iterator(options ...IteratorOptions) (*Iterator, error) {
	given := IteratorOptions{}
	for _, some := range options {
		given = some
	}
	defer runtime.KeepAlive(d)
	return newIterator(d.runtime, func(out *C.weir_iterator) error {
		return given.with(func(raw *C.weir_iterator_options, e *C.weir_error) C.int32_t {
			return C.weir_iterator_create(d.runtime.handle, d.handle, raw, out, e)
		})
	})
}

// NewIterator makes an uninitialized iterator for any dataset whose elements have this structure.
func NewIterator(r *Runtime, spec *Spec) (*Iterator, error) {
	return iteratorOf(r, spec, IteratorOptions{})
}

// NewFeedableIterator makes an iterator that takes from the one that a StringHandle names, which keeps its position, so
// training can pause for validation. Initialize with another StringHandle names another one. The text keeps none alive: close
// the iterator that it names yourself, once nothing takes from it any more.
func NewFeedableIterator(r *Runtime, spec *Spec, handle string) (*Iterator, error) {
	return iteratorOf(r, spec, IteratorOptions{StringHandle: handle})
}

func iteratorOf(r *Runtime, spec *Spec, options IteratorOptions) (*Iterator, error) {
	defer runtime.KeepAlive(spec)
	return newIterator(r, func(out *C.weir_iterator) error {
		return options.with(func(raw *C.weir_iterator_options, e *C.weir_error) C.int32_t {
			raw.spec = spec.handle
			return C.weir_iterator_create(r.handle, C.weir_dataset{}, raw, out, e)
		})
	})
}

// Initialize begins a dataset of the same structure, from its start or from a checkpoint; nil is the one that the iterator
// has. If that fails, the old position still works.
func (it *Iterator) Initialize(d *Dataset, options IteratorOptions) error {
	var dataset C.weir_dataset
	if d != nil {
		dataset = d.handle
	}
	defer runtime.KeepAlive(it)
	defer runtime.KeepAlive(d)
	return options.with(func(raw *C.weir_iterator_options, e *C.weir_error) C.int32_t {
		return C.weir_iterator_initialize(it.open(), dataset, raw, e)
	})
}

// Close releases the iterator: every other call of it is an error from then on. A Next in progress fails with
// CodeCancelled, unless Share gave the iterator another owner and the context has no end; then it continues.
func (it *Iterator) Close() error {
	it.mutex.Lock()
	closed := it.closed.Swap(true)
	it.mutex.Unlock()
	if closed {
		return nil
	}
	runtime.SetFinalizer(it, nil)
	C.weir_iterator_destroy(it.handle)
	if it.ready != nil {
		it.ready.file.Close()
	}
	return nil
}

// open is the handle, or none once it was closed: all owners of a shared iterator have the same one.
func (it *Iterator) open() C.weir_iterator {
	if it.closed.Load() {
		return C.weir_iterator{}
	}
	return it.handle
}

var errClosedIterator = Errorf(CodeCancelled, "the iterator was closed")

// unlessClosed gives the error of a call for an element. Close may come at any moment of it, and what failed then tells
// nothing.
func (it *Iterator) unlessClosed(err error) error {
	if err != nil && it.closed.Load() {
		return errClosedIterator
	}
	return err
}

// result is that of a call for an element.
func (e *Element) result(result C.int32_t) error {
	switch result {
	case C.WEIR_OK:
		return nil
	case C.WEIR_END:
		return io.EOF
	}
	return takeError(result, &e.c.error)
}

// Next gives the next element as a new Element, or io.EOF at the end. After an error for which IsElement is true the next
// call continues. If the context ends while it waits, it gives the context's error, and no element is lost.
func (it *Iterator) Next(ctx context.Context) (*Element, error) {
	e, err := NewElement()
	if err != nil {
		return nil, err
	}
	if err := it.NextInto(ctx, e); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// NextInto fills an element instead, which is faster.
func (it *Iterator) NextInto(ctx context.Context, e *Element) error {
	if e.c == nil {
		return errClosed
	}
	if ctx.Done() == nil {
		result := C.weirgo_next(it.open(), e.c, it.views)
		runtime.KeepAlive(it)
		if result == C.WEIR_OK {
			return nil
		}
		return it.unlessClosed(e.result(result))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if filled, err := it.TryNextInto(e); filled || err != nil {
		return it.unlessClosed(err)
	}
	return it.await(ctx, func() (bool, error) { return it.TryNextInto(e) })
}

// TryNextInto is NextInto without waiting: false and no error means that there is none yet.
func (it *Iterator) TryNextInto(e *Element) (bool, error) {
	if e.c == nil {
		return false, errClosed
	}
	result := C.weirgo_try_next(it.open(), e.c, it.views)
	runtime.KeepAlive(it)
	if result == C.WEIR_PENDING {
		return false, nil
	}
	return result == C.WEIR_OK, e.result(result)
}

// NextWithin is NextInto that waits for at most so long: false and no error means that there is none yet.
func (it *Iterator) NextWithin(timeout time.Duration, e *Element) (bool, error) {
	if e.c == nil {
		return false, errClosed
	}
	result := C.weirgo_next_within(it.open(), C.int64_t(timeout.Nanoseconds()), e.c, it.views)
	runtime.KeepAlive(it)
	if result == C.WEIR_PENDING {
		return false, nil
	}
	return result == C.WEIR_OK, e.result(result)
}

// NextBlock fills an element with up to maxRows elements at once, 1 to 1024: every component gets a new first dimension. It
// gives their number, and io.EOF at the end. If the context ends while it waits, it gives the context's error, as Next does,
// and no element is lost.
func (it *Iterator) NextBlock(ctx context.Context, maxRows int, e *Element) (int, error) {
	if maxRows < 1 || maxRows > maxBlockRows {
		return 0, expectedFound("maxRows from 1 to 1024", maxRows)
	}
	if ctx.Done() == nil {
		rows, _, err := it.block(C.int64_t(maxRows), e)
		return rows, it.unlessClosed(err)
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	most := C.int64_t(maxRows) + C.WEIR_BLOCK_TRY
	rows, filled, err := it.block(most, e)
	if filled || err != nil {
		return rows, it.unlessClosed(err)
	}
	err = it.await(ctx, func() (bool, error) {
		rows, filled, err = it.block(most, e)
		return filled, err
	})
	return rows, err
}

const maxBlockRows = 1024

// block gives the number of rows, and false if there are none yet.
func (it *Iterator) block(maxRows C.int64_t, e *Element) (int, bool, error) {
	if e.c == nil {
		return 0, false, errClosed
	}
	var rows C.int64_t
	result := C.weirgo_next_block(it.open(), maxRows, e.c, it.views, &rows)
	runtime.KeepAlive(it)
	if result == C.WEIR_PENDING {
		return 0, false, nil
	}
	return int(rows), result == C.WEIR_OK, e.result(result)
}

// Spec is the structure of its elements.
func (it *Iterator) Spec() (*Spec, error) {
	defer runtime.KeepAlive(it)
	return newSpec(func(out *C.weir_spec, e *C.weir_error) C.int32_t { return C.weir_iterator_spec(it.open(), out, e) })
}

// Runtime is the one that it runs in.
func (it *Iterator) Runtime() *Runtime { return it.runtime }

// Save gives the position: an iterator that begins there gives the elements that this one would give from now on.
func (it *Iterator) Save() ([]byte, error) {
	defer runtime.KeepAlive(it)
	return bytesOf(func(out *C.weir_bytes, e *C.weir_error) C.int32_t { return C.weir_iterator_save(it.open(), out, e) })
}

// SaveFile writes the position into a file, which after a crash at any moment holds what it held before or all of it.
func (it *Iterator) SaveFile(name string) error {
	text, size := chars(name)
	err := call(func(e *C.weir_error) C.int32_t { return C.weir_iterator_save_file(it.open(), text, size, e) })
	runtime.KeepAlive(it)
	return err
}

// Cancel makes every call for an element fail with CodeCancelled, also one in progress, until Initialize.
func (it *Iterator) Cancel() {
	C.weir_iterator_cancel(it.open())
	runtime.KeepAlive(it)
}

// Share names the iterator within its runtime, and gives the one of that name: this, or another that had the name before.
func (it *Iterator) Share(name string) (*Iterator, error) {
	text, size := chars(name)
	defer runtime.KeepAlive(it)
	return newIterator(it.runtime, func(out *C.weir_iterator) error {
		return call(func(e *C.weir_error) C.int32_t { return C.weir_iterator_share(it.open(), text, size, out, e) })
	})
}

// StatsFormat is how Stats says it.
type StatsFormat uint32

const (
	// StatsJSON is for programs, as docs/json.md describes it.
	StatsJSON StatsFormat = 0
	// StatsText is a table for a terminal, with a verdict in words.
	StatsText StatsFormat = C.WEIR_TEXT
	// StatsPrometheus is Prometheus' text exposition format.
	StatsPrometheus StatsFormat = C.WEIR_STATS_PROMETHEUS
)

// Stats says what it has done since it was initialised, stage by stage, and what bounds the throughput. It waits for
// nothing, and other goroutines may call it.
func (it *Iterator) Stats(format StatsFormat) (string, error) {
	defer runtime.KeepAlive(it)
	return textOf(func(out *C.weir_bytes, e *C.weir_error) C.int32_t {
		return C.weir_iterator_stats(it.open(), C.uint32_t(format), out, e)
	})
}

// StringHandle is the text that names this iterator to feedable ones.
func (it *Iterator) StringHandle() (string, error) {
	defer runtime.KeepAlive(it)
	return textOf(func(out *C.weir_bytes, e *C.weir_error) C.int32_t {
		return C.weir_iterator_string_handle(it.open(), out, e)
	})
}
