// Written by tools/generate-cpp. Edit the definitions in src/, not this file.
//
// Every operator of this version: sources are functions, transformations and terminals are members of Pipeline.
// Arguments that may be left out are in a struct of options, where {} is the default:
//
//   weir::range(10).map("x -> x * x", {.num_parallel_calls = weir::automatic})    // C++20
//
//   weir::MapOptions options;                                                      // C++17
//   options.num_parallel_calls = weir::automatic;
//   weir::range(10).map("x -> x * x", options)
//
// docs/operators.md and `weir help NAME` have examples and costs.
#pragma once

#include "weir/cpp/pipeline.hpp"

namespace weir {
inline namespace v0 {

struct CounterOptions {
  // The first number. Default: 0.
  Int start{};
  // The distance between numbers; negative counts down, 0 repeats the first. Default: 1.
  Int step{};
};

struct ListFilesOptions {
  // A new random order each epoch; else sorted. Default: true.
  Bool shuffle{};
  // The seed of the order. Default: none.
  Seed seed{};
};

struct RangeOptions {
  // The distance between numbers: not 0; negative counts down. Default: 1.
  Int step{};
  // An integer or float dtype; each number is cast to it, integers wrap. Default: int64.
  DTypeName dtype{};
};

struct TfrecordOptions {
  // "", "gzip", "zlib", or "auto": by the first bytes. Default: "".
  String compression{};
  // How many files are read in turns, a record of each; auto is 8. Default: 1.
  Int num_parallel_reads{};
};

struct BatchOptions {
  // Leave out a last batch of fewer than n elements. Default: false.
  Bool drop_remainder{};
  // For compatibility with tf.data; has no effect, since copying is not worth a thread. Default: 1.
  Int num_parallel_calls{};
};

struct InterleaveOptions {
  // How many datasets are open at a time; auto is 8. Default: auto.
  Int cycle_length{};
  // How many elements of one dataset come in a row. Default: 1.
  Int block_length{};
  // How many datasets run ahead at once: at most cycle_length; auto is what the machine runs. So many more
  // are opened before their turn. The sequence is the same for any. Default: 1.
  Int num_parallel_calls{};
  // false: where several run ahead, a dataset that has no element yet gives up its turn. Default: none.
  Bool deterministic{};
};

struct MapOptions {
  // How many calls run at once; auto: as many as there are cores. Default: 1.
  Int num_parallel_calls{};
  // false: results come as they finish, in any order. Default: none.
  Bool deterministic{};
};

struct PaddedBatchOptions {
  // The dimensions of each tensor, in the structure of the element: a number, or none for the largest of the
  // batch. Default: none.
  Value shapes{};
  // What to fill up with: one value, or one for each tensor. Otherwise 0, false or "". Default: none.
  Value values{};
  // Leave out a last batch of fewer than n elements. Default: false.
  Bool drop_remainder{};
};

struct RebatchOptions {
  // Leave out a last batch that is too short. Default: false.
  Bool drop_remainder{};
};

struct ShuffleOptions {
  // Fixes the order: n, or the pair (a, b); none draws a seed when the dataset is built. Default: none.
  Seed seed{};
  // Each epoch has an order of its own. Default: true.
  Bool reshuffle_each_iteration{};
};

struct WindowOptions {
  // How many elements the next window begins after this one; none is size. Default: none.
  Int shift{};
  // A window has every stride-th element. Default: 1.
  Int stride{};
  // Leave out windows of fewer than size elements. Default: false.
  Bool drop_remainder{};
};

// A document under construction: a source, then transformations. Nothing is checked before build(), which parses the
// document once. Each call returns a new pipeline and leaves the old one as it was. A pipeline that is used twice is
// written twice; to share one, with its epochs, build it and use the dataset. Any number of threads may use one.
class Pipeline : public detail::Document<Pipeline> {
 public:
  // Begins with a call of a source, or a dataset that was built before.
  explicit Pipeline(detail::Fragment fragment) : Document(std::move(fragment)) {}
  explicit Pipeline(const Dataset& dataset) : Document(detail::Fragment::handed(dataset)) {}

  // The elements as they are, of which there are said to be n. If there are fewer or more, the last element
  // is an error (failed_precondition). Errors among them are passed on and not counted.
  // n: How many elements there are; -1: no end, -2: nobody knows.
  Pipeline assert_cardinality(const Int& n) const {
    return then(detail::CallText("assert_cardinality").positional(n).end());
  }

  // Joins n elements along a new first dimension. The elements of a batch must have one shape, or the batch
  // is an error. The last batch may have fewer elements. An error among the elements drops the batch gathered
  // so far; the next one begins after it.
  // n: How many elements make a batch.
  Pipeline batch(const Int& n, const BatchOptions& options = {}) const {
    return then(detail::CallText("batch")
                    .positional(n)
                    .named("drop_remainder", options.drop_remainder)
                    .named("num_parallel_calls", options.num_parallel_calls)
                    .end());
  }

  // The elements of the input, then those of the other dataset. Both must have the same structure and dtypes;
  // dimensions that differ become unknown.
  // other: The dataset that follows; its structure and dtypes are the same.
  Pipeline concatenate(const Operand& other) const {
    return then(detail::CallText("concatenate").positional(other).end());
  }

  // Pairs of a number and an element, the numbers counting up from start. An error uses up a number.
  // start: The number of the first element. Default: 0.
  Pipeline enumerate(const Int& start = {}) const {
    return then(detail::CallText("enumerate").named("start", start).end());
  }

  // The elements for which f is true, in their order. An element for which f fails is an error.
  // f: The condition: gives a bool.
  Pipeline filter(const Function& f) const { return then(detail::CallText("filter").positional(f).end()); }

  // The elements of the dataset that f makes from the first element, then those of the second, and so on.
  // f: Maps each element to a dataset.
  Pipeline flat_map(const Function& f) const {
    return then(detail::CallText("flat_map").positional(f).end());
  }

  // The elements that did not fail.
  // log: Log a warning for each error that is left out. Default: false.
  Pipeline ignore_errors(const Bool& log = {}) const {
    return then(detail::CallText("ignore_errors").named("log", log).end());
  }

  // Takes turns between the datasets that f makes from the elements. cycle_length of them are open at a time,
  // and each gives block_length elements per turn. With num_parallel_calls, the open ones and the next ones
  // run ahead on other threads; the order stays unless deterministic is false.
  // f: Maps each element to a dataset.
  Pipeline interleave(const Function& f, const InterleaveOptions& options = {}) const {
    return then(detail::CallText("interleave")
                    .positional(f)
                    .named("cycle_length", options.cycle_length)
                    .named("block_length", options.block_length)
                    .named("num_parallel_calls", options.num_parallel_calls)
                    .named("deterministic", options.deterministic)
                    .end());
  }

  // Applies f to each element. Where f fails, the error takes the place of the element. With
  // num_parallel_calls, calls run ahead on other threads; the order stays unless deterministic is false.
  // f: The function: a lambda or a callback.
  Pipeline map(const Function& f, const MapOptions& options = {}) const {
    return then(detail::CallText("map")
                    .positional(f)
                    .named("num_parallel_calls", options.num_parallel_calls)
                    .named("deterministic", options.deterministic)
                    .end());
  }

  // Joins n elements along a new first dimension, and pads tensors that are smaller than the largest of the
  // batch, or than shapes. An element larger than that makes the batch an error. An error among the elements
  // drops the batch gathered so far; the next one begins after it.
  // n: How many elements make a batch.
  Pipeline padded_batch(const Int& n, const PaddedBatchOptions& options = {}) const {
    return then(detail::CallText("padded_batch")
                    .positional(n)
                    .named("shapes", options.shapes)
                    .named("values", options.values)
                    .named("drop_remainder", options.drop_remainder)
                    .end());
  }

  // Makes up to n elements ahead on another thread while the consumer works. Order and errors stay where they
  // are.
  // n: How many elements may wait; 0 runs nothing ahead; auto begins with 2 and doubles when the consumer has
  // to wait, up to 8 MiB and 1,024.
  Pipeline prefetch(const Int& n) const { return then(detail::CallText("prefetch").positional(n).end()); }

  // Joins and splits batches, so that each has n rows. A list of sizes is used in turn; 0 gives an empty
  // batch. The last batch may have fewer rows. An error among the elements drops the rows gathered so far;
  // the next batch begins after it.
  // n: How many rows make a batch; or a list of such sizes, used in turn. An empty batch has the size 0.
  Pipeline rebatch(const Value& n, const RebatchOptions& options = {}) const {
    return then(
        detail::CallText("rebatch").positional(n).named("drop_remainder", options.drop_remainder).end());
  }

  // The input count times over, forever if count is negative. An endless repeat ends after an epoch without
  // elements.
  // count: How many times; negative repeats forever. Default: -1.
  Pipeline repeat(const Int& count = {}) const {
    return then(detail::CallText("repeat").named("count", count).end());
  }

  // Applies f to a state and each element: f returns the next state and the element that is given. An error
  // keeps the state.
  // state: The first state.
  // f: (state, element) -> (state, result), the state of the same structure and dtypes.
  Pipeline scan(const Value& state, const Function& f) const {
    return then(detail::CallText("scan").positional(state).positional(f).end());
  }

  // One of num_shards parts: the elements whose number, counted from 0, has remainder index modulo
  // num_shards. Errors are passed on to every part and not counted. shard(auto, auto) is the part of the
  // iterator's rank, from its options or from the environment (RANK and WORLD_SIZE, or those of Open MPI,
  // MPICH, Slurm and Kubernetes); the checkpoints of all its ranks can be continued by another number of
  // ranks.
  // num_shards: How many shards there are; auto: as many as the iterator has ranks.
  // index: Which of them this is, from 0; auto: that of the iterator's rank.
  Pipeline shard(const Int& num_shards, const Int& index) const {
    return then(detail::CallText("shard").positional(num_shards).positional(index).end());
  }

  // The elements in random order, each drawn from a buffer of buffer_size elements that is filled first. The
  // order is tf.data's for the same seed. Errors pass at once.
  // buffer_size: How many elements wait to be drawn from; larger mixes better.
  Pipeline shuffle(const Int& buffer_size, const ShuffleOptions& options = {}) const {
    return then(detail::CallText("shuffle")
                    .positional(buffer_size)
                    .named("seed", options.seed)
                    .named("reshuffle_each_iteration", options.reshuffle_each_iteration)
                    .end());
  }

  // All but the first n elements. Errors among them are passed on and not counted.
  // n: How many elements to leave out; negative leaves out all.
  Pipeline skip(const Int& n) const { return then(detail::CallText("skip").positional(n).end()); }

  // The first n elements. Errors among them are passed on and not counted.
  // n: How many elements to keep; negative keeps all.
  Pipeline take(const Int& n) const { return then(detail::CallText("take").positional(n).end()); }

  // The elements before the first for which f is false. An element for which f fails is an error, and the
  // next one follows.
  // f: The condition: gives a bool.
  Pipeline take_while(const Function& f) const {
    return then(detail::CallText("take_while").positional(f).end());
  }

  // The rows of each element, one by one: splits tensors along their first dimension, which must be the same
  // for all tensors of an element. An element without rows gives nothing.
  Pipeline unbatch() const { return then(detail::CallText("unbatch").end()); }

  // Datasets of size successive elements, one dataset for each component of the element's structure. A window
  // begins shift elements after the one before and has every stride-th element. The last windows have fewer
  // elements. An element that failed makes each window that has it an error.
  // size: The most elements that a window has.
  Pipeline window(const Int& size, const WindowOptions& options = {}) const {
    return then(detail::CallText("window")
                    .positional(size)
                    .named("shift", options.shift)
                    .named("stride", options.stride)
                    .named("drop_remainder", options.drop_remainder)
                    .end());
  }

  // One value: f applied to initial and the first element, then to its result and the second element, and so
  // on. initial if there are no elements. A dataset that is known to be infinite is refused.
  // initial: The first state.
  // f: (state, element) -> state, of the same structure and dtypes.
  Pipeline reduce(const Value& initial, const Function& f) const {
    return then(detail::CallText("reduce").positional(initial).positional(f).end());
  }
};

// The numbers from start on, step apart, without end. Sums wrap.
inline Pipeline counter(const CounterOptions& options = {}) {
  return Pipeline(
      detail::CallText("counter").named("start", options.start).named("step", options.step).end());
}

// A dataset without elements, whose elements would have the given structure.
// spec: The structure that its elements would have.
inline Pipeline empty(const SpecText& spec) {
  return Pipeline(detail::CallText("empty").positional(spec).end());
}

// One element per slice along the first dimension of each component. All components must have the same
// length.
// value: A tensor or a structure of tensors, each of rank 1 or more and of one length.
inline Pipeline from_tensor_slices(const Value& value) {
  return Pipeline(detail::CallText("from_tensor_slices").positional(value).end());
}

// A dataset of one element, the value itself.
// value: The element: a tensor or a tuple or dict of tensors.
inline Pipeline from_tensors(const Value& value) {
  return Pipeline(detail::CallText("from_tensors").positional(value).end());
}

// The names of the files that match a pattern. Order: random, and another one each epoch, unless shuffle is
// false; then sorted. A pattern that matches no file is an error when the dataset is built.
// pattern: A glob pattern or a list of them: * ? [a-z] within one part of a path.
inline Pipeline list_files(const Value& pattern, const ListFilesOptions& options = {}) {
  return Pipeline(detail::CallText("list_files")
                      .positional(pattern)
                      .named("shuffle", options.shuffle)
                      .named("seed", options.seed)
                      .end());
}

// The numbers from start up to but not including stop, step apart. There are none if step leads away from
// stop. A single positional argument is stop.
// stop: The sequence ends before it.
inline Pipeline range(const Int& stop) { return Pipeline(detail::CallText("range").positional(stop).end()); }
inline Pipeline range(const Int& start, const Int& stop, const RangeOptions& options = {}) {
  return Pipeline(detail::CallText("range")
                      .positional(start)
                      .positional(stop)
                      .named("step", options.step)
                      .named("dtype", options.dtype)
                      .end());
}

// The records of TFRecord files, as strings. Both checksums of every record are checked. A file that does not
// exist (not_found), is damaged (data_loss) or holds a record longer than the runtime's record_bytes
// (resource_exhausted) gives one error in place of its remaining records, and the next file follows. Runs
// ahead of its consumer on a thread of its own.
// files: A file name, a list of names, or a dataset of names.
inline Pipeline tfrecord(const Files& files, const TfrecordOptions& options = {}) {
  return Pipeline(detail::CallText("tfrecord")
                      .positional(files)
                      .named("compression", options.compression)
                      .named("num_parallel_reads", options.num_parallel_reads)
                      .end());
}

// One element of each dataset at a time, in the structure that the datasets are given in. Ends with the
// shortest. If any input fails at a position, that position is one error.
// datasets: One or more datasets, or a tuple or dict of them.
inline Pipeline zip(const Datasets& datasets) {
  return Pipeline(detail::CallText("zip").positional(datasets).end());
}

}  // namespace v0
}  // namespace weir
