"""weir: rows inside its own loop go through the C interface, others through its Python package."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from typing import Any

from peers.systems import System

DTYPES = {"int64": 5, "uint8": 6, "float32": 12}


class Array(ctypes.Structure):
    """loop_array of loop.c."""

    _fields_ = (
        ("dtype", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("data", ctypes.c_void_p),
        ("size", ctypes.c_uint64),
    )


class Sleeps(ctypes.Structure):
    """sleeps of loop.c."""

    _fields_ = (("microseconds", ctypes.POINTER(ctypes.c_int64)), ("count", ctypes.c_int64))


class Document:
    """A document with what it needs: an array as @data, or the microseconds of @sleep's calls."""

    def __init__(self, text: str, array: Any = None, sleeps: Any = None, blocks: bool = True) -> None:
        self.text = text
        self.array = array
        self.sleeps = sleeps
        self.blocks = blocks


class Loop:
    """An iterator of loop.c."""

    def __init__(self, library: Any, document: Document) -> None:
        self.library = library
        self.blocks = document.blocks
        self.kept: list[Any] = []
        message = ctypes.create_string_buffer(4096)
        self.handle = ctypes.c_void_p(
            library.loop_open(
                document.text.encode(), self.array(document.array), self.sleeps(document.sleeps), message, 4096
            )
        )
        if not self.handle:
            raise ValueError(message.value.decode())

    def array(self, array: Any) -> Any:
        if array is None:
            return None
        dims = (ctypes.c_int64 * array.ndim)(*array.shape)
        self.kept += [array, dims]
        return ctypes.byref(Array(DTYPES[array.dtype.name], array.ndim, dims, array.ctypes.data, array.nbytes))

    def sleeps(self, sleeps: Any) -> Any:
        if sleeps is None:
            return None
        values = (ctypes.c_int64 * len(sleeps))(*(int(value) for value in sleeps))
        made = Sleeps(values, len(sleeps))
        self.kept += [values, made]
        return ctypes.byref(made)

    def drain(self) -> None:
        total = self.library.loop_drain(self.handle, int(self.blocks))
        if total <= 0:
            raise ValueError("there are no elements" if total == 0 else "an element failed")

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            self.library.loop_close(self.handle)


class Module(System):
    settings = (
        "Rows inside the library are documents, read through the C interface by `weir_iterator_next_block` in a loop "
        "in C (`bench/peers/loop.c`); others use the Python package. No setting is changed."
    )

    def imported(self) -> Any:
        import weir

        return weir

    @staticmethod
    def loop() -> Any:
        library = ctypes.CDLL(os.environ["WEIR_COMPARE_LOOP"])
        library.loop_open.restype = ctypes.c_void_p
        library.loop_drain.restype = ctypes.c_int64
        library.loop_drain.argtypes = (ctypes.c_void_p, ctypes.c_int32)
        library.loop_close.argtypes = (ctypes.c_void_p,)
        library.loop_sleep_in_threads.argtypes = (ctypes.c_void_p, ctypes.c_int32)
        return library

    def inside(self, code: Any, count: int) -> Callable[[], Any]:
        made = code if isinstance(code, str) else code(count)
        if isinstance(made, str):
            made = Document(made.replace("{n}", str(count)))
        return Loop(self.loop(), made).drain
