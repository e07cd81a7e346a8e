"""Functions that run in Python."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any

from . import _core, _text
from ._trace import Bare, Captured, Value, as_value, spec_of

# The names of a text that begin with @, in group 1; strings and comments are passed over.
NAMES = re.compile(r'"(?:\\.|[^"\\])*"|#[^\n]*|@([A-Za-z_][A-Za-z0-9_]*)')
# PyFunction.serial of what weir.register has named.
registered: dict[str, str] = {}


def _is_stateful(function: object) -> bool:
    return hasattr(function, "state_dict") and hasattr(function, "load_state_dict")


class PyFunction:
    """A function that a pipeline calls in Python, under the GIL. Made by `weir.py_function`."""

    def __init__(self, function: Callable[..., Any], spec: str, flags: int, inputs: str | None) -> None:
        self.function = function
        self.spec = spec
        self.inputs = inputs
        self._flags = flags
        self.stateful = _is_stateful(function)

    def callback(self, inputs: list[_core.Spec]) -> _core.Callback:
        """What the library calls, for arguments of these structures."""
        specs = [str(spec) for spec in inputs]
        return _core.Callback(self.function, specs, self.spec, self._flags, self.stateful, self.serial)

    @property
    def serial(self) -> str:
        """Why it takes one call at a time, with its name; empty if several threads may call it at once."""
        if self._flags & _core.CONCURRENT and not self._flags & _core.ON_CALLER:
            return ""
        return f"{self.function!r} may not, because {'it has a state' if self.stateful else 'of its flags'}"

    def __call__(self, *arguments: Any) -> Any:
        """In a traced function, a call of the pipeline; else the function itself."""
        if not any(isinstance(argument, Value) for argument in arguments):
            return self.function(*arguments)
        values = [as_value(argument) for argument in arguments]
        parts: list[Any] = [Captured(self.callback([spec_of(value) for value in values])), "("]
        for number, value in enumerate(values):
            parts += ([", "] if number else []) + [Bare(value)]
        return Value((*parts, ")"))


def py_function(
    function: Callable[..., Any],
    *,
    spec: Any,
    block: bool = False,
    pure: bool = False,
    blocking: bool = True,
    concurrent: bool | None = None,
    on_caller: bool = False,
    inputs: Any = None,
) -> PyFunction:
    """A function for `map` and others that runs in Python, for what cannot be traced.

    It is called with NumPy arrays and scalars of its own and returns a value of the structure `spec`: a text such as
    `"(float32[28, 28], int64)"`, or dtypes and examples in dicts and tuples. With `block`, every argument and result
    has the rows as its first dimension, so that one call serves many elements; each row must get the value that it
    would get alone. `pure` says that equal arguments give equal results: then positions can be saved without a
    checkpoint policy. A function with `state_dict` and `load_state_dict` has its state saved.

    It runs on the thread that is inside `next`, and on threads of weir's where the pipeline asks for that: before a
    `prefetch`, and several calls at once with `num_parallel_calls`. `concurrent=False` says that only one call may run
    at a time, as is the rule for a function with a state, and `on_caller=True` that it must run on the thread that is
    inside `next`; neither goes with `num_parallel_calls`, not even where a lambda or a dataset inside one calls it.
    `blocking=False` says that it waits for nothing, not even long for the GIL, and may run on the threads that compute.
    `inputs`, a spec of the arguments as a tuple, is needed only where a text uses the function by its name.
    """
    if concurrent is None:
        concurrent = not on_caller and not _is_stateful(function)
    flags = 0
    for chosen, flag in (
        (block, _core.BLOCK),
        (pure, _core.PURE),
        (blocking, _core.BLOCKING),
        (concurrent, _core.CONCURRENT),
        (on_caller, _core.ON_CALLER),
    ):
        flags |= flag if chosen else 0
    return PyFunction(function, _text.spec(spec), flags, None if inputs is None else _text.spec(inputs))


def _begun() -> Iterable[Any]:
    raise TypeError(
        "the function returned a generator that has begun already, and each epoch needs a new one; "
        "pass the generator function itself"
    )
    yield


def generator(
    function: Callable[[], Iterable[Any]], spec: str, *, pure: bool, stateful: bool, on_caller: bool
) -> _core.Generator:
    """What from_generator calls."""
    if not callable(function):
        kind = type(function).__name__
        instead = (
            "pass the function itself, without calling it"
            if hasattr(function, "__next__")
            else ("pass a function that returns it, such as lambda: values")
        )
        raise TypeError(f"expected a function that each epoch calls again, found a {kind}; {instead}")

    def opened() -> Iterable[Any]:
        made = function()
        begun = inspect.isgenerator(made) and inspect.getgeneratorstate(made) != inspect.GEN_CREATED
        return _begun() if begun else made

    flags = (_core.PURE if pure else 0) | (_core.ON_CALLER if on_caller else _core.BLOCKING)
    return _core.Generator(opened, spec, flags, stateful)
