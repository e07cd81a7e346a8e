"""From what other libraries hold to tensors, without a copy where memory allows it."""

from __future__ import annotations

import math
import os
from decimal import Decimal
from typing import Any

import numpy as np

from ._core import Tensor, from_arrow
from ._node import checked, encoded

_DLPACK_CPU = 1
_MOST_DIMENSIONS = 8


def is_arraylike(value: object) -> bool:
    """Whether a value is an array of some library, or a column of a table."""
    if isinstance(value, (np.ndarray, memoryview, bytearray)):
        return True
    if any(hasattr(value, name) for name in ("__dlpack__", "__array__", "__arrow_c_array__", "__arrow_c_stream__")):
        return True
    try:
        memoryview(value)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


def is_table(value: object) -> bool:
    """Whether a value is a table with named columns: of pandas, Polars or Arrow."""
    named = hasattr(value, "column_names") or hasattr(value, "columns")
    return named and any(hasattr(value, name) for name in ("__arrow_c_stream__", "__arrow_c_array__", "to_numpy"))


def columns_of(value: Any) -> dict[str, Any]:
    """The columns of a table, by name."""
    names = getattr(value, "column_names", None) or value.columns
    return {str(name): value[name] for name in names}


def _from_dlpack(value: Any) -> Tensor | None:
    """By DLPack, if the value has it and its memory is the CPU's."""
    device = value.__dlpack_device__() if hasattr(value, "__dlpack_device__") else (_DLPACK_CPU, 0)
    if int(device[0]) != _DLPACK_CPU:
        raise TypeError(f"expected an array in CPU memory, found one of {type(value).__name__} on another device")
    try:
        capsule = value.__dlpack__(max_version=(1, 0))
    except (TypeError, BufferError, RuntimeError, NotImplementedError):
        return None
    if '"dltensor_versioned"' in repr(capsule):
        return Tensor.from_dlpack(capsule)
    return None


def _of_strings(array: np.ndarray[Any, Any]) -> Tensor:
    """From an array of str, bytes or StringDType."""
    entries = []
    for entry in array.ravel().tolist():
        if isinstance(entry, str):
            entries.append(checked(entry).encode())
        elif isinstance(entry, (bytes, bytearray)):
            entries.append(bytes(checked(entry)))
        else:
            raise TypeError(f"expected str or bytes in an array of objects, found {type(entry).__name__}")
    return Tensor.from_strings(entries, list(array.shape))


def refuse_mask(value: object) -> None:
    """A masked array has entries without a value, which a tensor cannot have."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError("expected an array without a mask, found a masked array; fill it first: array.filled(value)")


def nanoseconds(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Dates and durations as int64: nanoseconds, since 1970 for dates."""
    if np.isnat(array).any():
        raise ValueError("expected dates or durations, found NaT; leave it out or replace it first")
    made = array.astype(f"{array.dtype.kind}8[ns]")
    if not np.array_equal(made.astype(array.dtype), array):
        raise ValueError(
            "expected dates from 1678 to 2261, as int64 nanoseconds, found others; convert them yourself: "
            'array.astype("datetime64[s]").astype("int64")'
        )
    return made.view(np.int64)


def refit(value: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """What a function of Python gave, as an array of that dtype; an error if a value would become another.

    Numbers of Python may be of any kind, arrays only of the same, as in NumPy's same_kind, unless they are empty.
    Floats are rounded.
    """
    refuse_mask(value)
    array = np.asarray(value)
    if dtype.kind == "O":
        return array.astype(object)
    plain = isinstance(value, (bool, int, float, list, tuple)) and array.dtype.kind in "biufO"
    if isinstance(value, (list, tuple)) and array.dtype.kind == "f" and dtype.kind in "iu":
        # Integers among floats, or of more than 63 bits: as floats they would be others.
        array = np.array(value, object)
    if array.dtype == dtype:
        return array
    if array.dtype.kind in "mM" and dtype == np.int64:
        return nanoseconds(array)
    if array.dtype.kind in "biufc" and np.can_cast(array.dtype, dtype, "safe"):
        return array.astype(dtype)
    if array.size and not plain and not np.can_cast(array.dtype, dtype, "same_kind"):
        found = type(array.flat[0]).__name__ if array.dtype == object else array.dtype
        raise TypeError(f"expected a value of dtype {dtype}, found {found}; convert it with astype")
    entries = array.ravel()
    try:
        with np.errstate(all="ignore"):
            made = entries.astype(dtype)
    except (OverflowError, TypeError, ValueError):
        raise TypeError(f"expected a value of dtype {dtype}, found {value!r:.200}") from None
    changed = _changed(entries, made)
    if changed.any():
        raise ValueError(
            f"expected a value of dtype {dtype}, found {entries[changed][0]!s}, which it cannot hold; "
            "round or clip it, or give another spec"
        )
    return made.reshape(array.shape)


def _changed(before: np.ndarray[Any, Any], after: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Which entries are not what they were before a cast, apart from the rounding of floats."""
    if after.dtype.kind in "biu":
        with np.errstate(all="ignore"):
            back = after.astype(before.dtype)
        return np.asarray((back != before) | ((after < 0) != (before < 0)))
    infinite = np.asarray(np.isinf(after))
    if infinite.any():
        infinite &= ~np.isinf(before.astype(np.float64) if before.dtype == object else before)
    return infinite


def _of_array(array: np.ndarray[Any, Any]) -> Tensor:
    """From a NumPy array."""
    refuse_mask(array)
    if array.dtype.kind in "OSUT":
        return _of_strings(array)
    if array.dtype.kind in "mM":
        array = nanoseconds(array)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    # To NumPy an empty array is aligned at any address.
    if not array.flags.c_contiguous or not array.flags.aligned or not array.size:
        array = np.array(array, order="C")
    return Tensor.wrap(array)


def _float32_as_written(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The nearest float32 to what Python writes for each float64: of one halfway between two, that may be beside it."""
    with np.errstate(all="ignore"):
        made = array.astype(np.float32)
        other = np.nextafter(made, np.where(array > made, np.float32(np.inf), np.float32(-np.inf)))
        halfway = array - made == other.astype(np.float64) - array
    for at in np.flatnonzero(halfway):
        written, exact = Decimal(repr(float(array[at]))), Decimal(float(array[at]))
        if written != exact:
            made[at] = (max if written > exact else min)(made[at], other[at])
    return made


def of_list(value: list[Any]) -> Tensor | None:
    """The tensor that a list is as a literal which adapts to nothing; None for a list that is no literal, is empty, has
    values of several classes, or that the library refuses.
    """
    dims: list[int] = []
    entries = value
    while len(dims) < _MOST_DIMENSIONS:
        dims.append(len(entries) // math.prod(dims))
        if not entries or not all(type(row) is list for row in entries):
            break
        if any(len(row) != len(entries[0]) for row in entries):
            return None
        entries = [entry for row in entries for entry in row]
    classes = set(map(type, entries))
    if len(classes) == 1 and (dtype := _DTYPES.get(classes.pop())):
        try:
            array: np.ndarray[Any, Any] = np.array(entries, dtype)
        except OverflowError:
            return None
        if dtype == np.float64:
            if (np.isfinite(array) & (np.abs(array) > np.finfo(np.float32).max)).any():
                return None
            array = _float32_as_written(array)
        return Tensor.wrap(array.reshape(dims))
    if entries and all(isinstance(entry, (str, bytes, os.PathLike)) for entry in entries):
        texts = (os.fspath(entry) if isinstance(entry, os.PathLike) else entry for entry in entries)
        return Tensor.from_strings([encoded(text) for text in texts], dims)
    return None


# What a literal of a class of Python is read as.
_DTYPES = {bool: np.bool_, int: np.int64, float: np.float64}


def to_tensor(value: Any) -> Tensor:
    """A tensor of a value, sharing its memory where it is contiguous and has a dtype that weir has."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, (np.ndarray, np.generic)):
        refuse_mask(value)
        return _of_array(np.asarray(value))
    if hasattr(value, "__arrow_c_array__") or hasattr(value, "__arrow_c_stream__"):
        tensor = from_arrow(value)
        if tensor is not None:
            return tensor
    if hasattr(value, "resolve_neg"):
        # A tensor of torch may be one that is conjugated or negated when it is read, which its DLPack does not say.
        value = value.resolve_conj().resolve_neg()
    if hasattr(value, "__dlpack__"):
        tensor = _from_dlpack(value)
        if tensor is not None:
            return tensor
    if not hasattr(value, "__array__") and hasattr(value, "to_numpy"):
        value = value.to_numpy()
    return _of_array(np.asarray(value))
