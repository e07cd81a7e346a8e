"""Specs, dtypes and features of Python as the library takes them."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Any

import numpy as np

from . import _core
from ._node import LIST, Node, call, joined, number, string, structure
from ._runtime import default_runtime
from ._values import Ragged, Sparse

RESERVED = frozenset("if then else let in or and not true false none auto inf nan newaxis param".split())
DTYPES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128 "
    "string"
).split()
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def is_name(name: str) -> bool:
    """Whether a variable can have that name."""
    return bool(_NAME.match(name)) and name not in RESERVED and name != "_"


def _numpy_name(made: np.dtype[Any]) -> str:
    return "string" if made.kind in "SUT" else made.name


def named_dtype(value: Any) -> str | None:
    """The name of a dtype of another library, such as torch.int64 or tf.string; None if it is none."""
    name = getattr(value, "name", None) if hasattr(value, "name") else str(value).rpartition("torch.")[2]
    return name if type(value).__name__.lower() == "dtype" and name in DTYPES else None


def dtype(value: Any) -> str:
    """The name of a dtype given as a name, a NumPy dtype or a type of scalars."""
    if isinstance(value, str):
        name = value
    elif isinstance(value, _core.Spec):
        name = str(value)
    elif value in (str, bytes):
        name = "string"
    else:
        name = named_dtype(value) or _numpy_name(np.dtype(value))
    if name not in DTYPES:
        raise TypeError(f"expected a dtype of weir, found {name!r}; there are {', '.join(DTYPES)}")
    return name


def is_dtype(value: Any) -> bool:
    """Whether a value stands for a dtype without being a name."""
    return isinstance(value, np.dtype) or (
        isinstance(value, type) and (issubclass(value, np.generic) or value in (bool, int, float, str, bytes))
    )


def dims(shape: Any) -> str:
    """A shape as it stands in a spec; of TensorFlow's, one of unknown rank too."""
    try:
        dims = [getattr(dim, "value", dim) for dim in shape]
    except (TypeError, ValueError):
        return "[...]"
    return "[" + ", ".join("?" if dim is None or dim == -1 else str(int(dim)) for dim in dims) + "]" if dims else ""


_SCALARS = {bool: "bool", int: "int64", float: "float32", bytes: "string"}


def spec(value: Any) -> str:
    """The text of a structure, as spec_node() takes it."""
    made = spec_node(value)
    return made if isinstance(made, str) else str(_core.apply(default_runtime(), [("", call("empty", made))]).spec)


def spec_node(value: Any) -> Any:
    """The structure of elements: its text, a dtype, what has `shape` and `dtype` (arrays as examples, TensorSpec), an
    example of Python, or dicts and tuples of these.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, _core.Spec):
        return str(value)
    parts = structure(value, spec_node)
    if parts is not None:
        return parts
    if is_dtype(value) or named_dtype(value):
        return dtype(value)
    if isinstance(value, Ragged):
        return f"ragged<{dtype(value.values.dtype)}>[{len(value)}, ?]"
    if isinstance(value, Sparse):
        return f"sparse<{dtype(value.values.dtype)}>{dims(value.shape)}"
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        strings = isinstance(value, np.ndarray) and value.dtype.kind == "O"
        return ("string" if strings else dtype(value.dtype)) + dims(value.shape)
    if type(value) in _SCALARS:
        return _SCALARS[type(value)]
    if isinstance(value, list):
        made = np.asarray(value)
        # Python's floats are float32, as literals are.
        return ("float32" if made.dtype == np.float64 else dtype(made.dtype)) + dims(made.shape)
    raise TypeError(
        "expected a structure, such as 'int64', 'float32[28, 28]', numpy.int64, an array as an example, or a dict or"
        f" tuple of them, found {type(value).__name__}"
    )


def _feature(value: Any) -> Any:
    """A feature that is said as tf.io does it; None for another value."""
    kind = type(value).__name__
    if kind == "VarLenFeature":
        return f"varlen({dtype(value.dtype)})"
    if kind == "RaggedFeature":
        return f"ragged({dtype(value.dtype)})"
    if kind not in ("FixedLenFeature", "FixedLenSequenceFeature"):
        return None
    one = dtype(value.dtype) + dims(value.shape)
    sequence = kind == "FixedLenSequenceFeature"
    written = f"sequence({one})" if sequence else one
    return written if value.default_value is None else joined([f"{written} = ", _literal(value.default_value)])


def fields(value: Any) -> Any:
    """What a record has, by name: the text of each feature, a dtype, spec or example."""
    if isinstance(value, dict):
        return structure(value, fields)
    return _feature(value) or spec_node(value)


def shapes(value: Any, element: _core.Spec) -> Any:
    """Shapes in the structure of the elements, as lists with None; a spec or example gives its own shape."""
    if element.kind == "dict" and isinstance(value, dict):
        inner = dict(zip(element.keys, element.children, strict=True))
        return {name: shapes(part, inner[name]) if name in inner else part for name, part in value.items()}
    if element.kind == "tuple" and isinstance(value, (tuple, list)) and len(value) == len(element.children):
        return tuple(map(shapes, value, element.children))
    if isinstance(value, str) or is_dtype(value):
        value = _core.Spec(spec(value))
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "iu":
        return value.tolist()
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        value = value.shape
    if value is None or isinstance(value, (dict, list)):
        return value
    # A tuple, or TensorFlow's TensorShape.
    return [getattr(dim, "value", dim) for dim in value]


def _list(value: Any, one: Any) -> Node:
    return Node(LIST, "", tuple(("", one(part)) for part in value))


def _literal(value: Any) -> Any:
    """Numbers and strings, and lists of them."""
    if isinstance(value, (list, tuple)):
        return _list(value, _literal)
    if isinstance(value, (np.ndarray, np.generic)):
        return _literal(value.tolist())
    return string(value) if isinstance(value, (str, bytes)) else number(value)


def features(value: Any) -> Any:
    """Shapes and boundaries: numbers, lists of them, and None, which is `none`."""
    if isinstance(value, (list, tuple, np.ndarray)):
        return _list(value, features)
    if isinstance(value, str):
        return value
    return "none" if value is None else _literal(value)


_KINDS = (*DTYPES, "json", "list", "optional", "ragged", "member")
_FOREIGN = ("int", "float", "str", "double")


def _says_type(text: str) -> bool:
    """Whether a text is a type, or one that is misspelt, and no default."""
    found = re.match(r"\s*(\w+)\s*($|[\[({=])", text)
    return found is not None and (found[1] in _KINDS + _FOREIGN or bool(get_close_matches(found[1], DTYPES, 1, 0.75)))


def _one(value: Any) -> Any:
    """A default that a list of one holds, as in TensorFlow."""
    if isinstance(value, np.ndarray):
        return value.reshape(-1)[0] if value.size else value.dtype
    return value[0] if isinstance(value, (list, tuple)) and len(value) == 1 else value


def column(value: Any) -> Any:
    """A column of CSV: a dtype or its name, or a default, also as `string = "none"`. Bytes are always a default."""
    value = _one(value)
    if isinstance(value, str) and _says_type(value):
        name, _, default = value.partition("=")
        return dtype(value) if not default else default if name.strip() == "string" else f"{name}({default})"
    if is_dtype(value) or isinstance(value, _core.Spec) or named_dtype(value):
        return dtype(value)
    if isinstance(value, np.number):
        return joined([f"{dtype(value.dtype)}(", number(value.item()), ")"])
    if isinstance(value, (bool, np.bool_, int, float, str, bytes)):
        return _literal(value)
    raise TypeError(f"expected a dtype, its name, or a default, found {type(value).__name__}")


def columns(values: Any) -> Any:
    """Columns of CSV: a list, or as fields those of a header."""
    if isinstance(values, dict):
        return structure(values, lambda value: field(_one(value)))
    return values if isinstance(values, str) else _list(values, column)


def field(value: Any) -> Any:
    """What rows of a file have: fields by name, types as texts, dtypes or examples, or defaults of Python."""
    if isinstance(value, str) and (_says_type(value) or value.lstrip().startswith("{")):
        return value
    if isinstance(value, (str, bytes)):
        return joined(["string = ", _literal(value)])
    if isinstance(value, np.number) or type(value) in (bool, int, float):
        return joined([f"{spec_node(value)} = ", _literal(value)])
    if value is None:
        raise TypeError('None says no dtype: write "optional(int64)" where a field may be missing, or a default')
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        raise TypeError("expected a type, found a list of a dict; write a list of objects as 'list({name: type})'")
    return structure(value, field) or spec_node(value)
