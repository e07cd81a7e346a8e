"""Parts of elements that are more than one array."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(slots=True, eq=False)
class Sparse:
    """A sparse tensor: the values at the rows of `indices`, in a tensor of that shape."""

    indices: Any
    values: Any
    shape: Any


@dataclass(slots=True, eq=False)
class Ragged:
    """Rows of unequal length: row `i` is `values[row_splits[i]:row_splits[i + 1]]`."""

    values: Any
    row_splits: Any

    def __len__(self) -> int:
        return len(self.row_splits) - 1

    def __getitem__(self, index: int) -> Any:
        count = len(self)
        if not -count <= index < count:
            raise IndexError(f"expected a row below {count}, found {index}")
        index %= count
        return self.values[self.row_splits[index] : self.row_splits[index + 1]]


_MISSING = object()


class Optional:
    """A value that may be missing."""

    __slots__ = ("_value",)

    def __init__(self, value: Any = _MISSING) -> None:
        self._value = value

    def __bool__(self) -> bool:
        return self.has_value

    @property
    def has_value(self) -> bool:
        """Whether there is one."""
        return self._value is not _MISSING

    @property
    def value(self) -> Any:
        """The value; a ValueError if there is none."""
        if self._value is _MISSING:
            raise ValueError("expected a value, found none")
        return self._value

    def __repr__(self) -> str:
        return f"Optional({self._value!r})" if self.has_value else "Optional()"
