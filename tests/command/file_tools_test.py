#!/usr/bin/env python3
"""`weir head`, `info`, `validate`, `index`, `shard`, `convert` and `digest`, on small files, and on those that others wrote.

    file_tools_test.py WEIR FOREIGN

FOREIGN is a folder with files of other writers and a table of them in its README.md; where it is missing, that part is left
out.
"""

import array
import gzip
import io
import json
import lzma
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORDS = ROOT / "tests/data/records"
TABLE = 'name,count,ratio,note\n"a,b",1,0.5,\nplain,-2,1e3,"two\nlines"\n"quo""te",,2.25,x\n'

failures = []


def check(condition, what):
    if not condition:
        failures.append(what)


class Tool:
    """The command in a folder of its own."""

    def __init__(self, weir, folder):
        self.weir = weir
        self.folder = pathlib.Path(folder)

    def __call__(self, *arguments, status=0, given=b"", limit=None):
        """`limit`: how many bytes a file may have."""
        bound = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        done = subprocess.run([self.weir, *map(str, arguments)], cwd=self.folder, capture_output=True, timeout=120,
                              check=False, input=given, preexec_fn=None if limit is None else bound)
        self.err = done.stderr.decode()
        out = done.stdout.decode()
        self.out = out
        check(status is None or done.returncode == status,
              f"{arguments}: expected status {status}, found {done.returncode}: {out[-500:]}{self.err[-500:]}")
        return out

    def run(self, document, status=0):
        return self("run", "-e", document, status=status)

    def write(self, name, text):
        (self.folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return name

    def read(self, name):
        return (self.folder / name).read_bytes()

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())


def equal(found, expected, what):
    check(found == expected, f"{what}: expected {expected!r}, found {found!r}")


def head_and_info(tool):
    tool.write("t.csv", TABLE)
    equal(tool("head", "-n", 2, "t.csv").split("\n")[0].split(), ["name", "count", "ratio", "note"], "head of a table")
    check('"two\\nlines"' in tool("head", "t.csv"), "head shows a field with a line end")
    info = tool("info", "t.csv")
    check(re.search(r"rows +3\n", info) and re.search(r"\n  count +int64 +1\n", info), f"info of a table: {info}")
    document = info.strip().split("\n")[-1].strip()
    equal(document, 'csv("t.csv", [string, 0, float32, ""], header: true)', "the document of a table")
    equal(tool.run(document), '("a,b", 1, 0.5, "")\n("plain", -2, 1000.0, "two\\nlines")\n("quo\\"te", 0, 2.25, "x")\n',
          "running it")
    tool.write("n.tsv", "1\t2\n3\t4\n")
    check('csv("n.tsv", [int64, int64], delim: "\\t")' in tool("info", "n.tsv"), "info of a table without a header")
    tool.write("plain.txt", "one\n\ntwo")
    equal(tool("head", "plain.txt"), '"one"\n""\n"two"\n', "head of text")
    check(re.search(r"lines +3\n", tool("info", "plain.txt")), "info of text")
    tool.run('range(12) | map(x -> {x, y: [x, x * x]}) | save("saved")')
    equal(tool("head", "-n", 1, "saved"), "{x: 0, y: [0, 0]}\n", "head of saved elements")
    check(re.search(r"elements +12\n  structure +\{x: int64, y: int64\[2\]\}", tool("info", "saved")), "info of them")
    equal(len(tool("head", "saved").split("\n")), 11, "head shows ten rows")
    equal(tool("head", "-n", 1, "plain.txt", "n.tsv"), 'plain.txt:\n"one"\n\nn.tsv:\ncolumn_0  column_1\n"1"       "2"\n',
          "head of two files")
    tool("head", "nowhere.tfrecord", status=2)
    check("nowhere.tfrecord" in tool.err and "not_found" in tool.err, f"a missing file: {tool.err}")
    tool("info", "plain.txt", "nowhere.txt", status=2)
    equal(tool("head", RECORDS / "five.tfrecord", "-n", 2), '"record 0"\n"record 1"\n', "head of records")


def info_of_examples(tool):
    people = tool("info", RECORDS / "people.tfrecord").strip().split("\n")[-1].strip()
    equal(people, "| map(r -> parse_example(r, {age: int64, name: string, scores: float32[2], tags: varlen(string)}))",
          "a number of values that differs is varlen")
    document = f'tfrecord("{RECORDS / "people.tfrecord"}") {people}'
    check("tags: sparse(indices: [[0], [1]]" in tool.run(document), f"running {document}")
    field = lambda number, content: bytes([number << 3 | 2, len(content)]) + content
    ints = lambda *values: field(3, field(1, bytes(values)))
    entry = lambda name, value: field(1, field(1, name) + field(2, value))
    context = field(1, entry(b"id", ints(7)) + entry(b"mixed", ints(1)))
    pairs = entry(b"pairs", field(1, ints(1, 2)) + field(1, ints(3, 4)))
    both = context + field(2, pairs + entry(b"words", field(1, ints(1)) + field(1, ints())))
    features = entry(b"id", ints(8)) + entry(b"mixed", field(1, field(1, b"x")))
    one = field(1, features) + field(2, entry(b"words", field(1, ints(5))))
    rows = ", ".join('"' + "".join(f"\\x{byte:02x}" for byte in data) + '"' for data in (both, one))
    tool.run(f'from_tensor_slices([{rows}]) | save("sequences")')
    tool("convert", "sequences", "sequences.tfrecord")
    info = tool("info", "sequences.tfrecord")
    check("left out     mixed, whose values are not of one dtype" in info, info)
    last = info.strip().split("\n")[-1].strip()
    equal(last, "| map(r -> parse_sequence_example(r, {id: int64}, "
          "{pairs: sequence(int64[2], allow_missing: true), words: varlen(int64)}))", "the parser of SequenceExamples")
    rows = ", ".join('"' + "".join(f"\\x{byte:02x}" for byte in data) + '"' for data in (context + field(2, pairs), field(2, pairs)))
    tool.run(f'from_tensor_slices([{rows}]) | save("contexts")')
    tool("convert", "contexts", "contexts.tfrecord")
    tool("convert", "contexts.tfrecord", "contexts.jsonl")
    equal([json.loads(line)["value"][0] for line in tool.read("contexts.jsonl").splitlines()],
          [{"id": 7, "mixed": 1}, {"id": None, "mixed": None}], "a context that lacks features")
    equal(tool.run('tfrecord("sequences.tfrecord")' + last).split("\n")[0],
          "({id: 7}, {pairs: [[1, 2], [3, 4]], words: sparse(indices: [[0, 0]], values: [1], shape: [2, 1])})", "and its rows")


# Files of other formats: how they begin, and what they are called.
FORMATS = {
    "a.parquet": (b"PAR1\x15\x04", "a Parquet file"), "a.arrow": (b"ARROW1\0\0", "an Arrow file"),
    "a.h5": (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    "a.zip": (b"PK\x03\x04" + bytes(22) + b"\x05\0\0\0x.txt", "a zip archive"),
    "a.tar": (b"x" + bytes(256) + b"ustar\x0000", "a tar archive"),
    "a.so": (b"\x7fELF\x02\x01", "an ELF program"), "a.db": (b"SQLite format 3\0", "an SQLite database"),
    "a.png": (b"\x89PNG\r\n\x1a\n", "a PNG image"), "a.jpg": (b"\xff\xd8\xff\xe0", "a JPEG image"),
    "a.bmp": (b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28", "a BMP image"), "a.webp": (b"RIFF\0\0\0\0WEBPVP8 ", "a WebP image"),
    "a.pkl": (b"\x80\x04\x95\x0b\0", "a pickle"), "a.idx": (b"\0\0\x08\x03\0\0\0\x02", "an IDX file"),
    "a.pdf": (b"%PDF-1.7\n", "a PDF document"), "a.weir-ckpt": (b"weirckpt\x03", "a saved position"),
    "b.tfrecord": (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "a pointer of Git LFS"),
    "b.csv": (b"<!DOCTYPE html><html>\n", "an HTML page"), "c.csv": (b"\xff\xd8\xff\xe0", "a JPEG image"),
}


def other_formats(tool):
    for name, (begin, called) in FORMATS.items():
        text = name.startswith("b.")
        tool.write(name, begin + (b"" if text else b"\0") + b" and what follows" * 40)
        for verb in ("info", "head", "run"):
            out = tool(verb, name, status=2)
            check(out == "" and f"found {called}" in tool.err and name in tool.err, f"{verb} {name}: {out}{tool.err}")
        out = tool.run(f'tfrecord("{name}")', status=1)
        check(f"; the file begins like {called}" in out, f"tfrecord of {name}: {out}")
        for source in (f'text_line("{name}")', f'csv("{name}", [string])'):
            out = tool.run(source, status=0 if text else 1)
            check(text or f"expected text, found {called}" in out, f"{source}: {out}")
        out = tool.run(f'fixed_length_record("{name}", 100000)', status=1)
        check(f"; the file begins like {called}" in out, f"fixed_length_record of {name}: {out}")
    tool.write("z.npy.gz", gzip.compress(b"\x93NUMPY\x01\0"))
    tool("info", "z.npy.gz", status=2)
    check("found a NumPy array (.npy) in gzip: z.npy.gz" in tool.err, tool.err)
    tool.write("page.html", FORMATS["b.csv"][0])
    check('text_line("page.html")' in tool("info", "page.html"), "HTML under its own name is text")
    tool.write("odd", bytes(range(1, 200)))
    tool("info", "odd", status=2)
    check("binary data of an unknown format: odd" in tool.err, tool.err)
    (tool.folder / "folder of files").mkdir()
    tool("info", "folder of files", status=2)
    check("found the folder folder of files without their elements" in tool.err and "load" not in tool.err, tool.err)
    # Records, whatever their first length looks like.
    tool("head", RECORDS / "five.tfrecord")


TABLES = {
    "spaces.csv": (b"39, State, 77516\n50, ?, 83311\n", "[int64, string, int64])"),
    "signs.csv": (b"+5,1e400,+1\n-7,inf,.5\n", "[int64, string, float32])"),
    "hexadecimal.csv": (b"0x7f3a9c0000000001,0x10,1\n0x7f3a9c0000000002,.5,0X2\n", "[string, string, string])"),
    "held.csv": (b"9007199254740993.0,9007199254740994.0,1e23,.12345678901234567890\n"
                 b"1.5,1.8446744073709551616e19,2,nan\n", "[string, float64, float32, float64])"),
    "large.csv": (b"1,18446744073709551615\n2,3\n", "[int64, string])"),
    "inches.csv": (b"1,5\" pipe\n2,it\"s\n", "[int64, string], quote: false)"),
    "proper.csv": (b'1,"a"\n2,5" pipe\n', "[int64, string])"),
    "returns.csv": (b"1,a\r2,b\r", "[int64, string])"),
    "title.csv": (b"made by hand\n1,a\n2,b\n", "[int64, string], header: true)"),
    "mark.csv": (b"\xef\xbb\xbf1,a\n2,b\n", "[int64, string])"),
    "lines.csv": (b'"id","the\nname"\n1,a\n', "[int64, string], header: true)"),
    "open.csv": (b'id,"x, y",z\n1,"a\nb",c\n', "[int64, string, string], header: true)"),
}


def guesses(tool):
    """What info guesses is what the reader reads, and builds."""
    for name, (data, expected) in TABLES.items():
        damaged = name == "proper.csv"
        tool.write(name, data)
        info = tool("info", name, status=1 if damaged else 0)
        document = info.strip().split("\n")[-1].strip()
        equal(document, f'csv("{name}", {expected}', name)
        check("\\n" not in info, f"{name}: a literal line end in {info}")
        tool.run(document, status=1 if damaged else 0)
    check("\n  the name  string" in tool("info", "lines.csv"), "a name with a line end takes one line")
    tool.write("cut.csv", b'1,"never\nclosed\n2,"x"\n')
    check("\\n" not in tool("info", "cut.csv", status=1), "an error of several lines shows its first")
    tool.write("unnamed", b"id\tname\n1\ta, b\n2\tc\n")
    check(tool("info", "unnamed").endswith('csv("unnamed", [int64, string], header: true, delim: "\\t")\n'), "a table without a name")
    tool.write("prose", b"one, two\nthree\n")
    check(tool("info", "prose").endswith('text_line("prose")\n'), "and no table")
    tool.write("empty.csv", b"")
    info = tool("info", "empty.csv")
    check("document     none, since the file has no rows" in info and "csv(" not in info, info)
    tool("convert", "large.csv", "large.tfrecord")
    check('"18446744073709551615"' in tool("head", "large.tfrecord"), "a number beyond int64 keeps its digits")
    tool("convert", "spaces.csv", "spaces.tfrecord")
    check("77516" in tool("head", "spaces.tfrecord") and "column_2: int64" in tool("head", "spaces.tfrecord"), "spaces")


def standard_input(tool):
    records = (RECORDS / "five.tfrecord").read_bytes()
    equal(tool("head", "-n", 1, "-", given=records), '"record 0"\n', "head of standard input")
    equal(tool("head", "-n", 1, "-", given=gzip.compress(b"one\ntwo\n")), '"one"\n', "compressed, too")
    equal(tool("validate", "-", given=records), "standard input: 5 records, no damage\n", "validate of it")
    info = tool("info", "-", given=records)
    check(info.startswith("standard input\n") and info.endswith("\n  param file: string\n  tfrecord($file)\n"), info)
    equal(tool("run", "-p", f"file={RECORDS / 'five.tfrecord'}", "-n", 1, "-e", info.rsplit("\n\n", 1)[1]), '"record 0"\n',
          "the document of it")
    tool("convert", "-", "given.tfrecord", given=records)
    equal(tool.read("given.tfrecord"), records, "convert of it")
    tool("shard", "-n", 2, "-o", "given2.tfrecord", "-", given=records)
    equal(tool.run('tfrecord("given2-00001-of-00002.tfrecord")'), '"record 1"\n"record 3"\n', "shard of it")
    tool("info", "-", status=2, given=b"PAR1\x15")
    check("found a Parquet file: standard input" in tool.err, tool.err)
    for verb in ("run", "check", "spec", "format", "digest", "explain"):
        tool(verb, "-", given=b"range(3)")


def validate(tool):
    data = (RECORDS / "five.tfrecord").read_bytes()
    size = len(data) // 5
    tool.write("good.tfrecord", data)
    equal(tool("validate", "good.tfrecord"), "good.tfrecord: 5 records, no damage\n", "validate of a whole file")
    damaged = bytearray(data)
    damaged[size + 13] ^= 1
    damaged[3 * size + 2] ^= 1
    tool.write("bad.tfrecord", bytes(damaged))
    out = tool("validate", "bad.tfrecord", "good.tfrecord", status=1)
    check(f"offset {size}, record 1" in out and f"damaged stretch of {size} bytes" in out, f"first damage: {out}")
    check(f"offset {3 * size}, record 2" in out, f"second damage: {out}")
    check("bad.tfrecord: 3 records, 2 damaged stretches\n" in out and "good.tfrecord: 5 records, no damage" in out, out)
    tool.write("cut.tfrecord.gz", gzip.compress(data)[:-9])
    tool("validate", "cut.tfrecord.gz", status=1)
    for suffix in ("parquet", "arrow", "feather", "arrows", "npy", "npz", "h5"):
        for data in (b"", b"no such file"):
            tool.write(f"bad.{suffix}", data)
            tool("validate", f"bad.{suffix}", status=2)
            check("data_loss" in tool.err and f"bad.{suffix}" in tool.err, f"{data}: {tool.err}")


def index(tool):
    tool.write("i.tfrecord", (RECORDS / "five.tfrecord").read_bytes())
    tool.write("e.tfrecord", b"")
    equal(tool("index", "i.tfrecord", "e.tfrecord"), "i.tfrecord: 5 records\ne.tfrecord: 0 records\n", "index")
    check("i.tfrecord.weir-index" in tool.names(), "the index is beside its file")
    equal(tool("index", "i.tfrecord"), "i.tfrecord: 5 records\n", "index again")
    equal(tool.run('tfrecord("i.tfrecord") | skip(3)'), '"record 3"\n"record 4"\n', "skip with an index")
    tool.write("z.tfrecord", gzip.compress(tool.read("i.tfrecord")))
    tool("index", "z.tfrecord", status=2)
    check("found z.tfrecord in gzip, which has no index" in tool.err, tool.err)
    tool.write("cut.tfrecord", tool.read("i.tfrecord")[:-1])
    tool("index", "cut.tfrecord", status=2)
    check("ends within a record" in tool.err and "cut.tfrecord.weir-index" not in tool.names(), tool.err)
    tool.write("l.txt", b"a\nb\r\n\nd")
    equal(tool("index", "l.txt"), "l.txt: 4 lines\n", "index of lines")
    equal(tool.run('text_line("l.txt") | skip(2)'), '""\n"d"\n', "skip lines with an index")
    tool.write("u.csv", b"a;b,n\n\"x\ny\",1\nz,2\n")
    equal(tool("index", "u.csv"), "u.csv: 2 rows\n", "index of a table")
    equal(tool.run('csv("u.csv", [string, int64], header: true) | skip(1)'), '("z", 2)\n', "skip rows with an index")
    check("u.csv.weir-index" in tool.names(), "the index of a table")
    tool("index", "-", status=2)
    check("found standard input" in tool.err, tool.err)
    tool("index", "saved", status=2)
    tool("head", "i.tfrecord.weir-index", status=2)
    check("the index of one" in tool.err, tool.err)
    tool.write("nowhere.tfrecord", tool.read("i.tfrecord"))
    tool("index", "nowhere.tfrecord", "i.tfrecord", status=2, limit=0)
    check("error: unavailable: cannot write the index of nowhere.tfrecord: cannot write" in tool.err, tool.err)
    equal(tool.out, "i.tfrecord: 5 records\n", "the index that is there")


def full_output(tool):
    for arguments in (("info", "t.csv"), ("head", "t.csv"), ("validate", "i.tfrecord")):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([tool.weir, *arguments], cwd=tool.folder, stdout=full, stderr=subprocess.PIPE, check=False)
        equal(done.returncode, 2, f"status of {arguments}")
        check(done.stderr.startswith(b"error: resource_exhausted: cannot write to standard output"), done.stderr)


def shard(tool):
    tool.write("s.tfrecord", (RECORDS / "five.tfrecord").read_bytes())
    out = tool("shard", "-n", 3, "-o", "out.tfrecord.gz", "s.tfrecord", "s.tfrecord")
    check("10 records in 3 files" in out, out)
    names = [f"out-0000{i}-of-00003.tfrecord.gz" for i in range(3)]
    for i, name in enumerate(names):
        expected = [f'"record {k % 5}"' for k in range(i, 10, 3)]
        equal(tool.run(f'tfrecord("{name}", compression: "gzip")').split(), " ".join(expected).split(), name)
    tool("shard", "-n", 3, "-o", "out.tfrecord.gz", "s.tfrecord", status=2)
    check("a name that is free" in tool.err, tool.err)
    tool("shard", "-n", 0, "-o", "x", "s.tfrecord", status=2)
    tool("shard", "-n", 2, "s.tfrecord", status=2)
    tool("shard", "-n", 2, "-o", "t", "t.csv", status=2)
    before = tool.names()
    tool("shard", "-n", 2, "-o", "half.tfrecord", "s.tfrecord", "bad.tfrecord", status=2)
    equal(tool.names(), before, "a shard that fails leaves nothing")


# What programs of each compression are called.
PROGRAMS = {".gz": "gzip", ".zst": "zstd", ".lz4": "lz4", ".bz2": "bzip2", ".xz": "xz"}


def compressions(tool):
    """What weir writes, other programs read, and the other way round."""
    plain = (RECORDS / "five.tfrecord").read_bytes()
    tool.write("c.tfrecord", plain)
    for suffix, program in PROGRAMS.items():
        name = f"c.tfrecord{suffix}"
        tool("convert", "c.tfrecord", name)
        path = shutil.which(program)
        if not path:
            print(f"file_tools_test: {program} is not installed")
            continue
        read = subprocess.run([path, "-dc", tool.folder / name], capture_output=True, check=False)
        equal(read.stdout, plain, f"{name} read by {program}: {read.stderr.decode()}")
        written = subprocess.run([path, "-c"], input=plain, capture_output=True, check=True).stdout
        tool.write(f"o.tfrecord{suffix}", written + written)
        equal(tool("head", "-n", 6, f"o.tfrecord{suffix}").split("\n")[5], '"record 0"', f"two frames by {program}")
        check(re.search(r"compression +\w+\n.*\n +records +10\n", tool("info", f"o.tfrecord{suffix}")), f"info of {suffix}")
        tool("shard", "-n", 2, "-o", f"h.tfrecord{suffix}", f"o.tfrecord{suffix}")
        check(f"h-00001-of-00002.tfrecord{suffix}" in tool.names(), f"a shard with {suffix}")
    tool.write("l.txt.xz", lzma.compress(b"one\ntwo\n"))
    equal(tool("head", "-n", 1, "l.txt.xz"), '"one"\n', "lines in xz")
    # Records of zstd frames that weir wrote have positions; those of others have none.
    equal(tool("index", "c.tfrecord.zst"), "c.tfrecord.zst: 5 records\n", "index of zstd")
    equal(tool.run('tfrecord("c.tfrecord.zst", compression: "zstd") | skip(3)'), '"record 3"\n"record 4"\n', "skip in zstd")
    if shutil.which("zstd"):
        tool("index", "o.tfrecord.zst", status=2)
        check("no table of frames" in tool.err and "weir convert" in tool.err, tool.err)
        equal(tool.run('tfrecord("o.tfrecord.zst", compression: "zstd") | skip(9)'), '"record 4"\n', "skip without a table")


def convert(tool):
    tool("convert", "t.csv", "t.tfrecord")
    equal(tool.run('tfrecord("t.tfrecord") | map(r -> parse_example(r, {name: string, count: int64 = 7, ratio: float32, '
                   'note: string}))').split("\n")[2], '{name: "quo\\"te", count: 7, ratio: 2.25, note: "x"}', "a row")
    # Features come sorted by name.
    tool("convert", "t.tfrecord", "back.csv")
    equal(tool.read("back.csv").decode(), 'count,name,note,ratio\n1,"a,b",,0.5\n-2,plain,"two\nlines",1000.0\n,"quo""te",x,2.25\n',
          "a table from Examples")
    tool.write("marked.csv", "\ufeffid,name\n1,a\n2,b\n")
    tool("convert", "marked.csv", "marked.tfrecord")
    equal(tool("head", "marked.tfrecord").split("\n")[0].split(), ["id:", "int64", "name:", "bytes"], "no mark in a name")
    tool.write("marked.csv", "\ufeff1,a\n2,b\n")
    check('column_1' in tool("info", "marked.csv"), "a number after a mark is no name")
    tool("convert", "t.csv", "folder")
    equal(tool.run('load("folder") | skip(2)'), '{name: "quo\\"te", count: none, ratio: 2.25, note: "x"}\n', "a saved table")
    tool("convert", "folder", "again.tfrecord.gz")
    equal(tool.run('tfrecord("again.tfrecord.gz", compression: "gzip") | map(r -> parse_example(r, {count: int64 = 7}).count)'),
          "1\n-2\n7\n", "Examples from saved elements")
    tool("convert", "t.csv", "t.jsonl")
    equal([json.loads(line)["count"] for line in tool.read("t.jsonl").splitlines()], [1, -2, None], "a missing number")
    tool("convert", "t.jsonl", "t2.csv")
    equal(tool.read("t2.csv").decode(), TABLE.replace("1e3", "1000.0"), "a table again")
    objects = b'{"m": [1, "a"], "o": {"k": null}, "n": 1}\n{"m": {"x": 2}, "o": {"k": "\\u00e9"}}\n'
    tool.write("mixed.jsonl", objects)
    tool("convert", "mixed.jsonl", "mixed2.jsonl")
    equal([json.loads(line) for line in tool.read("mixed2.jsonl").splitlines()],
          [json.loads(line) | {"n": 1 if i == 0 else None} for i, line in enumerate(objects.splitlines())], "values of several kinds")
    tool.write("nulls.jsonl", b'{"a": null, "m": 1}\n{"a": null, "m": "x"}\n{"a": null, "m": null}\n')
    tool("convert", "nulls.jsonl", "nulls.csv")
    equal(tool.read("nulls.csv"), b'a,m\n,1\n,"""x"""\n,\n', "null is an empty field")
    tool("convert", "mixed.jsonl", "mixed.tfrecord")
    equal(tool("head", "mixed.tfrecord").split("\n")[0].split(), ["m:", "bytes", "n:", "int64", "o.k:", "bytes"], "what may be missing")
    exact = "large,some,few,whole,digits\n1e300,0.1234567890123,0.1,9007199254740993,0.5\n-2,16777217,3,1,9007199254740993\n"
    tool.write("exact.csv", exact)
    tool("convert", "exact.csv", "same.csv")
    numbers = [row.split(",") for row in exact.splitlines()[1:]]
    equal([row.split(",")[:2] for row in tool.read("same.csv").decode().splitlines()[1:]], [row[:2] for row in numbers],
          "numbers that float32 would change")
    check("[float64, float64, float32, int64, string]" in tool("info", "exact.csv"), "their dtypes")
    check(tool.read("same.csv").decode().splitlines()[2].split(",")[3:] == ["1", "9007199254740993"], "whole numbers")
    tool("convert", "plain.txt", "lines.tfrecord")
    equal(tool.run('tfrecord("lines.tfrecord")'), '"one"\n""\n"two"\n', "records of lines")
    tool("convert", "lines.tfrecord", "lines.txt")
    equal(tool.read("lines.txt"), b"one\n\ntwo\n", "lines of records")
    tool("convert", "lines.txt", "lines/")
    equal(tool.run('load("lines")'), '"one"\n""\n"two"\n', "saved lines")
    tool("convert", "s.tfrecord", "s2.tfrecord.gz")
    equal(gzip.decompress(tool.read("s2.tfrecord.gz")), tool.read("s.tfrecord"), "records compressed")
    before = tool.names()
    tool("convert", "t.csv", "lines.txt", status=2)
    check("a name that is free" in tool.err, tool.err)
    tool("convert", "t.csv", "rows.txt", status=2)
    check("rows of one string" in tool.err, tool.err)
    tool("convert", "saved", "saved.csv", status=2)
    check("one value in each column, found 2 of the feature y" in tool.err, tool.err)
    tool("convert", "bad.tfrecord", "bad.csv", status=2)
    tool("convert", "t.csv", "t.xls", status=2)
    tool("convert", "t.csv", status=2)
    equal(tool.names(), before, "a conversion that fails leaves nothing")


def foreign(tool, folder):
    readme = folder / "README.md"
    if not readme.exists():
        print(f"{folder} is not there: nothing of others was read")
        return
    rows = re.findall(r"^\| `([^`]+)` \|[^|]*\|[^|]*\| [\d,]+ \| ([^|]+) \| ([^|]+) \|", readme.read_text(), re.MULTILINE)
    check(len(rows) == len(list((folder / "files").iterdir())), f"{len(rows)} rows in the table of {readme}")
    contents = {"Example": "tf.Example", "SequenceExample": "tf.SequenceExample", "Event": "TensorBoard events",
                "ExampleListWithContext": "ExampleListWithContext", "bytes": "bytes", "another proto": "bytes",
                "empty": "nothing"}
    for name, count, kind in rows:
        file = folder / "files" / name
        damaged = "data_loss" in count
        records = f"{int(count.split(',')[0]) if damaged else int(count):,}"
        out = tool("validate", file, status=1 if damaged else 0)
        unit = "record" if records == "1" else "records"
        check(f": {records} {unit}, " in out, f"{name}: expected {records} records, found {out}")
        if name.startswith("not-"):
            for verb in ("info", "head"):
                tool(verb, file, status=2)
                check(re.search("found an? (ArrayRecord file|blob sequence)", tool.err), f"{name}: {tool.err}")
            continue
        info = tool("info", file, status=1 if damaged else 0)
        if not damaged:
            wanted = contents[kind.split(",")[0].strip()]
            check(f"TFRecord of {wanted}\n" in info, f"{name}: expected {wanted} in {info[:200]}")
            document = info.rsplit("\n\n", 1)[1].strip()
            lines = tool("run", "-n", 50, "-e", document).count("\n")
            equal(lines, min(50, int(count)), f"{name}: rows of {document}")
        tool("head", file, status=1 if damaged else 0)


def array_bytes(descr, shape, entries):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\0" + len(header).to_bytes(2, "little") + header + entries


def arrays(tool):
    tool.write("a.npy", array_bytes("<i4", "(3,)", b"".join(n.to_bytes(4, "little") for n in (5, 6, 7))))
    with zipfile.ZipFile(tool.folder / "a.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", array_bytes("|u1", "(2, 2)", b"\1\2\3\4"))
        archive.writestr("name.npy", array_bytes("|S2", "(2,)", b"a\0bb"))
    # The first bytes say what it is, not the name.
    tool.write("a.csv.data", tool.read("a.npy"))
    info = tool("info", "a.npy", "a.npz", "a.csv.data")
    for line in ("kind         NumPy array\n", "elements     3\n", "structure    int32\n", '\n  npy("a.npy")\n', '\n  npy("a.csv.data")\n',
                 "kind         arrays of NumPy\n", "structure    {x: uint8[2], name: string}\n", '\n  npz("a.npz")\n'):
        check(line in info, f"info of arrays: expected {line!r} in {info}")
    equal(tool("head", "-n", 2, "a.npy"), "5\n6\n", "head of an array")
    equal(tool("head", "a.npz"), '{x: [1, 2], name: "a"}\n{x: [3, 4], name: "bb"}\n', "head of an archive")
    equal(tool("validate", "a.npy", "a.npz"), "a.npy: 3 rows, no damage\na.npz: 2 rows, no damage\n", "validate of arrays")
    equal(tool("index", "a.npy", "a.npz"), "a.npy: 3 rows, which need no index\na.npz: 2 rows, which need no index\n", "index of arrays")
    check("a.npy.weir-index" not in tool.names(), "no index is written")
    tool("convert", "a.npy", "from_npy.csv")
    equal(tool.read("from_npy.csv"), b"value\n5\n6\n7\n", "an array as a table")
    tool("convert", "a.npz", "from_npz.tfrecord")
    equal(tool.run('tfrecord("from_npz.tfrecord") | map(r -> parse_example(r, {x: int64[2], name: string}))'),
          '{x: [1, 2], name: "a"}\n{x: [3, 4], name: "bb"}\n', "an archive as records")
    tool("convert", "a.npz", "from_npz")
    equal(tool("head", "from_npz"), tool("head", "a.npz"), "an archive as saved elements")
    for verb in ("info", "head", "validate"):
        tool.write("cut.npy", tool.read("a.npy")[:-1])
        tool(verb, "cut.npy", status=2)
        check("error: data_loss" in tool.err and "cut.npy" in tool.err, f"{verb} of a cut array: {tool.err}")
    damaged = bytearray(tool.read("a.npz"))
    damaged[damaged.index(b"x.npy") + 8] ^= 1
    tool.write("damaged.npz", bytes(damaged))
    tool("validate", "damaged.npz", status=None)
    check("data_loss" in tool.err + tool.out, f"validate of a damaged archive: {tool.err}{tool.out}")


def databases(tool):
    tool.write("words.mdb", (ROOT / "tests/golden/data/words.mdb").read_bytes())
    info = tool("info", "words.mdb")
    check("kind         LMDB database" in info and "elements     254" in info, info)
    equal(info.strip().split("\n")[-1].strip(), 'lmdb("words.mdb")', "the document of a database")
    equal(tool("head", "-n", "1", "words.mdb"), '{key: "a", value: "1"}\n', "head of a database")
    tool("convert", "words.mdb", "words.jsonl")
    equal(tool("head", "-n", "1", "words.jsonl"), '{key: "a", value: "1"}\n', "a database as JSON lines")
    check("begins like an LMDB database: read it by lmdb(files)" in tool.run('tfrecord("words.mdb")', status=1), "its hint")


def objects_and_archives(tool):
    tool.write("o", b'{"id": 1, "name": "a", "tags": ["x"], "at": {"x": 1.5}, "l": [{"n": 1, "r": [1]}], "m": 1, "odd key": null}\n'
               b'\n{"id": 2, "name": null, "tags": [], "at": {}, "l": [], "m": "x", "odd key": [[1], []]}\n')
    info = tool("info", "o")
    check("kind         JSON lines" in info and "objects      2" in info, info)
    document = info.strip().split("\n")[-1].strip()
    equal(document, 'jsonl("o", {id: int64, name: optional(string), tags: string[?], at: {x: optional(float64)}, '
          'l: list({n: int64, r: ragged(int64)}), m: json, "odd key": optional(ragged(int64))})', "the fields of objects")
    rows = tool.run(document)
    equal(rows.split("\n")[1], '{id: 2, name: none, tags: [], at: {x: none}, l: {n: [], r: ragged([])}, m: "\\"x\\"", '
          '"odd key": some(ragged([[1], []]))}', "a row of them")
    equal(tool("head", "o"), rows, "head of objects")
    equal(tool("index", "o"), "o: 2 objects\n", "index of objects")
    equal(tool("validate", "o"), "o: 2 objects, no damage\n", "validate objects")
    for rows, fields in ((b'{"k": {"a": 1}}\n{"k": null}\n{"k": {}}\n', "k: optional({a: optional(int64)})"),
                         (b'{"z": 1}\n{"k": {"a": 1, "o": {"q": "s"}}}\n', "z: optional(int64), k: optional({a: int64, o: {q: string}})"),
                         (b'{"k": {"o": {"q": 1}}}\n{"k": {}}\n', "k: {o: optional({q: int64})}")):
        tool.write("nulls.jsonl", rows)
        document = tool("info", "nulls.jsonl").strip().split("\n")[-1].strip()
        equal(document, f'jsonl("nulls.jsonl", {{{fields}}})', "objects that are null or missing are optional")
        equal(tool.run(document).count("\n"), rows.count(b"\n"), "their rows")
        tool("convert", "nulls.jsonl", f"nulls{len(rows)}.csv")
    tool.write("bad.jsonl", b'{"a": 1}\n{"a": }\n{"a": 2}\n')
    check("damaged" in tool("validate", "bad.jsonl", status=1), "validate broken objects")
    equal(tool("info", "bad.jsonl", status=1).strip().split("\n")[-1].strip(), 'jsonl("bad.jsonl", {a: int64})', "their fields")
    tool("convert", "bad.jsonl", "bad", status=2)
    tool.write("flat.jsonl.gz", gzip.compress(b'{"n": 1, "s": "a"}\n{"n": 2, "s": "b,c"}\n'))
    tool("convert", "flat.jsonl.gz", "flat.csv")
    equal(tool.run('csv("flat.csv", [0, ""], header: true)'), '(1, "a")\n(2, "b,c")\n', "objects as a table")
    tool("convert", "flat.jsonl.gz", "flat")
    equal(tool.run('load("flat")'), '{n: 1, s: "a"}\n{n: 2, s: "b,c"}\n', "saved objects")
    with tarfile.open(tool.folder / "e", "w") as archive:
        for name, data in {"a.txt": b"A", "a.CLS": b"1", "README": b"", "b.cls": b"2"}.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    info = tool("info", "e")
    document = info.strip().split("\n")[-1].strip()
    equal(document, 'webdataset("e", {__key__: string, txt: optional(string), cls: string})', "the fields of an archive")
    check("kind         tar archive" in info and "elements     2" in info, info)
    equal(tool("head", "e"), '{__key__: "a", txt: some("A"), cls: "1"}\n{__key__: "b", txt: none, cls: "2"}\n', "head of an archive")
    tool.write("cut.tar", tool.read("e")[:1700])
    document = tool("info", "cut.tar", status=1).strip().split("\n")[-1].strip()
    equal(document, 'webdataset("cut.tar", {__key__: string, txt: string, cls: string})', "the fields of an archive that was cut")
    equal(tool("index", "e"), "e: 2 elements\n", "index of an archive")
    tool.write("cut.tar", tool.read("e")[:1300])
    check("damaged" in tool("validate", "cut.tar", status=1), "validate an archive that was cut")


def conversions(tool):
    """Every format from and to the others, as far as it has room for what is there."""
    tool.run('zip((range(3), from_list(["a", "", "\u00e9\\n"]))) | map((i, s) -> '
             '{id: i, x: [cast(i, float32) / 2, 1.0], name: s, ok: i > 0}) | save("all")')
    rows = tool("head", "all")
    tool("convert", "all", "all.jsonl.gz")
    equal(gzip.decompress(tool.read("all.jsonl.gz")).decode().split("\n")[2],
          '{"id": 2, "x": [1.0, 1.0], "name": "\u00e9\\n", "ok": true}', "a JSON line")
    tool("convert", "all.jsonl.gz", "all.npz")
    document = tool("info", "all.npz").strip().split("\n")[-1].strip()
    equal(tool.run(document), rows.replace("x: [0, 1]", "x: [0.0, 1.0]"), "arrays of objects")
    with zipfile.ZipFile(tool.folder / "all.npz") as archive:
        equal(archive.testzip(), None, "the checksums of the archive")
        equal(archive.namelist(), ["id.npy", "x.npy", "name.npy", "ok.npy"], "its members")
        check(b"'descr': '|S3', 'fortran_order': False, 'shape': (3,), }" in archive.read("name.npy"), "a header")
    tool("convert", "all.npz", "all.tar")
    with tarfile.open(tool.folder / "all.tar") as archive:
        equal(archive.getnames(), [f"0000000{i}.{name}" for i in range(3) for name in ("id", "x", "name", "ok")], "an archive")
        equal(archive.extractfile("00000002.name").read(), "\u00e9\n".encode(), "a member")
    equal(tool.run('webdataset("all.tar", {id: string, x: string, name: string}) | map(e -> (to_number(e.id, int64), '
                   'decode_npy(e.x, float64), e.name))').split("\n")[1], '(1, [0.5, 1.0], "")', "what is in it")
    tool.run('from_list(["a", "b"]) | map(k -> {"__key__": "p/" + k, txt: k}) | save("keyed")')
    tool("convert", "keyed", "keyed.tar.xz")
    equal(tool("head", "keyed.tar.xz"), '{__key__: "p/a", txt: "a"}\n{__key__: "p/b", txt: "b"}\n', "keys")
    tool("convert", RECORDS / "people.tfrecord", "people.jsonl")
    check('"scores": [' in tool.read("people.jsonl").decode(), tool.read("people.jsonl"))
    tool("convert", "plain.txt", "plain.jsonl")
    equal(tool.read("plain.jsonl"), b'{"line": "one"}\n{"line": ""}\n{"line": "two"}\n', "lines as objects")
    tool("convert", "plain.txt", "plain.tar.gz")
    equal(tool("head", "-n", 1, "plain.tar.gz"), '{__key__: "00000000", txt: "one"}\n', "lines as members")
    tool("convert", "a.npy", "b.npy")
    equal(tool("head", "b.npy"), "5\n6\n7\n", "an array again")
    tool("convert", "t.csv", "t.csv.bz2")
    check(tool("info", "t.csv.bz2").endswith('csv("t.csv.bz2", [string, 0, float32, ""], header: true, compression: "bz2")\n'),
          "a table in bzip2")
    before = tool.names()
    for source, name, said in (("all", "all.npy", "elements of one tensor, found 4 values per element"), ("o", "o.npz", "NumPy has, found optional<string> in name;"),
                               ("o", "o.csv", None), ("keyed", "keyed.xls", "expected a file to write that ends in")):
        tool("convert", source, name, status=2)
        check(said is None or said in tool.err, f"{name}: {tool.err}")
    tool.run('from_list(["\\xff"]) | save("bytes")')
    tool("convert", "bytes", "bytes.jsonl", status=2)
    check("bytes that are no UTF-8 of row 0" in tool.err, tool.err)
    tool.run('range(2) | map(n -> arange(n + 2)) | save("ragged_rows")')
    equal([name for name in tool.names() if name not in before], ["bytes", "ragged_rows"], "what fails leaves nothing")
    tool("convert", "ragged_rows", "r.npy", status=2)
    check("rows of one shape, found another shape than before of row 1" in tool.err, tool.err)
    equal(tool("convert", "ragged_rows", "r.jsonl"), "r.jsonl: 2 rows\n", "lists of any length")


# Rows of JSON, and the fields that hold their numbers.
NUMBERS = {
    "unsigned": ('[18446744073709551615, 5, 0]', "uint64"),
    "fractions": ('[1700000000.123, 0.5, 9007199254740992]', "float64"),
    "beside": ('[9007199254740993, 2.5, null]', "optional(json)"),
    "opposite": ('[9223372036854775808, -1, 1]', "json"),
    "huge": ('[18446744073709551616, 1, 1]', "json"),
    "range": ('[1e400, 1e-400, 0e9]', "json"),
    "beyond": ('[9223372036854775808.0, 0.12345678901234568, 3]', "float64"),
    "lost": ('[1234567890123456789.5, 1, 2.0]', "json"),
    "lists": ('[[18446744073709551615], [], [1]]', "uint64[?]"),
    "parts": ('[[0.5], [9007199254740993], []]', "json"),
}


def numbers_stay(tool):
    """No number changes on its way; what has no room for one refuses it."""
    for name, (values, fields) in NUMBERS.items():
        # Numbers as they are written.
        values = json.loads(values, parse_int=str, parse_float=str)
        text = lambda value: json.dumps(value).replace('"', "")
        tool.write(f"{name}.jsonl", "".join(f'{{"x": {text(value)}}}\n' for value in values))
        check(f"{{x: {fields}}}" in tool("info", f"{name}.jsonl"), f"the fields of {name}: {tool.out}")
        tool("convert", f"{name}.jsonl", f"{name}2.jsonl")
        written = [line["x"] for line in map(lambda line: json.loads(line, parse_int=str, parse_float=str),
                                             tool.read(f"{name}2.jsonl").splitlines())]
        equal(written, [f"{v}.0" if fields == "float64" and "." not in v else v for v in values], f"{name} as JSON")
        if "[" in text(values[0]):
            continue
        for suffix, row in (("csv", ","), ("tsv", "\t")):
            tool("convert", f"{name}.jsonl", f"{name}.{suffix}")
            equal(tool.read(f"{name}.{suffix}").decode().split("\n")[1:-1], [v or '""' for v in written], f"{name} as {suffix}")
    tool.write("whole.jsonl", '{"n": 9007199254740993.0, "u": 1.0, "k": -9007199254740993}\n{"n": -2e1, "u": 18446744073709551615.0, "k": NaN}\n')
    check("{n: int64, u: uint64, k: json}" in tool("info", "whole.jsonl"), "whole numbers written as fractions")
    tool("convert", "whole.jsonl", "whole2.jsonl")
    equal(tool.read("whole2.jsonl"), b'{"n": 9007199254740993, "u": 1, "k": -9007199254740993}\n{"n": -20, "u": 18446744073709551615, "k": NaN}\n',
          "their values")
    tool.run('from_list(["1e300", "5e-324", "0.1234567890123", "-inf"]) | map(s -> to_number(s, float64)) | save("doubles")')
    tool("convert", "doubles", "doubles.csv")
    equal(tool.read("doubles.csv"), b"value\n1e+300\n5e-324\n0.1234567890123\n-inf\n", "float64 as a table")
    tool.write("lacking.jsonl", '{"n": 1, "odd key": null, "l": [1, 2]}\n{"n": null, "odd key": "a", "l": []}\n')
    tool("convert", "lacking.jsonl", "lacking.tfrecord")
    tool("convert", "lacking.tfrecord", "lacking.npz", status=2)
    check("found sparse<int64>[?] in l;" in tool.err, tool.err)
    tool("convert", "lacking.tfrecord", "lacking2.jsonl")
    equal([json.loads(line) for line in tool.read("lacking2.jsonl").splitlines()],
          [json.loads(line) for line in tool.read("lacking.jsonl").splitlines()], "features that are missing")
    before = tool.names()
    tool("convert", "sequences.tfrecord", "sequences.jsonl", status=2)
    check("features of one dtype in all records of sequences.tfrecord, found several of mixed" in tool.err, tool.err)
    tool("convert", "doubles", "doubles.tfrecord", status=2)
    check("Examples have no float64, found 1e+300 in value of row 0; write a .jsonl" in tool.err, tool.err)
    tool("convert", "unsigned.jsonl", "unsigned.tfrecord", status=2)
    check("up to 2^63 - 1, as Examples have no uint64, found 18446744073709551615 in x of row 0" in tool.err, tool.err)
    equal(tool.names(), before, "what is refused leaves nothing")
    tool.run('from_list(["0.1", "-2.5e-7", "nan"]) | map(s -> {x: to_number(s, float64), n: cast(7, uint64)}) | save("singles")')
    tool("convert", "singles", "singles.tfrecord")
    equal(tool.run('tfrecord("singles.tfrecord") | map(r -> parse_example(r, {n: int64, x: float32}))'),
          "{n: 7, x: 0.1}\n{n: 7, x: -2.5e-07}\n{n: 7, x: nan}\n", "float64 and uint64 that fit")


# Objects that an archive has no room for, and what is said of them.
UNFIT = {
    "row": ('{"s": "a"}\n{"s": null}\n', "a value in each row of row.tar, where a row without one would be lost, found none in row 1"),
    "slash": ('{"a/b": 1}\n', 'found "a/b"; rename it'),
    "empty": ('{"": 1}\n', 'found ""; rename it'),
    "case": ('{"T": 1, "t": 2}\n', 'found two columns "t"; rename one'),
    "null_key": ('{"__key__": "k", "x": 1}\n{"__key__": null, "x": 1}\n', "a key, found none in __key__ of row 1"),
    "list_key": ('{"__key__": [1], "x": 1}\n', "a string or a number, found int64[?] in __key__"),
    "last_key": ('{"__key__": "a/", "x": 1}\n', 'a path whose last part is not empty and has no dots, without zero bytes and parts like __this__, found "a/" in __key__'),
    "meta_key": ('{"__key__": "d/__m__/k", "x": 1}\n', 'found "d/__m__/k" in __key__'),
}


def archives_lose_nothing(tool):
    before = tool.names()
    for name, (objects, said) in UNFIT.items():
        tool.write(f"{name}.jsonl", objects)
        tool("convert", f"{name}.jsonl", f"{name}.tar", status=2)
        check(said in tool.err, f"{name}: {tool.err}")
    equal(set(tool.names()) - set(before), {f"{name}.jsonl" for name in UNFIT}, "no archive is left")
    tool.run('from_list(["k1", "k2"]) | map(k -> {"__key__": some(k), x: 1}) | save("optional_keys")')
    tool.write("number_keys.jsonl", '{"__key__": 7, "x": 1}\n{"x": null, "y": 2, "__key__": 18446744073709551615}\n')
    for name, members in (("optional_keys", ["k1.x", "k2.x"]), ("number_keys.jsonl", ["7.x", "18446744073709551615.y"])):
        tool("convert", name, f"{name}.tar")
        with tarfile.open(tool.folder / f"{name}.tar") as archive:
            equal(archive.getnames(), members, f"an archive of {name}")


def no_rows(tool):
    tool.run('range(3) | map(i -> {a: i, "b,c": [cast(i, float64)], d: some("x")}) | take(0) | save("no_rows")')
    for suffix, contents in {"csv": b'a,"b,c",d\n', "tsv": b"a\tb,c\td\n", "jsonl": b"", "tfrecord": b"", "tar": bytes(1024)}.items():
        equal(tool("convert", "no_rows", f"no_rows.{suffix}"), f"no_rows.{suffix}: 0 rows\n", suffix)
        equal(tool.read(f"no_rows.{suffix}"), contents, f"{suffix} without rows")
    for name in ("no_rows.csv", "no_rows.tsv"):
        check(re.search(r"rows +0\n", tool("info", name)), f"info of {name}: {tool.out}")
        equal(tool.run(tool.out.strip().split("\n")[-1]), "", f"the document of {name}")
    tool("convert", "no_rows.tar", "no_rows.tar.gz")
    tool.write("nothing.tar", b"")
    for name in ("no_rows.tar", "no_rows.tar.gz", "nothing.tar"):
        check("kind         tar archive\n" in tool("info", name), f"info of {name}: {tool.out}")
        equal(tool("validate", name), f"{name}: 0 elements, no damage\n", name)
        equal(tool.run(tool("info", name).strip().split("\n")[-1]), "", f"the document of {name}")
    tool("convert", "no_rows.csv", "no_rows2.csv")
    equal(tool.read("no_rows2.csv"), tool.read("no_rows.csv"), "a header again")
    tool.write("twice.csv", "a,b,a\n1,2,3\n")
    for name in ("twice.jsonl", "twice.tsv", "twice.tfrecord", "twice", "twice.tar"):
        tool("convert", "twice.csv", name, status=2)
        check('columns of different names in twice.csv, found "a" twice; rename one' in tool.err, tool.err)
    tool.run('range(1) | map(i -> {"a.b": i, a: {b: i}}) | save("paths")')
    tool("convert", "paths", "paths.csv", status=2)
    check('in paths, found "a.b" twice' in tool.err, tool.err)
    tool("convert", "paths", "paths.npz", status=2)
    check('different names, found "a.b" twice' in tool.err, tool.err)


def elements_of_a_device(tool):
    """With the driver of tests/fake_cuda."""
    tool("digest", "-e", 'range(6) | batch(2) | to_device("cuda:0")', status=2)
    check("read before to_device" in tool.err, tool.err)
    tool("run", "--trace", "trace.json", "-e", 'range(40) | batch(10) | to_device("cuda:0")')
    names = [event["name"] for event in json.loads(tool.read("trace.json"))["traceEvents"]]
    equal(names.count("to_device copy"), 4, "copies in a trace")
    os.environ["CUDA_VISIBLE_DEVICES"] = "0,1"
    tool("run", "-e", 'range(4) | to_device("cuda:99")', status=2)
    del os.environ["CUDA_VISIBLE_DEVICES"]
    check('CUDA_VISIBLE_DEVICES is "0,1" and hides the others' in tool.err, tool.err)


def large_batches(tool):
    """Rows that are made in their place in a batch are the same, whichever thread makes them."""
    tool.write("numbers", array.array("q", range(640_000)).tobytes())
    rows = 'tokens("numbers", 16, int64)'
    for more in ("", " | filter(x -> x[0] % 3 != 1)", f" | concatenate({rows})", " | skip(3) | enumerate()", " | prefetch(auto)"):
        for size in (600, 1500, 8192):
            text = f"{rows}{more} | batch({size})"
            equal(tool("digest", "-e", text), tool("digest", "-e", text + " | options(autotune: false)"), text)


def main():
    with tempfile.TemporaryDirectory() as folder:
        tool = Tool(sys.argv[1], folder)
        head_and_info(tool)
        info_of_examples(tool)
        other_formats(tool)
        guesses(tool)
        standard_input(tool)
        validate(tool)
        index(tool)
        full_output(tool)
        shard(tool)
        compressions(tool)
        convert(tool)
        arrays(tool)
        databases(tool)
        objects_and_archives(tool)
        conversions(tool)
        numbers_stay(tool)
        archives_lose_nothing(tool)
        no_rows(tool)
        elements_of_a_device(tool)
        large_batches(tool)
        foreign(tool, pathlib.Path(sys.argv[2]))
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
