"""What functions capture and operators are given, as values of expressions."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _core, _text
from ._intake import columns_of, is_arraylike, is_table, to_tensor
from ._place import here
from ._trace import Bare, Captured, Value, call
from ._values import Ragged, Sparse


def capture(value: Any, adapts: bool = False) -> Value:
    """A Python number becomes a literal, an array or a dataset is passed by name, structures are written out.

    A scalar of NumPy keeps its dtype, unless it `adapts` as a literal does.
    """
    if type(value) in (int, float, bool, str):
        return Value((str(_literal(value)),), trivial=True)
    from ._dataset import Dataset, DatasetValue

    if isinstance(value, Dataset):
        return DatasetValue((Captured(value._core),), spec=_core.Spec(f"dataset<{value.spec}>"), trivial=True)
    literal = _literal(value.item() if adapts and isinstance(value, (np.integer, np.floating)) else value)
    if literal is not None:
        return Value((literal,), trivial=True)
    if isinstance(value, Sparse):
        return call("sparse", value.indices, value.values, value.shape)
    if isinstance(value, Ragged):
        return call("ragged", value.values, value.row_splits)
    if isinstance(value, _core.Tensor):
        return Value((Captured(value),), trivial=True)
    if isinstance(value, dict):
        return _structure("{", [(f"{_text.key(name)}: ", part) for name, part in value.items()], "}", adapts)
    if is_table(value):
        return capture(columns_of(value), adapts)
    if isinstance(value, tuple):
        return _structure("(", [("", part) for part in value], ",)" if len(value) == 1 else ")", adapts)
    if isinstance(value, list):
        # Nested lists of numbers are tensors, in which each number keeps its class.
        return _structure("[", [("", part) for part in value], "]", adapts)
    if is_arraylike(value):
        return Value((Captured(to_tensor(value)),), trivial=True)
    if isinstance(value, (set, frozenset)):
        raise TypeError(
            f"expected a dict, tuple or list, found a set, which has no order ({here()}); a dict is written {{'x': x}}"
        )
    kind = type(value).__name__
    raise TypeError(f"expected a number, string, array, dataset or a structure of them, found {kind} ({here()})")


def _literal(value: Any) -> str | None:
    """The text of what can be written: None, numbers, strings and dtypes."""
    if value is None:
        return "none"
    if type(value) is int:
        return str(value) if value >= 0 else f"({value})"
    if isinstance(value, np.generic) and not isinstance(value, (np.bool_, np.str_, np.bytes_)):
        if value.dtype.kind not in "iuf":
            return None
        return f"{_text.dtype(value.dtype)}({_text.number(value.item())})"
    if isinstance(value, np.bool_):
        return _text.number(bool(value))
    if isinstance(value, (bool, int, float)):
        text = _text.number(value)
        return f"({text})" if text.startswith("-") else text
    if isinstance(value, (str, bytes)):
        return _text.string(value)
    if isinstance(value, os.PathLike):
        return _text.string(os.fspath(value))
    return _text.dtype(value) if _text.is_dtype(value) else None


def _structure(opening: str, members: list[tuple[str, Any]], closing: str, adapts: bool) -> Value:
    values = [part if isinstance(part, Value) else capture(part, adapts) for _, part in members]
    parts: list[Any] = [opening]
    for number, (head, _) in enumerate(members):
        parts += [(", " if number else "") + head, Bare(values[number])]
    # What is made of literals is a literal, which needs no name.
    return Value((*parts, closing), trivial=all(value._trivial and not value._free for value in values))
