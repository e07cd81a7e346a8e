#!/usr/bin/env python3
"""What `weir convert` must not lose on its way from one format to another, and how `info` and `head` read the same files.

    convert_test.py WEIR
"""

import contextlib
import csv
import gzip
import io
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time

from file_tools_test import RECORDS, Tool, check, equal, failures


# Tables, and the names that their first row gives; none where it is a row.
HEADERS = {
    ",a,b\n0,1,2\n1,3,4\n": ["column_0", "a", "b"],
    ",a\n0,x\n1,y\n": ["column_0", "a"],
    "a,b,\n1,x,\n2,y,\n": ["a", "b", "column_2"],
    "id,2020,2021\n5,1,2\n7,3,4\n": ["id", "2020", "2021"],
    '"country","2020"\n"DE",1\n"FR",2\n': ["country", "2020"],
    '"a","b"\n"c","d"\n': ["a", "b"],
    "x,y\n": ["x", "y"],
    "n,s\nNA,u\n7,v\n": ["n", "s"],
    "country,2020\nDE,1\nFR,3\n": None,
    "NA,3,x\n1,4,y\n2,5,z\n": None,
    "x,,y\nz,5,u\n": None,
    "2020-01-01,5\n2020-01-02,6\n": None,
    '"1","2","x"\n"3","","y"\n': None,
    '"1","x,1"\n"2","y,1"\n': None,
    "1,2\n": None,
}


def rows_of(tool, name):
    return [json.loads(line) for line in tool.read(name).splitlines()]


def many_fields(tool):
    """As many as an element has parts, and no file with more is read in part."""
    tool.write("sparse.jsonl", "".join(f'{{"k{i}": {i}}}\n' for i in range(1, 1500)))
    tool("convert", "sparse.jsonl", "sparse2.jsonl")
    equal([row[f"k{i}"] for i, row in enumerate(rows_of(tool, "sparse2.jsonl"), 1)], list(range(1, 1500)), "the value of each row")
    wide = lambda count: {f"k{i}": i for i in range(count)}
    rows = [{"a": 1, "object": wide(5000), "middle": wide(1500), "objects": [wide(4096)]},
            {"a": 2, "object": {}, "middle": wide(1500), "objects": []}]
    tool.write("nested.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    tool("convert", "nested.jsonl", "nested2.jsonl")
    equal(rows_of(tool, "nested2.jsonl"), rows, "objects of many members are json")
    check("object: json" in tool("info", "nested.jsonl") and "k1499: int64}, objects: json" in tool.out, tool.out[-200:])
    tool.write("most.jsonl", json.dumps(wide(4095)) + "\n")
    check("k4094: 4094}" in tool("head", "most.jsonl"), "the last of as many as there may be")
    with tarfile.open(tool.folder / "many.tar", "w") as archive:
        for i in range(1100):
            member = tarfile.TarInfo(f"a.e{i}")
            member.size = 1
            archive.addfile(member, io.BytesIO(b"x"))
    check("e1099: string" in tool("info", "many.tar"), "extensions of an archive")
    before = tool.names()
    tool.write("more.jsonl", json.dumps(wide(4096)) + "\n")
    tool.write("more.csv", ",".join(wide(4096)) + "\n")
    tool.write("missing.jsonl", json.dumps(wide(2100)) + "\n{}\n")
    for name in ("more.jsonl", "more.csv", "missing.jsonl"):
        tool("convert", name, "more2.jsonl", status=2)
        check(f"at most 4096 parts in all, where one that some rows lack has two, found more in {name}" in tool.err, tool.err)
        tool("info", name, status=2)
    equal(set(tool.names()) - set(before), {"more.jsonl", "more.csv", "missing.jsonl"}, "no file in part")


def examples_without_features(tool):
    tool.write("lacking.jsonl", '{"a": null, "b": null}\n{"a": 1, "b": "x"}\n')
    tool("convert", "lacking.jsonl", "lacking.tfrecord")
    tool("convert", "lacking.tfrecord", "lacking.csv")
    equal(tool.read("lacking.csv"), b"a,b\n,\n1,x\n", "features that are all missing")
    tool.write("nothing.jsonl", '{"a": null}\n')
    tool("convert", "nothing.jsonl", "nothing.tfrecord")
    tool("convert", "nothing.tfrecord", "nothing.csv", status=2)
    check("rows with columns, found none in any row" in tool.err, tool.err)
    # TensorFlow writes such an Example as no bytes.
    field = lambda number, content: bytes([number << 3 | 2, len(content)]) + content
    example = field(1, field(1, field(1, b"n") + field(2, field(3, field(1, b"\7")))))
    rows = ", ".join('"' + "".join(f"\\x{byte:02x}" for byte in data) + '"' for data in (b"", example, b""))
    tool.run(f'from_list([{rows}]) | save("empty")')
    tool("convert", "empty", "empty.tfrecord")
    check("kind         TFRecord of tf.Example\n" in tool("info", "empty.tfrecord") and "1 of 3" in tool.out, tool.out)
    equal(tool.run(tool.out.rsplit("\n\n", 1)[1]), "{n: 0}\n{n: 7}\n{n: 0}\n", "its document")
    equal(tool("head", "empty.tfrecord").split(), ["n:", "int64", "-", "7", "-"], "head of it")
    tool("convert", "empty.tfrecord", "empty.jsonl")
    equal([row["n"] for row in rows_of(tool, "empty.jsonl")], [None, 7, None], "objects of it")
    tool("convert", "empty.tfrecord", "empty.csv")
    equal(tool.read("empty.csv"), b'n\n""\n7\n""\n', "a table of it")
    tool("convert", "empty.tfrecord", "empty2.tfrecord")
    equal(tool.read("empty2.tfrecord"), tool.read("empty.tfrecord"), "the same records")
    tool.run('from_list(["", ""]) | save("strings")')
    tool("convert", "strings", "strings.tfrecord")
    check("kind         TFRecord of bytes\n" in tool("info", "strings.tfrecord"), tool.out)
    tool("convert", "strings.tfrecord", "strings.csv")
    equal(tool.read("strings.csv"), b'record\n""\n""\n', "strings are no Examples")


def headers(tool):
    for number, (text, names) in enumerate(HEADERS.items()):
        name = tool.write(f"h{number}.csv", text)
        check(("header       the first row;" in tool("info", name)) == (names is not None), f"{text!r}: {tool.out}")
        check(("header: true" in tool.out) == (names is not None), f"{text!r}: {tool.out}")
        tool("convert", name, f"h{number}.csv2.csv")
        equal(tool("head", "-n", 0, name).split(), names or [f"column_{i}" for i in range(len(next(csv.reader(io.StringIO(text)))))], text)
        equal(tool.read(f"h{number}.csv2.csv").count(b"\n"), text.count("\n") + (names is None), f"rows of {text!r}")
    years = tool.write("years.csv", "country,2020\nDE,1\nFR,3\n")
    tool("convert", "--header", years, "years.jsonl")
    equal(rows_of(tool, "years.jsonl"), [{"country": "DE", "2020": 1}, {"country": "FR", "2020": 3}], "--header")
    check(re.search(r"rows +3\n", tool("info", "--no-header", tool.write("plain.csv", "a,b\n1,2\n3,4\n"))), tool.out)
    equal(tool("index", "--header", "years.csv"), "years.csv: 2 rows\n", "index")
    title = tool.write("title.csv", "x\na,1\nb,2\n")
    check("header       a title, which is left out" in tool("info", title), tool.out)
    tool("convert", title, "title.jsonl", status=2)
    check("expected rows of 2 fields in title.csv" in tool.err and "title.jsonl" not in tool.names(), tool.err)
    tool("convert", "--header", title, "title.jsonl")
    equal([list(row.values()) for row in rows_of(tool, "title.jsonl")], [["a", 1], ["b", 2]], "rows below a title")
    tool("convert", "--header", "years.jsonl", "years2.csv", status=2)
    check("expected a table after --header, found JSON lines: years.jsonl" in tool.err, tool.err)
    tool("head", "--json", title, status=2)
    check(tool.err.endswith("for this command, found --json\n"), tool.err)


def own_tables(tool):
    """What convert writes comes back with the same names and fields."""
    tool.run('range(2) | map(x -> (x, "s", x * 2)) | save("tuples")')
    tool("convert", "tuples", "tuples.csv")
    tool("convert", "tuples.csv", "tuples.jsonl")
    equal(rows_of(tool, "tuples.jsonl"), [{"0": 0, "1": "s", "2": 0}, {"0": 1, "1": "s", "2": 2}], "members of tuples")
    names = ["", "0", "2020", "nan", "a", "x,y", 'q"', " 5", "null", "\u00e9", "line\nend", "\ufeffb", "-", "1e5", "0x1"]
    values = [0, -3, 0.5, "a", "b,c", "", 'd"', None, "\ufeff", "e\nf", True]
    draw = random.Random(5)
    for number in range(60):
        columns = draw.sample(names, draw.randint(1, 3))
        kinds = [draw.choice([values, [1, 2, None], ["p", "q"], [None, "r,s"], ["t,u"]]) for _ in columns]
        rows = [[draw.choice(kind) for kind in kinds] for _ in range(draw.randint(1, 4))]
        rows = [[value if isinstance(value, str) or all(not isinstance(other[i], str) for other in rows) else None
                 for i, value in enumerate(row)] for row in rows]
        tool.write(f"o{number}.jsonl", "".join(json.dumps(dict(zip(columns, row))) + "\n" for row in rows))
        for suffix in ("csv", "tsv"):
            own = f"o{number}.{suffix}"
            tool("convert", f"o{number}.jsonl", own)
            tool("convert", own, f"{own}.jsonl")
            equal([list(row) for row in rows_of(tool, f"{own}.jsonl")], [columns] * len(rows), f"names of {tool.read(own)!r}")
            tool("convert", own, f"p{number}.{suffix}")
            equal(tool.read(f"p{number}.{suffix}"), tool.read(own), "the same table")


def keys_that_are_no_text(tool):
    tool.run('range(2) | map(x -> {a: {"\\xff": x, "\\xfe": x + 10}}) | save("keys")')
    tool.run('range(2) | map(x -> {"\\xff": x, "\\xfe": x + 10}) | save("keys2")')
    for source, name in (("keys", "keys.jsonl"), ("keys2", "keys2.jsonl"), ("keys", "keys.tar")):
        tool("convert", source, name, status=2)
        check('keys that are text, found "\\xff", which is no UTF-8' in tool.err and name not in tool.names(), tool.err)
    tool("convert", "keys2", "keys2.npz")
    equal(tool("head", "keys2.npz"), tool("head", "keys2"), "keys of arrays")


def lists_of_objects(tool):
    rows = [{"v": [{"c": 1, "t": ["a", "b"]}, {"c": 2, "t": []}], "o": {"w": [{"x": True}], "j": [{"q": [[1]]}]}, "p": [{"z": 1.5}]},
            {"v": [], "o": {"w": [{"x": False}, {"x": True}], "j": []}, "p": None},
            {"v": [{"c": -3, "t": ["\u00e9"]}], "o": {"w": [], "j": [1]}, "p": []}]
    tool.write("lists.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    tool("convert", "lists.jsonl", "lists2.jsonl.gz")
    tool("convert", "lists2.jsonl.gz", "lists3.jsonl")
    equal(rows_of(tool, "lists3.jsonl"), rows, "lists of objects")
    tool("convert", "lists.jsonl", "lists.tar")
    with tarfile.open(tool.folder / "lists.tar") as archive:
        equal([json.loads(archive.extractfile(f"0000000{i}.{name}").read()) for i, name in ((0, "v"), (0, "o"), (1, "o"))],
              [rows[0]["v"], rows[0]["o"], rows[1]["o"]], "members of an archive")
    # Keys with dots are no paths.
    dots = [{"a.b": [{"c": 1}], "a": {"b": {"c": [2]}}, "x.y": [1, "m"], "x": {"y": "text"}}]
    tool.write("dots.jsonl", json.dumps(dots[0]) + "\n")
    tool("convert", "dots.jsonl", "dots2.jsonl")
    equal(rows_of(tool, "dots2.jsonl"), dots, "keys with dots")
    tool("convert", "lists.jsonl", "lists")
    check("v: {c: [1, 2], t: ragged(" in tool("head", "lists"), "saved elements have dicts of vectors")


VALUES = {
    "bfloat16": "cast(x, bfloat16)", "complex": "cast(x, complex64)", "complexes": "cast(arange(x + 1), complex64)",
    "half": "cast(x, float16)",
    "halves": "cast(arange(x + 1), float16)", "lengths": "arange(x + 1)", "bytes": '"\\xff"', "zero": '"a\\x00"',
    "texts": '["a", "\\xff"]',
    "sparse": "from_dense([x, 0, 3])", "empty": "{}", "missing": "if x == 0 then nothing(int64) else some(x)",
    "missing_half": "if x == 0 then nothing(float16) else some(cast(x, float16))", "doubles": "[0.1, to_number(\"1e300\", float64)]",
    "lines": "{a: \"b\\n\", c: x}", "line": "\"b\\n\"", "pair": "{a: [x, 1], b: 2}", "long": "zeros([x, 2])",
}


def suggestions(tool):
    """Formats that an error names have a place for the value; .parquet needs an extension."""
    for name, value in VALUES.items():
        tool.run(f'range(3) | map(x -> {value}) | save("v_{name}")')
        for suffix in ("csv", "txt", "jsonl", "tfrecord", "npy", "npz", "tar"):
            tool("convert", f"v_{name}", f"v_{name}.{suffix}", status=None)
            said = re.search(r"; (.*, or )?write (.*) instead", tool.err)
            check(("error: " in tool.err) == bool(said), f"{name} as {suffix}: {tool.err}")
            err = tool.err
            for format in re.findall(r"\.(\w+)", said.group(2)) if said else ():
                if format != "parquet":
                    tool("convert", f"v_{name}", f"u_{name}_{suffix}.{format}", status=None)
                    check(tool.err == "", f"{name} as {suffix}: {err} {tool.err}")


def names_with_line_ends(tool):
    shutil.copy(RECORDS / "five.tfrecord", tool.folder / "a\nb\\.tfrecord")
    document = tool("info", "a\nb\\.tfrecord").rsplit("\n\n", 1)[1].strip()
    equal(document, 'tfrecord("a\\nb\\\\.tfrecord")', "its document")
    equal(tool("run", "--origins", "-n", 1, "-e", document), 'a\\nb\\\\.tfrecord, record 0: "record 0"\n', "one line an element")
    tool.write("\u00e9\t\".txt", "x\n")
    equal(tool.run(tool("info", "\u00e9\t\".txt").rsplit("\n\n", 1)[1].strip()), '"x"\n', "another name")
    tool("convert", "\u00e9\t\".txt", "-", status=2)
    check("found `-`" in tool.err and "-" not in tool.names(), tool.err)


def strings_and_objects(tool):
    """The type of the elements decides whether records are strings or Examples, not the values of a row."""
    lists = [{"v": ["a", "b"]}, {"v": ["c"]}, {"v": []}]
    tool.write("sl.jsonl", "".join(json.dumps(row) + "\n" for row in lists))
    tool("convert", "sl.jsonl", "sl.tfrecord")
    tool("convert", "sl.tfrecord", "sl2.jsonl")
    equal(rows_of(tool, "sl2.jsonl"), lists, "lists of strings")
    tool("convert", "sl.jsonl", "sl.txt", status=2)
    for rows in ([{"s": "a"}, {"s": "bc"}], [{"s": "a"}, {"s": None}]):
        tool.write("so.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        for name in ("so.tfrecord", "so2.jsonl"):
            (tool.folder / name).unlink(missing_ok=True)
        tool("convert", "so.jsonl", "so.tfrecord")
        tool("convert", "so.tfrecord", "so2.jsonl")
        equal(rows_of(tool, "so2.jsonl"), rows, "objects of one string")
    tool.write("st.txt", "a\nbc\n")
    tool.run('text_line("st.txt") | save("st")')
    for name in ("st.txt", "st"):
        tool("convert", name, f"{name}.tfrecord")
        equal(tool("head", f"{name}.tfrecord"), '"a"\n"bc"\n', "strings without a name")


def digits(tool):
    """A number that float32 has exactly, and would write with other digits."""
    numbers = ["4503599627370496.0", "1073741824.0", "123456790528.0", "0.5"]
    tool.write("nd.csv", "a\n" + "\n".join(numbers) + "\n")
    tool("convert", "nd.csv", "nd2.csv")
    equal(tool.read("nd2.csv"), tool.read("nd.csv"), "numbers of a table")
    tool("convert", "nd.csv", "nd.jsonl")
    equal(tool.read("nd.jsonl").decode().splitlines(), [f'{{"a": {number}}}' for number in numbers], "as JSON")
    tool("convert", "nd.jsonl", "nd.tfrecord", status=2)
    check("expected numbers whose digits a float32 has" in tool.err and "found 4503599627370496.0 in a of row 0" in tool.err, tool.err)


def what_errors_find(tool):
    tool.run('range(2) | map(x -> {a: x, h: cast(x, float16), b: [cast(x, bfloat16)]}) | save("halves")')
    tool("convert", "halves", "halves.csv", status=2)
    check("numbers that Examples and tables have, and strings, found float16 in h; write a folder" in tool.err, tool.err)
    tool("convert", "halves", "halves.npz", status=2)
    check("tensors of dtypes that NumPy has, found bfloat16[1] in b; write a folder" in tool.err, tool.err)
    tool("convert", "halves", "halves.jsonl", status=2)
    check("found float16 in h of row 0" in tool.err, tool.err)
    tool.write("braces.jsonl", "{}\n{}\n")
    tool("convert", "braces.jsonl", "braces.npz", status=2)
    check("expected elements with values, found 0 values per element; write a .jsonl" in tool.err, tool.err)
    tool.write("void.csv", "")
    for suffix in ("csv", "jsonl", "tar", "tfrecord"):
        equal(tool("convert", "void.csv", f"void2.{suffix}"), f"void2.{suffix}: 0 rows\n", "a table of no bytes")
    tool.write("packed.parquet.gz", gzip.compress(b"PAR1 and others PAR1"))
    tool("info", "packed.parquet.gz", status=2)
    check("found a Parquet file in gzip: packed.parquet.gz; decompress it, then read it by parquet(files)" in tool.err, tool.err)


def fields_without_a_type(tool):
    rows = [{"v": [], "n": 1, "o": [{"p": [], "q": 3}]}, {"v": [], "n": 2, "o": []}]
    tool.write("hollow.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    check("{v: string[?], n: int64, o: list({p: ragged(string), q: int64})}" in tool("info", "hollow.jsonl"), tool.out)
    tool("convert", "hollow.jsonl", "hollow2.jsonl")
    equal(rows_of(tool, "hollow2.jsonl"), rows, "lists that are all empty")
    tool("convert", "hollow.jsonl", "hollow")
    equal(tool.err, "", "they have a type")
    tool("convert", "hollow", "hollow3.jsonl")
    equal([row["v"] for row in rows_of(tool, "hollow3.jsonl")], [[], []], "saved empty lists")
    tool.write("several.jsonl", '{"id": 1, "o": {"e": {}, "k": [1, "a"]}}\n{"id": "x", "o": {"e": {}, "k": []}}\n')
    tool("convert", "several.jsonl", "several.csv")
    equal(tool.err, "note: fields without one type are JSON text in several.csv: id, o.e, o.k\n", "what is JSON")
    equal(tool.read("several.csv"), b'id,o.e,o.k\n1,{},"[1, ""a""]"\n"""x""",{},[]\n', "JSON in a table")
    tool("convert", "several.jsonl", "several2.jsonl")
    equal(tool.err, "", "nothing becomes text")
    tool.write("unnamed.jsonl", '{"": 1, "b": 2}\n')
    tool("convert", "unnamed.jsonl", "unnamed.npz", status=2)
    check('expected names of arrays, found ""; rename it' in tool.err, tool.err)


def names_of_features(tool):
    rows = [{"a\nb": 1, "c\td": "x"}, {"a\nb": 20, "c\td": "yz"}]
    tool.write("ends.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    tool("convert", "ends.jsonl", "ends.tfrecord")
    check("\n  a\\nb     int64  2 of 2   1 each\n" in tool("info", "ends.tfrecord"), tool.out)
    equal(tool("head", "-n", 1, "ends.tfrecord").split("\n")[0].split(), ["a\\nb:", "int64", "c\\td:", "bytes"], "head")
    tool("convert", "ends.tfrecord", "ends2.jsonl")
    equal(rows_of(tool, "ends2.jsonl"), rows, "objects")


@contextlib.contextmanager
def begun(tool, *arguments, **options):
    """A run that has begun to write a file or folder."""
    with subprocess.Popen([tool.weir, *arguments], cwd=tool.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options) as process:
        while process.poll() is None and not any(name.endswith(".part") for name in tool.names()):
            time.sleep(0.001)
        yield process
        process.kill()


def several_runs(tool):
    """What another run or somebody else has under a name stays, and no run writes into the file of another."""
    tool.write("few.jsonl", '{"a": 1}\n{"a": 20}\n')
    tool.write("many.jsonl", "".join(f'{{"a": {i}, "b": "{i * i}"}}\n' for i in range(300000)))
    tool("convert", "few.jsonl", "few.tfrecord")
    tool("convert", "many.jsonl", "many.tfrecord")
    first = {("convert", "many.jsonl", "race.jsonl.xz"): ("convert", "few.jsonl", "race.jsonl.xz"),
             ("convert", "many.jsonl", "race"): ("convert", "few.jsonl", "race/"),
             ("shard", "-n", "2", "-o", "race.tfrecord.xz", "many.tfrecord"): ("shard", "-n", "2", "-o", "race.tfrecord.xz", "few.tfrecord")}
    for slow, quick in first.items():
        before = tool.names()
        with begun(tool, *slow) as process:
            process.send_signal(signal.SIGSTOP)
            tool(*quick)
            process.send_signal(signal.SIGCONT)
            check("expected a name that is free, found race" in process.communicate()[1], f"{slow} is refused")
            equal(process.returncode, 2, f"status of {slow}")
        made = sorted(set(tool.names()) - set(before))
        check(not any(name.endswith(".part") for name in made), f"{made}")
        equal([line for name in made for line in tool("head", name).splitlines() if "1" in line or "20" in line],
              tool("head", "few.jsonl").splitlines() if "convert" in slow else ["1", "20"], f"rows of {made}")
    tool.write("own.csv.part", "precious")
    (tool.folder / "link.csv.part").symlink_to("own.csv.part")
    (tool.folder / "dangling.csv").symlink_to("nowhere")
    tool("convert", "few.jsonl", "own.csv")
    tool("convert", "few.jsonl", "link.csv")
    equal((tool.read("own.csv.part"), tool.read("link.csv")), (b"precious", b"a\n1\n20\n"), "a file of somebody else")
    tool("convert", "few.jsonl", "dangling.csv", status=2)
    check("a name that is free, found dangling.csv, which exists;" in tool.err and (tool.folder / "dangling.csv").is_symlink(), tool.err)
    equal([name for name in tool.names() if name.endswith(".part")], ["link.csv.part", "own.csv.part"], "no other is left")
    tool("convert", "few.jsonl", "n" * 251 + ".csv")
    equal(tool.read("n" * 251 + ".csv"), b"a\n1\n20\n", "a name as long as names can be")
    (tool.folder / ("n" * 251 + ".csv")).unlink()
    for name in ("link.csv.part", "own.csv.part"):
        (tool.folder / name).unlink()


def ended_runs(tool):
    """Nothing is left of the files of a run that a signal ends."""
    before = tool.names()
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE, signal.SIGTERM):
        for arguments in (("convert", "many.jsonl", "ended.jsonl.xz"), ("shard", "-n", "3", "-o", "ended.xz", "many.tfrecord")):
            with begun(tool, *arguments) as process:
                process.send_signal(number)
                equal(process.wait(), -number, f"{arguments} after {number}")
            equal(tool.names(), before, f"files of {arguments} after {number}")
    with begun(tool, "convert", "many.jsonl", "ended.csv", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as process:
        process.send_signal(signal.SIGHUP)
        equal(process.wait(), 0, "a run that ignores a signal")


def progress(tool):
    """The rate of a table is in bytes of the file; elements of which these aren't known have one in rows."""
    tool("convert", "many.jsonl", "many.csv")
    for source, target, unit in (("many.csv", "bar.csv.xz", r"\d+\.\d MB/s, \d+ %, \d+ s left"), ("many.jsonl", "bar.jsonl.xz", r"[1-9]\d* rows/s$")):
        terminal, given = os.openpty()
        with subprocess.Popen([tool.weir, "convert", source, target], cwd=tool.folder, stdout=subprocess.DEVNULL, stderr=given) as process:
            shown = os.read(terminal, 1000).decode()
            process.kill()
        os.close(terminal)
        os.close(given)
        check(re.search(r"[\d,]+ rows, " + unit, shown), f"{source}: {shown!r}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        tool = Tool(sys.argv[1], folder)
        many_fields(tool)
        examples_without_features(tool)
        headers(tool)
        own_tables(tool)
        keys_that_are_no_text(tool)
        lists_of_objects(tool)
        suggestions(tool)
        names_with_line_ends(tool)
        strings_and_objects(tool)
        digits(tool)
        what_errors_find(tool)
        fields_without_a_type(tool)
        names_of_features(tool)
        several_runs(tool)
        ended_runs(tool)
        progress(tool)
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
