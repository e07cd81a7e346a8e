"""tensorflow/docs, tutorials/structured_data/time_series.ipynb: windows of a table, split into inputs and labels."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest
from ports import check_elements, check_parts, check_positions

import weir

COLUMNS = ["p (mbar)", "T (degC)", "rho (g/m**3)"]
SEED = 3


def write_data(folder: pathlib.Path) -> pathlib.Path:
    """The weather at 140 hours, between its mean and its deviation."""
    draws = np.random.RandomState(13)
    path = folder / "weather.csv"
    rows = np.cumsum(draws.normal(size=(140, 3)), axis=0).round(3)
    text = "".join(",".join(map(str, row)) + "\n" for row in [COLUMNS, *rows.tolist()])
    path.write_text(text)
    return path


def hours(path: pathlib.Path) -> weir.Dataset:
    """A vector for each hour."""
    return weir.csv(str(path), ["float32"] * 3, header=True).map(lambda *row: weir.fn.stack(list(row)))


def split(window, inputs: int, labels: int):
    """The first rows of each window, and the temperatures at its end."""
    return window[:, :inputs, :], window[:, -labels:, 1:2]


@pytest.mark.parametrize(("inputs", "labels", "shift"), [(24, 1, 24), (6, 1, 1), (24, 24, 1)])
def test_windows_in_order(tmp_path: pathlib.Path, inputs: int, labels: int, shift: int) -> None:
    width = inputs + shift

    def pipeline(hours: weir.Dataset) -> weir.Dataset:
        windows = hours.window(width, shift=1, drop_remainder=True).flat_map(lambda hour: hour.batch(width))
        return windows.batch(32).map(lambda window: split(window, inputs, labels))

    table = hours(write_data(tmp_path))
    check_elements(pipeline(table), f"time_series_{inputs}_{labels}_{shift}")
    check_positions(pipeline(table))
    check_parts(table, pipeline)


def test_windows_shuffled_in_the_same_order(tmp_path: pathlib.Path) -> None:
    table = np.stack(list(hours(write_data(tmp_path))))
    starts = np.arange(len(table) - 6)
    np.random.RandomState(SEED).shuffle(starts)
    windows = weir.from_tensor_slices(starts).map(lambda start: weir.fn.gather(table, start + weir.fn.arange(7)))
    batches = windows.shuffle(32 * 8, seed=SEED).batch(32).map(lambda window: split(window, 6, 1))
    check_elements(batches, "time_series_shuffled")
    check_positions(batches)
