#!/usr/bin/env python3
"""Writes the files of data/own/parquet, which own_parquet.cases reads: make_parquet.py, with a Python that has pyarrow."""

import pathlib

import pyarrow as pa
from pyarrow import parquet

FOLDER = pathlib.Path(__file__).parent / "data/own/parquet"


def always_null():
    columns = {
        "a": pa.array([1, 2, 3]), "n": pa.nulls(3), "v": pa.array([None, [], None], pa.list_(pa.null())),
        "o": pa.array([None, {"n": None}, None], pa.struct([("n", pa.null())])),
    }
    parquet.write_table(pa.table(columns), FOLDER / "always-null.parquet", store_schema=False)


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    always_null()


if __name__ == "__main__":
    main()
