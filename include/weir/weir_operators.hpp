// Written by tools/generate-cpp. Edit the definitions in src/, not this file.
//
// Every operator of this version: sources are functions, transformations and terminals are members of
// Pipeline. Arguments that may be left out are in a struct of options, where {} is the default:
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

struct ChooseFromDatasetsOptions {
  // End where a chosen dataset has no more elements; if false, pass over such choices. Default: true.
  Bool stop_on_empty{};
};

struct CounterOptions {
  // The first number. Default: 0.
  Int start{};
  // The distance between numbers; negative counts down, 0 repeats the first. Default: 1.
  Int step{};
};

struct CsvOptions {
  // The first row of each file holds names and is left out, with a byte-order mark before it. Default: false.
  Bool header{};
  // The byte between fields. Default: ",".
  String delim{};
  // Fields may stand in double quotes, with delimiters and line ends inside and quotes doubled. Default:
  // true.
  Bool quote{};
  // A field of these bytes is an empty one. Default: "".
  String na_value{};
  // The numbers of the fields that are read, ascending from 0, one for each column; none: all. Default: none.
  Value select{};
  // "", "gzip", "zlib", or "auto": by the first bytes. Default: "".
  String compression{};
  // How many files are read in turns, a record of each; auto is 8. Default: 1.
  Int num_parallel_reads{};
  // The numbers of the fields that are left out, ascending from 0, where select is none; none: the others of
  // select. Default: none.
  Value exclude{};
};

struct FixedLengthRecordOptions {
  // How many bytes of each file come before its records. Default: 0.
  Int header_bytes{};
  // How many bytes of each file come after its records. Default: 0.
  Int footer_bytes{};
  // "", "gzip", "zlib", or "auto": by the first bytes. Default: "".
  String compression{};
  // How many files are read in turns, a record of each; auto is 8. Default: 1.
  Int num_parallel_reads{};
};

struct ListFilesOptions {
  // A new random order each epoch; else sorted. Default: true.
  Bool shuffle{};
  // The seed of the order. Default: none.
  Seed seed{};
};

struct RandomOptions {
  // Fixes the numbers: n, or the pair (a, b); none draws a seed when the dataset is built. Default: none.
  Seed seed{};
  // Each epoch has numbers of its own. Default: false.
  Bool rerandomize_each_iteration{};
};

struct RangeOptions {
  // The distance between numbers: not 0; negative counts down. Default: 1.
  Int step{};
  // An integer or float dtype; each number is cast to it, integers wrap. Default: int64.
  DTypeName dtype{};
};

struct SampleFromDatasetsOptions {
  // How likely each dataset is: a vector of floats, or a dataset of such vectors, one for each element. none:
  // equally. Default: none.
  ValueOrDataset weights{};
  // Fixes the draws: n, or the pair (a, b); none draws a seed when the dataset is built. Default: none.
  Seed seed{};
  // End where a dataset is drawn that has no more elements; if false, draw again. Default: false.
  Bool stop_on_empty{};
  // Each epoch has draws of its own. Default: false.
  Bool rerandomize_each_iteration{};
};

struct TextLineOptions {
  // "", "gzip", "zlib", or "auto": by the first bytes. Default: "".
  String compression{};
  // How many bytes are read at a time; 0 is the default. Default: 262144.
  Int buffer_size{};
  // How many files are read in turns, a record of each; auto is 8. Default: 1.
  Int num_parallel_reads{};
};

struct TfrecordOptions {
  // "", "gzip", "zlib", or "auto": by the first bytes. Default: "".
  String compression{};
  // How many files are read in turns, a record of each; auto is 8. Default: 1.
  Int num_parallel_reads{};
  // What a damaged record does: "error" gives one error in place of the file's remaining records; "skip_file"
  // leaves them out and logs a warning; "resync" gives one error for each damaged stretch and goes on at the
  // next whole record. Default: "error".
  String on_corrupt{};
};

struct BatchOptions {
  // Leave out a last batch of fewer than n elements. Default: false.
  Bool drop_remainder{};
  // How many threads copy where at least 512 KiB are copied at once; less is not worth a thread. Default: 1.
  Int num_parallel_calls{};
};

struct BucketBySequenceLengthOptions {
  // The dimensions of each tensor, in the structure of the element: a number, or none for the largest of the
  // batch. Default: none.
  Value shapes{};
  // What to fill up with: one value, or one for each tensor, where none is 0, false or "", as without it.
  // Default: none.
  Value values{};
  // Pad unknown dimensions to one less than where the bucket ends. A batch of the last bucket is then an
  // error. Default: false.
  Bool pad_to_bucket_boundary{};
  // Elements of a batch must have one shape; sparse tensors become one sparse tensor of the largest shape.
  // Default: false.
  Bool no_padding{};
  // Leave out last batches that are smaller than their size. Default: false.
  Bool drop_remainder{};
};

struct GlobalShuffleOptions {
  // Fixes the order: n, or the pair (a, b); none draws a seed when the dataset is built. Default: none.
  Seed seed{};
  // Another order in each epoch. Default: true.
  Bool reshuffle_each_iteration{};
};

struct InterleaveOptions {
  // How many datasets are open at a time; auto is 8. Default: auto.
  Int cycle_length{};
  // How many elements of one dataset come in a row. Default: 1.
  Int block_length{};
  // How many datasets run ahead at once: at most cycle_length; auto: as many as there are cores, and of those
  // that wait as many as raise the throughput. As many more are opened before their turn. The sequence is the
  // same for any. Default: 1.
  Int num_parallel_calls{};
  // false: where several run ahead, a dataset that has no element yet gives up its turn; none: as options()
  // says, else true. Default: none.
  Bool deterministic{};
};

struct MapOptions {
  // How many calls run at once; auto: as many as there are cores, and of a function that waits as many as
  // raise the throughput. Default: 1.
  Int num_parallel_calls{};
  // false: results come as they finish, in any order; none: as options() says, else true. Default: none.
  Bool deterministic{};
};

struct MapAndBatchOptions {
  // Leave out a last batch of fewer than n results. Default: false.
  Bool drop_remainder{};
  // How many calls run at once; auto: as many as there are cores. Default: 1.
  Int num_parallel_calls{};
};

struct OptionsOptions {
  // What deterministic: none of map and interleave stands for: false lets results come in any order. Default:
  // none.
  Bool deterministic{};
  // false: what is auto stays as it begins: at what tuned says, else at a usual number. Default: true.
  Bool autotune{};
  // How many of the runtime's threads work for the pipeline at once, besides those inside next; auto: all.
  // Default: auto.
  Int threads{};
  // How many bytes of elements that were made ahead there are at once, and one element of each window and
  // call; auto: each window has a limit of its own. Default: auto.
  Int memory{};
  // true: what runs ahead begins when the iterator is made, not at its first element; not where it begins at
  // a saved position. Default: false.
  Bool warm_start{};
  // Where tuning begins: the text that weir_iterator_stats of an earlier run has as "tuned", such as
  // "prefetch/map calls 16". Default: none.
  String tuned{};
  // false: the operators run as written, where true lets one do the work of several (docs/seeing.md).
  // Default: true.
  Bool rewrites{};
};

struct PadToCardinalityOptions {
  // The key of a bool: true for elements of the input. Default: "valid".
  String mask_key{};
};

struct PaddedBatchOptions {
  // The dimensions of each tensor, in the structure of the element: a number, or none for the largest of the
  // batch. Default: none.
  Value shapes{};
  // What to fill up with: one value, or one for each tensor, where none is 0, false or "", as without it.
  // Default: none.
  Value values{};
  // Leave out a last batch of fewer than n elements. Default: false.
  Bool drop_remainder{};
};

struct RaggedBatchOptions {
  // Leave out a last batch of fewer than n elements. Default: false.
  Bool drop_remainder{};
};

struct RebatchOptions {
  // Leave out a last batch that is too short. Default: false.
  Bool drop_remainder{};
};

struct RejectionResampleOptions {
  // How often each class comes in the input, likewise. none: estimated from the elements read so far.
  // Default: none.
  Value initial{};
  // Fixes the draws: n, or the pair (a, b); none draws a seed when the dataset is built. Default: none.
  Seed seed{};
};

struct ShuffleOptions {
  // Fixes the order: n, or the pair (a, b); none draws a seed when the dataset is built. Default: none.
  Seed seed{};
  // Each epoch has an order of its own. Default: true.
  Bool reshuffle_each_iteration{};
};

struct ShuffleAndRepeatOptions {
  // How many times; -1 repeats forever. Default: -1.
  Int count{};
  // Fixes the order: n, or the pair (a, b); none draws a seed when the dataset is built. Default: none.
  Seed seed{};
};

struct SnapshotOptions {
  // "", "zlib", or "auto": the faster one, which is "". Default: "auto".
  String compression{};
};

struct SparseBatchOptions {
  // The largest dimensions that an element may have: a list of numbers, with none for the largest of the
  // batch. Default: none.
  Value row_shape{};
};

struct WindowOptions {
  // How many elements the next window begins after this one; none is size. Default: none.
  Int shift{};
  // A window has every stride-th element. Default: 1.
  Int stride{};
  // Leave out windows of fewer than size elements. Default: false.
  Bool drop_remainder{};
};

struct SaveOptions {
  // "" or "zlib". Default: "".
  String compression{};
  // How many files the elements are divided among, 1 MiB or more in turn. Default: 1.
  Int num_shards{};
};

// A document under construction: a source, then transformations. Nothing is checked before build(), which
// parses the document once. Each call returns a new pipeline and leaves the old one as it was. A pipeline
// that is used twice is written twice; to share one, with its epochs, build it and use the dataset. Any
// number of threads may use one.
class Pipeline : public detail::Document<Pipeline> {
 public:
  // Begins with a call of a source, or a dataset that was built before.
  explicit Pipeline(Argument call) : Document(std::move(call)) {}
  explicit Pipeline(const Dataset& dataset) : Document(Argument(detail::kText, dataset)) {}

  // The elements as they are, of which there are said to be n. If there are fewer or more, the last element
  // is an error (failed_precondition). Errors among them are passed on and not counted.
  // n: How many elements there are; -1: no end, -2: nobody knows.
  Pipeline assert_cardinality(const Int& n) const {
    return then(detail::OperatorCall("assert_cardinality").positional(n));
  }

  // Joins n elements along a new first dimension. The elements of a batch must have one shape, or the batch
  // is an error; sparse tensors become one sparse tensor of the largest shape. The last batch may have fewer
  // elements. An error among the elements drops the batch gathered so far; the next one begins after it.
  // n: How many elements make a batch.
  Pipeline batch(const Int& n, const BatchOptions& options = {}) const {
    return then(detail::OperatorCall("batch")
                    .positional(n)
                    .named("drop_remainder", options.drop_remainder)
                    .named("num_parallel_calls", options.num_parallel_calls));
  }

  // Makes batches of elements of about one length. Elements are gathered by the bucket that their length
  // falls into; once a bucket has as many as its batch size says, they follow as one batch, padded as by
  // padded_batch. After the last element the smaller batches follow, the shortest bucket first. An element
  // whose length fails is an error at once; a batch that cannot be made is an error in its place.
  // length: The length of an element: gives an int64.
  // boundaries: Where buckets end, ascending: a list of integers. The first bucket has the lengths below the
  // first of them, the last one those from the last of them on.
  // batch_sizes: How many elements make a batch, for each bucket: one more than boundaries.
  Pipeline bucket_by_sequence_length(const Function& length, const Value& boundaries,
                                     const Value& batch_sizes,
                                     const BucketBySequenceLengthOptions& options = {}) const {
    return then(detail::OperatorCall("bucket_by_sequence_length")
                    .positional(length)
                    .positional(boundaries)
                    .positional(batch_sizes)
                    .named("shapes", options.shapes)
                    .named("values", options.values)
                    .named("pad_to_bucket_boundary", options.pad_to_bucket_boundary)
                    .named("no_padding", options.no_padding)
                    .named("drop_remainder", options.drop_remainder));
  }

  // Reads its input once and keeps the elements; from then on it gives these. The first pass hands on what it
  // reads, and fills the cache if it reaches the end. Errors pass at once and are left out later. In memory,
  // every iterator has a cache of its own, and so has every dataset that a function opens; in Python, the
  // loops over a dataset share its caches. A cache whose passes stop early never fills: its next pass logs a
  // warning. With a file, the elements are kept in a folder of that name, as snapshot does it: other
  // iterators and later processes are given them, too; those of another pipeline are refused; while one fills
  // it, others hand on what they read.
  // file: The folder of the written elements; "" keeps them in memory. Default: "".
  Pipeline cache(const String& file = {}) const {
    return then(detail::OperatorCall("cache").named("file", file));
  }

  // The elements of the input, then those of the other dataset. Both must have the same structure and dtypes;
  // dimensions that differ become unknown.
  // other: The dataset that follows; its structure and dtypes are the same.
  Pipeline concatenate(const Operand& other) const {
    return then(detail::OperatorCall("concatenate").positional(other));
  }

  // Pairs of a number and an element, the numbers counting up from start. An error uses up a number. Elements
  // after the one with the largest int64 are errors (out_of_range).
  // start: The number of the first element. Default: 0.
  Pipeline enumerate(const Int& start = {}) const {
    return then(detail::OperatorCall("enumerate").named("start", start));
  }

  // The elements for which f is true, in their order. An element for which f fails is an error.
  // f: The condition: gives a bool.
  Pipeline filter(const Function& f) const { return then(detail::OperatorCall("filter").positional(f)); }

  // The elements of the dataset that f makes from the first element, then those of the second, and so on.
  // f: Maps each element to a dataset.
  Pipeline flat_map(const Function& f) const { return then(detail::OperatorCall("flat_map").positional(f)); }

  // All elements in random order, every order as likely as a hash makes it, with no buffer. Each element is
  // read by its position, so the operators before it must know where their elements are: range, from_tensors,
  // from_tensor_slices, from_list, uncompressed TFRecords, whose index it uses or makes, zip, concatenate,
  // map, batch, enumerate, take, skip, shard, repeat with a count, and prefetch, which runs nothing ahead
  // then; others are refused by name, and so is a dataset that is known to be empty or infinite
  // (failed_precondition). An element that fails is an error in its place, as is a batch of which one fails.
  // The order is tf.data's for the same seed.
  Pipeline global_shuffle(const GlobalShuffleOptions& options = {}) const {
    return then(detail::OperatorCall("global_shuffle")
                    .named("seed", options.seed)
                    .named("reshuffle_each_iteration", options.reshuffle_each_iteration));
  }

  // Takes all elements before it gives one. Those for which key gives the same number are folded into one
  // state, which begins as what init gives for the key and becomes what reduce gives for it and each of them.
  // Then follows what finalize gives for each state, the least key first. An element that fails, or whose
  // key, init or reduce does, is an error at once and changes no state; a key of which every element failed
  // gives nothing. A dataset that is known to be infinite is refused.
  // key: The group of an element: gives an int64.
  // init: The first state of a group, from its key.
  // reduce: (state, element) -> state, of the same structure and dtypes.
  // finalize: What is given for a group, from its last state.
  Pipeline group_by_reducer(const Function& key, const Function& init, const Function& reduce,
                            const Function& finalize) const {
    return then(detail::OperatorCall("group_by_reducer")
                    .positional(key)
                    .positional(init)
                    .positional(reduce)
                    .positional(finalize));
  }

  // Gathers the elements for which key gives the same number. Once window_size of them are there, the
  // elements of the dataset that reduce makes of them follow. After the last element the smaller groups
  // follow, the least key first. An element whose key fails is an error at once.
  // key: The group of an element: gives an int64.
  // reduce: (key, window) -> dataset. The window is a dataset of the elements of one group.
  // window_size: The most elements of a group, or a function that gives them for a key.
  Pipeline group_by_window(const Function& key, const Function& reduce, const Function& window_size) const {
    return then(
        detail::OperatorCall("group_by_window").positional(key).positional(reduce).positional(window_size));
  }

  // The elements that did not fail.
  // log: Log a warning for each error that is left out. Default: false.
  Pipeline ignore_errors(const Bool& log = {}) const {
    return then(detail::OperatorCall("ignore_errors").named("log", log));
  }

  // Takes turns between the datasets that f makes from the elements. cycle_length of them are open at a time,
  // and each gives block_length elements per turn. With num_parallel_calls, the open ones and the next ones
  // run ahead on other threads; the order stays unless deterministic is false.
  // f: Maps each element to a dataset.
  Pipeline interleave(const Function& f, const InterleaveOptions& options = {}) const {
    return then(detail::OperatorCall("interleave")
                    .positional(f)
                    .named("cycle_length", options.cycle_length)
                    .named("block_length", options.block_length)
                    .named("num_parallel_calls", options.num_parallel_calls)
                    .named("deterministic", options.deterministic));
  }

  // Applies f to each element. Where f fails, the error takes the place of the element. With
  // num_parallel_calls, calls run ahead on other threads; the order stays unless deterministic is false.
  // f: The function: a lambda or a callback.
  Pipeline map(const Function& f, const MapOptions& options = {}) const {
    return then(detail::OperatorCall("map")
                    .positional(f)
                    .named("num_parallel_calls", options.num_parallel_calls)
                    .named("deterministic", options.deterministic));
  }

  // Applies f to each element and joins n results along a new first dimension. Results of a batch must have
  // one shape, or the batch is an error; sparse tensors become one sparse tensor of the largest shape. Where
  // an element or its call failed, its whole batch is an error, and the next batch is what it would have
  // been.
  // f: The function: a lambda or a callback.
  // n: How many results make a batch.
  Pipeline map_and_batch(const Function& f, const Int& n, const MapAndBatchOptions& options = {}) const {
    return then(detail::OperatorCall("map_and_batch")
                    .positional(f)
                    .positional(n)
                    .named("drop_remainder", options.drop_remainder)
                    .named("num_parallel_calls", options.num_parallel_calls));
  }

  // The input, under settings for the whole pipeline, lambdas excepted. With deterministic: false, every map
  // and interleave with parallel calls that does not say otherwise gives its results in any order. The others
  // say how far the pipeline runs ahead; they change no element, no order and no position.
  Pipeline options(const OptionsOptions& options = {}) const {
    return then(detail::OperatorCall("options")
                    .named("deterministic", options.deterministic)
                    .named("autotune", options.autotune)
                    .named("threads", options.threads)
                    .named("memory", options.memory)
                    .named("warm_start", options.warm_start)
                    .named("tuned", options.tuned)
                    .named("rewrites", options.rewrites));
  }

  // The elements, which are dicts, and after them elements of zeros until there are n. Under mask_key stands
  // true for elements of the input and false for others. An input that is known to have more elements is
  // refused; else an error takes the place of the first one too many and ends the sequence.
  // n: How many elements there are in the end.
  Pipeline pad_to_cardinality(const Int& n, const PadToCardinalityOptions& options = {}) const {
    return then(detail::OperatorCall("pad_to_cardinality").positional(n).named("mask_key", options.mask_key));
  }

  // Joins n elements along a new first dimension, and pads tensors that are smaller than the largest of the
  // batch, or than shapes. An element larger than that makes the batch an error. An error among the elements
  // drops the batch gathered so far; the next one begins after it.
  // n: How many elements make a batch.
  Pipeline padded_batch(const Int& n, const PaddedBatchOptions& options = {}) const {
    return then(detail::OperatorCall("padded_batch")
                    .positional(n)
                    .named("shapes", options.shapes)
                    .named("values", options.values)
                    .named("drop_remainder", options.drop_remainder));
  }

  // Makes up to n elements ahead on another thread while the consumer works. Order and errors stay where they
  // are.
  // n: How many elements may wait; 0 runs nothing ahead; auto begins with 2 and finds how many the consumer
  // takes while the input stalls, up to 8 MiB and 1,024; -1 is tf.data's number for auto.
  Pipeline prefetch(const Int& n) const { return then(detail::OperatorCall("prefetch").positional(n)); }

  // Joins n elements along a new first dimension. Tensors whose first dimension is unknown become one ragged
  // tensor and may differ in it; others are joined as by batch. The last batch may have fewer elements. An
  // error among the elements drops the batch gathered so far; the next one begins after it.
  // n: How many elements make a batch.
  Pipeline ragged_batch(const Int& n, const RaggedBatchOptions& options = {}) const {
    return then(
        detail::OperatorCall("ragged_batch").positional(n).named("drop_remainder", options.drop_remainder));
  }

  // Joins and splits batches, so that each has n rows. A list of sizes is used in turn; 0 gives an empty
  // batch. Batches of sparse tensors and ragged ones stay what they are. The last batch may have fewer rows.
  // An error among the elements drops the rows gathered so far; the next batch begins after it.
  // n: How many rows make a batch; or a list of such sizes, used in turn. An empty batch has the size 0.
  Pipeline rebatch(const Value& n, const RebatchOptions& options = {}) const {
    return then(
        detail::OperatorCall("rebatch").positional(n).named("drop_remainder", options.drop_remainder));
  }

  // The elements behind their classes, (class, element), so drawn that the classes come about as often as
  // target says: an element of a class that comes too often is left out more often, and one may come twice,
  // since a part of the elements is that of the input as it is. It ends when one of the two parts is drawn
  // that has no more elements. Without initial, what the input has is estimated from the classes of all
  // elements so far, 32 at a time. An element whose class fails, or is none of target, is an error in its
  // place.
  // class: The class of an element: an integer from 0 on.
  // target: How often each class is to come: a vector of floats, in proportion.
  Pipeline rejection_resample(const Function& class_, const Value& target,
                              const RejectionResampleOptions& options = {}) const {
    return then(detail::OperatorCall("rejection_resample")
                    .positional(class_)
                    .positional(target)
                    .named("initial", options.initial)
                    .named("seed", options.seed));
  }

  // The input count times over, forever if count is negative. An endless repeat ends after an epoch without
  // elements.
  // count: How many times; negative repeats forever. Default: -1.
  Pipeline repeat(const Int& count = {}) const {
    return then(detail::OperatorCall("repeat").named("count", count));
  }

  // Applies f to a state and each element: f returns the next state and the element that is given. An error
  // keeps the state.
  // state: The first state.
  // f: (state, element) -> (state, result), the state of the same structure and dtypes.
  Pipeline scan(const Value& state, const Function& f) const {
    return then(detail::OperatorCall("scan").positional(state).positional(f));
  }

  // One of num_shards parts: the elements whose number, counted from 0, has remainder index modulo
  // num_shards. Errors are passed on to every part and not counted. shard(auto, auto) is the part of the
  // iterator's rank, from its options or from the environment (RANK and WORLD_SIZE, or those of Open MPI,
  // MPICH, Slurm and Kubernetes), and all of it in a process that no launcher started; the checkpoints of all
  // its ranks can be continued by another number of ranks.
  // num_shards: How many shards there are; auto: as many as the iterator has ranks.
  // index: Which of them this is, from 0; auto: that of the iterator's rank.
  Pipeline shard(const Int& num_shards, const Int& index) const {
    return then(detail::OperatorCall("shard").positional(num_shards).positional(index));
  }

  // The elements in random order, each drawn from a buffer of buffer_size elements that is filled first; with
  // -2 the whole input is, and one that is known to be infinite is refused. The order is tf.data's for the
  // same seed. Errors pass at once.
  // buffer_size: How many elements wait to be drawn from; larger mixes better. -2: all of them, which then
  // must end.
  Pipeline shuffle(const Int& buffer_size, const ShuffleOptions& options = {}) const {
    return then(detail::OperatorCall("shuffle")
                    .positional(buffer_size)
                    .named("seed", options.seed)
                    .named("reshuffle_each_iteration", options.reshuffle_each_iteration));
  }

  // The same as shuffle(buffer_size, seed) | repeat(count): the input count times over, each time in another
  // random order, and no epoch before the one before it has ended. Below another repeat it goes on with the
  // order after its last one, where repeat would leave one out.
  // buffer_size: How many elements wait to be drawn from; larger mixes better.
  Pipeline shuffle_and_repeat(const Int& buffer_size, const ShuffleAndRepeatOptions& options = {}) const {
    return then(detail::OperatorCall("shuffle_and_repeat")
                    .positional(buffer_size)
                    .named("count", options.count)
                    .named("seed", options.seed));
  }

  // All but the first n elements. Errors among them are passed on and not counted.
  // n: How many elements to leave out; negative leaves out all.
  Pipeline skip(const Int& n) const { return then(detail::OperatorCall("skip").positional(n)); }

  // The elements of the input. A pass that reaches the end publishes them in the folder path, and later
  // passes, in this process or another, read them from there without opening the input. Elements that another
  // pipeline wrote there are refused (failed_precondition, one error), with what differs. While one writes,
  // others pass their elements on without writing. Errors are passed on and left out of what is written. If
  // writing fails, there is one error more, nothing is published, and the elements follow. A pass that goes
  // on from a saved position does not write. Runs ahead of its consumer on a thread of its own.
  // path: The folder of the written elements.
  Pipeline snapshot(const String& path, const SnapshotOptions& options = {}) const {
    return then(detail::OperatorCall("snapshot").positional(path).named("compression", options.compression));
  }

  // Joins n dense tensors of one rank, which may differ in shape, into a sparse tensor with a first dimension
  // more. Every entry becomes a value, zeros too. An element larger than row_shape makes the batch an error
  // (data_loss). The last batch may have fewer elements. An error among the elements drops the batch gathered
  // so far; the next one begins after it.
  // n: How many elements make a batch.
  Pipeline sparse_batch(const Int& n, const SparseBatchOptions& options = {}) const {
    return then(detail::OperatorCall("sparse_batch").positional(n).named("row_shape", options.row_shape));
  }

  // The first n elements. Errors among them are passed on and not counted.
  // n: How many elements to keep; negative keeps all.
  Pipeline take(const Int& n) const { return then(detail::OperatorCall("take").positional(n)); }

  // The elements before the first for which f is false. An element for which f fails is an error, and the
  // next one follows.
  // f: The condition: gives a bool.
  Pipeline take_while(const Function& f) const {
    return then(detail::OperatorCall("take_while").positional(f));
  }

  // The rows of each element, one by one: splits tensors along their first dimension, which must be the same
  // for all tensors of an element. An element without rows gives nothing. A row of a sparse tensor is a
  // sparse one of a rank less, a row of a ragged tensor a dense one.
  Pipeline unbatch() const { return then(detail::OperatorCall("unbatch")); }

  // Each element the first time that it comes: integers, bools, strings, or structures of them. Remembers 16
  // bytes of each different element, 8 of a number, and saves them in checkpoints; in memory they take 40.
  // Elements of more than 15 bytes are told apart by a hash of 124 bits. More different elements than the
  // limit checkpoint_bytes allows are errors.
  Pipeline unique() const { return then(detail::OperatorCall("unique")); }

  // Datasets of size successive elements, one dataset for each component of the element's structure. A window
  // begins shift elements after the one before and has every stride-th element. The last windows have fewer
  // elements. An element that failed makes each window that has it an error, and so does a window that the
  // runtime's memory_bytes has no room for.
  // size: The most elements that a window has.
  Pipeline window(const Int& size, const WindowOptions& options = {}) const {
    return then(detail::OperatorCall("window")
                    .positional(size)
                    .named("shift", options.shift)
                    .named("stride", options.stride)
                    .named("drop_remainder", options.drop_remainder));
  }

  // How many elements the input has: -1 if infinitely many, -2 if that is unknown without reading it. In a
  // lambda, the variables count with their values.
  Pipeline cardinality() const { return then(detail::OperatorCall("cardinality")); }

  // The only element of the input, as a value. An input of no element, or of more than one, is an error.
  Pipeline get_single_element() const { return then(detail::OperatorCall("get_single_element")); }

  // One value: f applied to initial and the first element, then to its result and the second element, and so
  // on. initial if there are no elements. A dataset that is known to be infinite is refused.
  // initial: The first state.
  // f: (state, element) -> state, of the same structure and dtypes.
  Pipeline reduce(const Value& initial, const Function& f) const {
    return then(detail::OperatorCall("reduce").positional(initial).positional(f));
  }

  // Writes all elements to the folder path, from which load reads them, and gives none. Elements that were
  // there are replaced once all new ones are written; until then, and if writing fails, the folder is as it
  // was. Errors of the input are passed on and left out of what is written. If another writer is writing to
  // the folder, there is one error (unavailable) and nothing is written.
  // path: The folder of the written elements.
  Pipeline save(const String& path, const SaveOptions& options = {}) const {
    return then(detail::OperatorCall("save")
                    .positional(path)
                    .named("compression", options.compression)
                    .named("num_shards", options.num_shards));
  }
};

// Elements of several datasets: each element of choice is the number, from 0, of the dataset that the next
// one comes from. Ends with the choices, when a chosen dataset has no more elements, or, if stop_on_empty is
// false, when none has. A number without a dataset is an error in its place.
// datasets: A list of datasets of one structure.
// choice: A dataset of int64: the number of the dataset that the next element comes from.
inline Pipeline choose_from_datasets(const DatasetList& datasets, const Operand& choice,
                                     const ChooseFromDatasetsOptions& options = {}) {
  return Pipeline(detail::OperatorCall("choose_from_datasets")
                      .positional(datasets)
                      .positional(choice)
                      .named("stop_on_empty", options.stop_on_empty));
}

// The numbers from start on, step apart, without end. If the next number is no int64, it is an error
// (out_of_range), and the sequence ends.
inline Pipeline counter(const CounterOptions& options = {}) {
  return Pipeline(detail::OperatorCall("counter").named("start", options.start).named("step", options.step));
}

// The rows of tables in text form, each a tuple of its columns. Rows end with \n, \r, both, or the file.
// Numbers may have spaces around them; strings are given as they are. A row with another number of fields, a
// missing value, a number that is none or a stray quote, in the header too, is one error (invalid_argument)
// with the file and its number, and the next row follows. A file that does not exist (not_found), is empty
// where a header is wanted (invalid_argument), begins like gzip or another format that is no text
// (invalid_argument), is damaged (data_loss) or holds a row longer than the runtime's record_bytes
// (resource_exhausted) gives one error in place of its remaining rows, and the next file follows. Runs ahead
// of its consumer on a thread of its own.
// files: A file name, a list of names, or a dataset of names.
// columns: What each column holds: the dtype of one that every row has a value for, or the value that stands
// for an empty field. int32, int64, float32, float64 or string.
inline Pipeline csv(const Files& files, const Expression& columns, const CsvOptions& options = {}) {
  return Pipeline(detail::OperatorCall("csv")
                      .positional(files)
                      .positional(columns)
                      .named("header", options.header)
                      .named("delim", options.delim)
                      .named("quote", options.quote)
                      .named("na_value", options.na_value)
                      .named("select", options.select)
                      .named("compression", options.compression)
                      .named("num_parallel_reads", options.num_parallel_reads)
                      .named("exclude", options.exclude));
}

// A dataset without elements, whose elements would have the given structure.
// spec: The structure that its elements would have.
inline Pipeline empty(const SpecText& spec) {
  return Pipeline(detail::OperatorCall("empty").positional(spec));
}

// The records of files whose records all have record_bytes bytes, as strings. The first header_bytes and the
// last footer_bytes of each file are left out. A plain file whose size doesn't fit is invalid_argument and
// gives no record; a compressed one gives its whole records and then data_loss. A file that fails gives one
// error in place of its remaining records, and the next file follows. Runs ahead of its consumer on a thread
// of its own.
// files: A file name, a list of names, or a dataset of names.
// record_bytes: How long a record is.
inline Pipeline fixed_length_record(const Files& files, const Int& record_bytes,
                                    const FixedLengthRecordOptions& options = {}) {
  return Pipeline(detail::OperatorCall("fixed_length_record")
                      .positional(files)
                      .positional(record_bytes)
                      .named("header_bytes", options.header_bytes)
                      .named("footer_bytes", options.footer_bytes)
                      .named("compression", options.compression)
                      .named("num_parallel_reads", options.num_parallel_reads));
}

// The elements that a generator of the program gives (weir_generator), until it says that there are no more.
// Each opening of the dataset opens the generator anew. Where it fails, the error takes the place of an
// element, and the next one follows; if it cannot be opened, there is one error and nothing else. An element
// of another dtype or shape than spec says is an error. A generator may save and restore its place; one that
// is declared pure is opened again for a restored iterator, and as many elements are passed over; for others
// checkpoint_policy says what happens.
// generator: The generator that the program handed in: @NAME.
// spec: The structure of its elements.
inline Pipeline from_generator(const Function& generator, const SpecText& spec) {
  return Pipeline(detail::OperatorCall("from_generator").positional(generator).positional(spec));
}

// The members of a list, in their order. They have one structure; their shapes may differ. A list has at most
// 4,095 parts, counting tensors, tuples and dicts; for more elements stack them and use from_tensor_slices.
// elements: A list of the elements: tensors, tuples or dicts, all of one structure.
inline Pipeline from_list(const Values& elements) {
  return Pipeline(detail::OperatorCall("from_list").positional(elements));
}

// One tuple (indices, values, shape) per slice of a sparse tensor along its first dimension.
// from_tensor_slices gives the same as sparse tensors.
// sparse: A sparse tensor of rank 1 or more, whose indices rise by row.
inline Pipeline from_sparse_tensor_slices(const Value& sparse) {
  return Pipeline(detail::OperatorCall("from_sparse_tensor_slices").positional(sparse));
}

// One element per slice along the first dimension of each component. All components must have the same
// length. A slice of a sparse tensor is a sparse one of a rank less, a slice of a ragged tensor a dense one.
// value: A tensor or a structure of tensors, each of rank 1 or more and of one length.
inline Pipeline from_tensor_slices(const Value& value) {
  return Pipeline(detail::OperatorCall("from_tensor_slices").positional(value));
}

// A dataset of one element, the value itself.
// value: The element: a tensor or a tuple or dict of tensors.
inline Pipeline from_tensors(const Value& value) {
  return Pipeline(detail::OperatorCall("from_tensors").positional(value));
}

// The names of the files that match a pattern. Order: random, and another one each epoch, unless shuffle is
// false; then sorted. A pattern that matches no file is an error when the dataset is built. Index files
// (*.weir-index) are left out unless the pattern ends so.
// pattern: A glob pattern or a list of them. Within one part of a path, * is any characters, ? one character
// (of UTF-8), [a-z] one of these; \ before one of them takes it as it is.
inline Pipeline list_files(const Value& pattern, const ListFilesOptions& options = {}) {
  return Pipeline(detail::OperatorCall("list_files")
                      .positional(pattern)
                      .named("shuffle", options.shuffle)
                      .named("seed", options.seed));
}

// The elements in a folder that save, snapshot or a file cache wrote, in the order in which they were
// written. Their structure and number are read when the dataset is built, and so a folder without elements
// (not_found) or with a damaged manifest is a mistake of the text. A damaged chunk gives one error in place
// of its elements, and the next chunk follows. If the elements are replaced between building and reading,
// there is one error instead of them. Runs ahead of its consumer on a thread of its own.
// path: The folder of the written elements.
inline Pipeline load(const String& path) { return Pipeline(detail::OperatorCall("load").positional(path)); }

// Random integers from 0 to 4294967295 without end, the same as tf.data's for the same seed. Each epoch
// repeats them unless rerandomize_each_iteration is true.
inline Pipeline random(const RandomOptions& options = {}) {
  return Pipeline(detail::OperatorCall("random")
                      .named("seed", options.seed)
                      .named("rerandomize_each_iteration", options.rerandomize_each_iteration));
}

// The numbers from start up to but not including stop, step apart. There are none if step leads away from
// stop. A single positional argument is stop.
// stop: The sequence ends before it.
inline Pipeline range(const Int& stop) { return Pipeline(detail::OperatorCall("range").positional(stop)); }
inline Pipeline range(const Int& start, const Int& stop, const RangeOptions& options = {}) {
  return Pipeline(detail::OperatorCall("range")
                      .positional(start)
                      .positional(stop)
                      .named("step", options.step)
                      .named("dtype", options.dtype));
}

// Elements of several datasets: each next one of a dataset drawn at random, with tf.data's order for the same
// seed. Ends when all datasets have ended, or, if stop_on_empty is true, when one is drawn that has. A
// dataset whose constant weight is 0 is left out. Each epoch repeats the draws unless
// rerandomize_each_iteration is true.
// datasets: A list of datasets of one structure.
inline Pipeline sample_from_datasets(const DatasetList& datasets,
                                     const SampleFromDatasetsOptions& options = {}) {
  return Pipeline(detail::OperatorCall("sample_from_datasets")
                      .positional(datasets)
                      .named("weights", options.weights)
                      .named("seed", options.seed)
                      .named("stop_on_empty", options.stop_on_empty)
                      .named("rerandomize_each_iteration", options.rerandomize_each_iteration));
}

// The rows of a query of an SQLite 3 database, in the order in which the query gives them. NULL is 0, false
// or "", as in tf.data. A number in a column of strings becomes its text, and any number but 0 is true; a
// value that its dtype does not hold is an error (invalid_argument) in the row's place. A database that does
// not exist (not_found), is damaged or ends within a page (data_loss) or is no regular file
// (invalid_argument), and a query that is wrong (invalid_argument) or fails, gives one error in place of the
// remaining rows. A database that somebody else writes is waited for, 5 seconds at most; while rows are read,
// a writer waits. The query reads this one file: other databases, pragmas that set something and extensions
// are refused (permission_denied). One in WAL mode gets the files -wal and -shm beside it, as from every
// reader. SQLite is built in; a process that writes the database by another SQLite must close it before it
// reads it here, since a process loses its locks on a file where one of them closes it. The query runs again
// where a restored iterator goes on, so give it an order by. Runs ahead of its consumer on a thread of its
// own.
// driver: Of what kind the database is: "sqlite", an SQLite 3 file.
// connection: The database: the name of its file, taken as it is.
// query: One statement that gives rows. The database is only read.
// spec: What each column holds: a tuple of scalars, one for each column in their order, or a dict of them by
// the columns' names. An integer dtype, float32, float64, bool or string.
inline Pipeline sql(const String& driver, const String& connection, const String& query,
                    const SpecText& spec) {
  return Pipeline(detail::OperatorCall("sql")
                      .positional(driver)
                      .positional(connection)
                      .positional(query)
                      .positional(spec));
}

// The lines of text files, as strings without their \n and without any \r. A last line needs no \n. Bytes are
// given as they are, a byte-order mark included. A file that begins like gzip or another format that is no
// text is refused (invalid_argument), which names the format. A file that does not exist (not_found), is
// damaged (data_loss) or holds a line longer than the runtime's record_bytes (resource_exhausted) gives one
// error in place of its remaining lines, and the next file follows. Runs ahead of its consumer on a thread of
// its own.
// files: A file name, a list of names, or a dataset of names.
inline Pipeline text_line(const Files& files, const TextLineOptions& options = {}) {
  return Pipeline(detail::OperatorCall("text_line")
                      .positional(files)
                      .named("compression", options.compression)
                      .named("buffer_size", options.buffer_size)
                      .named("num_parallel_reads", options.num_parallel_reads));
}

// The records of TFRecord files, as strings. Both checksums of every record are checked. A file that does not
// exist (not_found), is damaged (data_loss) or holds a record longer than the runtime's record_bytes
// (resource_exhausted) gives one error in place of its remaining records, and the next file follows;
// on_corrupt changes this for damaged files. With "resync" the next whole record is the next position where
// both checksums fit, the length lies within the file and record_bytes; the error names offset and length of
// the damaged stretch. A compressed stream that is itself damaged ends its file as before. Runs ahead of its
// consumer on a thread of its own. Records of uncompressed files are also read by their position
// (global_shuffle, weir_dataset_at) through an index of each file, which weir index makes, or the first such
// reading; then a damaged record is one error in its place, and skip and shard directly after it go straight
// to their records.
// files: A file name, a list of names, or a dataset of names.
inline Pipeline tfrecord(const Files& files, const TfrecordOptions& options = {}) {
  return Pipeline(detail::OperatorCall("tfrecord")
                      .positional(files)
                      .named("compression", options.compression)
                      .named("num_parallel_reads", options.num_parallel_reads)
                      .named("on_corrupt", options.on_corrupt));
}

// One element of each dataset at a time, in the structure that the datasets are given in. Ends with the
// shortest. If any input fails at a position, that position is one error. A value that holds datasets is such
// a structure, too: zip(w) joins the members of a window of dicts or tuples.
// datasets: One or more datasets, or a tuple or dict of them.
inline Pipeline zip(const Datasets& datasets) {
  return Pipeline(detail::OperatorCall("zip").positional(datasets));
}

}  // namespace v0
}  // namespace weir
