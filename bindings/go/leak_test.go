package weir

import (
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"weir/internal/reference"
)

// settle waits for finalizers: those of what is unreachable now, and of what becomes so by them.
func settle() {
	for i := 0; i < 5; i++ {
		finalize()
		for closing() {
			runtime.Gosched()
		}
	}
}

// finalize waits until a finalizer has run.
func finalize() {
	done := make(chan struct{})
	runtime.SetFinalizer(&held{}, func(*held) { close(done) })
	for {
		runtime.GC()
		select {
		case <-done:
			return
		default:
			runtime.Gosched()
		}
	}
}

// closing says whether a goroutine closes what was unreachable.
func closing() bool { return strings.Contains(stacks(), "closeUnreachable") }

func TestAnIteratorThatWaitsStopsNoFinalizer(t *testing.T) {
	r := newTestRuntime(t)
	gate, begun := make(chan struct{}), make(chan struct{})
	wait := func(c *Call) error {
		close(begun)
		<-gate
		return io.EOF
	}
	open := func() (Run, error) { return RunFunc(wait), nil }
	func() {
		it := must(must(Generate(&Generator{Spec: "int64", Open: open, Blocking: true}).Prefetch(1).Build(r)).Iterator())
		filled, err := it.TryNextInto(must(NewElement()))
		expect(t, filled, false)
		expect(t, err, nil)
		<-begun
	}()
	for !closing() {
		finalize()
	}
	finalize()
	close(gate)
	settle()
}

// calls counts the functions that the library holds.
var calls atomic.Int64

// held is counted as long as a function that uses it is reachable.
type held struct{ _ [16]byte }

// everything makes one of each and releases it, or leaves that to the garbage collector.
func everything(r *Runtime, release bool) {
	owner := &held{}
	calls.Add(1)
	runtime.SetFinalizer(owner, func(*held) { calls.Add(-1) })
	callback := func(c *Call) error {
		runtime.KeepAlive(owner)
		x := must(Input[int64](c, 0))
		if x[0] == 1 {
			panic("one")
		}
		return Write(c, 0, x)
	}
	tensor := must(CopyTensor(make([]int64, 64), 64))
	d := must(FromTensorSlices(tensor).Take(2).Concatenate(Range(3)).
		Map(&Callback{Function: callback, Pure: true}).Build(r))
	it := must(d.Iterator())
	e := must(it.Next(background))
	kept := must(e.Tensor(0))
	must(it.Save())
	_, failed := results(it)
	if len(failed) != 1 {
		panic(failed)
	}
	if release {
		for _, c := range []interface{ Close() error }{tensor, d, it, e, kept} {
			c.Close()
			c.Close()
		}
	}
}

func TestLeavesNothingBehind(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector has memory of its own")
	}
	r := newTestRuntime(t)
	for _, release := range []bool{true, false} {
		many := func(count int) {
			for i := 0; i < count; i++ {
				everything(r, release)
				if i%1000 == 0 {
					runtime.GC()
				}
			}
		}
		// One forgotten pointer for each of them would be 80,000 bytes, one forgotten block at least 240,000, in each round.
		// The library and malloc keep their tables and pools once they have grown, which depends on how many were there
		// at once, so one round that stays below is enough.
		grown := int64(1 << 60)
		for round := 0; round < 8 && grown > 60000; round++ {
			settle()
			before := reference.InUse()
			many(10000)
			settle()
			grown = reference.InUse() - before
		}
		if grown > 60000 {
			t.Errorf("released %v: %d bytes more after each round", release, grown)
		}
	}
	if live := calls.Load(); live != 0 {
		t.Errorf("%d functions are still held", live)
	}
}
