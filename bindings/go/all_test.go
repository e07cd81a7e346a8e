//go:build go1.23

package weir

import (
	"context"
	"fmt"
	"testing"
)

func ExampleIterator_All() {
	runtime, _ := NewRuntime()
	dataset, _ := Range(10).Map("x -> x * 2").Batch(4).Build(runtime)
	iterator, _ := dataset.Iterator()
	for element, err := range iterator.All(context.Background()) {
		values, _ := Slice[int64](element, 0)
		fmt.Println(values, err)
	}
	// Output:
	// [0 2 4 6] <nil>
	// [8 10 12 14] <nil>
	// [16 18] <nil>
}

func TestAll(t *testing.T) {
	r := newTestRuntime(t)
	it := must(must(Parse(r, "range(4) | map(x -> 6 // (x - 1))")).Iterator())
	failed := 0
	for e, err := range it.All(background) {
		if err != nil {
			failed++
			continue
		}
		if must(Scalar[int64](e, 0)) == 6 {
			break
		}
	}
	expect(t, failed, 1)
	expect(t, take(t, it, 1), []int64{3})
	it.Cancel()
	count := 0
	for _, err := range it.All(background) {
		expectError(t, err, CodeCancelled, "")
		count++
	}
	expect(t, count, 1)
}

func TestLoopsBeginTheNextEpoch(t *testing.T) {
	r := newTestRuntime(t)
	d := must(Range(20).Shuffle(20, ShuffleOptions{Seed: 3}).Build(r))
	for epoch := uint64(0); epoch < 3; epoch++ {
		expected := values(t, d, IteratorOptions{Epoch: epoch})
		count := 0
		for e, err := range d.All(background) {
			expect(t, err, nil)
			expect(t, must(Scalar[int64](e, 0)), expected[count])
			count++
			if epoch == 1 && count == 5 {
				break
			}
		}
		if epoch != 1 {
			expect(t, count, 20)
		}
	}
}
