"""Values of an expression that is being written by running a Python function once.

Each Value is a node: pieces of text and other nodes. A function is traced by calling it with variables; what it returns
is rendered as one lambda of the notation. A node that is used twice, or inside a lambda other than the one that made
it, is bound by `let`, so that it is computed once and a random one is drawn once.
"""

from __future__ import annotations

import linecache
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from . import _core, _text
from .errors import TraceAttributeError, TraceError

_OFFER = (
    "Or pass the function as weir.py_function(f, spec=...), which runs it in Python; block=True gives it many rows."
)


def user_line() -> str:
    """Where the caller's own code is: the file, the line and what it says."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == "weir":
        frame = frame.f_back
    file, line = frame.f_code.co_filename, frame.f_lineno
    source = linecache.getline(file, line).strip()
    return f"{file}, line {line}" + (f": `{source}`" if source else "")


def refuse(what: str, instead: str) -> NoReturn:
    """Raises the TraceError of something that cannot become an expression."""
    raise TraceError(f"{what} cannot become an expression ({user_line()}). {instead} {_OFFER}")


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


class Bare:
    """A node among commas or at the end of a lambda, where no parentheses are needed."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value


class Captured:
    """What is passed to the document by name: a tensor, a dataset, a callback."""

    __slots__ = ("handed",)

    def __init__(self, handed: Any) -> None:
        self.handed = handed


class Lambda:
    """A traced function."""

    __slots__ = ("body", "branch", "pattern", "scope", "variables")

    def __init__(self, pattern: str, variables: list[Value], body: Value, scope: Scope, branch: bool = False) -> None:
        self.pattern = pattern
        self.variables = variables
        self.body = body
        self.scope = scope
        self.branch = branch

    @property
    def free(self) -> dict[int, Value]:
        """The variables that come from outside."""
        own = {id(variable) for variable in self.variables}
        return {number: value for number, value in self.body._free.items() if number not in own}


Part = "str | Value | Bare | Captured | Lambda"


class Value:
    """A value of an expression: what the functions that you pass to `map` and others are called with.

    Operators, indexing, `x.key`, `x["key"]` and the functions of `weir.fn` make new values.
    """

    __slots__ = ("_atomic", "_free", "_parts", "_scope", "_spec", "_trivial")

    def __init__(
        self,
        parts: tuple[Any, ...],
        *,
        atomic: bool = True,
        trivial: bool = False,
        spec: _core.Spec | None = None,
    ) -> None:
        self._parts = parts
        self._atomic = atomic
        self._trivial = trivial
        self._spec = spec
        self._scope = active.scopes[-1] if active.scopes else None
        self._free: dict[int, Value] = {}
        for part in parts:
            if isinstance(part, Bare):
                self._free.update(part.value._free)
            elif isinstance(part, Value):
                self._free.update(part._free)
            elif isinstance(part, Lambda):
                self._free.update(part.free)

    # What follows makes new values.

    def __add__(self, other: Any) -> Value:
        return binary("+", self, other)

    def __radd__(self, other: Any) -> Value:
        return binary("+", other, self)

    def __sub__(self, other: Any) -> Value:
        return binary("-", self, other)

    def __rsub__(self, other: Any) -> Value:
        return binary("-", other, self)

    def __mul__(self, other: Any) -> Value:
        return binary("*", self, other)

    def __rmul__(self, other: Any) -> Value:
        return binary("*", other, self)

    def __truediv__(self, other: Any) -> Value:
        return binary("/", self, other)

    def __rtruediv__(self, other: Any) -> Value:
        return binary("/", other, self)

    def __floordiv__(self, other: Any) -> Value:
        return binary("//", self, other)

    def __rfloordiv__(self, other: Any) -> Value:
        return binary("//", other, self)

    def __mod__(self, other: Any) -> Value:
        return binary("%", self, other)

    def __rmod__(self, other: Any) -> Value:
        return binary("%", other, self)

    def __pow__(self, other: Any) -> Value:
        return binary("**", self, other)

    def __rpow__(self, other: Any) -> Value:
        return binary("**", other, self)

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

    def __or__(self, other: Any) -> Value:
        return logical("or", "bitwise_or", self, other)

    __ror__ = __or__

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

    def __lt__(self, other: Any) -> Value:
        return binary("<", self, other)

    def __le__(self, other: Any) -> Value:
        return binary("<=", self, other)

    def __gt__(self, other: Any) -> Value:
        return binary(">", self, other)

    def __ge__(self, other: Any) -> Value:
        return binary(">=", self, other)

    __hash__ = None  # type: ignore[assignment]

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, str):
            return member(self, index)
        if isinstance(index, int) and self._is_structure("tuple"):
            return position(self, index)
        indices = index if isinstance(index, tuple) else (index,)
        parts: list[Any] = [self, "["]
        for number, one in enumerate(indices):
            parts += ([", "] if number else []) + _index_parts(one)
        return Value((*parts, "]"))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return member(self, name)

    def _is_structure(self, kind: str) -> bool:
        # Operators and literals give tensors; only what may be a structure is worth asking about.
        return self._atomic and spec_of(self).kind == kind

    # What follows cannot be traced.

    def __bool__(self) -> bool:
        refuse(
            "A value is not known while the function is traced, so `if`, `and`, `or`, `not` or `while` on one",
            "Use weir.cond(c, a, b) or weir.fn.where(c, a, b), and `&`, `|`, `~` for logic.",
        )

    def __iter__(self) -> Iterator[Any]:
        spec = spec_of(self)
        if spec.kind != "tuple":
            refuse(
                "Iterating over a tensor",
                "Operators and weir.fn apply to all entries at once; weir.fn.unstack takes one apart.",
            )
        return iter([position(self, i) for i in range(len(spec.children))])

    def __len__(self) -> int:
        spec = spec_of(self)
        if spec.kind in ("tuple", "dict"):
            return len(spec.children)
        refuse("len() of a value", "Use weir.fn.shape(x)[0] or weir.fn.size(x).")

    def __contains__(self, item: Any) -> bool:
        refuse("`in` on a value", "Use weir.fn.any(x == item).")

    def __float__(self) -> float:
        refuse("float() of a value", "Use weir.fn.cast(x, weir.float32).")

    def __int__(self) -> int:
        refuse("int() of a value", "Use weir.fn.cast(x, weir.int64).")

    def __index__(self) -> int:
        refuse("A value as an integer of Python", "weir.fn.arange, weir.range and indexing take values.")

    def __complex__(self) -> complex:
        refuse("complex() of a value", "Use weir.fn.cast(x, weir.complex64).")

    def __array__(self, *_: Any, **__: Any) -> Any:
        refuse("A NumPy call on a value", "weir.fn has functions of the same names.")

    def __array_function__(self, function: Callable[..., Any], *_: Any) -> Any:
        refuse(f"numpy.{function.__name__} on a value", _like(function.__name__))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **_: Any) -> Any:
        # An array on the left of an operator: NumPy is asked first.
        if method == "__call__" and ufunc.__name__ in _UFUNCS and len(inputs) == 2:
            return binary(_UFUNCS[ufunc.__name__], *inputs)
        refuse(f"numpy.{ufunc.__name__} on a value", _like(ufunc.__name__))

    def __repr__(self) -> str:
        return f"<weir value {Writer().text(self)}>"


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


def _like(name: str) -> str:
    """Which function of weir.fn to use instead of one of NumPy."""
    from . import fn

    name = {"astype": "cast"}.get(name, name)
    return f"Use weir.fn.{name}." if hasattr(fn, name) else "weir.fn has functions for expressions."


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
                parts.append(as_value(bound))
        return parts
    return [Bare(as_value(index))]


def binary(operator: str, left: Any, right: Any) -> Value:
    """`left operator right`."""
    return Value((as_value(left), f" {operator} ", as_value(right)), atomic=False)


def logical(word: str, function: str, left: Value, right: Any) -> Value:
    """`and`, `or` and the like: of bools as an operator, of integers by a function."""
    if isinstance(right, (bool, np.bool_)) or spec_of(left).dtype == "bool":
        return binary(word, left, right)
    return call(function, left, right)


def call(function: str, *arguments: Any) -> Value:
    """`function(arguments)`."""
    parts: list[Any] = [f"{function}("]
    for number, argument in enumerate(arguments):
        parts += ([", "] if number else []) + [Bare(as_value(argument))]
    return Value((*parts, ")"))


def member(value: Value, name: str) -> Any:
    """`value.name` of a dict."""
    spec = spec_of(value)
    if spec.kind == "dict" and name in spec.keys:
        return of_spec((value, f".{_text.key(name)}"), spec.children[spec.keys.index(name)], value._trivial)
    if spec.kind == "dict":
        raise TraceAttributeError(f"expected one of the keys {', '.join(spec.keys)}, found {name!r} ({user_line()})")
    raise TraceAttributeError(
        f"a value of structure {spec} has no attribute {name!r} ({user_line()}). {_like(name)} {_OFFER}"
    )


def position(value: Value, index: int) -> Any:
    """Member `index` of a tuple."""
    children = spec_of(value).children
    if not -len(children) <= index < len(children):
        raise IndexError(f"expected a position below {len(children)}, found {index} ({user_line()})")
    index %= len(children)
    return of_spec((value, f".{index}"), children[index], value._trivial)


def of_spec(parts: tuple[Any, ...], spec: _core.Spec, trivial: bool = False) -> Any:
    """A value of a known structure: one of a dataset has the methods of datasets."""
    made = _dataset_value() if spec.kind == "dataset" else Value
    return made(parts, spec=spec, trivial=trivial)


def _dataset_value() -> type[Value]:
    from ._dataset import DatasetValue

    return DatasetValue


def as_value(value: Any) -> Value:
    """What Python has, as a value of an expression."""
    from ._capture import capture

    return value if isinstance(value, Value) else capture(value)


class Writer:
    """Renders values as text, and collects what is passed by name."""

    def __init__(self) -> None:
        self.arguments: list[tuple[str, Any]] = []
        self._names: dict[int, str] = {}
        self._uses: dict[int, int] = {}
        self._bindings: dict[int, list[Value]] = {}
        self._bound: dict[int, str] = {}
        self._count = 0

    def argument(self, handed: Any) -> str:
        """The name of what is passed by name; the same object has one name."""
        name = self._names.get(id(handed))
        if name is None:
            name = self._names[id(handed)] = f"_{len(self.arguments)}"
            self.arguments.append((name, handed))
        return f"@{name}"

    def text(self, value: Value) -> str:
        """A value that stands in no lambda."""
        scope = Scope(None)
        self._survey(value, [scope])
        return self._scoped(scope, value)

    def function(self, traced: Lambda) -> str:
        """A lambda that stands in no other."""
        self._survey(traced.body, [traced.scope])
        return f"{traced.pattern} -> {self._scoped(traced.scope, traced.body)}"

    def _survey(self, value: Value, chain: list[Scope]) -> None:
        """Finds out which values are bound, and where. `chain` are the scopes around, the outermost first."""
        if value._trivial:
            return
        uses = self._uses[id(value)] = self._uses.get(id(value), 0) + 1
        home = value._scope if value._scope in chain else chain[0]
        # Lambdas bind what comes from outside them; a branch of cond may hold it.
        crosses = home is not None and home.owner is not chain[-1].owner
        if (uses > 1 or crosses) and id(value) not in self._bound:
            self._bound[id(value)] = ""
            self._bindings.setdefault(id(home), []).append(value)
        if uses > 1:
            return
        for part in value._parts:
            if isinstance(part, Bare):
                self._survey(part.value, chain)
            elif isinstance(part, Value):
                self._survey(part, chain)
            elif isinstance(part, Lambda):
                self._survey(part.body, [*chain, part.scope])

    def _scoped(self, scope: Scope, body: Value) -> str:
        """The body of a scope, after what is bound in it: each value after those that it needs."""
        waiting = {id(value) for value in self._bindings.pop(id(scope), [])}
        lets: list[str] = []
        seen: set[int] = set()

        def visit(value: Value) -> None:
            if id(value) in seen or value._trivial:
                return
            seen.add(id(value))
            for part in value._parts:
                inner = _inner(part)
                if inner is not None:
                    visit(inner)
            if id(value) in waiting:
                text = self._plain(value)
                self._count += 1
                self._bound[id(value)] = f"_t{self._count}"
                lets.append(f"let _t{self._count} = {text if value._atomic else f'({text})'} in ")

        if waiting:
            visit(body)
        return "".join(lets) + self._operand(body) if lets else self._bare(body)

    def _operand(self, value: Value) -> str:
        text = self._bare(value)
        return text if value._atomic or self._bound.get(id(value)) else f"({text})"

    def _bare(self, value: Value) -> str:
        return self._bound.get(id(value)) or self._plain(value)

    def _plain(self, value: Value) -> str:
        out = []
        for part in value._parts:
            if isinstance(part, str):
                out.append(part)
            elif isinstance(part, Bare):
                out.append(self._bare(part.value))
            elif isinstance(part, Value):
                out.append(self._operand(part))
            elif isinstance(part, Captured):
                out.append(self.argument(part.handed))
            elif part.branch:
                out.append(f"({self._scoped(part.scope, part.body)})")
            else:
                out.append(f"{part.pattern} -> {self._scoped(part.scope, part.body)}")
        return "".join(out)


def _inner(part: Any) -> Value | None:
    """The value in a part of another, if it has one."""
    if isinstance(part, Value):
        return part
    if isinstance(part, Bare):
        return part.value
    return part.body if isinstance(part, Lambda) else None


def spec_of(value: Value) -> _core.Spec:
    """The structure of a value, which the library knows."""
    if value._spec is None:
        from ._runtime import default_runtime

        writer = Writer()
        body = writer.text(value)
        free = list(value._free.values())
        specs = ", ".join(str(spec_of(variable)) for variable in free)
        names = ", ".join(str(variable._parts[0]) for variable in free)
        head = f"empty(({specs},)) | map(({names},) -> " if free else "empty(int64) | map(_ -> "
        value._spec = _core.parse(default_runtime(), f"{head}{body})", writer.arguments).spec
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
    try:
        result = function(*arguments)
        if result is None:
            raise TraceError(f"expected {_name(function)} to return a value, found None ({_place(function)})")
        return as_value(result)
    finally:
        active.scopes.pop()


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", type(function).__name__)


def _place(function: Callable[..., Any]) -> str:
    code = getattr(function, "__code__", None)
    return f"{code.co_filename}, line {code.co_firstlineno}" if code else repr(function)


def cond(condition: Any, then: Any, otherwise: Any) -> Any:
    """`then` where the scalar `condition` is true, else `otherwise`; only that one is computed.

    Either may be a value or a function without parameters.
    """
    if not isinstance(condition, Value):
        chosen = then if condition else otherwise
        return chosen() if callable(chosen) and not isinstance(chosen, Value) else chosen
    branches = []
    for branch in (then, otherwise):
        scope = Scope(active.scopes[-1].owner if active.scopes else None)
        if callable(branch) and not isinstance(branch, Value):
            branches.append(Lambda("", [], body_of(branch, [], scope), scope, branch=True))
        else:
            branches.append(Lambda("", [], as_value(branch), scope, branch=True))
    made = Value(("if ", condition, " then ", branches[0], " else ", branches[1]), atomic=False)
    if all(isinstance(branch.body, _dataset_value()) for branch in branches):
        return _dataset_value()(made._parts, atomic=False)
    return made
