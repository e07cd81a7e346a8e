# Written by tools/generate-bindings from what the library says of its operators; edit their definitions in src/.

"""
    choose_from_datasets(datasets, choice; stop_on_empty=nothing)

Elements of several datasets: each element of `choice` is the number, from 0, of the dataset that
the next one comes from. Ends with the choices, when a chosen dataset has no more elements, or, if
`stop_on_empty` is false, when none has. A number without a dataset is an error in its place.

- `datasets`: A list of datasets of one structure.
- `choice`: A dataset of int64: the number of the dataset that the next element comes from.
- `stop_on_empty`: End where a chosen dataset has no more elements; if false, pass over such
choices. Default: `true`.
"""
choose_from_datasets(datasets, choice; stop_on_empty=nothing) =
    Pipeline(call("choose_from_datasets", argument(:list_of_datasets, datasets), argument(:dataset, choice), argument(:bool, stop_on_empty, "stop_on_empty")))

"""
    counter(; start=nothing, step=nothing)

The numbers from `start` on, `step` apart, without end. If the next number is no int64, it is an
error (out_of_range), and the sequence ends.

- `start`: The first number. Default: `0`.
- `step`: The distance between numbers; negative counts down, 0 repeats the first. Default: `1`.
"""
counter(; start=nothing, step=nothing) =
    Pipeline(call("counter", argument(:int, start, "start"), argument(:int, step, "step")))

"""
    csv(files, columns; header=nothing, delim=nothing, quote_=nothing, na_value=nothing, select=nothing, compression=nothing, num_parallel_reads=nothing, exclude=nothing)

The rows of tables in text form, each a tuple of its columns. Rows end with `\\n`, `\\r`, both, or the
file. Numbers may have spaces around them; strings are given as they are. A row with another number
of fields, a missing value, a number that is none or a stray quote, in the header too, is one error
(invalid_argument) with the file and its number, and the next row follows. A file that does not
exist (not_found), is empty where a header is wanted (invalid_argument), begins like gzip or another
format that is no text (invalid_argument), is damaged (data_loss) or holds a row longer than the
runtime's `record_bytes` (resource_exhausted) gives one error in place of its remaining rows, and
the next file follows. Runs ahead of its consumer on a thread of its own.

- `files`: A file name, a list of names, or a dataset of names.
- `columns`: What each column holds: the dtype of one that every row has a value for, or the value
that stands for an empty field. int32, int64, float32, float64 or string.
- `header`: The first row of each file holds names and is left out, with a byte-order mark before
it. Default: `false`.
- `delim`: The byte between fields. Default: `","`.
- `quote`: Fields may stand in double quotes, with delimiters and line ends inside and quotes
doubled. Default: `true`.
- `na_value`: A field of these bytes is an empty one. Default: `""`.
- `select`: The numbers of the fields that are read, ascending from 0, one for each column; none:
all. Default: `none`.
- `compression`: "", "gzip", "zlib", or "auto": by the first bytes. Default: `""`.
- `num_parallel_reads`: How many files are read in turns, a record of each; auto is 8. Default: `1`.
- `exclude`: The numbers of the fields that are left out, ascending from 0, where `select` is none;
none: the others of `select`. Default: `none`.
"""
csv(files, columns; header=nothing, delim=nothing, quote_=nothing, na_value=nothing, select=nothing, compression=nothing, num_parallel_reads=nothing, exclude=nothing) =
    Pipeline(call("csv", argument(:files, files), argument(:list_of_values_and_dtypes, columns), argument(:bool, header, "header"), argument(:string, delim, "delim"), argument(:bool, quote_, "quote"), argument(:string, na_value, "na_value"), argument(:value, select, "select"), argument(:string, compression, "compression"), argument(:int, num_parallel_reads, "num_parallel_reads"), argument(:value, exclude, "exclude")))

"""
    empty(spec)

A dataset without elements, whose elements would have the given structure.

- `spec`: The structure that its elements would have.
"""
empty(spec) =
    Pipeline(call("empty", argument(:spec, spec)))

"""
    fixed_length_record(files, record_bytes; header_bytes=nothing, footer_bytes=nothing, compression=nothing, num_parallel_reads=nothing)

The records of files whose records all have `record_bytes` bytes, as strings. The first
`header_bytes` and the last `footer_bytes` of each file are left out. A plain file whose size
doesn't fit is invalid_argument and gives no record; a compressed one gives its whole records and
then data_loss. A file that fails gives one error in place of its remaining records, and the next
file follows. Runs ahead of its consumer on a thread of its own.

- `files`: A file name, a list of names, or a dataset of names.
- `record_bytes`: How long a record is.
- `header_bytes`: How many bytes of each file come before its records. Default: `0`.
- `footer_bytes`: How many bytes of each file come after its records. Default: `0`.
- `compression`: "", "gzip", "zlib", or "auto": by the first bytes. Default: `""`.
- `num_parallel_reads`: How many files are read in turns, a record of each; auto is 8. Default: `1`.
"""
fixed_length_record(files, record_bytes; header_bytes=nothing, footer_bytes=nothing, compression=nothing, num_parallel_reads=nothing) =
    Pipeline(call("fixed_length_record", argument(:files, files), argument(:int, record_bytes), argument(:int, header_bytes, "header_bytes"), argument(:int, footer_bytes, "footer_bytes"), argument(:string, compression, "compression"), argument(:int, num_parallel_reads, "num_parallel_reads")))

"""
    from_generator(generator, spec)

The elements that a generator of the program gives (`weir_generator`), until it says that there are
no more. Each opening of the dataset opens the generator anew. Where it fails, the error takes the
place of an element, and the next one follows; if it cannot be opened, there is one error and
nothing else. An element of another dtype or shape than `spec` says is an error. A generator may
save and restore its place; one that is declared pure is opened again for a restored iterator, and
as many elements are passed over; for others `checkpoint_policy` says what happens.

- `generator`: The generator that the program handed in: @NAME.
- `spec`: The structure of its elements.
"""
from_generator(generator, spec) =
    Pipeline(call("from_generator", argument(:function, generator), argument(:spec, spec)))

"""
    from_list(elements)

The members of a list, in their order. They have one structure; their shapes may differ. A list has
at most 4,095 parts, counting tensors, tuples and dicts; for more elements stack them and use
from_tensor_slices.

- `elements`: A list of the elements: tensors, tuples or dicts, all of one structure.
"""
from_list(elements) =
    Pipeline(call("from_list", argument(:list_of_values, elements)))

"""
    from_sparse_tensor_slices(sparse)

One tuple (indices, values, shape) per slice of a sparse tensor along its first dimension.
from_tensor_slices gives the same as sparse tensors.

- `sparse`: A sparse tensor of rank 1 or more, whose indices rise by row.
"""
from_sparse_tensor_slices(sparse) =
    Pipeline(call("from_sparse_tensor_slices", argument(:value, sparse)))

"""
    from_tensor_slices(value)

One element per slice along the first dimension of each component. All components must have the same
length. A slice of a sparse tensor is a sparse one of a rank less, a slice of a ragged tensor a
dense one.

- `value`: A tensor or a structure of tensors, each of rank 1 or more and of one length.
"""
from_tensor_slices(value) =
    Pipeline(call("from_tensor_slices", argument(:value, value)))

"""
    from_tensors(value)

A dataset of one element, the value itself.

- `value`: The element: a tensor or a tuple or dict of tensors.
"""
from_tensors(value) =
    Pipeline(call("from_tensors", argument(:value, value)))

"""
    list_files(pattern; shuffle=nothing, seed=nothing)

The names of the files that match a pattern. Order: random, and another one each epoch, unless
`shuffle` is false; then sorted. A pattern that matches no file is an error when the dataset is
built. Index files (`*.weir-index`) are left out unless the pattern ends so.

- `pattern`: A glob pattern or a list of them. Within one part of a path, `*` is any characters, `?`
one character (of UTF-8), `[a-z]` one of these; `\\` before one of them takes it as it is.
- `shuffle`: A new random order each epoch; else sorted. Default: `true`.
- `seed`: The seed of the order. Default: `none`.
"""
list_files(pattern; shuffle=nothing, seed=nothing) =
    Pipeline(call("list_files", argument(:value, pattern), argument(:bool, shuffle, "shuffle"), argument(:seed, seed, "seed")))

"""
    load(path)

The elements in a folder that `save`, `snapshot` or a file cache wrote, in the order in which they
were written. Their structure and number are read when the dataset is built, and so a folder without
elements (not_found) or with a damaged manifest is a mistake of the text. A damaged chunk gives one
error in place of its elements, and the next chunk follows. If the elements are replaced between
building and reading, there is one error instead of them. Runs ahead of its consumer on a thread of
its own.

- `path`: The folder of the written elements.
"""
load(path) =
    Pipeline(call("load", argument(:string, path)))

"""
    random(; seed=nothing, rerandomize_each_iteration=nothing)

Random integers from 0 to 4294967295 without end, the same as tf.data's for the same seed. Each
epoch repeats them unless `rerandomize_each_iteration` is true.

- `seed`: Fixes the numbers: n, or the pair (a, b); none draws a seed when the dataset is built.
Default: `none`.
- `rerandomize_each_iteration`: Each epoch has numbers of its own. Default: `false`.
"""
random(; seed=nothing, rerandomize_each_iteration=nothing) =
    Pipeline(call("random", argument(:seed, seed, "seed"), argument(:bool, rerandomize_each_iteration, "rerandomize_each_iteration")))

"""
    range(stop)

The numbers from `start` up to but not including `stop`, `step` apart. There are none if `step`
leads away from `stop`. A single positional argument is `stop`.

- `stop`: The sequence ends before it.
"""
range(stop) =
    Pipeline(call("range", argument(:int, stop)))

"""
    range(start, stop; step=nothing, dtype=nothing)

The numbers from `start` up to but not including `stop`, `step` apart. There are none if `step`
leads away from `stop`. A single positional argument is `stop`.

- `start`: The first number.
- `stop`: The sequence ends before it.
- `step`: The distance between numbers: not 0; negative counts down. Default: `1`.
- `dtype`: An integer or float dtype; each number is cast to it, integers wrap. Default: `int64`.
"""
range(start, stop; step=nothing, dtype=nothing) =
    Pipeline(call("range", argument(:int, start), argument(:int, stop), argument(:int, step, "step"), argument(:dtype, dtype, "dtype")))

"""
    sample_from_datasets(datasets; weights=nothing, seed=nothing, stop_on_empty=nothing, rerandomize_each_iteration=nothing)

Elements of several datasets: each next one of a dataset drawn at random, with tf.data's order for
the same seed. Ends when all datasets have ended, or, if `stop_on_empty` is true, when one is drawn
that has. A dataset whose constant weight is 0 is left out. Each epoch repeats the draws unless
`rerandomize_each_iteration` is true.

- `datasets`: A list of datasets of one structure.
- `weights`: How likely each dataset is: a vector of floats, or a dataset of such vectors, one for
each element. none: equally. Default: `none`.
- `seed`: Fixes the draws: n, or the pair (a, b); none draws a seed when the dataset is built.
Default: `none`.
- `stop_on_empty`: End where a dataset is drawn that has no more elements; if false, draw again.
Default: `false`.
- `rerandomize_each_iteration`: Each epoch has draws of its own. Default: `false`.
"""
sample_from_datasets(datasets; weights=nothing, seed=nothing, stop_on_empty=nothing, rerandomize_each_iteration=nothing) =
    Pipeline(call("sample_from_datasets", argument(:list_of_datasets, datasets), argument(:value_or_dataset, weights, "weights"), argument(:seed, seed, "seed"), argument(:bool, stop_on_empty, "stop_on_empty"), argument(:bool, rerandomize_each_iteration, "rerandomize_each_iteration")))

"""
    sql(driver, connection, query, spec)

The rows of a query of an SQLite 3 database, in the order in which the query gives them. NULL is 0,
false or "", as in tf.data. A number in a column of strings becomes its text, and any number but 0
is true; a value that its dtype does not hold is an error (invalid_argument) in the row's place. A
database that does not exist (not_found), is damaged or ends within a page (data_loss) or is no
regular file (invalid_argument), and a query that is wrong (invalid_argument) or fails, gives one
error in place of the remaining rows. A database that somebody else writes is waited for, 5 seconds
at most; while rows are read, a writer waits. The query reads this one file: other databases,
pragmas that set something and extensions are refused (permission_denied). One in WAL mode gets the
files `-wal` and `-shm` beside it, as from every reader. SQLite is built in; a process that writes
the database by another SQLite must close it before it reads it here, since a process loses its
locks on a file where one of them closes it. The query runs again where a restored iterator goes on,
so give it an `order by`. Runs ahead of its consumer on a thread of its own.

- `driver`: Of what kind the database is: "sqlite", an SQLite 3 file.
- `connection`: The database: the name of its file, taken as it is.
- `query`: One statement that gives rows. The database is only read.
- `spec`: What each column holds: a tuple of scalars, one for each column in their order, or a dict
of them by the columns' names. An integer dtype, float32, float64, bool or string.
"""
sql(driver, connection, query, spec) =
    Pipeline(call("sql", argument(:string, driver), argument(:string, connection), argument(:string, query), argument(:spec, spec)))

"""
    text_line(files; compression=nothing, buffer_size=nothing, num_parallel_reads=nothing)

The lines of text files, as strings without their `\\n` and without any `\\r`. A last line needs no
`\\n`. Bytes are given as they are, a byte-order mark included. A file that begins like gzip or
another format that is no text is refused (invalid_argument), which names the format. A file that
does not exist (not_found), is damaged (data_loss) or holds a line longer than the runtime's
`record_bytes` (resource_exhausted) gives one error in place of its remaining lines, and the next
file follows. Runs ahead of its consumer on a thread of its own.

- `files`: A file name, a list of names, or a dataset of names.
- `compression`: "", "gzip", "zlib", or "auto": by the first bytes. Default: `""`.
- `buffer_size`: How many bytes are read at a time; 0 is the default. Default: `262144`.
- `num_parallel_reads`: How many files are read in turns, a record of each; auto is 8. Default: `1`.
"""
text_line(files; compression=nothing, buffer_size=nothing, num_parallel_reads=nothing) =
    Pipeline(call("text_line", argument(:files, files), argument(:string, compression, "compression"), argument(:int, buffer_size, "buffer_size"), argument(:int, num_parallel_reads, "num_parallel_reads")))

"""
    tfrecord(files; compression=nothing, num_parallel_reads=nothing, on_corrupt=nothing)

The records of TFRecord files, as strings. Both checksums of every record are checked. A file that
does not exist (not_found), is damaged (data_loss) or holds a record longer than the runtime's
`record_bytes` (resource_exhausted) gives one error in place of its remaining records, and the next
file follows; `on_corrupt` changes this for damaged files. With "resync" the next whole record is
the next position where both checksums fit, the length lies within the file and `record_bytes`; the
error names offset and length of the damaged stretch. A compressed stream that is itself damaged
ends its file as before. Runs ahead of its consumer on a thread of its own. Records of uncompressed
files are also read by their position (`global_shuffle`, `weir_dataset_at`) through an index of each
file, which `weir index` makes, or the first such reading; then a damaged record is one error in its
place, and `skip` and `shard` directly after it go straight to their records.

- `files`: A file name, a list of names, or a dataset of names.
- `compression`: "", "gzip", "zlib", or "auto": by the first bytes. Default: `""`.
- `num_parallel_reads`: How many files are read in turns, a record of each; auto is 8. Default: `1`.
- `on_corrupt`: What a damaged record does: "error" gives one error in place of the file's remaining
records; "skip_file" leaves them out and logs a warning; "resync" gives one error for each damaged
stretch and goes on at the next whole record. Default: `"error"`.
"""
tfrecord(files; compression=nothing, num_parallel_reads=nothing, on_corrupt=nothing) =
    Pipeline(call("tfrecord", argument(:files, files), argument(:string, compression, "compression"), argument(:int, num_parallel_reads, "num_parallel_reads"), argument(:string, on_corrupt, "on_corrupt")))

"""
    zip(datasets)

One element of each dataset at a time, in the structure that the datasets are given in. Ends with
the shortest. If any input fails at a position, that position is one error. A value that holds
datasets is such a structure, too: `zip(w)` joins the members of a window of dicts or tuples.

- `datasets`: One or more datasets, or a tuple or dict of them.
"""
zip(datasets) =
    Pipeline(call("zip", argument(:datasets, datasets)))

"""
    assert_cardinality(n)

The elements as they are, of which there are said to be `n`. If there are fewer or more, the last
element is an error (failed_precondition). Errors among them are passed on and not counted.

- `n`: How many elements there are; -1: no end, -2: nobody knows.
"""
assert_cardinality(n) =
    Transformation(call("assert_cardinality", argument(:int, n)))

"""
    batch(n; drop_remainder=nothing, num_parallel_calls=nothing)

Joins `n` elements along a new first dimension. The elements of a batch must have one shape, or the
batch is an error; sparse tensors become one sparse tensor of the largest shape. The last batch may
have fewer elements. An error among the elements drops the batch gathered so far; the next one
begins after it.

- `n`: How many elements make a batch.
- `drop_remainder`: Leave out a last batch of fewer than n elements. Default: `false`.
- `num_parallel_calls`: How many threads copy where at least 512 KiB are copied at once; less is not
worth a thread. Default: `1`.
"""
batch(n; drop_remainder=nothing, num_parallel_calls=nothing) =
    Transformation(call("batch", argument(:int, n), argument(:bool, drop_remainder, "drop_remainder"), argument(:int, num_parallel_calls, "num_parallel_calls")))

"""
    bucket_by_sequence_length(length, boundaries, batch_sizes; shapes=nothing, values=nothing, pad_to_bucket_boundary=nothing, no_padding=nothing, drop_remainder=nothing)

Makes batches of elements of about one length. Elements are gathered by the bucket that their length
falls into; once a bucket has as many as its batch size says, they follow as one batch, padded as by
`padded_batch`. After the last element the smaller batches follow, the shortest bucket first. An
element whose length fails is an error at once; a batch that cannot be made is an error in its
place.

- `length`: The length of an element: gives an int64.
- `boundaries`: Where buckets end, ascending: a list of integers. The first bucket has the lengths
below the first of them, the last one those from the last of them on.
- `batch_sizes`: How many elements make a batch, for each bucket: one more than boundaries.
- `shapes`: The dimensions of each tensor, in the structure of the element: a number, or none for
the largest of the batch. Default: `none`.
- `values`: What to fill up with: one value, or one for each tensor, where none is 0, false or "",
as without it. Default: `none`.
- `pad_to_bucket_boundary`: Pad unknown dimensions to one less than where the bucket ends. A batch
of the last bucket is then an error. Default: `false`.
- `no_padding`: Elements of a batch must have one shape; sparse tensors become one sparse tensor of
the largest shape. Default: `false`.
- `drop_remainder`: Leave out last batches that are smaller than their size. Default: `false`.
"""
bucket_by_sequence_length(length, boundaries, batch_sizes; shapes=nothing, values=nothing, pad_to_bucket_boundary=nothing, no_padding=nothing, drop_remainder=nothing) =
    Transformation(call("bucket_by_sequence_length", argument(:function, length), argument(:value, boundaries), argument(:value, batch_sizes), argument(:value, shapes, "shapes"), argument(:value, values, "values"), argument(:bool, pad_to_bucket_boundary, "pad_to_bucket_boundary"), argument(:bool, no_padding, "no_padding"), argument(:bool, drop_remainder, "drop_remainder")))

"""
    cache(file=nothing)

Reads its input once and keeps the elements; from then on it gives these. The first pass hands on
what it reads, and fills the cache if it reaches the end. Errors pass at once and are left out
later. In memory, every iterator has a cache of its own, and so has every dataset that a function
opens; in Python, the loops over a dataset share its caches. A cache whose passes stop early never
fills: its next pass logs a warning. With a `file`, the elements are kept in a folder of that name,
as `snapshot` does it: other iterators and later processes are given them, too; those of another
pipeline are refused; while one fills it, others hand on what they read.

- `file`: The folder of the written elements; "" keeps them in memory. Default: `""`.
"""
cache(file=nothing) =
    Transformation(call("cache", argument(:string, file, "file")))

"""
    concatenate(other)

The elements of the input, then those of the other dataset. Both must have the same structure and
dtypes; dimensions that differ become unknown.

- `other`: The dataset that follows; its structure and dtypes are the same.
"""
concatenate(other) =
    Transformation(call("concatenate", argument(:dataset, other)))

"""
    enumerate(start=nothing)

Pairs of a number and an element, the numbers counting up from `start`. An error uses up a number.
Elements after the one with the largest int64 are errors (out_of_range).

- `start`: The number of the first element. Default: `0`.
"""
enumerate(start=nothing) =
    Transformation(call("enumerate", argument(:int, start, "start")))

"""
    filter(f)

The elements for which `f` is true, in their order. An element for which `f` fails is an error.

- `f`: The condition: gives a bool.
"""
filter(f) =
    Transformation(call("filter", argument(:function, f)))

"""
    flat_map(f)

The elements of the dataset that `f` makes from the first element, then those of the second, and so
on.

- `f`: Maps each element to a dataset.
"""
flat_map(f) =
    Transformation(call("flat_map", argument(:function, f)))

"""
    global_shuffle(; seed=nothing, reshuffle_each_iteration=nothing)

All elements in random order, every order as likely as a hash makes it, with no buffer. Each element
is read by its position, so the operators before it must know where their elements are: range,
from_tensors, from_tensor_slices, from_list, uncompressed TFRecords, whose index it uses or makes,
zip, concatenate, map, batch, enumerate, take, skip, shard, repeat with a count, and prefetch, which
runs nothing ahead then; others are refused by name, and so is a dataset that is known to be empty
or infinite (failed_precondition). An element that fails is an error in its place, as is a batch of
which one fails. The order is tf.data's for the same seed.

- `seed`: Fixes the order: n, or the pair (a, b); none draws a seed when the dataset is built.
Default: `none`.
- `reshuffle_each_iteration`: Another order in each epoch. Default: `true`.
"""
global_shuffle(; seed=nothing, reshuffle_each_iteration=nothing) =
    Transformation(call("global_shuffle", argument(:seed, seed, "seed"), argument(:bool, reshuffle_each_iteration, "reshuffle_each_iteration")))

"""
    group_by_reducer(key, init, reduce, finalize)

Takes all elements before it gives one. Those for which `key` gives the same number are folded into
one state, which begins as what `init` gives for the key and becomes what `reduce` gives for it and
each of them. Then follows what `finalize` gives for each state, the least key first. An element
that fails, or whose key, `init` or `reduce` does, is an error at once and changes no state; a key
of which every element failed gives nothing. A dataset that is known to be infinite is refused.

- `key`: The group of an element: gives an int64.
- `init`: The first state of a group, from its key.
- `reduce`: (state, element) -> state, of the same structure and dtypes.
- `finalize`: What is given for a group, from its last state.
"""
group_by_reducer(key, init, reduce, finalize) =
    Transformation(call("group_by_reducer", argument(:function, key), argument(:function, init), argument(:function, reduce), argument(:function, finalize)))

"""
    group_by_window(key, reduce, window_size)

Gathers the elements for which `key` gives the same number. Once `window_size` of them are there,
the elements of the dataset that `reduce` makes of them follow. After the last element the smaller
groups follow, the least key first. An element whose key fails is an error at once.

- `key`: The group of an element: gives an int64.
- `reduce`: (key, window) -> dataset. The window is a dataset of the elements of one group.
- `window_size`: The most elements of a group, or a function that gives them for a key.
"""
group_by_window(key, reduce, window_size) =
    Transformation(call("group_by_window", argument(:function, key), argument(:function, reduce), argument(:function, window_size)))

"""
    ignore_errors(log=nothing)

The elements that did not fail.

- `log`: Log a warning for each error that is left out. Default: `false`.
"""
ignore_errors(log=nothing) =
    Transformation(call("ignore_errors", argument(:bool, log, "log")))

"""
    interleave(f; cycle_length=nothing, block_length=nothing, num_parallel_calls=nothing, deterministic=nothing)

Takes turns between the datasets that `f` makes from the elements. `cycle_length` of them are open
at a time, and each gives `block_length` elements per turn. With `num_parallel_calls`, the open ones
and the next ones run ahead on other threads; the order stays unless `deterministic` is false.

- `f`: Maps each element to a dataset.
- `cycle_length`: How many datasets are open at a time; auto is 8. Default: `auto`.
- `block_length`: How many elements of one dataset come in a row. Default: `1`.
- `num_parallel_calls`: How many datasets run ahead at once: at most cycle_length; auto: as many as
there are cores, and of those that wait as many as raise the throughput. As many more are opened
before their turn. The sequence is the same for any. Default: `1`.
- `deterministic`: false: where several run ahead, a dataset that has no element yet gives up its
turn; none: as options() says, else true. Default: `none`.
"""
interleave(f; cycle_length=nothing, block_length=nothing, num_parallel_calls=nothing, deterministic=nothing) =
    Transformation(call("interleave", argument(:function, f), argument(:int, cycle_length, "cycle_length"), argument(:int, block_length, "block_length"), argument(:int, num_parallel_calls, "num_parallel_calls"), argument(:bool, deterministic, "deterministic")))

"""
    map(f; num_parallel_calls=nothing, deterministic=nothing)

Applies `f` to each element. Where `f` fails, the error takes the place of the element. With
`num_parallel_calls`, calls run ahead on other threads; the order stays unless `deterministic` is
false.

- `f`: The function: a lambda or a callback.
- `num_parallel_calls`: How many calls run at once; auto: as many as there are cores, and of a
function that waits as many as raise the throughput. Default: `1`.
- `deterministic`: false: results come as they finish, in any order; none: as options() says, else
true. Default: `none`.
"""
map(f; num_parallel_calls=nothing, deterministic=nothing) =
    Transformation(call("map", argument(:function, f), argument(:int, num_parallel_calls, "num_parallel_calls"), argument(:bool, deterministic, "deterministic")))

"""
    map_and_batch(f, n; drop_remainder=nothing, num_parallel_calls=nothing)

Applies `f` to each element and joins `n` results along a new first dimension. Results of a batch
must have one shape, or the batch is an error; sparse tensors become one sparse tensor of the
largest shape. Where an element or its call failed, its whole batch is an error, and the next batch
is what it would have been.

- `f`: The function: a lambda or a callback.
- `n`: How many results make a batch.
- `drop_remainder`: Leave out a last batch of fewer than n results. Default: `false`.
- `num_parallel_calls`: How many calls run at once; auto: as many as there are cores. Default: `1`.
"""
map_and_batch(f, n; drop_remainder=nothing, num_parallel_calls=nothing) =
    Transformation(call("map_and_batch", argument(:function, f), argument(:int, n), argument(:bool, drop_remainder, "drop_remainder"), argument(:int, num_parallel_calls, "num_parallel_calls")))

"""
    options(; deterministic=nothing, autotune=nothing, threads=nothing, memory=nothing, warm_start=nothing, tuned=nothing, rewrites=nothing)

The input, under settings for the whole pipeline, lambdas excepted. With `deterministic: false`,
every map and interleave with parallel calls that does not say otherwise gives its results in any
order. The others say how far the pipeline runs ahead; they change no element, no order and no
position.

- `deterministic`: What `deterministic: none` of map and interleave stands for: false lets results
come in any order. Default: `none`.
- `autotune`: false: what is `auto` stays as it begins: at what `tuned` says, else at a usual
number. Default: `true`.
- `threads`: How many of the runtime's threads work for the pipeline at once, besides those inside
next; auto: all. Default: `auto`.
- `memory`: How many bytes of elements that were made ahead there are at once, and one element of
each window and call; auto: each window has a limit of its own. Default: `auto`.
- `warm_start`: true: what runs ahead begins when the iterator is made, not at its first element;
not where it begins at a saved position. Default: `false`.
- `tuned`: Where tuning begins: the text that `weir_iterator_stats` of an earlier run has as
"tuned", such as "prefetch/map calls 16". Default: `none`.
- `rewrites`: false: the operators run as written, where true lets one do the work of several
(docs/seeing.md). Default: `true`.
"""
options(; deterministic=nothing, autotune=nothing, threads=nothing, memory=nothing, warm_start=nothing, tuned=nothing, rewrites=nothing) =
    Transformation(call("options", argument(:bool, deterministic, "deterministic"), argument(:bool, autotune, "autotune"), argument(:int, threads, "threads"), argument(:int, memory, "memory"), argument(:bool, warm_start, "warm_start"), argument(:string, tuned, "tuned"), argument(:bool, rewrites, "rewrites")))

"""
    pad_to_cardinality(n; mask_key=nothing)

The elements, which are dicts, and after them elements of zeros until there are `n`. Under
`mask_key` stands true for elements of the input and false for others. An input that is known to
have more elements is refused; else an error takes the place of the first one too many and ends the
sequence.

- `n`: How many elements there are in the end.
- `mask_key`: The key of a bool: true for elements of the input. Default: `"valid"`.
"""
pad_to_cardinality(n; mask_key=nothing) =
    Transformation(call("pad_to_cardinality", argument(:int, n), argument(:string, mask_key, "mask_key")))

"""
    padded_batch(n; shapes=nothing, values=nothing, drop_remainder=nothing)

Joins `n` elements along a new first dimension, and pads tensors that are smaller than the largest
of the batch, or than `shapes`. An element larger than that makes the batch an error. An error among
the elements drops the batch gathered so far; the next one begins after it.

- `n`: How many elements make a batch.
- `shapes`: The dimensions of each tensor, in the structure of the element: a number, or none for
the largest of the batch. Default: `none`.
- `values`: What to fill up with: one value, or one for each tensor, where none is 0, false or "",
as without it. Default: `none`.
- `drop_remainder`: Leave out a last batch of fewer than n elements. Default: `false`.
"""
padded_batch(n; shapes=nothing, values=nothing, drop_remainder=nothing) =
    Transformation(call("padded_batch", argument(:int, n), argument(:value, shapes, "shapes"), argument(:value, values, "values"), argument(:bool, drop_remainder, "drop_remainder")))

"""
    prefetch(n)

Makes up to `n` elements ahead on another thread while the consumer works. Order and errors stay
where they are.

- `n`: How many elements may wait; 0 runs nothing ahead; auto begins with 2 and finds how many the
consumer takes while the input stalls, up to 8 MiB and 1,024; -1 is tf.data's number for auto.
"""
prefetch(n) =
    Transformation(call("prefetch", argument(:int, n)))

"""
    ragged_batch(n; drop_remainder=nothing)

Joins `n` elements along a new first dimension. Tensors whose first dimension is unknown become one
ragged tensor and may differ in it; others are joined as by `batch`. The last batch may have fewer
elements. An error among the elements drops the batch gathered so far; the next one begins after it.

- `n`: How many elements make a batch.
- `drop_remainder`: Leave out a last batch of fewer than n elements. Default: `false`.
"""
ragged_batch(n; drop_remainder=nothing) =
    Transformation(call("ragged_batch", argument(:int, n), argument(:bool, drop_remainder, "drop_remainder")))

"""
    rebatch(n; drop_remainder=nothing)

Joins and splits batches, so that each has `n` rows. A list of sizes is used in turn; 0 gives an
empty batch. Batches of sparse tensors and ragged ones stay what they are. The last batch may have
fewer rows. An error among the elements drops the rows gathered so far; the next batch begins after
it.

- `n`: How many rows make a batch; or a list of such sizes, used in turn. An empty batch has the
size 0.
- `drop_remainder`: Leave out a last batch that is too short. Default: `false`.
"""
rebatch(n; drop_remainder=nothing) =
    Transformation(call("rebatch", argument(:value, n), argument(:bool, drop_remainder, "drop_remainder")))

"""
    rejection_resample(class, target; initial=nothing, seed=nothing)

The elements behind their classes, (class, element), so drawn that the classes come about as often
as `target` says: an element of a class that comes too often is left out more often, and one may
come twice, since a part of the elements is that of the input as it is. It ends when one of the two
parts is drawn that has no more elements. Without `initial`, what the input has is estimated from
the classes of all elements so far, 32 at a time. An element whose class fails, or is none of
`target`, is an error in its place.

- `class`: The class of an element: an integer from 0 on.
- `target`: How often each class is to come: a vector of floats, in proportion.
- `initial`: How often each class comes in the input, likewise. none: estimated from the elements
read so far. Default: `none`.
- `seed`: Fixes the draws: n, or the pair (a, b); none draws a seed when the dataset is built.
Default: `none`.
"""
rejection_resample(class, target; initial=nothing, seed=nothing) =
    Transformation(call("rejection_resample", argument(:function, class), argument(:value, target), argument(:value, initial, "initial"), argument(:seed, seed, "seed")))

"""
    repeat(count=nothing)

The input `count` times over, forever if `count` is negative. An endless repeat ends after an epoch
without elements.

- `count`: How many times; negative repeats forever. Default: `-1`.
"""
repeat(count=nothing) =
    Transformation(call("repeat", argument(:int, count, "count")))

"""
    scan(state, f)

Applies `f` to a state and each element: `f` returns the next state and the element that is given.
An error keeps the state.

- `state`: The first state.
- `f`: (state, element) -> (state, result), the state of the same structure and dtypes.
"""
scan(state, f) =
    Transformation(call("scan", argument(:value, state), argument(:function, f)))

"""
    shard(num_shards, index)

One of `num_shards` parts: the elements whose number, counted from 0, has remainder `index` modulo
`num_shards`. Errors are passed on to every part and not counted. `shard(auto, auto)` is the part of
the iterator's rank, from its options or from the environment (RANK and WORLD_SIZE, or those of Open
MPI, MPICH, Slurm and Kubernetes), and all of it in a process that no launcher started; the
checkpoints of all its ranks can be continued by another number of ranks.

- `num_shards`: How many shards there are; auto: as many as the iterator has ranks.
- `index`: Which of them this is, from 0; auto: that of the iterator's rank.
"""
shard(num_shards, index) =
    Transformation(call("shard", argument(:int, num_shards), argument(:int, index)))

"""
    shuffle(buffer_size; seed=nothing, reshuffle_each_iteration=nothing)

The elements in random order, each drawn from a buffer of `buffer_size` elements that is filled
first; with -2 the whole input is, and one that is known to be infinite is refused. The order is
tf.data's for the same seed. Errors pass at once.

- `buffer_size`: How many elements wait to be drawn from; larger mixes better. -2: all of them,
which then must end.
- `seed`: Fixes the order: n, or the pair (a, b); none draws a seed when the dataset is built.
Default: `none`.
- `reshuffle_each_iteration`: Each epoch has an order of its own. Default: `true`.
"""
shuffle(buffer_size; seed=nothing, reshuffle_each_iteration=nothing) =
    Transformation(call("shuffle", argument(:int, buffer_size), argument(:seed, seed, "seed"), argument(:bool, reshuffle_each_iteration, "reshuffle_each_iteration")))

"""
    shuffle_and_repeat(buffer_size; count=nothing, seed=nothing)

The same as `shuffle(buffer_size, seed) | repeat(count)`: the input `count` times over, each time in
another random order, and no epoch before the one before it has ended. Below another repeat it goes
on with the order after its last one, where `repeat` would leave one out.

- `buffer_size`: How many elements wait to be drawn from; larger mixes better.
- `count`: How many times; -1 repeats forever. Default: `-1`.
- `seed`: Fixes the order: n, or the pair (a, b); none draws a seed when the dataset is built.
Default: `none`.
"""
shuffle_and_repeat(buffer_size; count=nothing, seed=nothing) =
    Transformation(call("shuffle_and_repeat", argument(:int, buffer_size), argument(:int, count, "count"), argument(:seed, seed, "seed")))

"""
    skip(n)

All but the first `n` elements. Errors among them are passed on and not counted.

- `n`: How many elements to leave out; negative leaves out all.
"""
skip(n) =
    Transformation(call("skip", argument(:int, n)))

"""
    snapshot(path; compression=nothing)

The elements of the input. A pass that reaches the end publishes them in the folder `path`, and
later passes, in this process or another, read them from there without opening the input. Elements
that another pipeline wrote there are refused (failed_precondition, one error), with what differs.
While one writes, others pass their elements on without writing. Errors are passed on and left out
of what is written. If writing fails, there is one error more, nothing is published, and the
elements follow. A pass that goes on from a saved position does not write. Runs ahead of its
consumer on a thread of its own.

- `path`: The folder of the written elements.
- `compression`: "", "zlib", or "auto": the faster one, which is "". Default: `"auto"`.
"""
snapshot(path; compression=nothing) =
    Transformation(call("snapshot", argument(:string, path), argument(:string, compression, "compression")))

"""
    sparse_batch(n; row_shape=nothing)

Joins `n` dense tensors of one rank, which may differ in shape, into a sparse tensor with a first
dimension more. Every entry becomes a value, zeros too. An element larger than `row_shape` makes the
batch an error (data_loss). The last batch may have fewer elements. An error among the elements
drops the batch gathered so far; the next one begins after it.

- `n`: How many elements make a batch.
- `row_shape`: The largest dimensions that an element may have: a list of numbers, with none for the
largest of the batch. Default: `none`.
"""
sparse_batch(n; row_shape=nothing) =
    Transformation(call("sparse_batch", argument(:int, n), argument(:value, row_shape, "row_shape")))

"""
    take(n)

The first `n` elements. Errors among them are passed on and not counted.

- `n`: How many elements to keep; negative keeps all.
"""
take(n) =
    Transformation(call("take", argument(:int, n)))

"""
    take_while(f)

The elements before the first for which `f` is false. An element for which `f` fails is an error,
and the next one follows.

- `f`: The condition: gives a bool.
"""
take_while(f) =
    Transformation(call("take_while", argument(:function, f)))

"""
    unbatch()

The rows of each element, one by one: splits tensors along their first dimension, which must be the
same for all tensors of an element. An element without rows gives nothing. A row of a sparse tensor
is a sparse one of a rank less, a row of a ragged tensor a dense one.
"""
unbatch() =
    Transformation(call("unbatch"))

"""
    unique()

Each element the first time that it comes: integers, bools, strings, or structures of them.
Remembers 16 bytes of each different element, 8 of a number, and saves them in checkpoints; in
memory they take 40. Elements of more than 15 bytes are told apart by a hash of 124 bits. More
different elements than the limit `checkpoint_bytes` allows are errors.
"""
unique() =
    Transformation(call("unique"))

"""
    window(size; shift=nothing, stride=nothing, drop_remainder=nothing)

Datasets of `size` successive elements, one dataset for each component of the element's structure. A
window begins `shift` elements after the one before and has every stride-th element. The last
windows have fewer elements. An element that failed makes each window that has it an error, and so
does a window that the runtime's memory_bytes has no room for.

- `size`: The most elements that a window has.
- `shift`: How many elements the next window begins after this one; none is `size`. Default: `none`.
- `stride`: A window has every stride-th element. Default: `1`.
- `drop_remainder`: Leave out windows of fewer than `size` elements. Default: `false`.
"""
window(size; shift=nothing, stride=nothing, drop_remainder=nothing) =
    Transformation(call("window", argument(:int, size), argument(:int, shift, "shift"), argument(:int, stride, "stride"), argument(:bool, drop_remainder, "drop_remainder")))

"""
    cardinality()

How many elements the input has: -1 if infinitely many, -2 if that is unknown without reading it. In
a lambda, the variables count with their values.
"""
cardinality() =
    Transformation(call("cardinality"))

"""
    get_single_element()

The only element of the input, as a value. An input of no element, or of more than one, is an error.
"""
get_single_element() =
    Transformation(call("get_single_element"))

"""
    reduce(initial, f)

One value: `f` applied to `initial` and the first element, then to its result and the second
element, and so on. `initial` if there are no elements. A dataset that is known to be infinite is
refused.

- `initial`: The first state.
- `f`: (state, element) -> state, of the same structure and dtypes.
"""
reduce(initial, f) =
    Transformation(call("reduce", argument(:value, initial), argument(:function, f)))

"""
    save(path; compression=nothing, num_shards=nothing)

Writes all elements to the folder `path`, from which `load` reads them, and gives none. Elements
that were there are replaced once all new ones are written; until then, and if writing fails, the
folder is as it was. Errors of the input are passed on and left out of what is written. If another
writer is writing to the folder, there is one error (unavailable) and nothing is written.

- `path`: The folder of the written elements.
- `compression`: "" or "zlib". Default: `""`.
- `num_shards`: How many files the elements are divided among, 1 MiB or more in turn. Default: `1`.
"""
save(path; compression=nothing, num_shards=nothing) =
    Transformation(call("save", argument(:string, path), argument(:string, compression, "compression"), argument(:int, num_shards, "num_shards")))
