"""tensorflow/models, ranking/data/data_pipeline.py: Criteo's lines of numbers and categories, a shard of files each."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest
from ports import check_elements, check_parts, check_positions

import weir

DENSE, SPARSE, BATCH = 4, 3, 3


def write_data(folder: pathlib.Path) -> str:
    """Four files of unlike length; a value that is missing is -1."""
    draws = np.random.RandomState(4)
    for file, count in enumerate((7, 10, 5, 9)):
        rows = []
        for _ in range(count):
            dense = [f"{x:.4f}" if x > 0.3 else "-1" for x in draws.rand(DENSE) * 5]
            sparse = [str(x) for x in draws.randint(-1, 1000, size=SPARSE)]
            rows.append("\t".join([str(draws.randint(2)), *dense, *sparse]) + "\n")
        (folder / f"train-{file}.tsv").write_text("".join(rows))
    return str(folder / "train-*.tsv")


def parse(lines):
    """The columns of a batch of lines: the dense ones side by side, the others by their numbers."""
    label, *fields = weir.fn.decode_csv(lines, [0.0] * (1 + DENSE) + [np.int32(0)] * SPARSE, delim="\t", na_value="-1")
    dense, sparse = fields[:DENSE], fields[DENSE:]
    features = {
        "dense_features": weir.fn.stack(dense, axis=1),
        "sparse_features": {str(n): column for n, column in enumerate(sparse)},
    }
    return features, weir.fn.reshape(label, [BATCH, 1])


def batches(lines: weir.Dataset, training: bool) -> weir.Dataset:
    endless = lines.repeat() if training else lines
    return endless.batch(BATCH, drop_remainder=True).map(parse, num_parallel_calls="auto")


def reader(pattern: str, training: bool, shards: int = 1, rank: int = 0, world_size: int = 1) -> weir.Dataset:
    names = weir.list_files(pattern, shuffle=False)
    if world_size > 1:
        names = names.shard(world_size, rank)
    shard = weir.range(shards).interleave(
        lambda n: batches(weir.text_line(names.shard(shards, n)), training),
        cycle_length=2,
        num_parallel_calls="auto",
    )
    return shard.prefetch("auto")


@pytest.mark.parametrize(
    ("name", "options", "count"),
    [
        ("evaluation", {"training": False}, None),
        ("shards", {"training": False, "shards": 3}, None),
        ("training", {"training": True, "shards": 2, "rank": 1, "world_size": 2}, 11),
    ],
)
def test_elements_are_those_of_the_original(tmp_path: pathlib.Path, name: str, options: dict, count: int) -> None:
    dataset = reader(write_data(tmp_path), **options)
    check_elements(dataset if count is None else dataset.take(count), f"criteo_{name}")
    check_positions(dataset, count)


def test_in_parts(tmp_path: pathlib.Path) -> None:
    names = sorted(map(str, tmp_path.glob(pathlib.Path(write_data(tmp_path)).name)))
    check_parts(weir.text_line(names), lambda part: batches(part, training=True), 9)
