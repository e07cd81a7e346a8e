#!/usr/bin/env python3
"""Compares the keys of the JSON that the library prints with docs/json.md, both ways.

    json_test.py LIBRARY SOURCE_FOLDER

The page has a table per function; its first column names keys by their paths: `inputs[]`, `window.rows`. A type "as `x`" says
that the value has the keys of path x, and "any" that its keys are free. Every key that is printed is in the table, and every
key of the table is printed by one of the samples below.
"""

import ctypes
import json
import pathlib
import re
import sys
import tempfile

UNTIL_LENGTH = ctypes.c_uint64(2**64 - 1)
ROW = re.compile(r"^\| `([^`]+)` \| ([^|]+) \|")
SECTION = re.compile(r"^## .*`(weir_\w+)`")


class Handle(ctypes.Structure):
    _fields_ = [("value", ctypes.c_uint64)]


class Bytes(ctypes.Structure):
    _fields_ = [("data", ctypes.POINTER(ctypes.c_char)), ("size", ctypes.c_uint64), ("owner", ctypes.c_uint64)]


class Argument(ctypes.Structure):
    """weir_argument, of a kind with a text and members."""


Argument._fields_ = [
    ("struct_size", ctypes.c_uint32), ("kind", ctypes.c_uint32), ("name", ctypes.c_char_p), ("name_size", ctypes.c_uint64),
    ("text", ctypes.c_char_p), ("text_size", ctypes.c_uint64), ("passed", ctypes.c_uint64 * 4),
    ("members", ctypes.POINTER(Argument)), ("member_count", ctypes.c_uint64), ("number", ctypes.c_double)]
TEXT, CALL, JOINED = 0, 7, 8


def argument(kind, text, *members):
    return Argument(ctypes.sizeof(Argument), kind, b"", 0, text, len(text), (0, 0, 0, 0), (Argument * len(members))(*members),
                    len(members), 0.0)


class Library:
    """weir.h, as far as the samples need it."""

    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))
        self.runtime = self.made("weir_runtime_create", None)

    def call(self, name, *arguments):
        result = getattr(self.library, name)(*arguments, None)
        if result not in (0, 1):
            sys.exit(f"{name} returned {result}")
        return result

    def made(self, name, *arguments):
        out = Handle()
        self.call(name, *arguments, ctypes.byref(out))
        return out

    def json(self, name, *arguments):
        out = Bytes()
        self.call(name, *arguments, ctypes.byref(out))
        return json.loads(ctypes.string_at(out.data, out.size))

    def dataset(self, text):
        return self.made("weir_dataset_parse", self.runtime, text.encode(), UNTIL_LENGTH, None, ctypes.c_uint64(0))

    def iterator(self, text):
        return self.made("weir_iterator_create", self.runtime, self.dataset(text), None)

    def take(self, iterator, count):
        element = self.made("weir_element_create")
        for _ in range(count):
            getattr(self.library, "weir_iterator_next")(iterator, element, None)


def explained(library):
    for text in ("range(10) | map(x -> x + 1) | map(x -> x * 2) | prefetch(4)", "range(10) | shuffle(4)"):
        yield library.json("weir_dataset_explain", library.dataset(text), 0)
    for text in ("range(3) | partition(2, p -> p)", 'tfrecord(["a", "b"]) | partition(2, p -> p)'):
        yield library.json("weir_dataset_explain", library.dataset(text), 4)


def schemas(library):
    yield library.json("weir_schema", None, ctypes.c_uint64(0), 0)


def checked(library):
    for text in ("range(3) | take(true) | bathc(2)", "range(3) | map(x -> x.a)", "range(3) | shard(2, 5)", "range(3"):
        yield library.json("weir_dataset_check", library.runtime, text.encode(), UNTIL_LENGTH, None, ctypes.c_uint64(0), 0)
    wrong = argument(JOINED, b"a label", argument(TEXT, b"x -> x"), argument(TEXT, b".a"))
    call = argument(CALL, b"map", argument(CALL, b"range", argument(TEXT, b"3")), wrong)
    yield library.json("weir_dataset_check", library.runtime, None, ctypes.c_uint64(0), ctypes.byref(call),
                       ctypes.c_uint64(1), 0)


def counted(library):
    text = "range(100000) | map(x -> (range(x % 50) | reduce(0, (s, y) -> s + y)), num_parallel_calls: 2) | batch(10)"
    iterator = library.iterator(text)
    for _ in range(200):
        library.take(iterator, 40)
        found = library.json("weir_iterator_stats", iterator, 0)
        if found["verdict"]["bound"] == "stage":
            break
    yield found
    copied = library.iterator('range(8) | batch(2) | to_device("cuda:0")')
    library.take(copied, 2)
    yield library.json("weir_iterator_stats", copied, 0)


def described(library):
    with tempfile.TemporaryDirectory() as folder:
        iterator = library.iterator("range(10) | shuffle(4, seed: 1) | repeat(2)")
        library.take(iterator, 3)
        file = f"{folder}/position".encode()
        library.call("weir_iterator_save_file", iterator, file, UNTIL_LENGTH)
        yield library.json("weir_checkpoint_describe", library.runtime, file, UNTIL_LENGTH, 0)
        managed = f"{folder}/managed"
        manager = library.made("weir_checkpoint_manager_create", library.runtime, managed.encode(), UNTIL_LENGTH, None)
        library.call("weir_checkpoint_manager_save", manager, iterator, b"ab", ctypes.c_uint64(2))
        for path in pathlib.Path(managed).glob("*.ckpt"):
            yield library.json("weir_checkpoint_describe", library.runtime, str(path).encode(), UNTIL_LENGTH, 0)
            path.write_bytes(path.read_bytes()[:-3])
        yield library.json("weir_checkpoint_describe", library.runtime, managed.encode(), UNTIL_LENGTH, 2)


SAMPLES = {"weir_schema": schemas, "weir_dataset_explain": explained, "weir_dataset_check": checked,
           "weir_iterator_stats": counted, "weir_checkpoint_describe": described}


def tables(page):
    """By function, the type of each path."""
    found, paths = {}, None
    for line in page.read_text(encoding="utf-8").splitlines():
        if match := SECTION.match(line):
            paths = found.setdefault(match.group(1), {})
        elif line.startswith("## "):
            paths = None
        elif paths is not None and (match := ROW.match(line)):
            paths[match.group(1)] = match.group(2).strip()
    return found


def walk(value, path, types, seen):
    """Adds the paths of a value to those seen."""
    if path:
        seen.add(path)
        kind = types.get(path, "")
        if kind == "any":
            return
        if match := re.match(r"as `([^`]+)`", kind):
            path = match.group(1)
    if isinstance(value, dict):
        for key, member in value.items():
            walk(member, f"{path}.{key}" if path else key, types, seen)
    elif isinstance(value, list):
        for member in value:
            walk(member, f"{path}[]", types, seen)


def main():
    """Prints what differs."""
    # The driver that to_device then finds.
    ctypes.CDLL(str(pathlib.Path(sys.argv[1]).parent / "fake_cuda" / "libcuda.so.1"))
    library = Library(sys.argv[1])
    documented = tables(pathlib.Path(sys.argv[2]) / "docs" / "json.md")
    problems = [f"docs/json.md has no section of {name}" for name in SAMPLES if name not in documented]
    for name, types in documented.items():
        seen = set()
        for value in SAMPLES[name](library):
            walk(value, "", types, seen)
        scalars = {path for path in seen if path.endswith("[]") and path not in types}
        problems += [f"{name} prints {path}, which docs/json.md lacks" for path in sorted(seen - scalars - set(types))]
        problems += [f"docs/json.md has {path} of {name}, which no sample prints" for path in sorted(set(types) - seen)]
    print(*problems, sep="\n")
    print(f"{sum(map(len, documented.values()))} keys, {len(problems)} failures")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
