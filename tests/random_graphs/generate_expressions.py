"""Random expressions of known types over the variables in scope.

A type is a Tensor type (dtype and dimensions, None for an unknown one), a Nested type for a dataset, or a tuple or dict
of types. An expression that fails for every row would be a mistake of the document, so what is constant never fails.
"""

import dataclasses

from syntax import Node, binary, call, function, integer, name, pipe
from values import BITS, FLOATS, fits, is_integer, key_text

KEYS = ("a", "b", "c", "key", "x/y")
STRINGS = (b"", b"a", b"bc", b"\xff\x00", b'"q"\n', b" Two  words\t", b"longer than a pointer")
NUMBERS = (0, 1, 2, 3, 5, 7, -1, -2, -7, 100, 127, 128, 255, 256, 65536, 2**31, -2**31, 2**53 + 1, 2**63 - 1, -2**63)
FRACTIONS = (0.0, 0.5, 1.0, -1.5, 2.25, -0.0, 1e10, 0.1, float("inf"), float("nan"))
VALUE_DTYPES = ("int64",) * 8 + ("int32", "uint8", "int8", "uint64", "float32", "float32", "float64", "bool", "string")


@dataclasses.dataclass(frozen=True)
class Of:
    """The type of a tensor."""
    dtype: str
    dims: tuple = ()


@dataclasses.dataclass(frozen=True)
class DatasetOf:
    element: object


INT = Of("int64")


def spec_text(kind):
    """A type as the library prints it."""
    if isinstance(kind, tuple):
        return "(" + ", ".join(map(spec_text, kind)) + (",)" if len(kind) == 1 else ")")
    if isinstance(kind, dict):
        return "{" + ", ".join(f"{key_text(key)}: {spec_text(member)}" for key, member in kind.items()) + "}"
    if isinstance(kind, DatasetOf):
        return f"dataset<{spec_text(kind.element)}>"
    dims = ", ".join("?" if dim is None else str(dim) for dim in kind.dims)
    return f"{kind.dtype}[{dims}]" if kind.dims else kind.dtype


def spec_node(kind):
    if isinstance(kind, tuple):
        return Node("tuple", None, map(spec_node, kind))
    if isinstance(kind, dict):
        return Node("dict", tuple(kind), map(spec_node, kind.values()))
    return Node("spec", spec_text(kind))


def relaxed(a, b):
    """The type of what may be either; the first one says the order of keys."""
    if isinstance(a, tuple):
        return tuple(map(relaxed, a, b))
    if isinstance(a, dict):
        return {key: relaxed(member, b[key]) for key, member in a.items()}
    if isinstance(a, DatasetOf):
        return DatasetOf(relaxed(a.element, b.element))
    return Of(a.dtype, tuple(m if m == n else None for m, n in zip(a.dims, b.dims)))


def type_leaves(kind):
    if isinstance(kind, (tuple, dict)):
        members = kind.values() if isinstance(kind, dict) else kind
        return [leaf for member in members for leaf in type_leaves(member)]
    return [kind]


def holds_dataset(kind):
    return any(isinstance(leaf, DatasetOf) for leaf in type_leaves(kind))


@dataclasses.dataclass
class Expr:
    node: Node
    type: object
    constant: bool = False
    fails: bool = False


def paths(node, kind):
    """What can be reached from a variable: (node, type)."""
    yield node, kind
    members = enumerate(kind) if isinstance(kind, tuple) else kind.items() if isinstance(kind, dict) else ()
    for key, member in members:
        yield from paths(Node("member", key, [node]), member)


class Expressions:
    """`dice` is a random.Random; `pipelines` makes the datasets that expressions drain."""

    def __init__(self, dice):
        self.dice = dice
        self.names = 0
        self.constants = set()  # names of what is known when the document is built
        self.written = set()  # names of what may be a literal
        # A pipeline over the scope that is drained in an expression: set by generate.Pipelines.
        self.inner_pipeline = None

    def one_in(self, count):
        return self.dice.randrange(count) == 0

    def fresh(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    def reachable(self, scope, wanted):
        return [(node, kind) for word, whole in scope.items() if whole is not None
                for node, kind in paths(name(word), whole) if wanted(kind)]

    def reached(self, place):
        node, kind = place
        root = node
        while root.kind == "member":
            root = root.items[0]
        # A tuple with a name may have constants among its members.
        return Expr(node, kind, constant=root.value in self.constants | self.written)

    def choose(self, makers, *arguments):
        """What one of the makers gives; None of one means that it does not apply."""
        for maker in self.dice.sample(makers, len(makers)):
            made = maker(*arguments)
            if made is not None:
                return made
        raise AssertionError("no maker applies")

    # ---- Literals ----

    def literal_value(self, dtype):
        if dtype == "bool":
            return self.one_in(2)
        if dtype == "string":
            return self.dice.choice(STRINGS)
        if is_integer(dtype):
            return next(n for n in iter(lambda: self.dice.choice(NUMBERS), None) if fits(dtype, n))
        return self.dice.choice(FRACTIONS)

    def literal_node(self, value):
        if isinstance(value, bool):
            return Node("boolean", value)
        if isinstance(value, bytes):
            return Node("string", value)
        if isinstance(value, int):
            return integer(value)
        if value < 0 or (value == 0 and str(value)[0] == "-"):
            return Node("unary", "-", [Node("float", -value)])
        return Node("float", value)

    def literal(self, dtype, dims=()):
        """A constant that has its dtype by itself."""
        def build(rest):
            if not rest:
                return self.literal_node(self.literal_value(dtype))
            return Node("list", None, [build(rest[1:]) for _ in range(rest[0])])
        if 0 in dims:
            node = call("zeros", Node("list", None, map(integer, dims)), dtype=Node("dtype", dtype))
            return Expr(node, Of(dtype, dims), constant=True)
        node = build(dims)
        if dtype not in ("int64", "float32", "bool", "string"):
            node = call(dtype, node)
        return Expr(node, Of(dtype, dims), constant=True)

    def beside(self, expr):
        """A literal scalar that takes the dtype of the operand beside it."""
        node = self.literal_node(self.literal_value(expr.type.dtype))
        if expr.constant and expr.type.dtype not in ("int64", "float32", "bool", "string"):
            node = call(expr.type.dtype, node)
        return Expr(node, Of(expr.type.dtype), constant=True)

    # ---- Scalars ----

    def scalar(self, dtype, scope, depth):
        if depth <= 0 or self.one_in(5):
            return self.simple(dtype, scope)
        makers = [self.choice_of, self.element_of, self.let_of, self.where_of, self.guarded]
        if dtype == "bool":
            makers += [self.comparison] * 4 + [self.logic, self.logic, self.all_of]
        elif dtype == "string":
            makers += [self.joined, self.joined, self.changed, self.cut, self.written_out]
        else:
            makers += [self.arithmetic] * 4 + [self.one_argument, self.bound, self.converted, self.reduced]
            if is_integer(dtype):
                makers += [self.division, self.division, self.power]
            if dtype == "int64":
                makers += [self.measure, self.drained, self.best_position, self.looked_up, self.read]
                if scope and self.one_in(8):
                    makers += [self.random]
            if dtype in FLOATS:
                makers += [self.quotient, self.rounded]
        return self.choose(makers, dtype, scope, depth - 1)

    def simple(self, dtype, scope):
        found = self.reachable(scope, lambda kind: kind == Of(dtype))
        if found and not self.one_in(6):
            return self.reached(self.dice.choice(found))
        source = self.reachable(scope, lambda kind: kind == INT)
        if source and not self.one_in(4):
            made = self.reached(self.dice.choice(source))
            # A literal may not fit another dtype.
            if not made.constant and not self.written & {node.value for node in made.node.nodes()}:
                return self.of_integer(dtype, made)
        return self.literal(dtype)

    def of_integer(self, dtype, source):
        """An int64 as an entry of any dtype."""
        node = source.node
        if dtype == "bool":
            node = binary("==", binary("%", node, integer(self.dice.randrange(2, 5))), integer(self.dice.randrange(2)))
        elif dtype == "string":
            texts = Node("list", None, [Node("string", text) for text in self.dice.sample(STRINGS, 3)])
            node = Node("index", None, [texts, binary("%", node, integer(3))])
        elif dtype != "int64":
            node = call(dtype, node)
        return Expr(node, Of(dtype))

    def varying(self, scope, depth):
        """A bool that is no constant where there is any variable."""
        for _ in range(6):
            made = self.scalar("bool", scope, depth)
            if not made.constant:
                return made
        return made

    def familiar(self, scope):
        """A dtype, one that a variable has as a rule."""
        found = self.reachable(scope, lambda kind: isinstance(kind, Of))
        return self.dice.choice(found)[1].dtype if found and not self.one_in(3) else self.dice.choice(VALUE_DTYPES)

    def pair(self, dtype, scope, depth):
        a = self.scalar(dtype, scope, depth)
        b = self.beside(a) if self.one_in(3) else self.scalar(dtype, scope, depth)
        return (b, a) if self.one_in(5) else (a, b)

    def combined(self, node, kind, *parts, fails=False):
        return Expr(node, kind, all(part.constant for part in parts), fails or any(part.fails for part in parts))

    def arithmetic(self, dtype, scope, depth):
        a, b = self.pair(dtype, scope, depth)
        return self.combined(binary(self.dice.choice("+-*"), a.node, b.node), Of(dtype), a, b)

    def division(self, dtype, scope, depth):
        a = self.scalar(dtype, scope, depth)
        operator = self.dice.choice(("//", "%"))
        if self.one_in(2):
            b = self.scalar(dtype, scope, depth)
            if not b.constant:
                return self.combined(binary(operator, a.node, b.node), Of(dtype), a, b, fails=True)
        node = integer(self.dice.choice((1, 2, 3, 7, 100)))
        if a.constant and dtype != "int64":
            node = call(dtype, node)
        return Expr(binary(operator, a.node, node), Of(dtype), a.constant, a.fails)

    def power(self, dtype, scope, depth):
        a = self.scalar(dtype, scope, depth)
        if self.one_in(3):
            b = self.scalar(dtype, scope, depth)
            if not b.constant:
                return self.combined(binary("**", a.node, b.node), Of(dtype), a, b, fails=True)
        b = integer(self.dice.randrange(4))
        if a.constant and dtype != "int64":
            b = call(dtype, b)
        return Expr(binary("**", a.node, b), Of(dtype), a.constant, a.fails)

    def quotient(self, dtype, scope, depth):
        # A float32 is what two small integers give, a float64 what two large ones do.
        of = self.dice.choice(("uint8", "int8", dtype) if dtype == "float32" else ("int64", "int32", dtype))
        a, b = self.pair(of, scope, depth)
        operator = self.dice.choice(("/", "/", "//", "%")) if of == "float64" else "/"
        return self.combined(binary(operator, a.node, b.node), Of(dtype), a, b)

    def one_argument(self, dtype, scope, depth):
        a = self.scalar(dtype, scope, depth)
        words = ["abs", "sign", "square", "negative", "-"]
        word = self.dice.choice(words + ["sqrt"] if dtype in FLOATS else words)
        node = Node("unary", "-", [a.node]) if word == "-" else call(word, a.node)
        if word == "-" and a.constant:
            return None
        return self.combined(node, Of(dtype), a)

    def rounded(self, dtype, scope, depth):
        a = self.scalar(dtype, scope, depth)
        return self.combined(call(self.dice.choice(("floor", "ceil", "round")), a.node), Of(dtype), a)

    def bound(self, dtype, scope, depth):
        a, b = self.pair(dtype, scope, depth)
        if self.one_in(3):
            low, high = sorted((self.literal_value(dtype), self.literal_value(dtype)))
            if not a.constant:
                low, high = self.literal_node(low), self.literal_node(high)
                return self.combined(call("clip", a.node, low, high), Of(dtype), a)
        return self.combined(call(self.dice.choice(("minimum", "maximum")), a.node, b.node), Of(dtype), a, b)

    def converted(self, dtype, scope, depth):
        sources = [d for d in VALUE_DTYPES if d != "string"]
        a = self.scalar(self.dice.choice(sources), scope, depth)
        if a.constant:
            return None
        node = a.node
        if is_integer(dtype) and a.type.dtype in FLOATS:
            node = call("clip", node, integer(-1000000), integer(1000000))
        node = call(dtype, node) if self.one_in(2) else call("cast", node, Node("dtype", dtype))
        return self.combined(node, Of(dtype), a)

    def choice_of(self, dtype, scope, depth):
        condition = self.varying(scope, depth)
        if condition.constant:
            return None
        a, b = self.typed(Of(dtype), scope, depth), self.typed(Of(dtype), scope, depth)
        return self.combined(Node("if", None, [condition.node, a.node, b.node]), Of(dtype), condition, a, b)

    def where_of(self, dtype, scope, depth):
        condition = self.scalar("bool", scope, depth)
        a, b = self.pair(dtype, scope, depth)
        return self.combined(call("where", condition.node, a.node, b.node), Of(dtype), condition, a, b)

    def guarded(self, dtype, scope, depth):
        condition = self.varying(scope, depth)
        value = self.scalar(dtype, scope, depth)
        # A constant behind an assertion is still one, and as an index is checked when the document is built.
        if condition.constant or value.constant:
            return None
        node = call("assert", condition.node, Node("string", b"planted"), value.node)
        return self.combined(node, Of(dtype), condition, value, fails=True)

    def let_of(self, dtype, scope, depth):
        """A name for what cannot fail, since an unused one may not be computed."""
        value = self.any_value(scope, depth, datasets=False)
        if value.fails:
            return None
        word = self.fresh("n")
        self.written.add(word)
        if value.constant:
            self.constants.add(word)
        body = self.scalar(dtype, scope | {word: value.type}, depth)
        return Expr(Node("let", word, [value.node, body.node]), Of(dtype), body.constant, body.fails)

    def element_of(self, dtype, scope, depth):
        """A member of a vector, at a position that may be out of range."""
        v = self.vector(dtype, scope, depth)
        if self.one_in(2):
            at = self.scalar("int64", scope, depth)
            if at.constant:
                return None
            node = binary("%", at.node, integer(self.dice.randrange(1, 6))) if not self.one_in(3) else at.node
            return self.combined(Node("index", None, [v.node, node]), Of(dtype), v, at, fails=True)
        size = v.type.dims[0]
        if not size and v.constant:
            return None
        if size == 0:
            return None
        at = self.dice.randrange(-(size or 2), size or 2)
        return Expr(Node("index", None, [v.node, integer(at)]), Of(dtype), v.constant, v.fails or size is None)

    def reduced(self, dtype, scope, depth):
        v = self.vector(dtype, scope, depth)
        word = self.dice.choice(("sum", "prod", "min", "max") if is_integer(dtype) else ("min", "max"))
        if word in ("min", "max") and (v.type.dims[0] == 0 or v.constant):
            return None
        return self.combined(call(word, v.node), Of(dtype), v, fails=word in ("min", "max"))

    def measure(self, _, scope, depth):
        if self.one_in(2):
            a = self.scalar("string", scope, depth)
            return self.combined(call("string_length", a.node), INT, a)
        v = self.vector(self.dice.choice(VALUE_DTYPES), scope, depth)
        node = call("size", v.node) if self.one_in(2) else Node("index", None, [call("shape", v.node), integer(0)])
        # A known dimension is a constant.
        return Expr(node, INT, v.type.dims[0] is not None, v.fails)

    def random(self, dtype, scope, depth):
        node = call("random_uniform", Node("list"), integer(0), integer(50), Node("dtype", dtype),
                    seed=integer(self.dice.randrange(9)))
        return Expr(node, INT)

    def best_position(self, _, scope, depth):
        v = self.vector(self.dice.choice(("int64", "float32", "uint8")), scope, depth)
        if v.type.dims[0] == 0 or v.constant:
            return None
        return self.combined(call(self.dice.choice(("argmax", "argmin")), v.node), INT, v, fails=True)

    def drained(self, _, scope, depth):
        """The value of a dataset that the expression drains."""
        if self.inner_pipeline is None or depth < 1 or not self.one_in(2):
            return None
        node, element = self.inner_pipeline(scope)
        state, word = self.fresh("s"), self.fresh("y")
        leaf = self.scalar("int64", scope | {word: element}, 1)
        body = binary("+", binary("*", name(state), integer(self.dice.choice((1, 1, 3)))), leaf.node)
        reduction = pipe(node, "reduce", integer(self.dice.randrange(4)), function((state, word), body))
        return Expr(reduction, INT, fails=True)

    # ---- bools and strings ----

    def comparison(self, _, scope, depth):
        dtype = self.familiar(scope)
        a, b = self.pair(dtype, scope, depth)
        words = ("==", "!=") if dtype == "bool" else ("==", "!=", "<", "<=", ">", ">=")
        return self.combined(binary(self.dice.choice(words), a.node, b.node), Of("bool"), a, b)

    def logic(self, _, scope, depth):
        a = self.scalar("bool", scope, depth)
        if self.one_in(3):
            return self.combined(Node("unary", "not", [a.node]), Of("bool"), a)
        b = self.scalar("bool", scope, depth)
        return self.combined(binary(self.dice.choice(("and", "or")), a.node, b.node), Of("bool"), a, b)

    def all_of(self, _, scope, depth):
        v = self.vector("bool", scope, depth)
        return self.combined(call(self.dice.choice(("any", "all")), v.node), Of("bool"), v)

    def joined(self, _, scope, depth):
        a, b = self.pair("string", scope, depth)
        return self.combined(binary("+", a.node, b.node), Of("string"), a, b)

    def changed(self, _, scope, depth):
        a = self.scalar("string", scope, depth)
        if self.one_in(3):
            b = self.scalar("string", scope, depth)
            node = call("string_join", Node("list", None, [a.node, b.node]), separator=Node("string", b"-"))
            return self.combined(node, Of("string"), a, b)
        return self.combined(call(self.dice.choice(("lower", "upper", "strip")), a.node), Of("string"), a)

    def cut(self, _, scope, depth):
        """Bytes from a position that may lie outside."""
        a = self.scalar("string", scope, depth)
        if a.constant:
            return None
        at = self.dice.randrange(-2, 4)
        node = call("substr", a.node, integer(at), integer(self.dice.randrange(-1, 6)))
        return self.combined(node, Of("string"), a, fails=at != 0)

    def written_out(self, _, scope, depth):
        a = self.scalar(self.dice.choice(("int64", "int64", "int8", "uint64", "bool", "string")), scope, depth)
        return self.combined(call("as_string", a.node), Of("string"), a)

    def looked_up(self, _, scope, depth):
        a = self.scalar("string", scope, depth)
        words = Node("list", None, [Node("string", text) for text in self.dice.sample(STRINGS, 3)])
        return self.combined(call("lookup", a.node, words, integer(self.dice.randrange(-1, 9))), INT, a)

    def read(self, _, scope, depth):
        """The number that a string writes, if it does."""
        if self.one_in(4):
            a = self.scalar("string", scope, depth)
        else:
            a = self.written_out("string", scope, depth)
        if a.constant:
            return None
        return self.combined(call("to_number", a.node, Node("dtype", "int64")), INT, a, fails=True)

    # ---- Vectors ----

    def vector(self, dtype, scope, depth, size=...):
        """Of `size` entries where one is given: a number, or None for any."""
        if size is ... or size is None:
            found = self.reachable(scope, lambda kind: isinstance(kind, Of) and kind.dtype == dtype
                                   and len(kind.dims) == 1)
        else:
            found = self.reachable(scope, lambda kind: kind == Of(dtype, (size,)))
        if found and not self.one_in(3):
            return self.reached(self.dice.choice(found))
        if depth <= 0:
            return self.literal(dtype, (self.dice.randrange(1, 4) if size in (..., None) else size,))
        makers = [self.list_of, self.list_of, self.literal_vector, self.one_value]
        if size in (..., None):
            makers += [self.sliced, self.concatenated]
            if dtype == "string":
                makers += [self.split, self.split]
            if dtype == "int64":
                makers += [self.counted, self.counted]
            if dtype == "uint8":
                makers += [self.raw_bytes]
        if dtype not in ("bool", "string"):
            makers += [self.vector_arithmetic] * 2
        return self.choose(makers, dtype, scope, depth - 1, size)

    def size_of(self, size):
        return self.dice.randrange(5) if size in (..., None) else size

    def literal_vector(self, dtype, scope, depth, size):
        return self.literal(dtype, (self.size_of(size),))

    def list_of(self, dtype, scope, depth, size):
        size = self.size_of(size)
        if size == 0:
            return self.literal(dtype, (0,))
        members = [self.scalar(dtype, scope, depth if i == 0 else 0) for i in range(size)]
        return self.combined(Node("list", None, [member.node for member in members]), Of(dtype, (size,)), *members)

    def one_value(self, dtype, scope, depth, size):
        size = self.size_of(size)
        value = self.scalar(dtype, scope, depth)
        shape = Node("list", None, [integer(size)])
        return self.combined(call("full", shape, value.node), Of(dtype, (size,)), value)

    def vector_arithmetic(self, dtype, scope, depth, size):
        v = self.vector(dtype, scope, depth, size)
        s = self.scalar(dtype, scope, depth)
        a, b = (s, v) if self.one_in(3) else (v, s)
        return self.combined(binary(self.dice.choice("+-*"), a.node, b.node), v.type, a, b)

    def counted(self, dtype, scope, depth, size):
        stop = self.scalar("int64", scope, depth)
        if stop.constant:
            return None
        node = call("arange", binary("%", stop.node, integer(self.dice.randrange(1, 6))))
        return Expr(node, Of("int64", (None,)), fails=stop.fails)

    def raw_bytes(self, dtype, scope, depth, size):
        if self.one_in(2):
            text = self.scalar("string", scope, depth)
            return None if text.constant else Expr(call("decode_raw", text.node, Node("dtype", "uint8")),
                                                   Of("uint8", (None,)), fails=text.fails)
        of = self.dice.choice(("int64", "int32", "float64"))
        value = self.scalar(of, scope, depth)
        dims = (BITS.get(of, 64) // 8,)
        return self.combined(call("bitcast", value.node, Node("dtype", "uint8")), Of("uint8", dims), value)

    def split(self, dtype, scope, depth, size):
        text = self.scalar("string", scope, depth)
        if text.constant:
            return None
        separators = [] if self.one_in(2) else [Node("string", self.dice.choice((b"a", b" ", b"te", b"-")))]
        return Expr(call("string_split", text.node, *separators), Of("string", (None,)), fails=text.fails)

    def sliced(self, dtype, scope, depth, size):
        v = self.vector(dtype, scope, depth)
        start, stop = (self.dice.choice((None, None, 0, 1, -1, 2)) for _ in range(2))
        step = self.dice.choice((None, None, None, 2, -1))
        given = tuple(part is not None for part in (start, stop, step))
        place = Node("slice", given, [integer(part) for part in (start, stop, step) if part is not None])
        length = v.type.dims[0]
        dims = (None,) if length is None else (len(range(*slice(start, stop, step).indices(length))),)
        return self.combined(Node("index", None, [v.node, place]), Of(dtype, dims), v)

    def concatenated(self, dtype, scope, depth, size):
        a, b = self.vector(dtype, scope, depth), self.vector(dtype, scope, depth)
        sizes = [a.type.dims[0], b.type.dims[0]]
        dims = (None,) if None in sizes else (sum(sizes),)
        return self.combined(call("concat", Node("list", None, [a.node, b.node])), Of(dtype, dims), a, b)

    # ---- Of any type ----

    def matrix(self, dtype, dims, scope, depth):
        """Rows of one length side by side, as a literal of unknown dimensions where they need not be known."""
        rows, columns = (self.dice.randrange(1, 3) if dim is None else dim for dim in dims)
        if 0 in (rows, columns):
            return self.literal(dtype, (rows, columns))
        members = [self.list_of(dtype, scope, depth, columns) for _ in range(rows)]
        return self.combined(Node("list", None, [m.node for m in members]), Of(dtype, (rows, columns)), *members)

    def typed(self, kind, scope, depth):
        """An expression of a given type, or of one that is known better."""
        if isinstance(kind, tuple):
            members = [self.typed(member, scope, depth) for member in kind]
            return self.combined(Node("tuple", None, [m.node for m in members]), tuple(m.type for m in members),
                                 *members)
        if isinstance(kind, dict):
            members = {key: self.typed(member, scope, depth) for key, member in kind.items()}
            return self.combined(Node("dict", tuple(members), [m.node for m in members.values()]),
                                 {key: m.type for key, m in members.items()}, *members.values())
        if not kind.dims:
            # Beside another branch a literal would take that one's dtype, which it has already.
            return self.scalar(kind.dtype, scope, depth)
        if len(kind.dims) == 1:
            return self.vector(kind.dtype, scope, depth, kind.dims[0])
        if len(kind.dims) == 2:
            return self.matrix(kind.dtype, kind.dims, scope, depth)
        return self.literal(kind.dtype, tuple(self.dice.randrange(1, 3) if dim is None else dim for dim in kind.dims))

    def any_tensor(self, scope, depth):
        dtype = self.familiar(scope)
        if self.one_in(4):
            return self.vector(dtype, scope, depth)
        if self.one_in(12):
            return self.matrix(dtype, (None, None), scope, depth)
        return self.scalar(dtype, scope, depth)

    def any_value(self, scope, depth, datasets=True):
        """A tensor as a rule, at times a structure, or a variable as it is."""
        if self.one_in(5):
            found = self.reachable(scope, lambda kind: datasets or not holds_dataset(kind))
            if found:
                return self.reached(self.dice.choice(found))
        roll = self.dice.randrange(10)
        if roll < 6 or depth < 0:
            return self.any_tensor(scope, depth)
        members = [self.any_value(scope, depth - 2, datasets) for _ in range(self.dice.randrange(1, 4))]
        if roll < 8:
            return self.combined(Node("tuple", None, [m.node for m in members]), tuple(m.type for m in members),
                                 *members)
        keys = self.dice.sample(KEYS, len(members))
        return self.combined(Node("dict", tuple(keys), [m.node for m in members]),
                             dict(zip(keys, (m.type for m in members))), *members)
