"""How values of Python are written in weir's notation."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

RESERVED = frozenset("if then else let in or and not true false none auto inf nan newaxis param".split())
DTYPES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128 "
    "string"
).split()
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_PLAIN = {code: chr(code) for code in range(32, 127)} | {
    ord('"'): '\\"',
    ord("\\"): "\\\\",
    ord("\n"): "\\n",
    ord("\t"): "\\t",
    ord("\r"): "\\r",
}


def string(value: str | bytes) -> str:
    """A string literal. Strings are bytes, so what isn't printable ASCII is written as \\xHH."""
    data = value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value
    return '"' + "".join(_PLAIN.get(byte) or f"\\x{byte:02x}" for byte in data) + '"'


def key(name: str) -> str:
    """A key of a dict, quoted where it is no identifier."""
    return name if _NAME.match(name) else string(name)


def is_name(name: str) -> bool:
    """Whether a variable can have that name."""
    return bool(_NAME.match(name)) and name not in RESERVED and name != "_"


def number(value: bool | int | float) -> str:
    """A literal of a Python number."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return repr(value)


def dtype(value: Any) -> str:
    """The name of a dtype given as a name, a NumPy dtype or a type of scalars."""
    if isinstance(value, str):
        name = value
    elif value in (str, bytes):
        name = "string"
    else:
        made = np.dtype(value)
        name = "string" if made.kind in "SUT" else made.name
    if name not in DTYPES:
        raise TypeError(f"expected a dtype of weir, found {name!r}; there are {', '.join(DTYPES)}")
    return name


def is_dtype(value: Any) -> bool:
    """Whether a value stands for a dtype without being a name."""
    return isinstance(value, np.dtype) or (
        isinstance(value, type) and (issubclass(value, np.generic) or value in (bool, int, float, str, bytes))
    )


def features(value: Any) -> str:
    """Features and shapes: text of the notation, dtypes, and dicts, tuples and lists of them; None is `none`."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key(name)}: {features(part)}" for name, part in value.items()) + "}"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(features, value)) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, (list, np.ndarray)):
        return "[" + ", ".join(map(features, value)) + "]"
    if value is None:
        return "none"
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, int, float)):
        return number(value)
    if isinstance(value, np.generic):
        return number(value.item())
    return dtype(value)


def column(value: Any) -> str:
    """A column of CSV: a default, or a dtype (not as its name, which is a default of type string)."""
    if is_dtype(value):
        return dtype(value)
    if isinstance(value, (str, bytes)):
        return string(value)
    return features(value)
