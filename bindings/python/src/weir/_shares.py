"""The share of a rank in a dataset, for frameworks that number their processes themselves."""

from __future__ import annotations

from collections.abc import Iterator as Elements
from typing import Any

from ._dataset import INFINITE, UNKNOWN, Dataset, parse
from .errors import Error, InvalidArgument

_AUTO = "shard(auto, auto)"

# What may follow a partition and gives one element for each.
_ONE_TO_ONE = ("enumerate", "map", "options", "prefetch", "to_device")


def _nodes(node: dict[str, Any]) -> Elements[dict[str, Any]]:
    """An operator of `explain`, and those that it reads from."""
    yield node
    for below in node["inputs"]:
        yield from _nodes(below)


def has_partition(dataset: Dataset) -> bool:
    """Whether states of all ranks continue with another number of ranks."""
    return any(node["operator"] == "partition" for node in _nodes(dataset.explain()["graph"]))


def share_out(dataset: Dataset) -> Dataset:
    """The dataset with one place where a rank takes its share: the one that it has, or `shard("auto", "auto")`."""
    try:
        return dataset.shard("auto", "auto")
    except InvalidArgument:
        # There is only one such place. Where it is in a function, an ordinary shard is not refused.
        nodes = _nodes(dataset.explain()["graph"])
        if not any(node["operator"] == "partition" or node["text"] == _AUTO for node in nodes):
            dataset.shard(1, 0)
        return dataset


def count_of(dataset: Dataset, rank: int, ranks: int) -> int:
    """The number of elements of a rank's share; -1 if it is infinite, -2 if unknown."""
    said = dataset.explain(parts=True)
    node = said["graph"]
    while node["operator"] in _ONE_TO_ONE and node["inputs"]:
        node = node["inputs"][0]
    if node["operator"] == "partition" and said["parts"]:
        counts = [part["count"] for part in said["parts"][rank::ranks]]
        return UNKNOWN if "unknown" in counts else INFINITE if "infinite" in counts else sum(counts)
    text = str(dataset)
    if _AUTO in text:
        # Numbers in its place, where a text says all of the dataset.
        try:
            return parse(text.replace(_AUTO, f"shard({ranks}, {rank})"), runtime=dataset.runtime).count
        except Error:
            return UNKNOWN
    count = dataset.count
    return count if count < 0 else (count - rank + ranks - 1) // ranks
