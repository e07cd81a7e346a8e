"""Asks the library for datasets, and says in Python's words what it doesn't like."""

from __future__ import annotations

import json
import linecache
import re
from typing import Any

from . import _core
from ._place import Place, here
from ._runtime import default_runtime
from ._trace import Lambda, Value, active, spec_of
from ._writer import Span, Writer
from .errors import Error


def build(value: Value, runtime: _core.Runtime, head: str = "", tail: str = "") -> _core.Dataset:
    """The dataset that a value is, or of a text that has it in the middle."""
    writer = Writer()
    text = writer.text(value)
    # A function that is called while constants are computed is not traced.
    scopes, active.scopes = active.scopes, []
    try:
        return _core.parse(runtime, f"{head}{text}{tail}", writer.arguments)
    except Error as error:
        raise _explained(error, value, runtime, head, tail) from None
    finally:
        active.scopes = scopes


def probe(value: Value) -> _core.Spec:
    """The structure of a value that may have variables."""
    free = list(value._free.values())
    specs = ", ".join(str(spec_of(variable)) for variable in free)
    names = ", ".join(str(variable._parts[0]) for variable in free)
    head = f"empty(({specs},)) | map(({names},) -> " if free else "empty(int64) | map(_ -> "
    return build(value, default_runtime(), head, ")").spec


def _explained(error: Error, value: Value, runtime: _core.Runtime, head: str, tail: str) -> Error:
    """An error with the lines of Python that made what is wrong, in place of the text that was written for it."""
    writer = Writer(marks=True)
    text, spans = writer.unmarked(head + writer.text(value) + tail)
    problems = [problem for problem in json.loads(_core.check(runtime, text, writer.arguments)) if "span" in problem]
    messages = [_said(problem, spans) for problem in problems]
    place = next((place for _, place in messages if place), None) or value._place or here()
    return type(error)(
        "\n".join(dict.fromkeys(message for message, _ in messages)) or f"{error.message} ({place})",
        path=error.path,
        file=error.file,
        offset=error.offset,
        record=error.record,
        line=linecache.getline(*place).strip(),
    )


def _said(problem: dict[str, Any], spans: list[Span]) -> tuple[str, Place | None]:
    """What is wrong, and the line of Python that made it."""
    begin = problem["span"]["offset"]
    end = begin + problem["span"]["size"]
    around = [span for span in spans if span.begin <= begin and end <= span.end]
    values = [span for span in around if isinstance(span.owner, Value) and span.owner._place]
    given = [span.owner for span in around if isinstance(span.owner, Lambda)]
    place: Place | None = values[-1].owner._place if values else None  # type: ignore[union-attr]
    where = str(place or here())
    # An argument that is wrong was made in one line, and given in another.
    blamed = bool(values) and (values[-1].begin, values[-1].end) == (begin, end)
    used = values[-2].owner._place if blamed and len(values) > 1 else None  # type: ignore[union-attr]
    if place and used and used != place:
        where += f", used in {f'line {used.line}' if used.file == place.file else used}"
    where += f", in {given[-1].said}" if given and given[-1].said else ""
    operator, parameter = problem.get("operator", ""), problem.get("parameter", "")
    said = "" if given else "".join(f"{word}: " for word in (operator, parameter) if word)
    return f"{said}{_in_python(problem['message'])} ({where})", place


# The notation's words for what has another name in Python.
_WORDS = (
    (r"\b_t\d+\b", "a value"),
    (r"@_\d+\b", "what was passed"),
    (r"a lambda or a @callback", "a function"),
    (r"; a lambda is written x -> value", ""),
    (r"\((\w+), (\w+)\) -> …", r"lambda \1, \2: …"),
    (r"\b(found|write) none\b", r"\1 None"),
    (r"\b(found|write) auto\b", r'\1 "auto"'),
    (r"\bor none\b|\bnone(?=[],])", lambda found: found[0].replace("none", "None")),
    (r" of line \d+, column \d+", ""),
    (r"\bor auto\b", 'or "auto"'),
    (r"\btrue or false\b", "True or False"),
    (r"\bwrite (true|false)\b", lambda found: f"write {found[1].capitalize()}"),
    (r"\b(write|add|give) (\w+): ", r"\1 \2="),
    (r"(weir\.fn\.cast\(\w+, )(\w+\))", r"\1weir.\2"),
    (r"`if`", "weir.cond"),
)


def _in_python(message: str) -> str:
    """A message in which functions and words are called as in Python."""
    from . import fn

    def named(found: re.Match[str]) -> str:
        return f"weir.fn.{found[0]}" if found[1] in fn.__all__ else found[0]

    message = re.sub(r"(?<![\w.])([a-z]\w*)(?=\()", named, message)
    for word, instead in _WORDS:
        message = re.sub(word, instead, message)
    return message
