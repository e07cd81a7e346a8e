"""Elements out of the columns of Arrow tables."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from ._core import Spec


def rows_of(spec: Spec, table: pa.Table) -> Callable[[int], Any]:
    """A function that gives the element in a row of a table whose first columns are those of a spec."""
    if spec.kind in ("tuple", "dict"):
        return _members(spec, [_whole(table.column(i)) for i in range(len(spec.children))])
    return _tensor(spec, _whole(table.column(0)))


def _layout(column: pa.DataType) -> tuple[list[int | None], pa.DataType]:
    """The dimensions of a column's tensors, None where they vary, and the type of an entry."""
    dims: list[int | None] = list(getattr(column, "shape", ()))
    if dims:  # a tensor of Ray's
        column = column.storage_type.value_type
    while pa.types.is_list(column) or pa.types.is_large_list(column) or pa.types.is_fixed_size_list(column):
        dims.append(column.list_size if pa.types.is_fixed_size_list(column) else None)
        column = column.value_type
    if pa.types.is_integer(column) or pa.types.is_floating(column) or pa.types.is_boolean(column):
        return dims, column
    if column in (pa.binary(), pa.large_binary(), pa.string(), pa.large_string()):
        return dims, pa.large_binary()
    raise TypeError(f"a column of {column} is no tensor of numbers, bools or strings; convert it first")


def plain_type(column: pa.DataType) -> pa.DataType:
    """The type that a column of weir's has for the same values; TypeError where it has none."""
    if pa.types.is_struct(column):
        return pa.struct([field.with_type(plain_type(field.type)) for field in column])
    dims, plain = _layout(column)
    for size in reversed(dims):
        plain = pa.large_list(plain) if None in dims else pa.list_(plain, size)
    return plain


def spec_of(columns: list[pa.Field]) -> str:
    """The structure of rows with such columns: a dict."""
    return "{" + ", ".join(f"{json.dumps(column.name)}: {_spec_of(column.type)}" for column in columns) + "}"


def _spec_of(column: pa.DataType) -> str:
    if pa.types.is_struct(column):
        return spec_of(list(column))
    dims, entry = _layout(column)
    name = "string" if entry == pa.large_binary() else np.dtype(entry.to_pandas_dtype()).name
    return f"{name}[{', '.join('?' if size is None else str(size) for size in dims)}]"


def plain(column: pa.ChunkedArray, wanted: pa.DataType) -> pa.Array:
    """A column as its `plain_type`."""
    array = _whole(column)
    if array.null_count:
        raise ValueError("the rows have missing values, which elements cannot have; fill them or drop their rows first")
    if not isinstance(array.type, pa.BaseExtensionType):
        return array.cast(wanted)
    shape, array = array.type.shape, array.storage.flatten()
    for size in reversed(shape):
        array = pa.FixedSizeListArray.from_arrays(array, size)
    return array.cast(wanted)


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _members(spec: Spec, columns: list[pa.Array]) -> Callable[[int], Any]:
    members = [_member(child, column) for child, column in zip(spec.children, columns, strict=True)]
    if spec.kind == "tuple":
        return lambda row: tuple([member(row) for member in members])
    named = list(zip(spec.keys, members, strict=True))
    return lambda row: {name: member(row) for name, member in named}


def _member(spec: Spec, column: pa.Array) -> Callable[[int], Any]:
    if spec.kind in ("tuple", "dict"):
        return _members(spec, column.flatten())
    return _tensor(spec, column)


def _tensor(spec: Spec, column: pa.Array) -> Callable[[int], Any]:
    dims = spec.shape or ()
    if None in dims:
        return _of_any_size(dims, column)
    rows = len(column)
    for _ in dims:
        column = column.flatten()
    values = _entries(column)
    values = values.reshape(rows, *dims) if dims else values
    return lambda row: values[row]


def _entries(column: pa.Array) -> Any:
    """Numbers as an array over the column's memory; strings as an array of bytes objects."""
    if not pa.types.is_large_binary(column.type):
        return column.to_numpy(zero_copy_only=False)
    made = np.empty(len(column), object)
    made[:] = column.to_pylist()
    return made


def _of_any_size(dims: tuple[int | None, ...], column: pa.Array) -> Callable[[int], Any]:
    """The shape of a row is in the offsets of its lists; inside an empty list it is what the structure knows."""
    offsets = []
    for _ in dims:
        offsets.append(column.offsets.to_numpy())
        column = column.values
    values = _entries(column)

    def row_of(row: int) -> Any:
        begin, end = row, row + 1
        shape = []
        for known, of in zip(dims, offsets, strict=True):
            shape.append(int(of[begin + 1] - of[begin]) if begin < end else known or 0)
            begin, end = of[begin], of[end]
        return values[begin:end].reshape(shape)

    return row_of
