// Written by tools/generate-bindings from what the library says of its operators; edit their definitions in src/.

use crate::pipeline::*;

/// What `array_record` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct ArrayRecordOptions {
    num_parallel_reads: Int,
}

impl ArrayRecordOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many files to read at once, one record from each in turn; auto is 8.
    ///
    /// Default: `1`.
    pub fn num_parallel_reads(mut self, value: impl Into<Int>) -> Self {
        self.num_parallel_reads = value.into();
        self
    }
}

/// What `arrow` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct ArrowOptions {
    fields: Expression,
    r#where: Function,
    nulls: Text,
    num_parallel_reads: Int,
}

impl ArrowOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Which columns to read, and what becomes of their nulls: `{id: int64, box: float32\[4\], words:
    /// string\[?\], kind: string = "none", user: {name: string}, tags: list({name: string}), score:
    /// optional(float32)}`. Columns may be wider than in the file, int64 for int32. none: all columns as
    /// the first file has them.
    ///
    /// Default: `none`.
    pub fn fields(mut self, value: impl Into<Expression>) -> Self {
        self.fields = value.into();
        self
    }

    /// Which rows to read: a function of a dict of columns, which need not be among `fields`, that returns
    /// a bool. Where the format has statistics (Parquet), parts of a file in which no row can match are not
    /// read.
    ///
    /// Default: `none`.
    pub fn r#where(mut self, value: impl Into<Function>) -> Self {
        self.r#where = value.into();
        self
    }

    /// How to treat nulls in columns without a field: `"error"` fails the element, `"optional"` makes each
    /// nullable column `optional`. With `fields`, this applies only to the other columns of `where`.
    ///
    /// Default: `"error"`.
    pub fn nulls(mut self, value: impl Into<Text>) -> Self {
        self.nulls = value.into();
        self
    }

    /// How many files to read at once, one record from each in turn; auto is 8.
    ///
    /// Default: `1`.
    pub fn num_parallel_reads(mut self, value: impl Into<Int>) -> Self {
        self.num_parallel_reads = value.into();
        self
    }
}

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

    /// End when a chosen dataset has no more elements; if false, skip such choices.
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
    buffer_size: Int,
}

impl CsvOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The first row of each file holds names, and is left out. They are the same in all files unless
    /// `columns` are found by their names.
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

    /// Fields may be in double quotes, with delimiters and line ends inside and quotes doubled.
    ///
    /// Default: `true`.
    pub fn quote(mut self, value: impl Into<Bool>) -> Self {
        self.quote = value.into();
        self
    }

    /// A field of exactly these bytes counts as empty.
    ///
    /// Default: `""`.
    pub fn na_value(mut self, value: impl Into<Text>) -> Self {
        self.na_value = value.into();
        self
    }

    /// The indices of the fields to read, ascending from 0, one for each column; none: all.
    ///
    /// Default: `none`.
    pub fn select(mut self, value: impl Into<Value>) -> Self {
        self.select = value.into();
        self
    }

    /// "", "gzip", "zlib", "zstd", "lz4", "bz2", "xz", or "auto": by the first bytes.
    ///
    /// Default: `""`.
    pub fn compression(mut self, value: impl Into<Text>) -> Self {
        self.compression = value.into();
        self
    }

    /// How many files to read at once, one record from each in turn; auto is 8.
    ///
    /// Default: `1`.
    pub fn num_parallel_reads(mut self, value: impl Into<Int>) -> Self {
        self.num_parallel_reads = value.into();
        self
    }

    /// The indices of the fields to leave out, ascending from 0, if `select` is none; none: the others of
    /// `select`.
    ///
    /// Default: `none`.
    pub fn exclude(mut self, value: impl Into<Value>) -> Self {
        self.exclude = value.into();
        self
    }

    /// The size of one read of a file, in bytes; 0: what is fastest where the file lies.
    ///
    /// Default: `0`.
    pub fn buffer_size(mut self, value: impl Into<Int>) -> Self {
        self.buffer_size = value.into();
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
    buffer_size: Int,
}

impl FixedLengthRecordOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The bytes of each file before its records.
    ///
    /// Default: `0`.
    pub fn header_bytes(mut self, value: impl Into<Int>) -> Self {
        self.header_bytes = value.into();
        self
    }

    /// The bytes of each file after its records.
    ///
    /// Default: `0`.
    pub fn footer_bytes(mut self, value: impl Into<Int>) -> Self {
        self.footer_bytes = value.into();
        self
    }

    /// "", "gzip", "zlib", "zstd", "lz4", "bz2", "xz", or "auto": by the first bytes.
    ///
    /// Default: `""`.
    pub fn compression(mut self, value: impl Into<Text>) -> Self {
        self.compression = value.into();
        self
    }

    /// How many files to read at once, one record from each in turn; auto is 8.
    ///
    /// Default: `1`.
    pub fn num_parallel_reads(mut self, value: impl Into<Int>) -> Self {
        self.num_parallel_reads = value.into();
        self
    }

    /// The size of one read of a file, in bytes; 0: what is fastest where the file lies.
    ///
    /// Default: `0`.
    pub fn buffer_size(mut self, value: impl Into<Int>) -> Self {
        self.buffer_size = value.into();
        self
    }
}

/// What `from_generator` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct FromGeneratorOptions {
    arguments: Value,
}

impl FromGeneratorOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// A dict of its arguments, if it has a signature. NAME(a, b: c) means the same.
    ///
    /// Default: `none`.
    pub fn arguments(mut self, value: impl Into<Value>) -> Self {
        self.arguments = value.into();
        self
    }
}

/// What `hdf5` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Hdf5Options {
    fields: Expression,
    r#where: Function,
    nulls: Text,
    num_parallel_reads: Int,
}

impl Hdf5Options {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Which columns to read, and what becomes of their nulls: `{id: int64, box: float32\[4\], words:
    /// string\[?\], kind: string = "none", user: {name: string}, tags: list({name: string}), score:
    /// optional(float32)}`. Columns may be wider than in the file, int64 for int32. none: all columns as
    /// the first file has them.
    ///
    /// Default: `none`.
    pub fn fields(mut self, value: impl Into<Expression>) -> Self {
        self.fields = value.into();
        self
    }

    /// Which rows to read: a function of a dict of columns, which need not be among `fields`, that returns
    /// a bool. Where the format has statistics (Parquet), parts of a file in which no row can match are not
    /// read.
    ///
    /// Default: `none`.
    pub fn r#where(mut self, value: impl Into<Function>) -> Self {
        self.r#where = value.into();
        self
    }

    /// How to treat nulls in columns without a field: `"error"` fails the element, `"optional"` makes each
    /// nullable column `optional`. With `fields`, this applies only to the other columns of `where`.
    ///
    /// Default: `"error"`.
    pub fn nulls(mut self, value: impl Into<Text>) -> Self {
        self.nulls = value.into();
        self
    }

    /// How many files to read at once, one record from each in turn; auto is 8.
    ///
    /// Default: `1`.
    pub fn num_parallel_reads(mut self, value: impl Into<Int>) -> Self {
        self.num_parallel_reads = value.into();
        self
    }
}

/// What `jsonl` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct JsonlOptions {
    compression: Text,
    num_parallel_reads: Int,
    buffer_size: Int,
}

impl JsonlOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// "", "gzip", "zlib", "zstd", "lz4", "bz2", "xz", or "auto": by the first bytes.
    ///
    /// Default: `""`.
    pub fn compression(mut self, value: impl Into<Text>) -> Self {
        self.compression = value.into();
        self
    }

    /// How many files to read at once, one record from each in turn; auto is 8.
    ///
    /// Default: `1`.
    pub fn num_parallel_reads(mut self, value: impl Into<Int>) -> Self {
        self.num_parallel_reads = value.into();
        self
    }

    /// The size of one read of a file, in bytes; 0: what is fastest where the file lies.
    ///
    /// Default: `0`.
    pub fn buffer_size(mut self, value: impl Into<Int>) -> Self {
        self.buffer_size = value.into();
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

    /// A new random order each epoch; if false, sorted.
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

/// What `lmdb` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct LmdbOptions {
    fields: Expression,
    r#where: Function,
    nulls: Text,
    num_parallel_reads: Int,
}

impl LmdbOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Which columns to read, and what becomes of their nulls: `{id: int64, box: float32\[4\], words:
    /// string\[?\], kind: string = "none", user: {name: string}, tags: list({name: string}), score:
    /// optional(float32)}`. Columns may be wider than in the file, int64 for int32. none: all columns as
    /// the first file has them.
    ///
    /// Default: `none`.
    pub fn fields(mut self, value: impl Into<Expression>) -> Self {
        self.fields = value.into();
        self
    }

    /// Which rows to read: a function of a dict of columns, which need not be among `fields`, that returns
    /// a bool. Where the format has statistics (Parquet), parts of a file in which no row can match are not
    /// read.
    ///
    /// Default: `none`.
    pub fn r#where(mut self, value: impl Into<Function>) -> Self {
        self.r#where = value.into();
        self
    }

    /// How to treat nulls in columns without a field: `"error"` fails the element, `"optional"` makes each
    /// nullable column `optional`. With `fields`, this applies only to the other columns of `where`.
    ///
    /// Default: `"error"`.
    pub fn nulls(mut self, value: impl Into<Text>) -> Self {
        self.nulls = value.into();
        self
    }

    /// How many files to read at once, one record from each in turn; auto is 8.
    ///
    /// Default: `1`.
    pub fn num_parallel_reads(mut self, value: impl Into<Int>) -> Self {
        self.num_parallel_reads = value.into();
        self
    }
}

/// What `mix_datasets` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct MixDatasetsOptions {
    stop_on_empty: Bool,
}

impl MixDatasetsOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// End when a dataset has no more elements at its turn; if false, the others go on in their shares.
    ///
    /// Default: `false`.
    pub fn stop_on_empty(mut self, value: impl Into<Bool>) -> Self {
        self.stop_on_empty = value.into();
        self
    }
}

/// What `npy` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct NpyOptions {
    buffer_size: Int,
}

impl NpyOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The size of one read of a file, in bytes; 0: what is fastest where the file lies.
    ///
    /// Default: `0`.
    pub fn buffer_size(mut self, value: impl Into<Int>) -> Self {
        self.buffer_size = value.into();
        self
    }
}

/// What `npz` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct NpzOptions {
    names: Value,
    buffer_size: Int,
}

impl NpzOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Which arrays to read, in this order; none: all, as the file has them.
    ///
    /// Default: `none`.
    pub fn names(mut self, value: impl Into<Value>) -> Self {
        self.names = value.into();
        self
    }

    /// The size of one read of a file, in bytes; 0: what is fastest where the file lies.
    ///
    /// Default: `0`.
    pub fn buffer_size(mut self, value: impl Into<Int>) -> Self {
        self.buffer_size = value.into();
        self
    }
}

/// What `parquet` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct ParquetOptions {
    fields: Expression,
    r#where: Function,
    nulls: Text,
    num_parallel_reads: Int,
}

impl ParquetOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Which columns to read, and what becomes of their nulls: `{id: int64, box: float32\[4\], words:
    /// string\[?\], kind: string = "none", user: {name: string}, tags: list({name: string}), score:
    /// optional(float32)}`. Columns may be wider than in the file, int64 for int32. none: all columns as
    /// the first file has them.
    ///
    /// Default: `none`.
    pub fn fields(mut self, value: impl Into<Expression>) -> Self {
        self.fields = value.into();
        self
    }

    /// Which rows to read: a function of a dict of columns, which need not be among `fields`, that returns
    /// a bool. Where the format has statistics (Parquet), parts of a file in which no row can match are not
    /// read.
    ///
    /// Default: `none`.
    pub fn r#where(mut self, value: impl Into<Function>) -> Self {
        self.r#where = value.into();
        self
    }

    /// How to treat nulls in columns without a field: `"error"` fails the element, `"optional"` makes each
    /// nullable column `optional`. With `fields`, this applies only to the other columns of `where`.
    ///
    /// Default: `"error"`.
    pub fn nulls(mut self, value: impl Into<Text>) -> Self {
        self.nulls = value.into();
        self
    }

    /// How many files to read at once, one record from each in turn; auto is 8.
    ///
    /// Default: `1`.
    pub fn num_parallel_reads(mut self, value: impl Into<Int>) -> Self {
        self.num_parallel_reads = value.into();
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

    /// Draw different numbers in each epoch.
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

    /// The probability of each dataset: a vector of floats, or a dataset of such vectors, one for each
    /// element. none: equal. A position fits other constant ones, of which the same are 0, as in
    /// `mix_datasets`.
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

    /// End when a drawn dataset has no more elements; if false, draw again.
    ///
    /// Default: `false`.
    pub fn stop_on_empty(mut self, value: impl Into<Bool>) -> Self {
        self.stop_on_empty = value.into();
        self
    }

    /// Draw differently in each epoch.
    ///
    /// Default: `false`.
    pub fn rerandomize_each_iteration(mut self, value: impl Into<Bool>) -> Self {
        self.rerandomize_each_iteration = value.into();
        self
    }
}

/// What `schedule` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct ScheduleOptions {
    interpolation: Text,
}

impl ScheduleOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Between two points: "step" keeps the weights of the first, "linear" goes from one to the other.
    ///
    /// Default: `"step"`.
    pub fn interpolation(mut self, value: impl Into<Text>) -> Self {
        self.interpolation = value.into();
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

    /// "", "gzip", "zlib", "zstd", "lz4", "bz2", "xz", or "auto": by the first bytes.
    ///
    /// Default: `""`.
    pub fn compression(mut self, value: impl Into<Text>) -> Self {
        self.compression = value.into();
        self
    }

    /// The size of one read of a file, in bytes; 0: what is fastest where the file lies.
    ///
    /// Default: `0`.
    pub fn buffer_size(mut self, value: impl Into<Int>) -> Self {
        self.buffer_size = value.into();
        self
    }

    /// How many files to read at once, one record from each in turn; auto is 8.
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
    buffer_size: Int,
}

impl TfrecordOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// "", "gzip", "zlib", "zstd", "lz4", "bz2", "xz", or "auto": by the first bytes.
    ///
    /// Default: `""`.
    pub fn compression(mut self, value: impl Into<Text>) -> Self {
        self.compression = value.into();
        self
    }

    /// How many files to read at once, one record from each in turn; auto is 8.
    ///
    /// Default: `1`.
    pub fn num_parallel_reads(mut self, value: impl Into<Int>) -> Self {
        self.num_parallel_reads = value.into();
        self
    }

    /// What to do at a damaged record: "error" gives one error in place of the file's remaining records;
    /// "skip_file" leaves them out and logs a warning; "resync" gives one error for each damaged stretch
    /// and continues at the next whole record.
    ///
    /// Default: `"error"`.
    pub fn on_corrupt(mut self, value: impl Into<Text>) -> Self {
        self.on_corrupt = value.into();
        self
    }

    /// The size of one read of a file, in bytes; 0: what is fastest where the file lies.
    ///
    /// Default: `0`.
    pub fn buffer_size(mut self, value: impl Into<Int>) -> Self {
        self.buffer_size = value.into();
        self
    }
}

/// What `tokens` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct TokensOptions {
    stride: Int,
    header_bytes: Int,
    buffer_size: Int,
}

impl TokensOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many numbers lie from the first of an element to that of the next; none: `length`.
    ///
    /// Default: `none`.
    pub fn stride(mut self, value: impl Into<Int>) -> Self {
        self.stride = value.into();
        self
    }

    /// The bytes of each file before its numbers.
    ///
    /// Default: `0`.
    pub fn header_bytes(mut self, value: impl Into<Int>) -> Self {
        self.header_bytes = value.into();
        self
    }

    /// The size of one read of a file, in bytes; 0: what is fastest where the file lies.
    ///
    /// Default: `0`.
    pub fn buffer_size(mut self, value: impl Into<Int>) -> Self {
        self.buffer_size = value.into();
        self
    }
}

/// What `webdataset` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct WebdatasetOptions {
    compression: Text,
    num_parallel_reads: Int,
    buffer_size: Int,
}

impl WebdatasetOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// "", "gzip", "zlib", "zstd", "lz4", "bz2", "xz", or "auto": by the first bytes.
    ///
    /// Default: `""`.
    pub fn compression(mut self, value: impl Into<Text>) -> Self {
        self.compression = value.into();
        self
    }

    /// How many files to read at once, one record from each in turn; auto is 8.
    ///
    /// Default: `1`.
    pub fn num_parallel_reads(mut self, value: impl Into<Int>) -> Self {
        self.num_parallel_reads = value.into();
        self
    }

    /// The size of one read of a file, in bytes; 0: what is fastest where the file lies.
    ///
    /// Default: `0`.
    pub fn buffer_size(mut self, value: impl Into<Int>) -> Self {
        self.buffer_size = value.into();
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

    /// Drop a last batch of fewer than n elements.
    ///
    /// Default: `false`.
    pub fn drop_remainder(mut self, value: impl Into<Bool>) -> Self {
        self.drop_remainder = value.into();
        self
    }

    /// How many threads copy, where at least 512 KiB are copied at once; smaller batches are copied by one.
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

    /// The shape of each tensor, in the structure of the element. A dimension is a number, or none for the
    /// largest of the batch.
    ///
    /// Default: `none`.
    pub fn shapes(mut self, value: impl Into<Value>) -> Self {
        self.shapes = value.into();
        self
    }

    /// The padding: one value, or one for each tensor. none: 0, false or "".
    ///
    /// Default: `none`.
    pub fn values(mut self, value: impl Into<Value>) -> Self {
        self.values = value.into();
        self
    }

    /// Pad unknown dimensions to one less than the upper bound of the bucket. A batch of the last bucket is
    /// then an error.
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

    /// Drop last batches that are smaller than their size.
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

    /// Use another order in each epoch.
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

    /// The number of datasets open at a time; auto is 8.
    ///
    /// Default: `auto`.
    pub fn cycle_length(mut self, value: impl Into<Int>) -> Self {
        self.cycle_length = value.into();
        self
    }

    /// The number of successive elements from one dataset.
    ///
    /// Default: `1`.
    pub fn block_length(mut self, value: impl Into<Int>) -> Self {
        self.block_length = value.into();
        self
    }

    /// How many datasets run ahead at once, at most cycle_length. auto: one per core, or, for datasets that
    /// wait, as many as raise the throughput. As many more are opened before their turn, unless their
    /// elements cannot be made again. The order is the same for any number.
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

    /// How many calls run at once. auto: one per core, or, for a function that waits, as many as raise the
    /// throughput.
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

    /// Drop a last batch of fewer than n results.
    ///
    /// Default: `false`.
    pub fn drop_remainder(mut self, value: impl Into<Bool>) -> Self {
        self.drop_remainder = value.into();
        self
    }

    /// How many calls run at once; auto: one per core.
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
    cache: Text,
    cache_bytes: Int,
}

impl OptionsOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The default for `deterministic` of map and interleave: false lets results come in any order.
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

    /// How many of the runtime's threads work for the pipeline at once, not counting those inside next;
    /// auto: all.
    ///
    /// Default: `auto`.
    pub fn threads(mut self, value: impl Into<Int>) -> Self {
        self.threads = value.into();
        self
    }

    /// The most bytes of elements that are made ahead; each window, and each call that runs, may exceed it
    /// by one element. auto: each window has its own limit.
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

    /// The settings to begin tuning with: the text "tuned" in `weir_iterator_stats` of an earlier run, such
    /// as "prefetch/map calls 16".
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

    /// A local folder, by its name from the root folder on, that keeps blocks of the remote files that are
    /// read, for later epochs and other processes; it is created (docs/cache-on-disk.md). Empty: none is.
    ///
    /// Default: `""`.
    pub fn cache(mut self, value: impl Into<Text>) -> Self {
        self.cache = value.into();
        self
    }

    /// How many bytes the blocks in that folder take at most, those of all processes together; 0: 16 GiB.
    /// Without `cache` it changes nothing.
    ///
    /// Default: `0`.
    pub fn cache_bytes(mut self, value: impl Into<Int>) -> Self {
        self.cache_bytes = value.into();
        self
    }
}

/// What `pack` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct PackOptions {
    strategy: Text,
    bins: Int,
    long: Text,
    pad: Value,
    drop_remainder: Bool,
}

impl PackOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Where a sequence goes: "first_fit", the bin opened first of those with room; "best_fit", the one
    /// with the least room left after it; "concat", after the last one, cut where an element ends.
    ///
    /// Default: `"first_fit"`.
    pub fn strategy(mut self, value: impl Into<Text>) -> Self {
        self.strategy = value.into();
        self
    }

    /// How many elements may be open at once.
    ///
    /// Default: `64`.
    pub fn bins(mut self, value: impl Into<Int>) -> Self {
        self.bins = value.into();
        self
    }

    /// What happens to a sequence of more than `length` tokens: "error", "truncate", "split" or "drop".
    ///
    /// Default: `"error"`.
    pub fn long(mut self, value: impl Into<Text>) -> Self {
        self.long = value.into();
        self
    }

    /// Fills the rest of an element: one value, or a dict of values for some of the keys. 0 is also false
    /// and "".
    ///
    /// Default: `0`.
    pub fn pad(mut self, value: impl Into<Value>) -> Self {
        self.pad = value.into();
        self
    }

    /// Drop the elements that are not full when the input ends.
    ///
    /// Default: `false`.
    pub fn drop_remainder(mut self, value: impl Into<Bool>) -> Self {
        self.drop_remainder = value.into();
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

    /// The shape of each tensor, in the structure of the element. A dimension is a number, or none for the
    /// largest of the batch.
    ///
    /// Default: `none`.
    pub fn shapes(mut self, value: impl Into<Value>) -> Self {
        self.shapes = value.into();
        self
    }

    /// The padding: one value, or one for each tensor. none: 0, false or "".
    ///
    /// Default: `none`.
    pub fn values(mut self, value: impl Into<Value>) -> Self {
        self.values = value.into();
        self
    }

    /// Drop a last batch of fewer than n elements.
    ///
    /// Default: `false`.
    pub fn drop_remainder(mut self, value: impl Into<Bool>) -> Self {
        self.drop_remainder = value.into();
        self
    }
}

/// What `partition` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct PartitionOptions {
    by: Text,
    even: Bool,
}

impl PartitionOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// "index": part s has the rows ⌊s·N/n⌋ to ⌊(s+1)·N/n⌋ − 1 of N, read by their positions; "files": it
    /// has the files s, s + n … of the list that the input reads; auto: by index where the elements are in
    /// memory or computed, else by files if there are n of them, else by index.
    ///
    /// Default: `auto`.
    pub fn by(mut self, value: impl Into<Text>) -> Self {
        self.by = value.into();
        self
    }

    /// Ends for all ranks with the last round in which each part has an element; the number of elements of
    /// each part must be known.
    ///
    /// Default: `false`.
    pub fn even(mut self, value: impl Into<Bool>) -> Self {
        self.even = value.into();
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

    /// Drop a last batch of fewer than n elements.
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

    /// Drop a last batch that is too short.
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

    /// The share of each class in the input, likewise. none: estimated from the elements read so far.
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

    /// Use another order in each epoch.
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

    /// "", "gzip", "zlib", "zstd", "lz4", "bz2", "xz", or "auto": the fastest, which is "".
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

/// What `to_device` takes beside its arguments. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct ToDeviceOptions {
    depth: Int,
}

impl ToDeviceOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many elements may be on the device, or on their way, ahead of the consumer.
    ///
    /// Default: `2`.
    pub fn depth(mut self, value: impl Into<Int>) -> Self {
        self.depth = value.into();
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

    /// The number of elements between the starts of two windows; none is `size`.
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

    /// Drop windows of fewer than `size` elements.
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

    /// "", "gzip", "zlib", "zstd", "lz4", "bz2", "xz".
    ///
    /// Default: `""`.
    pub fn compression(mut self, value: impl Into<Text>) -> Self {
        self.compression = value.into();
        self
    }

    /// The number of files to divide the elements among; each gets 1 MiB or more in turn.
    ///
    /// Default: `1`.
    pub fn num_shards(mut self, value: impl Into<Int>) -> Self {
        self.num_shards = value.into();
        self
    }
}

/// Reads ArrayRecord files, as TensorFlow Datasets and Grain write them: each element is a record, a
/// string of its bytes. Records may be compressed with zstd, brotli or snappy; chunks written with
/// `transpose` are not supported (unimplemented), nor are other Riegeli files (data_loss). Checksums
/// are compared. A file that is missing or damaged gives one error in place of its remaining records,
/// with the chunk and the byte where it begins, and the next file follows; by position, a damaged chunk
/// fails its own records only. Elements are also read by their position (`global_shuffle`, `partition`,
/// `weir_dataset_at`). Reads ahead of its consumer, on its own thread. Needs the extension weir-parquet
/// (failed_precondition).
///
/// * `files`: A file name, a list of names, or a dataset of names.
///
/// [`array_record_with`] takes options as well.
#[must_use]
pub fn array_record(files: impl Into<Files>) -> Pipeline {
    array_record_with(files, ArrayRecordOptions::new())
}

/// [`array_record`] with options.
#[must_use]
pub fn array_record_with(files: impl Into<Files>, options: ArrayRecordOptions) -> Pipeline {
    Pipeline::begin(OperatorCall::new("array_record").positional(files.into()).named("num_parallel_reads", options.num_parallel_reads))
}

/// Reads Arrow IPC files, including Feather version 2, and Arrow streams: each row is a dict of the
/// columns in `fields`, by default of all columns of the first file. Buffers may be compressed with lz4
/// or zstd. Columns become fields as in `parquet`: booleans, integers and floats keep their dtypes,
/// text and bytes are strings, also as views; dates of 32 bits are days (int32), other dates, times,
/// timestamps and durations nanoseconds (int64); dictionary-encoded columns have their values; columns
/// of type null are ignored. Unions, run-end encoding, list views and intervals are not supported.
/// Columns that nothing uses are not read. `where` is asked about each row, since the format has no
/// statistics. Nulls, fields that don't fit, and files that are missing or damaged are errors as in
/// `parquet`; the error of a damaged file names the batch and the byte where it begins. A stream that
/// ends without its mark is whole; of one that was cut the batches before the cut are given. Without
/// `where`, elements are also read by their position (`global_shuffle`, `partition`,
/// `weir_dataset_at`). Reads ahead of its consumer, on its own thread. Needs the extension weir-parquet
/// (failed_precondition).
///
/// * `files`: A file name, a list of names, or a dataset of names.
///
/// [`arrow_with`] takes options as well.
#[must_use]
pub fn arrow(files: impl Into<Files>) -> Pipeline {
    arrow_with(files, ArrowOptions::new())
}

/// [`arrow`] with options.
#[must_use]
pub fn arrow_with(files: impl Into<Files>, options: ArrowOptions) -> Pipeline {
    Pipeline::begin(OperatorCall::new("arrow").positional(files.into()).named("fields", options.fields).named("where", options.r#where).named("nulls", options.nulls).named("num_parallel_reads", options.num_parallel_reads))
}

/// Takes the next element from the dataset that `choice` selects by index. Indices count from 0. Ends
/// with the choices, when a chosen dataset has no more elements, or, if `stop_on_empty` is false, when
/// no dataset has. An index without a dataset is an error in its place.
///
/// * `datasets`: A list of datasets of one structure.
/// * `choice`: A dataset of int64: the index of the dataset for each element; another number is an error (invalid_argument).
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

/// Counts from `start` in steps of `step`, without end. Elements are int64. If the next number does not
/// fit int64, it is an error (out_of_range), and the sequence ends.
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

/// Reads CSV files: each row is a tuple of typed columns. Rows end with `\n`, `\r`, both, or the file.
/// Numbers may have spaces around them; strings stay as they are. A byte-order mark at the start of a
/// file is left out. A row with the wrong number of fields, a missing value, a malformed number or a
/// stray quote, in the header too, is one error (invalid_argument) with the file and the number of the
/// row, and the next row follows. A file that does not exist (not_found), is empty where a header is
/// expected or has a header with other names than the first file (invalid_argument), begins like gzip
/// or another binary format (invalid_argument), is damaged (data_loss) or has a row longer than the
/// runtime's `record_bytes` (resource_exhausted) gives one error in place of its remaining rows, and
/// the next file follows. Reads ahead of its consumer, on its own thread. Rows of uncompressed files
/// are also read by their position (`global_shuffle`, `weir_dataset_at`) through an index of each file,
/// which the first such reading makes, of files whose header has no mistake; then a row that is too
/// long is one error in its place.
///
/// * `files`: A file name, a list of names, or a dataset of names.
/// * `columns`: Each column's dtype, if every row has a value for it, or the default for empty fields: `\[int64, 0.5\]`. int32, int64, float32, float64 or string. Of files with a header also as fields, `{id: int64, score: float32 = 0.5}`: the columns of these names, wherever each file has them, as a dict.
///
/// [`csv_with`] takes options as well.
#[must_use]
pub fn csv(files: impl Into<Files>, columns: impl Into<Expression>) -> Pipeline {
    csv_with(files, columns, CsvOptions::new())
}

/// [`csv`] with options.
#[must_use]
pub fn csv_with(files: impl Into<Files>, columns: impl Into<Expression>, options: CsvOptions) -> Pipeline {
    Pipeline::begin(OperatorCall::new("csv").positional(files.into()).positional(columns.into()).named("header", options.header).named("delim", options.delim).named("quote", options.quote).named("na_value", options.na_value).named("select", options.select).named("compression", options.compression).named("num_parallel_reads", options.num_parallel_reads).named("exclude", options.exclude).named("buffer_size", options.buffer_size))
}

/// A dataset without elements, of the given structure.
///
/// * `spec`: The structure of the elements.
#[must_use]
pub fn empty(spec: impl Into<SpecText>) -> Pipeline {
    Pipeline::begin(OperatorCall::new("empty").positional(spec.into()))
}

/// Reads files of records that all have `record_bytes` bytes, as strings. The first `header_bytes` and
/// the last `footer_bytes` of each file are left out. An uncompressed file whose size does not fit is
/// one error (invalid_argument) and gives no record; a compressed one gives its whole records and then
/// an error (data_loss). A file that fails gives one error in place of its remaining records, and the
/// next file follows. Reads ahead of its consumer, on its own thread. Records of uncompressed files are
/// also read by their position (`global_shuffle`, `weir_dataset_at`); then `skip` and `shard` directly
/// after it go straight to their records.
///
/// * `files`: A file name, a list of names, or a dataset of names.
/// * `record_bytes`: The size of a record.
///
/// [`fixed_length_record_with`] takes options as well.
#[must_use]
pub fn fixed_length_record(files: impl Into<Files>, record_bytes: impl Into<Int>) -> Pipeline {
    fixed_length_record_with(files, record_bytes, FixedLengthRecordOptions::new())
}

/// [`fixed_length_record`] with options.
#[must_use]
pub fn fixed_length_record_with(files: impl Into<Files>, record_bytes: impl Into<Int>, options: FixedLengthRecordOptions) -> Pipeline {
    Pipeline::begin(OperatorCall::new("fixed_length_record").positional(files.into()).positional(record_bytes.into()).named("header_bytes", options.header_bytes).named("footer_bytes", options.footer_bytes).named("compression", options.compression).named("num_parallel_reads", options.num_parallel_reads).named("buffer_size", options.buffer_size))
}

/// Yields the elements that a generator in your program produces (`weir_generator`), until it ends.
/// Each time the dataset is opened, so is the generator. If the generator fails, its error takes the
/// place of an element, and the next one follows; if it cannot be opened, there is one error and
/// nothing else. An element whose dtype or shape differs from `spec` is an error. A generator may save
/// and restore its position. One that is declared pure is opened again for a restored iterator, and the
/// elements already taken are passed over; for others `checkpoint_policy` says what happens.
///
/// * `generator`: The generator, passed by the program as @NAME.
/// * `spec`: The structure of its elements.
///
/// [`from_generator_with`] takes options as well.
#[must_use]
pub fn from_generator(generator: impl Into<Function>, spec: impl Into<SpecText>) -> Pipeline {
    from_generator_with(generator, spec, FromGeneratorOptions::new())
}

/// [`from_generator`] with options.
#[must_use]
pub fn from_generator_with(generator: impl Into<Function>, spec: impl Into<SpecText>, options: FromGeneratorOptions) -> Pipeline {
    Pipeline::begin(OperatorCall::new("from_generator").positional(generator.into()).positional(spec.into()).named("arguments", options.arguments))
}

/// Yields the members of a list, in order. They have one structure; their shapes may differ. There are
/// at most 4,095 members, fewer if they are tuples or dicts; for more elements stack them and use
/// from_tensor_slices.
///
/// * `elements`: A list of the elements: tensors, tuples or dicts, all of one structure.
#[must_use]
pub fn from_list(elements: impl Into<Values>) -> Pipeline {
    Pipeline::begin(OperatorCall::new("from_list").positional(elements.into()))
}

/// Slices a sparse tensor along its first dimension: one tuple (indices, values, shape) per slice.
/// from_tensor_slices yields the same slices as sparse tensors.
///
/// * `sparse`: A sparse tensor of rank 1 or more, whose indices rise by row.
#[must_use]
pub fn from_sparse_tensor_slices(sparse: impl Into<Value>) -> Pipeline {
    Pipeline::begin(OperatorCall::new("from_sparse_tensor_slices").positional(sparse.into()))
}

/// Slices tensors along their first dimension: one element per slice. All components must have the same
/// length. A slice of a sparse tensor is a sparse tensor of one rank less, a slice of a ragged tensor a
/// dense one.
///
/// * `value`: A tensor or a structure of tensors, each of rank 1 or more and of one length.
#[must_use]
pub fn from_tensor_slices(value: impl Into<Value>) -> Pipeline {
    Pipeline::begin(OperatorCall::new("from_tensor_slices").positional(value.into()))
}

/// A dataset with one element: the given value.
///
/// * `value`: The element: a tensor or a tuple or dict of tensors.
#[must_use]
pub fn from_tensors(value: impl Into<Value>) -> Pipeline {
    Pipeline::begin(OperatorCall::new("from_tensors").positional(value.into()))
}

/// Reads HDF5 files: element i is a dict with slice i of each HDF5 dataset along its first dimension.
/// The slice of a one-dimensional HDF5 dataset is a number, of others a tensor. The columns are
/// `fields`, or all datasets in the order of their names; one in a group has the name `"group/name"`.
/// Datasets of different lengths cannot be rows of one table (invalid_argument), so `fields` then says
/// which to read. Integers, floats and booleans keep their dtypes, whatever their byte order;
/// enumerations are their integers; text of fixed or variable length is string. Scalars, compound
/// types, references, opaque and variable-length data, virtual datasets, external files and links, and
/// filters other than deflate, shuffle, fletcher32, szip, nbit and scaleoffset are left out, and not
/// supported if `fields` asks for them (unimplemented). Columns that nothing uses are not read. `where`
/// is asked about each row, since the format has no statistics. A file that is missing or damaged gives
/// one error in place of its remaining rows, which names the dataset, and the next file follows; by
/// position, a damaged chunk fails its own rows only. Without `where`, elements are also read by their
/// position (`global_shuffle`, `partition`, `weir_dataset_at`). Reads ahead of its consumer, on its own
/// thread. Needs the extension weir-parquet (failed_precondition).
///
/// * `files`: A file name, a list of names, or a dataset of names.
///
/// [`hdf5_with`] takes options as well.
#[must_use]
pub fn hdf5(files: impl Into<Files>) -> Pipeline {
    hdf5_with(files, Hdf5Options::new())
}

/// [`hdf5`] with options.
#[must_use]
pub fn hdf5_with(files: impl Into<Files>, options: Hdf5Options) -> Pipeline {
    Pipeline::begin(OperatorCall::new("hdf5").positional(files.into()).named("fields", options.fields).named("where", options.r#where).named("nulls", options.nulls).named("num_parallel_reads", options.num_parallel_reads))
}

/// Reads JSON lines: each line is an object, and the keys named in `fields` become a dict in that
/// order. Lines of white space and a byte-order mark at the beginning of a file are passed over, as are
/// fields that `fields` doesn't name. An integer is any number whose value is whole and fits (`3`,
/// `3.0`, `1e2`), a float any number, rounded to the nearest once, `NaN`, `Infinity` or `-Infinity`;
/// nothing else converts. `string\[?\]` is a list of any length, `int64\[?, 2\]` a list of pairs,
/// `ragged(int64)` a list of lists of any length, `list({name: string, n: int64})` a list of objects,
/// as a dict of vectors, in which `ragged(int64)` is a list. A missing or null value is `none` for
/// `optional(float32)`, the default of `kind: string = "none"`, else an error; so is a missing or null
/// object that isn't optional. `json` is the text of a value. Of a repeated key the last one counts. A
/// line that is no object of valid JSON and UTF-8, at most 1,024 deep, or of which a field does not
/// fit, is one error (invalid_argument) with file, offset, record and field, and the next line follows.
/// A file that does not exist (not_found), begins like gzip or another binary format
/// (invalid_argument), is damaged (data_loss) or has a line longer than the runtime's `record_bytes`
/// (resource_exhausted) gives one error in place of its remaining lines, and the next file follows.
/// Reads ahead of its consumer, on its own thread. Objects of uncompressed files are also read by their
/// position (`global_shuffle`, `weir_dataset_at`) through an index of each file, which `weir index`
/// makes, or the first such reading; then a line that is too long is one error in its place.
///
/// * `files`: A file name, a list of names, or a dataset of names.
/// * `fields`: What each object has: `{id: int64, box: float32\[4\], words: string\[?\], kind: string = "none", user: {name: string}, tags: list({name: string}), score: optional(float32), raw: json}`.
///
/// [`jsonl_with`] takes options as well.
#[must_use]
pub fn jsonl(files: impl Into<Files>, fields: impl Into<Expression>) -> Pipeline {
    jsonl_with(files, fields, JsonlOptions::new())
}

/// [`jsonl`] with options.
#[must_use]
pub fn jsonl_with(files: impl Into<Files>, fields: impl Into<Expression>, options: JsonlOptions) -> Pipeline {
    Pipeline::begin(OperatorCall::new("jsonl").positional(files.into()).positional(fields.into()).named("compression", options.compression).named("num_parallel_reads", options.num_parallel_reads).named("buffer_size", options.buffer_size))
}

/// Lists the names of the files that match a pattern. They come in random order, another one in each
/// epoch; if `shuffle` is false, they are sorted. A pattern that matches no file is an error when the
/// dataset is built (invalid_argument). Index files (`*.weir-index`) are left out unless the pattern
/// ends so.
///
/// * `pattern`: A glob pattern or a list of them. Within one part of a path, `*` matches any characters, `?` one character (of UTF-8), `\[a-z\]` one of these; `\` before one of them takes it literally.
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

/// Reads LMDB databases: each entry is a dict of two strings, `key` and `value`, in the order of the
/// keys. `files` names the files with the data, which LMDB calls data.mdb in the folder of a database.
/// It reads the state that the last transaction committed and takes no locks, so no process may write
/// to the database meanwhile. Values are not read where only keys are used. Named databases, several
/// values for a key (MDB_DUPSORT) and files of machines with 32 bits or the other byte order are not
/// supported (unimplemented, data_loss). The names must be known when the dataset is built, unless
/// `fields` says the structure; it cannot be built if the first file cannot be read then (not_found,
/// data_loss). A file that is missing or damaged gives one error in place of its remaining entries,
/// with the offset of the page, and the next file follows. Without `where`, elements are also read by
/// their position (`global_shuffle`, `partition`, `weir_dataset_at`). Reads ahead of its consumer, on
/// its own thread.
///
/// * `files`: A file name, a list of names, or a dataset of names.
///
/// [`lmdb_with`] takes options as well.
#[must_use]
pub fn lmdb(files: impl Into<Files>) -> Pipeline {
    lmdb_with(files, LmdbOptions::new())
}

/// [`lmdb`] with options.
#[must_use]
pub fn lmdb_with(files: impl Into<Files>, options: LmdbOptions) -> Pipeline {
    Pipeline::begin(OperatorCall::new("lmdb").positional(files.into()).named("fields", options.fields).named("where", options.r#where).named("nulls", options.nulls).named("num_parallel_reads", options.num_parallel_reads))
}

/// Reads the elements that `save`, `snapshot` or a file cache wrote to a folder, in the order written.
/// Their structure and number are read when the dataset is built, so it cannot be built if nothing was
/// written to the folder (not_found) or its manifest is damaged. A damaged chunk gives one error
/// (data_loss) in place of its elements, and the next chunk follows. If the elements are replaced
/// between building and reading, one error takes their place. Reads ahead of its consumer, on its own
/// thread. Elements are also read by their position (`global_shuffle`, `weir_dataset_at`); then an
/// element of a damaged chunk is one error in its place, and `skip` and `shard` directly after it go
/// straight to their chunks.
///
/// * `path`: The folder with the written elements.
#[must_use]
pub fn load(path: impl Into<Text>) -> Pipeline {
    Pipeline::begin(OperatorCall::new("load").positional(path.into()))
}

/// Interleaves datasets in exact proportions, without randomness. Element t comes from the dataset with
/// the largest `weight * (t + 1) - taken`, where `taken` counts the elements already taken from it;
/// ties go to the first. So the proportions hold at every step. Weights count as the shortest decimals
/// that read back, and add up to 1. A dataset of weight 0 is never read. When a dataset ends, the
/// weights of the others are rescaled to sum to 1, and t and `taken` restart from 0. Errors are passed
/// on and not counted. Elements have positions where those of all datasets have; when they are read by
/// position, errors are counted, too. A position fits other weights if the mixture is read once and in
/// order: their shares count from the first element that was not read before.
///
/// * `datasets`: A list of datasets of one structure.
/// * `weights`: The share of each dataset: a list of floats that add up to 1. A position fits other weights.
///
/// [`mix_datasets_with`] takes options as well.
#[must_use]
pub fn mix_datasets(datasets: impl Into<DatasetList>, weights: impl Into<Value>) -> Pipeline {
    mix_datasets_with(datasets, weights, MixDatasetsOptions::new())
}

/// [`mix_datasets`] with options.
#[must_use]
pub fn mix_datasets_with(datasets: impl Into<DatasetList>, weights: impl Into<Value>, options: MixDatasetsOptions) -> Pipeline {
    Pipeline::begin(OperatorCall::new("mix_datasets").positional(datasets.into()).positional(weights.into()).named("stop_on_empty", options.stop_on_empty))
}

/// Reads NumPy .npy files: one element per slice of the array along its first dimension. Their dtype
/// and shape are read when the dataset is built, when the names must be known, and are the same for all
/// files; it cannot be built if the first file does not exist (not_found), is no such file, is damaged
/// or shorter than its shape says (data_loss), or if one has another dtype or shape or none that is
/// read (invalid_argument): arrays without a dimension, of more than 8, in Fortran order, of objects,
/// dates or structures. Both byte orders are read. `S` and `U` arrays give strings without the zeros at
/// their end, `U` as UTF-8; a surrogate in one is an error of that element. Bytes after the last row
/// are passed over. A later file that is missing or damaged gives one error in place of its remaining
/// rows, and the next file follows. Reads ahead of its consumer, on its own thread. Elements are also
/// read by their position (`global_shuffle`, `partition`, `weir_dataset_at`); then `skip` and `shard`
/// directly after it go straight to their elements.
///
/// * `files`: A file name, a list of names, or a dataset of names.
///
/// [`npy_with`] takes options as well.
#[must_use]
pub fn npy(files: impl Into<Files>) -> Pipeline {
    npy_with(files, NpyOptions::new())
}

/// [`npy`] with options.
#[must_use]
pub fn npy_with(files: impl Into<Files>, options: NpyOptions) -> Pipeline {
    Pipeline::begin(OperatorCall::new("npy").positional(files.into()).named("buffer_size", options.buffer_size))
}

/// Reads the arrays of one of NumPy's archives (.npz), as numpy.savez and savez_compressed write them,
/// sliced together along their first dimension: each element is a dict of one slice of each. Their
/// structure is read when the dataset is built, so it cannot be built if the file does not exist
/// (not_found) or is damaged (data_loss), if an array is missing, is none that `npy` reads, or if they
/// have unequal lengths (invalid_argument). Other members of the archive are passed over. All bytes are
/// checked by their checksums before the first element; if one is wrong, or the file has changed since
/// the dataset was built, there is one error in place of all elements. Reads ahead of its consumer, on
/// its own thread. Elements are also read by their position (`global_shuffle`, `partition`,
/// `weir_dataset_at`); then `skip` and `shard` directly after it go straight to their elements.
///
/// * `file`: The name of the file.
///
/// [`npz_with`] takes options as well.
#[must_use]
pub fn npz(file: impl Into<Text>) -> Pipeline {
    npz_with(file, NpzOptions::new())
}

/// [`npz`] with options.
#[must_use]
pub fn npz_with(file: impl Into<Text>, options: NpzOptions) -> Pipeline {
    Pipeline::begin(OperatorCall::new("npz").positional(file.into()).named("names", options.names).named("buffer_size", options.buffer_size))
}

/// Reads Parquet files: each row is a dict of the columns in `fields`, by default of all columns of the
/// first file. Booleans, integers and floats keep their dtypes; text, bytes, enumerations, JSON, BSON
/// and UUIDs are strings; dates are days (int32), times and timestamps nanoseconds (int64); a decimal
/// is float64 if it has at most 15 digits, else it needs a field of float64 or string; a list is
/// `int64\[?\]`, a structure a dict, a list of structures a dict of vectors, and a map that of `key` and
/// `value`. Columns that nothing uses are not read. A null without a default, a time that an int64 of
/// nanoseconds doesn't hold and a list that doesn't fit its field are errors of the element
/// (invalid_argument) that name file, record and field. The names must be known when the dataset is
/// built, unless `fields` says the structure; it cannot be built if the first file cannot be read then
/// (not_found, data_loss), or if a field does not fit its column. A file that is missing, damaged or,
/// later in the list, of other types gives one error in place of its remaining rows, and the next file
/// follows. Without `where`, elements are also read by their position (`global_shuffle`, `partition`,
/// `weir_dataset_at`). Reads ahead of its consumer, on its own thread. Needs the extension weir-parquet
/// (failed_precondition).
///
/// * `files`: A file name, a list of names, or a dataset of names.
///
/// [`parquet_with`] takes options as well.
#[must_use]
pub fn parquet(files: impl Into<Files>) -> Pipeline {
    parquet_with(files, ParquetOptions::new())
}

/// [`parquet`] with options.
#[must_use]
pub fn parquet_with(files: impl Into<Files>, options: ParquetOptions) -> Pipeline {
    Pipeline::begin(OperatorCall::new("parquet").positional(files.into()).named("fields", options.fields).named("where", options.r#where).named("nulls", options.nulls).named("num_parallel_reads", options.num_parallel_reads))
}

/// Random integers (int64) from 0 to 4294967295, without end. For the same seed they are tf.data's.
/// Each epoch repeats them unless `rerandomize_each_iteration` is true.
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

/// The numbers from `start` up to but not including `stop`, in steps of `step`. There are none if
/// `step` leads away from `stop`. A single positional argument is `stop`.
///
/// * `stop`: The sequence ends before it.
#[must_use]
pub fn range(stop: impl Into<Int>) -> Pipeline {
    Pipeline::begin(OperatorCall::new("range").positional(stop.into()))
}

/// The numbers from `start` up to but not including `stop`, in steps of `step`. There are none if
/// `step` leads away from `stop`. A single positional argument is `stop`.
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

/// Takes each element from a dataset drawn at random, by weight. For the same seed the order is
/// tf.data's. Ends when all datasets have ended, or, if `stop_on_empty` is true, when one that has
/// ended is drawn. A dataset whose constant weight is 0 is left out, and there are no elements if all
/// are 0. Where a dataset of weights gives every remaining dataset the weight 0, an error ends the
/// sequence (failed_precondition). Constant weights that are negative, infinite or NaN are refused.
/// Each epoch repeats the draws unless `rerandomize_each_iteration` is true.
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

/// Yields float64 weight vectors, without end, for the `weights` of `sample_from_datasets`. Each point
/// is an element number and the weights that apply from there; "linear" interpolates to the next point.
/// The weights of the last point stay in effect.
///
/// * `points`: A list of pairs: the number of an element, and its weights. Numbers rise from 0 on, and all have as many weights. A position fits others, as in `mix_datasets`.
///
/// [`schedule_with`] takes options as well.
#[must_use]
pub fn schedule(points: impl Into<Values>) -> Pipeline {
    schedule_with(points, ScheduleOptions::new())
}

/// [`schedule`] with options.
#[must_use]
pub fn schedule_with(points: impl Into<Values>, options: ScheduleOptions) -> Pipeline {
    Pipeline::begin(OperatorCall::new("schedule").positional(points.into()).named("interpolation", options.interpolation))
}

/// Runs a query on an SQLite 3 database and yields its rows, in the query's order. NULL is 0, false or
/// "", as in tf.data. A number in a column of strings becomes its text, and any number but 0 is true; a
/// value that does not fit its dtype is an error (invalid_argument) in the row's place. A database that
/// does not exist (not_found), is damaged or ends within a page (data_loss) or is no regular file
/// (invalid_argument), and a query that is wrong (invalid_argument) or fails, gives one error in place
/// of the remaining rows. If another process is writing the database, reading waits, 5 seconds at most;
/// while rows are read, a writer waits. The query reads this one file: other databases, pragmas that
/// set something and extensions are refused (permission_denied). One in WAL mode gets the files `-wal`
/// and `-shm` beside it, as from every reader. SQLite is built in; a process that writes the database
/// by another SQLite must close it before it reads it here, since a process loses its locks on a file
/// where one of them closes it. The query runs again where a restored iterator continues, so give it an
/// `order by`. Reads ahead of its consumer, on its own thread.
///
/// * `driver`: The kind of database: "sqlite", an SQLite 3 file.
/// * `connection`: The name of the database's file, taken literally.
/// * `query`: One statement that returns rows. The database is only read.
/// * `spec`: The dtypes of the columns: a tuple of scalars in the order of the columns, or a dict by their names. An integer dtype, float32, float64, bool or string.
#[must_use]
pub fn sql(driver: impl Into<Text>, connection: impl Into<Text>, query: impl Into<Text>, spec: impl Into<SpecText>) -> Pipeline {
    Pipeline::begin(OperatorCall::new("sql").positional(driver.into()).positional(connection.into()).positional(query.into()).positional(spec.into()))
}

/// Reads text files line by line, as strings without their `\n` and without any `\r`. A last line needs
/// no `\n`. Bytes stay as they are, but a byte-order mark at the start of a file is left out. A file
/// that begins like gzip or another binary format is refused with an error (invalid_argument) that
/// names the format. A file that does not exist (not_found), is damaged (data_loss) or holds a line
/// longer than the runtime's `record_bytes` (resource_exhausted) gives one error in place of its
/// remaining lines, and the next file follows. Reads ahead of its consumer, on its own thread. Lines of
/// uncompressed files are also read by their position (`global_shuffle`, `weir_dataset_at`) through an
/// index of each file, which `weir index` makes, or the first such reading; then a line that is too
/// long is one error in its place, and `skip` and `shard` directly after it go straight to their lines.
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

/// Reads the records of TFRecord files, as strings. Both checksums of every record are checked. A file
/// that does not exist (not_found), is damaged (data_loss) or holds a record longer than the runtime's
/// `record_bytes` (resource_exhausted) gives one error in place of its remaining records, and the next
/// file follows; `on_corrupt` changes this for damaged files. With "resync" the next whole record is
/// the next position where both checksums fit, the length lies within the file and `record_bytes`; the
/// error names offset and length of the damaged stretch. A compressed stream that is itself damaged
/// ends its file as before. Reads ahead of its consumer, on its own thread. Records of uncompressed
/// files, and of zstd files that weir wrote, are also read by their position (`global_shuffle`,
/// `weir_dataset_at`) through an index of each file, which `weir index` makes, or the first such
/// reading; then a damaged record is one error in its place, and `skip` and `shard` directly after it
/// go straight to their records.
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
    Pipeline::begin(OperatorCall::new("tfrecord").positional(files.into()).named("compression", options.compression).named("num_parallel_reads", options.num_parallel_reads).named("on_corrupt", options.on_corrupt).named("buffer_size", options.buffer_size))
}

/// Reads flat binary files of little-endian numbers, such as token ids: element i of a file is a vector
/// of `length` numbers, starting at number `i * stride`. An incomplete vector at the end of a file is
/// skipped, so a file shorter than `length` yields nothing. With `length: n + 1, stride: n` each
/// element has the inputs and the targets of a language model. A file that cannot be read (not_found
/// and others) gives one error in place of its remaining elements, and the next file follows. Reads
/// ahead of its consumer, on its own thread. Elements are also read by their position
/// (`global_shuffle`, `partition`, `weir_dataset_at`); then `skip` and `shard` directly after it go
/// straight to their elements.
///
/// * `files`: A file name, a list of names, or a dataset of names.
/// * `length`: How many numbers an element has.
/// * `dtype`: Of the numbers, which are little-endian in the files; neither bool nor string.
///
/// [`tokens_with`] takes options as well.
#[must_use]
pub fn tokens(files: impl Into<Files>, length: impl Into<Int>, dtype: impl Into<DTypeName>) -> Pipeline {
    tokens_with(files, length, dtype, TokensOptions::new())
}

/// [`tokens`] with options.
#[must_use]
pub fn tokens_with(files: impl Into<Files>, length: impl Into<Int>, dtype: impl Into<DTypeName>, options: TokensOptions) -> Pipeline {
    Pipeline::begin(OperatorCall::new("tokens").positional(files.into()).positional(length.into()).positional(dtype.into()).named("stride", options.stride).named("header_bytes", options.header_bytes).named("buffer_size", options.buffer_size))
}

/// Reads WebDataset tar archives: consecutive members with the same key form one element, a dict of
/// strings in the order of `fields`. The key is the path up to the first dot of its last part; the rest
/// after that dot is the extension, with ASCII letters in lower case. A field takes the member whose
/// extension is its name, or the first there of `member("jpg", "jpeg", "png")`; `"__key__"` and
/// `"__url__"` are the key and the file. A member that is missing is `none` for `optional(string)`, the
/// default of `txt: string = ""`, else an error. Members that no field takes are passed over, as are
/// those without a dot or with a leading one in the last part, those in folders like `__meta__`, and
/// all that are no regular files. ustar, GNU and pax archives are read; sparse members are passed over.
/// An archive may end between any two members; one of no bytes has no elements. An element that lacks a
/// member, or has two of one extension, is one error (invalid_argument) with file, offset and record,
/// and the next element follows. A file that does not exist (not_found), is damaged or no archive
/// (data_loss) or has a wanted member longer than the runtime's `record_bytes` (resource_exhausted)
/// gives one error in place of its remaining elements, and the next file follows. Reads ahead of its
/// consumer, on its own thread. Elements of uncompressed files are also read by their position
/// (`global_shuffle`, `weir_dataset_at`) through an index of each file, which `weir index` makes, or
/// the first such reading; then an element longer than `record_bytes` is one error in its place.
///
/// * `files`: A file name, a list of names, or a dataset of names.
/// * `fields`: The members of an element, by their extensions: `{image: member("jpg", "jpeg"), cls: string, txt: string = "", "seg.png": optional(string), "__key__": string}`.
///
/// [`webdataset_with`] takes options as well.
#[must_use]
pub fn webdataset(files: impl Into<Files>, fields: impl Into<Expression>) -> Pipeline {
    webdataset_with(files, fields, WebdatasetOptions::new())
}

/// [`webdataset`] with options.
#[must_use]
pub fn webdataset_with(files: impl Into<Files>, fields: impl Into<Expression>, options: WebdatasetOptions) -> Pipeline {
    Pipeline::begin(OperatorCall::new("webdataset").positional(files.into()).positional(fields.into()).named("compression", options.compression).named("num_parallel_reads", options.num_parallel_reads).named("buffer_size", options.buffer_size))
}

/// Combines datasets element by element, in the structure in which they are given. Ends with the
/// shortest. If any input fails at a position, that position is one error. A value with datasets inside
/// is such a structure, too: `zip(w)` joins the members of a window of dicts or tuples.
///
/// * `datasets`: One or more datasets, or a tuple or dict of them.
#[must_use]
pub fn zip(datasets: impl Into<Datasets>) -> Pipeline {
    Pipeline::begin(OperatorCall::new("zip").positional(datasets.into()))
}

impl Pipeline {
    /// Declares that the input has `n` elements, and checks it. If there are fewer or more, the sequence
    /// ends with an error (failed_precondition), after `n` elements if there are more. Errors among them
    /// are passed on and not counted.
    ///
    /// * `n`: The number of elements; -1: infinite, -2: unknown.
    #[must_use]
    pub fn assert_cardinality(&self, n: impl Into<Int>) -> Pipeline {
        self.then(OperatorCall::new("assert_cardinality").positional(n.into()))
    }

    /// Stacks `n` successive elements into a batch, along a new first dimension. The elements of a batch
    /// must have one shape, or the batch is an error (invalid_argument); sparse tensors become one sparse
    /// tensor of the largest shape. The last batch may have fewer elements. An error among the elements
    /// drops the batch gathered so far; the next one begins after it.
    ///
    /// * `n`: The number of elements in a batch.
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

    /// Batches elements of similar length together, so that they need little padding. Each element goes
    /// into the bucket for its length. When a bucket has its batch size, its elements follow as one batch,
    /// padded as by `padded_batch`. After the last element the smaller batches follow, the shortest bucket
    /// first. An element whose length cannot be computed is an error at once; a batch that cannot be made
    /// is an error in its place.
    ///
    /// * `length`: Returns the length of an element, an int64.
    /// * `boundaries`: The bounds between buckets: a list of ascending integers. The first bucket has the lengths below the first bound, the last bucket those from the last bound on.
    /// * `batch_sizes`: The number of elements in a batch, for each bucket: one more than boundaries.
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

    /// Reads the input once and keeps its elements, in memory or in files, for later passes. The first pass
    /// yields what it reads, and fills the cache if it reaches the end. Its errors pass at once and are not
    /// kept. In memory, every iterator has its own cache, and so has every dataset that a function opens;
    /// in Python, the loops over a dataset share its caches. A cache whose passes stop early never fills:
    /// its next pass logs a warning. With a `file`, the elements are kept in a folder of that name, as by
    /// `snapshot`: other iterators and later processes read them, too. Elements of another pipeline are
    /// refused (failed_precondition). While one iterator fills the folder, others yield what they read
    /// themselves.
    ///
    /// * `file`: The folder to keep the elements in; "" keeps them in memory. `()` stands for the default, `""`.
    #[must_use]
    pub fn cache(&self, file: impl Into<Text>) -> Pipeline {
        self.then(OperatorCall::new("cache").named("file", file.into()))
    }

    /// Appends another dataset to the input. Both must have the same structure and dtypes; dimensions that
    /// differ become unknown.
    ///
    /// * `other`: The dataset to append; its structure and dtypes are the same.
    #[must_use]
    pub fn concatenate(&self, other: impl Into<Operand>) -> Pipeline {
        self.then(OperatorCall::new("concatenate").positional(other.into()))
    }

    /// Numbers the elements: pairs (number, element); numbers are int64 and count from `start`. An error
    /// uses up a number. Elements beyond the largest int64 are errors (out_of_range).
    ///
    /// * `start`: The number of the first element. `()` stands for the default, `0`.
    #[must_use]
    pub fn enumerate(&self, start: impl Into<Int>) -> Pipeline {
        self.then(OperatorCall::new("enumerate").named("start", start.into()))
    }

    /// Keeps the elements for which `f` is true, in their order. An element for which `f` fails is an
    /// error.
    ///
    /// * `f`: The condition: returns a bool.
    #[must_use]
    pub fn filter(&self, f: impl Into<Function>) -> Pipeline {
        self.then(OperatorCall::new("filter").positional(f.into()))
    }

    /// Maps each element to a dataset and concatenates these datasets.
    ///
    /// * `f`: Returns a dataset for each element.
    #[must_use]
    pub fn flat_map(&self, f: impl Into<Function>) -> Pipeline {
        self.then(OperatorCall::new("flat_map").positional(f.into()))
    }

    /// Shuffles the whole dataset without a buffer, by reading elements by index in a pseudorandom order.
    /// Every operator before it must support reading by position; its page says so. Any other is a build
    /// error that names it (failed_precondition), and so is a dataset known to be empty or infinite
    /// (invalid_argument). For files, the index is used, or built first. A prefetch before it runs nothing
    /// ahead. An element that fails is an error in its place, as is a batch of which one fails. The order
    /// is tf.data's for the same seed.
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

    /// Groups all elements by key and folds each group into one result. Yields one result per group, the
    /// value of `finalize`. The state of a group is `init(key)` at first, and `reduce(state, element)`
    /// after each element. When the input has ended, `finalize(state)` of each group follows, the least key
    /// first. An element that fails, or for which `key`, `init` or `reduce` fails, is an error at once and
    /// changes no state; a group whose elements all failed has no result. A dataset that is known to be
    /// infinite is refused.
    ///
    /// * `key`: Returns the key of an element's group, an int64.
    /// * `init`: Returns the first state of a group, from its key.
    /// * `reduce`: (state, element) -> state, of the same structure and dtypes.
    /// * `finalize`: Returns the result of a group, from its last state.
    #[must_use]
    pub fn group_by_reducer(&self, key: impl Into<Function>, init: impl Into<Function>, reduce: impl Into<Function>, finalize: impl Into<Function>) -> Pipeline {
        self.then(OperatorCall::new("group_by_reducer").positional(key.into()).positional(init.into()).positional(reduce.into()).positional(finalize.into()))
    }

    /// Groups elements by key and maps each group of `window_size` to a dataset. When a group is full,
    /// `reduce(key, group)` makes a dataset of it, whose elements follow. After the last element the
    /// smaller groups follow, the least key first. An element whose key cannot be computed is an error at
    /// once.
    ///
    /// * `key`: Returns the key of an element's group, an int64.
    /// * `reduce`: (key, window) -> dataset. The window is a dataset of the elements of one group.
    /// * `window_size`: The largest size of a group, or a function that returns it for a key.
    #[must_use]
    pub fn group_by_window(&self, key: impl Into<Function>, reduce: impl Into<Function>, window_size: impl Into<Function>) -> Pipeline {
        self.then(OperatorCall::new("group_by_window").positional(key.into()).positional(reduce.into()).positional(window_size.into()))
    }

    /// Drops the elements that failed. The error that a saved position cannot be resumed belongs to no
    /// element, and is kept.
    ///
    /// * `log`: Log a warning for each error that is dropped. `()` stands for the default, `false`.
    #[must_use]
    pub fn ignore_errors(&self, log: impl Into<Bool>) -> Pipeline {
        self.then(OperatorCall::new("ignore_errors").named("log", log.into()))
    }

    /// Maps each element to a dataset and interleaves their elements. `cycle_length` of these datasets are
    /// open at a time, and each yields `block_length` elements per turn. With `num_parallel_calls`, the
    /// open ones and the next ones run ahead on other threads; the order stays the same unless
    /// `deterministic` is false.
    ///
    /// * `f`: Returns a dataset for each element.
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

    /// Applies `f` to each element. If `f` fails, its error takes the place of the element. With
    /// `num_parallel_calls`, calls run ahead on other threads; the order stays the same unless
    /// `deterministic` is false.
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

    /// Applies `f` to each element and stacks `n` results into a batch. Results of a batch must have one
    /// shape, or the batch is an error (invalid_argument); sparse tensors become one sparse tensor of the
    /// largest shape. If an element or its call fails, its whole batch is an error, and the next batch is
    /// what it would have been.
    ///
    /// * `f`: The function: a lambda or a callback.
    /// * `n`: The number of results in a batch.
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

    /// Sets options for the whole pipeline, except inside lambdas. With `deterministic: false`, every map
    /// and interleave with parallel calls that does not say otherwise yields its results in any order. The
    /// other options say how far the pipeline runs ahead and where blocks of remote files are kept; they
    /// change no element, no order and no position.
    ///
    /// [`Pipeline::options_with`] takes options as well.
    #[must_use]
    pub fn options(&self) -> Pipeline {
        self.options_with(OptionsOptions::new())
    }

    /// [`Pipeline::options`] with options.
    #[must_use]
    pub fn options_with(&self, options: OptionsOptions) -> Pipeline {
        self.then(OperatorCall::new("options").named("deterministic", options.deterministic).named("autotune", options.autotune).named("threads", options.threads).named("memory", options.memory).named("warm_start", options.warm_start).named("tuned", options.tuned).named("rewrites", options.rewrites).named("cache", options.cache).named("cache_bytes", options.cache_bytes))
    }

    /// Packs sequences into elements of `length` tokens. A sequence is a vector, or a dict of vectors of
    /// one length, of any dtype; the element is `{tokens, segment_ids, positions}`, or the dict's keys with
    /// `segment_ids` and `positions`, all of shape \[length\]. The int32 segments count from 1 and positions
    /// from 0 in each; both are 0 in the padding. Empty sequences are passed over, and one of exactly
    /// `length` is given at once. With "first_fit" and "best_fit" up to `bins` elements are open: where
    /// none has room and no other may be opened, the one with the least room left is given; one that is
    /// full is given at once, and the others follow at the end in the order of their opening. "concat" cuts
    /// at every `length`, and the rest of a sequence is a segment of its own; `long` and `bins` don't
    /// apply. A sequence that is too long, or vectors of unequal lengths, are errors (invalid_argument);
    /// these and failed elements pass at once.
    ///
    /// * `length`: The number of tokens in an element.
    ///
    /// [`Pipeline::pack_with`] takes options as well.
    #[must_use]
    pub fn pack(&self, length: impl Into<Int>) -> Pipeline {
        self.pack_with(length, PackOptions::new())
    }

    /// [`Pipeline::pack`] with options.
    #[must_use]
    pub fn pack_with(&self, length: impl Into<Int>, options: PackOptions) -> Pipeline {
        self.then(OperatorCall::new("pack").positional(length.into()).named("strategy", options.strategy).named("bins", options.bins).named("long", options.long).named("pad", options.pad).named("drop_remainder", options.drop_remainder))
    }

    /// Pads the dataset to `n` elements with elements of zeros. Elements are dicts, and each gets a
    /// component `mask_key`: true for elements of the input, false for those of zeros. An input that is
    /// known to have more elements is refused; otherwise an error (invalid_argument) takes the place of the
    /// first one too many and ends the sequence.
    ///
    /// * `n`: The number of elements of the result.
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

    /// Stacks `n` successive elements into a batch, padding their tensors to a common shape. That is the
    /// largest shape of the batch, or `shapes`. An element larger than that makes the batch an error
    /// (data_loss). An error among the elements drops the batch gathered so far; the next one begins after
    /// it.
    ///
    /// * `n`: The number of elements in a batch.
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

    /// Divides the input into `n` parts, applies `f` to each, and yields one element from each part in
    /// turn. Parts that have ended are skipped. With W ranks, rank r yields only the parts s with s mod W =
    /// r. Rank and W come from the iterator's options, else from the environment. W must divide `n`,
    /// otherwise failed_precondition. Operators inside a part are independent of other parts: shuffles,
    /// batches and random draws depend on the part and not on the number of ranks. So checkpoints of all
    /// ranks can be restored on another number of ranks, and each part resumes where it stopped; the part
    /// that has yielded the fewest elements comes next. An error in a part takes its turn. Only operators
    /// that hold no elements back may follow, such as map, filter, prefetch and options; those that count,
    /// such as take and enumerate, do so per rank.
    ///
    /// * `n`: How many parts there are, whatever the number of ranks, which must divide it.
    /// * `f`: Returns the pipeline of a part, which is a dataset of elements of the input.
    ///
    /// [`Pipeline::partition_with`] takes options as well.
    #[must_use]
    pub fn partition(&self, n: impl Into<Int>, f: impl Into<Function>) -> Pipeline {
        self.partition_with(n, f, PartitionOptions::new())
    }

    /// [`Pipeline::partition`] with options.
    #[must_use]
    pub fn partition_with(&self, n: impl Into<Int>, f: impl Into<Function>, options: PartitionOptions) -> Pipeline {
        self.then(OperatorCall::new("partition").positional(n.into()).positional(f.into()).named("by", options.by).named("even", options.even))
    }

    /// Computes up to `n` elements ahead, on another thread, while the consumer works. Order and errors
    /// stay the same.
    ///
    /// * `n`: How many elements may be ready ahead. 0 runs nothing ahead. auto begins with 2 and finds how many the consumer takes while the input stalls, up to 8 MiB and 1,024. -1 is tf.data's number for auto.
    #[must_use]
    pub fn prefetch(&self, n: impl Into<Int>) -> Pipeline {
        self.then(OperatorCall::new("prefetch").positional(n.into()))
    }

    /// Stacks `n` successive elements into a batch, as ragged tensors where their lengths may differ.
    /// Tensors whose first dimension is unknown become one ragged tensor; others are stacked as by `batch`.
    /// The last batch may have fewer elements. An error among the elements drops the batch gathered so far;
    /// the next one begins after it.
    ///
    /// * `n`: The number of elements in a batch.
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

    /// Changes the size of batches: joins and splits them so that each has `n` rows. A list of sizes is
    /// used in turn; 0 gives an empty batch. Batches of sparse and ragged tensors stay sparse and ragged.
    /// The last batch may have fewer rows; no empty ones follow it. An error among the elements drops the
    /// rows gathered so far; the next batch begins after it.
    ///
    /// * `n`: The number of rows in a batch, or a list of such numbers, used in turn. An empty batch has the size 0.
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

    /// Resamples the input so that its classes occur about as often as `target` says. Yields pairs (class,
    /// element). Elements of classes that occur too often are dropped more often. Some elements are drawn
    /// from the unchanged input instead, so an element may come twice. The dataset ends when it draws from
    /// one of these two and that has no more elements. Without `initial`, the shares of the input's classes
    /// are estimated from all elements so far, 32 at a time. An element whose class cannot be computed, or
    /// is none of `target`, is an error in its place.
    ///
    /// * `class`: Returns the class of an element, an integer from 0 on.
    /// * `target`: The wanted share of each class: a vector of floats, in proportion.
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

    /// Repeats the input `count` times, or forever if `count` is negative. An endless repeat ends after an
    /// epoch without elements.
    ///
    /// * `count`: How many times; negative repeats forever. `()` stands for the default, `-1`.
    #[must_use]
    pub fn repeat(&self, count: impl Into<Int>) -> Pipeline {
        self.then(OperatorCall::new("repeat").named("count", count.into()))
    }

    /// Applies `f` to a running state and each element; `f` returns the next state and the output. An error
    /// leaves the state as it was.
    ///
    /// * `state`: The first state.
    /// * `f`: (state, element) -> (state, result), the state of the same structure and dtypes.
    #[must_use]
    pub fn scan(&self, state: impl Into<Value>, f: impl Into<Function>) -> Pipeline {
        self.then(OperatorCall::new("scan").positional(state.into()).positional(f.into()))
    }

    /// Keeps every `num_shards`-th element, beginning with number `index`, counted from 0. Errors are
    /// passed on to every part and not counted; a damaged record of `load` or of a file with an index is in
    /// the part of its position. `shard(auto, auto)` is the part of the iterator's rank, from its options
    /// or from the environment (RANK and WORLD_SIZE, or those of Open MPI, MPICH, Slurm and Kubernetes); a
    /// process that no launcher started gets all elements. A checkpoint can be restored only by the same
    /// rank of the same number of ranks; for training, use `partition`.
    ///
    /// * `num_shards`: How many shards there are; auto: as many as the iterator has ranks.
    /// * `index`: Which of them this is, from 0; auto: that of the iterator's rank.
    #[must_use]
    pub fn shard(&self, num_shards: impl Into<Int>, index: impl Into<Int>) -> Pipeline {
        self.then(OperatorCall::new("shard").positional(num_shards.into()).positional(index.into()))
    }

    /// Shuffles the elements: each is drawn at random from a buffer of `buffer_size` elements. The buffer
    /// is filled first. With -2 it takes the whole input, and an input that is known to be infinite is
    /// refused. For the same seed the order is tf.data's. Errors pass at once.
    ///
    /// * `buffer_size`: How many elements to draw from; a larger buffer mixes better. -2: the whole input, which then must end.
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

    /// Repeats the input `count` times, shuffled in another order each time. It is the same as
    /// `shuffle(buffer_size, seed) | repeat(count)`: no epoch begins before the one before it has ended.
    /// Inside another repeat, each pass uses the next order; `shuffle | repeat(n)` skips one order between
    /// passes.
    ///
    /// * `buffer_size`: How many elements to draw from; a larger buffer mixes better.
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

    /// Skips the first `n` elements. Errors among them are passed on and not counted; a damaged record of
    /// `load` or of a file with an index counts, since it isn't read.
    ///
    /// * `n`: The number of elements to skip; negative skips all.
    #[must_use]
    pub fn skip(&self, n: impl Into<Int>) -> Pipeline {
        self.then(OperatorCall::new("skip").positional(n.into()))
    }

    /// Saves the elements to a folder in the first full pass, and reads them from there in later ones. A
    /// pass that reaches the end publishes its elements in the folder `path`; later passes, in this process
    /// or another, read them without opening the input. Elements that another pipeline wrote there are
    /// refused (failed_precondition, one error that says what differs). While one pass writes, others yield
    /// their elements without writing. Errors are passed on and not written. If writing fails, there is one
    /// error more, nothing is published, and the elements follow. A pass that continues from a saved
    /// position does not write. Reads ahead of its consumer, on its own thread.
    ///
    /// * `path`: The folder with the written elements.
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

    /// Stacks `n` successive dense tensors, whose shapes may differ, into one sparse tensor. They must have
    /// one rank; the result has one more. Every entry becomes a value, zeros too. An element larger than
    /// `row_shape` makes the batch an error (data_loss). The last batch may have fewer elements. An error
    /// among the elements drops the batch gathered so far; the next one begins after it.
    ///
    /// * `n`: The number of elements in a batch.
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

    /// Takes the first `n` elements. Errors among them are passed on and not counted.
    ///
    /// * `n`: The number of elements to take; negative takes all.
    #[must_use]
    pub fn take(&self, n: impl Into<Int>) -> Pipeline {
        self.then(OperatorCall::new("take").positional(n.into()))
    }

    /// Takes elements until `f` returns false for the first time. An element for which `f` fails is an
    /// error, and the next one follows.
    ///
    /// * `f`: The condition: returns a bool.
    #[must_use]
    pub fn take_while(&self, f: impl Into<Function>) -> Pipeline {
        self.then(OperatorCall::new("take_while").positional(f.into()))
    }

    /// Copies each element to the memory of a GPU, `depth` elements ahead of the consumer. It stands last
    /// in a document; strings and nested datasets are refused. Batches are made in pinned memory and copied
    /// from there on a stream of weir's; the consumer's stream waits for an element's copy, not the program
    /// (`weir_iterator_next_on`, DLPack). An element's memory is reused after the consumer releases it and
    /// all work queued on its stream before the release has finished. With a list of devices, each element
    /// is split along the first dimension into one element per device; if the rows don't divide evenly, the
    /// first devices get one row more. A failed element is one error per device. The driver, libcuda.so.1,
    /// is opened when an iterator is made; without a driver or such a device that fails
    /// (failed_precondition, not_found). An element for which the device has no memory is an error
    /// (resource_exhausted) that says how much it needs. docs/devices.md has the rest.
    ///
    /// * `device`: "cuda:0", or a list of devices, \["cuda:0", "cuda:1"\]: then each element is cut along its first dimension into a part for each of them.
    ///
    /// [`Pipeline::to_device_with`] takes options as well.
    #[must_use]
    pub fn to_device(&self, device: impl Into<Value>) -> Pipeline {
        self.to_device_with(device, ToDeviceOptions::new())
    }

    /// [`Pipeline::to_device`] with options.
    #[must_use]
    pub fn to_device_with(&self, device: impl Into<Value>, options: ToDeviceOptions) -> Pipeline {
        self.then(OperatorCall::new("to_device").positional(device.into()).named("depth", options.depth))
    }

    /// Splits each batch into its rows, along the first dimension. All tensors of an element must have the
    /// same first dimension. An element without rows gives nothing. A row of a sparse tensor is a sparse
    /// tensor of one rank less, a row of a ragged tensor a dense one. A row has the origin of its element;
    /// of the rows of a batch only the first has one.
    #[must_use]
    pub fn unbatch(&self) -> Pipeline {
        self.then(OperatorCall::new("unbatch"))
    }

    /// Drops every element that equals an earlier one. Elements are integers, bools, strings, or structures
    /// of them. Remembers 16 bytes per distinct element, 8 for a number, and saves them in checkpoints; in
    /// memory they take 40. Elements of more than 15 bytes are compared by a hash of 124 bits. Beyond 4 GiB
    /// of remembered elements, each further distinct element is an error (resource_exhausted).
    #[must_use]
    pub fn unique(&self) -> Pipeline {
        self.then(OperatorCall::new("unique"))
    }

    /// Groups successive elements into windows, each a dataset of `size` elements. An element with several
    /// components becomes a structure of such datasets, one for each. A window begins `shift` elements
    /// after the one before and has every stride-th element. The last windows have fewer elements. A window
    /// with a failed element is an error, and so is one for which the runtime's memory_bytes has no room
    /// (resource_exhausted). A failed element that is in no window is left out.
    ///
    /// * `size`: The largest number of elements in a window.
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

    /// The number of elements of the input, an int64: -1 if it is infinite, -2 if it is not known without
    /// reading. In a lambda, it is computed with the values of the variables.
    #[must_use]
    pub fn cardinality(&self) -> Pipeline {
        self.then(OperatorCall::new("cardinality"))
    }

    /// The only element of the input, as a value. An input with no element, or with more than one, is an
    /// error (invalid_argument).
    #[must_use]
    pub fn get_single_element(&self) -> Pipeline {
        self.then(OperatorCall::new("get_single_element"))
    }

    /// Folds all elements into one value with `f`, starting from `initial`. `f` gets `initial` and the
    /// first element, then its result and the second element, and so on. The value has the structure of
    /// `initial`, and is `initial` if there are no elements. A dataset that is known to be infinite is
    /// refused.
    ///
    /// * `initial`: The first state.
    /// * `f`: (state, element) -> state, of the same structure and dtypes.
    #[must_use]
    pub fn reduce(&self, initial: impl Into<Value>, f: impl Into<Function>) -> Pipeline {
        self.then(OperatorCall::new("reduce").positional(initial.into()).positional(f.into()))
    }

    /// Writes all elements to the folder `path`, for `load` to read, and yields none. Elements already
    /// there are replaced once all new ones are written; until then, and if writing fails, the folder stays
    /// as it was. Errors of the input are passed on and not written; if the consumer stops at one, nothing
    /// is replaced. In a lambda, and as a method in Python, `save` has the result `()`, and stops at the
    /// first error, which is its result then: put `ignore_errors()` before it to write the elements that
    /// didn't fail. If another writer is writing to the folder, there is one error (unavailable) and
    /// nothing is written.
    ///
    /// * `path`: The folder with the written elements.
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
