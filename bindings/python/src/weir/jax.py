"""weir in JAX: `weir.jax.arrays(dataset)` gives elements of jax.Array."""

from __future__ import annotations

from collections.abc import Iterator as Elements
from typing import Any

import jax
import numpy as np

from ._dataset import Dataset
from ._iterator import Iterator
from ._values import Optional, Ragged, Sparse


def to_jax(value: Any, device: Any = None) -> Any:
    """An element with jax arrays in place of arrays and numbers; strings and nested datasets stay as they are.

    On the CPU large arrays are shared with weir, which does not write to what somebody holds.
    """
    if isinstance(value, dict):
        return {name: to_jax(part, device) for name, part in value.items()}
    if isinstance(value, tuple):
        return tuple(to_jax(part, device) for part in value)
    if isinstance(value, Sparse):
        return Sparse(to_jax(value.indices, device), to_jax(value.values, device), to_jax(value.shape, device))
    if isinstance(value, Ragged):
        return Ragged(to_jax(value.values, device), to_jax(value.row_splits, device))
    if isinstance(value, Optional):
        return Optional(to_jax(value.value, device)) if value.has_value else value
    if not isinstance(value, (np.ndarray, np.generic)) or value.dtype.kind in "OT":
        return value
    return jax.device_put(value, device)


def arrays(dataset: Dataset | Iterator, device: Any = None) -> Elements[Any]:
    """The elements of a dataset, or those that an iterator has left, as jax arrays. `device` may be a sharding."""
    for element in dataset:
        yield to_jax(element, device)


__all__ = ["arrays", "to_jax"]
