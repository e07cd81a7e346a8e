"""The parts of a dataset one by one, as Arrow tables: what the tasks of an engine read."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator as Elements
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from . import _core
from ._dataset import Dataset, deserialize
from ._runtime import default_runtime

PART, INDEX = "_part", "_index"
_PLACE = [pa.field(name, pa.int64(), nullable=False) for name in (PART, INDEX)]

# What may stand behind a partition: each element of a part gives one element, in the same order.
_ONE_TO_ONE = ("map", "options", "prefetch")

# Blocks begin with one row, so that large elements stay within the limit of bytes.
BLOCK_BYTES = 1 << 20
_BLOCK_ROWS = 1024
_GROWTH = 8


def _partition_of(dataset: Dataset) -> dict[str, Any]:
    """What `explain` says of the partition that a dataset ends in."""
    if "deterministic: false" in str(dataset):
        raise ValueError("with deterministic: false a task that runs again would give other elements; leave it out")
    if param := re.search(r"^param (\w+)", str(dataset), re.MULTILINE):
        raise ValueError(
            f"the parameter ${param[1]} has no value in a task; write a value in its place in the document"
        )
    explained = dataset.explain()
    node: dict[str, Any] = explained["graph"]
    while node["operator"] != "partition":
        if node["operator"] not in _ONE_TO_ONE or not node["inputs"]:
            raise ValueError(
                f"{node['operator']} is not inside the parts of the dataset; write partition(n, p -> p | ...), with "
                f"all operators inside that may drop, join or reorder elements; {', '.join(_ONE_TO_ONE)} may follow it"
            )
        node = node["inputs"][0]
    # A task reads its part as a rank would, so its elements would be others than those of one process.
    reason = explained["checkpoint"]["same_ranks"]
    if reason is not None:
        raise ValueError(f"{reason}, and a task reads one part alone; put it inside: partition(n, p -> p | ...)")
    return node


@functools.cache
def _runtime(threads: int) -> _core.Runtime:
    return _core.Runtime(threads=threads) if threads else default_runtime()


@dataclass(frozen=True)
class Parts:
    """A dataset that ends in parts, as tasks carry it."""

    graph: bytes
    fingerprint: str
    number: int
    spec: str

    @staticmethod
    def of(dataset: Dataset) -> Parts:
        """The parts of a dataset; ValueError unless a partition gives its elements one to one."""
        number = int(_partition_of(dataset)["parameters"]["n"])
        clash = {PART, INDEX} & set(dataset.spec.keys)
        if clash:
            raise ValueError(f"the column {clash.pop()} is the engine's; give the element's key another name")
        # The one argument of deserialize. Says so where a dataset cannot travel.
        (graph,) = dataset.__reduce__()[1]
        return Parts(graph, dataset.fingerprint, number, str(dataset.spec))

    @property
    def element_schema(self) -> pa.Schema:
        """The columns of an element."""
        return pa.Schema._import_from_c_capsule(_core.arrow_schema(_core.Spec(self.spec)))

    @property
    def schema(self) -> pa.Schema:
        """The columns of an element, then those of the part and of the place in it."""
        return pa.schema([*self.element_schema, *_PLACE])

    def blocks(self, part: int, threads: int = 0) -> Elements[pa.Table]:
        """All of a part, in tables that are the same each time; an empty one for a part without elements."""
        reader = Reader(self, part, threads=threads)
        rows = 1
        table = reader.read(rows)
        yield table
        while table.num_rows == rows:
            rows = min(more_rows(rows, table.nbytes, BLOCK_BYTES), _BLOCK_ROWS)
            table = reader.read(rows)
            if table.num_rows:
                yield table


def more_rows(rows: int, size: int, most: int) -> int:
    """How many rows to read next, where so many had `size` bytes and are to have up to `most`."""
    return max(1, min(rows * _GROWTH, most * rows // max(size, 1)))


class Reader:
    """Reads one part, from its beginning or from a position that one of these had at that index."""

    def __init__(
        self, parts: Parts, part: int, *, index: int = 0, position: bytes | None = None, threads: int = 0
    ) -> None:
        self.index = index
        self._part = part
        self._schema = parts.element_schema
        dataset = deserialize(parts.graph, runtime=_runtime(threads))
        self._iterator = dataset.iterator(rank=part, world_size=parts.number, checkpoint=position)

    def read(self, rows: int) -> pa.Table:
        """The next `rows` elements: fewer only at the end. An element that failed raises its weir.Error."""
        # One chunk, since the engine's sizes of blocks depend on chunks, and those on how far threads had run ahead.
        capsules = _core.next_arrow(self._iterator, rows)
        batches = [] if capsules is None else [pa.RecordBatch._import_from_c_capsule(*capsules)]
        table = pa.Table.from_batches(batches, self._schema)
        count, first = table.num_rows, self.index
        self.index += rows
        place = np.full(count, self._part), np.arange(first, first + count)
        for field, values in zip(_PLACE, place, strict=True):
            table = table.append_column(field, pa.array(values, field.type))
        return table

    def save(self) -> bytes:
        """The position after what was read."""
        return self._iterator.save()


class Readers:
    """Reads some of the parts. Each call says where it begins, so it may run again and in another process."""

    KEPT = 64  # parts that stay open

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._open: dict[int, Reader] = {}

    def read(self, part: int, index: int, position: bytes | None, rows: int) -> tuple[pa.Table, bytes]:
        """The next rows of a part, fewer only at its end, and the position after them."""
        reader = self._open.pop(part, None)
        if reader is None or reader.index != index:
            reader = Reader(self._parts, part, index=index, position=position)
        # Kept only if it didn't fail: then it is behind the element that did.
        read = reader.read(rows), reader.save()
        if len(self._open) >= self.KEPT:
            del self._open[next(iter(self._open))]
        self._open[part] = reader
        return read
