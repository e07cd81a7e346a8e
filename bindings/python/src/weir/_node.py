"""Calls and values as the library takes them: it writes the notation."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from ._place import MARK, refuse

# weir_argument.kind
STRING, FLOAT32, FLOAT64, LIST, TUPLE, DICT, CALL, JOINED = range(1, 9)


class Node(NamedTuple):
    """A value, or a call of an operator or function. Other members are text of the notation and what is passed on."""

    kind: int
    content: str | bytes | float = ""
    members: tuple[tuple[str, Any], ...] = ()


def call(name: str, *members: Any) -> Node:
    """A call with arguments by position."""
    return Node(CALL, name, tuple(("", member) for member in members))


def joined(parts: Iterable[Any], label: str = "") -> Any:
    """One value of several parts, or the part that is one alone."""
    members = tuple(("", part) for part in parts)
    return members[0][1] if len(members) == 1 and not label else Node(JOINED, label, members)


def checked(value: Any) -> Any:
    """A constant, which must not be the text of a value that is being traced."""
    if (MARK if isinstance(value, str) else MARK.encode()) in value:
        refuse("The text of a value", "Use weir.fn.as_string(x), `+` and weir.fn.string_join([a, b]).")
    return value


def encoded(value: str | bytes) -> bytes:
    """A string, byte for byte."""
    checked(value)
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value


def string(value: str | bytes) -> Node:
    """The literal of a string."""
    return Node(STRING, encoded(value))


def number(value: bool | int | float) -> Any:
    """A literal of a Python number."""
    if isinstance(value, float):
        return Node(FLOAT64, value)
    return str(value).lower()


def is_negative(value: bool | int | float) -> bool:
    """Whether the literal of a number begins with a minus sign."""
    return math.copysign(1, value) < 0 and not math.isnan(value) if isinstance(value, float) else value < 0


def structure(value: Any, one: Any) -> Node | None:
    """A dict or tuple with what `one` makes of its members; None for what is none."""
    if isinstance(value, dict):
        return Node(DICT, "", tuple((key(name), one(part)) for name, part in value.items()))
    if isinstance(value, tuple):
        return Node(TUPLE, "", tuple(("", one(part)) for part in value))
    return None


def key(name: str) -> str:
    """A key of a dict."""
    if not isinstance(name, str):
        raise TypeError(f"expected a string as the key of a dict, found {name!r}")
    return str(checked(name))
