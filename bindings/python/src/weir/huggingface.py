"""Hugging Face's datasets in weir, and weir's as theirs."""

from __future__ import annotations

from collections.abc import Iterator as Elements
from typing import Any

import numpy as np
import pyarrow as pa
from datasets import IterableDataset
from datasets.iterable_dataset import _BaseExamplesIterable

from . import fn
from ._dataset import Dataset
from ._marks import Marks
from ._operators import from_tensor_slices
from ._values import Ragged


def _chunks(column: pa.ChunkedArray, part: Any, kind: pa.DataType) -> pa.ChunkedArray:
    return pa.chunked_array([part(chunk) for chunk in column.chunks], kind)


def _column(name: str, column: pa.ChunkedArray) -> Any:
    """A column as from_tensor_slices takes it: one chunk of numbers as it lies, lists as tensors or as ragged rows."""
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        return _column(name, _chunks(column, lambda chunk: chunk.storage, kind.storage_type))
    if column.null_count:
        raise ValueError(
            f"the column {name} has {column.null_count} missing values, which elements cannot have; fill them, remove "
            "the column, or drop their rows with ds.filter"
        )
    if pa.types.is_struct(kind):
        parts = {field.name: _chunks(column, lambda c, at=i: c.field(at), field.type) for i, field in enumerate(kind)}
        if set(parts) == {"bytes", "path"}:
            # An image, or another file: what is in it, or its name where it wasn't read.
            return _column(name, parts["path" if parts["bytes"].null_count else "bytes"])
        return {key: _column(f"{name}.{key}", part) for key, part in parts.items()}
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        whole = column.combine_chunks()
        splits = whole.offsets.to_numpy().astype(np.int64)
        values = whole.values.slice(splits[0], splits[-1] - splits[0]) if len(splits) else whole.values
        inner = _column(name, pa.chunked_array([values]))
        sizes = np.unique(np.diff(splits))
        if len(sizes) == 1 and isinstance(inner, (pa.ChunkedArray, pa.Array)):
            flat = inner.combine_chunks() if isinstance(inner, pa.ChunkedArray) else inner
            return pa.FixedSizeListArray.from_arrays(flat, int(sizes[0]))
        if isinstance(inner, (dict, Ragged)):
            raise TypeError(f"the column {name} has lists of {kind.value_type}; convert it with ds.map first")
        return Ragged(inner, splits - splits[0])
    return column


def _is_gathered(part: Any) -> bool:
    return all(map(_is_gathered, part.values())) if isinstance(part, dict) else not isinstance(part, Ragged)


def _row(part: Any, at: Any) -> Any:
    return {key: _row(inner, at) for key, inner in part.items()} if isinstance(part, dict) else fn.gather(part, at)


def from_huggingface(ds: Any) -> Dataset:
    """A dataset of the rows of a `datasets.Dataset`, as dicts; they are found by their positions.

    So `skip`, `partition` and `global_shuffle` read no others. A column of numbers in one piece stays in its memory,
    which may be a mapped file; of several pieces it is copied once. Strings are bytes. Lists of one length are tensors,
    others have an unknown first dimension. Of images and other files there are the bytes, for `weir.fn.decode_image`
    and its like. Missing values are an error. An order, of `shuffle` or `select`, is kept.
    """
    table, order = ds.data.table, ds._indices
    columns = {name: table.column(name) for name in ds.column_names}
    if order is None:
        return from_tensor_slices({name: _column(name, column) for name, column in columns.items()})
    indices = order.column(0).to_numpy().astype(np.int64)
    made = {name: _column(name, column) for name, column in columns.items()}
    if _is_gathered(made):
        return from_tensor_slices(indices).map(lambda at: _row(made, at))
    # Ragged rows are not gathered by number.
    taken = table.take(pa.array(indices))
    return from_tensor_slices({name: _column(name, taken.column(name)) for name in columns})


class _Examples(_BaseExamplesIterable):
    """The elements of a dataset, for Hugging Face's IterableDataset."""

    def __init__(self, dataset: Dataset) -> None:
        super().__init__()
        self._dataset = dataset
        self._state_dict: dict[str, Any] | None = None

    def _init_state_dict(self) -> dict[str, Any]:
        self._state_dict = {"position": None, "taken": 0, "type": type(self).__name__}
        return self._state_dict

    def __iter__(self) -> Elements[tuple[int, Any]]:
        state = self._state_dict
        begun = self._dataset.iterator(strings="text", epoch=self._dataset._epoch)
        self._dataset._epoch += 1
        marks = Marks(begun)
        if state and state["position"] is not None:
            marks.load(state["position"], state["taken"])
        for number, element in enumerate(marks):
            if state:
                state["position"], state["taken"] = marks.state()
            yield number, element

    def shuffle_data_sources(self, generator: Any) -> _Examples:
        return self

    def shard_data_sources(self, num_shards: int, index: int, contiguous: bool = True) -> _Examples:
        return self if num_shards == 1 else _Examples(self._dataset.shard(num_shards, index))

    def reshard_data_sources(self) -> _Examples:
        return self

    @property
    def num_shards(self) -> int:
        return 1


def dataset(source: Dataset) -> IterableDataset:
    """A `datasets.IterableDataset` of the elements, which are dicts; strings are str.

    Each loop begins the next epoch. Its `state_dict` is the position of weir's, so that resuming reads little again.
    """
    if source.spec.kind != "dict":
        raise TypeError(f"expected elements that are dicts, found {source.spec}; name their parts with map")
    return IterableDataset(_Examples(source))


__all__ = ["dataset", "from_huggingface"]
