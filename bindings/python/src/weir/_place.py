"""Where in the caller's code something happens, and what to write instead of what cannot become an expression."""

from __future__ import annotations

import dis
import linecache
import sys
from types import FrameType, TracebackType
from typing import Any, NamedTuple, NoReturn

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


def _is_ours(frame: FrameType) -> bool:
    return bool(frame.f_globals.get("__name__", "").partition(".")[0] == "weir")


def _caller() -> FrameType:
    """The innermost frame of the caller's own code."""
    frame = sys._getframe(1)
    while frame.f_back and _is_ours(frame):
        frame = frame.f_back
    return frame


def here() -> Place:
    """The line of the caller's that runs."""
    frame = _caller()
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
    "startswith": "Use weir.fn.regex_match or weir.fn.substr.",
    "endswith": "Use weir.fn.regex_match or weir.fn.substr.",
    "find": "Use weir.fn.regex_match or weir.fn.regex_replace.",
    "format": "Use weir.fn.string_join and weir.fn.as_string.",
    "lstrip": "Use weir.fn.strip.",
    "rstrip": "Use weir.fn.strip.",
    "encode": _STRINGS,
    "decode": _STRINGS,
    "T": "Use weir.fn.transpose.",
    "ndim": "Use weir.fn.rank.",
    "numpy": _IN_PYTHON,
    "item": _IN_PYTHON,
    "tolist": _IN_PYTHON,
}


def like(name: str) -> str:
    """Which function of weir.fn to use instead of one of NumPy, or of a method of strings and arrays."""
    from . import fn

    if name in _MEMBERS:
        return _MEMBERS[name]
    return f"Use weir.fn.{name}." if hasattr(fn, name) else "weir.fn has functions for expressions."


# What to use where Python's own code met a value, by what its message or the module that raised it says.
_INSTEAD = (
    ("sequence item", "Use weir.fn.string_join([a, b], separator=...)."),
    ("join", "Use weir.fn.string_join([a, b], separator=...)."),
    ("not iterable", "weir.fn.unstack takes a tensor apart."),
    ("re", "Use weir.fn.regex_replace, weir.fn.regex_match or weir.fn.string_split."),
    ("sre_", "Use weir.fn.regex_replace, weir.fn.regex_match or weir.fn.string_split."),
    ("json", "A function that runs in Python can parse it."),
    ("base64", "Use weir.fn.decode_base64 or weir.fn.encode_base64."),
    ("zlib", "Use weir.fn.decode_compressed."),
    ("gzip", "Use weir.fn.decode_compressed."),
    ("struct", "Use weir.fn.decode_raw."),
    ("frombuffer", "Use weir.fn.decode_raw."),
)


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
    if isinstance(error, TraceError):
        return None
    frames = [(frame, line) for frame, line in _frames(error.__traceback__) if not _is_ours(frame)]
    message = str(error)
    named = any(f"{quote}{name}" in message for name in ("Value", "DatasetValue") for quote in ("'", " ", "(", ".")) or (
        message.startswith("Value") or MARK in message
    )
    if not frames or _is_ours_at_end(error):
        return None
    last = frames[-1][0]
    foreign = last.f_code.co_filename != file
    if not named and not (foreign and any(isinstance(held, kind) for held in last.f_locals.values())):
        return None
    own = [pair for pair in frames if pair[0].f_code.co_filename == file] or frames
    place = Place(own[-1][0].f_code.co_filename, own[-1][1])
    module = last.f_globals.get("__name__", "").partition(".")[0] if foreign else ""
    code = linecache.getline(*place)
    for word, instead in _INSTEAD:
        if (word in message if " " in word else module.startswith(word) or f"{word}." in code or f"{word}(" in code):
            break
    else:
        instead = "weir.fn has functions for expressions; weir.fn.as_string, to_number and cast convert."
    return TraceError(
        f"{type(error).__name__}: {message}: Python was given a value that is not known while the function is traced"
        f" ({place}). {instead} {_OFFER}"
    )


def _is_ours_at_end(error: BaseException) -> bool:
    frames = _frames(error.__traceback__)
    return bool(frames) and _is_ours(frames[-1][0])
