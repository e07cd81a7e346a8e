package weir

// #include "weirgo.h"
import "C"

import (
	"runtime"
	"time"
)

// CheckpointManager keeps the newest positions of a rank as files of a folder. One goroutine at a time may use it.
type CheckpointManager struct{ handle C.weir_checkpoint_manager }

// ManagerOptions is what a manager is made with. Zeros stand for the defaults.
type ManagerOptions struct {
	// Keep is how many generations are kept. Default: 3.
	Keep int32
	// Rank says whose generations these are.
	Rank uint32
	// WorldSize is how many ranks there are, for jobs whose number of ranks may change. Default: each rank by itself.
	WorldSize uint32
	// EveryElements is after how many elements Step says that a save is due. Default: never.
	EveryElements int64
	// Every is after how long it says so. Default: never.
	Every time.Duration
}

// Generation is what a manager gives back.
type Generation struct {
	// Position is for IteratorOptions.Checkpoint.
	Position []byte
	// Extra is what the program saved with it.
	Extra []byte
	// Number counts the saves.
	Number int64
}

// NewCheckpointManager makes a manager for a folder, which is made if it isn't there.
func NewCheckpointManager(r *Runtime, folder string, options ManagerOptions) (*CheckpointManager, error) {
	raw := C.weir_checkpoint_manager_options{
		struct_size: C.sizeof_weir_checkpoint_manager_options, keep: C.int32_t(options.Keep),
		rank: C.uint32_t(options.Rank), world_size: C.uint32_t(options.WorldSize),
		every_elements: C.int64_t(options.EveryElements), every_ns: C.int64_t(options.Every.Nanoseconds()),
	}
	out := &CheckpointManager{}
	text, size := chars(folder)
	err := call(func(e *C.weir_error) C.int32_t {
		return C.weir_checkpoint_manager_create(r.handle, text, size, &raw, &out.handle, e)
	})
	runtime.KeepAlive(r)
	if err != nil {
		return nil, err
	}
	runtime.SetFinalizer(out, (*CheckpointManager).Close)
	return out, nil
}

// Close releases the manager. The generations stay.
func (m *CheckpointManager) Close() error {
	runtime.SetFinalizer(m, nil)
	C.weir_checkpoint_manager_destroy(m.handle)
	return nil
}

// Save publishes the iterator's position with bytes of the program's, such as the state of a model.
func (m *CheckpointManager) Save(it *Iterator, extra []byte) error {
	data, size := pointer(extra)
	err := call(func(e *C.weir_error) C.int32_t {
		return C.weir_checkpoint_manager_save(m.handle, it.open(), data, size, e)
	})
	runtime.KeepAlive(it)
	runtime.KeepAlive(m)
	return err
}

// Step counts elements that were taken, and says whether a save is due.
func (m *CheckpointManager) Step(elements int64) (bool, error) {
	var due C.int32_t
	err := call(func(e *C.weir_error) C.int32_t {
		return C.weir_checkpoint_manager_step(m.handle, C.int64_t(elements), &due, e)
	})
	runtime.KeepAlive(m)
	return due != 0, err
}

// Load gives the newest valid generation. An error with CodeNotFound if there is none at all, which is how a first run
// begins.
func (m *CheckpointManager) Load() (Generation, error) { return m.load(C.WEIR_OWN_RANK) }

// LoadRank gives that of a rank of the newest complete group.
func (m *CheckpointManager) LoadRank(rank uint32) (Generation, error) { return m.load(C.int64_t(rank)) }

func (m *CheckpointManager) load(rank C.int64_t) (Generation, error) {
	var position, extra C.weir_bytes
	var number C.int64_t
	err := call(func(e *C.weir_error) C.int32_t {
		return C.weir_checkpoint_manager_load(m.handle, rank, &position, &extra, &number, e)
	})
	runtime.KeepAlive(m)
	if err != nil {
		return Generation{}, err
	}
	return Generation{takeBytes(&position), takeBytes(&extra), int64(number)}, nil
}

// Ranks gives the number of ranks of the newest group that was complete when the manager was created, 0 if there was none,
// and whether all ranks of this manager's group have saved.
func (m *CheckpointManager) Ranks() (saved uint32, complete bool, err error) {
	var ranks C.uint32_t
	var done C.int32_t
	err = call(func(e *C.weir_error) C.int32_t { return C.weir_checkpoint_manager_ranks(m.handle, &ranks, &done, e) })
	runtime.KeepAlive(m)
	return uint32(ranks), done != 0, err
}

// DescribeCheckpoint describes a checkpoint's file as JSON, or, with folder, all generations in one.
func DescribeCheckpoint(r *Runtime, name string, folder bool) (string, error) {
	var out C.weir_bytes
	var flags C.uint32_t
	if folder {
		flags = C.WEIR_DESCRIBE_FOLDER
	}
	text, size := chars(name)
	err := call(func(e *C.weir_error) C.int32_t {
		return C.weir_checkpoint_describe(r.handle, text, size, flags, &out, e)
	})
	runtime.KeepAlive(r)
	if err != nil {
		return "", err
	}
	return string(takeBytes(&out)), nil
}
