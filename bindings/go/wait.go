package weir

// #include "weirgo.h"
import "C"

import (
	"context"
	"os"
	"runtime"
	"syscall"
	"time"
)

// readiness waits for an iterator as the net package waits for a socket: the goroutine sleeps, and no thread does. It has a
// descriptor of its own for what weir_iterator_ready_fd gives.
type readiness struct {
	// One goroutine at a time waits, since the deadline that wakes it is the file's.
	turn chan struct{}
	file *os.File
	conn syscall.RawConn
}

func (it *Iterator) readiness() (*readiness, error) {
	it.mutex.Lock()
	defer it.mutex.Unlock()
	if it.closed.Load() {
		return nil, errClosedIterator
	}
	var err error
	if it.ready == nil {
		it.ready, err = it.newReadiness()
	}
	return it.ready, err
}

func (it *Iterator) newReadiness() (*readiness, error) {
	var fd C.int32_t
	err := call(func(e *C.weir_error) C.int32_t { return C.weir_iterator_ready_fd(it.open(), &fd, e) })
	if err != nil {
		return nil, err
	}
	own, _, failed := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_DUPFD_CLOEXEC, 0)
	runtime.KeepAlive(it)
	if failed != 0 {
		return nil, os.NewSyscallError("fcntl", failed)
	}
	file := os.NewFile(own, "iterator")
	conn, err := file.SyscallConn()
	if err != nil {
		file.Close()
		return nil, err
	}
	return &readiness{turn: make(chan struct{}, 1), file: file, conn: conn}, nil
}

// await runs `try`, which does not wait, until it has filled something or failed, or ends with the context.
func (it *Iterator) await(ctx context.Context, try func() (bool, error)) error {
	return it.unlessClosed(it.awaitReady(ctx, try))
}

func (it *Iterator) awaitReady(ctx context.Context, try func() (bool, error)) error {
	ready, err := it.readiness()
	if err != nil {
		return err
	}
	select {
	case ready.turn <- struct{}{}:
		defer func() { <-ready.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := ready.file.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	stop := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		select {
		case <-ctx.Done():
			// A moment in the past wakes all waiters of the file. After Close there are none.
			_ = ready.file.SetReadDeadline(time.Unix(1, 0))
		case <-stop:
		}
	}()
	var filled bool
	var failed error
	// It asks again each time that the descriptor becomes readable, which a try that gave nothing has reset.
	err = ready.conn.Read(func(uintptr) bool {
		filled, failed = try()
		return filled || failed != nil || ctx.Err() != nil
	})
	close(stop)
	<-stopped
	switch {
	case filled || failed != nil:
		return failed
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return err
}
