"""weir in JAX: `weir.jax.arrays(dataset)` gives elements of jax.Array."""

from __future__ import annotations

import functools
from collections.abc import Callable
from collections.abc import Iterator as Elements
from typing import Any

import jax
import numpy as np

from ._dataset import Dataset
from ._iterator import Iterator
from ._values import Optional, Ragged, Sparse


def _mapped(value: Any, leaf: Callable[[Any], Any]) -> Any:
    """The element with `leaf` of each array and number in its place."""
    if isinstance(value, dict):
        return {name: _mapped(part, leaf) for name, part in value.items()}
    if isinstance(value, tuple):
        return tuple(_mapped(part, leaf) for part in value)
    if isinstance(value, Sparse):
        return Sparse(_mapped(value.indices, leaf), _mapped(value.values, leaf), _mapped(value.shape, leaf))
    if isinstance(value, Ragged):
        return Ragged(_mapped(value.values, leaf), _mapped(value.row_splits, leaf))
    if isinstance(value, Optional):
        return Optional(_mapped(value.value, leaf)) if value.has_value else value
    if not isinstance(value, (np.ndarray, np.generic)) or value.dtype.kind in "OT":
        return value
    return leaf(value)


def _checked(value: Any) -> Any:
    """An array whose integers JAX keeps: without x64 it has only their low 32 bits."""
    if value.dtype.kind in "iu" and value.dtype.itemsize == 8 and value.size:
        limits = np.iinfo(jax.dtypes.canonicalize_dtype(value.dtype))
        if not limits.min <= value.min() <= value.max() <= limits.max:
            raise OverflowError(
                f"expected {value.dtype} values that fit {limits.dtype}, to which JAX cuts them, found others; call "
                'jax.config.update("jax_enable_x64", True), or leave them out'
            )
    return value


def to_jax(value: Any, device: Any = None) -> Any:
    """An element with jax arrays in place of arrays and numbers; strings and nested datasets stay as they are.

    All arrays go to the device in one call. On the CPU large arrays are shared with weir, which does not write to what
    somebody holds. Without x64, floats are rounded to float32, and integers that do not fit 32 bits are an error.
    """
    leaves: list[Any] = []
    _mapped(value, lambda leaf: leaves.append(_checked(leaf)))
    put = iter(jax.device_put(leaves, device))
    return _mapped(value, lambda _: next(put))


def arrays(dataset: Dataset | Iterator, device: Any = None) -> Elements[Any]:
    """The elements of a dataset, or those that an iterator has left, as jax arrays. `device` may be a sharding."""
    return map(functools.partial(to_jax, device=device), dataset)


__all__ = ["arrays", "to_jax"]
