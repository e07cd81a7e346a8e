"""Saving and restoring a position."""

from __future__ import annotations

import functools
import pathlib
import tempfile
from typing import Any

from peers import data
from peers.repeat import repeated
from peers.row import BYTES, MS, Rows, call

BUFFER, TAKEN = 100_000, 1000


@functools.cache
def weir_positioned(weir: Any) -> Any:
    """An iterator whose buffer is full, and its dataset."""
    dataset = weir.tfrecord(data.records(1024, 64_000)).repeat(4).shuffle(BUFFER, seed=1)
    iterator = iter(dataset)
    for _ in range(TAKEN):
        next(iterator)
    return iterator, dataset


@functools.cache
def tf_positioned(tf: Any) -> Any:
    dataset = tf.data.TFRecordDataset(data.records(1024, 64_000)).repeat(4).shuffle(BUFFER, seed=1)
    iterator = iter(dataset)
    for _ in range(TAKEN):
        next(iterator)
    return iterator, dataset


def grain_dataset(grain: Any) -> Any:
    from array_record.python import array_record_module

    from peers.rows.records import array_record

    array_record(array_record_module)
    source = grain.sources.ArrayRecordDataSource(str(data.folder() / "records-64000.array_record"))
    return grain.MapDataset.source(source).seed(1).shuffle().repeat(4).to_iter_dataset()


@functools.cache
def grain_positioned(grain: Any) -> Any:
    iterator = iter(grain_dataset(grain))
    for _ in range(TAKEN):
        next(iterator)
    return iterator, grain_dataset(grain)


def tf_written(tf: Any, folder: str) -> None:
    iterator, _ = tf_positioned(tf)
    tf.train.Checkpoint(iterator=iterator).write(folder + "/position")


def tf_saved(tf: Any, n: int) -> Any:
    tf_positioned(tf)
    folder = tempfile.TemporaryDirectory()
    return lambda: (tf_written(tf, folder.name), folder.cleanup()) and None


def tf_restored(tf: Any, n: int) -> Any:
    _, dataset = tf_positioned(tf)
    folder = tempfile.TemporaryDirectory()
    tf_written(tf, folder.name)

    def run() -> None:
        iterator = iter(dataset)
        tf.train.Checkpoint(iterator=iterator).read(folder.name + "/position").assert_consumed()
        next(iterator)
        folder.cleanup()

    return run


def tf_position_bytes(tf: Any, n: int) -> Any:
    def run() -> int:
        with tempfile.TemporaryDirectory() as folder:
            tf_written(tf, folder)
            return sum(file.stat().st_size for file in pathlib.Path(folder).iterdir())

    return run


def weir_restored(weir: Any, n: int) -> Any:
    iterator, dataset = weir_positioned(weir)
    position = iterator.save()
    return repeated(n, lambda: next(dataset.iterator(checkpoint=position)))


def grain_restored(grain: Any, n: int) -> Any:
    state = grain_positioned(grain)[0].get_state()

    def once() -> None:
        iterator = iter(grain_dataset(grain))
        iterator.set_state(state)
        next(iterator)

    return repeated(n, once)


def grain_state(grain: Any) -> Any:
    return grain_positioned(grain)[0].get_state()


def positions(rows: Rows) -> None:
    work = "`tfrecord | shuffle(100,000)` of 1 KB"
    index = "the order is a function of the index: there is no buffer, and records are read at random"
    rows.add(
        "save",
        f"{work}: save the position",
        MS,
        {
            "weir": call(lambda weir, n: repeated(n, weir_positioned(weir)[0].save)),
            "tf.data": call(tf_saved, "`tf.train.Checkpoint`, to a file"),
            "Grain": call(lambda grain, n: repeated(n, lambda: grain_state(grain)), index),
        },
        least=1,
        bound=0.1,
        ratios={"tf.data": 1},
    )
    rows.add(
        "restore",
        f"{work}: restore it and take an element",
        MS,
        {
            "weir": call(weir_restored),
            "tf.data": call(tf_restored),
            "Grain": call(grain_restored),
        },
        least=1,
        most=1,
        bound=100,
        why="the 101,000 records that had come are read again, and those that were still in the buffer are copied "
        "into it once more; Grain opens its file at an index.",
    )
    rows.add(
        "position",
        f"{work}: the size of the position",
        BYTES,
        {
            "weir": call(lambda weir, n: lambda: len(weir_positioned(weir)[0].save())),
            "tf.data": call(tf_position_bytes),
            "Grain": call(lambda grain, n: lambda: len(repr(grain_state(grain)))),
        },
        least=1,
        most=1,
        bound=1024,
        why="Grain's shuffle is a function of the index and keeps no buffer, so an index is its position; weir's "
        "keeps one, in tf.data's order. weir's `global_shuffle`, which keeps none, takes 417 bytes over this file.",
    )


def add_to(rows: Rows) -> None:
    positions(rows)
