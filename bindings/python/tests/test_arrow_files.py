"""What arrow(files) reads from files and streams of pyarrow, compared with pyarrow."""

import random

import numpy as np
import pytest

import weir

pyarrow = pytest.importorskip("pyarrow")
ipc = pytest.importorskip("pyarrow.ipc")
parquet = pytest.importorskip("pyarrow.parquet")
from tables import LARGE_ROWS, large_groups, most_memory, needs_parquet, plain, value_of  # noqa: E402

pytestmark = needs_parquet


def write(path, table, rows, compression=None, stream=False, deltas=False):
    options = ipc.IpcWriteOptions(compression=compression, emit_dictionary_deltas=deltas)
    with (ipc.new_stream if stream else ipc.new_file)(path, table.schema, options=options) as writer:
        for begin in range(0, max(len(table), 1), rows):
            writer.write_table(table.slice(begin, rows))


def arrow(runtime, path, rest=""):
    return weir.parse(f'arrow("{path}"{rest})', runtime=runtime)


def shown(rows):
    return [str(row) for row in rows]


def columns_of_every_type(count, seed=1):
    draw = random.Random(seed)
    numbers = np.random.default_rng(seed)
    words = ["".join(draw.choices("abcé ", k=draw.choice([0, 3, 12, 13, 40]))) for _ in range(count)]
    lists = [[draw.randrange(100) for _ in range(draw.randrange(4))] for _ in range(count)]
    out = {"bool": pyarrow.array([draw.random() < 0.5 for _ in range(count)])}
    for width in ("int8", "int16", "int32", "int64"):
        for kind in (width, "u" + width):
            limits = np.iinfo(kind)
            out[kind] = pyarrow.array(numbers.integers(limits.min, limits.max, count, kind, endpoint=True))
    for kind in ("float16", "float32", "float64"):
        out[kind] = pyarrow.array(numbers.normal(size=count).astype(kind))
    for name in ("string", "large_string", "string_view"):
        out[name] = pyarrow.array(words, getattr(pyarrow, name)())
    for name in ("binary", "large_binary", "binary_view"):
        out[name] = pyarrow.array([word.encode() for word in words], getattr(pyarrow, name)())
    out["fixed"] = pyarrow.array([draw.randbytes(5) for _ in range(count)], pyarrow.binary(5))
    seconds = [draw.randrange(10**9) for _ in range(count)]
    out["date32"] = pyarrow.array([s % 40000 for s in seconds], pyarrow.date32())
    out["date64"] = pyarrow.array([s % 40000 * 86400000 for s in seconds], pyarrow.date64())
    out["time32"] = pyarrow.array([s % 86400 for s in seconds], pyarrow.time32("s"))
    out["time64"] = pyarrow.array(seconds, pyarrow.time64("ns"))
    out["timestamp"] = pyarrow.array(seconds, pyarrow.timestamp("ms", "UTC"))
    out["duration"] = pyarrow.array(seconds, pyarrow.duration("us"))
    out["decimal"] = pyarrow.array(seconds, pyarrow.decimal128(12, 2))
    out["list"] = pyarrow.array(lists)
    out["large_list"] = pyarrow.array(lists, pyarrow.large_list(pyarrow.int16()))
    out["pair"] = pyarrow.array([[s, s + 1] for s in seconds], pyarrow.list_(pyarrow.int64(), 2))
    out["lists"] = pyarrow.array([[entries, entries[:1]] for entries in lists])
    out["struct"] = pyarrow.array([{"n": s, "words": [word]} for s, word in zip(seconds, words, strict=True)])
    out["structs"] = pyarrow.array([[{"n": n, "w": str(n)} for n in entries] for entries in lists])
    pairs = [[(str(n), n) for n in entries] for entries in lists]
    out["map"] = pyarrow.array(pairs, pyarrow.map_(pyarrow.string(), pyarrow.int64()))
    out["dictionary"] = pyarrow.array([word[:2] for word in words]).dictionary_encode()
    few = pyarrow.array([s % 3 for s in seconds]).dictionary_encode()
    out["few"] = few.cast(pyarrow.dictionary(pyarrow.int8(), pyarrow.int64()))
    return out


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("rows", [1, 7, 64, 1000])
def test_every_type(runtime, tmp_path, compression, stream, rows):
    path = tmp_path / "all"
    table = pyarrow.table(columns_of_every_type(150))
    write(path, table, rows, compression, stream)
    read = arrow(runtime, path)
    found = list(read)
    assert len(read) == len(found) == 150
    again = (ipc.open_stream if stream else ipc.open_file)(path).read_all()
    for name in table.column_names:
        kind = again.schema.field(name).type
        if pyarrow.types.is_boolean(kind) or pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind):
            assert {row[name].dtype for row in found} == {np.dtype(kind.to_pandas_dtype())}, name
        assert [plain(row[name]) for row in found] == [value_of(entry) for entry in again[name]], name
    for name in ("int8", "string", "list"):
        narrow = arrow(runtime, path, f", {{{name}: {read.spec[name]}}}")
        assert shown(narrow) == shown({name: row[name]} for row in found)
    order = random.Random(rows).sample(range(150), 20)
    assert shown(read[i] for i in order) == shown(found[i] for i in order)


def test_nulls(runtime, tmp_path):
    path = tmp_path / "nulls"
    draw = random.Random(2)
    holes = lambda make: [make() if draw.random() < 0.6 else None for _ in range(100)]  # noqa: E731
    table = pyarrow.table(
        {
            "a": pyarrow.array(holes(lambda: draw.randrange(9)), pyarrow.int32()),
            "b": pyarrow.array(holes(lambda: draw.random() < 0.5), pyarrow.bool_()),
            "s": pyarrow.array(holes(lambda: "x" * draw.randrange(20)), pyarrow.string_view()),
            "d": pyarrow.array(holes(lambda: draw.choice(["p", "qq"]))).dictionary_encode(),
        }
    )
    fields = ', {a: int64 = -1, b: bool = false, s: string = "-", d: string = "-", nothing: int64 = 5}'
    for stream in (False, True):
        write(path, table, 30, stream=stream)
        rows = [dict(row) for row in arrow(runtime, path, fields)]
        for i, wanted in enumerate(table.to_pylist()):
            assert rows[i]["a"] == (-1 if wanted["a"] is None else wanted["a"])
            assert rows[i]["b"] == bool(wanted["b"])
            assert rows[i]["s"] == (b"-" if wanted["s"] is None else wanted["s"].encode())
            assert rows[i]["d"] == (b"-" if wanted["d"] is None else wanted["d"].encode())
            assert rows[i]["nothing"] == 5


def test_lists_of_fixed_sizes_may_be_read_as_shapes(runtime, tmp_path):
    pair = pyarrow.list_(pyarrow.int64(), 2)
    table = pyarrow.table(
        {
            "nested": pyarrow.array([[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 10], [11, 12]]], pyarrow.list_(pair, 3)),
            "null": pyarrow.array([[1, 2], None], pair),
            "pair": pyarrow.array([[1, 2], [3, 4]], pair),
        }
    )
    write(tmp_path / "a", table, 2)
    assert str(arrow(runtime, tmp_path / "a").spec) == "{nested: ragged<int64>[?, ?], null: int64[?], pair: int64[?]}"
    fields = "{nested: int64[3, 2], null: optional(int64[2]), pair: int64[2]}"
    dataset = arrow(runtime, tmp_path / "a", f", {fields}")
    assert str(dataset.spec) == "{nested: int64[3, 2], null: optional<int64[2]>, pair: int64[2]}"
    assert [plain(row) for row in dataset] == table.to_pylist()
    with pytest.raises(weir.errors.InvalidArgument, match="null"):
        list(arrow(runtime, tmp_path / "a", ", {null: int64[2]}"))


def test_errors_by_position_name_file_and_record(runtime, tmp_path):
    write(tmp_path / "a", pyarrow.table({"n": list(range(30))}), 10)
    write(tmp_path / "b", pyarrow.table({"n": list(range(100, 130))}), 10)
    files = f'arrow(["{tmp_path / "a"}", "{tmp_path / "b"}"])'
    text = f'{files} | global_shuffle(seed: 1) | map(e -> assert(e.n != 117, "no", e.n))'
    iterator = iter(weir.parse(text, runtime=runtime))
    found = []
    for _ in range(60):
        try:
            found.append(int(next(iterator)))
        except weir.errors.InvalidArgument as error:
            assert f"{tmp_path / 'b'}, record 17" in str(error)
    assert sorted(found) == [*range(30), *range(100, 117), *range(118, 130)]


def test_dictionaries_that_change(runtime, tmp_path):
    path = tmp_path / "changes"
    draw = random.Random(3)
    for deltas in (False, True):
        values, batches = [], []
        for _ in range(20):
            grows = deltas or draw.random() < 0.5
            values = [*values, f"value {len(values)}"] if grows else [f"other {draw.randrange(9)}"]
            indices = pyarrow.array([draw.randrange(len(values)) for _ in range(5)], pyarrow.int32())
            column = pyarrow.DictionaryArray.from_arrays(indices, pyarrow.array(values))
            batches.append(pyarrow.record_batch({"d": column}))
        options = ipc.IpcWriteOptions(emit_dictionary_deltas=deltas)
        with ipc.new_stream(path, batches[0].schema, options=options) as writer:
            for batch in batches:
                writer.write_batch(batch)
        wanted = [row["d"].encode() for batch in batches for row in batch.to_pylist()]
        read = arrow(runtime, path)
        assert [row["d"] for row in read] == wanted
        order = list(range(100))
        draw.shuffle(order)
        assert [read[i]["d"] for i in order] == [wanted[i] for i in order]


def test_positions(runtime, tmp_path):
    table = pyarrow.table({"i": range(1000), "s": [str(i) for i in range(1000)]})
    for stream, compression in ((False, None), (True, "zstd")):
        names = [tmp_path / f"{stream}-{i}" for i in range(3)]
        for i, name in enumerate(names):
            write(name, table.slice(300 * i, 300 if i < 2 else 400), 37 + i, compression, stream)
        rest = ", ".join(f'"{name}"' for name in names)
        document = f"arrow([{rest}])"
        read = weir.parse(document, runtime=runtime)
        assert len(read) == 1000
        for i in (0, 36, 37, 299, 300, 599, 600, 999):
            assert read[i] == {"i": i, "s": str(i).encode()}
        shuffled = [int(row["i"]) for row in weir.parse(document + " | global_shuffle(seed: 3)", runtime=runtime)]
        assert shuffled != list(range(1000)) and sorted(shuffled) == list(range(1000))
        rows = weir.parse(document + " | skip(250) | shard(3, 1)", runtime=runtime)
        assert [int(row["i"]) for row in rows] == list(range(251, 1000, 3))
        parts = weir.parse(document + " | partition(4, p -> p | batch(10))", runtime=runtime)
        assert sorted(int(i) for batch in parts for i in batch["i"]) == list(range(1000))
        for taken in (0, 1, 36, 37, 38, 299, 300, 301, 999, 1000):
            iterator = read.iterator()
            for _ in range(taken):
                next(iterator)
            again = read.iterator(checkpoint=iterator.save())
            assert [int(row["i"]) for row in again] == list(range(taken, 1000))


def test_where(runtime, tmp_path):
    path = tmp_path / "where"
    table = pyarrow.table({"i": range(500), "kind": pyarrow.array(["a", "b", "c", "d", "e"] * 100).dictionary_encode()})
    write(path, table, 64)
    read = arrow(runtime, path, ', {i: int64}, where: {i, kind} -> i >= 100 and kind == "c"')
    assert [int(row["i"]) for row in read] == [i for i in range(100, 500) if i % 5 == 2]


@pytest.mark.parametrize("kind", ["arrow", "parquet"])
def test_where_reads_the_members_that_it_uses(runtime, tmp_path, kind):
    path = tmp_path / "members"
    table = pyarrow.table({"a": [{"b": None, "c": 5}, {"b": 1, "c": 7}, {"b": 1, "c": 50}], "id": [0, 1, 2]})
    write(path, table, 2) if kind == "arrow" else parquet.write_table(table, path, row_group_size=2)

    def ids(where):
        return [
            int(row["id"]) for row in weir.parse(f'{kind}("{path}", {{id: int64}}, where: {where})', runtime=runtime)
        ]

    assert ids("{a} -> a.c > 6") == [1, 2]
    assert ids("{a: {c}, id} -> c > 4 and id != 1") == [0, 2]
    with pytest.raises(weir.errors.InvalidArgument, match="a.b is null"):
        ids("{a} -> a.c > 6 and a.b > 0")


@pytest.mark.parametrize("kind", ["arrow", "parquet"])
def test_names_that_are_empty(runtime, tmp_path, kind):
    path = tmp_path / "empty"
    table = pyarrow.table({"": [{"v": 1, "w": 2}], "v": [3], "l": [[{"": 4}]]})
    write(path, table, 2) if kind == "arrow" else parquet.write_table(table, path)
    read = f'{kind}("{path}"'
    assert [plain(row) for row in weir.parse(read + ")", runtime=runtime)] == [
        {"": {"v": 1, "w": 2}, "v": 3, "l": {"": [4]}}
    ]
    some = weir.parse(read + ', {"": {w: int64 = -1, v: int64 = -1}, v: int64 = -1})', runtime=runtime)
    assert [plain(row) for row in some] == [{"": {"w": 2, "v": 1}, "v": 3}]


def test_what_is_not_read(runtime, tmp_path):
    path = tmp_path / "others"
    table = pyarrow.table(
        {
            "a": [1, 2],
            "nothing": pyarrow.nulls(2),
            "views": pyarrow.array([[1], [2]], pyarrow.list_view(pyarrow.int64())),
            "runs": pyarrow.RunEndEncodedArray.from_arrays(pyarrow.array([2], pyarrow.int32()), pyarrow.array(["x"])),
            "z": ["p", "q"],
        }
    )
    write(path, table, 10)
    with pytest.raises(weir.errors.InvalidArgument, match="views.*is not read"):
        arrow(runtime, path)
    rows = list(arrow(runtime, path, ", {z: string, a: int64}"))
    assert rows == [{"z": b"p", "a": 1}, {"z": b"q", "a": 2}]


@pytest.mark.parametrize("compression", [None, "zstd"])
def test_memory(runtime, tmp_path, compression):
    """At most two batches of the used columns are in memory, a compressed one, and 8 MiB of what is read ahead."""
    path = tmp_path / "large"
    write(path, large_groups(6), LARGE_ROWS, compression)
    used = LARGE_ROWS * (8 + 4 + 12)
    stored = used if compression else 0
    read = arrow(runtime, path, ", {a: float64, s: string}").batch(8192)
    assert most_memory(read) <= 2 * used + stored + (8 << 20)
