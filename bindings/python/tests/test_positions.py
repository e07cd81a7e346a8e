"""Elements by their position: what they open stays open."""

from __future__ import annotations

import os
import pathlib

import pytest

import weir


def write(path: pathlib.Path, records: list[bytes]) -> None:
    """A file of records in place of the one that is there."""
    fresh = path.with_suffix(".fresh")
    with weir.RecordWriter(str(fresh)) as writer:
        for record in records:
            writer.write(record)
    os.replace(fresh, path)


def test_a_file_is_opened_once(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "three.tfrecord"
    write(path, [b"first", b"second", b"third"])
    dataset = weir.tfrecord(str(path)).map(lambda record: weir.fn.string_length(record))
    assert int(dataset[1]) == 6
    os.unlink(path)
    assert [int(dataset[i]) for i in (2, 0)] == [5, 5]
    with pytest.raises(IndexError):
        dataset[3]
    assert int(dataset[1]) == 6
    with pytest.raises(weir.errors.Error):
        weir.tfrecord(str(path))[0]


def test_an_element_stays_as_it_was(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "many.tfrecord"
    write(path, [bytes([65 + i]) * (10**i) for i in range(6)])
    records = weir.tfrecord(str(path))
    # Copied, shared and too large to be kept.
    arrays = weir.range(4).map(lambda i: weir.fn.zeros([3]) + weir.fn.cast(i, "float32"))
    shared = weir.range(4).map(lambda i: weir.fn.zeros([3000]) + weir.fn.cast(i, "float32"))
    for dataset in (arrays, shared, shared.batch(2).repeat(2)):
        taken = [dataset[i] for i in (2, 0, 3, 1, 2)]
        assert [float(array.flat[0]) for array in taken[:4]] == [float(dataset[i].flat[0]) for i in (2, 0, 3, 1)]
        taken[0][...] = 7
        assert float(taken[4].flat[0]) == float(dataset[2].flat[0]) != 7
    taken = [records[i] for i in (5, 1, 0, 4, 1)]
    assert [(record[:1], len(record)) for record in taken] == [
        (b"F", 10**5),
        (b"B", 10),
        (b"A", 1),
        (b"E", 10**4),
        (b"B", 10),
    ]


def test_files_are_opened_again_after_an_element_failed(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "two.tfrecord"
    write(path, [b"right", b"wrong"])
    dataset = weir.tfrecord(str(path))
    assert bytes(dataset[0]) == b"right"
    with open(path, "r+b") as file:
        file.seek(-6, os.SEEK_END)
        file.write(b"X")
    with pytest.raises(weir.errors.Error):
        dataset[1]
    write(path, [b"right", b"mended", b"more"])
    assert bytes(dataset[1]) == b"mended"
    assert bytes(dataset[2]) == b"more"
