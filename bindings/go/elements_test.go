package weir

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var background = context.Background()

// must gives a value, or ends the test.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func newTestRuntime(t *testing.T) *Runtime {
	t.Helper()
	r := must(NewRuntime())
	t.Cleanup(func() { r.Close() })
	return r
}

// results takes all elements that are left: an int64 or an error each.
func results(it *Iterator) (values []int64, failed []error) {
	element := must(NewElement())
	defer element.Close()
	for {
		switch err := it.NextInto(background, element); {
		case err == io.EOF:
			return values, failed
		case IsElement(err):
			failed = append(failed, err)
		case err != nil:
			return values, append(failed, err)
		default:
			values = append(values, must(Slice[int64](element, 0))...)
		}
	}
}

func values(t *testing.T, d *Dataset, options ...IteratorOptions) []int64 {
	t.Helper()
	it := must(d.Iterator(options...))
	defer it.Close()
	out, failed := results(it)
	if failed != nil {
		t.Fatal(failed)
	}
	return out
}

func expect(t *testing.T, found, expected any) {
	t.Helper()
	if !reflect.DeepEqual(found, expected) {
		t.Fatalf("expected %v, found %v", expected, found)
	}
}

func expectError(t *testing.T, err error, code Code, text string) {
	t.Helper()
	if !errors.Is(err, code) || !strings.Contains(err.Error(), text) {
		t.Fatalf("expected %v with %q, found %v", code, text, err)
	}
}

func TestIterates(t *testing.T) {
	r := newTestRuntime(t)
	d := must(Range(10).Map("x -> x * 2").Batch(4).Build(r))
	it := must(d.Iterator())
	defer it.Close()
	var sizes []int64
	for {
		element, err := it.Next(background)
		if err == io.EOF {
			break
		}
		sizes = append(sizes, must(element.View(0)).Dims()...)
		element.Close()
	}
	expect(t, sizes, []int64{4, 4, 2})
	expect(t, must(d.Cardinality()), int64(3))
	expect(t, must(d.Spec()).String(), "int64[?]")
	expect(t, must(d.Format()), "range(10) | map(x -> x * 2) | batch(4)")
	expect(t, must(must(Parse(r, must(d.Format()))).Fingerprint()), must(d.Fingerprint()))
	expect(t, values(t, must(Deserialize(r, must(d.Serialize()), nil))), values(t, d))
	expect(t, Version(), "0.1.0")
}

func TestWritesDocuments(t *testing.T) {
	r := newTestRuntime(t)
	for _, c := range []struct {
		pipeline Pipeline
		text     string
	}{
		{RangeFrom(1, 10, RangeOptions{Step: 3}).Batch(4, BatchOptions{DropRemainder: true}).Repeat().Take(5),
			"range(1, 10, step: 3) | batch(4, drop_remainder: true) | repeat() | take(5)"},
		{Zip(map[string]Pipeline{"x": Range(3), "y z": Range(2).Repeat(2)}),
			`zip({x: range(3), "y z": range(2) | repeat(2)})`},
		{SampleFromDatasets([]Pipeline{Range(3), Range(4)}, SampleFromDatasetsOptions{Seed: [2]int64{1, 2}}),
			"sample_from_datasets([range(3), range(4)], seed: (1, 2))"},
		{FromTensors(map[string]any{"a": 1, "b": []any{2.0, float32(0.1), "q\"\xff", true}}).Prefetch(Auto),
			`from_tensors({a: 1, b: (2.0, 0.1, "q\"\xff", true)}) | prefetch(auto)`},
		{TextLine([]string{"a", "b"}), `text_line(["a", "b"])`},
		{FromTensors(1e30), "from_tensors(1e+30)"},
		{Empty("{x: int64}"), "empty({x: int64})"},
		{Range(10), "range(10)"},
		{Range(Expr("$n")).Param("n", "int64").Map("x -> cast(x, int32)"),
			"param n: int64\nrange($n) | map(x -> cast(x, int32))"},
	} {
		expect(t, must(must(c.pipeline.Build(r)).Format()), c.text)
	}
	_, err := Range(10).Batch("4").Build(r)
	expectError(t, err, CodeInvalidArgument, "batch, n: expected an integer, found string")
	_, err = Range(10).Map(func(x int64) int64 { return x }).Build(r)
	expectError(t, err, CodeInvalidArgument, "a func(*weir.Call) error or a *weir.Callback, found func(int64) int64")
	_, err = Range(10).Repeat(1, 2).Build(r)
	expectError(t, err, CodeInvalidArgument, "at most one")
	_, err = Parse(r, "range(@n)", Arguments{"n": 1.5})
	expectError(t, err, CodeInvalidArgument, "float64")
}

func TestAppliesOperatorsByName(t *testing.T) {
	r := newTestRuntime(t)
	d := must(Range(6).Build(r))
	batches := must(Apply(r, "batch", []*Dataset{d}, Arguments{"n": "4", "drop_remainder": "true"}))
	expect(t, must(batches.Format()), "range(6) | batch(4, drop_remainder: true)")
	expect(t, values(t, batches), []int64{0, 1, 2, 3})
	expect(t, must(must(Apply(r, "concatenate", []*Dataset{d, d}, nil)).Cardinality()), int64(12))
	expect(t, must(must(Apply(r, "range", nil, Arguments{"": "3"})).Cardinality()), int64(3))
	double := func(c *Call) error { return Write(c, 0, []int64{2 * must(Input[int64](c, 0))[0]}) }
	expect(t, values(t, must(Apply(r, "map", []*Dataset{batches}, Arguments{"f": "x -> x + 1"}))), []int64{1, 2, 3, 4})
	expect(t, values(t, must(Apply(r, "map", []*Dataset{d}, Arguments{"f": double}))), []int64{0, 2, 4, 6, 8, 10})
	_, err := Apply(r, "bach", []*Dataset{d}, nil)
	expectError(t, err, CodeInvalidArgument, "batch")
}

func TestErrorsCarryTheirParts(t *testing.T) {
	r := newTestRuntime(t)
	file := filepath.Join(t.TempDir(), "damaged")
	w := must(CreateRecords(r, file, CompressionNone))
	for _, record := range []string{"first", "second"} {
		must(w.Write([]byte(record)))
	}
	expect(t, w.Close(), nil)
	bytes := must(os.ReadFile(file))
	// A byte of the second record.
	bytes[16+5+12] ^= 1
	expect(t, os.WriteFile(file, bytes, 0o600), nil)
	it := must(must(Tfrecord(file).Batch(2).Build(r)).Iterator())
	_, err := it.Next(background)
	for err == nil {
		_, err = it.Next(background)
	}
	var found *Error
	expect(t, errors.As(err, &found), true)
	expect(t, found.Element, true)
	expect(t, found.Code, CodeDataLoss)
	expect(t, found.Path, "batch/tfrecord")
	expect(t, found.File, file)
	expect(t, found.Record, int64(1))
	expect(t, found.Offset >= 16+5, true)
	for _, part := range []string{"data_loss: ", file, "record 1", "in batch/tfrecord"} {
		expectError(t, err, CodeDataLoss, part)
	}
}

func TestErrorsAreReadable(t *testing.T) {
	r := newTestRuntime(t)
	_, err := Parse(r, "range(10)\n  | batsh(4)")
	expectError(t, err, CodeInvalidArgument, "\n")
	if text := err.Error(); strings.Contains(text, `\n`) || !strings.Contains(text, "  | batsh(4)\n    ^") {
		t.Fatal(text)
	}
	e := must(NewElement())
	fails := func(*Call) error { return Errorf(CodeAborted, "one\ntwo") }
	err = must(must(Range(1).Map(fails).Build(r)).Iterator()).NextInto(background, e)
	expect(t, err.Error(), "aborted: one\ntwo\n(in map)")
	expect(t, err.(*Error).Line, `map: one\ntwo (in map)`)
	expect(t, Errorf(CodeAborted, "a\nb").Error(), "aborted: a\nb")
	expect(t, (&Error{Code: CodeAborted, Message: "m", Offset: -1, Record: -1}).Error(), "aborted: m")
	whole := &Error{Code: CodeDataLoss, Message: "m\nn", File: "f", Offset: 0, Record: 2, Path: "batch/tfrecord"}
	expect(t, whole.Error(), "data_loss: m\nn\n(f, offset 0, record 2, in batch/tfrecord)")
}

func TestChecksDTypes(t *testing.T) {
	r := newTestRuntime(t)
	d := must(Parse(r, `from_tensors((1.5, [true, false], "a\xff", uint8([[1, 2], [3, 4]]), ["x", ""]))`))
	e := must(must(d.Iterator()).Next(background))
	defer e.Close()
	expect(t, must(Scalar[float32](e, 0)), float32(1.5))
	expect(t, must(Slice[bool](e, 1)), []bool{true, false})
	expect(t, must(e.Text(2)), "a\xff")
	expect(t, must(e.View(3)).Dims(), []int64{2, 2})
	expect(t, must(Slice[uint8](e, 3)), []uint8{1, 2, 3, 4})
	expect(t, must(e.Strings(4)), [][]byte{[]byte("x"), {}})
	_, err := Slice[float64](e, 0)
	expectError(t, err, CodeInvalidArgument, "expected float64, found float32")
	_, err = Scalar[bool](e, 1)
	expectError(t, err, CodeInvalidArgument, "a scalar")
	_, err = e.View(5)
	expectError(t, err, CodeOutOfRange, "")
	_, err = e.View(-1)
	expectError(t, err, CodeOutOfRange, "")
	expect(t, must(e.Format()), `(1.5, [true, false], "a\xff", [[1, 2], [3, 4]], ["x", ""])`)
	expect(t, must(e.JSON()), `[1.5, [true, false], {"base64": "Yf8="}, [[1, 2], [3, 4]], ["x", ""]]`)
	e.Clear()
	_, err = e.View(0)
	expectError(t, err, CodeOutOfRange, "empty")
	e.Close()
	_, err = e.View(0)
	expectError(t, err, CodeFailedPrecondition, "closed")
}

func TestPassesFailedElements(t *testing.T) {
	r := newTestRuntime(t)
	got, failed := results(must(must(Parse(r, "range(4) | map(x -> 6 // (x - 1))")).Iterator()))
	expect(t, got, []int64{-6, 6, 3})
	var e *Error
	if len(failed) != 1 || !errors.As(failed[0], &e) || e.Path != "map" || e.Code != CodeInvalidArgument || !e.Element {
		t.Fatal(failed)
	}
}

func TestErrorsNameTheFile(t *testing.T) {
	r := newTestRuntime(t)
	_, failed := results(must(must(Tfrecord("/nowhere/a").Build(r)).Iterator()))
	var e *Error
	if len(failed) != 1 || !errors.As(failed[0], &e) || e.File != "/nowhere/a" || !errors.Is(e, fs.ErrNotExist) {
		t.Fatal(failed)
	}
	_, err := Parse(r, "range(10) | batsh(4)")
	expectError(t, err, CodeInvalidArgument, "batch")
	if IsElement(err) {
		t.Fatal("expected the call to fail")
	}
}

func TestNestedDatasets(t *testing.T) {
	r := newTestRuntime(t)
	it := must(must(Range(5).Window(2).Build(r)).Iterator())
	var sums []int64
	for {
		e, err := it.Next(background)
		if err == io.EOF {
			break
		}
		sum := int64(0)
		for _, value := range values(t, must(e.Dataset(r, 0))) {
			sum += value
		}
		sums = append(sums, sum)
	}
	expect(t, sums, []int64{1, 5, 4})
}

func TestSpecs(t *testing.T) {
	s := must(ParseSpec("{image: uint8[28, ?], pair: (int64, string), maybe: optional<sparse<float32>[?, 10]>}"))
	members := must(s.Members())
	expect(t, must(members[0].Spec.Dims()), []int64{28, -1})
	expect(t, members[1].Key, "pair")
	expect(t, must(s.Component("pair.1")), 2)
	expect(t, must(s.ComponentCount()), 7)
	expect(t, must(s.ComponentDTypes()), []DType{DTypeUint8, DTypeInt64, DTypeString, DTypeBool, DTypeInt64,
		DTypeFloat32, DTypeInt64})
	if dims := must(must(ParseSpec("uint8[...]")).Dims()); dims != nil {
		t.Fatal(dims)
	}
	_, err := ParseSpec("uint9")
	expectError(t, err, CodeInvalidArgument, "")
}

func TestEveryWayToTakeElements(t *testing.T) {
	r := newTestRuntime(t)
	d := must(Range(6).Build(r))
	it := must(d.Iterator())
	e := must(NewElement())
	for i := int64(0); i < 3; i++ {
		switch i {
		case 0:
			expect(t, it.NextInto(background, e), nil)
		case 1:
			expect(t, must(it.TryNextInto(e)), true)
		case 2:
			expect(t, must(it.NextWithin(time.Minute, e)), true)
		}
		expect(t, must(Scalar[int64](e, 0)), i)
	}
	expect(t, must(it.NextBlock(background, 100, e)), 3)
	expect(t, must(Slice[int64](e, 0)), []int64{3, 4, 5})
	_, err := it.NextBlock(background, 100, e)
	expect(t, err, io.EOF)
	expect(t, d.At(4, e), nil)
	expect(t, must(Scalar[int64](e, 0)), int64(4))
	for _, outside := range []int64{6, -1, 3 - 1<<62, -1 << 63} {
		expectError(t, d.At(outside, e), CodeOutOfRange, "")
	}
}

func TestOrigins(t *testing.T) {
	r := newTestRuntime(t)
	file := filepath.Join(t.TempDir(), "records")
	w := must(CreateRecords(r, file, CompressionZstd))
	for i := int64(0); i < 3; i++ {
		example := Example{"n": []int64{i}, "f": []float32{0.5}, "b": []string{"x"}}
		must(w.Write(must(example.Serialize())))
	}
	expect(t, w.Close(), nil)
	d := must(Tfrecord(file, TfrecordOptions{Compression: "zstd"}).
		Map("r -> parse_example(r, {n: int64, f: float32, b: string})").Skip(2).Build(r))
	e := must(must(d.Iterator()).Next(background))
	expect(t, must(e.Origin(0)), Origin{file, 2})
	expect(t, must(e.Format()), `{n: 2, f: 0.5, b: "x"}`)
	plain := must(Example{"n": int64(7), "f": float32(0.5), "b": "x", "c": []byte("y")}.Serialize())
	expect(t, plain, must(Example{"n": []int64{7}, "f": []float32{0.5}, "b": []string{"x"}, "c": [][]byte{{'y'}}}.Serialize()))
	_, err := Example{"x": 1}.Serialize()
	expectError(t, err, CodeInvalidArgument, "int")
}

func TestSchema(t *testing.T) {
	r := newTestRuntime(t)
	if page := must(Schema("batch", true)); !strings.HasPrefix(page, "batch") {
		t.Fatal(page)
	}
	if !strings.Contains(must(Schema("", false)), `"name": "zip"`) {
		t.Fatal("expected all operators")
	}
	_, err := Schema("batsh", false)
	expectError(t, err, CodeNotFound, "batch")
	expect(t, must(Check(r, "range(2)", nil)), "[]")
	if mistakes := must(Check(r, "range(", nil)); !strings.Contains(mistakes, `"line"`) {
		t.Fatal(mistakes)
	}
}

func TestGoroutinesShareAnIterator(t *testing.T) {
	r := newTestRuntime(t)
	it := must(must(Range(1000).Prefetch(4).Build(r)).Iterator())
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	var sum atomic.Int64
	var wait sync.WaitGroup
	for i := 0; i < 4; i++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			e := must(NewElement())
			for it.NextInto(ctx, e) == nil {
				sum.Add(must(Scalar[int64](e, 0)))
			}
		}()
	}
	wait.Wait()
	expect(t, sum.Load(), int64(499500))
}

func TestTensors(t *testing.T) {
	r := newTestRuntime(t)
	given := []float32{1, 2, 3, 4}
	copied := must(CopyTensor(given, 2, 2))
	filled := must(FillTensor(func(out []float32) error { return ignore(copy(out, given)) }, 4))
	given[0] = 9
	texts := must(StringTensor([]string{"a", ""}, 2))
	d := must(FromTensors(map[string]any{"c": copied, "f": filled, "s": texts}).Build(r))
	copied.Close()
	e := must(must(d.Iterator()).Next(background))
	expect(t, must(e.Format()), `{c: [[1.0, 2.0], [3.0, 4.0]], f: [1.0, 2.0, 3.0, 4.0], s: ["a", ""]}`)
	kept := must(e.Tensor(1))
	e.Close()
	expect(t, must(ViewSlice[float32](must(kept.View()))), []float32{1, 2, 3, 4})
	_, err := CopyTensor(given, 3)
	expectError(t, err, CodeInvalidArgument, "")
	_, err = FillTensor(func([]float32) error { return io.ErrUnexpectedEOF }, 2)
	expect(t, err, io.ErrUnexpectedEOF)
	_, err = FillTensor(func([]int64) error { return nil }, 1<<45)
	expectError(t, err, CodeResourceExhausted, "memory")
	_, err = FillTensor(func([]int64) error { return nil }, 1<<40, 1<<40)
	expectError(t, err, CodeInvalidArgument, "dimensions")
	mapped := must(Range(2).Map("x -> x + @more[x]").With("more", must(CopyTensor([]int64{5, 6}, 2))).Build(r))
	expect(t, values(t, mapped), []int64{5, 7})
}

func ignore(int) error { return nil }
