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
