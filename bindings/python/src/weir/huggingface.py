"""Hugging Face's datasets in weir, and weir's as theirs."""

from __future__ import annotations

from collections.abc import Iterator as Elements
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from datasets import IterableDataset
from datasets.iterable_dataset import _BaseExamplesIterable

from . import fn
from ._dataset import Dataset, from_arrow
from ._marks import Marks
from ._operators import from_tensor_slices


def _has_files(kind: pa.DataType) -> bool:
    if pa.types.is_struct(kind):
        return {field.name for field in kind} == {"bytes", "path"} or any(_has_files(field.type) for field in kind)
    return (pa.types.is_list(kind) or pa.types.is_large_list(kind)) and _has_files(kind.value_type)


def _read(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """For an image, or another file, what is in it, or its name where it wasn't read."""
    kind = column.type
    if not _has_files(kind):
        return column
    if pa.types.is_struct(kind):
        parts = {field.name: _read(pc.struct_field(column, [at])) for at, field in enumerate(kind)}
        if set(parts) == {"bytes", "path"}:
            return parts["path" if parts["bytes"].null_count else "bytes"]
        return pa.chunked_array([pa.StructArray.from_arrays([p.combine_chunks() for p in parts.values()], list(parts))])
    whole = column.combine_chunks()
    if whole.null_count:
        return column
    values = _read(pa.chunked_array([whole.values])).combine_chunks()
    return pa.chunked_array([type(whole).from_arrays(whole.offsets, values)])


def _gathered(column: pa.ChunkedArray) -> Any:
    """A column as `fn.gather` takes it; None for one of which it takes no rows by their numbers."""
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        return _gathered(pa.chunked_array([chunk.storage for chunk in column.chunks], kind.storage_type))
    if column.null_count or pa.types.is_dictionary(kind):
        return None
    if pa.types.is_struct(kind):
        parts = {field.name: _gathered(pc.struct_field(column, [at])) for at, field in enumerate(kind)}
        return None if None in parts.values() else parts
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        sizes = pc.unique(pc.list_value_length(column))
        inner = _gathered(pc.list_flatten(column)) if len(sizes) == 1 else None
        if not isinstance(inner, pa.ChunkedArray):
            return None
        return pa.chunked_array([pa.FixedSizeListArray.from_arrays(inner.combine_chunks(), sizes[0].as_py())])
    return column


def _row(part: Any, at: Any) -> Any:
    return {key: _row(inner, at) for key, inner in part.items()} if isinstance(part, dict) else fn.gather(part, at)


def from_huggingface(ds: Any) -> Dataset:
    """A dataset of the rows of a `datasets.Dataset`, as dicts; they are found by their positions.

    So `skip`, `partition` and `global_shuffle` read no others. Columns are read as by `weir.from_arrow`: numbers in one
    piece stay in their memory, which may be a mapped file, as do strings; numbers of several pieces are copied once. Of
    images and other files there are the bytes, for `weir.fn.decode_image` and its like. Missing values are an error. An
    order, of `shuffle` or `select`, is kept.
    """
    table, order = ds.data.table.select(ds.column_names), ds._indices
    table = pa.table({name: _read(table.column(name)) for name in ds.column_names})
    if order is None:
        return from_arrow(table)
    indices = order.column(0)
    columns = {name: _gathered(table.column(name)) for name in ds.column_names}
    if None in columns.values():
        return from_arrow(table.take(indices))
    return from_tensor_slices(indices.to_numpy().astype(np.int64)).map(lambda at: _row(columns, at))


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
