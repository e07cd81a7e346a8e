// Command digits trains a classifier of handwritten digits: digits [FOLDER [EPOCHS]]. It trains on train-*.tfrecord.gz and
// tests on test-*.tfrecord.gz there. In the middle of the run it saves, throws everything away and goes on from the saved
// position.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"weir"
)

const (
	parse = "r -> parse_example(r, {image: string, label: int64})"
	scale = "{image, label} -> {image: reshape(cast(decode_raw(image, uint8), float32) / 255.0, [64]), label}"
)

// datasets gives images of 64 floats from 0 to 1, and labels, in batches.
func datasets(runtime *weir.Runtime) (train, test *weir.Dataset, err error) {
	files := weir.Expr("$files")
	parallel := weir.MapOptions{NumParallelCalls: weir.Auto}
	train, err = weir.ListFiles(files, weir.ListFilesOptions{Seed: 7}).
		Param("files", "string").
		Interleave(`f -> tfrecord(f, compression: "gzip")`, weir.InterleaveOptions{CycleLength: 4}).
		Shuffle(1440, weir.ShuffleOptions{Seed: 42}).
		Map(parse, parallel).Map(scale, parallel).Batch(32).Prefetch(weir.Auto).
		Build(runtime)
	if err != nil {
		return nil, nil, err
	}
	names := weir.ListFiles(files, weir.ListFilesOptions{Shuffle: false}).Param("files", "string")
	test, err = weir.Tfrecord(names, weir.TfrecordOptions{Compression: "gzip"}).
		Map(parse).Map(scale).Batch(128).Prefetch(weir.Auto).
		Build(runtime)
	return train, test, err
}

// batches is an iterator for both, and where images and labels are in its elements.
type batches struct {
	*weir.Iterator
	element      *weir.Element
	image, label int
}

func newBatches(runtime *weir.Runtime, spec *weir.Spec) (*batches, error) {
	iterator, err := weir.NewIterator(runtime, spec)
	if err != nil {
		return nil, err
	}
	element, err := weir.NewElement()
	if err != nil {
		return nil, err
	}
	image, err := spec.Component("image")
	if err != nil {
		return nil, err
	}
	label, err := spec.Component("label")
	return &batches{iterator, element, image, label}, err
}

func (b *batches) next(ctx context.Context) (images []float32, labels []int64, err error) {
	if err := b.NextInto(ctx, b.element); err != nil {
		return nil, nil, err
	}
	if images, err = weir.Slice[float32](b.element, b.image); err != nil {
		return nil, nil, err
	}
	labels, err = weir.Slice[int64](b.element, b.label)
	return images, labels, err
}

func (b *batches) close() {
	b.Close()
	b.element.Close()
}

// epoch gives what `use` makes of each batch.
func (b *batches) epoch(ctx context.Context, use func(images []float32, labels []int64) error) error {
	for {
		images, labels, err := b.next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := use(images, labels); err != nil {
			return err
		}
	}
}

type job struct {
	runtime     *weir.Runtime
	train, test *weir.Dataset
	spec        *weir.Spec
	folder      string
	batches     *batches
	network     *network
}

func (j *job) options(pattern string) weir.IteratorOptions {
	return weir.IteratorOptions{Params: map[string]weir.Value{"files": filepath.Join(j.folder, pattern)}}
}

// restart goes on from the saved position with another iterator. What comes after is what would have come.
func (j *job) restart() error {
	options := j.options("train-*.tfrecord.gz")
	var err error
	if options.Checkpoint, err = j.batches.Save(); err != nil {
		return err
	}
	j.batches.close()
	if j.batches, err = newBatches(j.runtime, j.spec); err != nil {
		return err
	}
	return j.batches.Initialize(j.train, options)
}

func (j *job) trainEpoch(ctx context.Context, rate float32, steps int) (loss float32, err error) {
	count := 0
	for step := 0; steps < 0 || step < steps; step++ {
		images, labels, err := j.batches.next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, err
		}
		loss += j.network.train(images, labels, rate)
		count += len(labels)
	}
	return loss / float32(count), nil
}

func (j *job) accuracy(ctx context.Context) (float64, error) {
	if err := j.batches.Initialize(j.test, j.options("test-*.tfrecord.gz")); err != nil {
		return 0, err
	}
	correct, count := 0, 0
	err := j.batches.epoch(ctx, func(images []float32, labels []int64) error {
		correct += j.network.countCorrect(images, labels)
		count += len(labels)
		return nil
	})
	return float64(correct) / float64(count), err
}

func (j *job) run(ctx context.Context, epochs int) (reached float64, err error) {
	rate := float32(0.1)
	for epoch := 0; epoch < epochs; epoch++ {
		if err := j.batches.Initialize(j.train, j.options("train-*.tfrecord.gz")); err != nil {
			return 0, err
		}
		if epoch == epochs/2 {
			if _, err := j.trainEpoch(ctx, rate, 20); err != nil {
				return 0, err
			}
			if err := j.restart(); err != nil {
				return 0, err
			}
		}
		loss, err := j.trainEpoch(ctx, rate, -1)
		if err != nil {
			return 0, err
		}
		if reached, err = j.accuracy(ctx); err != nil {
			return 0, err
		}
		fmt.Printf("epoch %3d  loss %.4f  accuracy %.4f\n", epoch+1, loss, reached)
		rate *= 0.95
	}
	return reached, nil
}

func begin(folder string) (j *job, err error) {
	j = &job{folder: folder, network: newNetwork(1)}
	if j.runtime, err = weir.NewRuntime(); err != nil {
		return nil, err
	}
	if j.train, j.test, err = datasets(j.runtime); err != nil {
		return nil, err
	}
	if j.spec, err = j.train.Spec(); err != nil {
		return nil, err
	}
	j.batches, err = newBatches(j.runtime, j.spec)
	return j, err
}

func main() {
	folder, epochs := "examples/digits/data", 30
	if len(os.Args) > 1 {
		folder = os.Args[1]
	}
	if len(os.Args) > 2 {
		epochs, _ = strconv.Atoi(os.Args[2])
	}
	j, err := begin(folder)
	if err == nil {
		var accuracy float64
		if accuracy, err = j.run(context.Background(), epochs); err == nil {
			fmt.Printf("accuracy on the test set: %.4f\n", accuracy)
			if epochs >= 30 && accuracy < 0.97 {
				err = fmt.Errorf("expected at least 0.97")
			}
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "digits:", err)
		os.Exit(1)
	}
}
