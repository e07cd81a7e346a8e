"""Datasets: immutable descriptions of sequences."""

from __future__ import annotations

import functools
import json
import operator
import os
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _core, _text
from ._aliases import missing_method
from ._apply import trace
from ._capture import capture
from ._function import NAMES, PyFunction, generator, registered
from ._iterator import Iterator
from ._late import late
from ._node import JOINED, Node, call, checked
from ._operators import Operators, Sources
from ._runtime import default_runtime
from ._trace import Captured, Value, as_value, outside, refuse_elements, spec_of
from ._writer import Writer
from .errors import FORKED, Error, FailedPrecondition, OutOfRange

INFINITE = -1
UNKNOWN = -2


class Dataset(Operators, Sources):
    """An immutable description of a sequence of elements.

    Made by `weir.parse`, by a source such as `weir.range`, or by a method of another dataset. Each loop over it begins
    its next epoch; `iterator` says where to begin. Where all operators know where their elements are, `dataset[i]` and
    `len(dataset)` work as well.
    """

    __slots__ = ("__weakref__", "_core", "_epoch")

    def __init__(self, core: _core.Dataset) -> None:
        self._core = core
        self._epoch = 0

    @property
    def runtime(self) -> _core.Runtime:
        """The runtime that it was made with."""
        return self._core.runtime

    @property
    def spec(self) -> _core.Spec:
        """The structure of the elements."""
        return self._core.spec

    @property
    def element_spec(self) -> _core.Spec:
        """The structure of the elements, by tf.data's name."""
        return self._core.spec

    @property
    def fingerprint(self) -> str:
        """128 bits in hexadecimal that equal graphs share, on every machine."""
        first, second = self._core.fingerprint
        return f"{first:016x}{second:016x}"

    @property
    def count(self) -> int:
        """The number of elements; -1 if it is infinite, -2 if unknown."""
        return self._core.cardinality

    def iterator(self, **options: Any) -> Iterator:
        """An iterator at the beginning, or where the options say: those of `weir.Iterator`."""
        outside()
        return Iterator(self, **options)

    def as_numpy_iterator(self) -> Iterator:
        """`iter(dataset)`, by tf.data's name."""
        return iter(self)

    def __iter__(self) -> Iterator:
        outside()
        made = Iterator(self, epoch=self._epoch)
        self._epoch += 1
        return made

    def __aiter__(self) -> Iterator:
        return iter(self)

    def __len__(self) -> int:
        count = self.count
        if count < 0:
            hint = "; give a torch DataLoader weir.torch.loader(dataset)" if "torch" in sys.modules else ""
            number = "infinite" if count == INFINITE else "unknown"
            raise TypeError(f"the dataset has no len(): its number of elements is {number}{hint}")
        return count

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, index: int) -> Any:
        outside()
        if isinstance(index, slice):
            raise TypeError("a dataset has no slices; dataset[2:5] is dataset.skip(2).take(3)")
        position = operator.index(index)
        return self._core.at(position + len(self) if position < 0 else position)

    def __getitems__(self, positions: Iterable[int]) -> list[Any]:
        """The elements at some positions: what a torch DataLoader asks of a dataset that isn't iterable for it."""
        try:
            return [self[position] for position in positions]
        except OutOfRange:
            raise
        except Error as error:
            if error.message == FORKED:
                raise
            try:
                self.global_shuffle()  # needs positions as well
            except Error:
                raise TypeError(
                    f"give the DataLoader weir.torch.loader(dataset) in place of the dataset: {error}"
                ) from error
            raise

    def at(self, position: int) -> Any:
        """The element at a position of the first epoch, read without those before it."""
        outside()
        return self._core.at(position)

    def serialize(self) -> bytes:
        """The graph as bytes, for another process or another day."""
        return self._core.serialize()

    @overload
    def explain(self, *, text: Literal[False] = False, parts: bool = False) -> dict[str, Any]: ...
    @overload
    def explain(self, *, text: Literal[True]) -> str: ...
    def explain(self, *, text: bool = False, parts: bool = False) -> dict[str, Any] | str:
        """What the dataset will do, as far as the graph tells; nothing is opened.

        The operators with their arguments and the structure of their elements, what runs ahead and how much it may
        hold, and under "checkpoint" what saving an iterator takes. With `text`, for a terminal. With `parts`, also how
        many elements each part of a partition has, and its files.
        """
        said = self._core.explain(text, parts)
        return said if text else json.loads(said)

    def __reduce__(self) -> tuple[Any, ...]:
        if self._core.calls_python:
            raise FailedPrecondition(
                "expected a dataset without functions of Python, found one that calls them; "
                "write them as lambdas that can be traced, or give them a name with weir.register and use @NAME"
            )
        return deserialize, (self.serialize(),)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        outside()
        return _core.arrow_stream(self._core)

    def __str__(self) -> str:
        return self._core.format()

    def __repr__(self) -> str:
        return f"<weir.Dataset {self} of {self.spec}>"

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            raise AttributeError(name if name.startswith("_") else missing_method(name, dir(type(self))))

    @staticmethod
    def from_generator(function: Callable[[], Iterable[Any]], spec: Any = None, **options: Any) -> Dataset:
        """`weir.from_generator`, by tf.data's name."""
        return from_generator(function, spec, **options)


class DatasetValue(Value, Operators):
    """A dataset inside a traced function: it has the methods of datasets, which make other such values."""

    __slots__ = ()

    @property
    def spec(self) -> _core.Spec:
        """The structure of the elements."""
        return spec_of(self).children[0]

    element_spec = spec

    def __iter__(self) -> Any:
        refuse_elements()

    def __getitem__(self, index: Any) -> Any:
        refuse_elements()

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name if name.startswith("_") else missing_method(name, dir(type(self))))


late.Dataset = Dataset
late.DatasetValue = DatasetValue


def adopt(handle: int, runtime: _core.Runtime) -> Dataset:
    """The dataset that an element holds. Called by the extension."""
    return Dataset(_core.adopt(handle, runtime))


def _handed(value: Any) -> Any:
    """What the library takes by that name, or a Value to be written in its place."""
    if isinstance(value, (str, bytes)):
        return checked(value)
    if isinstance(value, os.PathLike) and not isinstance(value, Value):
        return os.fspath(value)
    if isinstance(value, PyFunction):
        if value.inputs is None:
            raise TypeError('in a text, say what the function takes: weir.py_function(f, spec=..., inputs="(int64,)")')
        return value.callback(list(_core.Spec(value.inputs).children))
    if callable(value):
        raise TypeError("expected a weir.py_function, a dataset or a value; a lambda can be written into the text")
    made = as_value(value)
    only = made._parts[0]
    return only.handed if len(made._parts) == 1 and isinstance(only, Captured) else made


def parse(text: str, *, runtime: _core.Runtime | None = None, **arguments: Any) -> Dataset:
    """The dataset that a text describes, which refers to the arguments as @NAME.

    Strings stay strings, byte for byte; numbers and structures are written in place of the name; arrays and datasets
    are passed without a copy. A text that ends in a terminal gives a dataset of its one value.
    """
    given = {name: _handed(value) for name, value in arguments.items()}
    values = {name: Writer().node(value) for name, value in given.items() if isinstance(value, Value)}
    passed = [(name, value) for name, value in given.items() if name not in values]
    host = runtime or default_runtime()
    if not values:
        return Dataset(_core.parse(host, text, passed))
    parts: list[Any] = []
    end = 0
    for found in NAMES.finditer(text):
        if found[1] in values:
            parts += [text[end : found.start()], values[found[1]]]
            end = found.end()
    whole = Node(JOINED, "", tuple(("", part) for part in (*parts, text[end:])))
    return Dataset(_core.apply(host, [("", whole), *((f"@{name}", value) for name, value in passed)]))


def check(text: str, *, runtime: _core.Runtime | None = None) -> Any:
    """The mistakes of a text, in the order of the text; an empty list if it builds."""
    return json.loads(_core.check(runtime or default_runtime(), text, []))


def deserialize(data: bytes, *, runtime: _core.Runtime | None = None, **arguments: Any) -> Dataset:
    """The dataset that `serialize` wrote. Functions that were passed by name are passed again."""
    given = [(name, _handed(value)) for name, value in arguments.items()]
    passed = [(name, value) for name, value in given if not isinstance(value, Value)]
    return Dataset(_core.deserialize(runtime or default_runtime(), data, passed))


def from_generator(
    function: Callable[..., Iterable[Any]],
    spec: Any = None,
    *,
    output_signature: Any = None,
    args: tuple[Any, ...] = (),
    pure: bool = False,
    stateful: bool | None = None,
    on_caller: bool = False,
) -> Dataset:
    """A dataset of what `function(*args)` yields: each epoch calls it again.

    `spec`, or `output_signature` by tf.data's name, is the structure of the elements: a text, or dtypes, specs and
    examples in dicts and tuples. It runs on the thread that is inside `next`, and before a `prefetch` on threads of
    weir's, one call at a time; `on_caller=True` keeps it on the thread that is inside `next`.

    `pure` says that it yields the same each time, so that positions are saved as a count. `stateful` says that what
    it returns has `state_dict` and `load_state_dict`, and positions are saved as that state.
    """
    given = output_signature if spec is None else spec
    if given is None:
        raise TypeError("expected the structure of the elements: from_generator(function, spec)")
    if args and callable(function):
        function = functools.partial(function, *args)
    text = str(_core.Spec(_text.spec(given)))
    made = generator(function, text, pure=pure, stateful=bool(stateful), on_caller=on_caller)
    return Dataset(_core.apply(default_runtime(), [("", call("from_generator", made, text))]))


def from_arrow(table: Any, *, runtime: _core.Runtime | None = None) -> Dataset:
    """A dataset of the rows of a table, as dicts, found by their positions: whatever has `__arrow_c_stream__`.

    Such are tables and readers of pyarrow, Polars, pandas 2.2 and DuckDB. All batches are read now. Numbers that lie in
    one piece stay in its memory, which may be a mapped file, as do the bytes of strings; all else is copied. Strings
    are bytes, times int64 nanoseconds, and dictionaries are decoded. Lists of one length are tensors,
    other lists have an unknown dimension, and lists of those are ragged. Missing values and other types are errors that
    name the column: fill or cast them first.
    """
    if not hasattr(table, "__arrow_c_stream__"):
        raise TypeError(f"expected a table with __arrow_c_stream__, found {type(table).__name__}")
    return Dataset(_core.parse(runtime or default_runtime(), "@rows", [("rows", table.__arrow_c_stream__())]))


def register(name: str, function: PyFunction, *, runtime: _core.Runtime | None = None) -> None:
    """Makes a function known as @NAME in every text, and by its name in serialized graphs."""
    if function.inputs is None:
        raise TypeError('say what the function takes: weir.py_function(f, spec=..., inputs="(int64,)")')
    _core.register(runtime or default_runtime(), name, function.callback(list(_core.Spec(function.inputs).children)))
    registered[name] = function.serial


__all__ = [
    "Dataset",
    "DatasetValue",
    "capture",
    "check",
    "deserialize",
    "from_arrow",
    "from_generator",
    "parse",
    "register",
    "trace",
]
