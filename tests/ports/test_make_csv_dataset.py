"""tensorflow/docs, tutorials/load_data/csv.ipynb: make_csv_dataset, of one file, of a compressed one and of many."""

from __future__ import annotations

import gzip
import pathlib

import numpy as np
from ports import check_elements, check_equal, check_parts, check_positions

import weir

# A column's default, which an empty field has, says its dtype.
PASSENGER = {
    "survived": np.int32(0),
    "sex": "",
    "age": np.float32(0),
    "n_siblings_spouses": np.int32(0),
    "fare": np.float32(0),
    "deck": "",
    "alone": "",
}
TRAFFIC = {"holiday": "string", "temp": "float32", "clouds_all": "int32", "traffic_volume": "int32"}
FONT = {"font": "string", "m_label": "int32", "strength": "float32", "r0c0": "int32", "r0c1": "int32"}


def write_rows(path: pathlib.Path, names: list[str], rows: list[list[object]]) -> None:
    """A file of rows below their names."""
    text = "".join(",".join(map(str, row)) + "\n" for row in [names, *rows])
    opened = gzip.open(path, "wt") if path.suffix == ".gz" else path.open("w")
    with opened as file:
        file.write(text)


def write_data(folder: pathlib.Path) -> None:
    """Passengers, the traffic of some hours, and the pixels of letters in three fonts.

    Some passengers lack an age, and one's isn't a number. passengers.csv also has a row without its last field.
    """
    draws = np.random.RandomState(16)
    passengers = [
        [
            draws.randint(2),
            draws.choice(["male", "female"]),
            "" if n % 9 == 4 else draws.randint(1, 160) / 2,
            draws.randint(4),
            draws.randint(700, 9000) / 100,
            draws.choice(["unknown", "C", '"B, aft"']),
            draws.choice(["y", "n"]),
        ]
        for n in range(37)
    ]
    passengers[30][2] = "old"
    write_rows(folder / "whole.csv", list(PASSENGER), passengers)
    passengers[20].pop()
    write_rows(folder / "passengers.csv", list(PASSENGER), passengers)
    hours = [["None", draws.randint(24000, 31000) / 100, draws.randint(100), draws.randint(7000)] for _ in range(30)]
    write_rows(folder / "traffic.csv.gz", list(TRAFFIC), hours)
    for font, count in (("AGENCY", 7), ("ARIAL", 13), ("BAITI", 10)):
        letters = [[font, draws.randint(33, 500), "0.4", draws.randint(256), draws.randint(256)] for _ in range(count)]
        write_rows(folder / f"font_{font}.csv", list(FONT), letters)


def labelled(batches: weir.Dataset, label: str) -> weir.Dataset:
    """Pairs of the other columns and one."""
    return batches.map(lambda row: (weir.fn.without(row, [label]), row[label]))


def test_damaged_rows_are_left_out(tmp_path: pathlib.Path) -> None:
    write_data(tmp_path)
    rows = weir.csv(str(tmp_path / "passengers.csv"), PASSENGER, header=True)

    def pipeline(rows: weir.Dataset) -> weir.Dataset:
        return labelled(rows.ignore_errors().batch(5), "survived")

    check_elements(pipeline(rows), "make_csv_dataset_passengers")
    check_positions(pipeline(rows))
    check_parts(rows, pipeline)


def test_some_columns_with_defaults(tmp_path: pathlib.Path) -> None:
    write_data(tmp_path)
    columns = {"survived": np.int32(0), "age": np.float32(-1), "deck": "string"}
    rows = weir.csv(str(tmp_path / "whole.csv"), columns, header=True)
    batches = labelled(rows.ignore_errors().batch(6), "survived")
    check_elements(batches, "make_csv_dataset_some")
    check_positions(batches)


def test_the_order_of_the_columns_is_each_file_s_own(tmp_path: pathlib.Path) -> None:
    """The original refuses such files."""
    write_data(tmp_path)
    names = sorted(str(path) for path in tmp_path.glob("font_*.csv"))
    straight = list(weir.csv(names, FONT, header=True))
    lines = pathlib.Path(names[1]).read_text().splitlines()
    pathlib.Path(names[1]).write_text("".join(",".join(reversed(line.split(","))) + "\n" for line in lines))
    check_equal(weir.csv(names, FONT, header=True), straight)


def test_a_compressed_file(tmp_path: pathlib.Path) -> None:
    write_data(tmp_path)
    rows = weir.csv(str(tmp_path / "traffic.csv.gz"), TRAFFIC, header=True, compression="gzip")
    batches = labelled(rows.batch(8), "traffic_volume").prefetch(1)
    check_elements(batches, "make_csv_dataset_traffic")
    check_positions(batches)


def test_files_in_turns_and_shuffled_in_the_same_order(tmp_path: pathlib.Path) -> None:
    write_data(tmp_path)
    names = sorted(str(path) for path in tmp_path.glob("font_*.csv"))
    files = weir.from_tensor_slices(names)

    def rows(files: weir.Dataset) -> weir.Dataset:
        return files.interleave(lambda name: weir.csv(name, FONT, header=True), cycle_length=3)

    check_elements(rows(files).batch(4), "make_csv_dataset_fonts")
    check_parts(files, lambda files: rows(files).batch(4))
    # Two epochs, in an order that the seed fixes.
    shuffled = rows(files.shuffle(3, seed=7)).shuffle_and_repeat(20, 2, seed=7).batch(4)
    check_elements(shuffled, "make_csv_dataset_shuffled")
    check_positions(shuffled)
