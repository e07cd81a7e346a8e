package weir

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

func TestClosures(t *testing.T) {
	r := newTestRuntime(t)
	calls := int64(0)
	d := must(Range(3).Map(func(c *Call) error {
		calls++
		x, err := Input[int64](c, 0)
		if err != nil {
			return err
		}
		return Write(c, 0, []int64{x[0] + 100*calls})
	}).Build(r))
	expect(t, values(t, d), []int64{100, 201, 302})
}

func TestPanicsAreErrors(t *testing.T) {
	r := newTestRuntime(t)
	callback := &Callback{Concurrent: true, Result: "int64", Function: func(c *Call) error {
		x := must(Input[int64](c, 0))[0]
		switch x {
		case 1:
			panic("one is too much")
		case 2:
			return fmt.Errorf("two: %w", Errorf(CodeDataLoss, "damaged"))
		case 3:
			return errors.New("three")
		case 5:
			panic(nil)
		}
		return Write(c, 0, []int64{x})
	}}
	got, failed := results(must(must(Range(6).Map(callback).Build(r)).Iterator()))
	expect(t, got, []int64{0, 4})
	expectError(t, failed[0], CodeInternal, "one is too much")
	expectError(t, failed[1], CodeDataLoss, "two: data_loss: damaged")
	expectError(t, failed[2], CodeUnknown, "three")
	expectError(t, failed[3], CodeInternal, "the program panicked")
}

// badError is an error that cannot say what it is.
type badError struct{}

func (badError) Error() string { panic("no words") }

func TestAnyErrorOfTheProgramFails(t *testing.T) {
	r := newTestRuntime(t)
	var nothing *Error
	cases := []struct {
		err  error
		code Code
		text string
	}{
		{&Error{Message: "no code"}, CodeUnknown, "no code"},
		{&Error{Code: -5, Message: "below"}, CodeUnknown, "below"},
		{&Error{Code: 16, Message: "above"}, CodeUnknown, "above"},
		{nothing, CodeInternal, "the error that the program returned panicked"},
		{badError{}, CodeInternal, "no words"},
		{fmt.Errorf("%w", nothing), CodeInternal, ""},
		{Errorf(CodeAborted, "%s", strings.Repeat("long ", 20000)), CodeUnknown, " -10"},
	}
	for _, c := range cases {
		err := c.err
		function := func(c *Call) error {
			x := must(Input[int64](c, 0))
			if wrong := Write(c, 0, x); wrong != nil || x[0] != 1 {
				return wrong
			}
			return err
		}
		got, failed := results(must(must(Range(3).Map(function).Build(r)).Iterator()))
		expect(t, got, []int64{0, 2})
		expectError(t, failed[0], c.code, c.text)

		made := int64(0)
		run := RunFunc(func(c *Call) error {
			made++
			if made == 2 {
				return err
			} else if made > 3 {
				return io.EOF
			}
			return Write(c, 0, []int64{made})
		})
		open := func() (Run, error) { return run, nil }
		got, failed = results(must(must(Generate(&Generator{Spec: "int64", Open: open}).Build(r)).Iterator()))
		expect(t, got, []int64{1, 3})
		expectError(t, failed[0], c.code, c.text)

		open = func() (Run, error) { return nil, err }
		got, failed = results(must(must(Generate(&Generator{Spec: "int64", Open: open}).Build(r)).Iterator()))
		expect(t, len(got), 0)
		expect(t, len(failed), 1)
		expectError(t, failed[0], c.code, c.text)

		expectPlacesFail(t, r, err, c.code, c.text)
	}
}

// expectPlacesFail expects this error where the program has it while it saves or restores.
func expectPlacesFail(t *testing.T, r *Runtime, err error, code Code, text string) {
	t.Helper()
	source := func(failed error) Pipeline {
		var closed atomic.Int64
		return Generate(&Generator{
			Spec:    "int64",
			Open:    func() (Run, error) { return &counting{0, 2, &closed}, nil },
			Restore: func(state []byte) (Run, error) { return &counting{int64(state[0]), 2, &closed}, failed },
		})
	}
	begun := must(must(source(nil).Build(r)).Iterator())
	must(begun.Next(background))
	place := IteratorOptions{Checkpoint: must(begun.Save())}
	expect(t, values(t, must(source(nil).Build(r)), place), []int64{2})
	got, failed := results(must(must(source(err).Build(r)).Iterator(place)))
	expect(t, len(got), 0)
	expect(t, len(failed), 1)
	expectError(t, failed[0], code, text)

	stateful := func(save, restore error) *Callback {
		n := int64(0)
		return &Callback{
			Function: func(c *Call) error { n++; return Write(c, 0, []int64{n}) },
			Save:     func() ([]byte, error) { return []byte{byte(n)}, save },
			Restore:  func(state []byte) error { n = int64(state[0]); return restore },
		}
	}
	it := must(must(Range(4).Map(stateful(nil, nil)).Build(r)).Iterator())
	must(it.Next(background))
	position := must(it.Save())
	expect(t, values(t, must(Range(4).Map(stateful(nil, nil)).Build(r)), IteratorOptions{Checkpoint: position}),
		[]int64{2, 3, 4})
	_, failure := must(Range(4).Map(stateful(nil, err)).Build(r)).Iterator(IteratorOptions{Checkpoint: position})
	expectError(t, failure, code, text)
	it = must(must(Range(4).Map(stateful(err, nil)).Build(r)).Iterator())
	must(it.Next(background))
	_, failure = it.Save()
	expectError(t, failure, code, text)
}

func TestGoexitEndsTheProcess(t *testing.T) {
	if os.Getenv("WEIR_TEST_GOEXIT") != "" {
		d := must(Range(3).Map(func(*Call) error { runtime.Goexit(); return nil }).Build(newTestRuntime(t)))
		_, _ = must(d.Iterator()).Next(background)
		return
	}
	again := exec.Command(os.Args[0], "-test.run=^TestGoexitEndsTheProcess$", "-test.timeout=20s")
	again.Env = append(os.Environ(), "WEIR_TEST_GOEXIT=1")
	said, err := again.CombinedOutput()
	if err == nil || !strings.Contains(string(said), "panic: weir: runtime.Goexit") {
		t.Fatal(err, string(said))
	}
}

func TestOutputsHaveTheDeclaredDType(t *testing.T) {
	r := newTestRuntime(t)
	wide := func(c *Call) error { return Write(c, 0, []float64{1}) }
	_, failed := results(must(must(Range(1).Map(&Callback{Function: wide, Result: "int8"}).Build(r)).Iterator()))
	expectError(t, failed[0], CodeInvalidArgument, "expected int8 for component 0")
	_, failed = results(must(must(Range(1).Map(wide).Build(r)).Iterator()))
	expectError(t, failed[0], CodeInvalidArgument, "expected int64 for component 0")
	_, err := Range(1).Map(&Callback{Function: wide, Result: "int65"}).Build(r)
	expectError(t, err, CodeInvalidArgument, "")
	_, err = Range(1).Map(&Callback{}).Build(r)
	expectError(t, err, CodeInvalidArgument, "Function")
	// The same generator under another structure would write beyond its memory.
	_, err = Parse(r, "from_generator(@g, int8)", Arguments{"g": &Generator{Spec: "int64"}})
	expectError(t, err, CodeInvalidArgument, "Generator")
	open := func() (Run, error) { return RunFunc(func(*Call) error { return io.EOF }), nil }
	_, err = Generate(&Generator{Spec: "int64", Open: open}).
		Concatenate(Range(1).FlatMap("x -> from_generator(@generator1, int8)")).Build(r)
	expectError(t, err, CodeInvalidArgument, "@generator")
}

func TestBlocks(t *testing.T) {
	r := newTestRuntime(t)
	callback := &Callback{Block: true, Pure: true, Concurrent: true, Result: "(int64, string)",
		Function: func(c *Call) error {
			x := must(Input[int64](c, 0))
			names := make([]string, len(x))
			for i, out := 0, must(Output[int64](c, 0, int64(len(x)))); i < len(out); i++ {
				out[i], names[i] = x[i]*x[i], fmt.Sprint("number ", x[i])
			}
			if err := c.WriteStrings(1, names, int64(c.Rows())); err != nil {
				return err
			}
			return c.Fail(0, CodeAborted, "the first of a block")
		}}
	it := must(must(Range(8).Map(callback).IgnoreErrors().Batch(8).Build(r)).Iterator())
	e := must(it.Next(background))
	squares, names := must(Slice[int64](e, 0)), must(e.Strings(1))
	if len(squares) == 0 || len(squares) == 8 || string(names[len(names)-1]) != "number 7" {
		t.Fatal(squares, names)
	}
}

func TestRegistered(t *testing.T) {
	r := newTestRuntime(t)
	add := func(c *Call) error {
		return Write(c, 0, []int64{must(Input[int64](c, 0))[0] + must(Input[int64](c, 1))[0]})
	}
	err := r.Register("add_up", &Callback{Function: add, Pure: true, Result: "int64", Signature: "{a: int64, b: int64}"})
	expect(t, err, nil)
	d := must(Parse(r, "range(3) | map(x -> add_up(x, 10) * 2)"))
	expect(t, values(t, must(Deserialize(r, must(d.Serialize()), nil))), []int64{20, 22, 24})
}

func TestStateIsSaved(t *testing.T) {
	r := newTestRuntime(t)
	summing := func() *Callback {
		sum := int64(0)
		return &Callback{
			Function: func(c *Call) error {
				sum += must(Input[int64](c, 0))[0]
				return Write(c, 0, []int64{sum})
			},
			Save:    func() ([]byte, error) { return binary.LittleEndian.AppendUint64(nil, uint64(sum)), nil },
			Restore: func(state []byte) error { sum = int64(binary.LittleEndian.Uint64(state)); return nil },
		}
	}
	it := must(must(Range(6).Map(summing()).Build(r)).Iterator())
	e := must(NewElement())
	for i := 0; i < 3; i++ {
		expect(t, it.NextInto(background, e), nil)
	}
	position := must(it.Save())
	it.Close()
	rest := values(t, must(Range(6).Map(summing()).Build(r)), IteratorOptions{Checkpoint: position})
	expect(t, rest, []int64{6, 10, 15})
}

type counting struct {
	at, end int64
	closed  *atomic.Int64
}

func (c *counting) Next(call *Call) error {
	if c.at == c.end {
		return io.EOF
	}
	c.at++
	if c.at == 3 {
		panic("three")
	}
	return Write(call, 0, []int64{c.at})
}
func (c *counting) Save() ([]byte, error) { return []byte{byte(c.at)}, nil }
func (c *counting) Close() error          { c.closed.Add(1); return nil }

func TestGenerators(t *testing.T) {
	r := newTestRuntime(t)
	var opened, closed atomic.Int64
	open := func(at int64) (Run, error) {
		opened.Add(1)
		return &counting{at, 5, &closed}, nil
	}
	generator := &Generator{
		Spec:    "int64",
		Open:    func() (Run, error) { return open(0) },
		Restore: func(state []byte) (Run, error) { return open(int64(state[0])) },
	}
	d := must(Generate(generator).Repeat(2).Build(r))
	it := must(d.Iterator())
	got, failed := results(it)
	expect(t, got, []int64{1, 2, 4, 5, 1, 2, 4, 5})
	expect(t, len(failed), 2)
	it.Close()
	it = must(d.Iterator())
	e := must(NewElement())
	for i := 0; i < 4; i++ {
		_ = it.NextInto(background, e)
	}
	position := must(it.Save())
	it.Close()
	it = must(d.Iterator(IteratorOptions{Checkpoint: position}))
	got, _ = results(it)
	expect(t, got, []int64{5, 1, 2, 4, 5})
	it.Close()
	expect(t, closed.Load(), opened.Load())

	broken := &Generator{Spec: "int64", Open: func() (Run, error) { panic("no run") }}
	_, failed = results(must(must(Generate(broken).Build(r)).Iterator()))
	expect(t, len(failed), 1)
	endless := &Generator{Spec: "float32[?]", Open: func() (Run, error) {
		n := 0
		return RunFunc(func(c *Call) error {
			n++
			return Write(c, 0, make([]float32, n), int64(n))
		}), nil
	}}
	it = must(must(Generate(endless).Skip(2).Build(r)).Iterator())
	expect(t, len(must(Slice[float32](must(it.Next(background)), 0))), 3)
}

func TestSaveKeepsTheProgramsMemory(t *testing.T) {
	r := newTestRuntime(t)
	buffer := []byte("0123456789")
	restored := ""
	callback := &Callback{
		Function: func(c *Call) error { return Write(c, 0, must(Input[int64](c, 0))) },
		Save:     func() ([]byte, error) { return buffer[:4], nil },
		Restore:  func(state []byte) error { restored = string(state); return nil },
	}
	d := must(Range(10).Map(callback).Build(r))
	it := must(d.Iterator())
	must(it.Next(background))
	position := must(it.Save())
	expect(t, string(buffer), "0123456789")
	it.Close()
	must(must(d.Iterator(IteratorOptions{Checkpoint: position})).Next(background))
	expect(t, restored, "0123")
}

func TestCallsOfOneCallbackComeOneAtATime(t *testing.T) {
	r := newTestRuntime(t)
	var inside, most int32
	callback := &Callback{Result: "int64", Function: func(c *Call) error {
		now := atomic.AddInt32(&inside, 1)
		for old := atomic.LoadInt32(&most); now > old && !atomic.CompareAndSwapInt32(&most, old, now); {
			old = atomic.LoadInt32(&most)
		}
		for i := 0; i < 100; i++ {
			runtime.Gosched()
		}
		x, err := Input[int64](c, 0)
		atomic.AddInt32(&inside, -1)
		if err != nil {
			return err
		}
		return Write(c, 0, []int64{x[0] + 1})
	}}
	sum := int64(0)
	for _, x := range values(t, must(Range(50).Map(callback).Prefetch(4).Map(callback).Build(r))) {
		sum += x
	}
	expect(t, sum, int64(1325))
	expect(t, most, int32(1))

	// One whose function was changed is another.
	d := must(Range(2).Map(callback).Build(r))
	callback.Function = func(c *Call) error { return Write(c, 0, []int64{7}) }
	expect(t, values(t, must(Range(2).Map(callback).Build(r))), []int64{7, 7})
	expect(t, values(t, d), []int64{1, 2})
}
