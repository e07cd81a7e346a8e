"""Where in the caller's code something happens, and what to write instead of what cannot become an expression."""

from __future__ import annotations

import dis
import linecache
import os
import re
import sys
import threading
from types import FrameType, TracebackType
from typing import NamedTuple, NoReturn

import numpy as np

from ._late import late
from .errors import TraceError

_OFFER = (
    "Or pass the function as weir.py_function(f, spec=...), which runs it in Python; block=True gives it many rows."
)
# How a text shows a value that is being traced. A constant in which it stands was made from one.
MARK = "<weir value "


class Place(NamedTuple):
    """A line of the caller's."""

    file: str
    line: int

    def __str__(self) -> str:
        source = linecache.getline(self.file, self.line).strip()
        return f"{self.file}, line {self.line}" + (f": `{source}`" if source else "")


_OURS = os.path.dirname(__file__) + os.sep
# Python's own modules, and NumPy: a line of theirs says nothing to who called them.
_LIBRARIES = (os.path.dirname(os.__file__) + os.sep, os.path.dirname(np.__file__) + os.sep)
_PACKAGES = ("site-packages", "dist-packages")


def _is_ours(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_OURS)


def _is_library(file: str) -> bool:
    if any(f"{os.sep}{name}{os.sep}" in file for name in _PACKAGES) and not file.startswith(_LIBRARIES[1]):
        return bool(returned.traced) and file != returned.traced
    return file.startswith((*_LIBRARIES, "<frozen "))


def _caller() -> FrameType:
    """The innermost frame of the caller's own code, or of a library that it called."""
    frame = sys._getframe(1)
    while frame.f_back and _is_ours(frame):
        frame = frame.f_back
    return frame


class _Returned(threading.local):
    """Where the function stands whose result is being taken: none of its lines runs any more."""

    place: Place | None = None
    traced: str = ""  # the file of the function that is being traced


returned = _Returned()


def here() -> Place:
    """The line of the caller's that runs."""
    if returned.place:
        return returned.place
    frame = called = _caller()
    while frame.f_back and _is_library(frame.f_code.co_filename):
        frame = frame.f_back
    # A program may have no code of its own, as with python -m.
    if _is_ours(frame):
        frame = called
    return Place(frame.f_code.co_filename, frame.f_lineno)


def step() -> str:
    """What the caller's code is doing, as the name of an instruction: CONTAINS_OP for `in`, BUILD_SET for `{x}`."""
    frame = _caller()
    return dis.opname[frame.f_code.co_code[frame.f_lasti]] if frame.f_lasti >= 0 else ""


def refuse(what: str, instead: str, place: Place | None = None) -> NoReturn:
    """Raises the TraceError of something that cannot become an expression."""
    raise TraceError(f"{what} cannot become an expression ({place or here()}). {instead} {_OFFER}")


def offered(message: str, instead: str) -> str:
    """A message with the caller's line, and what to do."""
    return f"{message} ({here()}). {instead} {_OFFER}"


_STRINGS = "A string of weir is bytes, and nothing has to be converted."
_IN_PYTHON = "Its value is not known while the function is traced."
# What stands in weir for what arrays, strings and tensors have in Python.
_MEMBERS = {
    "astype": "Use weir.fn.cast.",
    "split": "Use weir.fn.string_split.",
    "join": "Use weir.fn.string_join([a, b], separator=...).",
    "replace": "Use weir.fn.regex_replace.",
    "startswith": "Use weir.fn.regex_match(s, 'start.*') or weir.fn.substr.",
    "endswith": "Use weir.fn.regex_match(s, '.*end') or weir.fn.substr.",
    "find": "Use weir.fn.regex_match(s, '.*part.*') or weir.fn.regex_replace.",
    "format": "Use weir.fn.string_join and weir.fn.as_string.",
    "lstrip": "Use weir.fn.strip.",
    "rstrip": "Use weir.fn.strip.",
    "encode": _STRINGS,
    "decode": _STRINGS,
    "T": "Use weir.fn.transpose.",
    "concatenate": "Use weir.fn.concat.",
    "numpy": _IN_PYTHON,
    "item": _IN_PYTHON,
    "tolist": _IN_PYTHON,
}


def like(name: str) -> str:
    """Which function of weir.fn to use instead of one of NumPy, or of a method of strings and arrays."""
    if name in _MEMBERS:
        return _MEMBERS[name]
    return f"Use weir.fn.{name}." if hasattr(late.fn, name) else "weir.fn has functions for expressions."


# What to use where Python's own code met a value: by a part of its message, or by the module or method that was called.
_REGEX = "Use weir.fn.regex_replace, weir.fn.regex_match, which matches whole strings, or weir.fn.string_split."
_BY_MESSAGE = {
    "item assignment": "A value doesn't change; {**x, 'key': value} is another one, dict(x) a copy that may.",
    "item deletion": "A value doesn't change; dict(x) is a copy that may.",
    "sequence item": "Use weir.fn.string_join([a, b], separator=...).",
    "not iterable": "weir.fn.unstack takes a tensor apart.",
}
_BY_CALL = {
    "join": "Use weir.fn.string_join([a, b], separator=...).",
    "re": _REGEX,
    "json": "It can be parsed in Python.",
    "base64": "Use weir.fn.decode_base64 or weir.fn.encode_base64.",
    "zlib": "Use weir.fn.decode_compressed.",
    "gzip": "Use weir.fn.decode_compressed.",
    "struct": "Use weir.fn.decode_raw.",
    "frombuffer": "Use weir.fn.decode_raw.",
}
_OTHERWISE = "weir.fn has functions for expressions; weir.fn.as_string, to_number and cast convert."


def of_math() -> str:
    """The function of `math` that the caller's line calls, if it calls one only, and weir.fn has one of its name."""
    found = set(re.findall(r"\b(?:math\.(\w+)|float)\(", linecache.getline(*here())))
    return found.pop() if len(found) == 1 and hasattr(late.fn, min(found)) else ""


def _instead(message: str, code: str) -> str:
    found = [instead for word, instead in _BY_MESSAGE.items() if word in message]
    found += [instead for name, instead in _BY_CALL.items() if re.search(rf"\b{name}[.(]", code)]
    return (found or [_OTHERWISE])[0]


def _frames(trace: TracebackType | None) -> list[tuple[FrameType, int]]:
    out = []
    while trace is not None:
        out.append((trace.tb_frame, trace.tb_lineno))
        trace = trace.tb_next
    return out


def met_value(error: BaseException, file: str, kind: type) -> TraceError | None:
    """The TraceError for what Python, or a library, says of a value that it was given; None if it is about something
    else. `file` is that of the function that is traced, `kind` the class of such values.
    """
    frames = _frames(error.__traceback__)
    if isinstance(error, (TraceError, KeyError, NameError, ImportError)) or not frames or _is_ours(frames[-1][0]):
        return None
    message = str(error)
    last = frames[-1][0]
    # Some messages name the class; others come from a function that holds one.
    quote = "(^|['\" (.])" if isinstance(error, (TypeError, AttributeError)) else "'"
    named = re.search(rf"{quote}(Dataset)?Value\b", message) or MARK in message
    held = last.f_code.co_filename != file and any(isinstance(value, kind) for value in last.f_locals.values())
    if not named and not held:
        return None
    frame, line = ([pair for pair in frames if pair[0].f_code.co_filename == file] or frames)[-1]
    place = Place(frame.f_code.co_filename, line)
    return TraceError(
        f"{type(error).__name__}: {message}: Python was given a value that is not known while the function is traced"
        f" ({place}). {_instead(message, linecache.getline(*place))} {_OFFER}"
    )
