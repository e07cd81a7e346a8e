"""karpathy/nanoGPT, train.py: get_batch, random windows of a file of tokens."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest
from ports import check_parts, check_positions, check_same, stored

import weir

COUNT = 4000
BLOCK = 16
BATCH = 8


def write_data(folder: pathlib.Path) -> pathlib.Path:
    """COUNT tokens, of which no two are equal, so that a window tells where it begins."""
    path = folder / "train.bin"
    np.random.RandomState(21).permutation(COUNT).astype(np.uint16).tofile(path)
    return path


def windows(path: pathlib.Path) -> weir.Dataset:
    """All windows: those of BLOCK tokens, and the same one token on."""
    runs = weir.tokens(str(path), BLOCK + 1, weir.uint16, stride=1)
    return runs.map(lambda run: (weir.fn.cast(run[:-1], weir.int64), weir.fn.cast(run[1:], weir.int64)))


def test_windows_are_those_of_the_original(tmp_path: pathlib.Path) -> None:
    path = write_data(tmp_path)
    every = windows(path)
    # randint(len(data) - block_size) has as many places.
    assert every[COUNT - BLOCK - 1]
    with pytest.raises(IndexError):
        every[COUNT - BLOCK]
    place = np.argsort(np.fromfile(path, np.uint16))
    for batch in stored("nanogpt"):
        at = [int(place[x[0]]) for x in batch["/0"]]
        check_same(tuple(np.stack(side) for side in zip(*(every[i] for i in at), strict=True)), batch)


def test_places_are_drawn_alike(tmp_path: pathlib.Path) -> None:
    path = write_data(tmp_path)
    batches = windows(path).global_shuffle(seed=1).repeat().batch(BATCH)
    place = np.argsort(np.fromfile(path, np.uint16))
    first = [x for x, _ in zip(batches, range(100), strict=False)]
    assert {(x.shape, x.dtype.name) for pair in first for x in pair} == {((BATCH, BLOCK), "int64")}
    drawn = np.concatenate([place[x[:, 0]] for x, _ in first])
    # Uniform from 0 on: the mean's deviation is a hundredth of the range.
    most = COUNT - BLOCK - 1
    assert 0 <= drawn.min() < drawn.max() <= most
    assert abs(drawn.mean() / most - 0.5) < 0.05
    assert abs(drawn.std() / most - 12**-0.5) < 0.03
    check_positions(batches, 20)


def test_in_parts(tmp_path: pathlib.Path) -> None:
    every = windows(write_data(tmp_path)).take(150)
    check_parts(every.global_shuffle(seed=1), lambda part: part.batch(BATCH))
    check_parts(every, lambda part: part.shuffle(64, seed=1).repeat().batch(BATCH), 12)
