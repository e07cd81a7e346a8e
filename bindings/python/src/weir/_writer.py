"""Values of expressions as text."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from ._trace import Bare, Captured, Lambda, Scope, Value


class Span(NamedTuple):
    """Which bytes of a text a value or a lambda has become."""

    begin: int
    end: int
    owner: Value | Lambda


class Writer:
    """Renders values as text, and collects what is passed by name.

    With `marks`, the text has signs around what each value and lambda becomes; `unmarked` takes them out again.
    """

    def __init__(self, marks: bool = False) -> None:
        self._owners: list[Value | Lambda] | None = [] if marks else None
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
        crosses = _owner(home, chain) is not _owner(chain[-1], chain)
        if (uses > 1 or crosses) and id(value) not in self._bound:
            self._bound[id(value)] = ""
            self._bindings.setdefault(id(home), []).append(value)
        if uses > 1:
            return
        if crosses:
            # It is written at home, and so is what it is made of.
            chain = chain[: chain.index(home) + 1]
        for part in value._parts:
            if type(part) is str:
                continue
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
                text = self._marked(value, self._plain(value))
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
        return self._bound.get(id(value)) or self._marked(value, self._plain(value))

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
                out.append(self._marked(part, f"{part.pattern} -> {self._scoped(part.scope, part.body)}"))
        return "".join(out)

    def _marked(self, owner: Value | Lambda, text: str) -> str:
        if self._owners is None:
            return text
        self._owners.append(owner)
        return f"\x01{len(self._owners) - 1}\x02{text}\x03"

    def unmarked(self, marked: str) -> tuple[str, list[Span]]:
        """A text without its marks, and what each part of it was made of, an inner part after the one around it."""
        out = bytearray()
        spans: list[Span] = []
        waiting: list[int] = []
        for piece in re.split("(\x01\\d+\x02|\x03)", marked):
            if piece.startswith("\x01"):
                assert self._owners is not None
                waiting.append(len(spans))
                spans.append(Span(len(out), 0, self._owners[int(piece[1:-1])]))
            elif piece == "\x03":
                number = waiting.pop()
                spans[number] = spans[number]._replace(end=len(out))
            else:
                out += piece.encode()
        return out.decode(), spans


def _owner(scope: Scope, chain: list[Scope]) -> Scope:
    """The lambda that a scope belongs to, or a part of it that is written alone."""
    return scope.owner if scope.owner in chain else chain[0]


def _inner(part: Any) -> Value | None:
    """The value in a part of another, if it has one."""
    if isinstance(part, Value):
        return part
    if isinstance(part, Bare):
        return part.value
    return part.body if isinstance(part, Lambda) else None
