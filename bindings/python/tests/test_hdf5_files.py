"""What hdf5(files) reads from files of h5py's own writer."""

import itertools
import random
import re
import struct

import numpy as np
import pytest
from tables import bytes_read, most_memory, needs_parquet

import weir

h5py = pytest.importorskip("h5py")
pytestmark = needs_parquet

ROWS = 1003
NUMBERS = [*"bBhHiIlLefd", ">i2", ">u4", ">i8", ">f4", ">f8", ">f2"]
SHAPES = [(), (3,), (2, 5), (0,)]
STORED = {
    "contiguous": {},
    "chunks": {"chunks": True},
    "chunks of 64 rows": {"chunks": 64},
    "a chunk a row": {"chunks": 1},
    "all filters": {"chunks": 100, "compression": "gzip", "shuffle": True, "fletcher32": True},
    "grows": {"chunks": 100, "maxshape": None},
    "scaled": {"chunks": 50, "scaleoffset": 0},
}


def options_for(stored, shape):
    out = dict(STORED[stored])
    if isinstance(out.get("chunks"), int) and out["chunks"] is not True:
        # Chunks cut the other dimensions too.
        out["chunks"] = (out["chunks"], *(max(1, dim - 1) for dim in shape[1:]))
    if "maxshape" in out:
        out["maxshape"] = (None, *shape[1:])
    return out


def numbers(dtype, shape, seed=0):
    dtype = np.dtype(dtype)
    draw = np.random.default_rng(seed)
    if dtype.kind == "f":
        return draw.normal(size=shape).astype(dtype)
    info = np.iinfo(dtype)
    return draw.integers(info.min, info.max, shape, dtype=dtype.newbyteorder("="), endpoint=True).astype(dtype)


def texts(draw, count, most):
    return ["".join(draw.choices("abcdefgh é", k=draw.randrange(most))) for _ in range(count)]


def same(found, expected):
    if isinstance(found, dict):
        return found.keys() == expected.keys() and all(same(found[name], expected[name]) for name in found)
    found, expected = np.asarray(found), np.asarray(expected)
    if expected.dtype.kind in "SO":
        return found.shape == expected.shape and found.tolist() == expected.tolist()
    assert found.dtype == expected.dtype.newbyteorder("="), (found.dtype, expected.dtype)
    return np.array_equal(found, expected, equal_nan=expected.dtype.kind == "f")


def row_of(columns, row):
    return {name: values[row] for name, values in columns.items()}


def check_rows(runtime, text, columns, count):
    whole = list(weir.parse(text, runtime=runtime))
    assert len(whole) == count
    assert all(same(found, row_of(columns, i)) for i, found in enumerate(whole))
    dataset = weir.parse(text, runtime=runtime)
    assert dataset.cardinality() == count
    for i in {0, count // 3, count - 1} if count else ():
        assert same(dataset[i], row_of(columns, i))


def write(path, columns, libver="earliest", **options):
    with h5py.File(path, "w", libver=libver) as file:
        for name, values in columns.items():
            file.create_dataset(name, data=values, **options)
    return f'hdf5("{path}")'


# h5py makes no chunks of nothing.
WAYS = [(shape, stored) for shape in SHAPES for stored in STORED if 0 not in shape or stored == "contiguous"]


@pytest.mark.parametrize("libver", ["earliest", "latest"])
@pytest.mark.parametrize(("shape", "stored"), WAYS)
def test_all_numbers(runtime, tmp_path, shape, stored, libver):
    columns = {}
    with h5py.File(tmp_path / "a", "w", libver=libver) as file:
        for i, dtype in enumerate(NUMBERS):
            if stored == "scaled" and np.dtype(dtype).kind == "f":
                continue
            columns[f"c{i:02}"] = values = numbers(dtype, (ROWS, *shape), i)
            file.create_dataset(f"c{i:02}", data=values, **options_for(stored, values.shape))
        if stored != "scaled":
            columns["flag"] = values = numbers("b", (ROWS, *shape)) > 0
            file.create_dataset("flag", data=values, **options_for(stored, values.shape))
    text = f'hdf5("{tmp_path / "a"}")'
    check_rows(runtime, text, columns, ROWS)
    shuffled = weir.parse(f"{text} | global_shuffle(seed: 1) | take(50)", runtime=runtime)
    rows = {np.asarray(row).tobytes() for row in columns["c00"]}
    found = [np.asarray(row["c00"]).tobytes() for row in shuffled]
    assert len(found) == 50 and rows.issuperset(found)


@pytest.mark.parametrize("libver", ["earliest", "latest"])
def test_other_filters_and_layouts(runtime, tmp_path, libver):
    with h5py.File(tmp_path / "a", "w", libver=libver) as file:
        chunks = {"chunks": (100, 3)}
        file.create_dataset("lossy", data=numbers("f8", (ROWS, 7)), scaleoffset=3, **chunks)
        for i, dtype in enumerate(["i2", "f4", "u8"]):
            values = numbers(dtype, (ROWS, 7), i)
            for coding in ("ec", "nn"):
                options = {"compression": "szip", "compression_opts": (coding, 8), **chunks}
                file.create_dataset(f"szip-{coding}-{dtype}", data=values, **options)
            for name, layout in (("compact", h5py.h5d.COMPACT), ("nbit", h5py.h5d.CHUNKED)):
                made = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
                made.set_layout(layout)
                if name == "nbit":
                    made.set_chunk((100, 3))
                    made.set_filter(h5py.h5z.FILTER_NBIT)
                kind, space = h5py.h5t.py_create(values.dtype), h5py.h5s.create_simple(values.shape)
                dataset = h5py.h5d.create(file.id, f"{name}-{dtype}".encode(), kind, space, dcpl=made)
                dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, values)
    with h5py.File(tmp_path / "a") as file:
        columns = {name: file[name][:] for name in file}
    check_rows(runtime, f'hdf5("{tmp_path / "a"}")', columns, ROWS)


@pytest.mark.parametrize("libver", ["earliest", "latest"])
@pytest.mark.parametrize("options", [{}, {"chunks": True}, {"chunks": True, "compression": "gzip"}], ids=str)
def test_texts(runtime, tmp_path, options, libver):
    draw = random.Random(4)
    words = texts(draw, ROWS, 30)
    long = ["x" * draw.choice([0, 5, 5000]) for _ in range(ROWS)]
    pairs = np.array(texts(draw, 2 * ROWS, 9), dtype=object).reshape(ROWS, 2)
    with h5py.File(tmp_path / "a", "w", libver=libver) as file:
        file.create_dataset(
            "ascii", data=[word.encode() for word in words], dtype=h5py.string_dtype("ascii"), **options
        )
        file.create_dataset("fixed", data=np.array([word.encode() for word in words], "S90"), **options)
        file.create_dataset("long", data=long, dtype=h5py.string_dtype(), **options)
        file.create_dataset("pairs", data=pairs, dtype=h5py.string_dtype(), **options)
    columns = {
        "ascii": [word.encode() for word in words],
        "fixed": [word.encode() for word in words],
        "long": [word.encode() for word in long],
        "pairs": [[word.encode() for word in pair] for pair in pairs],
    }
    check_rows(runtime, f'hdf5("{tmp_path / "a"}")', columns, ROWS)


def test_text_of_each_padding(runtime, tmp_path):
    paddings = {"terminated": h5py.h5t.STR_NULLTERM, "nulls": h5py.h5t.STR_NULLPAD, "spaces": h5py.h5t.STR_SPACEPAD}
    with h5py.File(tmp_path / "a", "w") as file:
        for name, padding in paddings.items():
            kind = h5py.h5t.C_S1.copy()
            kind.set_size(6)
            kind.set_strpad(padding)
            space = h5py.h5s.create_simple((2,))
            dataset = h5py.h5d.create(file.id, name.encode(), kind, space)
            dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, np.frombuffer(b"a\0b   a b\0\0\0", "S6"), kind)
    found = list(weir.parse(f'hdf5("{tmp_path / "a"}")', runtime=runtime))
    assert found == [
        {"nulls": b"a\0b   ", "spaces": b"a\0b", "terminated": b"a"},
        {"nulls": b"a b", "spaces": b"a b\0\0\0", "terminated": b"a b"},
    ]


def test_groups_links_and_what_is_left_out(runtime, tmp_path):
    path = tmp_path / "a"
    with h5py.File(path, "w") as file:
        file["z"] = np.arange(5)
        file["g/inner/x"] = np.arange(5) * 2
        file["g/back"] = h5py.SoftLink("/z")
        file["g/loop"] = file["g"]
        file["g/inner/up"] = file["/"]
        file["gone"] = h5py.SoftLink("/nothing")
        file["elsewhere"] = h5py.ExternalLink("other.h5", "/x")
        file["scalar"] = 3
        file["pairs"] = np.zeros(5, [("a", "i4"), ("b", "f8")])
        file["complex"] = np.zeros(5, "c8")
        file["opaque"] = np.zeros(5, "V3")
        file["refs"] = np.array([file["z"].ref] * 5, dtype=h5py.ref_dtype)
        file.create_dataset("lists", (5,), dtype=h5py.vlen_dtype("i4"))
        file.create_dataset("short", (5,), dtype=h5py.h5t.py_create(np.dtype("i2")))
        file.create_dataset("packed", data=np.arange(5), chunks=(5,), compression="lzf")
        layout = h5py.VirtualLayout((5,), "i8")
        layout[:] = h5py.VirtualSource(file["z"])
        file.create_virtual_dataset("virtual", layout)
        file.create_dataset("external", (5,), "i4", external=[(str(tmp_path / "raw"), 0, 20)])
    text = f'hdf5("{path}"'
    found = list(weir.parse(f"{text})", runtime=runtime))
    assert found[3] == {"g/back": 3, "g/inner/x": 6, "short": 0, "z": 3}
    assert [row["z"] for row in found] == [0, 1, 2, 3, 4]
    reasons = {
        "elsewhere": "is in another file",
        "scalar": "is a scalar",
        "pairs": "compounds",
        "complex": "compounds",
        "opaque": "opaque",
        "refs": "references",
        "lists": "variable length",
        "packed": "filter 32000 .lzf.",
        "virtual": "virtual dataset",
        "external": "in other files",
    }
    for name, why in reasons.items():
        with pytest.raises(weir.errors.Unimplemented, match=f"{name} .*{why}"):
            weir.parse(f"{text}, {{{name}: int64}})", runtime=runtime)
    assert list(weir.parse(f'{text}, {{"g/inner/x": int64}})', runtime=runtime))[4] == {"g/inner/x": 8}


def test_chunks_of_dimensions_that_may_grow(runtime, tmp_path):
    values = np.arange(1, 9).reshape(4, 2)
    # The chunks of the first two are numbered by the largest shape.
    shapes = {"a": ((1, 1), (4, 5)), "b": ((2, 1), (9, 3)), "c": ((1, 1), (9, 2)), "d": ((1, 3), (4, 3))}
    shapes |= {"e": ((1, 1), (None, 5)), "f": ((1, 1), (None, None))}
    for libver in ("earliest", "latest"):
        with h5py.File(tmp_path / libver, "w", libver=libver) as file:
            for name, (chunks, largest) in shapes.items():
                file.create_dataset(name, data=values, chunks=chunks, maxshape=largest)
        read = [name for name in shapes if libver == "earliest" or name not in "ab"]
        check_rows(runtime, f'hdf5("{tmp_path / libver}")', dict.fromkeys(read, values), 4)
    for name in "ab":
        with pytest.raises(weir.errors.Unimplemented, match=f"the column {name} has chunks .* may grow"):
            weir.parse(f'hdf5("{tmp_path / "latest"}", {{{name}: int64[2]}})', runtime=runtime)


def test_unusual_numbers_are_not_read_as_others(runtime, tmp_path):
    kinds = {
        "bfloat16": h5py.h5t.IEEE_F16LE.copy(),
        "twelve": h5py.h5t.STD_I16LE.copy(),
        "wide": h5py.h5t.IEEE_F64LE.copy(),
    }
    kinds["bfloat16"].set_fields(15, 7, 8, 0, 7)
    kinds["bfloat16"].set_ebias(127)
    kinds["twelve"].set_precision(12)
    kinds["wide"].set_size(16)
    with h5py.File(tmp_path / "a", "w") as file:
        file["z"] = np.arange(2)
        for name, kind in kinds.items():
            h5py.h5d.create(file.id, name.encode(), kind, h5py.h5s.create_simple((2,)))
        colours = h5py.enum_dtype({"red": 7, "green": -2}, basetype="i2")
        file.create_dataset("colour", data=np.array([7, -2], "i2"), dtype=colours)
    assert list(weir.parse(f'hdf5("{tmp_path / "a"}")', runtime=runtime)) == [
        {"colour": 7, "z": 0},
        {"colour": -2, "z": 1},
    ]
    for name in kinds:
        with pytest.raises(weir.errors.Unimplemented, match="unusual form"):
            weir.parse(f'hdf5("{tmp_path / "a"}", {{{name}: float32}})', runtime=runtime)


def test_unequal_lengths(runtime, tmp_path):
    columns = {"test/x": np.arange(7), "train/x": np.arange(20), "train/y": np.arange(20) % 3}
    text = write(tmp_path / "a", columns)[:-1]
    found = r"number of rows.*7 \(.*test/x.*20 \(.*train/x.*train/y.*fields"
    with pytest.raises(weir.errors.InvalidArgument, match=found):
        weir.parse(f"{text})", runtime=runtime)
    with pytest.raises(weir.errors.InvalidArgument, match="same number of rows"):
        weir.parse(f'{text}, {{"test/x": int64, "train/y": int64}})', runtime=runtime)
    for name, values in columns.items():
        dataset = weir.parse(f'{text}, {{"{name}": int64}})', runtime=runtime)
        assert dataset.cardinality() == len(values)
        assert [row[name] for row in dataset] == values.tolist()
        assert dataset[len(values) - 1][name] == values[-1]
        counted = weir.parse(f'{text}, {{"{name}": int64}}) | map(x -> 1)', runtime=runtime)
        assert len(list(counted)) == counted.cardinality() == len(values)
    chosen = weir.parse(f'{text}, {{"train/x": int64}}, where: r -> r."train/y" == 1)', runtime=runtime)
    assert [row["train/x"] for row in chosen] == list(range(1, 20, 3))
    write(tmp_path / "b", {"test/x": np.arange(7), "train/x": np.arange(3)})
    both = f'hdf5(["{tmp_path / "a"}", "{tmp_path / "b"}"], {{"train/x": int64}})'
    assert weir.parse(both, runtime=runtime).cardinality() == 23
    assert len(list(weir.parse(both, runtime=runtime))) == 23


def test_fields_missing_columns_and_empty_files(runtime, tmp_path):
    text = write(tmp_path / "a", {"x": np.arange(5, dtype="i4"), "m": np.zeros((5, 2, 3), "f4")})[:-1]
    fields = '{x: int64, m: float64[2, 3], none: string = "no"}'
    rows = list(weir.parse(f"{text}, {fields})", runtime=runtime))
    assert rows[2]["x"].dtype == np.int64 and rows[2]["m"].shape == (2, 3) and rows[2]["none"] == b"no"
    with pytest.raises(weir.errors.InvalidArgument, match="fits the field m"):
        weir.parse(f"{text}, {{m: float32}})", runtime=runtime)
    spec = weir.parse(f"{text})", runtime=runtime).spec
    assert "float32[2, 3]" in str(spec)
    empty = write(tmp_path / "b", {"x": np.zeros((0, 4), "f4")}, maxshape=(None, 4))
    assert list(weir.parse(empty, runtime=runtime)) == []
    write(tmp_path / "c", {})
    assert list(weir.parse(f'hdf5("{tmp_path / "c"}") | take(1)', runtime=runtime)) == []


def test_chunks_that_were_never_written(runtime, tmp_path):
    with h5py.File(tmp_path / "a", "w") as file:
        dataset = file.create_dataset("x", (100,), "i4", chunks=(10,), fillvalue=7)
        dataset[33:35] = 1
        file.create_dataset("y", (100,), "f8")
    rows = list(weir.parse(f'hdf5("{tmp_path / "a"}")', runtime=runtime))
    assert [row["x"] for row in rows] == [7] * 33 + [1, 1] + [7] * 65
    assert all(row["y"] == 0 for row in rows)


def test_a_block_of_the_user_before_the_file(runtime, tmp_path):
    with h5py.File(tmp_path / "a", "w", userblock_size=1024) as file:
        file.create_dataset("x", data=np.arange(100), chunks=(7,))
    assert [row["x"] for row in weir.parse(f'hdf5("{tmp_path / "a"}")', runtime=runtime)] == list(range(100))


@pytest.fixture
def files(tmp_path):
    draw = random.Random(5)
    out = {}
    for name in "abc":
        count = draw.randrange(200, 3000)
        out[name] = [f"{name} {i}".encode() for i in range(count)]
        with h5py.File(tmp_path / name, "w") as file:
            file.create_dataset("s", data=out[name], dtype=h5py.string_dtype(), chunks=(37,))
            file.create_dataset("n", data=np.arange(3 * count).reshape(count, 3), chunks=(50, 2), compression="gzip")
    return out


def test_files_in_turns_and_continuing(runtime, tmp_path, files):
    names = ", ".join(f'"{tmp_path / name}"' for name in files)
    everything = sorted(itertools.chain(*files.values()))
    text = f"hdf5([{names}]) | shuffle(100, seed: 3) | batch(7)"
    whole = [batch["s"].tolist() for batch in weir.parse(text, runtime=runtime)]
    assert sorted(itertools.chain(*whole)) == everything
    for places in (0, 1, 100, 300, len(whole)):
        iterator = iter(weir.parse(text, runtime=runtime))
        assert [next(iterator)["s"].tolist() for _ in range(places)] == whole[:places]
        again = weir.parse(text, runtime=runtime).iterator(checkpoint=iterator.save())
        assert [batch["s"].tolist() for batch in again] == whole[places:]
    in_turns = [row["s"] for row in weir.parse(f"hdf5([{names}], num_parallel_reads: 3)", runtime=runtime)]
    assert in_turns[:6] == [b"a 0", b"b 0", b"c 0", b"a 1", b"b 1", b"c 1"]
    assert sorted(in_turns) == everything
    for rest in ("partition(4, p -> p)", "global_shuffle(seed: 2)"):
        rows = list(weir.parse(f"hdf5([{names}]) | {rest}", runtime=runtime))
        assert sorted(row["s"] for row in rows) == everything
        assert all(row["n"].tolist() == [3 * i, 3 * i + 1, 3 * i + 2] for row in rows for i in [int(row["s"][2:])])


@pytest.mark.parametrize("chunks", [None, (50_000,), (7,)])
def test_pieces_of_many_rows(runtime, tmp_path, chunks):
    """A piece is given as several batches, and those of the columns end at different rows."""
    count = 100_000
    columns = {
        "byte": numbers("u1", count),
        "long": np.array([b"%d" % i * (i % 9) for i in range(count)], "S60"),
        "number": np.arange(count) * 0.5,
        "text": np.array([b"%d" % i for i in range(count)], dtype=object),
    }
    with h5py.File(tmp_path / "a", "w") as file:
        for name, values in columns.items():
            kind = h5py.string_dtype() if name == "text" else None
            file.create_dataset(name, data=values, dtype=kind, chunks=None if name == "number" else chunks)
    for rest, first in (("", 0), (" | skip(12345)", 12345)):
        dataset = weir.parse(f'hdf5("{tmp_path / "a"}"){rest} | batch(1000)', runtime=runtime)
        for batch in dataset:
            for name, values in columns.items():
                assert batch[name].tolist() == values[first : first + len(batch[name])].tolist()
            first += len(batch["byte"])
        assert first == count


def test_each_chunk_is_read_once_and_only_those_wanted(runtime, tmp_path):
    values = np.random.default_rng(1).integers(0, 256, (100_000, 100), dtype="u1")
    text = write(tmp_path / "a", {"x": values, "unused": values}, chunks=(777, 64))
    whole = values.nbytes
    before = bytes_read()
    found = list(weir.parse(f"{text[:-1]}, {{x: uint8[100]}}) | batch(1000)", runtime=runtime))
    assert np.array_equal(np.concatenate([batch["x"] for batch in found]), values)
    # Chunks at the edge are larger than what they have.
    assert bytes_read() - before < 1.4 * whole
    row = write(tmp_path / "b", {"x": values})
    dataset = weir.parse(f"{row} | global_shuffle(seed: 1) | take(100)", runtime=runtime)
    before = bytes_read()
    assert len(list(dataset)) == 100
    assert bytes_read() - before < 100 * (16 << 10) + (1 << 18)


def test_memory(runtime, tmp_path):
    values = np.random.default_rng(1).integers(0, 256, (100_000, 500), dtype="u1")
    text = write(tmp_path / "a", {"x": values, "y": values}, chunks=(4000, 500))
    piece = 2 * 4000 * 500
    most = most_memory(weir.parse(f"{text} | batch(1000)", runtime=runtime))
    assert most < 2 * piece + (8 << 20) + (8 << 20), most


def read_all(runtime, text, most=20_000):
    found, errors = [], []
    try:
        iterator = iter(weir.parse(text, runtime=runtime))
    except weir.Error as error:
        return [], [error]
    while len(found) + len(errors) < most:
        try:
            found.append(next(iterator))
        except StopIteration:
            break
        except weir.Error as error:
            errors.append(error)
    return found, errors


def small(path, libver):
    columns = {
        "g/s": np.array([f"row {i}" for i in range(90)], dtype=object),
        "m": numbers("f4", (90, 5)),
        "n": np.arange(90),
    }
    with h5py.File(path, "w", libver=libver) as file:
        options = {"compression": "gzip", "shuffle": True, "fletcher32": True}
        file.create_dataset("n", data=columns["n"], chunks=(20,), **options)
        file.create_dataset("m", data=columns["m"], chunks=(16, 4), **options)
        file.create_dataset("g/s", data=columns["g/s"], dtype=h5py.string_dtype(), chunks=(30,))
    columns["g/s"] = [text.encode() for text in columns["g/s"]]
    return columns


@pytest.mark.parametrize("libver", ["earliest", "latest"])
def test_damaged_files_are_errors(runtime, tmp_path, libver):
    columns = small(tmp_path / "whole", libver)
    whole = (tmp_path / "whole").read_bytes()
    path, text = tmp_path / "damaged", f'hdf5("{tmp_path / "damaged"}")'
    draw = random.Random(3)
    used = [i for i in range(len(whole)) if whole[i]]
    failed = 0
    for at in draw.sample(used, min(300, len(used))):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ draw.randrange(1, 256)]) + whole[at + 1 :])
        found, errors = read_all(runtime, text, 1000)
        assert all("damaged" in str(error) for error in errors), errors
        failed += bool(errors)
        if libver == "latest" and found and found[0].keys() == columns.keys():
            # Checksums are of the numbers and of what says where they are.
            assert len(found) + 90 * len(errors) >= 90
            for i, row in enumerate(found):
                assert all(same(row[name], columns[name][i]) for name in "mn"), at
    assert failed > 100
    for size in [*range(0, len(whole), len(whole) // 100), len(whole) - 1]:
        path.write_bytes(whole[:size])
        found, errors = read_all(runtime, text)
        assert errors and re.search(re.escape(str(path)), str(errors[0])), size


def test_rows_before_a_damaged_chunk_are_given(runtime, tmp_path):
    columns = small(tmp_path / "a", "earliest")
    with h5py.File(tmp_path / "a") as file:
        at = file["m"].id.get_chunk_info_by_coord((48, 4)).byte_offset
    content = bytearray((tmp_path / "a").read_bytes())
    content[at + 3] ^= 0x55
    (tmp_path / "a").write_bytes(content)
    found, errors = read_all(runtime, f'hdf5("{tmp_path / "a"}")')
    assert len(found) == 48 and len(errors) == 1
    assert all(same(row, row_of(columns, i)) for i, row in enumerate(found))
    assert isinstance(errors[0], weir.errors.DataLoss)
    assert re.search("dataset m cannot be read", str(errors[0])) and "record 48" in str(errors[0]), errors[0]
    shuffled, errors = read_all(runtime, f'hdf5("{tmp_path / "a"}") | global_shuffle(seed: 1)')
    assert len(errors) == 16
    assert sorted(row["n"] for row in shuffled) == [*range(48), *range(64, 90)]
    others = weir.parse(f'hdf5("{tmp_path / "a"}", {{n: int64}})', runtime=runtime)
    assert [row["n"] for row in others] == list(range(90))


def forge(content, old, new):
    """The file with a number of 8 bytes in place of another."""
    old, new = struct.pack("<Q", old), struct.pack("<Q", new)
    assert old in content
    return content.replace(old, new)


@pytest.mark.parametrize("rows", [0, 1, 12346, 1 << 31, 1 << 40, 1 << 60, (1 << 63) - 1, 1 << 63, (1 << 64) - 1])
@pytest.mark.parametrize("options", [{}, {"chunks": (100, 3)}, {"chunks": (100, 3), "compression": "gzip"}], ids=str)
def test_forged_shapes(runtime, tmp_path, rows, options):
    write(tmp_path / "a", {"x": np.zeros((12345, 6), "f4")}, **options)
    content = (tmp_path / "a").read_bytes()
    for old in (12345, 6):
        (tmp_path / "b").write_bytes(forge(content, old, rows))
        for rest in ("", " | global_shuffle(seed: 1)"):
            text = f'hdf5("{tmp_path / "b"}"){rest} | take(20)'
            found, errors = read_all(runtime, text, 30)
            assert len(found) + len(errors) <= 30
            kinds = weir.errors.DataLoss | weir.errors.Unimplemented
            assert all(isinstance(error, kinds) or "the dataset is empty" in str(error) for error in errors), errors


def test_what_is_no_hdf5(runtime, tmp_path):
    (tmp_path / "text").write_text("hello\n" * 20_000)
    with pytest.raises(weir.errors.DataLoss, match="is no whole HDF5 file"):
        list(weir.parse(f'hdf5("{tmp_path / "text"}")', runtime=runtime))
    with pytest.raises(weir.errors.NotFound):
        list(weir.parse(f'hdf5("{tmp_path / "none"}")', runtime=runtime))
