#!/usr/bin/env python3
"""The commands of files, on files elsewhere: over http, and in a store that can be listed and written.

    elsewhere_test.py WEIR EXTENSIONS STORE

EXTENSIONS is the folder with weir-remote, STORE that with weir-dir, for which dir:///a/b is the file /a/b.
"""

import contextlib
import functools
import gzip
import http.server
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORDS = ROOT / "tests/data/records"
ARROW = ROOT / "tests/conformance/data/own/arrow"

failures = []


def check(condition, what):
    if not condition:
        failures.append(what)


def equal(found, expected, what):
    check(found == expected, f"{what}: expected {expected!r}, found {found!r}")


class Handler(http.server.SimpleHTTPRequestHandler):
    """With one range a request, as weir asks; nothing is logged."""

    def do_GET(self):
        path = pathlib.Path(self.translate_path(self.path))
        if not path.is_file():
            return self.send_error(404)
        data = path.read_bytes()
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        begin, end = (int(wanted[1]), int(wanted[2] or len(data))) if wanted else (0, len(data))
        if wanted and begin >= len(data):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(data)}")
            self.send_header("Content-Length", "0")
            return self.end_headers()
        part = data[begin:end + 1]
        self.send_response(206 if wanted else 200)
        if wanted:
            self.send_header("Content-Range", f"bytes {begin}-{begin + len(part) - 1}/{len(data)}")
        self.send_header("ETag", f'"{path.stat().st_mtime_ns}"')
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        self.wfile.write(part)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serving(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Tool:
    def __init__(self, weir, extensions, folder):
        self.weir, self.folder = weir, pathlib.Path(folder)
        (self.folder / "home").mkdir()
        self.environment = os.environ | {"WEIR_EXTENSIONS": extensions, "HOME": str(self.folder / "home"),
                                         "no_proxy": "127.0.0.1"}
        self.environment.pop("XDG_CACHE_HOME", None)

    def __call__(self, *arguments, status=0):
        done = subprocess.run([self.weir, *map(str, arguments)], cwd=self.folder, env=self.environment, text=True,
                              capture_output=True, timeout=120, check=False)
        self.err = done.stderr
        check(status is None or done.returncode == status,
              f"{arguments}: expected status {status}, found {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}")
        return done.stdout


def write_data(folder):
    """Files of several kinds by name."""
    data = {"five.tfrecord": (RECORDS / "five.tfrecord").read_bytes(), "lines.txt": b"one\n\ntwo",
            "t.csv": b"name,count\na,1\nb,2\n", "o.jsonl.gz": gzip.compress(b'{"id": 1}\n{"id": 2}\n'),
            "people.tar": (ROOT / "tests/data/records/people.tar").read_bytes(),
            "a.npy": (ROOT / "tests/conformance/data/new/npy/several-files-0.npy").read_bytes(),
            "a.npz": (ROOT / "tests/conformance/data/new/npz/deflated.npz").read_bytes()}
    folder.mkdir()
    for name, contents in data.items():
        (folder / name).write_bytes(contents)
    return data


def reads(tool, folder, base):
    """Each file says there what it says here, but for its name."""
    for name in write_data(folder):
        for verb in ("head", "info", "validate"):
            here, there = tool(verb, folder / name), tool(verb, base + name)
            equal(there, here.replace(str(folder) + "/", base), f"{verb} {name}")
        document = tool("info", base + name).rsplit("\n\n", 1)[1].strip()
        check(base + name in document, f"{name}: its name in {document}")
        equal(tool("run", "-e", document), tool("run", "-e", document.replace(base, str(folder) + "/")), f"running {document}")
        equal(tool("digest", "-e", document), tool("digest", "-e", document.replace(base, str(folder) + "/")), "its digest")
    for name, rows in {"five.tfrecord": "5 records", "lines.txt": "3 lines", "people.tar": "3 elements"}.items():
        equal(tool("index", base + name), f"{base}{name}: {rows}\n", f"index {name}")
    tool("head", base + "none.tfrecord", status=2)
    check("not_found" in tool.err and base + "none.tfrecord" in tool.err, f"a missing file: {tool.err}")


def over_http(tool):
    folder = tool.folder / "www"
    with serving(folder) as base:
        reads(tool, folder, base)
        check(not (folder / "five.tfrecord.weir-index").exists(), "an index is not beside a file that can't be written")
        check(any((tool.folder / "home").rglob("*.weir-index")), "but in the cache folder")
        tool("convert", base + "t.csv", "t.jsonl")
        equal((tool.folder / "t.jsonl").read_text(), '{"name": "a", "count": 1}\n{"name": "b", "count": 2}\n', "convert from http")
        tool("convert", "t.jsonl", base + "t.csv", status=2)
        tool("convert", "t.jsonl", base + "new.csv", status=2)
        check("unimplemented" in tool.err, f"writing over http: {tool.err}")
    (tool.folder / "document.weir").write_text("range(2)")
    equal(tool("run", "document.weir"), "0\n1\n", "documents are here")


def in_a_store(tool):
    folder = tool.folder / "store"
    base = f"dir://{folder}/"
    reads(tool, folder, base)
    check((folder / "five.tfrecord.weir-index").exists(), "an index is beside its file")
    (folder / "train-0.txt").write_bytes(b"a\n")
    (folder / "train-1.txt").write_bytes(b"b\n")
    equal(tool("head", base + "train-*.txt"), f'{base}train-0.txt:\n"a"\n\n{base}train-1.txt:\n"b"\n', "a pattern")
    tool("head", base + "none-*.txt", status=2)
    check("none-*.txt" in tool.err, f"a pattern without files: {tool.err}")
    for source, target in {"t.csv": "c/t.tfrecord", "c/t.tfrecord": "c/t.csv.gz", "c/t.csv.gz": "c/t.jsonl", "c/t.jsonl": "c/t.npz",
                           "c/t.npz": "c/t.tar.zst", "c/t.tar.zst": "saved", "lines.txt": "c/lines.txt.xz"}.items():
        tool("convert", base + source, base + target)
        check(tool("validate", base + target).endswith("no damage\n"), f"{target} is whole")
    equal(tool("head", base + "saved"), '{__key__: "00000000", count: "1", name: "a"}\n{__key__: "00000001", count: "2", name: "b"}\n',
          "what came through all of them")
    info = tool("info", base + "saved")
    check("kind         saved elements" in info and f'load("{base}saved")' in info, info)
    names = sorted(path.name for path in (folder / "c").iterdir())
    tool("convert", base + "t.csv", base + "c/t.jsonl", status=2)
    check("a name that is free" in tool.err, f"writing over a file: {tool.err}")
    tool("convert", base + "saved", base + "c/x.npy", status=2)
    (folder / "bad.tfrecord").write_bytes((folder / "five.tfrecord").read_bytes()[:-3])
    tool("convert", base + "bad.tfrecord", base + "c/bad.txt", status=2)
    equal(sorted(path.name for path in (folder / "c").iterdir()), names, "a conversion that fails leaves nothing")
    tool("shard", "-n", 2, "-o", base + "half.tfrecord.zst", base + "five.tfrecord", base + "five.tfrecord")
    equal(tool("run", "-e", f'tfrecord(list_files("{base}half-*", shuffle: false), compression: "auto")').split("\n")[0],
          '"record 0"', "shards")


def of_an_extension(tool):
    """A format that an extension reads is known by its first bytes where the extension is, and else refused by its name."""
    for name, kind in (("many-batches.arrow", "Arrow file"), ("many-batches.arrows", "Arrow stream")):
        (tool.folder / "a").write_bytes((ARROW / name).read_bytes())
        info = tool("info", "a")
        for line in (f"kind         {kind}\n", "elements     20\n", "structure    {i: int64, s: string}\n", '\n  arrow("a")\n'):
            check(line in info, f"info: expected {line!r} in {info}")
        equal(tool("head", "-n", 2, "a"), '{i: 0, s: "row 0"}\n{i: 1, s: "row 1"}\n', "head")
        equal(tool("validate", "a"), "a: 20 rows, no damage\n", "validate")
        tool("convert", "a", f"{name}.csv")
        rows = "".join(f"{i},row {i}\n" for i in range(20))
        equal((tool.folder / f"{name}.csv").read_text(), "i,s\n" + rows, "convert")
    damaged = bytearray((ARROW / "many-batches.arrow").read_bytes())
    # How many rows the first batch has.
    damaged[0x100] = 9
    (tool.folder / "d").write_bytes(damaged)
    rows = tool("run", "-e", 'arrow("d") | partition(1, p -> p, by: "index")', status=1).splitlines()
    check(len(rows) == 18 and rows[17] == '{i: 19, s: "row 19"}', f"a batch that counts its rows wrongly: {rows}")
    (tool.folder / "n").write_bytes((ROOT / "tests/conformance/data/new/parquet/nulls-are-errors.parquet").read_bytes())
    check("elements     4\n" in tool("info", "n"), "info of nulls")
    check('\n  parquet("n", nulls: "optional")\n' in tool("info", "n"), "their document")
    equal(tool("head", "-n", 1, "n"), '{a: some(1), b: some("x"), f: none}\n', "head of nulls")
    equal(tool("validate", "n"), "n: 4 rows, no damage\n", "validate of nulls")
    tool("convert", "n", "n.jsonl")
    equal(len((tool.folder / "n.jsonl").read_text().splitlines()), 4, "convert of nulls")
    (tool.folder / "r").write_bytes((ROOT / "tests/conformance/data/own/array_record/three.array_record").read_bytes())
    info = tool("info", "r")
    for line in ("kind         ArrayRecord file (Riegeli)\n", "elements     3\n", "structure    string\n", '\n  array_record("r")\n'):
        check(line in info, f"info: expected {line!r} in {info}")
    equal(tool("head", "r"), '"a"\n"record 1"\n""\n', "head of records")
    equal(tool("validate", "r"), "r: 3 rows, no damage\n", "validate of records")
    tool("convert", "r", "r.tfrecord")
    equal(tool("head", "r.tfrecord"), '"a"\n"record 1"\n""\n', "records as TFRecords")
    (tool.folder / "h").write_bytes((ROOT / "tests/conformance/data/own/hdf5/three.h5").read_bytes())
    info = tool("info", "h")
    structure = '{image: uint8[2, 2], label: int64, "text/name": string}'
    for line in ("kind         HDF5 file\n", "elements     3\n", f"structure    {structure}\n", '\n  hdf5("h")\n'):
        check(line in info, f"info: expected {line!r} in {info}")
    equal(tool("head", "-n", 1, "h"), '{image: [[0, 1], [2, 3]], label: 7, "text/name": "a"}\n', "head of datasets")
    equal(tool("validate", "h"), "h: 3 rows, no damage\n", "validate of datasets")
    rows = "".join(f'{{"i": {i}, "s": "row {i}", "l": [{i}, {i % 3}], "o": {"null" if i % 2 else i / 4}}}\n' for i in range(9))
    (tool.folder / "o.jsonl").write_text(rows)
    for suffix in ("parquet", "arrow", "feather", "arrows"):
        equal(tool("convert", "o.jsonl", f"o.{suffix}"), f"o.{suffix}: 9 rows\n", f"convert to {suffix}")
        equal(tool("validate", f"o.{suffix}"), f"o.{suffix}: 9 rows, no damage\n", f"validate {suffix}")
        tool("convert", f"o.{suffix}", f"{suffix}.jsonl")
        equal((tool.folder / f"{suffix}.jsonl").read_text(), rows, f"what went through {suffix}")
    (tool.folder / "cut.jsonl").write_text(rows[:-5])
    tool("convert", "cut.jsonl", "cut.parquet", status=2)
    check("record 8" in tool.err and not (tool.folder / "cut.parquet").exists(), tool.err)
    del tool.environment["WEIR_EXTENSIONS"]
    tool("convert", "o.jsonl", "p.parquet", status=2)
    check("needs the extension weir-parquet" in tool.err and not (tool.folder / "p.parquet").exists(), tool.err)
    tool("info", "a", status=2)
    check("found an Arrow stream" in tool.err, tool.err)


def main():
    weir, extensions, store = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        in_a_store(Tool(weir, store, folder))
    if (pathlib.Path(extensions) / "libweir-parquet.so").exists():
        with tempfile.TemporaryDirectory() as folder:
            of_an_extension(Tool(weir, extensions, folder))
    if (pathlib.Path(extensions) / "libweir-remote.so").exists():
        with tempfile.TemporaryDirectory() as folder:
            over_http(Tool(weir, extensions, folder))
    else:
        print("weir-remote was not built, since libcurl is missing: nothing was read over http")
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
