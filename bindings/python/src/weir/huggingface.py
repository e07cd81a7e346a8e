"""Hugging Face's datasets in weir, and weir's as theirs."""

from __future__ import annotations

import copy
import functools
import itertools
from collections.abc import Iterator as Elements
from typing import Any

import datasets
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from datasets import IterableDataset
from datasets.iterable_dataset import _BaseExamplesIterable

from . import fn
from ._dataset import Dataset, from_arrow
from ._iterator import Iterator
from ._marks import Marks
from ._operators import from_tensor_slices
from ._operators import zip as zip_
from ._values import Optional, Ragged, Sparse
from .errors import in_worker


def _has_files(kind: pa.DataType) -> bool:
    if pa.types.is_struct(kind):
        return {field.name for field in kind} == {"bytes", "path"} or any(_has_files(field.type) for field in kind)
    return (pa.types.is_list(kind) or pa.types.is_large_list(kind)) and _has_files(kind.value_type)


def _read(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """For an image, or another file, what is in it, or its name where it wasn't read."""
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType) and hasattr(kind, "shape") and not len(column):
        # An Array2D or the like, whose lists have no lengths then.
        made = functools.reduce(lambda inner, _: inner.value_type, kind.shape, kind.storage_type)
        for size in reversed(kind.shape):
            made = pa.list_(made, -1 if size is None else size)
        return pa.chunked_array([], made)
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


_TEXT: Any = np.dtypes.StringDType() if hasattr(np.dtypes, "StringDType") else object
_BYTES = (pa.binary(), pa.large_binary(), pa.binary_view())
_VIEWS = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}


def _without_views(kind: pa.DataType) -> pa.DataType:
    """The type with offsets in place of views, since Arrow takes no rows of those by their numbers."""
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_without_views(field.type)) for field in kind])
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(_without_views(kind.value_type), kind.list_size)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return (pa.list_ if pa.types.is_list(kind) else pa.large_list)(_without_views(kind.value_type))
    return _VIEWS.get(kind, kind)


def _with_offsets(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = _without_views(column.type)
    return column if kind == column.type else column.cast(kind)


def _is_plain(kind: pa.DataType) -> bool:
    """Whether the column is, as it lies in memory, the tensor that `from_arrow` makes of it."""
    if kind in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary()):
        return True
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def _gathered(column: pa.ChunkedArray) -> Any:
    """A plain column as `fn.gather` takes it, a struct of them as a dict; None for others."""
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        return _gathered(pa.chunked_array([chunk.storage for chunk in column.chunks], kind.storage_type))
    if column.null_count:
        return None
    if pa.types.is_struct(kind):
        parts = {field.name: _gathered(pc.struct_field(column, [at])) for at, field in enumerate(kind)}
        return None if None in parts.values() else parts
    fixed = pa.types.is_fixed_size_list(kind)
    if fixed or pa.types.is_list(kind) or pa.types.is_large_list(kind):
        sizes = [kind.list_size] if fixed else pc.unique(pc.list_value_length(column)).to_pylist()
        inner = _gathered(pc.list_flatten(column)) if len(sizes) == 1 and sizes[0] else None
        if not isinstance(inner, pa.ChunkedArray):
            return None
        if fixed and inner.type == kind.value_type:
            return column
        return pa.chunked_array([pa.FixedSizeListArray.from_arrays(inner.combine_chunks(), sizes[0])])
    return column if _is_plain(kind) else None


def _row(part: Any, at: Any) -> Any:
    return {key: _row(inner, at) for key, inner in part.items()} if isinstance(part, dict) else fn.gather(part, at)


def from_huggingface(ds: Any) -> Dataset:
    """A dataset of the rows of a `datasets.Dataset`, as dicts; they are found by their positions.

    So `skip`, `partition` and `global_shuffle` read no others. Columns are read as by `weir.from_arrow`: numbers in one
    piece stay in their memory, which may be a mapped file, as do strings; numbers of several pieces are copied once. Of
    images and other files there are the bytes, for `weir.fn.decode_image` and its like. Missing values are an error. An
    order, of `shuffle` or `select`, is kept; columns other than plain numbers, strings and lists of one length are
    copied into it.
    """
    if not isinstance(ds, datasets.Dataset):
        split, stream = (
            'choose a split, such as ds["train"]',
            "load it without streaming, or give it to weir.from_torch",
        )
        hint = split if isinstance(ds, dict) else stream
        raise TypeError(f"expected a datasets.Dataset, found {type(ds).__name__}; {hint}")
    table, order = ds.data.table.select(ds.column_names), ds._indices
    columns = {name: _read(table.column(name)) for name in ds.column_names}
    if order is None:
        return from_arrow(pa.table(columns))
    indices = order.column(0)
    whole = {name: _with_offsets(column) for name, column in columns.items()}
    gathered = {name: made for name, column in whole.items() if (made := _gathered(column)) is not None}
    if gathered:
        rows = from_tensor_slices(indices.to_numpy().astype(np.int64)).map(lambda at: _row(gathered, at))
        if len(gathered) == len(columns):
            return rows
    taken = from_arrow(pa.table({name: whole[name] for name in columns if name not in gathered}).take(indices))
    if not gathered:
        return taken
    return zip_(rows, taken).map(lambda one, two: {name: (one if name in gathered else two)[name] for name in columns})


def _is_list(kind: Any) -> bool:
    return kind is not None and bool(
        pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    )


def _check_is_kept(name: str, kind: pa.DataType) -> None:
    """Refuses a feature whose values weir has as numbers, since Hugging Face would take them for others."""
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    while _is_list(kind):
        kind = kind.value_type
    for field in kind if pa.types.is_struct(kind) else ():
        _check_is_kept(name, field.type)
    if pa.types.is_temporal(kind) or pa.types.is_decimal(kind):
        raise ValueError(
            f"expected features without dates, times and decimals, which are numbers in weir, found {kind} in the "
            f'column {name}; give datasets.Value("int64"), "int32" or "float64", as the spec of the dataset says'
        )


def _dicts(parts: dict[str, Any], depth: int) -> Any:
    """A list of dicts, or of such lists, for which weir has a dict of lists."""
    if not depth:
        return parts
    return [_dicts(dict(zip(parts, row, strict=True)), depth - 1) for row in zip(*parts.values(), strict=True)]


def _with_text(value: Any, kind: Any) -> Any:
    """A value with str in place of bytes, unless the type, of Hugging Face's feature, says that they are bytes."""
    if kind is None and isinstance(value, bytes):
        return value.decode()
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    depth = 0
    while _is_list(kind):
        kind, depth = kind.value_type, depth + 1
    if isinstance(value, dict):
        parts = {name: _with_text(part, kind and kind.field(name).type) for name, part in value.items()}
        return _dicts(parts, depth)
    if isinstance(value, tuple):
        return tuple(_with_text(part, kind) for part in value)
    if isinstance(value, Ragged):
        return Ragged(_with_text(value.values, kind), value.row_splits)
    if isinstance(value, Sparse):
        return Sparse(value.indices, _with_text(value.values, kind), value.shape)
    if isinstance(value, Optional) and value.has_value:
        return Optional(_with_text(value.value, kind))
    if kind is not None and (kind in _BYTES or pa.types.is_fixed_size_binary(kind) or _has_files(kind)):
        return value
    if isinstance(value, np.ndarray) and value.dtype.kind == "O":
        texts = [one.decode() for one in value.ravel()]
        return np.array(texts, _TEXT).reshape(value.shape)
    return value.decode() if isinstance(value, bytes) else value


class _Epochs:
    """What the loops over a dataset, and over all that are derived from it, have begun."""

    def __init__(self) -> None:
        # Of each share, since one loop may begin several. What the parent looped over counts for no worker.
        self.next: dict[tuple[tuple[int, int], bool], int] = {}
        self.are_set = False  # by set_epoch; shift_rngs is called with all but 0


class _Examples(_BaseExamplesIterable):
    """The elements of a dataset, for Hugging Face's IterableDataset: all, or a share of them."""

    def __init__(self, dataset: Dataset, num_shards: int, features: datasets.Features | None) -> None:
        super().__init__()
        self._dataset = dataset
        self._num_shards = num_shards
        self._types = {} if features is None else {field.name: field.type for field in features.arrow_schema}
        # The columns that are not as Hugging Face has them.
        columns = zip(dataset.spec.keys, dataset.spec.children, strict=True)
        self._converted = [name for name, column in columns if column.kind != "tensor" or column.dtype == "string"]
        self._share = 0, 1  # its index, and how many there are
        self._epoch = 0  # that of set_epoch
        self._in_worker = False  # whether this is what a worker has
        self._epochs = _Epochs()
        self._sleep_on_threads_shutdown = False
        self._state_dict: dict[str, Any] | None = None
        self._fresh = 0  # the epoch in a state that was not loaded

    def _init_state_dict(self) -> dict[str, Any]:
        self._fresh = self._epochs.next.get((self._share, self._in_worker), 0)
        self._state_dict = {"position": None, "taken": 0, "epoch": self._fresh, "type": type(self).__name__}
        return self._state_dict

    def _begin(self) -> Iterator:
        """An iterator over the next epoch, that of set_epoch, or that of the beginning that was loaded."""
        index, shares = self._share
        counted = self._share, self._in_worker
        epoch = self._epoch if self._epochs.are_set else self._epochs.next.get(counted, 0)
        if self._state_dict and self._state_dict["epoch"] != self._fresh and not self._epochs.are_set:
            epoch = self._state_dict["epoch"]
        self._epochs.next[counted] = epoch + 1
        shared = self._dataset if shares == 1 else self._dataset.shard(shares, index)
        # Hugging Face shares out the elements itself, so the launcher's rank takes no share of its own.
        return shared.iterator(epoch=epoch, rank=0, world_size=1)

    def _row(self, element: dict[str, Any]) -> dict[str, Any]:
        for name in self._converted:
            try:
                element[name] = _with_text(element[name], self._types.get(name))
            except UnicodeDecodeError as error:
                raise ValueError(
                    f"expected UTF-8 text in the column {name}, found other bytes; pass features= with "
                    'datasets.Value("binary"), datasets.Image() or the like for it'
                ) from error
        return element

    def __iter__(self) -> Elements[tuple[int, Any]]:
        state = self._state_dict
        marks = Marks(self._begin())
        if state and state["position"] is not None:
            marks.load(state["position"], state["taken"])
        for number in itertools.count():
            try:
                row = self._row(next(marks))
            except StopIteration:
                return
            finally:
                # After an error, too: the loop ends with it, and the next one begins after it.
                if state:
                    state["position"], state["taken"] = marks.state()
            yield number, row

    def shuffle_data_sources(self, generator: Any) -> _Examples:
        return self

    def shift_rngs(self, value: int) -> _Examples:
        """Called with the epoch that was set, and in a worker, for what it has, with its number."""
        made = copy.copy(self)
        if not self._in_worker:
            made._epoch = value
            self._epochs.are_set = True
        return made

    def shard_data_sources(self, num_shards: int, index: int, contiguous: bool = True) -> _Examples:
        count = min(num_shards, self._num_shards)
        made = copy.copy(self)
        made._num_shards //= count
        made._share = self._share[0] + self._share[1] * index, self._share[1] * count
        made._in_worker = in_worker()
        return made

    def reshard_data_sources(self) -> _Examples:
        return self

    @property
    def num_shards(self) -> int:
        return self._num_shards


class _Rows(IterableDataset):
    def set_epoch(self, epoch: int) -> None:
        super().set_epoch(epoch)
        self._ex_iterable._epochs.are_set = True


def dataset(source: Dataset, num_shards: int = 1, *, features: datasets.Features | None = None) -> IterableDataset:
    """A `datasets.IterableDataset` of the elements, which are dicts.

    Strings are str, and one that is no UTF-8 text is an error. With `features`, of all columns, the rows are encoded
    and decoded by Hugging Face's rules: strings of `Value("binary")` are bytes, and those of `Image()` and other files,
    which are the bytes of one, come back as images. After `from_huggingface(ds)` that is `features=ds.features`;
    dates, times and decimals are numbers in weir and need `Value("int64")` or the like.

    Each loop begins the next epoch, or once there was a `set_epoch`, that one; worker processes need it. On a derived
    dataset, `set_epoch(0)` counts after a `set_epoch` of another epoch. Its `state_dict` is the
    position of weir's, so that resuming reads little again. A row that fails ends the loop, since Hugging Face's loops
    are generators; resuming from its state continues with the rows after it. At most `num_shards` workers of a
    DataLoader, or nodes of `split_dataset_by_node`, share out the elements. Without those a loop has all of them, also
    in one of several ranks. Workers must be spawned, not forked: pass `multiprocessing_context="spawn"` to the
    DataLoader, or `dataloader_multiprocessing_context="spawn"` to `TrainingArguments`.
    """
    if source.spec.kind != "dict":
        raise TypeError(f"expected elements that are dicts, found {source.spec}; name their parts with map")
    if num_shards < 1:
        raise ValueError(f"expected at least 1 for num_shards, found {num_shards}")
    if features is not None and set(features) != set(source.spec.keys):
        raise ValueError(f"expected features of the columns {list(source.spec.keys)}, found {list(features)}")
    for field in () if features is None else features.arrow_schema:
        _check_is_kept(field.name, field.type)
    return _Rows(_Examples(source, num_shards, features), datasets.DatasetInfo(features=features))


__all__ = ["dataset", "from_huggingface"]
