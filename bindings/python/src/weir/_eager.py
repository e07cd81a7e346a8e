"""Functions of expressions that are called with values of Python, and not with traced ones, compute at once.

Each call is one element of a dataset that maps the function over what a generator yields: the current arguments. Its
iterator is kept for the next call with arguments of the same structure, so that such a call compiles nothing.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import _core, _text
from ._build import build
from ._function import generator
from ._intake import columns_of, is_arraylike, is_table, to_tensor
from ._late import late
from ._node import CALL
from ._node import call as node
from ._runtime import default_runtime
from ._trace import Group, Value, call
from ._values import Optional, Ragged, Sparse
from .errors import Error

_KEPT = 256  # iterators of a thread
# Arguments of other types are constants: another value is another function.
_VALUES = ("tensor", "value", "list", "optional", "ragged tensor", "sparse tensor")


@functools.lru_cache(4096)
def _spec(dtype: np.dtype[Any], shape: tuple[int, ...]) -> str:
    return f"{'string' if dtype.kind in 'SOT' else _text.dtype(dtype)}{_text.dims(shape)}"


class _Calls(threading.local):
    """The iterators of this thread, by function, constants, and structure of the other arguments."""

    def __init__(self) -> None:
        self.kept: dict[Any, tuple[list[Any], Any]] = {}


_calls = _Calls()


def _forget() -> None:
    # In a child, the iterators of its parent are errors.
    _calls.kept.clear()


os.register_at_fork(after_in_child=_forget)


class _Traced(Exception):
    """One of the arguments is a value that is being traced, or a dataset."""


class _Key:
    """Takes arguments apart into the arrays and strings that they are made of, and all the rest."""

    def __init__(self, scalars: bool) -> None:
        self.given: list[Any] = []
        self.specs: list[str] = []
        self._scalars = scalars  # whether NumPy's scalars are literals, which adapt

    def of(self, value: Any) -> Any:
        """What calls must have in common with this one."""
        kind = type(value)
        if kind is np.ndarray and value.dtype.kind in "biufc" and value.dtype.isnative:
            return self._take(value, value.dtype, value.shape)
        if kind is float:
            return kind, value.hex()  # 0.0 equals -0.0
        if kind in (int, bool) or value is None:
            return kind, value
        if isinstance(value, (str, bytes)):
            return self._take(value.encode() if isinstance(value, str) else value, np.dtype("S"), ())
        if isinstance(value, (list, tuple)):
            return kind, *map(self.of, value)
        if isinstance(value, dict):
            return kind, *((name, self.of(part)) for name, part in value.items())
        if isinstance(value, (Sparse, Ragged)):
            return kind, *(self.of(getattr(value, name)) for name in value.__slots__)
        if isinstance(value, Optional):
            return (kind, self.of(value.value)) if value else (kind,)
        if isinstance(value, (Value, late.Dataset)):
            raise _Traced
        if isinstance(value, np.generic) and self._scalars:
            return value.dtype, value.tobytes()
        if is_table(value):
            return self.of(columns_of(value))
        if is_arraylike(value):
            array = to_tensor(value).numpy()
            return self._take(array, np.asarray(array).dtype, np.shape(array))
        return kind, value

    def _take(self, value: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Any:
        self.given.append(value)
        self.specs.append(_spec(dtype, shape))
        return self.specs[-1]

    def constant(self, value: Any) -> Any:
        """The same of a constant, in which arrays and strings count by their contents."""
        if isinstance(value, (Value, late.Dataset)):
            raise _Traced
        if isinstance(value, (list, tuple)):
            return type(value), *map(self.constant, value)
        if isinstance(value, dict):
            return type(value), *((name, self.constant(part)) for name, part in value.items())
        if isinstance(value, np.ndarray):
            return str(value.dtype), value.shape, value.tobytes()
        return type(value), value.hex() if type(value) is float else value

    def filled(self, value: Any, variables: Iterator[Any]) -> Any:
        """The argument with variables where it has arrays and strings."""
        if isinstance(value, (str, bytes)):
            return next(variables)
        if isinstance(value, (list, tuple)):
            return type(value)(self.filled(part, variables) for part in value)
        if isinstance(value, dict):
            return {name: self.filled(part, variables) for name, part in value.items()}
        if isinstance(value, (Sparse, Ragged)):
            return type(value)(*(self.filled(getattr(value, name), variables) for name in value.__slots__))
        if isinstance(value, Optional):
            # Nothing says what an empty one would have.
            return Optional(self.filled(value.value, variables)) if value else call("nothing", np.int64)
        if isinstance(value, np.generic) and self._scalars:
            return value
        if is_table(value):
            return self.filled(columns_of(value), variables)
        return next(variables) if is_arraylike(value) else value


def _made(entry: Any, values: tuple[Any, ...], key: _Key, function: Callable[..., Any]) -> tuple[list[Any], Any]:
    """Where the arguments of a call are put, and the dataset that gives its result."""
    given: list[Any] = [None]

    def calls() -> Iterator[Any]:
        while True:
            yield given[0]

    def body(*variables: Any) -> Any:
        left = iter(variables)
        return function(
            entry,
            None,
            *[
                key.filled(value, left) if parameter.type in _VALUES else value
                for parameter, value in zip(entry.parameters, values, strict=True)
            ],
        )

    spec = f"({', '.join(key.specs)},)" if key.specs else "int64"
    traced = late.trace(body if key.specs else lambda _: body(), [_core.Spec(spec)])
    runtime = default_runtime()
    made = generator(calls, spec, pure=True, stateful=False, on_caller=True)
    source = late.Dataset(_core.apply(runtime, [("", node("from_generator", made, spec))]))
    mapped = Value((Group(CALL, "map", [("", [late.capture(source)]), ("", [traced])], piped=True),))
    return given, late.Dataset(build(mapped, runtime))


def _has_numbers(value: Any) -> bool:
    """Whether a value is an array of numbers."""
    return isinstance(value, np.ndarray) and value.ndim > 0 and value.dtype.kind in "iufc"


def compute(entry: Any, values: tuple[Any, ...], function: Callable[..., Any]) -> Any:
    """What a function of expressions gives for these values; NotImplemented if one of them is being traced.

    `function` applies it to traced values. The result equals that of the function in `map`, also in its errors.
    """
    try:
        return _computed(entry, values, function, scalars=False)
    except Error:
        # As where the function is traced: a scalar of NumPy adapts to an array if its dtype doesn't fit.
        if not any(isinstance(value, np.generic) for value in values) or not any(map(_has_numbers, values)):
            raise
    return _computed(entry, values, function, scalars=True)


def _computed(entry: Any, values: tuple[Any, ...], function: Callable[..., Any], scalars: bool) -> Any:
    key = _Key(scalars)
    parts: list[Any] = [entry.name, id(default_runtime())]
    once = seeded = False
    try:
        for parameter, value in zip(entry.parameters, values, strict=True):
            parts.append(key.of(value) if parameter.type in _VALUES else key.constant(value))
            if parameter.type == "seed":
                # A dataset keeps what it drew for a seed that was left out.
                seeded, once = True, once or parts[-1] == key.constant(parameter.default)
            once |= parameter.type == "function"
    except _Traced:
        return NotImplemented
    name, found = tuple(parts), None
    try:
        found = None if once else _calls.kept.get(name)
    except TypeError:  # a constant that cannot be a key
        once = True
    if found is None:
        given, made = _made(entry, values, key, function)
        # Draws belong to the place of an element, and each call's is the first.
        found = given, made if seeded else made.iterator()
        if not once:
            while len(_calls.kept) >= _KEPT:
                del _calls.kept[next(iter(_calls.kept))]
            _calls.kept[name] = found
    given, made = found
    given[0] = tuple(key.given) or 0
    try:
        return next(made.iterator() if seeded else made)
    except Error:
        raise
    except BaseException:
        # An element may be on its way.
        _calls.kept.clear()
        raise
    finally:
        given[0] = None
