package weir

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
	"testing"
	"time"
)

func take(t *testing.T, it *Iterator, count int) (out []int64) {
	t.Helper()
	e := must(NewElement())
	defer e.Close()
	for i := 0; i < count; i++ {
		if err := it.NextInto(background, e); err != nil {
			t.Fatal(err)
		}
		out = append(out, must(Scalar[int64](e, 0)))
	}
	return out
}

func TestPositions(t *testing.T) {
	r := newTestRuntime(t)
	d := must(Range(100).Shuffle(10, ShuffleOptions{Seed: 42}).Prefetch(4).Build(r))
	it := must(d.Iterator())
	take(t, it, 37)
	position, file := must(it.Save()), filepath.Join(t.TempDir(), "position")
	expect(t, it.SaveFile(file), nil)
	rest, _ := results(it)
	expect(t, len(rest), 63)
	expect(t, values(t, d, IteratorOptions{Checkpoint: position}), rest)
	expect(t, values(t, d, IteratorOptions{CheckpointFile: file}), rest)
	if !strings.Contains(must(DescribeCheckpoint(r, file, false)), `"kind": "checkpoint"`) {
		t.Fatal("expected a description")
	}
	_, err := must(Range(99).Build(r)).Iterator(IteratorOptions{Checkpoint: position})
	expectError(t, err, CodeFailedPrecondition, "")
	if !strings.Contains(must(d.Explain(false)), `"read_again_rows"`) {
		t.Fatal("expected what a checkpoint takes")
	}
}

func TestRanksGoOn(t *testing.T) {
	r := newTestRuntime(t)
	d := must(Parse(r, "range(20) | shard(auto, auto)"))
	var positions [][]byte
	var seen []int64
	for rank := uint32(0); rank < 2; rank++ {
		it := must(d.Iterator(IteratorOptions{Rank: rank, WorldSize: 2}))
		seen = append(seen, take(t, it, 3)...)
		positions = append(positions, must(it.Save()))
	}
	for rank := uint32(0); rank < 2; rank++ {
		seen = append(seen, values(t, d, IteratorOptions{Rank: rank, WorldSize: 2, RankCheckpoints: positions})...)
	}
	sort.Slice(seen, func(i, j int) bool { return seen[i] < seen[j] })
	expect(t, seen, values(t, must(Range(20).Build(r))))
}

func TestManager(t *testing.T) {
	r := newTestRuntime(t)
	folder := t.TempDir()
	d := must(Range(10).Build(r))
	options := ManagerOptions{Keep: 2, EveryElements: 4}
	m := must(NewCheckpointManager(r, folder, options))
	_, err := m.Load()
	expectError(t, err, CodeNotFound, "")
	it, saves := must(d.Iterator()), 0
	for i := 0; i < 10; i++ {
		take(t, it, 1)
		if must(m.Step(1)) {
			saves++
			expect(t, m.Save(it, []byte(fmt.Sprint("save ", saves))), nil)
		}
	}
	m.Close()
	m = must(NewCheckpointManager(r, folder, options))
	newest := must(m.Load())
	expect(t, string(newest.Extra), "save 2")
	expect(t, values(t, d, IteratorOptions{Checkpoint: newest.Position}), []int64{8, 9})
	_, _, err = m.Ranks()
	expectError(t, err, CodeFailedPrecondition, "")
	m.Close()
}

func TestPolicies(t *testing.T) {
	r := newTestRuntime(t)
	same := func(c *Call) error { return Write(c, 0, must(Input[int64](c, 0))) }
	d := must(Range(10).Map(same).Prefetch(2).Build(r))
	_, err := must(d.Iterator()).Save()
	expectError(t, err, CodeFailedPrecondition, "")
	it := must(d.Iterator(IteratorOptions{CheckpointPolicy: CheckpointByValue}))
	take(t, it, 5)
	expect(t, values(t, d, IteratorOptions{Checkpoint: must(it.Save())}), []int64{5, 6, 7, 8, 9})
}

func TestParameters(t *testing.T) {
	r := newTestRuntime(t)
	d := must(Parse(r, "param n: int64\nparam more: int64[?]\nrange($n) | map(x -> x + sum($more))"))
	params := map[string]Value{"n": 3, "more": must(CopyTensor([]int64{10, 20}, 2))}
	expect(t, values(t, d, IteratorOptions{Params: params}), []int64{30, 31, 32})
	_, failed := results(must(d.Iterator(IteratorOptions{Uninitialized: true})))
	expectError(t, failed[0], CodeFailedPrecondition, "")
	_, err := d.Iterator(IteratorOptions{Params: map[string]Value{"n": struct{}{}}})
	expectError(t, err, CodeInvalidArgument, "struct")
	named := must(FromTensors(Expr("$s")).Param("s", "string").Build(r))
	it := must(named.Iterator(IteratorOptions{Params: map[string]Value{"s": `a "b"`}}))
	expect(t, must(must(it.Next(background)).Text(0)), `a "b"`)
}

func TestEpochs(t *testing.T) {
	r := newTestRuntime(t)
	d := must(Range(20).Shuffle(20, ShuffleOptions{Seed: 7}).Build(r))
	it := must(d.Iterator())
	first := take(t, it, 20)
	expect(t, it.Initialize(nil, IteratorOptions{}), nil)
	second := take(t, it, 20)
	if fmt.Sprint(first) == fmt.Sprint(second) {
		t.Fatal("expected another order")
	}
	expect(t, values(t, d, IteratorOptions{Epoch: 1}), second)
}

func TestOneIteratorForSeveralDatasets(t *testing.T) {
	r := newTestRuntime(t)
	train, test := must(Range(3).Build(r)), must(RangeFrom(10, 12).Build(r))
	it := must(NewIterator(r, must(train.Spec())))
	expect(t, it.Initialize(train, IteratorOptions{}), nil)
	expect(t, take(t, it, 3), []int64{0, 1, 2})
	expect(t, it.Initialize(test, IteratorOptions{}), nil)
	expect(t, take(t, it, 2), []int64{10, 11})
	err := it.Initialize(must(Range(3).Map("x -> float32(x)").Build(r)), IteratorOptions{})
	expectError(t, err, CodeInvalidArgument, "")
}

func TestFeedable(t *testing.T) {
	r := newTestRuntime(t)
	train := must(must(Range(3).Build(r)).Iterator())
	test := must(must(RangeFrom(10, 12).Build(r)).Iterator())
	f := must(NewFeedableIterator(r, must(train.Spec()), must(train.StringHandle())))
	defer f.Close()
	feed := func(handle string) error { return f.Initialize(nil, IteratorOptions{StringHandle: handle}) }
	e := must(NewElement())
	var got []int64
	for _, it := range []*Iterator{train, test, train} {
		expect(t, feed(must(it.StringHandle())), nil)
		expect(t, f.NextInto(background, e), nil)
		got = append(got, must(Scalar[int64](e, 0)))
	}
	expect(t, got, []int64{0, 10, 1})
	expect(t, must(f.TryNextInto(e)), true)
	gate := make(chan int64)
	waits := must(must(gated(gate).Build(r)).Iterator())
	expect(t, feed(must(waits.StringHandle())), nil)
	expect(t, must(f.NextWithin(0, e)), false)
	go func() { gate <- 7 }()
	expect(t, must(f.NextWithin(time.Hour, e)), true)
	expect(t, must(Scalar[int64](e, 0)), int64(7))
	close(gate)
	waits.Close()
	handle := must(test.StringHandle())
	test.Close()
	expectError(t, f.NextInto(background, e), CodeNotFound, "")
	expectError(t, feed(handle), CodeNotFound, "")
}

func TestShared(t *testing.T) {
	r := newTestRuntime(t)
	d := must(Range(4).Build(r))
	first := must(must(d.Iterator()).Share("data"))
	second := must(must(d.Iterator()).Share("data"))
	expect(t, take(t, first, 2), []int64{0, 1})
	expect(t, take(t, second, 2), []int64{2, 3})
}

func TestCancel(t *testing.T) {
	r := newTestRuntime(t)
	it := must(must(Range(4).Build(r)).Iterator())
	it.Cancel()
	_, err := it.Next(background)
	expectError(t, err, CodeCancelled, "")
	if IsElement(err) || !errors.Is(err, CodeCancelled) {
		t.Fatal(err)
	}
	expect(t, it.Initialize(nil, IteratorOptions{}), nil)
	expect(t, take(t, it, 1), []int64{0})
}

func TestEpochsHaveOrdersOfTheirOwn(t *testing.T) {
	r := newTestRuntime(t)
	d := must(Range(20).Shuffle(20, ShuffleOptions{Seed: 3}).Build(r))
	var seen [3][]int64
	for i := range seen {
		it := must(d.NextEpoch())
		seen[i], _ = results(it)
		it.Close()
	}
	for i := range seen {
		expect(t, values(t, d, IteratorOptions{Epoch: uint64(i)}), seen[i])
	}
	if reflect.DeepEqual(seen[0], seen[1]) || reflect.DeepEqual(seen[1], seen[2]) {
		t.Fatal(seen)
	}
}
