#include "help.h"

namespace weir::command {

namespace {

constexpr std::string_view kOverview =
    R"(weir - feed data through a pipeline

usage:
  weir run    [-p NAME=VALUE]... [-n COUNT] [--json] [--origins] [--stats] [--trace FILE] (FILE | -e TEXT)
  weir check  [--json] (FILE | -e TEXT)
  weir spec   [--checkpoint [--json]] (FILE | -e TEXT)
  weir format (FILE | -e TEXT)
  weir digest [-p NAME=VALUE]... [-n COUNT] [--json] (FILE | -e TEXT)
  weir explain [--json] (FILE | -e TEXT)
  weir bench  [-p NAME=VALUE]... [-n COUNT] [--seconds S] [--repeats R] [--json] (FILE | -e TEXT)
  weir top    PID
  weir list   [--json]
  weir checkpoint show [--json] [--fits DOCUMENT [-p NAME=VALUE]...] FILE
  weir checkpoint list [--json] FOLDER
  weir cache show [--json] FOLDER
  weir cache clear FOLDER
  weir head     [-n COUNT] [--header | --no-header] FILE...
  weir info     [--header | --no-header] FILE...
  weir validate [--header | --no-header] FILE...
  weir index    [--header | --no-header] FILE...
  weir shard    -n COUNT -o NAME FILE...
  weir convert  [--header | --no-header] FROM TO
  weir help   [NAME]

run     prints one element per line. An element that fails prints `error: CODE: message` in its place (with --json an
        object), and the run continues; then the exit status is 1, 2 if the document cannot be built, else 0.
check   prints the mistakes of a document that cannot be built, up to ten of them.
spec    prints the structure of the elements, and their number.
format  prints the document in canonical form.
digest  prints one hash of all elements, the same in every language and on every machine.
explain prints the operators, the structure of their elements, what runs ahead, and the contents of a checkpoint.
bench   measures the document's throughput, and how long a call of next takes.
top     shows the state of the pipelines of a running process, and their bottlenecks.
list    prints the operators and functions that documents can use, one per line.
checkpoint shows what is in a saved position, or lists those of a checkpoint manager in a folder.
cache   shows how many blocks of remote files options(cache: …) keeps in a folder, or removes them.
head    prints the first rows of files: TFRecords, with the Examples inside decoded, CSV, JSON lines, tar archives and
        others.
info    describes the contents of a file, and prints a document that reads it. validate locates damage; index makes
        the index of a file; shard and convert write the rows of files to others.
help    explains an operator, function or command, as in `weir help shuffle` or `weir help run`.

options:
  -e, --expression TEXT   the document itself; FILE reads it from a file, `-` from standard input
  -p, --param NAME=VALUE  a value for `param NAME: spec`: a literal, or a bare word for a string
  -n, --count COUNT       stop after COUNT lines; for shard, the number of files to write
      --origins           before each element, print the file and record that it came from
      --json              print elements, mistakes or checkpoints as JSON
      --record-bytes N    for run, digest, bench and commands with files: the longest record, line or row to read, in
                          bytes; the default is 268435456
      --header, --no-header   the first row of a CSV file is a header, or is none; see `weir help info`
      --stats, --trace FILE, --seconds S, --repeats R   see `weir help run` and `weir help bench`
  -h, --help              this text
      --version           the version of the library

examples:
  weir run -e 'range(5)'
      0 1 2 3 4, a line each

  weir run -e 'range(10) | filter(x -> x % 2 == 0) | map(x -> (x, x * x)) | batch(2)'
      ([0, 2], [0, 4])
      ([4, 6], [16, 36])
      ([8], [64])

  weir run -p n=3 -e 'param n: int64  range($n) | repeat(2)'
      0 1 2 0 1 2

  weir run -n 3 -e 'tfrecord(list_files("train-*.tfrecord.gz", seed: 7), compression: "auto")
                    | map(r -> parse_example(r, {image: string, label: int64}))'
      the first three examples of a set of files

  weir spec -e 'range(10) | batch(4)'
      int64[?]
      cardinality: 3
)";

constexpr std::string_view kRun =
    R"(weir run - print the elements of a document, one per line

usage:
  weir run [-p NAME=VALUE]... [-n COUNT] [--json] [--origins] [--stats] [--trace FILE] [--record-bytes N]
           (FILE | -e TEXT)

the document:
  FILE                    the file with the document, `-` for standard input
  -e, --expression TEXT   the document itself. Put it in single quotes, which keep the shell from reading
                          `|`, `$n`, `"` and spaces.

options:
  -p, --param NAME=VALUE  the value of `param NAME: spec`; one -p for each param of the document. VALUE is
                          written as in a document: n=3, rate=0.5, 'sizes=[1, 2]', 'pair=(1, true)'.
                          A string needs no quotes of its own: file='data/train 1.txt'. Quote it twice, once
                          for the shell, if it is a number or has escapes: 'id="42"'.
  -n, --count COUNT       stop after COUNT lines; elements that fail count too
      --json              print elements as JSON values instead of the notation. An element that failed is one line,
                          too: {"error": {"code": "data_loss", "message": …, "path": …, "file": …, "offset": …,
                          "record": …}}, with null for unknown values.
      --origins           before each element, print where it came from: `train-3.tfrecord, record 17: `, or `-: `
                          if the source has no records. A batch has the origin of its first row. With --json a
                          line is {"origin": {"file": …, "record": …}, "element": …}.
      --stats             at the end, print statistics of each stage and the bottleneck to standard error: see
                          docs/seeing.md
      --trace FILE        write a timeline of the threads, for ui.perfetto.dev or chrome://tracing
      --record-bytes N    the longest record, line or row of a file to read, in bytes; the default is 268435456
  -h, --help              this text

An element that fails prints `error: CODE: message` in its place, and the run continues. With --json standard output has
JSON only: an error that prevents the run goes to standard error as text.

exit status:
  0   every element was printed
  1   an element failed
  2   the command line, the document or a parameter is wrong and nothing was run, or standard output can't be
      written; see standard error

examples:
  weir run -n 2 -e 'range(5) | map(x -> {n: x, half: x / 2})'
      {n: 0, half: 0.0}
      {n: 1, half: 0.5}

  weir run --json -e 'range(4) | map(x -> {n: x}) | batch(2)'
      {"n": [0, 1]}
      {"n": [2, 3]}

  weir run -p n=2 -p greeting='hello, you' -e 'param n: int64
                                               param greeting: string
                                               range($n) | map(x -> (x, $greeting))'
      (0, "hello, you")
      (1, "hello, you")

  weir run -e 'range(3) | map(x -> 6 // (x - 1))'
      -6
      error: invalid_argument: map: integer division by zero; in // of int64 and int64 at line 1, column 21 (in map)
      6
)";

constexpr std::string_view kSpec =
    R"(weir spec - print the structure of a document's elements, and their number

usage:
  weir spec [--checkpoint [--json]] (FILE | -e TEXT)

FILE is the file that holds the document, `-` standard input; -e, --expression TEXT is the document itself, in
single quotes. Nothing is run and params need no values; -p and -n of run are allowed and change nothing.

  --checkpoint  instead: what a checkpoint contains in addition to positions, and how many elements a restore reads
                again, for each operator; with --json in the form of weir_dataset_explain

The second line is a number, `infinite`, or `unknown`. The exit status is 2 if the document cannot be built, else 0.

examples:
  weir spec -e 'range(10) | map(x -> {n: x, half: x / 2}) | batch(4)'
      {n: int64[?], half: float64[?]}
      cardinality: 3

  weir spec -e 'range(10) | filter(x -> x > 2)'
      int64
      cardinality: unknown
)";

constexpr std::string_view kExplain =
    R"(weir explain - describe what a document will do, without running it

usage:
  weir explain [--json] (FILE | -e TEXT)

FILE is the file that holds the document, `-` standard input; -e, --expression TEXT is the document itself, in
single quotes. Params need no values.

Prints the operators from the last to the sources, each with its arguments, the structure of its elements and their
number. Below an operator that runs ahead it prints the lane, the number of calls at once, and the limit of its buffer.
Then come the sum of these, and the contents of a checkpoint, as `weir spec --checkpoint` prints them. --json prints
an object, whose members docs/json.md lists. The exit status is 2 if the document cannot be built, else 0.

examples:
  weir explain -e 'range(10) | map(x -> x * x) | prefetch(4)'
      prefetch(4)  int64  10
          runs ahead on the lane compute, up to 4 rows
        map(x -> x * x)  int64  10
          range(10)  int64  10
      windows: 1; they are not limited in bytes
      checkpoint: a position
        prefetch: position only
        prefetch/map: position only
        prefetch/map/range: position only
)";

constexpr std::string_view kBench =
    R"(weir bench - measure the throughput of a document

usage:
  weir bench [-p NAME=VALUE]... [-n COUNT] [--seconds S] [--repeats R] [--record-bytes N] [--json] (FILE | -e TEXT)

FILE is the file that holds the document, `-` standard input; -e, --expression TEXT is the document itself, in
single quotes.

Reads elements R times (5) for S seconds (1) each, after a warm-up that doesn't count. A dataset that ends sooner is
started again. Prints elements per second, as the median of the repeats with the lowest and the highest, how long calls
of next took, and the statistics and verdict of `weir run --stats` for the last repeat, or for its longest pass if the
dataset was started again. The time to start doesn't count.

options:
  -n, --count COUNT       a repeat is COUNT elements instead
      --seconds S         the length of a repeat, up to 3600
      --repeats R         the number of repeats, up to 1000
      --record-bytes N    as for weir run
      --json              print one JSON value

Of calls shorter than 5 microseconds, one in 61 is timed by itself. The exit status is 2 if the document cannot be built,
else 0. Failed elements are counted.
)";

constexpr std::string_view kTop =
    R"(weir top - show the state of the pipelines of a running process

usage:
  weir top PID

The process must have been started with WEIR_TOP=1 in its environment, or have created its runtime with
WEIR_RUNTIME_TOP. For each of its iterators it prints recent statistics of the stages, and the bottleneck; docs/seeing.md
explains the columns. On a terminal the page is refreshed every second until the process ends; elsewhere it is printed
once. The exit status is 2 if there is nothing to show, else 0.
)";

constexpr std::string_view kFormat =
    R"(weir format - print a document in canonical form

usage:
  weir format (FILE | -e TEXT)

FILE is the file that holds the document, `-` standard input; -e, --expression TEXT is the document itself, in
single quotes. Nothing is run and params need no values; -p and -n of run are allowed and change nothing.

The canonical form yields the same elements, and formatting it again changes nothing. The exit status is 2 if the
document cannot be built, else 0.

examples:
  weir format -e 'range( 10)|map(x->x+1)|batch( n:4 )'
      range(10) | map(x -> x + 1) | batch(4)
)";

constexpr std::string_view kDigest =
    R"(weir digest - print one hash of a document's elements

usage:
  weir digest [-p NAME=VALUE]... [-n COUNT] [--record-bytes N] [--json] (FILE | -e TEXT)

The hash covers the dtype, shape and bytes of each component of each element, the code of each that fails, and the end.
It is the same on every machine and with any number of threads, and weir's packages for other languages compute it, too.
docs/digest.md defines it. With -n it covers the first COUNT elements, including failed ones, and no end. --record-bytes N
is that of weir run. With --json it is an object with the member `digest`, a string.

The exit status is 2 if the document cannot be built, else 0, also if elements fail.

examples:
  weir digest -e 'range(3)'
      49dfb1108bc8e98b
)";

constexpr std::string_view kCheck =
    R"(weir check - print the mistakes of a document

usage:
  weir check [--json] (FILE | -e TEXT)

FILE is the file that holds the document, `-` standard input; -e, --expression TEXT is the document itself, in
single quotes. Nothing is run and params need no values.

Prints up to ten mistakes to standard error, each with its line and a caret. With --json, prints an array of them to
standard output, for editors: `code`, `message`, if known `operator`, `parameter`, `expected`, `found` and `hint`,
and `span` with `offset` and `size` in bytes, `line`, `column`, `end_line` and `end_column` in characters from 1. The exit status is 2 if there are mistakes, else 0.

examples:
  weir check -e 'range(10) | batch(0) | take(x)'
      error: invalid_argument: line 1, column 19: batch: n: expected at least 1, found 0
      range(10) | batch(0) | take(x)
                        ^
      line 1, column 29: take: n: there is no variable 'x'
      range(10) | batch(0) | take(x)
                                  ^

  weir check -e 'range(10) | batch(3)'
      nothing
)";

constexpr std::string_view kList =
    R"(weir list - print the operators and functions that documents can use

usage:
  weir list [--json]

One line each, by kind, with those of the extensions in the folders of WEIR_EXTENSIONS and beside the library. `weir help
NAME` describes one: parameters, defaults, bounds, cost and an example.

options:
      --json              all of `weir help`, as one JSON value
)";

constexpr std::string_view kCheckpoint =
    R"(weir checkpoint - describe saved positions

usage:
  weir checkpoint show [--json] [--fits DOCUMENT [-p NAME=VALUE]...] FILE
  weir checkpoint list [--json] FOLDER

show    FILE was saved by an iterator, or is a generation of a checkpoint manager; `-` is standard input. Prints the
        kind, with rank and number for a generation, the age, the size, the version of the library, the dataset's
        fingerprint and params, the number of earlier epochs, and the progress of each operator.
list    prints the generations of all ranks in FOLDER, one line each. Then come the groups of ranks, with the number
        of ranks that have saved. For a generation that a manager would skip, it prints why.

options:
      --fits DOCUMENT     the file of a document, `-` for standard input: print whether the position fits, and if not,
                          the difference, as restoring it as the rank that saved it would
  -p, --param NAME=VALUE  a value for a param of that document; it must be the same as when the position was saved
      --json              print an object, or an array of them; docs/json.md explains the members
  -h, --help              this text

exit status:
  0   it was printed, and fits
  1   it doesn't fit
  2   the command line, FILE, FOLDER or the document is wrong; see standard error
)";

constexpr std::string_view kCache =
    R"(weir cache - look into a folder of blocks of remote files

usage:
  weir cache show [--json] FOLDER
  weir cache clear FOLDER

FOLDER is one that options(cache: FOLDER) named; `weir help options` says what it does.

show    prints the number of blocks, how many bytes they take, and when the first and the last of them were used.
clear   removes the blocks, and the folder if nothing else is in it. Pipelines that use it at that time go on: they
        fetch what they need again.

options:
      --json              print an object with the members blocks, bytes, oldest_used_ns and newest_used_ns; the times
                          are in nanoseconds since 1970, 0 if there are no blocks
  -h, --help              this text

exit status:
  0   it was printed or cleared
  2   the command line is wrong, or FOLDER can't be read or changed; see standard error
)";

constexpr std::string_view kFiles =
    R"(weir head, info, validate, index, shard, convert - inspect and convert data files

usage:
  weir head     [-n COUNT] [--header | --no-header] [--record-bytes N] FILE...
  weir info     [--header | --no-header] [--record-bytes N] FILE...
  weir validate [--header | --no-header] [--record-bytes N] FILE...
  weir index    [--header | --no-header] [--record-bytes N] FILE...
  weir shard    -n COUNT -o NAME [--record-bytes N] FILE...
  weir convert  [--header | --no-header] [--record-bytes N] FROM TO

Files are TFRecords, CSV (.csv, .tsv), JSON lines, text, tar archives, NumPy's arrays (.npy, .npz), or the folder of saved
elements; Parquet and Arrow where the extension is that reads them. The first bytes tell which; the name does where a table,
records or text could be meant. They may be compressed with gzip, zlib, zstd, lz4, bzip2 or xz, but not arrays. `-` is
standard input. A file of another format is refused with the name of that format. --record-bytes N is the longest record,
line or row to read, in bytes; the default is 268435456.

The first row of a CSV file is taken for a header if it has text above a column of numbers; or if no field of it is a
number, and each column with values, except the first, has a name; or if its names are in quotes and the values are not.
Every header that `weir convert` writes is recognized; others may be ambiguous, such as years above numbers. `weir info`
prints what was decided, and --header or --no-header decides it. A column without a name is called column_0 and so on, by
its place. A first row with another number of fields is a title: `weir convert` refuses it without --header, which leaves
it out.

Names may be URLs, such as s3://bucket/train.tfrecord, for which the extension weir-remote is needed. In them *, ? and [...]
match several files, but over http.

head      prints the first COUNT rows of each, 10 by default. tf.Examples and tf.SequenceExamples are decoded, one
          column per feature; `-` is a missing one. Other records are strings.
info      reads the whole file. Prints kind, compression, bytes and rows; for Examples each feature with its kind, the
          number of records that have it, and its number of values; for CSV the columns with their dtypes; for others
          the structure of their elements. Then it prints a document that reads the file, ready to paste. If some
          records lack a feature that has one value in all others, the document has a default for it. A column is
          int64, float32, or float64 where float32 would change digits, if all of its fields can be read so. Whole
          numbers beyond int64 stay strings, as do those beyond 2^53 beside fractions and those that no float64 holds.
          A field of JSON is int64, uint64 or float64, if that has all of its numbers, else json, as are values of several
          types and empty objects; lists that are all empty are lists of strings.
validate  reads the whole file and verifies every checksum. Prints an error for each damaged stretch, with its offset,
          length and record number, and a summary.
index     makes the index of a TFRecord or text file, CSV, JSON lines or a tar archive, FILE.weir-index, unless it has a
          current one; elsewhere than beside the file, in $XDG_CACHE_HOME/weir or else ~/.cache/weir, where that can't be
          written. With it `skip` and `shard` after the source go straight to their records, and `global_shuffle` needs
          no pass over the file first. It is valid for one version of the file. Compressed files have no index, except
          those in zstd that weir wrote, and arrays need none. That of a CSV file depends on the options of `csv`, which
          are those that `weir info` prints.
shard     writes the records of TFRecord files to COUNT others, in turns: NAME-00000-of-00004 and so on. The part of
          NAME from `.tfrecord` on comes last; with .gz, .zst, .lz4, .bz2 or .xz they are compressed.
convert   writes the rows of one file to another, by its name: .tfrecord, .csv, .tsv, .txt, .jsonl or .tar, which .gz,
          .zst and so on may follow, .npy, .npz, .parquet, .arrow (.feather), .arrows, or a folder for saved elements.
          CSV columns become features: int64 if all values are, else float, else bytes, as are numbers whose digits a
          float would change; an empty field of numbers is a missing feature, and a missing feature of one value null.
          The digits of numbers stay: a float64 or uint64 that needs more than float or int64 is refused. Lines and
          strings without a name become records as they are, and Examples objects, arrays and members by their features.
          A .npy has one tensor an element, a .npz one array for each; all rows have one shape. In a .tar strings are
          members as they are, numbers text, and other tensors .npy; their names are the extensions, and `__key__` is
          the key, a string or a number, else the number of the element. `__url__` is left out; a row without members,
          and names that archive readers don't find, are refused. Parquet and Arrow files (.arrows is a stream) are
          compressed by zstd and have a column of each value: lists for tensors, structs for dicts and tuples, nulls for
          what is missing, bytes for strings that aren't all UTF-8. They need the extension weir-parquet. Lists of
          objects and of structs stay what they are in JSON, archives, Parquet and Arrow (a map is a list of `key` and
          `value`); in all others, as in weir, they are dicts of vectors. Fields that `weir info` calls json stay what
          they are in JSON; in other formats they are text, and a note lists them.

No file is overwritten: a name that exists is refused. Files appear when they are complete; before, they are called
.weir-NUMBER.part, which a run removes that fails, or that SIGHUP, SIGINT, SIGQUIT, SIGPIPE or SIGTERM ends. Other signals
leave it, as does an interrupted run that writes a folder. During long work, standard error has a progress bar if it is a
terminal, else a line every ten seconds.

exit status:
  0   no damage
  1   damage, at the places printed
  2   the command line is wrong, or a file can't be read or written; see standard error

examples:
  weir head -n 2 tests/data/records/five.tfrecord
      "record 0"
      "record 1"

  weir info 'train-00000-of-00010.tfrecord.gz'
  zcat lines.gz | weir head -
  weir shard -n 8 -o data/train.tfrecord.gz all-*.tfrecord
  weir convert table.csv table.tfrecord
)";

}  // namespace

std::string_view help_about(Verb verb) {
  switch (verb) {
    case Verb::run:
      return kRun;
    case Verb::spec:
      return kSpec;
    case Verb::format:
      return kFormat;
    case Verb::digest:
      return kDigest;
    case Verb::explain:
      return kExplain;
    case Verb::bench:
      return kBench;
    case Verb::top:
      return kTop;
    case Verb::check:
      return kCheck;
    case Verb::list:
      return kList;
    case Verb::checkpoint:
    case Verb::show_checkpoint:
    case Verb::list_checkpoints:
      return kCheckpoint;
    case Verb::cache:
    case Verb::show_cache:
    case Verb::clear_cache:
      return kCache;
    case Verb::head:
    case Verb::info:
    case Verb::validate:
    case Verb::index:
    case Verb::shard:
    case Verb::convert:
      return kFiles;
    default:
      return kOverview;
  }
}

}  // namespace weir::command
