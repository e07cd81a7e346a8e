"""Writing TFRecord files and tf.Examples."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _core
from ._intake import refit, refuse_mask
from ._runtime import default_runtime


class RecordWriter(_core.RecordWriter):
    """Writes a TFRecord file. Use it in a `with`; a file that isn't closed is incomplete.

    The compression is "", "gzip", "zlib", "zstd", "lz4", "bz2" or "xz". A level of 0 is the compressor's default.
    """

    def __init__(
        self,
        file: str | os.PathLike[str],
        *,
        compression: str = "",
        level: int = 0,
        runtime: _core.Runtime | None = None,
    ) -> None:
        super().__init__(runtime or default_runtime(), os.fspath(file), compression, level)

    def __enter__(self) -> RecordWriter:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.close()


def _values(value: Any) -> Any:
    """The values of one feature: int64 or float32 arrays, or a list of bytes."""
    refuse_mask(value)
    if isinstance(value, (str, bytes)):
        value = [value]
    # NumPy would write numbers among strings as text.
    strings = isinstance(value, (list, tuple)) and any(isinstance(entry, (str, bytes)) for entry in value)
    array = np.atleast_1d(np.array(value, object) if strings else np.asarray(value)).ravel()
    if isinstance(value, (list, tuple)) and array.dtype == np.float64 and all(isinstance(one, int) for one in value):
        # Integers of more than 63 bits are no floats.
        return np.asarray(refit(value, np.dtype(np.int64)))
    if array.dtype.kind in "OSUT":
        entries = array.tolist()
        for entry in entries:
            if not isinstance(entry, (str, bytes)):
                raise TypeError(f"expected strings, int64 or float32 numbers, found {type(entry).__name__}")
        return [entry.encode() if isinstance(entry, str) else entry for entry in entries]
    wanted = np.int64 if array.dtype.kind in "iubmM" else np.float32
    return np.ascontiguousarray(refit(array, np.dtype(wanted)))


def example(features: Mapping[str, Any]) -> bytes:
    """A serialized tf.Example of int64, float32 and bytes values. Equal features give equal bytes.

    A value that its dtype cannot hold is an error; floats are rounded. Dates are int64 nanoseconds.
    """
    made = {}
    for name, value in features.items():
        try:
            made[name] = _values(value)
        except (TypeError, ValueError) as error:
            raise type(error)(f"feature {name!r}: {error}") from None
    return _core.example(made)
