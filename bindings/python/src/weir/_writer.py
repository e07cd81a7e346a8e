"""Values of expressions as arguments of the library."""

from __future__ import annotations

from typing import Any

from ._node import CALL, JOINED, Node, joined
from ._trace import Bare, Captured, Group, Lambda, Scope, Value, leaves


class Writer:
    """Renders values, and binds those that are used twice.

    With `owners`, which it fills, what each value and lambda becomes has its place in that list as a label.
    """

    def __init__(self, owners: list[Value | Lambda] | None = None) -> None:
        self._owners = owners
        self._uses: dict[int, int] = {}
        self._bindings: dict[int, list[Value]] = {}
        self._bound: dict[int, str] = {}
        self._count = 0

    def node(self, value: Value) -> Any:
        """A value that stands in no lambda."""
        scope = Scope(None)
        self._survey(value, [scope])
        return self._scoped(scope, value)

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
        for part in leaves(value._parts):
            if isinstance(part, Lambda):
                self._survey(part.body, [*chain, part.scope])
            elif (inner := _inner(part)) is not None:
                self._survey(inner, chain)

    def _scoped(self, scope: Scope, body: Value) -> Any:
        """The body of a scope, after what is bound in it: each value after those that it needs."""
        waiting = {id(value) for value in self._bindings.pop(id(scope), [])}
        lets: list[Any] = []
        seen: set[int] = set()

        def visit(value: Value) -> None:
            if id(value) in seen or value._trivial:
                return
            seen.add(id(value))
            for part in leaves(value._parts):
                inner = _inner(part)
                if inner is not None:
                    visit(inner)
            if id(value) in waiting:
                made = self._labelled(value, self._plain(value))
                self._count += 1
                self._bound[id(value)] = f"_t{self._count}"
                lets.extend((f"let _t{self._count} = ", *([made] if value._atomic else ["(", made, ")"]), " in "))

        if waiting:
            visit(body)
        return joined([*lets, self._operand(body)]) if lets else self._bare(body)

    def _operand(self, value: Value) -> Any:
        made = self._bare(value)
        return made if value._atomic or self._bound.get(id(value)) else joined(["(", made, ")"])

    def _bare(self, value: Value) -> Any:
        return self._bound.get(id(value)) or self._labelled(value, self._plain(value))

    def _input(self, value: Value) -> Any:
        """What an operator applies to: a dataset that is handed, a call, or a text, as the input of no operator."""
        piped = any(isinstance(part, Group) and part.piped for part in value._parts)
        made = self._bare(value) if piped else self._operand(value)
        if isinstance(made, (str, Node)) and not (isinstance(made, Node) and made.kind == CALL):
            text = made if isinstance(made, Node) and made.kind == JOINED else Node(JOINED, "", (("", made),))
            made = Node(CALL, "", (("", text),))
        return made

    def _plain(self, value: Value) -> Any:
        return joined(map(self._part, value._parts))

    def _part(self, part: Any) -> Any:
        if isinstance(part, Bare):
            return self._bare(part.value)
        if isinstance(part, Value):
            return self._operand(part)
        if isinstance(part, Captured):
            return part.handed
        if isinstance(part, Group):
            # Each once, since a lambda's bindings are written with it.
            made = [("", self._input(part.members[0][1][0]))] if part.piped else []
            made += [(name, joined(map(self._part, parts))) for name, parts in part.members[len(made) :]]
            return Node(part.kind, part.name, tuple(made))
        if not isinstance(part, Lambda):
            return part
        body = self._scoped(part.scope, part.body)
        return joined(["(", body, ")"]) if part.branch else self._labelled(part, joined([f"{part.pattern} -> ", body]))

    def _labelled(self, owner: Value | Lambda, made: Any) -> Any:
        if self._owners is None:
            return made
        self._owners.append(owner)
        return joined([made], label=str(len(self._owners) - 1))


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
