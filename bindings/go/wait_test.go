package weir

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// gated gives numbers, each when the gate lets it.
func gated(gate chan int64) Pipeline {
	wait := func(c *Call) error {
		x, open := <-gate
		if !open {
			return io.EOF
		}
		return Write(c, 0, []int64{x})
	}
	open := func() (Run, error) { return RunFunc(wait), nil }
	return Generate(&Generator{Spec: "int64", Open: open, Blocking: true}).Prefetch(1)
}

func TestNextHonoursItsContext(t *testing.T) {
	r := newTestRuntime(t)
	gate := make(chan int64)
	it := must(must(gated(gate).Build(r)).Iterator())
	e := must(NewElement())
	ctx, cancel := context.WithCancel(background)
	done := make(chan error)
	before := asleep()
	go func() { done <- it.NextInto(ctx, e) }()
	for asleep() == before {
		runtime.Gosched()
	}
	cancel()
	expect(t, <-done, context.Canceled)
	expect(t, it.NextInto(ctx, e), context.Canceled)

	// Nothing was lost, and another context works.
	ctx, cancel = context.WithCancel(background)
	defer cancel()
	go func() { done <- it.NextInto(ctx, e) }()
	gate <- 7
	expect(t, <-done, nil)
	expect(t, must(Scalar[int64](e, 0)), int64(7))
	close(gate)
	expect(t, it.NextInto(ctx, e), io.EOF)
	it.Close()
}

func TestNextBlockHonoursItsContext(t *testing.T) {
	r := newTestRuntime(t)
	gate := make(chan int64)
	it := must(must(gated(gate).Build(r)).Iterator())
	defer it.Close()
	e := must(NewElement())
	type answer struct {
		rows int
		err  error
	}
	done := make(chan answer)
	next := func(ctx context.Context) {
		rows, err := it.NextBlock(ctx, 8, e)
		done <- answer{rows, err}
	}
	ctx, cancel := context.WithCancel(background)
	before := asleep()
	go next(ctx)
	for asleep() == before {
		runtime.Gosched()
	}
	cancel()
	expect(t, <-done, answer{0, context.Canceled})
	_, err := it.NextBlock(ctx, 8, e)
	expect(t, err, context.Canceled)

	// A deadline ends it, too, whether it has passed or comes while it waits.
	for _, timeout := range []time.Duration{-time.Second, time.Millisecond} {
		ctx, cancel := context.WithTimeout(background, timeout)
		go next(ctx)
		expect(t, <-done, answer{0, context.DeadlineExceeded})
		cancel()
	}

	// Nothing was lost, and another context works.
	ctx, cancel = context.WithCancel(background)
	defer cancel()
	go next(ctx)
	gate <- 7
	expect(t, <-done, answer{1, nil})
	expect(t, must(Slice[int64](e, 0)), []int64{7})
	_, err = it.NextBlock(ctx, 1025, e)
	expectError(t, err, CodeInvalidArgument, "1024")
	_, err = it.NextBlock(background, 1<<30+1, e)
	expectError(t, err, CodeInvalidArgument, "1024")
	close(gate)
	_, err = it.NextBlock(ctx, 8, e)
	expect(t, err, io.EOF)
}

func TestNextBlockGivesWhatNextGives(t *testing.T) {
	r := newTestRuntime(t)
	d := must(Range(1000).Map("x -> 6 // (x - 500) + x").Shuffle(100, ShuffleOptions{Seed: 3}).Prefetch(16).Build(r))
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	expected, failed := results(must(d.Iterator()))
	it := must(d.Iterator())
	defer it.Close()
	e := must(NewElement())
	defer e.Close()
	var found []int64
	failures := 0
	for {
		rows, err := it.NextBlock(ctx, 64, e)
		if err == io.EOF {
			break
		}
		if IsElement(err) {
			failures++
			continue
		}
		expect(t, err, nil)
		expect(t, len(must(Slice[int64](e, 0))), rows)
		found = append(found, must(Slice[int64](e, 0))...)
	}
	expect(t, found, expected)
	expect(t, failures, len(failed))
	expect(t, failures, 1)
}

// stacks is what all goroutines do.
func stacks() string {
	text := make([]byte, 1<<20)
	return string(text[:runtime.Stack(text, true)])
}

// asleep is how many goroutines wait for a descriptor.
func asleep() int { return strings.Count(stacks(), "[IO wait") }

// A goroutine that waits for a descriptor has no thread, one in a C call has: were Next to wait in C,
// the loop wouldn't end. The threads themselves can't be counted, since Go starts some for short calls.
func TestWaitingTakesNoThread(t *testing.T) {
	r := newTestRuntime(t)
	const count = 64
	ctx, cancel := context.WithCancel(background)
	gate := make(chan int64)
	done := make(chan error)
	for i := 0; i < count; i++ {
		it := must(must(gated(gate).Build(r)).Iterator())
		go func() {
			_, err := it.Next(ctx)
			done <- err
		}()
	}
	for asleep() < count {
		runtime.Gosched()
	}
	cancel()
	for i := 0; i < count; i++ {
		expect(t, <-done, context.Canceled)
	}
	close(gate)
}

func TestCloseWakes(t *testing.T) {
	r := newTestRuntime(t)
	gate := make(chan int64)
	it := must(must(gated(gate).Build(r)).Iterator())
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	done := make(chan error)
	go func() {
		_, err := it.Next(ctx)
		done <- err
	}()
	close(gate)
	it.Close()
	if err := <-done; err != io.EOF && !errors.Is(err, CodeCancelled) && !errors.Is(err, CodeInvalidArgument) {
		t.Fatal(err)
	}
}

// A function that runs a dataset for hours doesn't keep its caller.
func TestLongWorkHonoursItsContext(t *testing.T) {
	r := newTestRuntime(t)
	dataset := must(Parse(r, "from_tensors(0) | map(z -> range(100000000000000) | reduce(0, (s, x) -> s + x))"))
	it := must(dataset.Iterator())
	defer it.Close()
	e := must(NewElement())
	for _, timeout := range []time.Duration{-time.Second, time.Millisecond, 100 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(background, timeout)
		expect(t, it.NextInto(ctx, e), context.DeadlineExceeded)
		_, err := it.NextBlock(ctx, 8, e)
		expect(t, err, context.DeadlineExceeded)
		cancel()
	}
}

func TestCloseCancelsANextThatWaits(t *testing.T) {
	r := newTestRuntime(t)
	cancelable, stop := context.WithCancel(background)
	defer stop()
	for _, ctx := range []context.Context{background, cancelable} {
		waits := func(c *Call) error {
			for !c.Cancelled() {
				runtime.Gosched()
			}
			return errors.New("given up")
		}
		open := func() (Run, error) { return RunFunc(waits), nil }
		it := must(must(Generate(&Generator{Spec: "int64", Open: open, Blocking: true}).Prefetch(1).Build(r)).Iterator())
		done := make(chan error)
		before := asleep()
		go func() {
			_, err := it.Next(ctx)
			done <- err
		}()
		for ctx.Done() != nil && asleep() == before {
			runtime.Gosched()
		}
		it.Close()
		expectError(t, <-done, CodeCancelled, "")
		_, err := it.Next(ctx)
		expectError(t, err, CodeCancelled, "the iterator was closed")
	}
}

func TestAMomentWithoutDescriptorsPasses(t *testing.T) {
	r := newTestRuntime(t)
	gate := make(chan int64)
	it := must(must(gated(gate).Build(r)).Iterator())
	defer it.Close()
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	var limit syscall.Rlimit
	expect(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit), nil)
	expect(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 3, Max: limit.Max}), nil)
	_, err := it.Next(ctx)
	expect(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit), nil)
	expectError(t, err, CodeResourceExhausted, "")
	go func() { gate <- 7 }()
	expect(t, must(Scalar[int64](must(it.Next(ctx)), 0)), int64(7))
	close(gate)
}

func TestOwnersOfASharedIteratorCloseTheirOwn(t *testing.T) {
	r := newTestRuntime(t)
	d := must(Range(3).Build(r))
	first := must(d.Iterator())
	second := must(first.Share("numbers"))
	e := must(first.Next(background))
	expect(t, must(Scalar[int64](e, 0)), int64(0))
	first.Close()
	first.Close()
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	for _, ctx := range []context.Context{background, ctx} {
		_, err := first.Next(ctx)
		expectError(t, err, CodeCancelled, "the iterator was closed")
		_, err = first.NextBlock(ctx, 2, e)
		expectError(t, err, CodeCancelled, "the iterator was closed")
	}
	_, err := first.TryNextInto(e)
	expectError(t, err, CodeInvalidArgument, "")
	_, err = first.Save()
	expectError(t, err, CodeInvalidArgument, "")
	_, err = first.Share("numbers")
	expectError(t, err, CodeInvalidArgument, "")
	expectError(t, first.Initialize(nil, IteratorOptions{}), CodeInvalidArgument, "")
	first.Cancel()
	values, failed := results(second)
	expect(t, values, []int64{1, 2})
	expect(t, len(failed), 0)
	second.Close()
	second.Close()
}
