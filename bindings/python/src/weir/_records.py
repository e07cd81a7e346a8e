"""Writing TFRecord files and tf.Examples."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _core
from ._runtime import default_runtime

_COMPRESSIONS = {"": 0, "gzip": 1, "zlib": 2}


class RecordWriter(_core.RecordWriter):
    """Writes a TFRecord file. Use it in a `with`; a file that isn't closed is incomplete."""

    def __init__(
        self,
        file: str | os.PathLike[str],
        *,
        compression: str = "",
        level: int = 0,
        runtime: _core.Runtime | None = None,
    ) -> None:
        super().__init__(runtime or default_runtime(), os.fspath(file), _COMPRESSIONS[compression], level)

    def __enter__(self) -> RecordWriter:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.close()


def _values(value: Any) -> Any:
    """The values of one feature: int64 or float32 arrays, or a list of bytes."""
    if isinstance(value, (str, bytes)):
        value = [value]
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], (str, bytes)):
        return [entry.encode() if isinstance(entry, str) else entry for entry in value]
    array = np.atleast_1d(np.asarray(value))
    if array.dtype.kind in "OSUT":
        return _values(array.ravel().tolist())
    return np.ascontiguousarray(array.ravel(), np.int64 if array.dtype.kind in "iub" else np.float32)


def example(features: Mapping[str, Any]) -> bytes:
    """A serialized tf.Example of int64, float32 and bytes values. Equal features give equal bytes."""
    return _core.example({name: _values(value) for name, value in features.items()})
