// Package weir loads data for programs that train or run models: the pipelines of tf.data as a library, with exact
// checkpoints.
//
//	runtime, err := weir.NewRuntime()
//	dataset, err := weir.Range(10).Map("x -> x * 2").Batch(4).Build(runtime)
//	iterator, err := dataset.Iterator()
//	for element, err := range iterator.All(ctx) {
//		values, err := weir.Slice[int64](element, 0)
//	}
//
// A Dataset is an immutable description of a sequence. An Element is one item of it, a nested structure of components; a
// component is one tensor. An Iterator is a position in a dataset, which Save gives as bytes.
//
// # Memory
//
// Slices and views of an Element show memory of the library: they are valid until the element is filled again, cleared or
// closed, and as long as the program holds the element; runtime.KeepAlive(element) after the last use of a slice makes
// sure of it. Copy what is needed longer, or take Element.Tensor.
//
// Everything that has Close releases what it holds then, at once; what was not closed is released some time after the
// garbage collector finds it unreachable. Closing twice is allowed, and so is any order.
//
// # Threads
//
// Any number of goroutines may use a Runtime, Dataset, Spec, Tensor or Iterator at once, and only one an Element, a
// RecordWriter, an Example or a CheckpointManager.
package weir
