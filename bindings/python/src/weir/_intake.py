"""From what other libraries hold to tensors, without a copy where memory allows it."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _text
from ._core import Tensor, from_arrow

_DLPACK_CPU = 1


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
            entries.append(_text.checked(entry).encode())
        elif isinstance(entry, (bytes, bytearray)):
            entries.append(bytes(entry))
        else:
            raise TypeError(f"expected str or bytes in an array of objects, found {type(entry).__name__}")
    return Tensor.from_strings(entries, list(array.shape))


def _of_array(array: np.ndarray[Any, Any]) -> Tensor:
    """From a NumPy array."""
    if array.dtype.kind in "OSUT":
        return _of_strings(array)
    if array.dtype.kind in "mM":
        array = array.view(np.int64)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if not array.flags.c_contiguous or not array.flags.aligned:
        array = np.array(array, order="C")
    return Tensor.wrap(array)


def to_tensor(value: Any) -> Tensor:
    """A tensor of a value, sharing its memory where it is contiguous and has a dtype that weir has."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, (np.ndarray, np.generic)):
        return _of_array(np.asarray(value))
    if hasattr(value, "__arrow_c_array__") or hasattr(value, "__arrow_c_stream__"):
        tensor = from_arrow(value)
        if tensor is not None:
            return tensor
    if hasattr(value, "__dlpack__"):
        tensor = _from_dlpack(value)
        if tensor is not None:
            return tensor
    if not hasattr(value, "__array__") and hasattr(value, "to_numpy"):
        value = value.to_numpy()
    return _of_array(np.asarray(value))
