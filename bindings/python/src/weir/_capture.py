"""What functions capture and operators are given, as values of expressions."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _core, _text
from ._intake import columns_of, is_arraylike, is_table, of_list, to_tensor
from ._late import late
from ._node import DICT, LIST, TUPLE, is_negative, joined, key, number, string
from ._place import here
from ._trace import Bare, Captured, Group, Value, call
from ._values import Optional, Ragged, Sparse
from .errors import InvalidArgument

# More arguments the library doesn't take.
_MOST_MEMBERS = 65536


def capture(value: Any, adapts: bool = False, joins: bool = False) -> Value:
    """A Python number becomes a literal, an array or a dataset is passed by name, structures are written out.

    A scalar of NumPy keeps its dtype, unless it `adapts` as a literal does. `joins`: no literal adapts to anything, and
    a list of them is passed as a tensor.
    """
    if type(value) in (int, float, bool, str):
        return Value((_literal(value),), trivial=True)
    if isinstance(value, late.Dataset):
        made: Value = late.DatasetValue(
            (Captured(value._core),), spec=_core.Spec(f"dataset<{value.spec}>"), trivial=True
        )
        return made
    literal = _literal(value.item() if adapts and isinstance(value, (np.integer, np.floating)) else value)
    if literal is not None:
        return Value((literal,), trivial=True)
    if isinstance(value, Sparse):
        return call("sparse", value.indices, value.values, value.shape)
    if isinstance(value, Ragged):
        return call("ragged", value.values, value.row_splits)
    if isinstance(value, Optional):
        if not value.has_value:
            raise TypeError(f"expected an Optional with a value, found none; write weir.fn.nothing(SPEC) ({here()})")
        return call("some", value.value)
    if isinstance(value, _core.Tensor):
        return Value((Captured(value),), trivial=True)
    if isinstance(value, dict):
        return _structure(DICT, [(key(name), part) for name, part in value.items()], adapts, joins)
    if is_table(value):
        return capture(columns_of(value), adapts, joins)
    if isinstance(value, tuple):
        return _structure(TUPLE, [("", part) for part in value], adapts, joins)
    if isinstance(value, list):
        if joins and (tensor := of_list(value)) is not None:
            return Value((Captured(tensor),), trivial=True)
        if len(value) > _MOST_MEMBERS:
            raise InvalidArgument(
                f"expected a list of at most {_MOST_MEMBERS} members, found {len(value)}; give a NumPy array ({here()})"
            )
        # Nested lists of numbers are tensors, in which each number keeps its class.
        return _structure(LIST, [("", part) for part in value], adapts)
    if is_arraylike(value):
        return Value((Captured(to_tensor(value)),), trivial=True)
    if isinstance(value, (set, frozenset)):
        raise TypeError(
            f"expected a dict, tuple or list, found a set, which has no order ({here()}); a dict is written {{'x': x}}"
        )
    kind = type(value).__name__
    raise TypeError(f"expected a number, string, array, dataset or a structure of them, found {kind} ({here()})")


def _literal(value: Any) -> Any:
    """What can be written: None, numbers, strings and dtypes."""
    if value is None:
        return "none"
    if isinstance(value, np.generic) and not isinstance(value, (np.bool_, np.str_, np.bytes_)):
        if value.dtype.kind not in "iuf":
            return None
        return joined([f"{_text.dtype(value.dtype)}(", number(value.item()), ")"])
    if isinstance(value, np.bool_):
        return number(bool(value))
    if isinstance(value, (bool, int, float)):
        made = number(value if type(value) in (bool, int) else int(value) if isinstance(value, int) else float(value))
        return joined(["(", made, ")"]) if is_negative(value) else made
    if isinstance(value, (str, bytes)):
        return string(value)
    if isinstance(value, os.PathLike):
        return string(os.fspath(value))
    return _text.dtype(value) if _text.is_dtype(value) else None


def _structure(kind: int, members: list[tuple[str, Any]], adapts: bool, joins: bool = False) -> Value:
    values = [(name, part if isinstance(part, Value) else capture(part, adapts, joins)) for name, part in members]
    # What is made of literals is a literal, which needs no name.
    trivial = all(value._trivial and not value._free for _, value in values)
    return Value((Group(kind, "", [(name, [Bare(value)]) for name, value in values]),), trivial=trivial)


late.capture = capture
