"""weir: data loading for programs that train or run models.

>>> import weir
>>> for batch in weir.range(10).map(lambda x: x * x).batch(4):
...     print(batch)
[0 1 4 9]
[16 25 36 49]
[64 81]
"""

from __future__ import annotations

import importlib
from typing import Any, Literal

import numpy as np

from . import _aliases, _apply, _core, _operators, errors, fn
from ._core import DeviceArray, Runtime, Spec
from ._dataset import (
    INFINITE,
    UNKNOWN,
    Dataset,
    DatasetValue,
    adopt,
    check,
    deserialize,
    from_arrow,
    from_generator,
    parse,
    register,
)
from ._digest import Digest, digest
from ._function import PyFunction, py_function
from ._intake import refit
from ._iterator import CheckpointManager, FeedableIterator, Iterator, ReinitializableIterator, describe_checkpoint
from ._late import late
from ._operators import *  # noqa: F403
from ._records import RecordWriter, example
from ._runtime import default_runtime, set_default_runtime
from ._trace import Value, cond
from ._values import Optional, Ragged, Sparse
from .errors import Error, TraceError

__version__ = _core.version()
late.fn = fn

int8, int16, int32, int64 = map(np.dtype, ("int8", "int16", "int32", "int64"))
uint8, uint16, uint32, uint64 = map(np.dtype, ("uint8", "uint16", "uint32", "uint64"))
float16, float32, float64 = map(np.dtype, ("float16", "float32", "float64"))
complex64, complex128 = map(np.dtype, ("complex64", "complex128"))
bool_ = np.dtype("bool")
bfloat16 = "bfloat16"
string = np.dtype("S")

# tf.data's names.
AUTOTUNE: Literal["auto"] = "auto"
INFINITE_CARDINALITY = INFINITE
UNKNOWN_CARDINALITY = UNKNOWN

_core.set_classes(
    adopt, Sparse, Ragged, Optional, np.dtypes.StringDType() if hasattr(np.dtypes, "StringDType") else None, refit
)


def schema(name: str | None = None) -> Any:
    """What documents can call: operators and functions with their parameters, as the library describes them."""
    import json

    return json.loads(_core.schema(name))


def help(name: str | None = None) -> None:
    """Prints the page of an operator or function, or one line for each."""
    print(_core.schema(name, True))


_INTAKES = {"from_torch": ".torch", "from_huggingface": ".huggingface"}


def __getattr__(name: str) -> Any:
    # The adapters import what they adapt to, so they are loaded when they are first used.
    if name in ("torch", "jax", "tf", "keras", "huggingface", "ray", "spark"):
        return importlib.import_module(f".{name}", __name__)
    if name in _INTAKES:
        return getattr(importlib.import_module(_INTAKES[name], __name__), name)
    if name.startswith("_"):
        raise AttributeError(name)
    if (source := _apply.extended(name, "source")) is not None:
        return source
    raise AttributeError(_aliases.missing_name(name, __all__, fn.__all__, dir(Dataset)))


__all__ = [
    "AUTOTUNE",
    "INFINITE",
    "INFINITE_CARDINALITY",
    "UNKNOWN",
    "UNKNOWN_CARDINALITY",
    "CheckpointManager",
    "Dataset",
    "DatasetValue",
    "DeviceArray",
    "Digest",
    "Error",
    "FeedableIterator",
    "Iterator",
    "Optional",
    "PyFunction",
    "Ragged",
    "RecordWriter",
    "ReinitializableIterator",
    "Runtime",
    "Sparse",
    "Spec",
    "TraceError",
    "Value",
    "bfloat16",
    "bool_",
    "check",
    "complex64",
    "complex128",
    "cond",
    "default_runtime",
    "describe_checkpoint",
    "deserialize",
    "digest",
    "errors",
    "example",
    "float16",
    "float32",
    "float64",
    "fn",
    "from_arrow",
    "from_generator",
    "help",
    "int8",
    "int16",
    "int32",
    "int64",
    "parse",
    "py_function",
    "register",
    "schema",
    "set_default_runtime",
    "string",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]
__all__ += _operators.__all__
