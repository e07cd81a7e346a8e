# Written by tools/generate-bindings from what the library says of its operators; edit their definitions in src/.

"""
    array_record(files; num_parallel_reads=nothing)

Reads ArrayRecord files, as TensorFlow Datasets and Grain write them: each element is a record, a
string of its bytes. Records may be compressed with zstd, brotli or snappy; chunks written with
`transpose` are not supported (unimplemented), nor are other Riegeli files (data_loss). Checksums
are compared. A file that is missing or damaged gives one error in place of its remaining records,
with the chunk and the byte where it begins, and the next file follows; by position, a damaged chunk
fails its own records only. Elements are also read by their position (`global_shuffle`, `partition`,
`weir_dataset_at`). Reads ahead of its consumer, on its own thread. Needs the extension weir-parquet
(failed_precondition).

- `files`: A file name, a list of names, or a dataset of names.
- `num_parallel_reads`: How many files to read at once, one record from each in turn; auto is 8.
Default: `1`.
"""
array_record(files; num_parallel_reads=nothing) =
    Pipeline(call("array_record", argument(:files, files), argument(:int, num_parallel_reads, "num_parallel_reads")))

"""
    arrow(files; fields=nothing, where=nothing, nulls=nothing, num_parallel_reads=nothing)

Reads Arrow IPC files, including Feather version 2, and Arrow streams: each row is a dict of the
columns in `fields`, by default of all columns of the first file. Buffers may be compressed with lz4
or zstd. Columns become fields as in `parquet`: booleans, integers and floats keep their dtypes,
text and bytes are strings, also as views; dates of 32 bits are days (int32), other dates, times,
timestamps and durations nanoseconds (int64); dictionary-encoded columns have their values; columns
of type null are ignored. Unions, run-end encoding, list views and intervals are not supported.
Columns that nothing uses are not read. `where` is asked about each row, since the format has no
statistics. Nulls, fields that don't fit, and files that are missing or damaged are errors as in
`parquet`; the error of a damaged file names the batch and the byte where it begins. A stream that
ends without its mark is whole; of one that was cut the batches before the cut are given. Without
`where`, elements are also read by their position (`global_shuffle`, `partition`,
`weir_dataset_at`). Reads ahead of its consumer, on its own thread. Needs the extension weir-parquet
(failed_precondition).

- `files`: A file name, a list of names, or a dataset of names.
- `fields`: Which columns to read, and what becomes of their nulls: `{id: int64, box: float32[4],
words: string[?], kind: string = "none", user: {name: string}, tags: list({name: string}), score:
optional(float32)}`. Columns may be wider than in the file, int64 for int32. none: all columns as
the first file has them. Default: `none`.
- `where`: Which rows to read: a function of a dict of columns, which need not be among `fields`,
that returns a bool. Where the format has statistics (Parquet), parts of a file in which no row can
match are not read. Default: `none`.
- `nulls`: How to treat nulls in columns without a field: `"error"` fails the element, `"optional"`
makes each nullable column `optional`. With `fields`, this applies only to the other columns of
`where`. Default: `"error"`.
- `num_parallel_reads`: How many files to read at once, one record from each in turn; auto is 8.
Default: `1`.
"""
arrow(files; fields=nothing, where=nothing, nulls=nothing, num_parallel_reads=nothing) =
    Pipeline(call("arrow", argument(:files, files), argument(:fields, fields, "fields"), argument(:function, where, "where"), argument(:string, nulls, "nulls"), argument(:int, num_parallel_reads, "num_parallel_reads")))

"""
    choose_from_datasets(datasets, choice; stop_on_empty=nothing)

Takes the next element from the dataset that `choice` selects by index. Indices count from 0. Ends
with the choices, when a chosen dataset has no more elements, or, if `stop_on_empty` is false, when
no dataset has. An index without a dataset is an error in its place.

- `datasets`: A list of datasets of one structure.
- `choice`: A dataset of int64: the index of the dataset for each element; another number is an
error (invalid_argument).
- `stop_on_empty`: End when a chosen dataset has no more elements; if false, skip such choices.
Default: `true`.
"""
choose_from_datasets(datasets, choice; stop_on_empty=nothing) =
    Pipeline(call("choose_from_datasets", argument(:list_of_datasets, datasets), argument(:dataset, choice), argument(:bool, stop_on_empty, "stop_on_empty")))

"""
    counter(; start=nothing, step=nothing)

Counts from `start` in steps of `step`, without end. Elements are int64. If the next number does not
fit int64, it is an error (out_of_range), and the sequence ends.

- `start`: The first number. Default: `0`.
- `step`: The distance between numbers; negative counts down, 0 repeats the first. Default: `1`.
"""
counter(; start=nothing, step=nothing) =
    Pipeline(call("counter", argument(:int, start, "start"), argument(:int, step, "step")))

"""
    csv(files, columns; header=nothing, delim=nothing, quote_=nothing, na_value=nothing, select=nothing, compression=nothing, num_parallel_reads=nothing, exclude=nothing, buffer_size=nothing)

Reads CSV files: each row is a tuple of typed columns. Rows end with `\\n`, `\\r`, both, or the file.
Numbers may have spaces around them; strings stay as they are. A byte-order mark at the start of a
file is left out. A row with the wrong number of fields, a missing value, a malformed number or a
stray quote, in the header too, is one error (invalid_argument) with the file and the number of the
row, and the next row follows. A file that does not exist (not_found), is empty where a header is
expected or has a header with other names than the first file (invalid_argument), begins like gzip
or another binary format (invalid_argument), is damaged (data_loss) or has a row longer than the
runtime's `record_bytes` (resource_exhausted) gives one error in place of its remaining rows, and
the next file follows. Reads ahead of its consumer, on its own thread. Rows of uncompressed files
are also read by their position (`global_shuffle`, `weir_dataset_at`) through an index of each file,
which the first such reading makes, of files whose header has no mistake; then a row that is too
long is one error in its place.

- `files`: A file name, a list of names, or a dataset of names.
- `columns`: Each column's dtype, if every row has a value for it, or the default for empty fields:
`[int64, 0.5]`. int32, int64, float32, float64 or string. Of files with a header also as fields,
`{id: int64, score: float32 = 0.5}`: the columns of these names, wherever each file has them, as a
dict.
- `header`: The first row of each file holds names, and is left out. They are the same in all files
unless `columns` are found by their names. Default: `false`.
- `delim`: The byte between fields. Default: `","`.
- `quote`: Fields may be in double quotes, with delimiters and line ends inside and quotes doubled.
Default: `true`.
- `na_value`: A field of exactly these bytes counts as empty. Default: `""`.
- `select`: The indices of the fields to read, ascending from 0, one for each column; none: all.
Default: `none`.
- `compression`: "", "gzip", "zlib", "zstd", "lz4", "bz2", "xz", or "auto": by the first bytes.
Default: `""`.
- `num_parallel_reads`: How many files to read at once, one record from each in turn; auto is 8.
Default: `1`.
- `exclude`: The indices of the fields to leave out, ascending from 0, if `select` is none; none:
the others of `select`. Default: `none`.
- `buffer_size`: The size of one read of a file, in bytes; 0: what is fastest where the file lies.
Default: `0`.
"""
csv(files, columns; header=nothing, delim=nothing, quote_=nothing, na_value=nothing, select=nothing, compression=nothing, num_parallel_reads=nothing, exclude=nothing, buffer_size=nothing) =
    Pipeline(call("csv", argument(:files, files), argument(:list_of_values_and_dtypes, columns), argument(:bool, header, "header"), argument(:string, delim, "delim"), argument(:bool, quote_, "quote"), argument(:string, na_value, "na_value"), argument(:value, select, "select"), argument(:string, compression, "compression"), argument(:int, num_parallel_reads, "num_parallel_reads"), argument(:value, exclude, "exclude"), argument(:int, buffer_size, "buffer_size")))

"""
    empty(spec)

A dataset without elements, of the given structure.

- `spec`: The structure of the elements.
"""
empty(spec) =
    Pipeline(call("empty", argument(:spec, spec)))

"""
    fixed_length_record(files, record_bytes; header_bytes=nothing, footer_bytes=nothing, compression=nothing, num_parallel_reads=nothing, buffer_size=nothing)

Reads files of records that all have `record_bytes` bytes, as strings. The first `header_bytes` and
the last `footer_bytes` of each file are left out. An uncompressed file whose size does not fit is
one error (invalid_argument) and gives no record; a compressed one gives its whole records and then
an error (data_loss). A file that fails gives one error in place of its remaining records, and the
next file follows. Reads ahead of its consumer, on its own thread. Records of uncompressed files are
also read by their position (`global_shuffle`, `weir_dataset_at`); then `skip` and `shard` directly
after it go straight to their records.

- `files`: A file name, a list of names, or a dataset of names.
- `record_bytes`: The size of a record.
- `header_bytes`: The bytes of each file before its records. Default: `0`.
- `footer_bytes`: The bytes of each file after its records. Default: `0`.
- `compression`: "", "gzip", "zlib", "zstd", "lz4", "bz2", "xz", or "auto": by the first bytes.
Default: `""`.
- `num_parallel_reads`: How many files to read at once, one record from each in turn; auto is 8.
Default: `1`.
- `buffer_size`: The size of one read of a file, in bytes; 0: what is fastest where the file lies.
Default: `0`.
"""
fixed_length_record(files, record_bytes; header_bytes=nothing, footer_bytes=nothing, compression=nothing, num_parallel_reads=nothing, buffer_size=nothing) =
    Pipeline(call("fixed_length_record", argument(:files, files), argument(:int, record_bytes), argument(:int, header_bytes, "header_bytes"), argument(:int, footer_bytes, "footer_bytes"), argument(:string, compression, "compression"), argument(:int, num_parallel_reads, "num_parallel_reads"), argument(:int, buffer_size, "buffer_size")))

"""
    from_generator(generator, spec; arguments=nothing)

Yields the elements that a generator in your program produces (`weir_generator`), until it ends.
Each time the dataset is opened, so is the generator. If the generator fails, its error takes the
place of an element, and the next one follows; if it cannot be opened, there is one error and
nothing else. An element whose dtype or shape differs from `spec` is an error. A generator may save
and restore its position. One that is declared pure is opened again for a restored iterator, and the
elements already taken are passed over; for others `checkpoint_policy` says what happens.

- `generator`: The generator, passed by the program as @NAME.
- `spec`: The structure of its elements.
- `arguments`: A dict of its arguments, if it has a signature. NAME(a, b: c) means the same.
Default: `none`.
"""
from_generator(generator, spec; arguments=nothing) =
    Pipeline(call("from_generator", argument(:function, generator), argument(:spec, spec), argument(:value, arguments, "arguments")))

"""
    from_list(elements)

Yields the members of a list, in order. They have one structure; their shapes may differ. There are
at most 4,095 members, fewer if they are tuples or dicts; for more elements stack them and use
from_tensor_slices.

- `elements`: A list of the elements: tensors, tuples or dicts, all of one structure.
"""
from_list(elements) =
    Pipeline(call("from_list", argument(:list_of_values, elements)))

"""
    from_sparse_tensor_slices(sparse)

Slices a sparse tensor along its first dimension: one tuple (indices, values, shape) per slice.
from_tensor_slices yields the same slices as sparse tensors.

- `sparse`: A sparse tensor of rank 1 or more, whose indices rise by row.
"""
from_sparse_tensor_slices(sparse) =
    Pipeline(call("from_sparse_tensor_slices", argument(:value, sparse)))

"""
    from_tensor_slices(value)

Slices tensors along their first dimension: one element per slice. All components must have the same
length. A slice of a sparse tensor is a sparse tensor of one rank less, a slice of a ragged tensor a
dense one.

- `value`: A tensor or a structure of tensors, each of rank 1 or more and of one length.
"""
from_tensor_slices(value) =
    Pipeline(call("from_tensor_slices", argument(:value, value)))

"""
    from_tensors(value)

A dataset with one element: the given value.

- `value`: The element: a tensor or a tuple or dict of tensors.
"""
from_tensors(value) =
    Pipeline(call("from_tensors", argument(:value, value)))

"""
    hdf5(files; fields=nothing, where=nothing, nulls=nothing, num_parallel_reads=nothing)

Reads HDF5 files: element i is a dict with slice i of each HDF5 dataset along its first dimension.
The slice of a one-dimensional HDF5 dataset is a number, of others a tensor. The columns are
`fields`, or all datasets in the order of their names; one in a group has the name `"group/name"`.
Datasets of different lengths cannot be rows of one table (invalid_argument), so `fields` then says
which to read. Integers, floats and booleans keep their dtypes, whatever their byte order;
enumerations are their integers; text of fixed or variable length is string. Scalars, compound
types, references, opaque and variable-length data, virtual datasets, external files and links, and
filters other than deflate, shuffle, fletcher32, szip, nbit and scaleoffset are left out, and not
supported if `fields` asks for them (unimplemented). Columns that nothing uses are not read. `where`
is asked about each row, since the format has no statistics. A file that is missing or damaged gives
one error in place of its remaining rows, which names the dataset, and the next file follows; by
position, a damaged chunk fails its own rows only. Without `where`, elements are also read by their
position (`global_shuffle`, `partition`, `weir_dataset_at`). Reads ahead of its consumer, on its own
thread. Needs the extension weir-parquet (failed_precondition).

- `files`: A file name, a list of names, or a dataset of names.
- `fields`: Which columns to read, and what becomes of their nulls: `{id: int64, box: float32[4],
words: string[?], kind: string = "none", user: {name: string}, tags: list({name: string}), score:
optional(float32)}`. Columns may be wider than in the file, int64 for int32. none: all columns as
the first file has them. Default: `none`.
- `where`: Which rows to read: a function of a dict of columns, which need not be among `fields`,
that returns a bool. Where the format has statistics (Parquet), parts of a file in which no row can
match are not read. Default: `none`.
- `nulls`: How to treat nulls in columns without a field: `"error"` fails the element, `"optional"`
makes each nullable column `optional`. With `fields`, this applies only to the other columns of
`where`. Default: `"error"`.
- `num_parallel_reads`: How many files to read at once, one record from each in turn; auto is 8.
Default: `1`.
"""
hdf5(files; fields=nothing, where=nothing, nulls=nothing, num_parallel_reads=nothing) =
    Pipeline(call("hdf5", argument(:files, files), argument(:fields, fields, "fields"), argument(:function, where, "where"), argument(:string, nulls, "nulls"), argument(:int, num_parallel_reads, "num_parallel_reads")))

"""
    jsonl(files, fields; compression=nothing, num_parallel_reads=nothing, buffer_size=nothing)

Reads JSON lines: each line is an object, and the keys named in `fields` become a dict in that
order. Lines of white space and a byte-order mark at the beginning of a file are passed over, as are
fields that `fields` doesn't name. An integer is any number whose value is whole and fits (`3`,
`3.0`, `1e2`), a float any number, rounded to the nearest once, `NaN`, `Infinity` or `-Infinity`;
nothing else converts. `string[?]` is a list of any length, `int64[?, 2]` a list of pairs,
`ragged(int64)` a list of lists of any length, `list({name: string, n: int64})` a list of objects,
as a dict of vectors, in which `ragged(int64)` is a list. A missing or null value is `none` for
`optional(float32)`, the default of `kind: string = "none"`, else an error; so is a missing or null
object that isn't optional. `json` is the text of a value. Of a repeated key the last one counts. A
line that is no object of valid JSON and UTF-8, at most 1,024 deep, or of which a field does not
fit, is one error (invalid_argument) with file, offset, record and field, and the next line follows.
A file that does not exist (not_found), begins like gzip or another binary format
(invalid_argument), is damaged (data_loss) or has a line longer than the runtime's `record_bytes`
(resource_exhausted) gives one error in place of its remaining lines, and the next file follows.
Reads ahead of its consumer, on its own thread. Objects of uncompressed files are also read by their
position (`global_shuffle`, `weir_dataset_at`) through an index of each file, which `weir index`
makes, or the first such reading; then a line that is too long is one error in its place.

- `files`: A file name, a list of names, or a dataset of names.
- `fields`: What each object has: `{id: int64, box: float32[4], words: string[?], kind: string =
"none", user: {name: string}, tags: list({name: string}), score: optional(float32), raw: json}`.
- `compression`: "", "gzip", "zlib", "zstd", "lz4", "bz2", "xz", or "auto": by the first bytes.
Default: `""`.
- `num_parallel_reads`: How many files to read at once, one record from each in turn; auto is 8.
Default: `1`.
- `buffer_size`: The size of one read of a file, in bytes; 0: what is fastest where the file lies.
Default: `0`.
"""
jsonl(files, fields; compression=nothing, num_parallel_reads=nothing, buffer_size=nothing) =
    Pipeline(call("jsonl", argument(:files, files), argument(:fields, fields), argument(:string, compression, "compression"), argument(:int, num_parallel_reads, "num_parallel_reads"), argument(:int, buffer_size, "buffer_size")))

"""
    list_files(pattern; shuffle=nothing, seed=nothing)

Lists the names of the files that match a pattern. They come in random order, another one in each
epoch; if `shuffle` is false, they are sorted. A pattern that matches no file is an error when the
dataset is built (invalid_argument). Index files (`*.weir-index`) are left out unless the pattern
ends so.

- `pattern`: A glob pattern or a list of them. Within one part of a path, `*` matches any
characters, `?` one character (of UTF-8), `[a-z]` one of these; `\\` before one of them takes it
literally.
- `shuffle`: A new random order each epoch; if false, sorted. Default: `true`.
- `seed`: The seed of the order. Default: `none`.
"""
list_files(pattern; shuffle=nothing, seed=nothing) =
    Pipeline(call("list_files", argument(:value, pattern), argument(:bool, shuffle, "shuffle"), argument(:seed, seed, "seed")))

"""
    lmdb(files; fields=nothing, where=nothing, nulls=nothing, num_parallel_reads=nothing)

Reads LMDB databases: each entry is a dict of two strings, `key` and `value`, in the order of the
keys. `files` names the files with the data, which LMDB calls data.mdb in the folder of a database.
It reads the state that the last transaction committed and takes no locks, so no process may write
to the database meanwhile. Values are not read where only keys are used. Named databases, several
values for a key (MDB_DUPSORT) and files of machines with 32 bits or the other byte order are not
supported (unimplemented, data_loss). The names must be known when the dataset is built, unless
`fields` says the structure; it cannot be built if the first file cannot be read then (not_found,
data_loss). A file that is missing or damaged gives one error in place of its remaining entries,
with the offset of the page, and the next file follows. Without `where`, elements are also read by
their position (`global_shuffle`, `partition`, `weir_dataset_at`). Reads ahead of its consumer, on
its own thread.

- `files`: A file name, a list of names, or a dataset of names.
- `fields`: Which columns to read, and what becomes of their nulls: `{id: int64, box: float32[4],
words: string[?], kind: string = "none", user: {name: string}, tags: list({name: string}), score:
optional(float32)}`. Columns may be wider than in the file, int64 for int32. none: all columns as
the first file has them. Default: `none`.
- `where`: Which rows to read: a function of a dict of columns, which need not be among `fields`,
that returns a bool. Where the format has statistics (Parquet), parts of a file in which no row can
match are not read. Default: `none`.
- `nulls`: How to treat nulls in columns without a field: `"error"` fails the element, `"optional"`
makes each nullable column `optional`. With `fields`, this applies only to the other columns of
`where`. Default: `"error"`.
- `num_parallel_reads`: How many files to read at once, one record from each in turn; auto is 8.
Default: `1`.
"""
lmdb(files; fields=nothing, where=nothing, nulls=nothing, num_parallel_reads=nothing) =
    Pipeline(call("lmdb", argument(:files, files), argument(:fields, fields, "fields"), argument(:function, where, "where"), argument(:string, nulls, "nulls"), argument(:int, num_parallel_reads, "num_parallel_reads")))

"""
    load(path)

Reads the elements that `save`, `snapshot` or a file cache wrote to a folder, in the order written.
Their structure and number are read when the dataset is built, so it cannot be built if nothing was
written to the folder (not_found) or its manifest is damaged. A damaged chunk gives one error
(data_loss) in place of its elements, and the next chunk follows. If the elements are replaced
between building and reading, one error takes their place. Reads ahead of its consumer, on its own
thread. Elements are also read by their position (`global_shuffle`, `weir_dataset_at`); then an
element of a damaged chunk is one error in its place, and `skip` and `shard` directly after it go
straight to their chunks.

- `path`: The folder with the written elements.
"""
load(path) =
    Pipeline(call("load", argument(:string, path)))

"""
    mix_datasets(datasets, weights; stop_on_empty=nothing)

Interleaves datasets in exact proportions, without randomness. Element t comes from the dataset with
the largest `weight * (t + 1) - taken`, where `taken` counts the elements already taken from it;
ties go to the first. So the proportions hold at every step. Weights count as the shortest decimals
that read back, and add up to 1. A dataset of weight 0 is never read. When a dataset ends, the
weights of the others are rescaled to sum to 1, and t and `taken` restart from 0. Errors are passed
on and not counted. Elements have positions where those of all datasets have; when they are read by
position, errors are counted, too. A position fits other weights if the mixture is read once and in
order: their shares count from the first element that was not read before.

- `datasets`: A list of datasets of one structure.
- `weights`: The share of each dataset: a list of floats that add up to 1. A position fits other
weights.
- `stop_on_empty`: End when a dataset has no more elements at its turn; if false, the others go on
in their shares. Default: `false`.
"""
mix_datasets(datasets, weights; stop_on_empty=nothing) =
    Pipeline(call("mix_datasets", argument(:list_of_datasets, datasets), argument(:value, weights), argument(:bool, stop_on_empty, "stop_on_empty")))

"""
    npy(files; buffer_size=nothing)

Reads NumPy .npy files: one element per slice of the array along its first dimension. Their dtype
and shape are read when the dataset is built, when the names must be known, and are the same for all
files; it cannot be built if the first file does not exist (not_found), is no such file, is damaged
or shorter than its shape says (data_loss), or if one has another dtype or shape or none that is
read (invalid_argument): arrays without a dimension, of more than 8, in Fortran order, of objects,
dates or structures. Both byte orders are read. `S` and `U` arrays give strings without the zeros at
their end, `U` as UTF-8; a surrogate in one is an error of that element. Bytes after the last row
are passed over. A later file that is missing or damaged gives one error in place of its remaining
rows, and the next file follows. Reads ahead of its consumer, on its own thread. Elements are also
read by their position (`global_shuffle`, `partition`, `weir_dataset_at`); then `skip` and `shard`
directly after it go straight to their elements.

- `files`: A file name, a list of names, or a dataset of names.
- `buffer_size`: The size of one read of a file, in bytes; 0: what is fastest where the file lies.
Default: `0`.
"""
npy(files; buffer_size=nothing) =
    Pipeline(call("npy", argument(:files, files), argument(:int, buffer_size, "buffer_size")))

"""
    npz(file; names=nothing, buffer_size=nothing)

Reads the arrays of one of NumPy's archives (.npz), as numpy.savez and savez_compressed write them,
sliced together along their first dimension: each element is a dict of one slice of each. Their
structure is read when the dataset is built, so it cannot be built if the file does not exist
(not_found) or is damaged (data_loss), if an array is missing, is none that `npy` reads, or if they
have unequal lengths (invalid_argument). Other members of the archive are passed over. All bytes are
checked by their checksums before the first element; if one is wrong, or the file has changed since
the dataset was built, there is one error in place of all elements. Reads ahead of its consumer, on
its own thread. Elements are also read by their position (`global_shuffle`, `partition`,
`weir_dataset_at`); then `skip` and `shard` directly after it go straight to their elements.

- `file`: The name of the file.
- `names`: Which arrays to read, in this order; none: all, as the file has them. Default: `none`.
- `buffer_size`: The size of one read of a file, in bytes; 0: what is fastest where the file lies.
Default: `0`.
"""
npz(file; names=nothing, buffer_size=nothing) =
    Pipeline(call("npz", argument(:string, file), argument(:value, names, "names"), argument(:int, buffer_size, "buffer_size")))

"""
    parquet(files; fields=nothing, where=nothing, nulls=nothing, num_parallel_reads=nothing)

Reads Parquet files: each row is a dict of the columns in `fields`, by default of all columns of the
first file. Booleans, integers and floats keep their dtypes; text, bytes, enumerations, JSON, BSON
and UUIDs are strings; dates are days (int32), times and timestamps nanoseconds (int64); a decimal
is float64 if it has at most 15 digits, else it needs a field of float64 or string; a list is
`int64[?]`, a structure a dict, a list of structures a dict of vectors, and a map that of `key` and
`value`. Columns that nothing uses are not read. A null without a default, a time that an int64 of
nanoseconds doesn't hold and a list that doesn't fit its field are errors of the element
(invalid_argument) that name file, record and field. The names must be known when the dataset is
built, unless `fields` says the structure; it cannot be built if the first file cannot be read then
(not_found, data_loss), or if a field does not fit its column. A file that is missing, damaged or,
later in the list, of other types gives one error in place of its remaining rows, and the next file
follows. Without `where`, elements are also read by their position (`global_shuffle`, `partition`,
`weir_dataset_at`). Reads ahead of its consumer, on its own thread. Needs the extension weir-parquet
(failed_precondition).

- `files`: A file name, a list of names, or a dataset of names.
- `fields`: Which columns to read, and what becomes of their nulls: `{id: int64, box: float32[4],
words: string[?], kind: string = "none", user: {name: string}, tags: list({name: string}), score:
optional(float32)}`. Columns may be wider than in the file, int64 for int32. none: all columns as
the first file has them. Default: `none`.
- `where`: Which rows to read: a function of a dict of columns, which need not be among `fields`,
that returns a bool. Where the format has statistics (Parquet), parts of a file in which no row can
match are not read. Default: `none`.
- `nulls`: How to treat nulls in columns without a field: `"error"` fails the element, `"optional"`
makes each nullable column `optional`. With `fields`, this applies only to the other columns of
`where`. Default: `"error"`.
- `num_parallel_reads`: How many files to read at once, one record from each in turn; auto is 8.
Default: `1`.
"""
parquet(files; fields=nothing, where=nothing, nulls=nothing, num_parallel_reads=nothing) =
    Pipeline(call("parquet", argument(:files, files), argument(:fields, fields, "fields"), argument(:function, where, "where"), argument(:string, nulls, "nulls"), argument(:int, num_parallel_reads, "num_parallel_reads")))

"""
    random(; seed=nothing, rerandomize_each_iteration=nothing)

Random integers (int64) from 0 to 4294967295, without end. For the same seed they are tf.data's.
Each epoch repeats them unless `rerandomize_each_iteration` is true.

- `seed`: Fixes the numbers: n, or the pair (a, b); none draws a seed when the dataset is built.
Default: `none`.
- `rerandomize_each_iteration`: Draw different numbers in each epoch. Default: `false`.
"""
random(; seed=nothing, rerandomize_each_iteration=nothing) =
    Pipeline(call("random", argument(:seed, seed, "seed"), argument(:bool, rerandomize_each_iteration, "rerandomize_each_iteration")))

"""
    range(stop)

The numbers from `start` up to but not including `stop`, in steps of `step`. There are none if
`step` leads away from `stop`. A single positional argument is `stop`.

- `stop`: The sequence ends before it.
"""
range(stop) =
    Pipeline(call("range", argument(:int, stop)))

"""
    range(start, stop; step=nothing, dtype=nothing)

The numbers from `start` up to but not including `stop`, in steps of `step`. There are none if
`step` leads away from `stop`. A single positional argument is `stop`.

- `start`: The first number.
- `stop`: The sequence ends before it.
- `step`: The distance between numbers: not 0; negative counts down. Default: `1`.
- `dtype`: An integer or float dtype; each number is cast to it, integers wrap. Default: `int64`.
"""
range(start, stop; step=nothing, dtype=nothing) =
    Pipeline(call("range", argument(:int, start), argument(:int, stop), argument(:int, step, "step"), argument(:dtype, dtype, "dtype")))

"""
    sample_from_datasets(datasets; weights=nothing, seed=nothing, stop_on_empty=nothing, rerandomize_each_iteration=nothing)

Takes each element from a dataset drawn at random, by weight. For the same seed the order is
tf.data's. Ends when all datasets have ended, or, if `stop_on_empty` is true, when one that has
ended is drawn. A dataset whose constant weight is 0 is left out, and there are no elements if all
are 0. Where a dataset of weights gives every remaining dataset the weight 0, an error ends the
sequence (failed_precondition). Constant weights that are negative, infinite or NaN are refused.
Each epoch repeats the draws unless `rerandomize_each_iteration` is true.

- `datasets`: A list of datasets of one structure.
- `weights`: The probability of each dataset: a vector of floats, or a dataset of such vectors, one
for each element. none: equal. A position fits other constant ones, of which the same are 0, as in
`mix_datasets`. Default: `none`.
- `seed`: Fixes the draws: n, or the pair (a, b); none draws a seed when the dataset is built.
Default: `none`.
- `stop_on_empty`: End when a drawn dataset has no more elements; if false, draw again. Default:
`false`.
- `rerandomize_each_iteration`: Draw differently in each epoch. Default: `false`.
"""
sample_from_datasets(datasets; weights=nothing, seed=nothing, stop_on_empty=nothing, rerandomize_each_iteration=nothing) =
    Pipeline(call("sample_from_datasets", argument(:list_of_datasets, datasets), argument(:value_or_dataset, weights, "weights"), argument(:seed, seed, "seed"), argument(:bool, stop_on_empty, "stop_on_empty"), argument(:bool, rerandomize_each_iteration, "rerandomize_each_iteration")))

"""
    schedule(points; interpolation=nothing)

Yields float64 weight vectors, without end, for the `weights` of `sample_from_datasets`. Each point
is an element number and the weights that apply from there; "linear" interpolates to the next point.
The weights of the last point stay in effect.

- `points`: A list of pairs: the number of an element, and its weights. Numbers rise from 0 on, and
all have as many weights. A position fits others, as in `mix_datasets`.
- `interpolation`: Between two points: "step" keeps the weights of the first, "linear" goes from one
to the other. Default: `"step"`.
"""
schedule(points; interpolation=nothing) =
    Pipeline(call("schedule", argument(:list_of_values, points), argument(:string, interpolation, "interpolation")))

"""
    sql(driver, connection, query, spec)

Runs a query on an SQLite 3 database and yields its rows, in the query's order. NULL is 0, false or
"", as in tf.data. A number in a column of strings becomes its text, and any number but 0 is true; a
value that does not fit its dtype is an error (invalid_argument) in the row's place. A database that
does not exist (not_found), is damaged or ends within a page (data_loss) or is no regular file
(invalid_argument), and a query that is wrong (invalid_argument) or fails, gives one error in place
of the remaining rows. If another process is writing the database, reading waits, 5 seconds at most;
while rows are read, a writer waits. The query reads this one file: other databases, pragmas that
set something and extensions are refused (permission_denied). One in WAL mode gets the files `-wal`
and `-shm` beside it, as from every reader. SQLite is built in; a process that writes the database
by another SQLite must close it before it reads it here, since a process loses its locks on a file
where one of them closes it. The query runs again where a restored iterator continues, so give it an
`order by`. Reads ahead of its consumer, on its own thread.

- `driver`: The kind of database: "sqlite", an SQLite 3 file.
- `connection`: The name of the database's file, taken literally.
- `query`: One statement that returns rows. The database is only read.
- `spec`: The dtypes of the columns: a tuple of scalars in the order of the columns, or a dict by
their names. An integer dtype, float32, float64, bool or string.
"""
sql(driver, connection, query, spec) =
    Pipeline(call("sql", argument(:string, driver), argument(:string, connection), argument(:string, query), argument(:spec, spec)))

"""
    text_line(files; compression=nothing, buffer_size=nothing, num_parallel_reads=nothing)

Reads text files line by line, as strings without their `\\n` and without any `\\r`. A last line needs
no `\\n`. Bytes stay as they are, but a byte-order mark at the start of a file is left out. A file
that begins like gzip or another binary format is refused with an error (invalid_argument) that
names the format. A file that does not exist (not_found), is damaged (data_loss) or holds a line
longer than the runtime's `record_bytes` (resource_exhausted) gives one error in place of its
remaining lines, and the next file follows. Reads ahead of its consumer, on its own thread. Lines of
uncompressed files are also read by their position (`global_shuffle`, `weir_dataset_at`) through an
index of each file, which `weir index` makes, or the first such reading; then a line that is too
long is one error in its place, and `skip` and `shard` directly after it go straight to their lines.

- `files`: A file name, a list of names, or a dataset of names.
- `compression`: "", "gzip", "zlib", "zstd", "lz4", "bz2", "xz", or "auto": by the first bytes.
Default: `""`.
- `buffer_size`: The size of one read of a file, in bytes; 0: what is fastest where the file lies.
Default: `0`.
- `num_parallel_reads`: How many files to read at once, one record from each in turn; auto is 8.
Default: `1`.
"""
text_line(files; compression=nothing, buffer_size=nothing, num_parallel_reads=nothing) =
    Pipeline(call("text_line", argument(:files, files), argument(:string, compression, "compression"), argument(:int, buffer_size, "buffer_size"), argument(:int, num_parallel_reads, "num_parallel_reads")))

"""
    tfrecord(files; compression=nothing, num_parallel_reads=nothing, on_corrupt=nothing, buffer_size=nothing)

Reads the records of TFRecord files, as strings. Both checksums of every record are checked. A file
that does not exist (not_found), is damaged (data_loss) or holds a record longer than the runtime's
`record_bytes` (resource_exhausted) gives one error in place of its remaining records, and the next
file follows; `on_corrupt` changes this for damaged files. With "resync" the next whole record is
the next position where both checksums fit, the length lies within the file and `record_bytes`; the
error names offset and length of the damaged stretch. A compressed stream that is itself damaged
ends its file as before. Reads ahead of its consumer, on its own thread. Records of uncompressed
files, and of zstd files that weir wrote, are also read by their position (`global_shuffle`,
`weir_dataset_at`) through an index of each file, which `weir index` makes, or the first such
reading; then a damaged record is one error in its place, and `skip` and `shard` directly after it
go straight to their records.

- `files`: A file name, a list of names, or a dataset of names.
- `compression`: "", "gzip", "zlib", "zstd", "lz4", "bz2", "xz", or "auto": by the first bytes.
Default: `""`.
- `num_parallel_reads`: How many files to read at once, one record from each in turn; auto is 8.
Default: `1`.
- `on_corrupt`: What to do at a damaged record: "error" gives one error in place of the file's
remaining records; "skip_file" leaves them out and logs a warning; "resync" gives one error for each
damaged stretch and continues at the next whole record. Default: `"error"`.
- `buffer_size`: The size of one read of a file, in bytes; 0: what is fastest where the file lies.
Default: `0`.
"""
tfrecord(files; compression=nothing, num_parallel_reads=nothing, on_corrupt=nothing, buffer_size=nothing) =
    Pipeline(call("tfrecord", argument(:files, files), argument(:string, compression, "compression"), argument(:int, num_parallel_reads, "num_parallel_reads"), argument(:string, on_corrupt, "on_corrupt"), argument(:int, buffer_size, "buffer_size")))

"""
    tokens(files, length, dtype; stride=nothing, header_bytes=nothing, buffer_size=nothing)

Reads flat binary files of little-endian numbers, such as token ids: element i of a file is a vector
of `length` numbers, starting at number `i * stride`. An incomplete vector at the end of a file is
skipped, so a file shorter than `length` yields nothing. With `length: n + 1, stride: n` each
element has the inputs and the targets of a language model. A file that cannot be read (not_found
and others) gives one error in place of its remaining elements, and the next file follows. Reads
ahead of its consumer, on its own thread. Elements are also read by their position
(`global_shuffle`, `partition`, `weir_dataset_at`); then `skip` and `shard` directly after it go
straight to their elements.

- `files`: A file name, a list of names, or a dataset of names.
- `length`: How many numbers an element has.
- `dtype`: Of the numbers, which are little-endian in the files; neither bool nor string.
- `stride`: How many numbers lie from the first of an element to that of the next; none: `length`.
Default: `none`.
- `header_bytes`: The bytes of each file before its numbers. Default: `0`.
- `buffer_size`: The size of one read of a file, in bytes; 0: what is fastest where the file lies.
Default: `0`.
"""
tokens(files, length, dtype; stride=nothing, header_bytes=nothing, buffer_size=nothing) =
    Pipeline(call("tokens", argument(:files, files), argument(:int, length), argument(:dtype, dtype), argument(:int, stride, "stride"), argument(:int, header_bytes, "header_bytes"), argument(:int, buffer_size, "buffer_size")))

"""
    webdataset(files, fields; compression=nothing, num_parallel_reads=nothing, buffer_size=nothing)

Reads WebDataset tar archives: consecutive members with the same key form one element, a dict of
strings in the order of `fields`. The key is the path up to the first dot of its last part; the rest
after that dot is the extension, with ASCII letters in lower case. A field takes the member whose
extension is its name, or the first there of `member("jpg", "jpeg", "png")`; `"__key__"` and
`"__url__"` are the key and the file. A member that is missing is `none` for `optional(string)`, the
default of `txt: string = ""`, else an error. Members that no field takes are passed over, as are
those without a dot or with a leading one in the last part, those in folders like `__meta__`, and
all that are no regular files. ustar, GNU and pax archives are read; sparse members are passed over.
An archive may end between any two members; one of no bytes has no elements. An element that lacks a
member, or has two of one extension, is one error (invalid_argument) with file, offset and record,
and the next element follows. A file that does not exist (not_found), is damaged or no archive
(data_loss) or has a wanted member longer than the runtime's `record_bytes` (resource_exhausted)
gives one error in place of its remaining elements, and the next file follows. Reads ahead of its
consumer, on its own thread. Elements of uncompressed files are also read by their position
(`global_shuffle`, `weir_dataset_at`) through an index of each file, which `weir index` makes, or
the first such reading; then an element longer than `record_bytes` is one error in its place.

- `files`: A file name, a list of names, or a dataset of names.
- `fields`: The members of an element, by their extensions: `{image: member("jpg", "jpeg"), cls:
string, txt: string = "", "seg.png": optional(string), "__key__": string}`.
- `compression`: "", "gzip", "zlib", "zstd", "lz4", "bz2", "xz", or "auto": by the first bytes.
Default: `""`.
- `num_parallel_reads`: How many files to read at once, one record from each in turn; auto is 8.
Default: `1`.
- `buffer_size`: The size of one read of a file, in bytes; 0: what is fastest where the file lies.
Default: `0`.
"""
webdataset(files, fields; compression=nothing, num_parallel_reads=nothing, buffer_size=nothing) =
    Pipeline(call("webdataset", argument(:files, files), argument(:fields, fields), argument(:string, compression, "compression"), argument(:int, num_parallel_reads, "num_parallel_reads"), argument(:int, buffer_size, "buffer_size")))

"""
    zip(datasets)

Combines datasets element by element, in the structure in which they are given. Ends with the
shortest. If any input fails at a position, that position is one error. A value with datasets inside
is such a structure, too: `zip(w)` joins the members of a window of dicts or tuples.

- `datasets`: One or more datasets, or a tuple or dict of them.
"""
zip(datasets) =
    Pipeline(call("zip", argument(:datasets, datasets)))

"""
    assert_cardinality(n)

Declares that the input has `n` elements, and checks it. If there are fewer or more, the sequence
ends with an error (failed_precondition), after `n` elements if there are more. Errors among them
are passed on and not counted.

- `n`: The number of elements; -1: infinite, -2: unknown.
"""
assert_cardinality(n) =
    Transformation(call("assert_cardinality", argument(:int, n)))

"""
    batch(n; drop_remainder=nothing, num_parallel_calls=nothing)

Stacks `n` successive elements into a batch, along a new first dimension. The elements of a batch
must have one shape, or the batch is an error (invalid_argument); sparse tensors become one sparse
tensor of the largest shape. The last batch may have fewer elements. An error among the elements
drops the batch gathered so far; the next one begins after it.

- `n`: The number of elements in a batch.
- `drop_remainder`: Drop a last batch of fewer than n elements. Default: `false`.
- `num_parallel_calls`: How many threads copy, where at least 512 KiB are copied at once; smaller
batches are copied by one. Default: `1`.
"""
batch(n; drop_remainder=nothing, num_parallel_calls=nothing) =
    Transformation(call("batch", argument(:int, n), argument(:bool, drop_remainder, "drop_remainder"), argument(:int, num_parallel_calls, "num_parallel_calls")))

"""
    bucket_by_sequence_length(length, boundaries, batch_sizes; shapes=nothing, values=nothing, pad_to_bucket_boundary=nothing, no_padding=nothing, drop_remainder=nothing)

Batches elements of similar length together, so that they need little padding. Each element goes
into the bucket for its length. When a bucket has its batch size, its elements follow as one batch,
padded as by `padded_batch`. After the last element the smaller batches follow, the shortest bucket
first. An element whose length cannot be computed is an error at once; a batch that cannot be made
is an error in its place.

- `length`: Returns the length of an element, an int64.
- `boundaries`: The bounds between buckets: a list of ascending integers. The first bucket has the
lengths below the first bound, the last bucket those from the last bound on.
- `batch_sizes`: The number of elements in a batch, for each bucket: one more than boundaries.
- `shapes`: The shape of each tensor, in the structure of the element. A dimension is a number, or
none for the largest of the batch. Default: `none`.
- `values`: The padding: one value, or one for each tensor. none: 0, false or "". Default: `none`.
- `pad_to_bucket_boundary`: Pad unknown dimensions to one less than the upper bound of the bucket. A
batch of the last bucket is then an error. Default: `false`.
- `no_padding`: Elements of a batch must have one shape; sparse tensors become one sparse tensor of
the largest shape. Default: `false`.
- `drop_remainder`: Drop last batches that are smaller than their size. Default: `false`.
"""
bucket_by_sequence_length(length, boundaries, batch_sizes; shapes=nothing, values=nothing, pad_to_bucket_boundary=nothing, no_padding=nothing, drop_remainder=nothing) =
    Transformation(call("bucket_by_sequence_length", argument(:function, length), argument(:value, boundaries), argument(:value, batch_sizes), argument(:value, shapes, "shapes"), argument(:value, values, "values"), argument(:bool, pad_to_bucket_boundary, "pad_to_bucket_boundary"), argument(:bool, no_padding, "no_padding"), argument(:bool, drop_remainder, "drop_remainder")))

"""
    cache(file=nothing)

Reads the input once and keeps its elements, in memory or in files, for later passes. The first pass
yields what it reads, and fills the cache if it reaches the end. Its errors pass at once and are not
kept. In memory, every iterator has its own cache, and so has every dataset that a function opens;
in Python, the loops over a dataset share its caches. A cache whose passes stop early never fills:
its next pass logs a warning. With a `file`, the elements are kept in a folder of that name, as by
`snapshot`: other iterators and later processes read them, too. Elements of another pipeline are
refused (failed_precondition). While one iterator fills the folder, others yield what they read
themselves.

- `file`: The folder to keep the elements in; "" keeps them in memory. Default: `""`.
"""
cache(file=nothing) =
    Transformation(call("cache", argument(:string, file, "file")))

"""
    concatenate(other)

Appends another dataset to the input. Both must have the same structure and dtypes; dimensions that
differ become unknown.

- `other`: The dataset to append; its structure and dtypes are the same.
"""
concatenate(other) =
    Transformation(call("concatenate", argument(:dataset, other)))

"""
    enumerate(start=nothing)

Numbers the elements: pairs (number, element); numbers are int64 and count from `start`. An error
uses up a number. Elements beyond the largest int64 are errors (out_of_range).

- `start`: The number of the first element. Default: `0`.
"""
enumerate(start=nothing) =
    Transformation(call("enumerate", argument(:int, start, "start")))

"""
    filter(f)

Keeps the elements for which `f` is true, in their order. An element for which `f` fails is an
error.

- `f`: The condition: returns a bool.
"""
filter(f) =
    Transformation(call("filter", argument(:function, f)))

"""
    flat_map(f)

Maps each element to a dataset and concatenates these datasets.

- `f`: Returns a dataset for each element.
"""
flat_map(f) =
    Transformation(call("flat_map", argument(:function, f)))

"""
    global_shuffle(; seed=nothing, reshuffle_each_iteration=nothing)

Shuffles the whole dataset without a buffer, by reading elements by index in a pseudorandom order.
Every operator before it must support reading by position; its page says so. Any other is a build
error that names it (failed_precondition), and so is a dataset known to be empty or infinite
(invalid_argument). For files, the index is used, or built first. A prefetch before it runs nothing
ahead. An element that fails is an error in its place, as is a batch of which one fails. The order
is tf.data's for the same seed.

- `seed`: Fixes the order: n, or the pair (a, b); none draws a seed when the dataset is built.
Default: `none`.
- `reshuffle_each_iteration`: Use another order in each epoch. Default: `true`.
"""
global_shuffle(; seed=nothing, reshuffle_each_iteration=nothing) =
    Transformation(call("global_shuffle", argument(:seed, seed, "seed"), argument(:bool, reshuffle_each_iteration, "reshuffle_each_iteration")))

"""
    group_by_reducer(key, init, reduce, finalize)

Groups all elements by key and folds each group into one result. Yields one result per group, the
value of `finalize`. The state of a group is `init(key)` at first, and `reduce(state, element)`
after each element. When the input has ended, `finalize(state)` of each group follows, the least key
first. An element that fails, or for which `key`, `init` or `reduce` fails, is an error at once and
changes no state; a group whose elements all failed has no result. A dataset that is known to be
infinite is refused.

- `key`: Returns the key of an element's group, an int64.
- `init`: Returns the first state of a group, from its key.
- `reduce`: (state, element) -> state, of the same structure and dtypes.
- `finalize`: Returns the result of a group, from its last state.
"""
group_by_reducer(key, init, reduce, finalize) =
    Transformation(call("group_by_reducer", argument(:function, key), argument(:function, init), argument(:function, reduce), argument(:function, finalize)))

"""
    group_by_window(key, reduce, window_size)

Groups elements by key and maps each group of `window_size` to a dataset. When a group is full,
`reduce(key, group)` makes a dataset of it, whose elements follow. After the last element the
smaller groups follow, the least key first. An element whose key cannot be computed is an error at
once.

- `key`: Returns the key of an element's group, an int64.
- `reduce`: (key, window) -> dataset. The window is a dataset of the elements of one group.
- `window_size`: The largest size of a group, or a function that returns it for a key.
"""
group_by_window(key, reduce, window_size) =
    Transformation(call("group_by_window", argument(:function, key), argument(:function, reduce), argument(:function, window_size)))

"""
    ignore_errors(log=nothing)

Drops the elements that failed. The error that a saved position cannot be resumed belongs to no
element, and is kept.

- `log`: Log a warning for each error that is dropped. Default: `false`.
"""
ignore_errors(log=nothing) =
    Transformation(call("ignore_errors", argument(:bool, log, "log")))

"""
    interleave(f; cycle_length=nothing, block_length=nothing, num_parallel_calls=nothing, deterministic=nothing)

Maps each element to a dataset and interleaves their elements. `cycle_length` of these datasets are
open at a time, and each yields `block_length` elements per turn. With `num_parallel_calls`, the
open ones and the next ones run ahead on other threads; the order stays the same unless
`deterministic` is false.

- `f`: Returns a dataset for each element.
- `cycle_length`: The number of datasets open at a time; auto is 8. Default: `auto`.
- `block_length`: The number of successive elements from one dataset. Default: `1`.
- `num_parallel_calls`: How many datasets run ahead at once, at most cycle_length. auto: one per
core, or, for datasets that wait, as many as raise the throughput. As many more are opened before
their turn, unless their elements cannot be made again. The order is the same for any number.
Default: `1`.
- `deterministic`: false: where several run ahead, a dataset that has no element yet gives up its
turn; none: as options() says, else true. Default: `none`.
"""
interleave(f; cycle_length=nothing, block_length=nothing, num_parallel_calls=nothing, deterministic=nothing) =
    Transformation(call("interleave", argument(:function, f), argument(:int, cycle_length, "cycle_length"), argument(:int, block_length, "block_length"), argument(:int, num_parallel_calls, "num_parallel_calls"), argument(:bool, deterministic, "deterministic")))

"""
    map(f; num_parallel_calls=nothing, deterministic=nothing)

Applies `f` to each element. If `f` fails, its error takes the place of the element. With
`num_parallel_calls`, calls run ahead on other threads; the order stays the same unless
`deterministic` is false.

- `f`: The function: a lambda or a callback.
- `num_parallel_calls`: How many calls run at once. auto: one per core, or, for a function that
waits, as many as raise the throughput. Default: `1`.
- `deterministic`: false: results come as they finish, in any order; none: as options() says, else
true. Default: `none`.
"""
map(f; num_parallel_calls=nothing, deterministic=nothing) =
    Transformation(call("map", argument(:function, f), argument(:int, num_parallel_calls, "num_parallel_calls"), argument(:bool, deterministic, "deterministic")))

"""
    map_and_batch(f, n; drop_remainder=nothing, num_parallel_calls=nothing)

Applies `f` to each element and stacks `n` results into a batch. Results of a batch must have one
shape, or the batch is an error (invalid_argument); sparse tensors become one sparse tensor of the
largest shape. If an element or its call fails, its whole batch is an error, and the next batch is
what it would have been.

- `f`: The function: a lambda or a callback.
- `n`: The number of results in a batch.
- `drop_remainder`: Drop a last batch of fewer than n results. Default: `false`.
- `num_parallel_calls`: How many calls run at once; auto: one per core. Default: `1`.
"""
map_and_batch(f, n; drop_remainder=nothing, num_parallel_calls=nothing) =
    Transformation(call("map_and_batch", argument(:function, f), argument(:int, n), argument(:bool, drop_remainder, "drop_remainder"), argument(:int, num_parallel_calls, "num_parallel_calls")))

"""
    options(; deterministic=nothing, autotune=nothing, threads=nothing, memory=nothing, warm_start=nothing, tuned=nothing, rewrites=nothing, cache=nothing, cache_bytes=nothing)

Sets options for the whole pipeline, except inside lambdas. With `deterministic: false`, every map
and interleave with parallel calls that does not say otherwise yields its results in any order. The
other options say how far the pipeline runs ahead and where blocks of remote files are kept; they
change no element, no order and no position.

- `deterministic`: The default for `deterministic` of map and interleave: false lets results come in
any order. Default: `none`.
- `autotune`: false: what is `auto` stays as it begins: at what `tuned` says, else at a usual
number. Default: `true`.
- `threads`: How many of the runtime's threads work for the pipeline at once, not counting those
inside next; auto: all. Default: `auto`.
- `memory`: The most bytes of elements that are made ahead; each window, and each call that runs,
may exceed it by one element. auto: each window has its own limit. Default: `auto`.
- `warm_start`: true: what runs ahead begins when the iterator is made, not at its first element;
not where it begins at a saved position. Default: `false`.
- `tuned`: The settings to begin tuning with: the text "tuned" in `weir_iterator_stats` of an
earlier run, such as "prefetch/map calls 16". Default: `none`.
- `rewrites`: false: the operators run as written, where true lets one do the work of several
(docs/seeing.md). Default: `true`.
- `cache`: A local folder, by its name from the root folder on, that keeps blocks of the remote
files that are read, for later epochs and other processes; it is created (docs/cache-on-disk.md).
Empty: none is. Default: `""`.
- `cache_bytes`: How many bytes the blocks in that folder take at most, those of all processes
together; 0: 16 GiB. Without `cache` it changes nothing. Default: `0`.
"""
options(; deterministic=nothing, autotune=nothing, threads=nothing, memory=nothing, warm_start=nothing, tuned=nothing, rewrites=nothing, cache=nothing, cache_bytes=nothing) =
    Transformation(call("options", argument(:bool, deterministic, "deterministic"), argument(:bool, autotune, "autotune"), argument(:int, threads, "threads"), argument(:int, memory, "memory"), argument(:bool, warm_start, "warm_start"), argument(:string, tuned, "tuned"), argument(:bool, rewrites, "rewrites"), argument(:string, cache, "cache"), argument(:int, cache_bytes, "cache_bytes")))

"""
    pack(length; strategy=nothing, bins=nothing, long=nothing, pad=nothing, drop_remainder=nothing)

Packs sequences into elements of `length` tokens. A sequence is a vector, or a dict of vectors of
one length, of any dtype; the element is `{tokens, segment_ids, positions}`, or the dict's keys with
`segment_ids` and `positions`, all of shape [length]. The int32 segments count from 1 and positions
from 0 in each; both are 0 in the padding. Empty sequences are passed over, and one of exactly
`length` is given at once. With "first_fit" and "best_fit" up to `bins` elements are open: where
none has room and no other may be opened, the one with the least room left is given; one that is
full is given at once, and the others follow at the end in the order of their opening. "concat" cuts
at every `length`, and the rest of a sequence is a segment of its own; `long` and `bins` don't
apply. A sequence that is too long, or vectors of unequal lengths, are errors (invalid_argument);
these and failed elements pass at once.

- `length`: The number of tokens in an element.
- `strategy`: Where a sequence goes: "first_fit", the bin opened first of those with room;
"best_fit", the one with the least room left after it; "concat", after the last one, cut where an
element ends. Default: `"first_fit"`.
- `bins`: How many elements may be open at once. Default: `64`.
- `long`: What happens to a sequence of more than `length` tokens: "error", "truncate", "split" or
"drop". Default: `"error"`.
- `pad`: Fills the rest of an element: one value, or a dict of values for some of the keys. 0 is
also false and "". Default: `0`.
- `drop_remainder`: Drop the elements that are not full when the input ends. Default: `false`.
"""
pack(length; strategy=nothing, bins=nothing, long=nothing, pad=nothing, drop_remainder=nothing) =
    Transformation(call("pack", argument(:int, length), argument(:string, strategy, "strategy"), argument(:int, bins, "bins"), argument(:string, long, "long"), argument(:value, pad, "pad"), argument(:bool, drop_remainder, "drop_remainder")))

"""
    pad_to_cardinality(n; mask_key=nothing)

Pads the dataset to `n` elements with elements of zeros. Elements are dicts, and each gets a
component `mask_key`: true for elements of the input, false for those of zeros. An input that is
known to have more elements is refused; otherwise an error (invalid_argument) takes the place of the
first one too many and ends the sequence.

- `n`: The number of elements of the result.
- `mask_key`: The key of a bool: true for elements of the input. Default: `"valid"`.
"""
pad_to_cardinality(n; mask_key=nothing) =
    Transformation(call("pad_to_cardinality", argument(:int, n), argument(:string, mask_key, "mask_key")))

"""
    padded_batch(n; shapes=nothing, values=nothing, drop_remainder=nothing)

Stacks `n` successive elements into a batch, padding their tensors to a common shape. That is the
largest shape of the batch, or `shapes`. An element larger than that makes the batch an error
(data_loss). An error among the elements drops the batch gathered so far; the next one begins after
it.

- `n`: The number of elements in a batch.
- `shapes`: The shape of each tensor, in the structure of the element. A dimension is a number, or
none for the largest of the batch. Default: `none`.
- `values`: The padding: one value, or one for each tensor. none: 0, false or "". Default: `none`.
- `drop_remainder`: Drop a last batch of fewer than n elements. Default: `false`.
"""
padded_batch(n; shapes=nothing, values=nothing, drop_remainder=nothing) =
    Transformation(call("padded_batch", argument(:int, n), argument(:value, shapes, "shapes"), argument(:value, values, "values"), argument(:bool, drop_remainder, "drop_remainder")))

"""
    partition(n, f; by=nothing, even=nothing)

Divides the input into `n` parts, applies `f` to each, and yields one element from each part in
turn. Parts that have ended are skipped. With W ranks, rank r yields only the parts s with s mod W =
r. Rank and W come from the iterator's options, else from the environment. W must divide `n`,
otherwise failed_precondition. Operators inside a part are independent of other parts: shuffles,
batches and random draws depend on the part and not on the number of ranks. So checkpoints of all
ranks can be restored on another number of ranks, and each part resumes where it stopped; the part
that has yielded the fewest elements comes next. An error in a part takes its turn. Only operators
that hold no elements back may follow, such as map, filter, prefetch and options; those that count,
such as take and enumerate, do so per rank.

- `n`: How many parts there are, whatever the number of ranks, which must divide it.
- `f`: Returns the pipeline of a part, which is a dataset of elements of the input.
- `by`: "index": part s has the rows ⌊s·N/n⌋ to ⌊(s+1)·N/n⌋ − 1 of N, read by their positions;
"files": it has the files s, s + n … of the list that the input reads; auto: by index where the
elements are in memory or computed, else by files if there are n of them, else by index. Default:
`auto`.
- `even`: Ends for all ranks with the last round in which each part has an element; the number of
elements of each part must be known. Default: `false`.
"""
partition(n, f; by=nothing, even=nothing) =
    Transformation(call("partition", argument(:int, n), argument(:function, f), argument(:string, by, "by"), argument(:bool, even, "even")))

"""
    prefetch(n)

Computes up to `n` elements ahead, on another thread, while the consumer works. Order and errors
stay the same.

- `n`: How many elements may be ready ahead. 0 runs nothing ahead. auto begins with 2 and finds how
many the consumer takes while the input stalls, up to 8 MiB and 1,024. -1 is tf.data's number for
auto.
"""
prefetch(n) =
    Transformation(call("prefetch", argument(:int, n)))

"""
    ragged_batch(n; drop_remainder=nothing)

Stacks `n` successive elements into a batch, as ragged tensors where their lengths may differ.
Tensors whose first dimension is unknown become one ragged tensor; others are stacked as by `batch`.
The last batch may have fewer elements. An error among the elements drops the batch gathered so far;
the next one begins after it.

- `n`: The number of elements in a batch.
- `drop_remainder`: Drop a last batch of fewer than n elements. Default: `false`.
"""
ragged_batch(n; drop_remainder=nothing) =
    Transformation(call("ragged_batch", argument(:int, n), argument(:bool, drop_remainder, "drop_remainder")))

"""
    rebatch(n; drop_remainder=nothing)

Changes the size of batches: joins and splits them so that each has `n` rows. A list of sizes is
used in turn; 0 gives an empty batch. Batches of sparse and ragged tensors stay sparse and ragged.
The last batch may have fewer rows; no empty ones follow it. An error among the elements drops the
rows gathered so far; the next batch begins after it.

- `n`: The number of rows in a batch, or a list of such numbers, used in turn. An empty batch has
the size 0.
- `drop_remainder`: Drop a last batch that is too short. Default: `false`.
"""
rebatch(n; drop_remainder=nothing) =
    Transformation(call("rebatch", argument(:value, n), argument(:bool, drop_remainder, "drop_remainder")))

"""
    rejection_resample(class, target; initial=nothing, seed=nothing)

Resamples the input so that its classes occur about as often as `target` says. Yields pairs (class,
element). Elements of classes that occur too often are dropped more often. Some elements are drawn
from the unchanged input instead, so an element may come twice. The dataset ends when it draws from
one of these two and that has no more elements. Without `initial`, the shares of the input's classes
are estimated from all elements so far, 32 at a time. An element whose class cannot be computed, or
is none of `target`, is an error in its place.

- `class`: Returns the class of an element, an integer from 0 on.
- `target`: The wanted share of each class: a vector of floats, in proportion.
- `initial`: The share of each class in the input, likewise. none: estimated from the elements read
so far. Default: `none`.
- `seed`: Fixes the draws: n, or the pair (a, b); none draws a seed when the dataset is built.
Default: `none`.
"""
rejection_resample(class, target; initial=nothing, seed=nothing) =
    Transformation(call("rejection_resample", argument(:function, class), argument(:value, target), argument(:value, initial, "initial"), argument(:seed, seed, "seed")))

"""
    repeat(count=nothing)

Repeats the input `count` times, or forever if `count` is negative. An endless repeat ends after an
epoch without elements.

- `count`: How many times; negative repeats forever. Default: `-1`.
"""
repeat(count=nothing) =
    Transformation(call("repeat", argument(:int, count, "count")))

"""
    scan(state, f)

Applies `f` to a running state and each element; `f` returns the next state and the output. An error
leaves the state as it was.

- `state`: The first state.
- `f`: (state, element) -> (state, result), the state of the same structure and dtypes.
"""
scan(state, f) =
    Transformation(call("scan", argument(:value, state), argument(:function, f)))

"""
    shard(num_shards, index)

Keeps every `num_shards`-th element, beginning with number `index`, counted from 0. Errors are
passed on to every part and not counted; a damaged record of `load` or of a file with an index is in
the part of its position. `shard(auto, auto)` is the part of the iterator's rank, from its options
or from the environment (RANK and WORLD_SIZE, or those of Open MPI, MPICH, Slurm and Kubernetes); a
process that no launcher started gets all elements. A checkpoint can be restored only by the same
rank of the same number of ranks; for training, use `partition`.

- `num_shards`: How many shards there are; auto: as many as the iterator has ranks.
- `index`: Which of them this is, from 0; auto: that of the iterator's rank.
"""
shard(num_shards, index) =
    Transformation(call("shard", argument(:int, num_shards), argument(:int, index)))

"""
    shuffle(buffer_size; seed=nothing, reshuffle_each_iteration=nothing)

Shuffles the elements: each is drawn at random from a buffer of `buffer_size` elements. The buffer
is filled first. With -2 it takes the whole input, and an input that is known to be infinite is
refused. For the same seed the order is tf.data's. Errors pass at once.

- `buffer_size`: How many elements to draw from; a larger buffer mixes better. -2: the whole input,
which then must end.
- `seed`: Fixes the order: n, or the pair (a, b); none draws a seed when the dataset is built.
Default: `none`.
- `reshuffle_each_iteration`: Use another order in each epoch. Default: `true`.
"""
shuffle(buffer_size; seed=nothing, reshuffle_each_iteration=nothing) =
    Transformation(call("shuffle", argument(:int, buffer_size), argument(:seed, seed, "seed"), argument(:bool, reshuffle_each_iteration, "reshuffle_each_iteration")))

"""
    shuffle_and_repeat(buffer_size; count=nothing, seed=nothing)

Repeats the input `count` times, shuffled in another order each time. It is the same as
`shuffle(buffer_size, seed) | repeat(count)`: no epoch begins before the one before it has ended.
Inside another repeat, each pass uses the next order; `shuffle | repeat(n)` skips one order between
passes.

- `buffer_size`: How many elements to draw from; a larger buffer mixes better.
- `count`: How many times; -1 repeats forever. Default: `-1`.
- `seed`: Fixes the order: n, or the pair (a, b); none draws a seed when the dataset is built.
Default: `none`.
"""
shuffle_and_repeat(buffer_size; count=nothing, seed=nothing) =
    Transformation(call("shuffle_and_repeat", argument(:int, buffer_size), argument(:int, count, "count"), argument(:seed, seed, "seed")))

"""
    skip(n)

Skips the first `n` elements. Errors among them are passed on and not counted; a damaged record of
`load` or of a file with an index counts, since it isn't read.

- `n`: The number of elements to skip; negative skips all.
"""
skip(n) =
    Transformation(call("skip", argument(:int, n)))

"""
    snapshot(path; compression=nothing)

Saves the elements to a folder in the first full pass, and reads them from there in later ones. A
pass that reaches the end publishes its elements in the folder `path`; later passes, in this process
or another, read them without opening the input. Elements that another pipeline wrote there are
refused (failed_precondition, one error that says what differs). While one pass writes, others yield
their elements without writing. Errors are passed on and not written. If writing fails, there is one
error more, nothing is published, and the elements follow. A pass that continues from a saved
position does not write. Reads ahead of its consumer, on its own thread.

- `path`: The folder with the written elements.
- `compression`: "", "gzip", "zlib", "zstd", "lz4", "bz2", "xz", or "auto": the fastest, which is
"". Default: `"auto"`.
"""
snapshot(path; compression=nothing) =
    Transformation(call("snapshot", argument(:string, path), argument(:string, compression, "compression")))

"""
    sparse_batch(n; row_shape=nothing)

Stacks `n` successive dense tensors, whose shapes may differ, into one sparse tensor. They must have
one rank; the result has one more. Every entry becomes a value, zeros too. An element larger than
`row_shape` makes the batch an error (data_loss). The last batch may have fewer elements. An error
among the elements drops the batch gathered so far; the next one begins after it.

- `n`: The number of elements in a batch.
- `row_shape`: The largest dimensions that an element may have: a list of numbers, with none for the
largest of the batch. Default: `none`.
"""
sparse_batch(n; row_shape=nothing) =
    Transformation(call("sparse_batch", argument(:int, n), argument(:value, row_shape, "row_shape")))

"""
    take(n)

Takes the first `n` elements. Errors among them are passed on and not counted.

- `n`: The number of elements to take; negative takes all.
"""
take(n) =
    Transformation(call("take", argument(:int, n)))

"""
    take_while(f)

Takes elements until `f` returns false for the first time. An element for which `f` fails is an
error, and the next one follows.

- `f`: The condition: returns a bool.
"""
take_while(f) =
    Transformation(call("take_while", argument(:function, f)))

"""
    to_device(device; depth=nothing)

Copies each element to the memory of a GPU, `depth` elements ahead of the consumer. It stands last
in a document; strings and nested datasets are refused. Batches are made in pinned memory and copied
from there on a stream of weir's; the consumer's stream waits for an element's copy, not the program
(`weir_iterator_next_on`, DLPack). An element's memory is reused after the consumer releases it and
all work queued on its stream before the release has finished. With a list of devices, each element
is split along the first dimension into one element per device; if the rows don't divide evenly, the
first devices get one row more. A failed element is one error per device. The driver, libcuda.so.1,
is opened when an iterator is made; without a driver or such a device that fails
(failed_precondition, not_found). An element for which the device has no memory is an error
(resource_exhausted) that says how much it needs. docs/devices.md has the rest.

- `device`: "cuda:0", or a list of devices, ["cuda:0", "cuda:1"]: then each element is cut along its
first dimension into a part for each of them.
- `depth`: How many elements may be on the device, or on their way, ahead of the consumer. Default:
`2`.
"""
to_device(device; depth=nothing) =
    Transformation(call("to_device", argument(:value, device), argument(:int, depth, "depth")))

"""
    unbatch()

Splits each batch into its rows, along the first dimension. All tensors of an element must have the
same first dimension. An element without rows gives nothing. A row of a sparse tensor is a sparse
tensor of one rank less, a row of a ragged tensor a dense one. A row has the origin of its element;
of the rows of a batch only the first has one.
"""
unbatch() =
    Transformation(call("unbatch"))

"""
    unique()

Drops every element that equals an earlier one. Elements are integers, bools, strings, or structures
of them. Remembers 16 bytes per distinct element, 8 for a number, and saves them in checkpoints; in
memory they take 40. Elements of more than 15 bytes are compared by a hash of 124 bits. Beyond 4 GiB
of remembered elements, each further distinct element is an error (resource_exhausted).
"""
unique() =
    Transformation(call("unique"))

"""
    window(size; shift=nothing, stride=nothing, drop_remainder=nothing)

Groups successive elements into windows, each a dataset of `size` elements. An element with several
components becomes a structure of such datasets, one for each. A window begins `shift` elements
after the one before and has every stride-th element. The last windows have fewer elements. A window
with a failed element is an error, and so is one for which the runtime's memory_bytes has no room
(resource_exhausted). A failed element that is in no window is left out.

- `size`: The largest number of elements in a window.
- `shift`: The number of elements between the starts of two windows; none is `size`. Default:
`none`.
- `stride`: A window has every stride-th element. Default: `1`.
- `drop_remainder`: Drop windows of fewer than `size` elements. Default: `false`.
"""
window(size; shift=nothing, stride=nothing, drop_remainder=nothing) =
    Transformation(call("window", argument(:int, size), argument(:int, shift, "shift"), argument(:int, stride, "stride"), argument(:bool, drop_remainder, "drop_remainder")))

"""
    cardinality()

The number of elements of the input, an int64: -1 if it is infinite, -2 if it is not known without
reading. In a lambda, it is computed with the values of the variables.
"""
cardinality() =
    Transformation(call("cardinality"))

"""
    get_single_element()

The only element of the input, as a value. An input with no element, or with more than one, is an
error (invalid_argument).
"""
get_single_element() =
    Transformation(call("get_single_element"))

"""
    reduce(initial, f)

Folds all elements into one value with `f`, starting from `initial`. `f` gets `initial` and the
first element, then its result and the second element, and so on. The value has the structure of
`initial`, and is `initial` if there are no elements. A dataset that is known to be infinite is
refused.

- `initial`: The first state.
- `f`: (state, element) -> state, of the same structure and dtypes.
"""
reduce(initial, f) =
    Transformation(call("reduce", argument(:value, initial), argument(:function, f)))

"""
    save(path; compression=nothing, num_shards=nothing)

Writes all elements to the folder `path`, for `load` to read, and yields none. Elements already
there are replaced once all new ones are written; until then, and if writing fails, the folder stays
as it was. Errors of the input are passed on and not written; if the consumer stops at one, nothing
is replaced. In a lambda, and as a method in Python, `save` has the result `()`, and stops at the
first error, which is its result then: put `ignore_errors()` before it to write the elements that
didn't fail. If another writer is writing to the folder, there is one error (unavailable) and
nothing is written.

- `path`: The folder with the written elements.
- `compression`: "", "gzip", "zlib", "zstd", "lz4", "bz2", "xz". Default: `""`.
- `num_shards`: The number of files to divide the elements among; each gets 1 MiB or more in turn.
Default: `1`.
"""
save(path; compression=nothing, num_shards=nothing) =
    Transformation(call("save", argument(:string, path), argument(:string, compression, "compression"), argument(:int, num_shards, "num_shards")))
