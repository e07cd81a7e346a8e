package weir

import (
	"runtime"
	"testing"
	"unsafe"

	"weir/internal/reference"
)

func TestTakesTensorsOfOtherLibraries(t *testing.T) {
	r := newTestRuntime(t)
	for _, readOnly := range []bool{false, true} {
		foreign := reference.NewForeign(1, false, readOnly)
		given := must(TakeDLPack(foreign.Managed()))
		expect(t, given.ReadOnly(), readOnly)
		expect(t, given.Dims(), []int64{2, 3})
		tensor := must(given.Tensor())
		view := must(tensor.View())
		expect(t, unsafe.Pointer(&must(ViewSlice[float32](view))[0]), foreign.Data())
		expect(t, view.Dims(), []int64{2, 3})
		given.Close()
		d := must(FromTensorSlices(tensor).Map("x -> x * 2.0").Build(r))
		tensor.Close()
		expect(t, foreign.Deleted(), 0)
		it := must(d.Iterator())
		e := must(it.Next(background))
		e.Close()
		e = must(it.Next(background))
		expect(t, must(Slice[float32](e, 0)), []float32{6, 8, 10})
		it.Close()
		d.Close()
		e.Close()
		expect(t, foreign.Deleted(), 1)
		_, err := given.Tensor()
		expectError(t, err, CodeFailedPrecondition, "closed")
	}
}

func TestDeletesWhatItRefuses(t *testing.T) {
	_, err := TakeDLPack(nil)
	expectError(t, err, CodeInvalidArgument, "nil")
	other := reference.NewForeign(2, false, false)
	_, err = TakeDLPack(other.Managed())
	expectError(t, err, CodeInvalidArgument, "DLPack version 1, found 2")
	expect(t, other.Deleted(), 1)
	// A tensor that is not row-major is copied.
	turned := reference.NewForeign(1, true, false)
	tensor := must(must(TakeDLPack(turned.Managed())).Tensor())
	expect(t, turned.Deleted(), 1)
	expect(t, must(ViewSlice[float32](must(tensor.View()))), []float32{0, 3, 1, 4, 2, 5})
	// A struct that was not taken is deleted once, by Close or by the garbage collector.
	closed := reference.NewForeign(1, false, false)
	given := must(TakeDLPack(closed.Managed()))
	given.Close()
	given.Close()
	expect(t, closed.Deleted(), 1)
	expect(t, given.ReadOnly(), true)
	expect(t, given.HandOver(), unsafe.Pointer(nil))
	left := reference.NewForeign(1, false, false)
	must(TakeDLPack(left.Managed()))
	settle()
	expect(t, left.Deleted(), 1)
}

func TestGivesComponentsToOtherLibraries(t *testing.T) {
	r := newTestRuntime(t)
	given := must(CopyTensor([]float32{1, 2, 3, 4}, 2, 2))
	it := must(must(Zip([]Pipeline{FromTensors(given), Range(1).Batch(1)}).Map(`(x, n) -> (x, n, "s")`).Build(r)).Iterator())
	e := must(it.Next(background))
	shared := must(e.DLPack(0))
	expect(t, shared.ReadOnly(), true)
	expect(t, shared.Dims(), []int64{2, 2})
	managed := shared.HandOver()
	expect(t, shared.Dims(), []int64(nil))
	expect(t, reference.DataOf(managed), unsafe.Pointer(&must(Slice[float32](e, 0))[0]))
	writable := must(e.WritableDLPack(0))
	expect(t, writable.ReadOnly(), false)
	_, err := e.DLPack(2)
	expectError(t, err, CodeInvalidArgument, "string")
	_, err = e.DLPack(3)
	expectError(t, err, CodeOutOfRange, "")
	own := must(must(e.DLPack(1)).Tensor())
	e.Close()
	it.Close()
	given.Close()
	r.Close()
	runtime.GC()

	// The receiver has them after everything else is gone.
	expect(t, unsafe.Slice((*float32)(reference.DataOf(managed)), 4), []float32{1, 2, 3, 4})
	reference.Delete(managed)
	expect(t, must(ViewSlice[int64](must(own.View()))), []int64{0})
	writable.Close()
}

func TestATensorIsApartFromWhatAReceiverMayWrite(t *testing.T) {
	r := newTestRuntime(t)
	it := must(must(Range(2).Map("x -> arange(100000) + 100000 * x").Build(r)).Iterator())
	e := must(it.Next(background))
	given := must(e.DLPack(0))
	expect(t, given.ReadOnly(), false)
	apart := must(e.Tensor(0))
	managed := given.HandOver()
	unsafe.Slice((*int64)(reference.DataOf(managed)), 2)[1] = 7
	expect(t, must(Slice[int64](e, 0))[1], int64(7))
	expect(t, must(ViewSlice[int64](must(apart.View())))[1], int64(1))
	reference.Delete(managed)
	runtime.KeepAlive(e)
	runtime.KeepAlive(apart)
}
