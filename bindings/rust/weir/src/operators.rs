// Written by tools/generate-bindings from what the library says of its operators; edit their definitions in src/.

use crate::pipeline::*;

/// What `choose_from_datasets` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct ChooseFromDatasetsOptions {
    stop_on_empty: Bool,
}

impl ChooseFromDatasetsOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// End where a chosen dataset has no more elements; if false, pass over such choices.
    ///
    /// Default: `true`.
    pub fn stop_on_empty(mut self, value: impl Into<Bool>) -> Self {
        self.stop_on_empty = value.into();
        self
    }
}

/// What `counter` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct CounterOptions {
    start: Int,
    step: Int,
}

impl CounterOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The first number.
    ///
    /// Default: `0`.
    pub fn start(mut self, value: impl Into<Int>) -> Self {
        self.start = value.into();
        self
    }

    /// The distance between numbers; negative counts down, 0 repeats the first.
    ///
    /// Default: `1`.
    pub fn step(mut self, value: impl Into<Int>) -> Self {
        self.step = value.into();
        self
    }
}

/// What `csv` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct CsvOptions {
    header: Bool,
    delim: Text,
    quote: Bool,
    na_value: Text,
    select: Value,
    compression: Text,
    num_parallel_reads: Int,
    exclude: Value,
}

impl CsvOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The first row of each file holds names and is left out, with a byte-order mark before it.
    ///
    /// Default: `false`.
    pub fn header(mut self, value: impl Into<Bool>) -> Self {
        self.header = value.into();
        self
    }

    /// The byte between fields.
    ///
    /// Default: `","`.
    pub fn delim(mut self, value: impl Into<Text>) -> Self {
        self.delim = value.into();
        self
    }

    /// Fields may stand in double quotes, with delimiters and line ends inside and quotes doubled.
    ///
    /// Default: `true`.
    pub fn quote(mut self, value: impl Into<Bool>) -> Self {
        self.quote = value.into();
        self
    }

    /// A field of these bytes is an empty one.
    ///
    /// Default: `""`.
    pub fn na_value(mut self, value: impl Into<Text>) -> Self {
        self.na_value = value.into();
        self
    }

    /// The numbers of the fields that are read, ascending from 0, one for each column; none: all.
    ///
    /// Default: `none`.
    pub fn select(mut self, value: impl Into<Value>) -> Self {
        self.select = value.into();
        self
    }

    /// "", "gzip", "zlib", or "auto": by the first bytes.
    ///
    /// Default: `""`.
    pub fn compression(mut self, value: impl Into<Text>) -> Self {
        self.compression = value.into();
        self
    }

    /// How many files are read in turns, a record of each; auto is 8.
    ///
    /// Default: `1`.
    pub fn num_parallel_reads(mut self, value: impl Into<Int>) -> Self {
        self.num_parallel_reads = value.into();
        self
    }

    /// The numbers of the fields that are left out, ascending from 0, where `select` is none; none: the
    /// others of `select`.
    ///
    /// Default: `none`.
    pub fn exclude(mut self, value: impl Into<Value>) -> Self {
        self.exclude = value.into();
        self
    }
}

/// What `fixed_length_record` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct FixedLengthRecordOptions {
    header_bytes: Int,
    footer_bytes: Int,
    compression: Text,
    num_parallel_reads: Int,
}

impl FixedLengthRecordOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many bytes of each file come before its records.
    ///
    /// Default: `0`.
    pub fn header_bytes(mut self, value: impl Into<Int>) -> Self {
        self.header_bytes = value.into();
        self
    }

    /// How many bytes of each file come after its records.
    ///
    /// Default: `0`.
    pub fn footer_bytes(mut self, value: impl Into<Int>) -> Self {
        self.footer_bytes = value.into();
        self
    }

    /// "", "gzip", "zlib", or "auto": by the first bytes.
    ///
    /// Default: `""`.
    pub fn compression(mut self, value: impl Into<Text>) -> Self {
        self.compression = value.into();
        self
    }

    /// How many files are read in turns, a record of each; auto is 8.
    ///
    /// Default: `1`.
    pub fn num_parallel_reads(mut self, value: impl Into<Int>) -> Self {
        self.num_parallel_reads = value.into();
        self
    }
}

/// What `list_files` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct ListFilesOptions {
    shuffle: Bool,
    seed: Seed,
}

impl ListFilesOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// A new random order each epoch; else sorted.
    ///
    /// Default: `true`.
    pub fn shuffle(mut self, value: impl Into<Bool>) -> Self {
        self.shuffle = value.into();
        self
    }

    /// The seed of the order.
    ///
    /// Default: `none`.
    pub fn seed(mut self, value: impl Into<Seed>) -> Self {
        self.seed = value.into();
        self
    }
}

/// What `random` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct RandomOptions {
    seed: Seed,
    rerandomize_each_iteration: Bool,
}

impl RandomOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Fixes the numbers: n, or the pair (a, b); none draws a seed when the dataset is built.
    ///
    /// Default: `none`.
    pub fn seed(mut self, value: impl Into<Seed>) -> Self {
        self.seed = value.into();
        self
    }

    /// Each epoch has numbers of its own.
    ///
    /// Default: `false`.
    pub fn rerandomize_each_iteration(mut self, value: impl Into<Bool>) -> Self {
        self.rerandomize_each_iteration = value.into();
        self
    }
}

/// What `range` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct RangeOptions {
    step: Int,
    dtype: DTypeName,
}

impl RangeOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The distance between numbers: not 0; negative counts down.
    ///
    /// Default: `1`.
    pub fn step(mut self, value: impl Into<Int>) -> Self {
        self.step = value.into();
        self
    }

    /// An integer or float dtype; each number is cast to it, integers wrap.
    ///
    /// Default: `int64`.
    pub fn dtype(mut self, value: impl Into<DTypeName>) -> Self {
        self.dtype = value.into();
        self
    }
}

/// What `sample_from_datasets` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct SampleFromDatasetsOptions {
    weights: ValueOrDataset,
    seed: Seed,
    stop_on_empty: Bool,
    rerandomize_each_iteration: Bool,
}

impl SampleFromDatasetsOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// How likely each dataset is: a vector of floats, or a dataset of such vectors, one for each element.
    /// none: equally.
    ///
    /// Default: `none`.
    pub fn weights(mut self, value: impl Into<ValueOrDataset>) -> Self {
        self.weights = value.into();
        self
    }

    /// Fixes the draws: n, or the pair (a, b); none draws a seed when the dataset is built.
    ///
    /// Default: `none`.
    pub fn seed(mut self, value: impl Into<Seed>) -> Self {
        self.seed = value.into();
        self
    }

    /// End where a dataset is drawn that has no more elements; if false, draw again.
    ///
    /// Default: `false`.
    pub fn stop_on_empty(mut self, value: impl Into<Bool>) -> Self {
        self.stop_on_empty = value.into();
        self
    }

    /// Each epoch has draws of its own.
    ///
    /// Default: `false`.
    pub fn rerandomize_each_iteration(mut self, value: impl Into<Bool>) -> Self {
        self.rerandomize_each_iteration = value.into();
        self
    }
}

/// What `text_line` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct TextLineOptions {
    compression: Text,
    buffer_size: Int,
    num_parallel_reads: Int,
}

impl TextLineOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// "", "gzip", "zlib", or "auto": by the first bytes.
    ///
    /// Default: `""`.
    pub fn compression(mut self, value: impl Into<Text>) -> Self {
        self.compression = value.into();
        self
    }

    /// How many bytes are read at a time; 0 is the default.
    ///
    /// Default: `262144`.
    pub fn buffer_size(mut self, value: impl Into<Int>) -> Self {
        self.buffer_size = value.into();
        self
    }

    /// How many files are read in turns, a record of each; auto is 8.
    ///
    /// Default: `1`.
    pub fn num_parallel_reads(mut self, value: impl Into<Int>) -> Self {
        self.num_parallel_reads = value.into();
        self
    }
}

/// What `tfrecord` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct TfrecordOptions {
    compression: Text,
    num_parallel_reads: Int,
    on_corrupt: Text,
}

impl TfrecordOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// "", "gzip", "zlib", or "auto": by the first bytes.
    ///
    /// Default: `""`.
    pub fn compression(mut self, value: impl Into<Text>) -> Self {
        self.compression = value.into();
        self
    }

    /// How many files are read in turns, a record of each; auto is 8.
    ///
    /// Default: `1`.
    pub fn num_parallel_reads(mut self, value: impl Into<Int>) -> Self {
        self.num_parallel_reads = value.into();
        self
    }

    /// What a damaged record does: "error" gives one error in place of the file's remaining records;
    /// "skip_file" leaves them out and logs a warning; "resync" gives one error for each damaged stretch
    /// and goes on at the next whole record.
    ///
    /// Default: `"error"`.
    pub fn on_corrupt(mut self, value: impl Into<Text>) -> Self {
        self.on_corrupt = value.into();
        self
    }
}

/// What `batch` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct BatchOptions {
    drop_remainder: Bool,
    num_parallel_calls: Int,
}

impl BatchOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Leave out a last batch of fewer than n elements.
    ///
    /// Default: `false`.
    pub fn drop_remainder(mut self, value: impl Into<Bool>) -> Self {
        self.drop_remainder = value.into();
        self
    }

    /// How many threads copy where at least 512 KiB are copied at once; less is not worth a thread.
    ///
    /// Default: `1`.
    pub fn num_parallel_calls(mut self, value: impl Into<Int>) -> Self {
        self.num_parallel_calls = value.into();
        self
    }
}

/// What `bucket_by_sequence_length` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct BucketBySequenceLengthOptions {
    shapes: Value,
    values: Value,
    pad_to_bucket_boundary: Bool,
    no_padding: Bool,
    drop_remainder: Bool,
}

impl BucketBySequenceLengthOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The dimensions of each tensor, in the structure of the element: a number, or none for the largest of
    /// the batch.
    ///
    /// Default: `none`.
    pub fn shapes(mut self, value: impl Into<Value>) -> Self {
        self.shapes = value.into();
        self
    }

    /// What to fill up with: one value, or one for each tensor, where none is 0, false or "", as without
    /// it.
    ///
    /// Default: `none`.
    pub fn values(mut self, value: impl Into<Value>) -> Self {
        self.values = value.into();
        self
    }

    /// Pad unknown dimensions to one less than where the bucket ends. A batch of the last bucket is then an
    /// error.
    ///
    /// Default: `false`.
    pub fn pad_to_bucket_boundary(mut self, value: impl Into<Bool>) -> Self {
        self.pad_to_bucket_boundary = value.into();
        self
    }

    /// Elements of a batch must have one shape; sparse tensors become one sparse tensor of the largest
    /// shape.
    ///
    /// Default: `false`.
    pub fn no_padding(mut self, value: impl Into<Bool>) -> Self {
        self.no_padding = value.into();
        self
    }

    /// Leave out last batches that are smaller than their size.
    ///
    /// Default: `false`.
    pub fn drop_remainder(mut self, value: impl Into<Bool>) -> Self {
        self.drop_remainder = value.into();
        self
    }
}

/// What `global_shuffle` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct GlobalShuffleOptions {
    seed: Seed,
    reshuffle_each_iteration: Bool,
}

impl GlobalShuffleOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Fixes the order: n, or the pair (a, b); none draws a seed when the dataset is built.
    ///
    /// Default: `none`.
    pub fn seed(mut self, value: impl Into<Seed>) -> Self {
        self.seed = value.into();
        self
    }

    /// Another order in each epoch.
    ///
    /// Default: `true`.
    pub fn reshuffle_each_iteration(mut self, value: impl Into<Bool>) -> Self {
        self.reshuffle_each_iteration = value.into();
        self
    }
}

/// What `interleave` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct InterleaveOptions {
    cycle_length: Int,
    block_length: Int,
    num_parallel_calls: Int,
    deterministic: Bool,
}

impl InterleaveOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many datasets are open at a time; auto is 8.
    ///
    /// Default: `auto`.
    pub fn cycle_length(mut self, value: impl Into<Int>) -> Self {
        self.cycle_length = value.into();
        self
    }

    /// How many elements of one dataset come in a row.
    ///
    /// Default: `1`.
    pub fn block_length(mut self, value: impl Into<Int>) -> Self {
        self.block_length = value.into();
        self
    }

    /// How many datasets run ahead at once: at most cycle_length; auto: as many as there are cores, and of
    /// those that wait as many as raise the throughput. As many more are opened before their turn. The
    /// sequence is the same for any.
    ///
    /// Default: `1`.
    pub fn num_parallel_calls(mut self, value: impl Into<Int>) -> Self {
        self.num_parallel_calls = value.into();
        self
    }

    /// false: where several run ahead, a dataset that has no element yet gives up its turn; none: as
    /// options() says, else true.
    ///
    /// Default: `none`.
    pub fn deterministic(mut self, value: impl Into<Bool>) -> Self {
        self.deterministic = value.into();
        self
    }
}

/// What `map` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct MapOptions {
    num_parallel_calls: Int,
    deterministic: Bool,
}

impl MapOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many calls run at once; auto: as many as there are cores, and of a function that waits as many
    /// as raise the throughput.
    ///
    /// Default: `1`.
    pub fn num_parallel_calls(mut self, value: impl Into<Int>) -> Self {
        self.num_parallel_calls = value.into();
        self
    }

    /// false: results come as they finish, in any order; none: as options() says, else true.
    ///
    /// Default: `none`.
    pub fn deterministic(mut self, value: impl Into<Bool>) -> Self {
        self.deterministic = value.into();
        self
    }
}

/// What `map_and_batch` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct MapAndBatchOptions {
    drop_remainder: Bool,
    num_parallel_calls: Int,
}

impl MapAndBatchOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Leave out a last batch of fewer than n results.
    ///
    /// Default: `false`.
    pub fn drop_remainder(mut self, value: impl Into<Bool>) -> Self {
        self.drop_remainder = value.into();
        self
    }

    /// How many calls run at once; auto: as many as there are cores.
    ///
    /// Default: `1`.
    pub fn num_parallel_calls(mut self, value: impl Into<Int>) -> Self {
        self.num_parallel_calls = value.into();
        self
    }
}

/// What `options` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct OptionsOptions {
    deterministic: Bool,
    autotune: Bool,
    threads: Int,
    memory: Int,
    warm_start: Bool,
    tuned: Text,
    rewrites: Bool,
}

impl OptionsOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// What `deterministic: none` of map and interleave stands for: false lets results come in any order.
    ///
    /// Default: `none`.
    pub fn deterministic(mut self, value: impl Into<Bool>) -> Self {
        self.deterministic = value.into();
        self
    }

    /// false: what is `auto` stays as it begins: at what `tuned` says, else at a usual number.
    ///
    /// Default: `true`.
    pub fn autotune(mut self, value: impl Into<Bool>) -> Self {
        self.autotune = value.into();
        self
    }

    /// How many of the runtime's threads work for the pipeline at once, besides those inside next; auto:
    /// all.
    ///
    /// Default: `auto`.
    pub fn threads(mut self, value: impl Into<Int>) -> Self {
        self.threads = value.into();
        self
    }

    /// How many bytes of elements that were made ahead there are at once, and one element of each window
    /// and call; auto: each window has a limit of its own.
    ///
    /// Default: `auto`.
    pub fn memory(mut self, value: impl Into<Int>) -> Self {
        self.memory = value.into();
        self
    }

    /// true: what runs ahead begins when the iterator is made, not at its first element; not where it
    /// begins at a saved position.
    ///
    /// Default: `false`.
    pub fn warm_start(mut self, value: impl Into<Bool>) -> Self {
        self.warm_start = value.into();
        self
    }

    /// Where tuning begins: the text that `weir_iterator_stats` of an earlier run has as "tuned", such as
    /// "prefetch/map calls 16".
    ///
    /// Default: `none`.
    pub fn tuned(mut self, value: impl Into<Text>) -> Self {
        self.tuned = value.into();
        self
    }

    /// false: the operators run as written, where true lets one do the work of several (docs/seeing.md).
    ///
    /// Default: `true`.
    pub fn rewrites(mut self, value: impl Into<Bool>) -> Self {
        self.rewrites = value.into();
        self
    }
}

/// What `pad_to_cardinality` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct PadToCardinalityOptions {
    mask_key: Text,
}

impl PadToCardinalityOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The key of a bool: true for elements of the input.
    ///
    /// Default: `"valid"`.
    pub fn mask_key(mut self, value: impl Into<Text>) -> Self {
        self.mask_key = value.into();
        self
    }
}

/// What `padded_batch` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct PaddedBatchOptions {
    shapes: Value,
    values: Value,
    drop_remainder: Bool,
}

impl PaddedBatchOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The dimensions of each tensor, in the structure of the element: a number, or none for the largest of
    /// the batch.
    ///
    /// Default: `none`.
    pub fn shapes(mut self, value: impl Into<Value>) -> Self {
        self.shapes = value.into();
        self
    }

    /// What to fill up with: one value, or one for each tensor, where none is 0, false or "", as without
    /// it.
    ///
    /// Default: `none`.
    pub fn values(mut self, value: impl Into<Value>) -> Self {
        self.values = value.into();
        self
    }

    /// Leave out a last batch of fewer than n elements.
    ///
    /// Default: `false`.
    pub fn drop_remainder(mut self, value: impl Into<Bool>) -> Self {
        self.drop_remainder = value.into();
        self
    }
}

/// What `ragged_batch` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct RaggedBatchOptions {
    drop_remainder: Bool,
}

impl RaggedBatchOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Leave out a last batch of fewer than n elements.
    ///
    /// Default: `false`.
    pub fn drop_remainder(mut self, value: impl Into<Bool>) -> Self {
        self.drop_remainder = value.into();
        self
    }
}

/// What `rebatch` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct RebatchOptions {
    drop_remainder: Bool,
}

impl RebatchOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Leave out a last batch that is too short.
    ///
    /// Default: `false`.
    pub fn drop_remainder(mut self, value: impl Into<Bool>) -> Self {
        self.drop_remainder = value.into();
        self
    }
}

/// What `rejection_resample` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct RejectionResampleOptions {
    initial: Value,
    seed: Seed,
}

impl RejectionResampleOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// How often each class comes in the input, likewise. none: estimated from the elements read so far.
    ///
    /// Default: `none`.
    pub fn initial(mut self, value: impl Into<Value>) -> Self {
        self.initial = value.into();
        self
    }

    /// Fixes the draws: n, or the pair (a, b); none draws a seed when the dataset is built.
    ///
    /// Default: `none`.
    pub fn seed(mut self, value: impl Into<Seed>) -> Self {
        self.seed = value.into();
        self
    }
}

/// What `shuffle` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct ShuffleOptions {
    seed: Seed,
    reshuffle_each_iteration: Bool,
}

impl ShuffleOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Fixes the order: n, or the pair (a, b); none draws a seed when the dataset is built.
    ///
    /// Default: `none`.
    pub fn seed(mut self, value: impl Into<Seed>) -> Self {
        self.seed = value.into();
        self
    }

    /// Each epoch has an order of its own.
    ///
    /// Default: `true`.
    pub fn reshuffle_each_iteration(mut self, value: impl Into<Bool>) -> Self {
        self.reshuffle_each_iteration = value.into();
        self
    }
}

/// What `shuffle_and_repeat` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct ShuffleAndRepeatOptions {
    count: Int,
    seed: Seed,
}

impl ShuffleAndRepeatOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many times; -1 repeats forever.
    ///
    /// Default: `-1`.
    pub fn count(mut self, value: impl Into<Int>) -> Self {
        self.count = value.into();
        self
    }

    /// Fixes the order: n, or the pair (a, b); none draws a seed when the dataset is built.
    ///
    /// Default: `none`.
    pub fn seed(mut self, value: impl Into<Seed>) -> Self {
        self.seed = value.into();
        self
    }
}

/// What `snapshot` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct SnapshotOptions {
    compression: Text,
}

impl SnapshotOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// "", "zlib", or "auto": the faster one, which is "".
    ///
    /// Default: `"auto"`.
    pub fn compression(mut self, value: impl Into<Text>) -> Self {
        self.compression = value.into();
        self
    }
}

/// What `sparse_batch` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct SparseBatchOptions {
    row_shape: Value,
}

impl SparseBatchOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The largest dimensions that an element may have: a list of numbers, with none for the largest of the
    /// batch.
    ///
    /// Default: `none`.
    pub fn row_shape(mut self, value: impl Into<Value>) -> Self {
        self.row_shape = value.into();
        self
    }
}

/// What `window` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct WindowOptions {
    shift: Int,
    stride: Int,
    drop_remainder: Bool,
}

impl WindowOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many elements the next window begins after this one; none is `size`.
    ///
    /// Default: `none`.
    pub fn shift(mut self, value: impl Into<Int>) -> Self {
        self.shift = value.into();
        self
    }

    /// A window has every stride-th element.
    ///
    /// Default: `1`.
    pub fn stride(mut self, value: impl Into<Int>) -> Self {
        self.stride = value.into();
        self
    }

    /// Leave out windows of fewer than `size` elements.
    ///
    /// Default: `false`.
    pub fn drop_remainder(mut self, value: impl Into<Bool>) -> Self {
        self.drop_remainder = value.into();
        self
    }
}

/// What `save` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct SaveOptions {
    compression: Text,
    num_shards: Int,
}

impl SaveOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// "" or "zlib".
    ///
    /// Default: `""`.
    pub fn compression(mut self, value: impl Into<Text>) -> Self {
        self.compression = value.into();
        self
    }

    /// How many files the elements are divided among, 1 MiB or more in turn.
    ///
    /// Default: `1`.
    pub fn num_shards(mut self, value: impl Into<Int>) -> Self {
        self.num_shards = value.into();
        self
    }
}

/// Elements of several datasets: each element of `choice` is the number, from 0, of the dataset that
/// the next one comes from. Ends with the choices, when a chosen dataset has no more elements, or, if
/// `stop_on_empty` is false, when none has. A number without a dataset is an error in its place.
///
/// * `datasets`: A list of datasets of one structure.
/// * `choice`: A dataset of int64: the number of the dataset that the next element comes from.
///
/// [`choose_from_datasets_with`] takes options as well.
#[must_use]
pub fn choose_from_datasets(datasets: impl Into<DatasetList>, choice: impl Into<Operand>) -> Pipeline {
    choose_from_datasets_with(datasets, choice, ChooseFromDatasetsOptions::new())
}

/// [`choose_from_datasets`] with options.
#[must_use]
pub fn choose_from_datasets_with(datasets: impl Into<DatasetList>, choice: impl Into<Operand>, options: ChooseFromDatasetsOptions) -> Pipeline {
    Pipeline::begin(OperatorCall::new("choose_from_datasets").positional(datasets.into()).positional(choice.into()).named("stop_on_empty", options.stop_on_empty))
}

/// The numbers from `start` on, `step` apart, without end. If the next number is no int64, it is an
/// error (out_of_range), and the sequence ends.
///
/// [`counter_with`] takes options as well.
#[must_use]
pub fn counter() -> Pipeline {
    counter_with(CounterOptions::new())
}

/// [`counter`] with options.
#[must_use]
pub fn counter_with(options: CounterOptions) -> Pipeline {
    Pipeline::begin(OperatorCall::new("counter").named("start", options.start).named("step", options.step))
}

/// The rows of tables in text form, each a tuple of its columns. Rows end with `\n`, `\r`, both, or the
/// file. Numbers may have spaces around them; strings are given as they are. A row with another number
/// of fields, a missing value, a number that is none or a stray quote, in the header too, is one error
/// (invalid_argument) with the file and its number, and the next row follows. A file that does not
/// exist (not_found), is empty where a header is wanted (invalid_argument), begins like gzip or another
/// format that is no text (invalid_argument), is damaged (data_loss) or holds a row longer than the
/// runtime's `record_bytes` (resource_exhausted) gives one error in place of its remaining rows, and
/// the next file follows. Runs ahead of its consumer on a thread of its own.
///
/// * `files`: A file name, a list of names, or a dataset of names.
/// * `columns`: What each column holds: the dtype of one that every row has a value for, or the value that stands for an empty field. int32, int64, float32, float64 or string.
///
/// [`csv_with`] takes options as well.
#[must_use]
pub fn csv(files: impl Into<Files>, columns: impl Into<Expression>) -> Pipeline {
    csv_with(files, columns, CsvOptions::new())
}

/// [`csv`] with options.
#[must_use]
pub fn csv_with(files: impl Into<Files>, columns: impl Into<Expression>, options: CsvOptions) -> Pipeline {
    Pipeline::begin(OperatorCall::new("csv").positional(files.into()).positional(columns.into()).named("header", options.header).named("delim", options.delim).named("quote", options.quote).named("na_value", options.na_value).named("select", options.select).named("compression", options.compression).named("num_parallel_reads", options.num_parallel_reads).named("exclude", options.exclude))
}

/// A dataset without elements, whose elements would have the given structure.
///
/// * `spec`: The structure that its elements would have.
#[must_use]
pub fn empty(spec: impl Into<SpecText>) -> Pipeline {
    Pipeline::begin(OperatorCall::new("empty").positional(spec.into()))
}

/// The records of files whose records all have `record_bytes` bytes, as strings. The first
/// `header_bytes` and the last `footer_bytes` of each file are left out. A plain file whose size
/// doesn't fit is invalid_argument and gives no record; a compressed one gives its whole records and
/// then data_loss. A file that fails gives one error in place of its remaining records, and the next
/// file follows. Runs ahead of its consumer on a thread of its own.
///
/// * `files`: A file name, a list of names, or a dataset of names.
/// * `record_bytes`: How long a record is.
///
/// [`fixed_length_record_with`] takes options as well.
#[must_use]
pub fn fixed_length_record(files: impl Into<Files>, record_bytes: impl Into<Int>) -> Pipeline {
    fixed_length_record_with(files, record_bytes, FixedLengthRecordOptions::new())
}

/// [`fixed_length_record`] with options.
#[must_use]
pub fn fixed_length_record_with(files: impl Into<Files>, record_bytes: impl Into<Int>, options: FixedLengthRecordOptions) -> Pipeline {
    Pipeline::begin(OperatorCall::new("fixed_length_record").positional(files.into()).positional(record_bytes.into()).named("header_bytes", options.header_bytes).named("footer_bytes", options.footer_bytes).named("compression", options.compression).named("num_parallel_reads", options.num_parallel_reads))
}

/// The elements that a generator of the program gives (`weir_generator`), until it says that there are
/// no more. Each opening of the dataset opens the generator anew. Where it fails, the error takes the
/// place of an element, and the next one follows; if it cannot be opened, there is one error and
/// nothing else. An element of another dtype or shape than `spec` says is an error. A generator may
/// save and restore its place; one that is declared pure is opened again for a restored iterator, and
/// as many elements are passed over; for others `checkpoint_policy` says what happens.
///
/// * `generator`: The generator that the program handed in: @NAME.
/// * `spec`: The structure of its elements.
#[must_use]
pub fn from_generator(generator: impl Into<Function>, spec: impl Into<SpecText>) -> Pipeline {
    Pipeline::begin(OperatorCall::new("from_generator").positional(generator.into()).positional(spec.into()))
}

/// The members of a list, in their order. They have one structure; their shapes may differ. A list has
/// at most 4,095 parts, counting tensors, tuples and dicts; for more elements stack them and use
/// from_tensor_slices.
///
/// * `elements`: A list of the elements: tensors, tuples or dicts, all of one structure.
#[must_use]
pub fn from_list(elements: impl Into<Values>) -> Pipeline {
    Pipeline::begin(OperatorCall::new("from_list").positional(elements.into()))
}

/// One tuple (indices, values, shape) per slice of a sparse tensor along its first dimension.
/// from_tensor_slices gives the same as sparse tensors.
///
/// * `sparse`: A sparse tensor of rank 1 or more, whose indices rise by row.
#[must_use]
pub fn from_sparse_tensor_slices(sparse: impl Into<Value>) -> Pipeline {
    Pipeline::begin(OperatorCall::new("from_sparse_tensor_slices").positional(sparse.into()))
}

/// One element per slice along the first dimension of each component. All components must have the same
/// length. A slice of a sparse tensor is a sparse one of a rank less, a slice of a ragged tensor a
/// dense one.
///
/// * `value`: A tensor or a structure of tensors, each of rank 1 or more and of one length.
#[must_use]
pub fn from_tensor_slices(value: impl Into<Value>) -> Pipeline {
    Pipeline::begin(OperatorCall::new("from_tensor_slices").positional(value.into()))
}

/// A dataset of one element, the value itself.
///
/// * `value`: The element: a tensor or a tuple or dict of tensors.
#[must_use]
pub fn from_tensors(value: impl Into<Value>) -> Pipeline {
    Pipeline::begin(OperatorCall::new("from_tensors").positional(value.into()))
}

/// The names of the files that match a pattern. Order: random, and another one each epoch, unless
/// `shuffle` is false; then sorted. A pattern that matches no file is an error when the dataset is
/// built. Index files (`*.weir-index`) are left out unless the pattern ends so.
///
/// * `pattern`: A glob pattern or a list of them. Within one part of a path, `*` is any characters, `?` one character (of UTF-8), `\[a-z\]` one of these; `\` before one of them takes it as it is.
///
/// [`list_files_with`] takes options as well.
#[must_use]
pub fn list_files(pattern: impl Into<Value>) -> Pipeline {
    list_files_with(pattern, ListFilesOptions::new())
}

/// [`list_files`] with options.
#[must_use]
pub fn list_files_with(pattern: impl Into<Value>, options: ListFilesOptions) -> Pipeline {
    Pipeline::begin(OperatorCall::new("list_files").positional(pattern.into()).named("shuffle", options.shuffle).named("seed", options.seed))
}

/// The elements in a folder that `save`, `snapshot` or a file cache wrote, in the order in which they
/// were written. Their structure and number are read when the dataset is built, and so a folder without
/// elements (not_found) or with a damaged manifest is a mistake of the text. A damaged chunk gives one
/// error in place of its elements, and the next chunk follows. If the elements are replaced between
/// building and reading, there is one error instead of them. Runs ahead of its consumer on a thread of
/// its own.
///
/// * `path`: The folder of the written elements.
#[must_use]
pub fn load(path: impl Into<Text>) -> Pipeline {
    Pipeline::begin(OperatorCall::new("load").positional(path.into()))
}

/// Random integers from 0 to 4294967295 without end, the same as tf.data's for the same seed. Each
/// epoch repeats them unless `rerandomize_each_iteration` is true.
///
/// [`random_with`] takes options as well.
#[must_use]
pub fn random() -> Pipeline {
    random_with(RandomOptions::new())
}

/// [`random`] with options.
#[must_use]
pub fn random_with(options: RandomOptions) -> Pipeline {
    Pipeline::begin(OperatorCall::new("random").named("seed", options.seed).named("rerandomize_each_iteration", options.rerandomize_each_iteration))
}

/// The numbers from `start` up to but not including `stop`, `step` apart. There are none if `step`
/// leads away from `stop`. A single positional argument is `stop`.
///
/// * `stop`: The sequence ends before it.
#[must_use]
pub fn range(stop: impl Into<Int>) -> Pipeline {
    Pipeline::begin(OperatorCall::new("range").positional(stop.into()))
}

/// The numbers from `start` up to but not including `stop`, `step` apart. There are none if `step`
/// leads away from `stop`. A single positional argument is `stop`.
///
/// * `start`: The first number.
/// * `stop`: The sequence ends before it.
///
/// [`range_from_with`] takes options as well.
#[must_use]
pub fn range_from(start: impl Into<Int>, stop: impl Into<Int>) -> Pipeline {
    range_from_with(start, stop, RangeOptions::new())
}

/// [`range_from`] with options.
#[must_use]
pub fn range_from_with(start: impl Into<Int>, stop: impl Into<Int>, options: RangeOptions) -> Pipeline {
    Pipeline::begin(OperatorCall::new("range").positional(start.into()).positional(stop.into()).named("step", options.step).named("dtype", options.dtype))
}

/// Elements of several datasets: each next one of a dataset drawn at random, with tf.data's order for
/// the same seed. Ends when all datasets have ended, or, if `stop_on_empty` is true, when one is drawn
/// that has. A dataset whose constant weight is 0 is left out. Each epoch repeats the draws unless
/// `rerandomize_each_iteration` is true.
///
/// * `datasets`: A list of datasets of one structure.
///
/// [`sample_from_datasets_with`] takes options as well.
#[must_use]
pub fn sample_from_datasets(datasets: impl Into<DatasetList>) -> Pipeline {
    sample_from_datasets_with(datasets, SampleFromDatasetsOptions::new())
}

/// [`sample_from_datasets`] with options.
#[must_use]
pub fn sample_from_datasets_with(datasets: impl Into<DatasetList>, options: SampleFromDatasetsOptions) -> Pipeline {
    Pipeline::begin(OperatorCall::new("sample_from_datasets").positional(datasets.into()).named("weights", options.weights).named("seed", options.seed).named("stop_on_empty", options.stop_on_empty).named("rerandomize_each_iteration", options.rerandomize_each_iteration))
}

/// The rows of a query of an SQLite 3 database, in the order in which the query gives them. NULL is 0,
/// false or "", as in tf.data. A number in a column of strings becomes its text, and any number but 0
/// is true; a value that its dtype does not hold is an error (invalid_argument) in the row's place. A
/// database that does not exist (not_found), is damaged or ends within a page (data_loss) or is no
/// regular file (invalid_argument), and a query that is wrong (invalid_argument) or fails, gives one
/// error in place of the remaining rows. A database that somebody else writes is waited for, 5 seconds
/// at most; while rows are read, a writer waits. The query reads this one file: other databases,
/// pragmas that set something and extensions are refused (permission_denied). One in WAL mode gets the
/// files `-wal` and `-shm` beside it, as from every reader. SQLite is built in; a process that writes
/// the database by another SQLite must close it before it reads it here, since a process loses its
/// locks on a file where one of them closes it. The query runs again where a restored iterator goes on,
/// so give it an `order by`. Runs ahead of its consumer on a thread of its own.
///
/// * `driver`: Of what kind the database is: "sqlite", an SQLite 3 file.
/// * `connection`: The database: the name of its file, taken as it is.
/// * `query`: One statement that gives rows. The database is only read.
/// * `spec`: What each column holds: a tuple of scalars, one for each column in their order, or a dict of them by the columns' names. An integer dtype, float32, float64, bool or string.
#[must_use]
pub fn sql(driver: impl Into<Text>, connection: impl Into<Text>, query: impl Into<Text>, spec: impl Into<SpecText>) -> Pipeline {
    Pipeline::begin(OperatorCall::new("sql").positional(driver.into()).positional(connection.into()).positional(query.into()).positional(spec.into()))
}

/// The lines of text files, as strings without their `\n` and without any `\r`. A last line needs no
/// `\n`. Bytes are given as they are, a byte-order mark included. A file that begins like gzip or
/// another format that is no text is refused (invalid_argument), which names the format. A file that
/// does not exist (not_found), is damaged (data_loss) or holds a line longer than the runtime's
/// `record_bytes` (resource_exhausted) gives one error in place of its remaining lines, and the next
/// file follows. Runs ahead of its consumer on a thread of its own.
///
/// * `files`: A file name, a list of names, or a dataset of names.
///
/// [`text_line_with`] takes options as well.
#[must_use]
pub fn text_line(files: impl Into<Files>) -> Pipeline {
    text_line_with(files, TextLineOptions::new())
}

/// [`text_line`] with options.
#[must_use]
pub fn text_line_with(files: impl Into<Files>, options: TextLineOptions) -> Pipeline {
    Pipeline::begin(OperatorCall::new("text_line").positional(files.into()).named("compression", options.compression).named("buffer_size", options.buffer_size).named("num_parallel_reads", options.num_parallel_reads))
}

/// The records of TFRecord files, as strings. Both checksums of every record are checked. A file that
/// does not exist (not_found), is damaged (data_loss) or holds a record longer than the runtime's
/// `record_bytes` (resource_exhausted) gives one error in place of its remaining records, and the next
/// file follows; `on_corrupt` changes this for damaged files. With "resync" the next whole record is
/// the next position where both checksums fit, the length lies within the file and `record_bytes`; the
/// error names offset and length of the damaged stretch. A compressed stream that is itself damaged
/// ends its file as before. Runs ahead of its consumer on a thread of its own. Records of uncompressed
/// files are also read by their position (`global_shuffle`, `weir_dataset_at`) through an index of each
/// file, which `weir index` makes, or the first such reading; then a damaged record is one error in its
/// place, and `skip` and `shard` directly after it go straight to their records.
///
/// * `files`: A file name, a list of names, or a dataset of names.
///
/// [`tfrecord_with`] takes options as well.
#[must_use]
pub fn tfrecord(files: impl Into<Files>) -> Pipeline {
    tfrecord_with(files, TfrecordOptions::new())
}

/// [`tfrecord`] with options.
#[must_use]
pub fn tfrecord_with(files: impl Into<Files>, options: TfrecordOptions) -> Pipeline {
    Pipeline::begin(OperatorCall::new("tfrecord").positional(files.into()).named("compression", options.compression).named("num_parallel_reads", options.num_parallel_reads).named("on_corrupt", options.on_corrupt))
}

/// One element of each dataset at a time, in the structure that the datasets are given in. Ends with
/// the shortest. If any input fails at a position, that position is one error. A value that holds
/// datasets is such a structure, too: `zip(w)` joins the members of a window of dicts or tuples.
///
/// * `datasets`: One or more datasets, or a tuple or dict of them.
#[must_use]
pub fn zip(datasets: impl Into<Datasets>) -> Pipeline {
    Pipeline::begin(OperatorCall::new("zip").positional(datasets.into()))
}

impl Pipeline {
    /// The elements as they are, of which there are said to be `n`. If there are fewer or more, the last
    /// element is an error (failed_precondition). Errors among them are passed on and not counted.
    ///
    /// * `n`: How many elements there are; -1: no end, -2: nobody knows.
    #[must_use]
    pub fn assert_cardinality(&self, n: impl Into<Int>) -> Pipeline {
        self.then(OperatorCall::new("assert_cardinality").positional(n.into()))
    }

    /// Joins `n` elements along a new first dimension. The elements of a batch must have one shape, or the
    /// batch is an error; sparse tensors become one sparse tensor of the largest shape. The last batch may
    /// have fewer elements. An error among the elements drops the batch gathered so far; the next one
    /// begins after it.
    ///
    /// * `n`: How many elements make a batch.
    ///
    /// [`Pipeline::batch_with`] takes options as well.
    #[must_use]
    pub fn batch(&self, n: impl Into<Int>) -> Pipeline {
        self.batch_with(n, BatchOptions::new())
    }

    /// [`Pipeline::batch`] with options.
    #[must_use]
    pub fn batch_with(&self, n: impl Into<Int>, options: BatchOptions) -> Pipeline {
        self.then(OperatorCall::new("batch").positional(n.into()).named("drop_remainder", options.drop_remainder).named("num_parallel_calls", options.num_parallel_calls))
    }

    /// Makes batches of elements of about one length. Elements are gathered by the bucket that their length
    /// falls into; once a bucket has as many as its batch size says, they follow as one batch, padded as by
    /// `padded_batch`. After the last element the smaller batches follow, the shortest bucket first. An
    /// element whose length fails is an error at once; a batch that cannot be made is an error in its
    /// place.
    ///
    /// * `length`: The length of an element: gives an int64.
    /// * `boundaries`: Where buckets end, ascending: a list of integers. The first bucket has the lengths below the first of them, the last one those from the last of them on.
    /// * `batch_sizes`: How many elements make a batch, for each bucket: one more than boundaries.
    ///
    /// [`Pipeline::bucket_by_sequence_length_with`] takes options as well.
    #[must_use]
    pub fn bucket_by_sequence_length(&self, length: impl Into<Function>, boundaries: impl Into<Value>, batch_sizes: impl Into<Value>) -> Pipeline {
        self.bucket_by_sequence_length_with(length, boundaries, batch_sizes, BucketBySequenceLengthOptions::new())
    }

    /// [`Pipeline::bucket_by_sequence_length`] with options.
    #[must_use]
    pub fn bucket_by_sequence_length_with(&self, length: impl Into<Function>, boundaries: impl Into<Value>, batch_sizes: impl Into<Value>, options: BucketBySequenceLengthOptions) -> Pipeline {
        self.then(OperatorCall::new("bucket_by_sequence_length").positional(length.into()).positional(boundaries.into()).positional(batch_sizes.into()).named("shapes", options.shapes).named("values", options.values).named("pad_to_bucket_boundary", options.pad_to_bucket_boundary).named("no_padding", options.no_padding).named("drop_remainder", options.drop_remainder))
    }

    /// Reads its input once and keeps the elements; from then on it gives these. The first pass hands on
    /// what it reads, and fills the cache if it reaches the end. Errors pass at once and are left out
    /// later. In memory, every iterator has a cache of its own, and so has every dataset that a function
    /// opens; in Python, the loops over a dataset share its caches. A cache whose passes stop early never
    /// fills: its next pass logs a warning. With a `file`, the elements are kept in a folder of that name,
    /// as `snapshot` does it: other iterators and later processes are given them, too; those of another
    /// pipeline are refused; while one fills it, others hand on what they read.
    ///
    /// * `file`: The folder of the written elements; "" keeps them in memory. `()` stands for the default, `""`.
    #[must_use]
    pub fn cache(&self, file: impl Into<Text>) -> Pipeline {
        self.then(OperatorCall::new("cache").named("file", file.into()))
    }

    /// The elements of the input, then those of the other dataset. Both must have the same structure and
    /// dtypes; dimensions that differ become unknown.
    ///
    /// * `other`: The dataset that follows; its structure and dtypes are the same.
    #[must_use]
    pub fn concatenate(&self, other: impl Into<Operand>) -> Pipeline {
        self.then(OperatorCall::new("concatenate").positional(other.into()))
    }

    /// Pairs of a number and an element, the numbers counting up from `start`. An error uses up a number.
    /// Elements after the one with the largest int64 are errors (out_of_range).
    ///
    /// * `start`: The number of the first element. `()` stands for the default, `0`.
    #[must_use]
    pub fn enumerate(&self, start: impl Into<Int>) -> Pipeline {
        self.then(OperatorCall::new("enumerate").named("start", start.into()))
    }

    /// The elements for which `f` is true, in their order. An element for which `f` fails is an error.
    ///
    /// * `f`: The condition: gives a bool.
    #[must_use]
    pub fn filter(&self, f: impl Into<Function>) -> Pipeline {
        self.then(OperatorCall::new("filter").positional(f.into()))
    }

    /// The elements of the dataset that `f` makes from the first element, then those of the second, and so
    /// on.
    ///
    /// * `f`: Maps each element to a dataset.
    #[must_use]
    pub fn flat_map(&self, f: impl Into<Function>) -> Pipeline {
        self.then(OperatorCall::new("flat_map").positional(f.into()))
    }

    /// All elements in random order, every order as likely as a hash makes it, with no buffer. Each element
    /// is read by its position, so the operators before it must know where their elements are: range,
    /// from_tensors, from_tensor_slices, from_list, uncompressed TFRecords, whose index it uses or makes,
    /// zip, concatenate, map, batch, enumerate, take, skip, shard, repeat with a count, and prefetch, which
    /// runs nothing ahead then; others are refused by name, and so is a dataset that is known to be empty
    /// or infinite (failed_precondition). An element that fails is an error in its place, as is a batch of
    /// which one fails. The order is tf.data's for the same seed.
    ///
    /// [`Pipeline::global_shuffle_with`] takes options as well.
    #[must_use]
    pub fn global_shuffle(&self) -> Pipeline {
        self.global_shuffle_with(GlobalShuffleOptions::new())
    }

    /// [`Pipeline::global_shuffle`] with options.
    #[must_use]
    pub fn global_shuffle_with(&self, options: GlobalShuffleOptions) -> Pipeline {
        self.then(OperatorCall::new("global_shuffle").named("seed", options.seed).named("reshuffle_each_iteration", options.reshuffle_each_iteration))
    }

    /// Takes all elements before it gives one. Those for which `key` gives the same number are folded into
    /// one state, which begins as what `init` gives for the key and becomes what `reduce` gives for it and
    /// each of them. Then follows what `finalize` gives for each state, the least key first. An element
    /// that fails, or whose key, `init` or `reduce` does, is an error at once and changes no state; a key
    /// of which every element failed gives nothing. A dataset that is known to be infinite is refused.
    ///
    /// * `key`: The group of an element: gives an int64.
    /// * `init`: The first state of a group, from its key.
    /// * `reduce`: (state, element) -> state, of the same structure and dtypes.
    /// * `finalize`: What is given for a group, from its last state.
    #[must_use]
    pub fn group_by_reducer(&self, key: impl Into<Function>, init: impl Into<Function>, reduce: impl Into<Function>, finalize: impl Into<Function>) -> Pipeline {
        self.then(OperatorCall::new("group_by_reducer").positional(key.into()).positional(init.into()).positional(reduce.into()).positional(finalize.into()))
    }

    /// Gathers the elements for which `key` gives the same number. Once `window_size` of them are there,
    /// the elements of the dataset that `reduce` makes of them follow. After the last element the smaller
    /// groups follow, the least key first. An element whose key fails is an error at once.
    ///
    /// * `key`: The group of an element: gives an int64.
    /// * `reduce`: (key, window) -> dataset. The window is a dataset of the elements of one group.
    /// * `window_size`: The most elements of a group, or a function that gives them for a key.
    #[must_use]
    pub fn group_by_window(&self, key: impl Into<Function>, reduce: impl Into<Function>, window_size: impl Into<Function>) -> Pipeline {
        self.then(OperatorCall::new("group_by_window").positional(key.into()).positional(reduce.into()).positional(window_size.into()))
    }

    /// The elements that did not fail.
    ///
    /// * `log`: Log a warning for each error that is left out. `()` stands for the default, `false`.
    #[must_use]
    pub fn ignore_errors(&self, log: impl Into<Bool>) -> Pipeline {
        self.then(OperatorCall::new("ignore_errors").named("log", log.into()))
    }

    /// Takes turns between the datasets that `f` makes from the elements. `cycle_length` of them are open
    /// at a time, and each gives `block_length` elements per turn. With `num_parallel_calls`, the open ones
    /// and the next ones run ahead on other threads; the order stays unless `deterministic` is false.
    ///
    /// * `f`: Maps each element to a dataset.
    ///
    /// [`Pipeline::interleave_with`] takes options as well.
    #[must_use]
    pub fn interleave(&self, f: impl Into<Function>) -> Pipeline {
        self.interleave_with(f, InterleaveOptions::new())
    }

    /// [`Pipeline::interleave`] with options.
    #[must_use]
    pub fn interleave_with(&self, f: impl Into<Function>, options: InterleaveOptions) -> Pipeline {
        self.then(OperatorCall::new("interleave").positional(f.into()).named("cycle_length", options.cycle_length).named("block_length", options.block_length).named("num_parallel_calls", options.num_parallel_calls).named("deterministic", options.deterministic))
    }

    /// Applies `f` to each element. Where `f` fails, the error takes the place of the element. With
    /// `num_parallel_calls`, calls run ahead on other threads; the order stays unless `deterministic` is
    /// false.
    ///
    /// * `f`: The function: a lambda or a callback.
    ///
    /// [`Pipeline::map_with`] takes options as well.
    #[must_use]
    pub fn map(&self, f: impl Into<Function>) -> Pipeline {
        self.map_with(f, MapOptions::new())
    }

    /// [`Pipeline::map`] with options.
    #[must_use]
    pub fn map_with(&self, f: impl Into<Function>, options: MapOptions) -> Pipeline {
        self.then(OperatorCall::new("map").positional(f.into()).named("num_parallel_calls", options.num_parallel_calls).named("deterministic", options.deterministic))
    }

    /// Applies `f` to each element and joins `n` results along a new first dimension. Results of a batch
    /// must have one shape, or the batch is an error; sparse tensors become one sparse tensor of the
    /// largest shape. Where an element or its call failed, its whole batch is an error, and the next batch
    /// is what it would have been.
    ///
    /// * `f`: The function: a lambda or a callback.
    /// * `n`: How many results make a batch.
    ///
    /// [`Pipeline::map_and_batch_with`] takes options as well.
    #[must_use]
    pub fn map_and_batch(&self, f: impl Into<Function>, n: impl Into<Int>) -> Pipeline {
        self.map_and_batch_with(f, n, MapAndBatchOptions::new())
    }

    /// [`Pipeline::map_and_batch`] with options.
    #[must_use]
    pub fn map_and_batch_with(&self, f: impl Into<Function>, n: impl Into<Int>, options: MapAndBatchOptions) -> Pipeline {
        self.then(OperatorCall::new("map_and_batch").positional(f.into()).positional(n.into()).named("drop_remainder", options.drop_remainder).named("num_parallel_calls", options.num_parallel_calls))
    }

    /// The input, under settings for the whole pipeline, lambdas excepted. With `deterministic: false`,
    /// every map and interleave with parallel calls that does not say otherwise gives its results in any
    /// order. The others say how far the pipeline runs ahead; they change no element, no order and no
    /// position.
    ///
    /// [`Pipeline::options_with`] takes options as well.
    #[must_use]
    pub fn options(&self) -> Pipeline {
        self.options_with(OptionsOptions::new())
    }

    /// [`Pipeline::options`] with options.
    #[must_use]
    pub fn options_with(&self, options: OptionsOptions) -> Pipeline {
        self.then(OperatorCall::new("options").named("deterministic", options.deterministic).named("autotune", options.autotune).named("threads", options.threads).named("memory", options.memory).named("warm_start", options.warm_start).named("tuned", options.tuned).named("rewrites", options.rewrites))
    }

    /// The elements, which are dicts, and after them elements of zeros until there are `n`. Under
    /// `mask_key` stands true for elements of the input and false for others. An input that is known to
    /// have more elements is refused; else an error takes the place of the first one too many and ends the
    /// sequence.
    ///
    /// * `n`: How many elements there are in the end.
    ///
    /// [`Pipeline::pad_to_cardinality_with`] takes options as well.
    #[must_use]
    pub fn pad_to_cardinality(&self, n: impl Into<Int>) -> Pipeline {
        self.pad_to_cardinality_with(n, PadToCardinalityOptions::new())
    }

    /// [`Pipeline::pad_to_cardinality`] with options.
    #[must_use]
    pub fn pad_to_cardinality_with(&self, n: impl Into<Int>, options: PadToCardinalityOptions) -> Pipeline {
        self.then(OperatorCall::new("pad_to_cardinality").positional(n.into()).named("mask_key", options.mask_key))
    }

    /// Joins `n` elements along a new first dimension, and pads tensors that are smaller than the largest
    /// of the batch, or than `shapes`. An element larger than that makes the batch an error. An error among
    /// the elements drops the batch gathered so far; the next one begins after it.
    ///
    /// * `n`: How many elements make a batch.
    ///
    /// [`Pipeline::padded_batch_with`] takes options as well.
    #[must_use]
    pub fn padded_batch(&self, n: impl Into<Int>) -> Pipeline {
        self.padded_batch_with(n, PaddedBatchOptions::new())
    }

    /// [`Pipeline::padded_batch`] with options.
    #[must_use]
    pub fn padded_batch_with(&self, n: impl Into<Int>, options: PaddedBatchOptions) -> Pipeline {
        self.then(OperatorCall::new("padded_batch").positional(n.into()).named("shapes", options.shapes).named("values", options.values).named("drop_remainder", options.drop_remainder))
    }

    /// Makes up to `n` elements ahead on another thread while the consumer works. Order and errors stay
    /// where they are.
    ///
    /// * `n`: How many elements may wait; 0 runs nothing ahead; auto begins with 2 and finds how many the consumer takes while the input stalls, up to 8 MiB and 1,024; -1 is tf.data's number for auto.
    #[must_use]
    pub fn prefetch(&self, n: impl Into<Int>) -> Pipeline {
        self.then(OperatorCall::new("prefetch").positional(n.into()))
    }

    /// Joins `n` elements along a new first dimension. Tensors whose first dimension is unknown become one
    /// ragged tensor and may differ in it; others are joined as by `batch`. The last batch may have fewer
    /// elements. An error among the elements drops the batch gathered so far; the next one begins after it.
    ///
    /// * `n`: How many elements make a batch.
    ///
    /// [`Pipeline::ragged_batch_with`] takes options as well.
    #[must_use]
    pub fn ragged_batch(&self, n: impl Into<Int>) -> Pipeline {
        self.ragged_batch_with(n, RaggedBatchOptions::new())
    }

    /// [`Pipeline::ragged_batch`] with options.
    #[must_use]
    pub fn ragged_batch_with(&self, n: impl Into<Int>, options: RaggedBatchOptions) -> Pipeline {
        self.then(OperatorCall::new("ragged_batch").positional(n.into()).named("drop_remainder", options.drop_remainder))
    }

    /// Joins and splits batches, so that each has `n` rows. A list of sizes is used in turn; 0 gives an
    /// empty batch. Batches of sparse tensors and ragged ones stay what they are. The last batch may have
    /// fewer rows. An error among the elements drops the rows gathered so far; the next batch begins after
    /// it.
    ///
    /// * `n`: How many rows make a batch; or a list of such sizes, used in turn. An empty batch has the size 0.
    ///
    /// [`Pipeline::rebatch_with`] takes options as well.
    #[must_use]
    pub fn rebatch(&self, n: impl Into<Value>) -> Pipeline {
        self.rebatch_with(n, RebatchOptions::new())
    }

    /// [`Pipeline::rebatch`] with options.
    #[must_use]
    pub fn rebatch_with(&self, n: impl Into<Value>, options: RebatchOptions) -> Pipeline {
        self.then(OperatorCall::new("rebatch").positional(n.into()).named("drop_remainder", options.drop_remainder))
    }

    /// The elements behind their classes, (class, element), so drawn that the classes come about as often
    /// as `target` says: an element of a class that comes too often is left out more often, and one may
    /// come twice, since a part of the elements is that of the input as it is. It ends when one of the two
    /// parts is drawn that has no more elements. Without `initial`, what the input has is estimated from
    /// the classes of all elements so far, 32 at a time. An element whose class fails, or is none of
    /// `target`, is an error in its place.
    ///
    /// * `class`: The class of an element: an integer from 0 on.
    /// * `target`: How often each class is to come: a vector of floats, in proportion.
    ///
    /// [`Pipeline::rejection_resample_with`] takes options as well.
    #[must_use]
    pub fn rejection_resample(&self, class: impl Into<Function>, target: impl Into<Value>) -> Pipeline {
        self.rejection_resample_with(class, target, RejectionResampleOptions::new())
    }

    /// [`Pipeline::rejection_resample`] with options.
    #[must_use]
    pub fn rejection_resample_with(&self, class: impl Into<Function>, target: impl Into<Value>, options: RejectionResampleOptions) -> Pipeline {
        self.then(OperatorCall::new("rejection_resample").positional(class.into()).positional(target.into()).named("initial", options.initial).named("seed", options.seed))
    }

    /// The input `count` times over, forever if `count` is negative. An endless repeat ends after an epoch
    /// without elements.
    ///
    /// * `count`: How many times; negative repeats forever. `()` stands for the default, `-1`.
    #[must_use]
    pub fn repeat(&self, count: impl Into<Int>) -> Pipeline {
        self.then(OperatorCall::new("repeat").named("count", count.into()))
    }

    /// Applies `f` to a state and each element: `f` returns the next state and the element that is given.
    /// An error keeps the state.
    ///
    /// * `state`: The first state.
    /// * `f`: (state, element) -> (state, result), the state of the same structure and dtypes.
    #[must_use]
    pub fn scan(&self, state: impl Into<Value>, f: impl Into<Function>) -> Pipeline {
        self.then(OperatorCall::new("scan").positional(state.into()).positional(f.into()))
    }

    /// One of `num_shards` parts: the elements whose number, counted from 0, has remainder `index` modulo
    /// `num_shards`. Errors are passed on to every part and not counted. `shard(auto, auto)` is the part of
    /// the iterator's rank, from its options or from the environment (RANK and WORLD_SIZE, or those of Open
    /// MPI, MPICH, Slurm and Kubernetes), and all of it in a process that no launcher started; the
    /// checkpoints of all its ranks can be continued by another number of ranks.
    ///
    /// * `num_shards`: How many shards there are; auto: as many as the iterator has ranks.
    /// * `index`: Which of them this is, from 0; auto: that of the iterator's rank.
    #[must_use]
    pub fn shard(&self, num_shards: impl Into<Int>, index: impl Into<Int>) -> Pipeline {
        self.then(OperatorCall::new("shard").positional(num_shards.into()).positional(index.into()))
    }

    /// The elements in random order, each drawn from a buffer of `buffer_size` elements that is filled
    /// first; with -2 the whole input is, and one that is known to be infinite is refused. The order is
    /// tf.data's for the same seed. Errors pass at once.
    ///
    /// * `buffer_size`: How many elements wait to be drawn from; larger mixes better. -2: all of them, which then must end.
    ///
    /// [`Pipeline::shuffle_with`] takes options as well.
    #[must_use]
    pub fn shuffle(&self, buffer_size: impl Into<Int>) -> Pipeline {
        self.shuffle_with(buffer_size, ShuffleOptions::new())
    }

    /// [`Pipeline::shuffle`] with options.
    #[must_use]
    pub fn shuffle_with(&self, buffer_size: impl Into<Int>, options: ShuffleOptions) -> Pipeline {
        self.then(OperatorCall::new("shuffle").positional(buffer_size.into()).named("seed", options.seed).named("reshuffle_each_iteration", options.reshuffle_each_iteration))
    }

    /// The same as `shuffle(buffer_size, seed) | repeat(count)`: the input `count` times over, each time in
    /// another random order, and no epoch before the one before it has ended. Below another repeat it goes
    /// on with the order after its last one, where `repeat` would leave one out.
    ///
    /// * `buffer_size`: How many elements wait to be drawn from; larger mixes better.
    ///
    /// [`Pipeline::shuffle_and_repeat_with`] takes options as well.
    #[must_use]
    pub fn shuffle_and_repeat(&self, buffer_size: impl Into<Int>) -> Pipeline {
        self.shuffle_and_repeat_with(buffer_size, ShuffleAndRepeatOptions::new())
    }

    /// [`Pipeline::shuffle_and_repeat`] with options.
    #[must_use]
    pub fn shuffle_and_repeat_with(&self, buffer_size: impl Into<Int>, options: ShuffleAndRepeatOptions) -> Pipeline {
        self.then(OperatorCall::new("shuffle_and_repeat").positional(buffer_size.into()).named("count", options.count).named("seed", options.seed))
    }

    /// All but the first `n` elements. Errors among them are passed on and not counted.
    ///
    /// * `n`: How many elements to leave out; negative leaves out all.
    #[must_use]
    pub fn skip(&self, n: impl Into<Int>) -> Pipeline {
        self.then(OperatorCall::new("skip").positional(n.into()))
    }

    /// The elements of the input. A pass that reaches the end publishes them in the folder `path`, and
    /// later passes, in this process or another, read them from there without opening the input. Elements
    /// that another pipeline wrote there are refused (failed_precondition, one error), with what differs.
    /// While one writes, others pass their elements on without writing. Errors are passed on and left out
    /// of what is written. If writing fails, there is one error more, nothing is published, and the
    /// elements follow. A pass that goes on from a saved position does not write. Runs ahead of its
    /// consumer on a thread of its own.
    ///
    /// * `path`: The folder of the written elements.
    ///
    /// [`Pipeline::snapshot_with`] takes options as well.
    #[must_use]
    pub fn snapshot(&self, path: impl Into<Text>) -> Pipeline {
        self.snapshot_with(path, SnapshotOptions::new())
    }

    /// [`Pipeline::snapshot`] with options.
    #[must_use]
    pub fn snapshot_with(&self, path: impl Into<Text>, options: SnapshotOptions) -> Pipeline {
        self.then(OperatorCall::new("snapshot").positional(path.into()).named("compression", options.compression))
    }

    /// Joins `n` dense tensors of one rank, which may differ in shape, into a sparse tensor with a first
    /// dimension more. Every entry becomes a value, zeros too. An element larger than `row_shape` makes the
    /// batch an error (data_loss). The last batch may have fewer elements. An error among the elements
    /// drops the batch gathered so far; the next one begins after it.
    ///
    /// * `n`: How many elements make a batch.
    ///
    /// [`Pipeline::sparse_batch_with`] takes options as well.
    #[must_use]
    pub fn sparse_batch(&self, n: impl Into<Int>) -> Pipeline {
        self.sparse_batch_with(n, SparseBatchOptions::new())
    }

    /// [`Pipeline::sparse_batch`] with options.
    #[must_use]
    pub fn sparse_batch_with(&self, n: impl Into<Int>, options: SparseBatchOptions) -> Pipeline {
        self.then(OperatorCall::new("sparse_batch").positional(n.into()).named("row_shape", options.row_shape))
    }

    /// The first `n` elements. Errors among them are passed on and not counted.
    ///
    /// * `n`: How many elements to keep; negative keeps all.
    #[must_use]
    pub fn take(&self, n: impl Into<Int>) -> Pipeline {
        self.then(OperatorCall::new("take").positional(n.into()))
    }

    /// The elements before the first for which `f` is false. An element for which `f` fails is an error,
    /// and the next one follows.
    ///
    /// * `f`: The condition: gives a bool.
    #[must_use]
    pub fn take_while(&self, f: impl Into<Function>) -> Pipeline {
        self.then(OperatorCall::new("take_while").positional(f.into()))
    }

    /// The rows of each element, one by one: splits tensors along their first dimension, which must be the
    /// same for all tensors of an element. An element without rows gives nothing. A row of a sparse tensor
    /// is a sparse one of a rank less, a row of a ragged tensor a dense one.
    #[must_use]
    pub fn unbatch(&self) -> Pipeline {
        self.then(OperatorCall::new("unbatch"))
    }

    /// Each element the first time that it comes: integers, bools, strings, or structures of them.
    /// Remembers 16 bytes of each different element, 8 of a number, and saves them in checkpoints; in
    /// memory they take 40. Elements of more than 15 bytes are told apart by a hash of 124 bits. More
    /// different elements than the limit `checkpoint_bytes` allows are errors.
    #[must_use]
    pub fn unique(&self) -> Pipeline {
        self.then(OperatorCall::new("unique"))
    }

    /// Datasets of `size` successive elements, one dataset for each component of the element's structure. A
    /// window begins `shift` elements after the one before and has every stride-th element. The last
    /// windows have fewer elements. An element that failed makes each window that has it an error, and so
    /// does a window that the runtime's memory_bytes has no room for.
    ///
    /// * `size`: The most elements that a window has.
    ///
    /// [`Pipeline::window_with`] takes options as well.
    #[must_use]
    pub fn window(&self, size: impl Into<Int>) -> Pipeline {
        self.window_with(size, WindowOptions::new())
    }

    /// [`Pipeline::window`] with options.
    #[must_use]
    pub fn window_with(&self, size: impl Into<Int>, options: WindowOptions) -> Pipeline {
        self.then(OperatorCall::new("window").positional(size.into()).named("shift", options.shift).named("stride", options.stride).named("drop_remainder", options.drop_remainder))
    }

    /// How many elements the input has: -1 if infinitely many, -2 if that is unknown without reading it. In
    /// a lambda, the variables count with their values.
    #[must_use]
    pub fn cardinality(&self) -> Pipeline {
        self.then(OperatorCall::new("cardinality"))
    }

    /// The only element of the input, as a value. An input of no element, or of more than one, is an error.
    #[must_use]
    pub fn get_single_element(&self) -> Pipeline {
        self.then(OperatorCall::new("get_single_element"))
    }

    /// One value: `f` applied to `initial` and the first element, then to its result and the second
    /// element, and so on. `initial` if there are no elements. A dataset that is known to be infinite is
    /// refused.
    ///
    /// * `initial`: The first state.
    /// * `f`: (state, element) -> state, of the same structure and dtypes.
    #[must_use]
    pub fn reduce(&self, initial: impl Into<Value>, f: impl Into<Function>) -> Pipeline {
        self.then(OperatorCall::new("reduce").positional(initial.into()).positional(f.into()))
    }

    /// Writes all elements to the folder `path`, from which `load` reads them, and gives none. Elements
    /// that were there are replaced once all new ones are written; until then, and if writing fails, the
    /// folder is as it was. Errors of the input are passed on and left out of what is written. If another
    /// writer is writing to the folder, there is one error (unavailable) and nothing is written.
    ///
    /// * `path`: The folder of the written elements.
    ///
    /// [`Pipeline::save_with`] takes options as well.
    #[must_use]
    pub fn save(&self, path: impl Into<Text>) -> Pipeline {
        self.save_with(path, SaveOptions::new())
    }

    /// [`Pipeline::save`] with options.
    #[must_use]
    pub fn save_with(&self, path: impl Into<Text>, options: SaveOptions) -> Pipeline {
        self.then(OperatorCall::new("save").positional(path.into()).named("compression", options.compression).named("num_shards", options.num_shards))
    }
}
