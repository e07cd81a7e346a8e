"""Asks the library for datasets, and says in Python's words what it doesn't like."""

from __future__ import annotations

import json
import linecache
import re
import sys
from collections.abc import Callable
from typing import Any

from . import _core
from ._late import late
from ._node import Node, call, joined
from ._place import Place, here
from ._runtime import default_runtime
from ._trace import Lambda, Value, active, spec_of
from ._writer import Writer
from .errors import Error


def build(value: Value, runtime: _core.Runtime, around: Callable[[Any], Node] = lambda made: made) -> _core.Dataset:
    """The dataset that a value is, or a call that has it `around`."""
    # A function that is called while constants are computed is not traced.
    scopes, active.scopes = active.scopes, []
    try:
        return _core.apply(runtime, [("", around(Writer().node(value)))])
    except Error as error:
        raise _explained(error, value, runtime, around) from None
    finally:
        active.scopes = scopes


def probe(value: Value) -> _core.Dataset:
    """A dataset whose elements are the values of one that may have variables."""
    free = list(value._free.values())
    specs = ", ".join(str(spec_of(variable)) for variable in free)
    names = ", ".join(str(variable._parts[0]) for variable in free)
    empty = call("empty", f"({specs},)" if free else "int64")
    head = f"({names},) -> " if free else "_ -> "
    return build(value, default_runtime(), lambda made: call("map", empty, joined([head, made])))


def text_of(value: Value) -> str:
    """A value in the notation."""
    return probe(value).format().partition(" -> ")[2][:-1]


def _explained(error: Error, value: Value, runtime: _core.Runtime, around: Callable[[Any], Node]) -> Error:
    """An error with the lines of Python that made what is wrong, in place of the text that was written for it."""
    owners: list[Value | Lambda] = []
    made = around(Writer(owners).node(value))
    problems = [problem for problem in json.loads(_core.check(runtime, None, [("", made)])) if "span" in problem]
    messages = [_said(problem, owners) for problem in problems]
    place = next((place for _, place in messages if place), None) or value._place or here()
    return type(error)(
        "\n".join(dict.fromkeys(message for message, _ in messages)) or f"{error.message} ({place})",
        path=error.path,
        file=error.file,
        offset=error.offset,
        record=error.record,
        line=linecache.getline(*place).strip(),
    )


def _said(problem: dict[str, Any], owners: list[Value | Lambda]) -> tuple[str, Place | None]:
    """What is wrong, and the line of Python that made it."""
    around = [(owners[int(label["name"])], label) for label in problem.get("labels", [])]
    values = [(owner._place, label) for owner, label in around if isinstance(owner, Value) and owner._place]
    given = [owner for owner, _ in around if isinstance(owner, Lambda)]
    place: Place | None = values[-1][0] if values else None
    where = str(place or here())
    # An argument that is wrong was made in one line, and given in another.
    blamed = bool(values) and all(values[-1][1][what] == problem["span"][what] for what in ("offset", "size"))
    used = values[-2][0] if blamed and len(values) > 1 else None
    if place and used and used != place:
        where += f", used in {f'line {used.line}' if used.file == place.file else used}"
    where += f", in {given[-1].said}" if given and given[-1].said else ""
    operator, parameter = problem.get("operator", ""), problem.get("parameter", "")
    said = "" if given else "".join(f"{word}: " for word in (operator, parameter) if word)
    return f"{said}{_in_python(problem['message'])} ({where})", place


# The notation's words for what has another name in Python.
_WORDS = (
    (r"\b_t\d+\b", "a value"),
    (r"@\d+\b", "what was passed"),
    (r"a lambda or a @callback", "a function"),
    (r"; a lambda is written x -> value", ""),
    (r"\((\w+), (\w+)\) -> …", r"lambda \1, \2: …"),
    (r"\bwrite none\b", "write None"),
    (r"^(?!.*\bat least one\b)(.*)\bfound none\b", r"\1found None"),  # otherwise no entry, no dataset
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

    def named(found: re.Match[str]) -> str:
        return f"weir.fn.{found[0]}" if found[1] in late.fn.__all__ else found[0]

    message = re.sub(r"(?<![\w.])([a-z]\w*)(?=\()", named, message)
    for word, instead in _WORDS:
        message = re.sub(word, instead, message)
    return message


late.build = sys.modules[__name__]
