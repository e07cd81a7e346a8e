"""Values of an expression that is being written by running a Python function once.

Each Value is a node: pieces of text and other nodes. A function is traced by calling it with variables; what it returns
is rendered as one lambda of the notation. A node that is used twice, or inside a lambda other than the one that made
it, is bound by `let`, so that it is computed once and a random one is drawn once.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from . import _core, _text
from ._late import late
from ._node import CALL, string
from ._place import MARK, Place, here, like, met_value, of_math, offered, refuse, returned, step
from .errors import Error, TraceAttributeError, TraceError, TraceKeyError


class Scope:
    """A lambda, or a branch of cond, that is being traced."""

    __slots__ = ("names", "owner")

    def __init__(self, owner: Scope | None) -> None:
        self.names: set[str] = set()
        self.owner = owner or self  # the lambda that a branch belongs to


class _Active(threading.local):
    """The scopes that are being traced on this thread, the innermost last."""

    def __init__(self) -> None:
        self.scopes: list[Scope] = []


active = _Active()


def refuse_elements() -> NoReturn:
    """Refuses to take the elements of a dataset while a function is traced."""
    refuse(
        "Taking the elements of a dataset",
        "Use a terminal, such as reduce(...), or batch(n).get_single_element(); or take them outside the function.",
    )


def outside() -> None:
    """Refuses what would run a dataset while a function is traced: once, and not for each element."""
    if active.scopes:
        refuse_elements()


def outside_of_iterator() -> None:
    """The same for what is done to an iterator. Called by the extension while some thread traces a function."""
    if active.scopes:
        refuse(
            "What is done to an iterator",
            "It would run once, and not for each element. Use the iterator outside the function; zip(...) gives the "
            "function an element of another dataset with each of its own.",
        )


@dataclass(slots=True, eq=False)
class Bare:
    """A node among commas or at the end of a lambda, where no parentheses are needed."""

    value: Value


@dataclass(slots=True, eq=False)
class Captured:
    """What is passed to the document by name: a tensor, a dataset, a callback."""

    handed: Any


@dataclass(slots=True, eq=False)
class Lambda:
    """A traced function. `said` names it and what it was given to, for messages."""

    pattern: str
    variables: list[Value]
    body: Value
    scope: Scope
    branch: bool = False
    said: str = ""

    @property
    def free(self) -> dict[int, Value]:
        """The variables that come from outside."""
        own = {id(variable) for variable in self.variables}
        return {number: value for number, value in self.body._free.items() if number not in own}


@dataclass(slots=True, eq=False)
class Group:
    """A call, list, tuple or dict: members by name, each of several parts. A call may apply to its first one."""

    kind: int
    name: str
    members: list[tuple[str, list[Any]]]
    piped: bool = False


def leaves(parts: Iterable[Any]) -> Iterator[Any]:
    """The parts, and those of the groups among them."""
    for part in parts:
        if isinstance(part, Group):
            for _, inner in part.members:
                yield from leaves(inner)
        else:
            yield part


Part = "str | Node | Value | Bare | Captured | Group | Lambda"


def _both(sign: str) -> tuple[Callable[[Any, Any], Value], Callable[[Any, Any], Value]]:
    """The methods of an operator: of what stands on its left, and on its right."""
    return lambda self, other: binary(sign, self, other), lambda self, other: binary(sign, other, self)


class Value:
    """A value of an expression: what the functions that you pass to `map` and others are called with.

    Operators, indexing, `x.key`, `x["key"]` and the functions of `weir.fn` make new values.
    """

    __slots__ = ("_atomic", "_free", "_parts", "_place", "_scope", "_spec", "_trivial")

    def __init__(
        self, parts: tuple[Any, ...], *, atomic: bool = True, trivial: bool = False, spec: _core.Spec | None = None
    ) -> None:
        self._parts = parts
        self._atomic = atomic
        self._trivial = trivial
        self._spec = spec
        self._place: Place | None = None if trivial else here()
        self._scope = active.scopes[-1] if active.scopes else None
        self._free: dict[int, Value] = {}
        for part in leaves(parts):
            if isinstance(part, Bare):
                self._free.update(part.value._free)
            elif isinstance(part, Value):
                self._free.update(part._free)
            elif isinstance(part, Lambda):
                self._free.update(part.free)

    # What follows makes new values.

    __add__, __radd__ = _both("+")
    __sub__, __rsub__ = _both("-")
    __mul__, __rmul__ = _both("*")
    __truediv__, __rtruediv__ = _both("/")
    __floordiv__, __rfloordiv__ = _both("//")
    __mod__, __rmod__ = _both("%")
    __pow__, __rpow__ = _both("**")
    __lt__ = _both("<")[0]
    __le__ = _both("<=")[0]
    __gt__ = _both(">")[0]
    __ge__ = _both(">=")[0]

    def __matmul__(self, other: Any) -> Value:
        return call("matmul", self, other)

    def __rmatmul__(self, other: Any) -> Value:
        return call("matmul", other, self)

    def __lshift__(self, other: Any) -> Value:
        return call("shift_left", self, other)

    def __rshift__(self, other: Any) -> Value:
        return call("shift_right", self, other)

    def __and__(self, other: Any) -> Value:
        return logical("and", "bitwise_and", self, other)

    __rand__ = __and__

    def __or__(self, other: Any) -> Any:
        if _are_dicts(self, other):
            return {**self, **other}
        return logical("or", "bitwise_or", self, other)

    def __ror__(self, other: Any) -> Any:
        if _are_dicts(self, other):
            return {**other, **self}
        return logical("or", "bitwise_or", self, other)

    def __xor__(self, other: Any) -> Value:
        return logical("!=", "bitwise_xor", self, other)

    __rxor__ = __xor__

    def __invert__(self) -> Value:
        if spec_of(self).dtype == "bool":
            return Value(("not ", self), atomic=False)
        return call("bitwise_xor", self, -1)

    def __neg__(self) -> Value:
        return Value(("-", self), atomic=False)

    def __pos__(self) -> Value:
        return self

    def __abs__(self) -> Value:
        return call("abs", self)

    def __round__(self, digits: int | None = None) -> Value:
        if digits:
            refuse("round() to digits", "weir.fn.round(x) rounds to integers.")
        return call("round", self)

    def __eq__(self, other: object) -> Value:  # type: ignore[override]
        return binary("==", self, other)

    def __ne__(self, other: object) -> Value:  # type: ignore[override]
        return binary("!=", self, other)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, str):
            return member(self, index)
        if isinstance(index, (int, np.integer)) and spec_of(self).kind == "tuple":
            return position(self, operator.index(index))
        indices = index if isinstance(index, tuple) else (index,)
        parts: list[Any] = [self, "["]
        for number, one in enumerate(indices):
            parts += ([", "] if number else []) + _index_parts(one)
        return Value((*parts, "]"))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        # Whatever its keys are, a dict is a mapping.
        if name in _OF_MAPPINGS and (spec := spec_of(self)).kind == "dict":
            return getattr({key: member(self, key) for key in spec.keys}, name)
        return member(self, name)

    # What follows is known while the function is traced, of structures, or cannot be traced.

    def __iter__(self) -> Iterator[Any]:
        spec = spec_of(self)
        if spec.kind == "dict":
            return iter(spec.keys)
        if spec.kind != "tuple":
            refuse(
                "Iterating over a tensor",
                "Operators and weir.fn apply to all entries at once; weir.fn.unstack takes one apart.",
            )
        return iter([position(self, i) for i in range(len(spec.children))])

    def __reversed__(self) -> Iterator[Any]:
        return iter(list(self)[::-1])

    def __len__(self) -> int:
        spec = spec_of(self)
        if spec.kind in ("tuple", "dict"):
            return len(spec.children)
        refuse("len() of a value", "Use weir.fn.shape(x)[0] or weir.fn.size(x); of a string, weir.fn.string_length(s).")

    def __contains__(self, item: Any) -> bool:
        spec = spec_of(self)
        if spec.kind == "dict" and isinstance(item, str):
            return item in spec.keys
        refuse("`in` on a value", "Use weir.fn.any(x == item); in a string, weir.fn.regex_match(s, '.*item.*').")

    def __bool__(self) -> bool:
        if step().startswith("CONTAINS_OP"):
            refuse("`in` with a value", "Use weir.fn.any(x == [a, b]), or weir.fn.lookup for a table.")
        refuse(
            "A value is not known while the function is traced, so `if`, `and`, `or`, `not`, `while`, max() or min() on"
            " one",
            "Use weir.cond(c, a, b) or weir.fn.where(c, a, b), `&`, `|`, `~` for logic, weir.fn.maximum or minimum.",
        )

    def __hash__(self) -> int:
        doing = step()
        if doing.startswith("CONTAINS_OP"):
            bool(self)
        if doing == "BUILD_SET" or doing.startswith("SET_"):
            refuse("A set of values", "A dict has keys, as in {'x': x}; a tuple is written (x, y).")
        table = "Use weir.fn.lookup(x, keys, default) for strings, weir.fn.gather(values, x) for numbers from 0."
        refuse("A value as a key, or in a set,", table)

    def __float__(self) -> float:
        if function := of_math():
            refuse(f"math.{function} on a value", f"Use weir.fn.{function}.")
        refuse("float() of a value", f"Use {_converted(self, 'float32')}.")

    def __int__(self) -> int:
        refuse("int() of a value", f"Use {_converted(self, 'int64')}.")

    def __index__(self) -> int:
        if step().startswith(("BINARY_SUBSCR", "BINARY_SLICE")):
            refuse(
                "A list or array indexed or sliced by a value",
                "Use weir.fn.gather(table, x), or weir.fn.lookup for strings; of a slice, x is weir.fn.arange(a, b).",
            )
        refuse(
            "A value as an integer of Python",
            "weir.fn.arange, weir.range and indexing take values; weir.fn.cast(x, weir.int64) converts.",
        )

    def __complex__(self) -> complex:
        refuse("complex() of a value", "Use weir.fn.cast(x, weir.complex64).")

    def __bytes__(self) -> bytes:
        refuse("bytes() of a value", "A string of weir is bytes already; weir.fn.as_string(x) makes one of a number.")

    def __fspath__(self) -> str:
        refuse("A value as the name of a file in Python", "Use weir.fn.read_file(name), or a source such as text_line.")

    def __array__(self, *_: Any, **__: Any) -> Any:
        if step().startswith("BINARY_SUBSCR"):
            refuse("An array indexed by a value", "Use weir.fn.gather(array, x).")
        refuse(
            "An array of NumPy made from a value",
            "weir.fn and operators take values as they are; weir.fn.stack([a, b]) makes one of several.",
        )

    def __array_function__(self, function: Callable[..., Any], *_: Any) -> Any:
        refuse(f"numpy.{function.__name__} on a value", like(function.__name__))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **_: Any) -> Any:
        # An array on the left of an operator: NumPy is asked first.
        if method == "__call__" and ufunc.__name__ in _UFUNCS and len(inputs) == 2:
            # It makes arrays of its scalars on the way.
            scalars = [one[()] if isinstance(one, np.ndarray) and one.ndim == 0 else one for one in inputs]
            return binary(_UFUNCS[ufunc.__name__], *scalars)
        refuse(f"numpy.{ufunc.__name__} on a value", like(ufunc.__name__))

    def __copy__(self) -> Value:
        return self

    def __deepcopy__(self, _: Any) -> Value:
        return self

    def __reduce_ex__(self, _: Any) -> Any:
        refuse("A pickled value", "weir.fn.serialize_tensor(x) makes a string of a tensor.")

    def __str__(self) -> str:
        refuse(
            "The text of a value",
            "Use weir.fn.as_string(x), `+` and weir.fn.string_join([a, b]); print(repr(x)) shows the expression.",
        )

    def __format__(self, _: str) -> str:
        return str(self)

    def __repr__(self) -> str:
        # For debuggers. A constant that contains it is refused where it is written.
        return f"{MARK}{late.build.text_of(self)}>"


def _are_dicts(value: Value, other: Any) -> bool:
    """Whether `|` joins dicts: the other one is of Python, or a value too."""
    return isinstance(other, (dict, Value)) and spec_of(value).kind == "dict"


def _converted(value: Value, dtype: str) -> str:
    """How a value is converted."""
    try:
        text = spec_of(value).dtype == "string"
    except Exception:
        text = False
    return f"weir.fn.to_number(s, weir.{dtype})" if text else f"weir.fn.cast(x, weir.{dtype})"


_UFUNCS = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "floor_divide": "//",
    "remainder": "%",
    "power": "**",
    "equal": "==",
    "not_equal": "!=",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
}


def _index_parts(index: Any) -> list[Any]:
    """One index, of what stands between brackets."""
    if index is None:
        return ["newaxis"]
    if index is Ellipsis:
        return ["..."]
    if isinstance(index, slice):
        parts: list[Any] = []
        for number, bound in enumerate((index.start, index.stop, index.step)):
            if number and not (number == 2 and bound is None):
                parts.append(":")
            if bound is not None:
                parts.append(as_value(bound, adapts=True))
        return parts
    return [Bare(as_value(index, adapts=True))]


def binary(sign: str, left: Any, right: Any) -> Value:
    """`left operator right`: of a NumPy scalar and a value, the scalar adapts."""
    return Value((as_value(left, adapts=True), f" {sign} ", as_value(right, adapts=True)), atomic=False)


def logical(word: str, function: str, left: Value, right: Any) -> Value:
    """`and`, `or` and the like: of bools as an operator, of integers by a function."""
    if isinstance(right, (bool, np.bool_)) or spec_of(left).dtype == "bool":
        return binary(word, left, right)
    return call(function, left, right)


def call(function: str, *arguments: Any) -> Value:
    """`function(arguments)`."""
    return Value((Group(CALL, function, [("", [Bare(as_value(argument))]) for argument in arguments]),))


def member(value: Value, name: str) -> Any:
    """`value.name` of a dict."""
    spec = spec_of(value)
    if spec.kind == "dict" and name in spec.keys:
        return of_spec((value, ".", string(name)), spec.children[spec.keys.index(name)], value._trivial)
    datasets = late.DatasetValue
    if spec.kind == "dataset" and hasattr(datasets, name):
        # Its structure was not asked for before: it is what a branch or a terminal gives. Only a name can stand before
        # another pipe.
        if any(isinstance(part, Group) and part.piped for part in value._parts):
            given = Value(value._parts, atomic=False)
            given._scope, given._place = value._scope, value._place
            value._parts = ("let _t0 = ", given, " in _t0")
        value.__class__ = datasets
        return getattr(value, name)
    if spec.dtype is not None and name in ("shape", "ndim", "dtype"):
        return _known(spec, name)
    instead = like(name)
    if hasattr(datasets, name) and any(child.kind == "dataset" for child in spec.children):
        instead = f"Its members are datasets, one each; weir.zip(x).{name}(...) applies to their elements together."
    elif spec.kind == "dict":
        hint = f" {_CHANGED}" if name in ("pop", "popitem", "clear", "update", "setdefault") else ""
        keys = ", ".join(spec.keys)
        raise TraceKeyError(f"expected one of the keys {keys}, found {name!r} ({here()}).{hint}")
    raise TraceAttributeError(offered(f"a value of structure {spec} has no attribute {name!r}", instead))


_OF_MAPPINGS = ("keys", "values", "items", "get", "copy")
_CHANGED = "A value doesn't change: dict(x) is a copy that may, {**x, 'key': value} is another one."


def _known(spec: _core.Spec, name: str) -> Any:
    """What is known of a tensor before it is computed: None for the size of a dimension, the shape or the rank that is
    not. The dtypes are those of this package.
    """
    if name == "dtype":
        return spec.dtype if spec.dtype == "bfloat16" else np.dtype("S" if spec.dtype == "string" else spec.dtype)
    if name == "shape":
        return spec.shape
    return None if spec.shape is None else len(spec.shape)


def position(value: Value, index: int) -> Any:
    """Member `index` of a tuple."""
    children = spec_of(value).children
    if not -len(children) <= index < len(children):
        raise IndexError(f"expected a position below {len(children)}, found {index} ({here()})")
    index %= len(children)
    return of_spec((value, f".{index}"), children[index], value._trivial)


def of_spec(parts: tuple[Any, ...], spec: _core.Spec, trivial: bool = False) -> Any:
    """A value of a known structure: one of a dataset has the methods of datasets."""
    made = late.DatasetValue if spec.kind == "dataset" else Value
    return made(parts, spec=spec, trivial=trivial)


def as_value(value: Any, adapts: bool = False, joins: bool = False) -> Value:
    """What Python has, as a value of an expression. `adapts`: NumPy's scalars are literals, as Python's are; `joins`:
    lists of literals are tensors.
    """
    if isinstance(value, Value):
        return value
    made: Value = late.capture(value, adapts, joins)
    return made


def fitted(make: Callable[[bool], Value], given: Any) -> Value:
    """What `make` makes of arguments: with the dtypes of NumPy's scalars if they fit, else with literals that adapt."""
    made = make(False)
    if active.scopes and _has_scalars(given):
        try:
            spec_of(made)
        except Error:
            return make(True)
    return made


def _has_scalars(value: Any) -> bool:
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (list, tuple)):
        return any(map(_has_scalars, value))
    return isinstance(value, np.number)


def spec_of(value: Value) -> _core.Spec:
    """The structure of a value, which the library knows."""
    if value._spec is None:
        value._spec = late.build.probe(value).spec
    return value._spec


def variable(name: str, spec: _core.Spec, scope: Scope) -> Any:
    """A variable of a lambda, named as in Python where the notation allows it and nothing around has the name."""
    taken = {other for one in active.scopes for other in one.names} | scope.names
    wanted = name if _text.is_name(name) and not name.startswith("_t") else "x"
    made = wanted
    number = 2
    while made in taken:
        made = f"{wanted}_{number}"
        number += 1
    scope.names.add(made)
    value = of_spec((made,), spec, trivial=True)
    value._scope = scope
    value._free = {id(value): value}
    return value


def body_of(function: Callable[..., Any], arguments: list[Any], scope: Scope) -> Value:
    """Runs a function in a scope."""
    active.scopes.append(scope)
    _core.count_traces(1)
    code, outer = getattr(function, "__code__", None), returned.traced
    try:
        returned.traced = code.co_filename if code else outer
        result = function(*arguments)
        if result is None:
            raise TraceError(f"expected {name_of(function)} to return a value, found None ({_place(function)})")
        returned.place = _place(function)
        return check_scope(as_value(result))
    except Exception as error:
        refused = met_value(error, code.co_filename if code else "", Value)
        if refused is None:
            raise
        raise refused from error
    finally:
        returned.place, returned.traced = None, outer
        _core.count_traces(-1)
        active.scopes.pop()


def check_scope(value: Value) -> Value:
    """Refuses what has variables of a function that has ended: another may have given their names to its own."""
    if any(variable._scope not in active.scopes for variable in value._free.values()):
        refuse("A value that was kept from another function", "Compute it again where it is used, or pass it on.")
    return value


def name_of(function: Callable[..., Any]) -> str:
    """What a function is called in a message."""
    name = getattr(function, "__name__", type(function).__name__)
    return "the lambda" if name == "<lambda>" else name


def _place(function: Callable[..., Any]) -> Place:
    code = getattr(function, "__code__", None)
    return Place(code.co_filename, code.co_firstlineno) if code else here()


def cond(condition: Any, then: Any, otherwise: Any) -> Any:
    """`then` where the scalar `condition` is true, else `otherwise`; only that one is computed.

    Either may be a value or a function without parameters.
    """
    if not isinstance(condition, Value):
        chosen = then if condition else otherwise
        return chosen() if callable(chosen) and not isinstance(chosen, Value) else chosen
    given = []
    for branch in (then, otherwise):
        scope = Scope(active.scopes[-1].owner if active.scopes else None)
        traced = callable(branch) and not isinstance(branch, Value)
        given.append((body_of(branch, [], scope) if traced else branch, scope))

    def made(adapts: bool) -> Value:
        parts = [Lambda("", [], as_value(body, adapts), scope, branch=True) for body, scope in given]
        return Value(("if ", condition, " then ", parts[0], " else ", parts[1]), atomic=False)

    return fitted(made, [body for body, _ in given])
