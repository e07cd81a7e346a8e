"""weir in Ray: `weir.ray.read(dataset)` is a Ray Dataset with one read task for each part.

The dataset has a `partition`. Each row has the columns of its element, `_part` and `_index`, its place among the
elements of its part. weir's order is that of (`_index`, `_part`): `weir.ray.iterator` gives the elements in it, and
`ray_dataset.sort(["_index", "_part"])` brings it back after transformations of Ray.
"""

from __future__ import annotations

import functools
import heapq
import os
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Iterator as Elements
from typing import Any

import pyarrow as pa
import ray
from ray.data.block import BlockMetadata
from ray.data.datasource import Datasource, ReadTask

from ._core import Spec
from ._dataset import Dataset, from_generator
from ._iterator import checked_states
from ._parts import INDEX, PART, Parts, Readers, more_rows
from ._rows import plain, plain_type, rows_of, spec_of

_CHUNK_BYTES = 8 << 20
_AHEAD = 2  # chunks of a part that are asked for before they are due


def _reading(parts: Parts, part: int) -> Callable[[], Iterable[pa.Table]]:
    """What a read task does. It has as many threads as processors were reserved for it."""

    # Ray asks a large task for its __name__, and a functools.partial has none.
    def read_part() -> Iterable[pa.Table]:
        reserved = ray.get_runtime_context().get_assigned_resources().get("CPU", 0)
        return parts.blocks(part, threads=int(reserved))

    return read_part


class WeirDatasource(Datasource):
    """The parts of a dataset, as Ray reads them. Made by `weir.ray.read`."""

    def __init__(self, parts: Parts, known: Sequence[Mapping[str, Any]], tasks: int | None) -> None:
        super().__init__()
        self.parts = parts
        self.tasks = tasks
        # What `explain` says of each part.
        self._known = known

    def estimate_inmemory_data_size(self) -> int | None:
        """Unknown."""
        return None

    def get_read_tasks(
        self, parallelism: int, per_task_row_limit: int | None = None, data_context: Any = None
    ) -> list[ReadTask]:
        """One task for each part, however many Ray asks for."""
        return [
            ReadTask(
                _reading(self.parts, part),
                BlockMetadata(
                    num_rows=known["count"] if isinstance(known["count"], int) else None,
                    size_bytes=None,
                    exec_stats=None,
                    input_files=known["files"],
                ),
                self.parts.schema,
                per_task_row_limit,
            )
            for part, known in enumerate(self._known)
        ]


def read(dataset: Dataset, concurrency: int | None = None, **options: Any) -> Any:
    """A Ray Dataset of the elements of a dataset with a `partition`: one read task for each part.

    Columns are the members of an element, or "value", as `pyarrow.table(dataset)` has them; then `_part` and `_index`.
    Behind the partition may stand map, prefetch and options; what may drop, join or reorder elements belongs inside the
    parts. An element that fails, fails its task with weir's error.

    Where the graph tells how many elements a part has, and which files it opens, Ray knows it, too: `count()` and
    `input_files()` then read nothing. Names are known where they are written out, or listed without a shuffle.

    At most `concurrency` tasks run at once. Other options are those of `ray.data.read_datasource`.
    """
    source = WeirDatasource(Parts.of(dataset), dataset.explain(parts=True)["parts"], concurrency)
    return ray.data.read_datasource(source, concurrency=concurrency, override_num_blocks=source.parts.number, **options)


def _source_of(ray_dataset: Any) -> WeirDatasource | None:
    """The source of a Ray Dataset that `read` made, None for others, and after transformations."""
    source = getattr(ray_dataset._logical_plan.dag, "datasource", None)
    return source if isinstance(source, WeirDatasource) else None


class _Part:
    """What came from a part, and what is on its way."""

    def __init__(self, number: int, reader: Any, chunk_bytes: int, saved: Mapping[str, Any]) -> None:
        self.number = number
        self.given: int = saved["given"]
        self._reader = reader
        self._chunk_bytes = chunk_bytes
        # The chunk that elements are taken from: where it begins, and its rows once it is there.
        self._begin: int = saved["begin"]
        self._position: Any = saved["position"]  # bytes, or Ray's reference to them
        self._count = 0
        self._row: Callable[[int], Any] | None = None
        self._ended = False
        self._rows = 1  # to ask for next
        self._asked: deque[tuple[int, Any, int, Any, Any]] = deque()
        self._ask(self._begin, self._position)

    def _ask(self, begin: int, position: Any) -> None:
        """Asks for chunks, the first of them from there."""
        while len(self._asked) < _AHEAD:
            table, after = self._reader.read.options(num_returns=2).remote(self.number, begin, position, self._rows)
            self._asked.append((begin, position, self._rows, table, after))
            begin, position = begin + self._rows, after

    def _advance(self, spec: Spec) -> None:
        """Waits for the next chunk. After an error it is still the next one."""
        begin, position, rows, reference, _ = self._asked[0]
        table = ray.get(reference)
        self._begin, self._position, self._count = begin, position, table.num_rows
        self._row = rows_of(spec, table)
        self._ended = table.num_rows < rows
        self._asked.popleft()
        if self._ended:
            self._asked.clear()
        else:
            self._rows = more_rows(rows, table.nbytes, self._chunk_bytes)
            last, _, last_rows, _, after = self._asked[-1]
            self._ask(last + last_rows, after)

    def next(self, spec: Spec) -> tuple[Any] | None:
        """The next element, as the one member of a tuple; None at the end of the part."""
        while self._row is None or self.given >= self._begin + self._count:
            if self._ended:
                return None
            self._advance(spec)
        self.given += 1
        return (self._row(self.given - 1 - self._begin),)

    def save(self) -> dict[str, Any]:
        """How many elements it gave, and a place to continue from."""
        position = self._position
        if isinstance(position, ray.ObjectRef):
            position = ray.get(position)
        return {"given": self.given, "begin": self._begin, "position": position}


class OrderedIterator:
    """The elements of a Ray Dataset of `read` in weir's order. Made by `weir.ray.iterator`."""

    def __init__(self, source: WeirDatasource, rank: int, world: int, window_bytes: int, options: Any) -> None:
        parts = source.parts
        if not 0 <= rank < world or parts.number % world:
            raise ValueError(
                f"rank {rank} of {world} takes no equal share of {parts.number} parts; the number of parts must be "
                "a multiple of the number of ranks"
            )
        self._parts = parts
        self._spec = Spec(parts.spec)
        self._owned = range(rank, parts.number, world)
        self._chunk_bytes = max(1, min(_CHUNK_BYTES, window_bytes // (len(self._owned) * (_AHEAD + 1))))
        count = source.tasks or int(ray.cluster_resources().get("CPU", 1))
        made = ray.remote(Readers).options(
            **{"num_cpus": 0, "scheduling_strategy": "SPREAD", **options, "max_restarts": -1, "max_task_retries": -1}
        )
        self._readers = [made.remote(parts) for _ in range(max(1, min(count, len(self._owned))))]
        self._begin({})

    def _begin(self, saved: Mapping[int, Mapping[str, Any]]) -> None:
        start = {"given": 0, "begin": 0, "position": None}
        self._by_part = [
            _Part(part, self._readers[i % len(self._readers)], self._chunk_bytes, saved.get(part, start))
            for i, part in enumerate(self._owned)
        ]
        # By turn: element i of part s of n has turn i * n + s.
        self._due = [(part.given * self._parts.number + part.number, i) for i, part in enumerate(self._by_part)]
        heapq.heapify(self._due)

    def __iter__(self) -> OrderedIterator:
        return self

    def __next__(self) -> Any:
        while self._due:
            turn, i = self._due[0]
            element = self._by_part[i].next(self._spec)
            if element is not None:
                heapq.heapreplace(self._due, (turn + self._parts.number, i))
                return element[0]
            heapq.heappop(self._due)
        raise StopIteration

    def state_dict(self) -> dict[str, Any]:
        """How many elements each part has given, and positions to read on from."""
        saved = {part.number: part.save() for part in self._by_part}
        return {"weir": 1, "dataset": self._parts.fingerprint, "parts": saved}

    def load_state_dict(self, state: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> None:
        """Continues where `state_dict` was called, also with another number of readers.

        With another number of ranks, pass the states of all ranks to each: `load_state_dict([state, ...])`.
        """
        states = checked_states(state, "parts")
        if any(one["dataset"] != self._parts.fingerprint for one in states):
            raise ValueError("the state is of another dataset")
        saved = {int(part): where for one in states for part, where in one["parts"].items()}
        missing = [part for part in self._owned if part not in saved]
        if missing:
            raise ValueError(f"the state has no part {missing[0]}; pass the states of all ranks: [state, ...]")
        self._begin(saved)


def iterator(
    ray_dataset: Any, rank: int = 0, world: int = 1, *, window_bytes: int = 256 << 20, **options: Any
) -> OrderedIterator:
    """The elements of `weir.ray.read(dataset)` in weir's order: round by round, one of each part.

    Rank r of a world of W takes the parts s with s mod W = r. Actors read the parts, as many as the dataset's
    `concurrency`, a chunk at a time; what they are ahead has about `window_bytes`, or a few elements of each part
    where those are larger. An actor that is killed starts again where its part was. `state_dict` and `load_state_dict`
    save and restore the position. Other options are those of the actors, as `ray.remote` has them.
    """
    source = _source_of(ray_dataset)
    if source is None:
        raise ValueError(
            "this is not the Ray Dataset that weir.ray.read made; put transformations into weir's pipeline, apply them "
            f'to what the iterator gives, or restore the order by ray_dataset.sort(["{INDEX}", "{PART}"])'
        )
    return OrderedIterator(source, rank, world, window_bytes, options)


def _rows(ray_dataset: Any, spec: str, schema: pa.Schema) -> Elements[Any]:
    """The rows of a Ray Dataset as elements."""
    for block in ray_dataset.iter_batches(batch_size=None, batch_format="pyarrow"):
        columns = [plain(block.column(field.name), field.type) for field in schema]
        row = rows_of(Spec(spec), pa.table(columns, schema.names))
        yield from map(row, range(block.num_rows))


def write(ray_dataset: Any, path: str | os.PathLike[str], *, compression: str = "", num_shards: int = 1) -> None:
    """Writes the rows of a Ray Dataset to a folder, for `load` to read.

    What `weir.ray.read` made is written in weir's order, as the elements that it was made of. Other rows are written
    in Ray's order, as dicts; `_part` and `_index` are left out. This process writes; Ray's tasks only read.
    """
    source = _source_of(ray_dataset)
    if source is not None:
        spec: Any = source.parts.spec
        elements: Callable[[], Iterable[Any]] = functools.partial(iterator, ray_dataset)
    else:
        fields = [field for field in ray_dataset.schema().base_schema if field.name not in (PART, INDEX)]
        schema = pa.schema([field.with_type(plain_type(field.type)).with_nullable(False) for field in fields])
        spec = spec_of(list(schema))
        elements = functools.partial(_rows, ray_dataset, spec, schema)
    from_generator(elements, spec).save(os.fspath(path), compression=compression, num_shards=num_shards)


__all__ = ["OrderedIterator", "WeirDatasource", "iterator", "read", "write"]
