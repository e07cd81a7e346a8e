#!/usr/bin/env python3
"""Writes the files of data/own/parquet, which own_parquet.cases reads: make_parquet.py, with a Python that has pyarrow."""

import pathlib

import pyarrow as pa
from pyarrow import parquet

FOLDER = pathlib.Path(__file__).parent / "data/own/parquet"
ROWS, GROUP_ROWS, PAGE_ROWS = 36, 12, 4


def damaged_page():
    """Three row groups of three pages each; of `s` the second page of the second one is damaged, rows 16 to 19."""
    path = FOLDER / "damaged-page.parquet"
    table = pa.table({"i": pa.array(range(ROWS)), "s": pa.array([f"row {i} " * 8 for i in range(ROWS)])})
    parquet.write_table(table, path, row_group_size=GROUP_ROWS, data_page_size=1, write_batch_size=PAGE_ROWS,
                        compression="zstd", use_dictionary=False, store_schema=False)
    chunk = parquet.read_metadata(path).row_group(1).column(1)
    data = bytearray(path.read_bytes())
    second = data.index(b"\x28\xb5\x2f\xfd", data.index(b"\x28\xb5\x2f\xfd", chunk.data_page_offset) + 4)
    assert second < chunk.data_page_offset + chunk.total_compressed_size
    data[second:second + 8] = bytes(8)
    path.write_bytes(data)


def damaged_length():
    """Eight strings in a page; the length of the third one reaches beyond it."""
    path = FOLDER / "damaged-length.parquet"
    table = pa.table({"s": pa.array([f"row {i}" for i in range(8)])})
    parquet.write_table(table, path, compression="none", use_dictionary=False, write_statistics=False, store_schema=False)
    data = bytearray(path.read_bytes())
    data[data.index(b"row 2") - 2] = 1
    path.write_bytes(data)


def damaged_levels():
    """Two row groups of four lists; the repetition levels of the second one are half as many as its values."""
    table = pa.table({"l": pa.array([[i] * 4 for i in range(8)])})
    for version in ("1.0", "2.0"):
        path = FOLDER / f"damaged-levels-{version[0]}.parquet"
        parquet.write_table(table, path, row_group_size=4, data_page_version=version, compression="none",
                            use_dictionary=False, write_statistics=False, store_schema=False)
        data = bytearray(path.read_bytes())
        data[data.rindex(b"\x05\xee\xee")] = 3
        path.write_bytes(data)


def always_null():
    columns = {
        "a": pa.array([1, 2, 3]), "n": pa.nulls(3), "v": pa.array([None, [], None], pa.list_(pa.null())),
        "o": pa.array([None, {"n": None}, None], pa.struct([("n", pa.null())])),
    }
    parquet.write_table(pa.table(columns), FOLDER / "always-null.parquet", store_schema=False)


def nested():
    """Two row groups of three pages each, with maps, structures and lists that are null, empty, or have nulls inside."""
    point = pa.struct([("x", pa.int64()), ("y", pa.string())])
    inner = pa.map_(pa.string(), point)
    return {
        "a": pa.array([[("k", 1), ("j", 2)], [], None, [("i", None)], [("n", 3), ("o", None), ("p", 5)], [("q", 6)],
                       None, [], [("r", 7), ("s", 8)], [("t", None)], [("u", 9)], []], pa.map_(pa.string(), pa.int32())),
        "s": pa.array([{"x": 1, "y": "a"}, {"x": None, "y": None}, None] * 4, point),
        "l": pa.array([[{"x": 1}, {"x": 5}], [], None, [{"x": None}, None, {"x": 6}]] * 3, pa.list_(pa.struct([("x", pa.int64())]))),
        "o": pa.array([{"m": [("b", {"x": 1, "y": "c"}), ("d", None)]}, {"m": []}, {"m": None}, None] * 3, pa.struct([("m", inner)])),
    }


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    damaged_page()
    damaged_length()
    damaged_levels()
    always_null()
    parquet.write_table(pa.table(nested()), FOLDER / "nested.parquet", row_group_size=6, data_page_size=1, write_batch_size=2,
                        use_dictionary=False, store_schema=False)
    table = pa.Table.from_arrays([pa.array([1, 2]), pa.array([3, 4]), pa.array([5, 6])], ["d", "e", "d"])
    parquet.write_table(table, FOLDER / "repeated.parquet", store_schema=False)


if __name__ == "__main__":
    main()
