"""Calls of operators and functions: what is given in Python becomes a call in the notation."""

from __future__ import annotations

import functools
import inspect
import json
import keyword
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from . import _core, _text
from ._aliases import missing_parameter
from ._build import build
from ._eager import compute
from ._function import NAMES, PyFunction, registered
from ._late import late
from ._node import CALL
from ._place import here
from ._runtime import default_runtime
from ._trace import (
    Bare,
    Captured,
    Group,
    Lambda,
    Scope,
    Value,
    active,
    as_value,
    body_of,
    check_scope,
    fitted,
    leaves,
    name_of,
    position,
    spec_of,
    variable,
)
from .errors import NotFound


class Parameter(NamedTuple):
    """One parameter of an operator or function, as the library describes it."""

    name: str
    type: str
    required: bool
    default: Any = None
    positional: bool = False
    auto: bool = False
    none: bool = False
    takes: str = ""


class Entry(NamedTuple):
    """An operator or function, as the library describes it."""

    name: str
    kind: str
    parameters: tuple[Parameter, ...]


class _Given:
    """Stands for an argument that was left out."""

    def __repr__(self) -> str:
        return "..."


MISSING = _Given()


@dataclass
class _Call:
    """A call that is being written: what the lambdas in it can be called with."""

    entry: Entry
    left: Any
    adapts: bool = True  # whether NumPy's scalars are literals
    rows: Any = None  # what `rows` takes apart
    state: Any = None  # the value that a fold begins with, or the spec of its state
    parallel: bool = False  # several calls of a function at once

    def element(self) -> _core.Spec:
        """The structure of the elements of the dataset on the left, or of all columns that a source finds."""
        left = self.left
        if left is None:
            left = apply(self.entry, None, self.rows, *[MISSING] * (len(self.entry.parameters) - 1))
        if isinstance(left, Value):
            return spec_of(left).children[0]
        spec: _core.Spec = left.spec
        return spec

    def lambda_specs(self, takes: str) -> list[_core.Spec]:
        """What a function is called with, by the words of the schema."""
        specs = []
        for word in takes.split(" and "):
            if word == "element":
                specs.append(self.element())
            elif word == "row":
                specs.append(_core.Spec(_text.spec(_row_of(spec_of(as_value(self.rows))))))
            elif word == "key":
                specs.append(_core.Spec("int64"))
            elif word in ("window", "dataset"):
                specs.append(_core.Spec(f"dataset<{self.element()}>"))
            elif word == "state":
                state = self.state
                specs.append(state if isinstance(state, _core.Spec) else spec_of(as_value(state)))
        return specs


def _row_of(spec: _core.Spec) -> Any:
    """The structure of a slice along the first dimension of the tensors of a structure."""
    if spec.kind == "dict":
        return dict(zip(spec.keys, map(_row_of, spec.children), strict=True))
    if spec.kind == "tuple":
        return tuple(map(_row_of, spec.children))
    if spec.kind != "tensor" or spec.shape == ():
        raise TypeError(f"expected tensors with rows, found {spec} ({here()})")
    return f"{spec.dtype}{_text.dims(None if spec.shape is None else spec.shape[1:])}"


def _positional_count(function: Callable[..., Any]) -> tuple[int, bool]:
    """How many arguments a function needs by position, and whether it takes any number."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1, False
    fixed = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty]
    return len(fixed), any(p.kind is p.VAR_POSITIONAL for p in parameters)


def _names(function: Callable[..., Any], count: int) -> list[str]:
    """Names for the variables, those of the function's parameters where it has that many."""
    try:
        names = [p.name for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_POSITIONAL]
    except (TypeError, ValueError):
        names = []
    return names[:count] + [f"x{number}" for number in range(len(names), count)]


def _unpacks(function: Callable[..., Any], specs: list[_core.Spec]) -> bool:
    """Whether the last argument, a tuple, is passed member by member: if the function has that many parameters."""
    last = specs[-1]
    if last.kind != "tuple":
        return False
    needed, any_number = _positional_count(function)
    members = len(last.children)
    return any_number or (members != 1 and needed == len(specs) - 1 + members)


def trace(function: Callable[..., Any], specs: list[_core.Spec], operator: str = "") -> Lambda:
    """Runs a function once with variables of these structures, and keeps what it does as a lambda."""
    scope = Scope(None)
    unpacked = bool(specs) and _unpacks(function, specs)
    flat = [*specs[:-1], *specs[-1].children] if unpacked else specs
    if _positional_count(function)[0] > len(flat):
        hint = '; x.key or x["key"] is a member' if specs and specs[-1].kind == "dict" else ""
        raise TypeError(f"{name_of(function)} has more parameters than it is given: {', '.join(map(str, specs))}{hint}")
    variables = [variable(name, spec, scope) for name, spec in zip(_names(function, len(flat)), flat, strict=True)]
    names = [str(value._parts[0]) for value in variables]
    if unpacked:
        fixed = len(specs) - 1
        tail = ", ".join(names[fixed:])
        names = [*names[:fixed], f"({tail},)" if len(names) == fixed + 1 else f"({tail})"]
    pattern = names[0] if len(names) == 1 else f"({', '.join(names)})"
    said = f"{name_of(function)} of {operator}" if operator else ""
    return Lambda(pattern, variables, body_of(function, variables, scope), scope, said=said)


def _check_parallel(parts: Iterable[Any], scopes: set[Scope], seen: set[int]) -> None:
    """Refuses a function for parallel calls that calls another, at any depth, of which only one call at a time may run.

    Values of other scopes are computed outside it. `seen` are the values that were looked at.
    """
    for part in leaves(parts):
        value = part.value if isinstance(part, Bare) else part
        serial = ""
        if isinstance(value, Captured):
            serial = getattr(value.handed, "serial", "")
        elif isinstance(value, Lambda):
            _check_parallel([value.body], scopes | {value.scope}, seen)
        elif isinstance(value, Value) and value._scope in scopes and id(value) not in seen:
            seen.add(id(value))
            _check_parallel(value._parts, scopes, seen)
        elif isinstance(value, str) and not scopes:
            serial = next((registered[name] for name in NAMES.findall(value) if registered.get(name)), "")
        if serial:
            raise TypeError(
                f"num_parallel_calls needs a function that several threads may call at once, and {serial}; make it "
                "with weir.py_function(..., concurrent=True, on_caller=False), or leave out num_parallel_calls"
            )


def _function(call: _Call, parameter: Parameter, value: Any) -> list[Any]:
    """An argument that is a function."""
    if isinstance(value, _core.Generator):
        return [Captured(value)]
    specs = call.lambda_specs(parameter.takes)
    if isinstance(value, PyFunction):
        unpacked = len(specs) == 1 and _unpacks(value.function, specs)
        return [Captured(value.callback(list(specs[0].children) if unpacked else specs))]
    if isinstance(value, str):
        return [value]
    if not callable(value) or isinstance(value, Value):
        return [Bare(as_value(value, adapts=True))]
    traced = trace(value, specs, call.entry.name)
    if parameter.name == "init":
        call.state = spec_of(traced.body)
    return [traced]


def _argument(call: _Call, parameter: Parameter, value: Any) -> list[Any]:
    """One argument, in the grammar that its parameter has."""
    kind = parameter.type
    if kind == "function":
        parts = _function(call, parameter, value)
        if call.parallel:
            _check_parallel(parts, set(), set())
        return parts
    if parameter.name in ("state", "initial") and "dataset" not in kind:
        call.state = value
    if kind == "list":
        value = _members(value)
    elif kind in ("tensor", "constant"):
        value = _listed(value)
    if isinstance(value, Value):
        return [Bare(value)]
    if parameter.auto and isinstance(value, str) and value == "auto":
        return ["auto"]
    if parameter.auto and isinstance(value, int) and value == -1:
        raise ValueError(f"{call.entry.name}: {parameter.name}: write weir.AUTOTUNE; found -1, which is tf.data's")
    if kind == "dtype":
        return [_text.dtype(value)]
    if kind == "spec":
        return [_text.spec_node(value)]
    if kind == "fields" and value is not None:
        return [_text.field(value)]
    if kind in ("features", "fields"):
        fields = parameter.name in ("features", "context", "lists")
        return [_text.fields(value) if fields else _text.features(value)]
    if kind == "list of values and dtypes":
        return [_text.columns(value)]
    if parameter.name in ("shapes", "row_shape"):
        value = _text.shapes(value, call.element())
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    keeps = parameter.name in ("value", "elements", "sparse", "state") or (call.state is value and value is not None)
    joins = kind == "files" or (call.entry.kind == "source" and parameter.name == "value")
    return [Bare(as_value(value, adapts=call.adapts and not keeps, joins=joins))]


def _members(value: Any) -> Any:
    """What a list of tensors is given as, as a list: a tuple of Python, or one that is traced, too."""
    if isinstance(value, Value) and spec_of(value).kind == "tuple":
        return [position(value, i) for i in range(len(spec_of(value).children))]
    return list(value) if isinstance(value, tuple) else value


def _listed(value: Any) -> Any:
    """A tensor that is written as a tuple of Python, at any depth, such as a shape, as a list."""
    return [_listed(part) for part in value] if isinstance(value, (tuple, list)) else value


def _written(call: _Call, values: tuple[Any, ...]) -> Group:
    """The call: required arguments by position, the others by name, defaults left out."""
    given = {parameter.name: value for parameter, value in zip(call.entry.parameters, values, strict=True)}
    call.rows = values[0] if values else None
    call.parallel = given.get("num_parallel_calls", MISSING) not in (MISSING, None, 1)
    members = [] if call.left is None else [("", [as_value(call.left)])]
    for parameter, value in zip(call.entry.parameters, values, strict=True):
        if value is MISSING or _is_default(parameter, value):
            continue
        spread = value if parameter.type == "datasets" and isinstance(value, tuple) else (value,)
        for one in spread:
            members.append(("" if parameter.positional else parameter.name, _argument(call, parameter, one)))
    return Group(CALL, call.entry.name, members, piped=call.left is not None)


def _is_default(parameter: Parameter, value: Any) -> bool:
    if parameter.required or isinstance(value, Value):
        return False
    if value is None and not parameter.none:
        return True
    default = parameter.default
    return value is default or (
        type(value) is type(default) and isinstance(value, (bool, int, str)) and value == default
    )


def apply(entry: Entry, left: Any, *values: Any) -> Any:
    """Applies an operator or function: to datasets it makes a dataset, in a traced function a value.

    A function that is called elsewhere, with values of Python, computes at once.
    """
    if entry.kind == "function" and not active.scopes and (made := compute(entry, values, apply)) is not NotImplemented:
        return made
    columns = _named_columns(entry, values)
    if columns is not None:
        at, names = columns
        rows = apply(entry, left, *values[:at], list(values[at].values()), *values[at + 1 :])
        if entry.kind != "function":
            return rows.map(lambda *row: dict(zip(names, row, strict=True)))
        return {name: position(rows, i) for i, name in enumerate(names)}
    if entry.kind == "function":
        return fitted(lambda adapts: Value((_written(_Call(entry, None, adapts), values),)), values)
    parts = (_written(_Call(entry, left), values),)
    # What a function does while it is traced is done for each element, not once.
    if active.scopes:
        return (Value if entry.kind == "terminal" else late.DatasetValue)(parts, atomic=left is None)
    made = check_scope(late.DatasetValue(parts, atomic=left is None))
    dataset = late.Dataset(build(made, _runtime_of(left)))
    return dataset if entry.kind != "terminal" else finish(dataset, entry.name)


def extended(name: str, kind: str) -> Callable[..., Any] | None:
    """A function or source that an extension brings, to be called in Python; None if there is none."""
    try:
        described = json.loads(_core.schema(name))
    except NotFound:
        return None
    found = [each for each in described["operators"] + described["functions"] if each["kind"] == kind]
    if not found:
        return None
    parameters = tuple(
        Parameter(each["name"], each["type"], each["required"], MISSING, positional=each["required"])
        for each in found[0]["parameters"]
    )
    entry = Entry(name, kind, parameters)
    signature = inspect.Signature(
        [
            inspect.Parameter(
                each.name + "_" * keyword.iskeyword(each.name),
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=inspect.Parameter.empty if each.required else MISSING,
            )
            for each in parameters
        ]
    )

    def call(*arguments: Any, **named: Any) -> Any:
        given = signature.bind(*arguments, **named)
        given.apply_defaults()
        return apply(entry, None, *given.arguments.values())

    call.__name__ = call.__qualname__ = name
    call.__doc__ = found[0].get("doc")
    call.__signature__ = signature  # type: ignore[attr-defined]
    return call


def _named_columns(entry: Entry, values: tuple[Any, ...]) -> tuple[int, list[str]] | None:
    """Which argument names columns that are found by their places, and the names; None if there is none."""
    given = {parameter.name: value for parameter, value in zip(entry.parameters, values, strict=True)}
    if given.get("header", MISSING) not in (MISSING, False):
        return None
    for at, (parameter, value) in enumerate(zip(entry.parameters, values, strict=True)):
        if parameter.type == "list of values and dtypes" and isinstance(value, dict):
            return at, list(value)
    return None


def _runtime_of(left: Any) -> _core.Runtime:
    return default_runtime() if left is None or isinstance(left, Value) else left.runtime


def finish(dataset: Any, name: str) -> Any:
    """The one value of a document that ends in a terminal; None for one that prints nothing."""
    with dataset.iterator() as values:
        for value in values:
            return int(value) if name == "cardinality" else value
    return None


def renamed(entry: Entry, **ours: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Lets a function take tf.data's names for its parameters, and says what it has in place of an unknown one."""

    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        code: Any = function.__code__
        known = {*code.co_varnames[: code.co_argcount]}
        datasets = [parameter.name for parameter in entry.parameters if parameter.type == "datasets"]

        @functools.wraps(function)
        def called(*arguments: Any, **named: Any) -> Any:
            for theirs in named.keys() - known:
                if theirs in datasets and not arguments:
                    arguments = (named.pop(theirs),)
                elif theirs not in ours:
                    if code.co_flags & inspect.CO_VARKEYWORDS:
                        continue
                    if named[theirs] is None and missing_parameter(theirs):
                        del named[theirs]
                        continue
                    raise TypeError(f"{entry.name} has no parameter {theirs}{_hint(entry, theirs)}")
                elif ours[theirs] in named:
                    raise TypeError(f"{theirs} and {ours[theirs]} are one parameter; leave one out")
                else:
                    named[ours[theirs]] = named.pop(theirs)
            return function(*arguments, **named)

        return called

    return wrap


def _hint(entry: Entry, theirs: str) -> str:
    """What to write in place of an unknown parameter."""
    if said := missing_parameter(theirs):
        return f"; {said}"
    around = {"source": "{}", "function": "range(1) | map(x -> {})"}.get(entry.kind, "range(1) | {}")
    problems = json.loads(_core.check(default_runtime(), around.format(f"{entry.name}({theirs}: 0)"), []))
    return next((f"; {each['hint']}" for each in problems if theirs in each["message"] and each.get("hint")), "")


def chosen(entry: Entry, ways: tuple[str, ...], arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments of what can be called in several ways, in the order of its parameters."""
    for way in ways:
        order = [word.rstrip(":") for word in way.split()]
        if len(arguments) > len(order) or any(name not in order[len(arguments) :] for name in named):
            continue
        given = dict(zip(order, arguments, strict=False)) | named
        if all(word in given for word in way.split() if not word.endswith(":")):
            return tuple(given.get(parameter.name, MISSING) for parameter in entry.parameters)
    written = [", ".join(word.rstrip(":") for word in way.split()) for way in ways]
    shown = [f"{entry.name}({words})" for words in written]
    raise TypeError(f"expected {' or '.join(shown)}")


late.trace = trace

__all__ = ["MISSING", "Entry", "Parameter", "active", "apply", "chosen", "renamed"]
