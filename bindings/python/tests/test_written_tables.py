"""What pyarrow reads from the Parquet and Arrow files that `weir convert` writes."""

import io
import json
import os
import pathlib
import subprocess
import tarfile

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")
ipc = pytest.importorskip("pyarrow.ipc")
pq = pytest.importorskip("pyarrow.parquet")

BUILD = pathlib.Path(__file__).resolve().parents[3] / "build/release"
COMMAND = pathlib.Path(os.environ.get("WEIR_COMMAND", BUILD / "weir"))
EXTENSIONS = pathlib.Path(os.environ.get("WEIR_EXTENSIONS", BUILD / "extensions"))
pytestmark = pytest.mark.skipif(
    not COMMAND.exists() or not (EXTENSIONS / "libweir-parquet.so").exists(),
    reason="the command or weir-parquet is not built",
)

READERS = {
    "parquet": pq.read_table,
    "arrow": lambda name: ipc.open_file(name).read_all(),
    "arrows": lambda name: ipc.open_stream(name).read_all(),
}
ARRAYS = {
    "x": np.arange(42, dtype=np.uint8).reshape(7, 3, 2),
    "half": np.linspace(-1, 1, 7, dtype=np.float16),
    "yes": np.array([True, False, True, True, False, False, True]),
    "bytes": np.array([b"a", b"\xff", b"", b"bcd", b"e", b"f", b"g"]),
    "big": np.array([2**64 - 1, 0, 1, 2, 3, 4, 5], dtype=np.uint64),
}
LISTS = [{name: array[i].tolist() for name, array in ARRAYS.items()} for i in range(7)]
MIXED = [{"a": 1, "b": None}, {"a": None, "b": "x"}, {"a": 3, "b": "yz"}]


def command(*arguments):
    environment = {**os.environ, "WEIR_EXTENSIONS": str(EXTENSIONS)}
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, env=environment, check=False)


def convert(source, target):
    done = command("convert", source, target)
    assert done.returncode == 0, done.stderr


def write_objects(folder, rows):
    (folder / "s.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder / "s.jsonl"


def objects(folder):
    rows = [
        {
            "id": i,
            "text": f"é {i}",
            "ratio": i / 3,
            "words": ["a", "bc", ""][: i % 4],
            "pairs": [[i, 1], [], [2, 3, 4]][: i % 3 + 1],
            "user": {"name": f"x{i}", "tags": [i] * (i % 2)},
            "maybe": None if i % 5 == 0 else 2**63 + i,
            "yes": i % 3 == 0,
        }
        for i in range(70_000)
    ]
    return write_objects(folder, rows), rows


def records(folder):
    rows = [{"i": [i, 7], "s": [f"é {i}"]} for i in range(9)]
    convert(write_objects(folder, rows), folder / "s.tfrecord")
    return folder / "s.tfrecord", [{"i": row["i"], "s": row["s"][0]} for row in rows]


def table(folder):
    (folder / "s.csv").write_text('n,x,s\n1,0.5,a\n-2,,\n,1e300,"b\nc"\n')
    return folder / "s.csv", [
        {"n": 1, "x": 0.5, "s": "a"},
        {"n": -2, "x": None, "s": ""},
        {"n": None, "x": 1e300, "s": "b\nc"},
    ]


def array(folder):
    np.save(folder / "s.npy", ARRAYS["x"])
    return folder / "s.npy", [{"value": row.tolist()} for row in ARRAYS["x"]]


def arrays(folder):
    np.savez(folder / "s.npz", **ARRAYS)
    return folder / "s.npz", LISTS


def archive(folder):
    with tarfile.open(folder / "s.tar", "w") as tar:
        for name, data in {"a.cls": b"3", "a.jpg": b"\xff\xd8", "b.cls": b"4", "b.jpg": b""}.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return folder / "s.tar", [
        {"__key__": "a", "cls": "3", "jpg": b"\xff\xd8"},
        {"__key__": "b", "cls": "4", "jpg": b""},
    ]


def parquet(folder):
    pq.write_table(pa.Table.from_pylist(MIXED), folder / "s.parquet")
    return folder / "s.parquet", MIXED


def arrow(folder):
    rows = pa.Table.from_pylist(MIXED)
    with ipc.new_file(folder / "s.arrow", rows.schema) as out:
        out.write_table(rows)
    return folder / "s.arrow", MIXED


def database(folder):
    lmdb = pytest.importorskip("lmdb")
    with lmdb.open(str(folder / "s"), map_size=1 << 20) as environment, environment.begin(write=True) as transaction:
        transaction.put(b"a", b"\xfe")
        transaction.put(b"b", b"2")
    return folder / "s/data.mdb", [{"key": "a", "value": b"\xfe"}, {"key": "b", "value": b"2"}]


def hdf5(folder):
    h5py = pytest.importorskip("h5py")
    with h5py.File(folder / "s.h5", "w") as file:
        file["image"] = ARRAYS["x"]
        file["label"] = ARRAYS["big"]
    return folder / "s.h5", [{"image": row["x"], "label": row["big"]} for row in LISTS]


@pytest.mark.parametrize("source", [objects, records, table, array, arrays, archive, parquet, arrow, database, hdf5])
def test_each_format_as_tables(tmp_path, source):
    name, expected = source(tmp_path)
    for suffix, read in READERS.items():
        target = tmp_path / f"to.{suffix}"
        convert(name, target)
        assert read(target).to_pylist() == expected
        info = command("info", target).stdout
        assert f"elements     {len(expected):,}\n" in info
        assert command("validate", target).returncode == 0


def test_several_row_groups_and_batches(tmp_path):
    numbers = np.arange(1_100_000, dtype=np.int32)
    np.save(tmp_path / "n.npy", numbers)
    convert(tmp_path / "n.npy", tmp_path / "n.parquet")
    file = pq.ParquetFile(tmp_path / "n.parquet")
    assert [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)] == [1 << 20, 1_100_000 - (1 << 20)]
    assert file.metadata.row_group(0).column(0).compression == "ZSTD"
    assert np.array_equal(file.read()["value"].to_numpy(), numbers)
    convert(tmp_path / "n.npy", tmp_path / "n.arrow")
    read = ipc.open_file(tmp_path / "n.arrow")
    assert read.num_record_batches > 1
    assert np.array_equal(read.read_all()["value"].to_numpy(), numbers)


def test_lists_of_objects(tmp_path):
    rows = [
        {"v": [{"c": 1, "t": ["a", "b"]}, {"c": 2, "t": []}], "o": {"w": [{"x": True}]}, "p": [{"z": 1.5}]},
        {"v": [], "o": {"w": [{"x": False}, {"x": True}]}, "p": None},
        {"v": [{"c": -3, "t": ["é"]}], "o": {"w": []}, "p": []},
    ]
    source = write_objects(tmp_path, rows)
    for format, read in READERS.items():
        convert(source, tmp_path / f"t.{format}")
        assert read(tmp_path / f"t.{format}").to_pylist() == rows
        convert(tmp_path / f"t.{format}", tmp_path / f"{format}.jsonl")
        assert [json.loads(line) for line in (tmp_path / f"{format}.jsonl").read_text().splitlines()] == rows


def test_lists_and_structs_of_other_writers(tmp_path):
    item = pa.struct([("a", pa.float32()), ("b c", pa.list_(pa.int8()))])
    rows = pa.table(
        {
            "list": pa.array([[{"a": 1.5, "b c": [1]}], [], None], pa.list_(item)),
            "struct": pa.array([{"c": [1, 2]}, {"c": []}, None], pa.struct([("c", pa.list_(pa.int64()))])),
            "inner": pa.array([{"l": [{"a": 2.5, "b c": []}]}, None, {"l": None}], pa.struct([("l", pa.list_(item))])),
            "map": pa.array([[("k", 1), ("l", 2)], [], None], pa.map_(pa.string(), pa.int64())),
        }
    )
    expected = rows.to_pylist()
    for row in expected:
        row["map"] = row["map"] and [{"key": key, "value": value} for key, value in row["map"]]
    pq.write_table(rows, tmp_path / "s.parquet")
    for format, read in READERS.items():
        convert(tmp_path / "s.parquet", tmp_path / f"t.{format}")
        assert read(tmp_path / f"t.{format}").to_pylist() == expected
        convert(tmp_path / f"t.{format}", tmp_path / f"{format}.jsonl")
        assert [json.loads(line) for line in (tmp_path / f"{format}.jsonl").read_text().splitlines()] == expected


def test_what_there_is_no_place_for(tmp_path):
    np.save(tmp_path / "c.npy", np.zeros((2, 2), np.complex64))
    (tmp_path / "bad.jsonl").write_text('{"a": 1}\n{"a":\n')
    for source, said in {"c.npy": "dtypes that Arrow has", "bad.jsonl": "record 1"}.items():
        for suffix in READERS:
            done = command("convert", tmp_path / source, tmp_path / f"x.{suffix}")
            assert done.returncode == 2 and said in done.stderr, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.jsonl", "c.npy"]
