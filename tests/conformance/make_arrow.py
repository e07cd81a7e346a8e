#!/usr/bin/env python3
"""Writes the files of data/own/arrow, which own_arrow.cases reads: make_arrow.py, with a Python that has pyarrow."""

import pathlib
import struct
from decimal import Decimal

import numpy as np
import pyarrow as pa
from pyarrow import feather, ipc

import make_parquet

FOLDER = pathlib.Path(__file__).parent / "data/own/arrow"


def write(name, batches, compression=None, deltas=False):
    """A file, or, if its name ends with .arrows, a stream."""
    options = ipc.IpcWriteOptions(compression=compression, emit_dictionary_deltas=deltas)
    make = ipc.new_stream if name.endswith(".arrows") else ipc.new_file
    with make(FOLDER / name, batches[0].schema, options=options) as writer:
        for batch in batches:
            writer.write_batch(batch)


def batches_of(columns, *cuts):
    table = pa.table(columns)
    ends = [*cuts, len(table)]
    return [table.slice(begin, end - begin).combine_chunks().to_batches(max_chunksize=None)[0]
            for begin, end in zip([0, *cuts], ends)]


def numbers():
    columns = {"b": pa.array([True, False, True, True, False])}
    for name in ("int8", "int16", "int32", "int64"):
        low = np.iinfo(name).min
        columns[name] = pa.array([low, -1, 0, 1, -(low + 1)], name)
        columns["u" + name] = pa.array([0, 1, 2, 3, np.iinfo("u" + name).max], "u" + name)
    columns["float16"] = pa.array(np.array([0, 1.5, -2, np.inf, 0.25], np.float16))
    columns["float32"] = pa.array([0, 1.5, -2, 1e30, 0.25], pa.float32())
    columns["float64"] = pa.array([0, 1.5, -2, 1e300, 0.1], pa.float64())
    return columns


def texts():
    words = ["a", "", "a longer text than twelve bytes", "é", "z"]
    return {
        "s": pa.array(words), "l": pa.array(words, pa.large_string()), "v": pa.array(words, pa.string_view()),
        "b": pa.array([word.encode() for word in words]), "w": pa.array([b"\xff\x00", b"", b"b" * 20, b"c", b"d"], pa.binary_view()),
        "f": pa.array([b"abc", b"def", b"\x00\xff ", b"xyz", b"123"], pa.binary(3)),
    }


def times():
    return {
        "d": pa.array([0, 1, -1], pa.date32()), "ms": pa.array([0, 86400000, -86400000], pa.date64()),
        "t": pa.array([0, 1, 86399], pa.time32("s")), "n": pa.array([0, 1, 5], pa.time64("ns")),
        "u": pa.array([0, 1, -1], pa.timestamp("us", "Europe/Berlin")), "s": pa.array([0, 2, -2], pa.timestamp("s")),
        "l": pa.array([0, 3, -3], pa.duration("ms")),
        "p": pa.array([Decimal("1.25"), Decimal("-0.01"), Decimal("12345678.90")], pa.decimal128(10, 2)),
        "q": pa.array([Decimal("1.5"), Decimal("-2.5"), Decimal("0.0")], pa.decimal64(5, 1)),
    }


def nested():
    point = pa.struct([("x", pa.int64()), ("y", pa.list_(pa.string()))])
    return {
        "v": pa.array([[1, 2], [], [3]]), "l": pa.array([["a"], ["b", "cc"], []], pa.large_list(pa.string())),
        "f": pa.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], pa.list_(pa.float32(), 2)),
        "r": pa.array([[[1], [2, 3]], [], [[]]]),
        "o": pa.array([{"x": 1, "y": ["p"]}, {"x": 2, "y": []}, {"x": 3, "y": ["q", "r"]}], point),
        "c": pa.array([[{"n": 1, "w": "a"}], [], [{"n": 2, "w": "b"}, {"n": 3, "w": "c"}]]),
        "m": pa.array([[("k", 1)], [], [("i", 2), ("j", 3)]], pa.map_(pa.string(), pa.int64())),
    }


def dictionaries():
    color = pa.array(["red", "green", "blue", "red", "a color with a long name"])
    return {
        "color": color.dictionary_encode(), "n": pa.array([10, 20, 10, 30, 20]).dictionary_encode(),
        "small": color.dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string())),
        "view": pa.DictionaryArray.from_arrays(pa.array([2, 1, 0, 0, 1], pa.uint16()), pa.array(["x", "y", "a long text in a view"], pa.string_view())),
        "lists": pa.DictionaryArray.from_arrays(pa.array([1, 0, 1, 1, 0], pa.int32()), pa.array([["a"], ["b", "c"]])),
        "in_lists": pa.ListArray.from_arrays([0, 2, 2, 3, 5, 5], pa.array(["p", "q", "p", "r", "q"]).dictionary_encode()),
        "in_structs": pa.StructArray.from_arrays([pa.array(["u", "v", "u", "u", "v"]).dictionary_encode()], ["d"]),
    }


def changing(*dictionaries):
    batches = []
    for values in dictionaries:
        column = pa.DictionaryArray.from_arrays(pa.array(range(len(values)), pa.int32()), pa.array(values))
        batches.append(pa.record_batch({"i": pa.array(range(len(values))), "d": column}))
    return batches


def unread():
    return {
        "a": pa.array([1, 2, 3]), "nothing": pa.nulls(3),
        "sparse": pa.UnionArray.from_sparse(pa.array([0, 1, 0], pa.int8()), [pa.array([1, 2, 3]), pa.array(["a", "b", "c"])]),
        "dense": pa.UnionArray.from_dense(pa.array([0, 1, 0], pa.int8()), pa.array([0, 0, 1], pa.int32()), [pa.array([1, 2]), pa.array(["b"])]),
        "views": pa.array([[1], [2, 3], []], pa.list_view(pa.int64())),
        "runs": pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array(["x", "y"])),
        "interval": pa.array([(1, 2, 3), (4, 5, 6), (7, 8, 9)], pa.month_day_nano_interval()),
        "o": pa.StructArray.from_arrays([pa.nulls(3), pa.array([7, 8, 9])], ["nothing", "n"]),
        "z": pa.array(["x", "y", "z"]),
    }


def null_objects():
    inner = pa.struct([("z", pa.string())])
    outer = pa.struct([("x", pa.int64()), ("y", inner)])
    return {"c": pa.array([{"x": 1, "y": {"z": "s"}}, None, {"x": 2, "y": None}, {"x": 3, "y": {"z": None}}], outer),
            "l": pa.array([[{"y": {"z": "t"}}, None], [], [{"y": None}], None], pa.list_(pa.struct([("y", inner)])))}


def without_columns(data, number):
    """The file with a batch whose metadata says nothing of its rows and columns."""
    word = lambda at, kind="<i": struct.unpack_from(kind, data, at)[0]
    vtable = lambda table: table - word(table)
    field = lambda table, place: word(vtable(table) + place, "<H") if place < word(vtable(table), "<H") else 0
    at = 8
    for _ in range(number + 2):
        message = at + 8 + word(at + 8)
        body = word(message + field(message, 10), "<q") if field(message, 10) else 0
        at += 8 + word(at + 4) + body
    header = message + field(message, 8)
    out = bytearray(data)
    struct.pack_into("<H", out, vtable(header + word(header)), 4)
    return bytes(out)


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, columns in (("numbers", numbers()), ("texts", texts()), ("nested", nested())):
        write(name + ".arrow", batches_of(columns, 2))
        write(name + ".arrows", batches_of(columns, 1))
    write("times.arrow", batches_of(times()))
    write("dictionaries.arrow", batches_of(dictionaries(), 3))
    nulls = {"a": [1, None, 3], "b": ["x", "y", None], "v": [[1, 2], None, []], "o": [{"x": 1}, {"x": None}, None],
             "d": pa.array(["p", None, "q"]).dictionary_encode()}
    write("nulls.arrow", batches_of(nulls, 2))
    write("null-objects.arrow", batches_of(null_objects()))
    write("parts.arrow", batches_of(make_parquet.nested(), 6))
    write("repeated.arrow", [pa.record_batch([pa.array([1, 2]), pa.array([3, 4]), pa.array([5, 6])], ["d", "e", "d"])])
    write("no-rows.arrow", [pa.record_batch({"a": pa.array([], pa.int64())})])
    with ipc.new_stream(FOLDER / "no-batches.arrows", pa.schema({"a": pa.int64()})):
        pass
    many = [pa.record_batch({"i": pa.array(range(begin, end), pa.int64()), "s": pa.array([f"row {i}" for i in range(begin, end)], pa.string())})
            for begin, end in ((0, 3), (3, 3), (3, 10), (10, 11), (11, 11), (11, 20))]
    write("many-batches.arrow", many)
    write("many-batches.arrows", many)
    long = {"i": pa.array(range(300)), "s": pa.array([f"text {i % 7}" * 3 for i in range(300)]), "v": pa.array([[i] * (i % 3) for i in range(300)])}
    write("lz4.arrow", batches_of(long, 100), compression="lz4")
    write("zstd.arrows", batches_of(long, 100), compression="zstd")
    feather.write_feather(pa.table(long), FOLDER / "long.feather", compression="lz4", chunksize=128)
    write("deltas.arrows", changing(["a", "b"], ["a", "b", "c"], ["a", "b", "c", "a long text in a dictionary"]), deltas=True)
    write("deltas.arrow", changing(["a", "b"], ["a", "b", "c"]), deltas=True)
    write("replaced.arrows", changing(["a", "b"], ["x"], ["x", "y", "z"], ["a", "b"]))
    write("unread.arrow", batches_of(unread()))
    lists = {"m": pa.array([[("k", None)], []], pa.map_(pa.string(), pa.null())), "l": pa.array([[{"n": None}], []], pa.list_(pa.struct([("n", pa.null())])))}
    write("unread-lists.arrow", batches_of(lists))
    stream = (FOLDER / "many-batches.arrows").read_bytes()
    (FOLDER / "no-mark.arrows").write_bytes(stream[:-8])
    (FOLDER / "cut.arrows").write_bytes(stream[:-100])
    (FOLDER / "cut.arrow").write_bytes((FOLDER / "many-batches.arrow").read_bytes()[:-20])
    (FOLDER / "no-columns.arrow").write_bytes(without_columns((FOLDER / "many-batches.arrow").read_bytes(), 2))
    old = ipc.IpcWriteOptions(use_legacy_format=True, metadata_version=ipc.MetadataVersion.V4)
    for name, make in (("legacy.arrow", ipc.new_file), ("legacy.arrows", ipc.new_stream)):
        with make(FOLDER / name, many[0].schema, options=old) as writer:
            writer.write_batch(many[2])


if __name__ == "__main__":
    main()
