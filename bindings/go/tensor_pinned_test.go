//go:build go1.21

package weir

import (
	"runtime"
	"testing"
	"unsafe"
)

func TestPinnedTensorsAreNotCopied(t *testing.T) {
	r := newTestRuntime(t)
	given := make([]float32, 1<<20)
	given[1<<20-1] = 5
	tensor := must(PinTensor(given, 1<<10, 1<<10))
	d := must(FromTensors(tensor).Build(r))
	tensor.Close()
	e := must(must(d.Iterator()).Next(background))
	runtime.GC()
	seen := must(Slice[float32](e, 0))
	if unsafe.SliceData(seen) != unsafe.SliceData(given) || seen[1<<20-1] != 5 {
		t.Fatal("expected the program's own memory")
	}
	d.Close()
	_, err := PinTensor(given, 3)
	expectError(t, err, CodeInvalidArgument, "")
	expect(t, must(must(PinTensor([]int8{}, 0)).View()).Dims(), []int64{0})
}
