#!/usr/bin/env python3
"""The command `weir`, case by case: arguments, what it prints where, and how it exits.

    command_test.py WEIR

A case that fails says what was expected and what was found.
"""

import base64
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile


@dataclasses.dataclass
class Case:
    """One call. `out` is all of standard output or its pattern, `err` the pattern of all of standard error."""
    arguments: list
    out: str | re.Pattern = ""
    status: int = 0
    err: str = ""
    given: str = ""  # standard input


def element(*arguments, out):
    """A run in which no element fails."""
    return Case(["run", *arguments], out)


def failed(*arguments, out):
    """A run in which an element fails, which nothing but its own line says."""
    return Case(["run", *arguments], out, status=1)


def refused(*arguments, err):
    """A call that ends before the first element."""
    return Case(list(arguments), status=2, err=err)


def itself(value, shown):
    """A run whose string param is given without quotes and stands for itself; `shown` is how it is printed."""
    return element("-p", f"s={value}", "-e", "param s: string from_tensors($s)", out=f'"{shown}"\n')


def caret(line, column, message, text):
    """What a document that cannot be built says: where, what, the line, and a caret below the column."""
    return (rf"error: invalid_argument: line {line}, column {column}: {message}\n"
            rf"{re.escape(text)}\n {{{column - 1}}}\^\n")


def error_line(code="invalid_argument", message="", path=None, file=None, offset=None, record=None):
    """What stands with --json in the place of an element that failed."""
    error = {"code": code, "message": message, "path": path, "file": file, "offset": offset, "record": record}
    return json.dumps({"error": error}, ensure_ascii=False) + "\n"


def json_text(data):
    """A string as JSON, or in base64 where it is no UTF-8, which Python's own decoder decides."""
    try:
        return json.dumps(data.decode("utf-8"), ensure_ascii=False)
    except UnicodeDecodeError:
        return json.dumps({"base64": base64.b64encode(data).decode()})


# Both sides of each bound of UTF-8: first bytes, overlong forms, surrogates, the last character, cut ones.
UTF8_BOUNDS = [bytes.fromhex(digits) for digits in (
    "7f", "80", "bf", "c080", "c1bf", "c280", "dfbf", "df", "dfc0", "e09fbf", "e0a080", "e0a0", "ed9fbf", "eda080",
    "edbfbf", "ee8080", "efbfbf", "efbfc0", "f08fbfbf", "f0908080", "f09080", "f48fbfbf", "f4908080", "f5808080",
    "ff", "61c3a962", "61c362")]

RUN = [
    element("-e", "range(3)", out="0\n1\n2\n"),
    element("-e", "empty({a: int64, b: string[2]})", out=""),
    element("--expression", "range(2)", out="0\n1\n"),
    element("document.weir", out="0\n10\n"),
    Case(["run", "-"], "0\n1\n", given="# from standard input\nrange(2)\n"),
    element("-e", "range(4) | map(x -> (x, {half: x / 2, s: \"a\\n\"})) | batch(3)",
            out='([0, 1, 2], {half: [0.0, 0.5, 1.0], s: ["a\\n", "a\\n", "a\\n"]})\n'
                '([3], {half: [1.5], s: ["a\\n"]})\n'),
    element("-e", "zip(range(2))", out="(0,)\n(1,)\n"),
    # A terminal prints its one value.
    element("-e", "range(5) | reduce(0, (a, x) -> a + x)", out="10\n"),
    # Nested datasets are drained.
    element("-e", "range(3) | map(x -> range(x))", out="dataset([])\ndataset([0])\ndataset([0, 1])\n"),
    element("-e", "range(2) | map(x -> {n: x, d: range(x) | map(y -> (y, x))})",
            out="{n: 0, d: dataset([])}\n{n: 1, d: dataset([(0, 1)])}\n"),
    failed("-e", "range(3) | map(x -> range(2) | map(y -> assert(y + x != 1, \"hit\", y)))",
           out="error: invalid_argument: map: hit (in map)\nerror: invalid_argument: map: hit (in map)\n"
               "dataset([0, 1])\n"),
]

COUNTS = [
    element("-n", "2", "-e", "range(5)", out="0\n1\n"),
    element("--count", "2", "-e", "range(5) | repeat()", out="0\n1\n"),
    element("-n", "0", "-e", "range(5)", out=""),
    element("-n", "9", "-e", "range(2)", out="0\n1\n"),
    failed("-n", "3", "-e", "range(5) | map(x -> assert(x != 1, \"no\", x))",
           out="0\nerror: invalid_argument: map: no (in map)\n2\n"),
    # A failure after the last line does not belong to this run.
    element("-n", "1", "-e", "range(5) | map(x -> assert(x != 1, \"no\", x))", out="0\n"),
    refused("run", "-n", "x", "-e", "range(5)", err=r"error: invalid_argument: expected -n .*found x\n"),
    refused("run", "-n", "-1", "-e", "range(5)", err=r"error: invalid_argument: expected -n .*found -1\n"),
    refused("run", "-n", "99999999999999999999", "-e", "range(5)",
            err=r"error: invalid_argument: expected -n .*found 99999999999999999999\n"),
]

ERRORS_IN_ELEMENTS = [
    failed("-e", "range(4) | map(x -> assert(x % 2 == 0, \"odd\", x)) | batch(2)",
           out="error: invalid_argument: map: odd (in batch/map)\nerror: invalid_argument: map: odd (in batch/map)\n"),
    failed("-e", "range(5) | map(x -> assert(x != 1, \"one\", x)) | batch(2)",
           out="error: invalid_argument: map: one (in batch/map)\n[2, 3]\n[4]\n"),
    # Where it happened.
    failed("-e", "tfrecord(\"absent.tfrecord\")",
           out=re.compile(r"error: not_found: .*\(absent\.tfrecord, in tfrecord\b.*\)\n")),
    failed("-e", "tfrecord(\"document.weir\")",
           out=re.compile(r"error: data_loss: .*\(document\.weir, offset 0, record 0, in tfrecord\b.*\)\n")),
    # A message is one line.
    failed("-e", "range(2) | map(x -> assert(x > 0, \"two\\nlines\", x))",
           out="error: invalid_argument: map: two\\nlines (in map)\n1\n"),
    failed("-e", "range(3) | map(x -> 6 // (x - 1))",
           out="-6\nerror: invalid_argument: map: integer division by zero; in // of int64 and int64 at line 1, column 21 (in map)\n6\n"),
]

PARAMETERS = [
    element("-p", "n=3", "-e", "param n: int64 range($n)", out="0\n1\n2\n"),
    element("--param", "n=-1", "-e", "param n: int64 from_tensors($n)", out="-1\n"),
    element("-p", "s=bare", "-e", "param s: string from_tensors($s)", out='"bare"\n'),
    element("-p", 's="quo\\"ted = x"', "-e", "param s: string from_tensors($s)", out='"quo\\"ted = x"\n'),
    element("-p", "v=[1, 2]", "-e", "param v: int64[2] from_tensor_slices($v)", out="1\n2\n"),
    element("-p", "t=(1, true)", "-e", "param t: (int64, bool) from_tensors($t)", out="(1, true)\n"),
    element("-p", "a=1", "-p", "b=2", "-e", "param a: int64 param b: int64 range($a, $a + $b)",
            out="1\n2\n"),
    # The literal is one of the declared dtype.
    element("-p", "x=1", "-e", "param x: float32 from_tensors($x)", out="1.0\n"),
    refused("run", "-e", "param n: int64 range($n)", err=r"error: invalid_argument: .*\$n.*-p n=VALUE\n"),
    Case(["run", "-"], given="range\0", status=2,
         err=r"error: invalid_argument: expected a document, found binary data; `weir head -` shows what it is\n"),
    refused("run", "-p", "n=word", "-e", "param n: int64 range($n)",
            err=r"error: invalid_argument: .*\$n.* expected int64, found string\nword\n\^\n"),
    refused("run", "-p", "n=[1]", "-e", "param n: int64 range($n)",
            err=r"error: invalid_argument: .*\$n.*\n(.*\n)*"),
    refused("run", "-p", "m=1", "-e", "range(3)", err=r"error: invalid_argument: .*\$m.*\n"),
    refused("run", "-p", "n=1", "-p", "n=2", "-e", "param n: int64 range($n)",
            err=r"error: invalid_argument: .*\$?n.*\n"),
    refused("run", "-p", "n", "-e", "range(3)", err=r"error: invalid_argument: expected -p NAME=VALUE.*\n"),
    refused("run", "-p", "=1", "-e", "range(3)", err=r"error: invalid_argument: expected -p NAME=VALUE.*\n"),
    refused("run", "-p", "n =1", "-e", "range(3)",
            err=r"error: invalid_argument: expected -p NAME=VALUE .*found the name 'n '\n"),
    refused("run", "-p", "$n=1", "-e", "range(3)",
            err=r"error: invalid_argument: expected -p NAME=VALUE .*found the name '\$n'; leave out the '\$'\n"),
    refused("run", "-p", "n=", "-e", "range(3)",
            err=r"error: invalid_argument: expected -p NAME=VALUE, found no value for n; write -p 'n=\"\"'.*\n"),
    itself("a b", "a b"),
    itself("a/b-*.txt", "a/b-*.txt"),
    itself("it's \"so\"\n", r"it's \"so\"\n"),
    refused("run", "-p", "s=3", "-e", "param s: string from_tensors($s)",
            err=r"error: invalid_argument: the parameter \$s: .*put it in double quotes\n3\n\^\n"),
    refused("run", "-p", "s=\"a", "-e", "param s: string from_tensors($s)",
            err=r"error: invalid_argument: the parameter \$s: .*not closed.*\n\"a\n\^\n"),
    refused("run", "-p", "n=1 2", "-e", "param n: int64 param s: string range($n)",
            err=r"error: invalid_argument: the parameter \$n: .*\n1 2\n  \^\n"),
]

DOCUMENTS = [
    refused("run", "-e", "range(3", err=caret(1, 8, r"expected .*found the end of the text", "range(3")),
    refused("run", "-e", "range(5) | bach(2)",
            err=caret(1, 12, r".*bach.*did you mean batch\?", "range(5) | bach(2)")),
    refused("spec", "-e", "range(5)\n  | batch(2)\n  | map(x -> y)\n",
            err=caret(3, 14, r".*\by\b.*", "  | map(x -> y)")),
    refused("format", "wrong.weir", err=caret(2, 5, r".*takes.*", "  | takes(2)")),
    refused("run", "-e", "range(5) | map(x -> x + \"a\")",
            err=r"error: invalid_argument: line 1, column \d+: .*\n.*\n *\^\n"),
    refused("run", "-e", "", err=r"error: invalid_argument: line 1, column 1: (.*\n)+"),
    refused("run", "absent.weir", err=r"error: not_found: expected a FILE .*found absent\.weir: [\w ]+\n"),
    refused("run", "range(5)", err=r"error: not_found: .*found range\(5\): .*write -e 'range\(5\)'\n"),
    refused("run", ".", err=r"error: invalid_argument: expected a FILE .*found \.: .*\n"),
    refused("run", "rows.csv", err=caret(1, 2, ".*", "1,a") + r"rows\.csv looks like data: `weir info rows\.csv` prints .*\n"),
    refused("run", "-e", "list_files(\"absent-*\")", err=r"error: invalid_argument: (.*\n)+"),
]

JSON = [
    element("--json", "-e", "range(2) | map(x -> (x, {f: x / 2, ok: x > 0, s: \"q\\\"\"}))",
            out='[0, {"f": 0.0, "ok": false, "s": "q\\""}]\n[1, {"f": 0.5, "ok": true, "s": "q\\""}]\n'),
    element("--json", "-e", "from_tensors([nan, inf, -inf, 1.0])",
            out='["NaN", "Infinity", "-Infinity", 1.0]\n'),
    element("--json", "-e", "from_tensors([%s])" % ", ".join(
        '"' + "".join(f"\\x{byte:02x}" for byte in data) + '"' for data in UTF8_BOUNDS),
        out="[" + ", ".join(map(json_text, UTF8_BOUNDS)) + "]\n"),
    # Keys in base64 stay apart.
    element("--json", "-e", "range(1) | map(x -> {\"\\xff\": \"\\xfe\", \"\\xfe\": {a: x}})",
            out='{"base64": {"/w==": {"base64": "/g=="}, "/g==": {"a": 0}}}\n'),
    element("--json", "-e", "range(2) | map(x -> {d: range(x)})", out='{"d": []}\n{"d": [0]}\n'),
    failed("--json", "-e", "range(2) | map(x -> assert(x > 0, \"no\", x))", out=error_line(message="no", path="map") + "1\n"),
    failed("--json", "-e", "from_tensors(zeros([1000000000000, 0]))",
           out=error_line("resource_exhausted", "expected an element whose text has at most 1073741824 bytes, "
                          "found a longer one; print a part of it, or its shape")),
    # Where it happened, and a message of several lines on one.
    failed("--json", "-e", "tfrecord([\"absent.tfrecord\", \"document.weir\"])",
           out=re.compile(r'\{"error": \{"code": "not_found", "message": "[^{}]+", "path": "tfrecord", "file": '
                          r'"absent.tfrecord", "offset": null, "record": null\}\}\n'
                          r'\{"error": \{"code": "data_loss", "message": "[^"]+", "path": "tfrecord", "file": '
                          r'"document.weir", "offset": 0, "record": 0\}\}\n')),
    failed("--json", "--origins", "-e", "range(1) | map(x -> assert(x > 0, \"two\\nlines\\xff\", x))",
           out=error_line(message="two\nlines\ufffd", path="map").replace("\ufffd", "\\ufffd")),
    # A nested dataset that fails while it is printed.
    failed("--json", "-e", "range(1) | map(x -> range(2) | map(y -> assert(y == 0, \"in\", y)))",
           out=error_line(message="in", path="map")),
    # Standard output has JSON only; what doesn't build says so to people.
    refused("run", "--json", "-e", "range(3) | take(x)",
            err=caret(1, 17, "take: n: there is no variable 'x'", "range(3) | take(x)")),
]

SPEC = [
    Case(["spec", "-e", "range(10) | batch(4)"], "int64[?]\ncardinality: 3\n"),
    Case(["spec", "-e", "range(10) | batch(4, drop_remainder: true)"], "int64[4]\ncardinality: 2\n"),
    Case(["spec", "-e", "range(10) | repeat()"], "int64\ncardinality: infinite\n"),
    Case(["spec", "-e", "range(10) | filter(x -> x > 2)"], "int64\ncardinality: unknown\n"),
    Case(["spec", "-e", "param n: int64 range($n)"], "int64\ncardinality: unknown\n"),
    Case(["spec", "-e", "range(2) | map(x -> {a: (x, \"\"), d: range(x)})"],
         "{a: (int64, string), d: dataset<int64>}\ncardinality: 2\n"),
    Case(["spec", "document.weir"], "int64\ncardinality: 2\n"),
]

CHECK = [
    Case(["check", "-e", "range(10) | batch(3)"], ""),
    Case(["check", "--json", "-e", "range(10) | batch(3)"], "[]\n"),
    Case(["check", "-e", "range(10) | batch(0) | take(x)"], status=2,
         err=re.escape("error: invalid_argument: line 1, column 19: batch: n: expected at least 1, found 0\n"
                       "range(10) | batch(0) | take(x)\n"
                       "                  ^\n"
                       "line 1, column 29: take: n: there is no variable 'x'\n"
                       "range(10) | batch(0) | take(x)\n"
                       "                            ^\n")),
    Case(["check", "--json", "-e", "range(10)\n| batch(0)"], status=2,
         out='[\n  {"code": "invalid_argument", "message": "expected at least 1, found 0", "operator": "batch", '
             '"parameter": "n", "expected": "at least 1", "found": "0", "span": {"offset": 18, "size": 1, "line": 2, '
             '"column": 9, "end_line": 2, "end_column": 10}}\n]\n'),
    Case(["check", "--json", "-e", "range(10) | \u20acx"], status=2,
         out=re.compile(r'.*"span": \{"offset": 12, "size": 3, "line": 1, "column": 13, "end_line": 1, "end_column": 14\}\}\n\]\n',
                        re.DOTALL)),
]

# Records are no document, and where they are from can be printed.
RECORDS = [
    Case(["run", "three.tfrecord"], status=2,
         err=r"error: invalid_argument: expected a document, found binary data in three\.tfrecord; to read records, "
             r"write weir run -e 'tfrecord\(\"three\.tfrecord\", compression: \"auto\"\)'\n"),
    Case(["run", "--origins", "-n", "2", "-e", "tfrecord(\"three.tfrecord\") | map(r -> 7) | skip(1)"],
         "three.tfrecord, record 1: 7\nthree.tfrecord, record 2: 7\n"),
    failed("-e", "tfrecord(\"five.tfrecord.gz\")",
           out="error: data_loss: tfrecord: corrupted record: the checksum of its length is wrong; the file begins like "
               "gzip: add compression: \"auto\" (five.tfrecord.gz, offset 0, record 0, in tfrecord)\n"),
    # Lines and rows are text, which compressed files and other formats are not.
    failed("-e", "text_line(\"five.tfrecord.gz\")",
           out="error: invalid_argument: text_line: expected text, found gzip; add compression: \"auto\" "
               "(five.tfrecord.gz, offset 0, record 0, in text_line)\n"),
    failed("-e", "csv([\"five.tfrecord.gz\", \"rows.csv\"], [int64, string])",
           out="error: invalid_argument: csv: expected text, found gzip; add compression: \"auto\" "
               "(five.tfrecord.gz, offset 0, record 0, in csv)\n(1, \"a\")\n"),
    failed("-e", "fixed_length_record(\"five.tfrecord.gz\", 1000)",
           out=re.compile(r"error: invalid_argument: fixed_length_record: expected a size that fits .*; the file begins like "
                          r"gzip: add compression: \"auto\" \(five\.tfrecord\.gz, in fixed_length_record\)\n")),
    failed("-e", "tfrecord(\"five.tfrecord.zlib\")",
           out=re.compile(r"error: data_loss: .*; the file begins like zlib: add compression: \"auto\" .*\n")),
    failed("-e", "from_tensors(\"PAR1\") | map(s -> decode_image(s))",
           out=re.compile(r"error: invalid_argument: map: decode_image: expected a JPEG, .*, found a Parquet file; .*\n")),
    Case(["run", "--origins", "-e", "range(1)"], "-: 0\n"),
    Case(["run", "--origins", "--json", "-e", "tfrecord(\"three.tfrecord\") | map(r -> 7) | batch(3)"],
         '{"origin": {"file": "three.tfrecord", "record": 0}, "element": [7, 7, 7]}\n'),
    Case(["run", "--origins", "-e", "from_tensors(\"three.tfrecord\") | map(f -> read_file(f) == \"\")"],
         "three.tfrecord: false\n"),
    Case(["run", "--origins", "--json", "-e", "from_tensors(\"three.tfrecord\") | map(f -> read_file(f) == \"\")"],
         '{"origin": {"file": "three.tfrecord", "record": null}, "element": false}\n'),
    Case(["run", "--origins", "--json", "-e", "range(1)"], '{"origin": null, "element": 0}\n'),
]

CANONICAL = [
    ("range( 10)|map(x->x+1)|batch( n:4 )", "range(10) | map(x -> x + 1) | batch(4)\n"),
    ("param n: int64\nlet two = 2\nlet r = range($n)\nzip(r, r|map(x -> x*two))", None),
    ("range(9) | flat_map(x -> range(x)|take(2)) | shuffle(3, seed: 1)", None),
    ("zip(range(3), {a: range(4), b: range(5) | repeat()})", None),
]

# The longest record that is read.
LIMITS = [
    failed("--record-bytes", "2", "-e", "tfrecord(\"three.tfrecord\")",
           out=re.compile(r'"x"\n""\nerror: resource_exhausted: .* at most 2 bytes .*--record-bytes.*\n')),
    Case(["digest", "--record-bytes", "3", "-e", "tfrecord(\"three.tfrecord\")"],
         out=re.compile(r"[0-9a-f]{16}\n")),
    Case(["head", "--record-bytes", "2", "three.tfrecord"],
         out=re.compile(r'"x"\n""\nerror: resource_exhausted: .*\n'), status=1),
    refused("run", "--record-bytes", "0", "-e", "range(1)",
            err=r"error: invalid_argument: expected --record-bytes with a whole number of bytes from 1 up, found 0\n"),
    refused("spec", "--record-bytes", "9", "-e", "range(1)",
            err=r"error: invalid_argument: expected --record-bytes only after .*\n"),
]

WORDS = [
    refused(err=r"error: invalid_argument: expected run, check, spec, format, digest, explain, bench, top, list, checkpoint, cache, head, info, validate, index, shard, convert or help; .*\n"),
    refused("walk", "-e", "range(1)", err=r"error: invalid_argument: expected run, check, spec, format, digest, explain, bench, top, list, checkpoint, cache, head, info, validate, index, shard, convert or help, found walk\n"),
    refused("rnu", "-e", "range(1)", err=r"error: invalid_argument: .*, found rnu; did you mean run\?\n"),
    refused("valdate", "x", err=r"error: invalid_argument: .*, found valdate; did you mean validate\?\n"),
    refused("cat", "x", err=r"error: invalid_argument: .*, found cat; that is weir head\n"),
    refused("cache", err=r"error: invalid_argument: expected show or clear after cache, found the end of the line\n"),
    refused("cache", "claer", "x", err=r"error: invalid_argument: .* found claer; did you mean clear\?\n"),
    refused("cache", "show", err=r"error: invalid_argument: expected one FOLDER, found the end of the line\n"),
    refused("cache", "clear", "--json", "x", err=r"error: invalid_argument: expected no option but --json of show, .*\n"),
    refused("cache", "show", "no-such-folder", err=r"error: not_found: cannot list no-such-folder: No such file or directory\n"),
    refused("checkpoint", "shwo", "x", err=r"error: invalid_argument: .* found shwo; did you mean show\?\n"),
    refused("run", "--jsn", "-e", "range(1)", err=r"error: invalid_argument: .*, found --jsn; did you mean --json\?\n"),
    refused("run", "--orgins=1", "-e", "range(1)", err=r"error: .*, found --orgins=1; did you mean --origins\?\n"),
    refused("range(1)", err=r"error: invalid_argument: .*found range\(1\); write weir run -e 'range\(1\)'\n"),
    refused("document.weir", err=r"error: invalid_argument: .*; write weir run document\.weir\n"),
    refused("help", "walk", err=r"error: not_found: expected the name of an operator or function, found \"walk\"\n"),
    refused("help", "batc", err=r"error: not_found: .*, found \"batc\"; did you mean batch\?\n"),
    refused("help", "AUTOTUNE", err=r"error: not_found: .*; tf.data's AUTOTUNE is written auto\n"),
    Case(["help", "cache"], re.compile(r"cache - transformation\n(.*\n)+`weir cache --help` explains the command\.\n")),
    refused("list", "-p", "a=1", err=r"error: invalid_argument: list takes only --json\n"),
    refused("list", "-n", "2", err=r"error: invalid_argument: expected -n only after commands that read .*\n"),
    refused("explain", "-n", "2", "-e", "range(3)", err=r"error: invalid_argument: expected -n only after .*\n"),
    refused("format", "--json", "-e", "range(3)", err=r"error: invalid_argument: expected --json only after .*\n"),
    refused("spec", "--json", "-e", "range(3)", err=r"error: invalid_argument: expected --json only after .*\n"),
    refused("bench", "--origins", "-e", "range(3)", err=r"error: invalid_argument: expected --origins only .*\n"),
    Case(["spec", "-p", "n=3", "-n", "2", "-e", "param n: int64  range($n)"], "int64\ncardinality: unknown\n"),
    Case(["digest", "--json", "-e", "range(3)"], '{"digest": "49dfb1108bc8e98b"}\n'),
    refused("list", "take", err=r"error: invalid_argument: expected nothing after list, found take; weir help .*\n"),
    refused("run", err=r"error: invalid_argument: expected one document: .*; found none\n"),
    refused("run", "-e", err=r"error: invalid_argument: expected a document after -e, .*\n"),
    refused("run", "--expression", err=r"error: invalid_argument: expected a document after -e, .*\n"),
    refused("run", "-e", "--json", err=r"error: invalid_argument: expected a document after -e, found --json\n"),
    refused("run", "-p", err=r"error: invalid_argument: expected NAME=VALUE after -p, .*\n"),
    refused("run", "-n", err=r"error: invalid_argument: expected a number of lines after -n, .*\n"),
    refused("run", "-n", "-e", "range(1)", err=r"error: invalid_argument: expected -n .*found -e\n"),
    refused("run", "-n=1", "-e", "range(1)", err=r"error: invalid_argument: expected -n .*found =1; write -n 3 .*\n"),
    refused("run", "--loud", "-e", "range(1)", err=r"error: invalid_argument: .*--help.*, found --loud\n"),
    refused("run", "-z", "-e", "range(1)", err=r"error: invalid_argument: .*--help.*, found -z\n"),
    refused("run", "--json=1", "-e", "range(1)",
            err=r"error: invalid_argument: expected --json without a value, found --json=1\n"),
    refused("run", "-e", "range(1)", "document.weir",
            err=r"error: invalid_argument: expected one document: .*found -e and then document\.weir; .*quotes\n"),
    refused("run", "a", "b", err=r"error: invalid_argument: expected one document: .*found a and b\n"),
    refused("run", "-e", "range(1)", "-e", "range(1)", err=r"error: invalid_argument: expected one -e.*\n"),
    refused("-e", "range(1)", err=r"error: invalid_argument: expected run, check, spec or format before -e.*\n"),
]

FILES = {
    "document.weir": "# two elements\nrange(2)\n  | map(x -> x * 10)\n",
    "wrong.weir": "range(2)\n  | takes(2)\n",
    "rows.csv": "1,a\n",
}


class Checker:
    """Calls the command in a folder and counts what differs."""

    def __init__(self, weir, folder):
        self.weir, self.folder, self.failures, self.calls = weir, folder, 0, 0

    def call(self, arguments, given=""):
        self.calls += 1
        return subprocess.run([self.weir, *arguments], input=given, capture_output=True, text=True,
                              cwd=self.folder, check=False)

    def expect(self, arguments, what, good, expected, found):
        if not good:
            self.failures += 1
            print(f"weir {' '.join(arguments)}\n  {what}: expected {expected!r}, found {found!r}")

    def check(self, case):
        found = self.call(case.arguments, case.given)
        self.expect(case.arguments, "exit status", found.returncode == case.status, case.status, found.returncode)
        pattern = case.out if isinstance(case.out, re.Pattern) else re.compile(re.escape(case.out))
        self.expect(case.arguments, "standard output", pattern.fullmatch(found.stdout), case.out, found.stdout)
        self.expect(case.arguments, "standard error", re.fullmatch(case.err, found.stderr), case.err,
                    found.stderr)

    def check_canonical(self, text, expected):
        """The canonical text is what is expected, if anything, and its own canonical text; and it says the same."""
        once = self.call(["format", "-e", text])
        self.expect(["format", "-e", text], "exit status", once.returncode == 0, 0, once.stderr)
        if expected is not None:
            self.expect(["format", "-e", text], "standard output", once.stdout == expected, expected, once.stdout)
        twice = self.call(["format", "-"], once.stdout)
        self.expect(["format", "-"], "the same text again", twice.stdout == once.stdout, once.stdout, twice.stdout)
        for verb in (["spec"], ["run"] if "$" not in text else ["run", "-p", "n=3"]):
            before, after = self.call([*verb, "-e", text]), self.call([*verb, "-"], once.stdout)
            self.expect([*verb, "-e", text], "the same elements", before.stdout == after.stdout != "", before.stdout,
                        after.stdout)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file, text in FILES.items():
            (folder / file).write_text(text)
        data = pathlib.Path(__file__).parent.parent / "conformance" / "data"
        for file in ("three.tfrecord", "five.tfrecord.gz", "five.tfrecord.zlib"):
            (folder / file).write_bytes((data / file).read_bytes())
        checker = Checker(sys.argv[1], folder)
        for case in RUN + COUNTS + ERRORS_IN_ELEMENTS + PARAMETERS + DOCUMENTS + JSON + SPEC + CHECK + RECORDS + LIMITS + WORDS:
            checker.check(case)
        for text, expected in CANONICAL:
            checker.check_canonical(text, expected)
        for arguments, about in ((["--help"], "feed"), (["-h"], "feed"), (["help"], "feed"),
                                 (["run", "--help"], "print the elements"), (["help", "run"], "print the elements"),
                                 (["spec", "-h"], "print the structure"), (["check", "-h"], "print the mistakes"),
                                 (["explain", "-h"], "what a document will do"), (["bench", "-h"], "throughput"),
                                 (["help", "top"], "running process"), (["format", "-h"], "canonical form")):
            found = checker.call(arguments)
            good = found.returncode == 0 and "usage:" in found.stdout and about in found.stdout.split("\n", 1)[0]
            checker.expect(arguments, "help", good, about, found)
        # More than a pipe holds, into a file that takes nothing, and no end: it says so and stops.
        with open("/dev/full", "w", encoding="utf-8") as full:
            arguments = ["run", "-e", "range(9) | repeat()"]
            found = subprocess.run([sys.argv[1], *arguments], stdout=full, stderr=subprocess.PIPE, text=True,
                                   check=False)
        checker.expect(arguments, "standard output that is full", found.returncode == 2 and
                       re.fullmatch(r"error: resource_exhausted: cannot write to standard output: .*\n", found.stderr),
                       "an error", found)
        # On one processor the pipeline's threads say nothing.
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        checker.check(element("-e", "range(2) | map(x -> x + 5, num_parallel_calls: 2) | prefetch(1)", out="5\n6\n"))
        found = checker.call(["--version"])
        checker.expect(["--version"], "version", re.fullmatch(r"weir \d+\.\d+\.\d+\n", found.stdout), "a version",
                       found.stdout)
    print(f"{checker.calls} calls, {checker.failures} failures")
    return 1 if checker.failures else 0


if __name__ == "__main__":
    sys.exit(main())
