"""Random documents: random_document(seed) gives a tree and what is known of it.

Documents whose rows the notation leaves open are not made: windows over a shuffle that several uses share, parameters
that fail where an input is opened late, terminals over what may have no end.
"""

import dataclasses
import random

from generate_expressions import (INT, DatasetOf, Expr, Expressions, Of, holds_dataset, relaxed, spec_node, spec_text,
                                  type_leaves)
from syntax import Node, binary, call, function, integer, name, pipe
from values import BITS

FILES = ("five.tfrecord", "three.tfrecord", "bad_data.tfrecord", "bad_length.tfrecord", "bad_length_crc.tfrecord",
         "bad_data_crc.tfrecord", "cut_body.tfrecord", "cut_footer.tfrecord", "cut_header.tfrecord",
         "not_a_record.tfrecord", "missing.tfrecord", "big.tfrecord")
PACKED = (("five.tfrecord.gz", "gzip"), ("five.tfrecord.zlib", "zlib"), ("cut.tfrecord.gz", "gzip"))
PATTERNS = ("bad_*.tfrecord", "*.gz", "cut_*", "?i*.tfrecord", "t[hw]*")


@dataclasses.dataclass
class Pipe:
    """A dataset under construction."""
    node: Node
    element: object
    endless: bool = False
    # Fails to open for some rows: nothing that opens its input late may stand over it.
    frail: bool = False


class Generator(Expressions):
    def __init__(self, dice):
        super().__init__(dice)
        self.lets = []  # (word, node)
        self.endless = set()  # names of endless datasets
        self.inner_pipeline = self.drained_pipeline
        # Documents about epochs: few sources, much shuffled, repeated and shared.
        self.epochs = self.one_in(3)
        self.nesting = 0
        self.outer = []  # names that a pattern may hide

    # ---- Sources ----

    def count(self, scope):
        """A number of rows: a literal, or of a variable."""
        if scope and self.one_in(2):
            value = self.scalar("int64", scope, 1)
            if not value.constant and not value.fails:
                return binary("%", value.node, integer(self.dice.randrange(2, 7)))
        if not scope and self.one_in(40):
            return integer(self.dice.choice((60, 300, 1100)))
        return integer(self.dice.choice((0, 1, 2, 3, 5, 6, 8, 12, 20) if not self.nesting else (0, 1, 2, 3, 4, 6)))

    def frail_number(self, scope):
        value = self.scalar("int64", scope, 1)
        if value.constant:
            return None
        return binary("//", integer(self.dice.randrange(1, 12)), binary("%", value.node, integer(3)))

    def range_source(self, scope):
        if scope and self.one_in(6) and (stop := self.frail_number(scope)) is not None:
            return Pipe(call("range", stop), INT, frail=True)
        if self.one_in(3):
            start, step = self.dice.randrange(-5, 6), self.dice.choice((-3, -2, -1, 1, 2, 3, 7))
            stop = integer(start + step * self.dice.randrange(0, 9))
            return Pipe(call("range", integer(start), stop, integer(step)), INT)
        if self.one_in(5):
            dtype = self.dice.choice((*BITS, "float32", "float64"))
            return Pipe(call("range", self.count(scope), dtype=Node("dtype", dtype)), Of(dtype))
        return Pipe(call("range", self.count(scope)), INT)

    def slices_source(self, scope):
        rows = self.dice.choice((0, 1, 2, 3, 4, 5, 7))

        def component():
            dims = (rows,) if self.one_in(2) or not rows else (rows, self.dice.randrange(0, 3))
            literal = self.literal(self.dice.choice(("int64", "int64", "uint8", "float32", "string", "bool")), dims)
            return literal.node, Of(literal.type.dtype, dims[1:])
        if self.one_in(2):
            return Pipe(*self.called("from_tensor_slices", *component()))
        members = [component() for _ in range(self.dice.randrange(1, 4))]
        nodes, types = [node for node, _ in members], tuple(kind for _, kind in members)
        if self.one_in(2):
            return Pipe(call("from_tensor_slices", Node("tuple", None, nodes)), types)
        keys = self.dice.sample(("a", "b", "c", "key"), len(members))
        return Pipe(call("from_tensor_slices", Node("dict", tuple(keys), nodes)), dict(zip(keys, types)))

    def called(self, word, node, kind):
        return call(word, node), kind

    def tensors_source(self, scope):
        value = self.any_value(scope, 1, datasets=False)
        if value.fails:
            return None
        return Pipe(call("from_tensors", value.node), value.type)

    def vector_source(self, scope):
        """Slices of what a variable says."""
        vectors = self.reachable(scope, lambda kind: isinstance(kind, Of) and kind.dims)
        if not vectors:
            return None
        node, kind = self.dice.choice(vectors)
        return Pipe(call("from_tensor_slices", node), Of(kind.dtype, kind.dims[1:]))

    def empty_source(self, scope):
        kind = self.dice.choice((INT, Of("string"), (INT, Of("float32", (2,))), {"b": INT, "a": Of("bool")}))
        return Pipe(call("empty", spec_node(kind)), kind)

    def file_source(self, scope):
        if self.one_in(4):
            seed = {"shuffle": Node("boolean", False)} if self.one_in(2) else {"seed": integer(self.dice.randrange(9))}
            return Pipe(call("list_files", Node("string", self.dice.choice(PATTERNS).encode()), **seed), Of("string"))
        if self.one_in(3):
            file, compression = self.dice.choice(PACKED)
            node = call("tfrecord", Node("string", file.encode()),
                        compression=Node("string", self.dice.choice((compression, "auto")).encode()))
            return Pipe(node, Of("string"))
        files = [Node("string", self.dice.choice(FILES).encode()) for _ in range(self.dice.randrange(1, 4))]
        named = {} if self.one_in(2) else {"num_parallel_reads": integer(self.dice.randrange(1, 4))}
        return Pipe(call("tfrecord", Node("list", None, files), **named), Of("string"))

    def variable_source(self, scope):
        """A dataset that has a name."""
        found = self.reachable(scope, lambda kind: isinstance(kind, DatasetOf))
        if not found:
            return None
        node, kind = self.dice.choice(found)
        return Pipe(node, kind.element, endless=node.kind == "name" and node.value in self.endless)

    def zip_source(self, scope):
        inputs = [self.pipeline(scope, self.dice.randrange(3)) for _ in range(self.dice.choice((1, 2, 2, 2, 3)))]
        endless = all(source.endless for source in inputs)
        frail = any(source.frail for source in inputs)
        nodes = [source.node for source in inputs]
        if self.one_in(2):
            return Pipe(call("zip", *nodes), tuple(source.element for source in inputs), endless, frail)
        keys = self.dice.sample(("a", "b", "x", "y"), len(inputs))
        kind = {key: source.element for key, source in zip(keys, inputs)}
        return Pipe(call("zip", Node("dict", tuple(keys), nodes)), kind, endless, frail)

    def source(self, scope, depth):
        if self.epochs and depth > 0 and self.one_in(3):
            return self.zip_source(scope)
        likely = not self.one_in(5) if self.epochs else self.one_in(3)
        if likely and (made := self.variable_source(scope)):
            return made
        if self.epochs:
            return self.range_source(scope)
        makers = [self.range_source] * 7 + [self.slices_source] * 3 + [self.variable_source] * 4
        makers += [self.tensors_source, self.vector_source]
        if self.one_in(5):
            makers += [self.empty_source]
        if self.nesting == 0 or self.one_in(6):
            makers += [self.file_source]
        if depth > 0:
            makers += [self.zip_source] * 3
        return self.choose(makers, scope)

    # ---- Transformations ----

    def pattern(self, kind, names):
        """A pattern for an element; its names and what they stand for go to `names`."""
        roll = self.dice.randrange(4)
        if isinstance(kind, tuple) and kind and roll:
            return tuple("_" if self.one_in(8) else self.pattern(member, names) for member in kind)
        if isinstance(kind, dict) and roll:
            return {key: self.pattern(member, names) for key, member in kind.items() if not self.one_in(6)}
        # An inner name hides an outer one.
        hidden = [word for word in self.outer if word not in names and word not in self.endless | self.constants]
        word = self.dice.choice(hidden) if hidden and self.one_in(8) else self.fresh("x")
        names[word] = kind
        return word

    def inside(self, maker, element, scope):
        """A lambda over an element, whose body `maker` makes in the scope of its pattern."""
        self.nesting += 1
        self.outer, names = sorted(scope), {}
        pattern = self.pattern(element, names)
        made = maker(scope | names)
        self.nesting -= 1
        return None if made is None else (function(pattern, made.node), made)

    def parallel(self):
        if self.one_in(4):
            return {"num_parallel_calls": integer(self.dice.randrange(1, 5))}
        return {}

    def mapped(self, source, scope):
        made = self.inside(lambda inner: self.mapping(inner), source.element, scope)
        if made is None:
            return None
        f, body = made
        return dataclasses.replace(source, node=pipe(source.node, "map", f, **self.parallel()), element=body.type)

    def mapping(self, scope):
        if self.nesting < 3 and self.one_in(15):
            inner = self.pipeline(scope, 1)
            if inner.endless or inner.frail:
                return None
            if self.one_in(2):
                return Expr(inner.node, DatasetOf(inner.element))
            other = self.any_tensor(scope, 1)
            return Expr(Node("tuple", None, [other.node, inner.node]), (other.type, DatasetOf(inner.element)))
        if self.epochs or self.one_in(4):
            return self.planted(scope)
        return self.any_value(scope, self.dice.randrange(1, 4))

    def planted(self, scope):
        """A variable as it is, but for some rows that fail."""
        found = self.reachable(scope, lambda kind: True)
        if not found:
            return None
        node, kind = self.dice.choice(found)
        condition = self.varying(scope, 1)
        if condition.constant or holds_dataset(kind) or not type_leaves(kind):
            return None
        row = self.simple("int64", scope)
        if not row.constant and not self.one_in(3):
            row = binary("%", row.node, integer(self.dice.randrange(2, 6)))
            condition = Expr(binary("!=", row, integer(self.dice.randrange(2))), Of("bool"))
        return Expr(call("assert", condition.node, Node("string", b"planted"), node), kind, fails=True)

    def filtered(self, source, scope):
        made = self.inside(lambda inner: self.varying(inner, self.dice.randrange(1, 3)), source.element, scope)
        return dataclasses.replace(source, node=pipe(source.node, "filter", made[0]))

    def flattened(self, source, scope):
        if self.nesting >= 3:
            return None

        def body(inner):
            made = self.pipeline(inner, self.dice.randrange(3), may_be_frail=True)
            return None if made.endless and not self.one_in(4) else made
        made = self.inside(body, source.element, scope)
        if made is None:
            return None
        f, inner = made
        endless = source.endless or inner.endless
        if self.one_in(2):
            return Pipe(pipe(source.node, "flat_map", f), inner.element, endless, source.frail)
        cycle = self.dice.randrange(1, 5)
        named = {"cycle_length": integer(cycle)} if not self.one_in(5) else {}
        if self.one_in(2):
            named["block_length"] = integer(self.dice.randrange(1, 4))
        if named.get("cycle_length") and self.one_in(2):
            named["num_parallel_calls"] = integer(self.dice.randrange(1, cycle + 1))
        return Pipe(pipe(source.node, "interleave", f, **named), inner.element, endless, source.frail)

    def joined_pipes(self, source, scope):
        """concatenate: with itself again, or with another dataset of the same structure."""
        if source.frail or source.endless:
            return None
        same = [(node, kind) for node, kind in
                self.reachable(scope, lambda kind: isinstance(kind, DatasetOf) and kind.element == source.element)]
        if same and self.one_in(2):
            node, kind = self.dice.choice(same)
            endless = node.kind == "name" and node.value in self.endless
            return Pipe(pipe(source.node, "concatenate", node), source.element, endless)
        if holds_dataset(source.element):
            return None
        base = self.range_source({})
        made = self.inside(lambda inner: self.typed(self.reordered(source.element), inner, 1), base.element, scope)
        other = pipe(base.node, "map", made[0])
        return Pipe(pipe(source.node, "concatenate", other), relaxed(source.element, made[1].type))

    def reordered(self, kind):
        """The same type with the keys of its dicts in another order."""
        if isinstance(kind, tuple):
            return tuple(map(self.reordered, kind))
        if isinstance(kind, dict):
            return {key: self.reordered(kind[key]) for key in self.dice.sample(list(kind), len(kind))}
        return kind

    def enumerated(self, source, scope):
        start = {"start": integer(self.dice.choice((1, -3, 2**40)))} if self.one_in(3) else {}
        return dataclasses.replace(source, node=pipe(source.node, "enumerate", **start), element=(INT, source.element))

    def few(self, scope, least=-1):
        if scope and self.one_in(6):
            value = self.scalar("int64", scope, 1)
            if not value.constant and not value.fails:
                return binary("%", value.node, integer(4))
        return integer(self.dice.choice((-1, 0, 1, 2, 3, 5, 7, 11) if least < 0 else (0, 1, 2, 3)))

    def taken(self, source, scope):
        if source.frail:
            return None
        n = self.few(scope)
        endless = source.endless and n.kind == "unary"
        return dataclasses.replace(source, node=pipe(source.node, "take", n), endless=endless)

    def skipped(self, source, scope):
        if source.frail:
            return None
        n = integer(self.dice.randrange(1, 4)) if self.one_in(2) else self.few(scope)
        return dataclasses.replace(source, node=pipe(source.node, "skip", n))

    def repeated(self, source, scope):
        if source.frail or source.endless:
            return None
        if self.one_in(4):
            count = () if self.one_in(2) else (integer(-1),)
            return dataclasses.replace(source, node=pipe(source.node, "repeat", *count), endless=True)
        if scope and self.one_in(4):
            return dataclasses.replace(source, node=pipe(source.node, "repeat", self.few(scope, least=0)))
        count = integer(self.dice.choice((0, 1, 2, 2, 3, 3)))
        return dataclasses.replace(source, node=pipe(source.node, "repeat", count))

    def shuffled(self, source, scope):
        if source.frail:
            return None
        seed = integer(self.dice.randrange(12))
        if self.one_in(8):
            seed = Node("tuple", None, [integer(self.dice.randrange(1, 9)), integer(self.dice.randrange(9))])
        named = {"reshuffle_each_iteration": Node("boolean", self.one_in(3))} if self.one_in(6) else {}
        size = self.dice.choice((1, 2, 3, 4, 5, 8, 16, 100))
        return dataclasses.replace(source, node=pipe(source.node, "shuffle", integer(size), seed=seed, **named))

    def batched(self, source, scope):
        def longer(kind):
            if isinstance(kind, tuple):
                return tuple(map(longer, kind))
            if isinstance(kind, dict):
                return {key: longer(member) for key, member in kind.items()}
            return Of(kind.dtype, (size if drop else None, *kind.dims))
        leaves = type_leaves(source.element)
        if holds_dataset(source.element) or not leaves or any(len(leaf.dims) > 3 for leaf in leaves):
            return None
        size, drop = self.dice.randrange(1, 5), self.one_in(3)
        named = {"drop_remainder": Node("boolean", True)} if drop else {}
        return dataclasses.replace(source, node=pipe(source.node, "batch", integer(size), **named),
                                   element=longer(source.element))

    def ignoring(self, source, scope):
        return dataclasses.replace(source, node=pipe(source.node, "ignore_errors"))

    def prefetched(self, source, scope):
        return dataclasses.replace(source, node=pipe(source.node, "prefetch", integer(self.dice.choice((0, 1, 2, 5)))))

    def pipeline(self, scope, stages, may_be_frail=False):
        source = self.source(scope, stages)
        if source.frail and not may_be_frail:
            return self.pipeline(scope, stages)
        for _ in range(stages):
            makers = [self.flattened] * 3 + [self.joined_pipes] * 3 + [self.taken, self.skipped, self.batched]
            makers += [self.repeated] * 4 + [self.shuffled] * 3 + [self.filtered, self.mapped, self.prefetched]
            if not self.epochs:
                makers = self.all_makers()
            source = self.choose(makers, source, scope)
        return source

    def all_makers(self):
        makers = [self.mapped] * 5 + [self.filtered] * 2 + [self.flattened] * 3 + [self.joined_pipes] * 2
        makers += [self.taken, self.skipped, self.enumerated, self.ignoring, self.prefetched]
        return makers + [self.repeated] * 2 + [self.shuffled] * 3 + [self.batched] * 2

    def drained_pipeline(self, scope):
        """(node, type of an element) of a dataset that ends, for an expression."""
        self.nesting += 1
        for _ in range(20):
            made = self.pipeline(scope, self.dice.randrange(3))
            if not made.endless and not made.frail and not holds_dataset(made.element):
                self.nesting -= 1
                return made.node, made.element
        self.nesting -= 1
        return call("range", integer(3)), INT

    # ---- Documents ----

    def let_dataset(self, scope):
        made = self.pipeline(scope, self.dice.choice((0, 0, 1, 2) if self.epochs else (1, 1, 2, 3)))
        if not made.endless and (self.epochs or self.one_in(2)):
            made = self.shuffled(made, scope) or made
        word = self.fresh("d")
        if made.endless:
            self.endless.add(word)
        self.lets.append((word, made.node))
        return scope | {word: DatasetOf(made.element)}

    def let_constant(self, scope):
        if self.epochs:
            return self.let_dataset(scope)
        word = self.fresh("k")
        value = self.any_value({k: v for k, v in scope.items() if isinstance(v, Of)}, 1, datasets=False)
        self.lets.append((word, value.node))
        self.constants.add(word)
        return scope | {word: value.type}

    def document(self):
        scope = {}
        for _ in range(self.dice.choice((1, 1, 2) if self.epochs else (0, 0, 1, 1, 2, 3))):
            scope = self.dice.choice((self.let_dataset, self.let_dataset, self.let_dataset, self.let_constant))(scope)
        made = self.pipeline(scope, self.dice.randrange(1, 6))
        if made.endless and not self.one_in(3):
            made = Pipe(pipe(made.node, "take", integer(self.dice.choice((0, 5, 13, 30)))), made.element)
        words = tuple(word for word, _ in self.lets)
        return Node("document", words, [*(node for _, node in self.lets), made.node]), made


# ---- What is left open -------------------------------------------------------------------------------------------


def shuffles(node):
    return any(n.kind in ("pipe", "call") and n.value[0] in ("shuffle", "list_files") for n in node.nodes())


def without_windows(node):
    """The same rows, one after the other: nothing runs ahead."""
    node = node.with_items(map(without_windows, node.items))
    if node.kind == "pipe" and node.value[0] == "prefetch":
        return node.items[0]
    if node.kind == "pipe":
        names = node.value[1]
        kept = [i for i, word in enumerate(names) if word != "num_parallel_calls"]
        return Node("pipe", (node.value[0], tuple(names[i] for i in kept)),
                    [node.items[0], *(node.items[1 + i] for i in kept)])
    return node


def shares_shuffles(document):
    """Whether a dataset with a name and a shuffle in it has several uses, or one in a lambda or over itself."""
    open_words = set()
    for word, node in zip(document.value, document.items):
        if shuffles(node) or any(n.kind == "name" and n.value in open_words for n in node.nodes()):
            open_words.add(word)
    return bool(open_words)


def with_unused_fields(document, seed):
    """The document with parts of its elements, beside them and before them, that the last map does not use."""
    dice = random.Random(f"unused {seed}")
    if dice.randrange(3):
        return document
    parts = [("k", integer(7)), ("x", name("u")), ("l", binary("//", integer(dice.randrange(9)), integer(2)))]
    keys, nodes = zip(*dice.sample(parts, 3))
    out = pipe(document.items[-1], "map", function("u", Node("dict", keys, list(nodes))))
    if dice.randrange(2):
        out = pipe(out, "take", integer(-1)) if dice.randrange(2) else pipe(out, "repeat", integer(1))
    out = pipe(out, "map", function({"x": "u"}, name("u")))
    return document.with_items([*document.items[:-1], out])


def random_document(seed):
    """(tree, spec of an element, whether it may have no end)."""
    generator = Generator(random.Random(seed))
    tree, made = generator.document()
    tree = with_unused_fields(tree, seed)
    if shares_shuffles(tree) or any(n.kind == "let" and shuffles(n) for n in tree.nodes()):
        tree = without_windows(tree)
    return tree, spec_text(made.element), made.endless


# ---- What rewrites replace ----------------------------------------------------------------------------------------


def element_of(seed):
    """The type of the elements of a seed's document."""
    return Generator(random.Random(seed)).document()[1].element


def has_empty_part(kind):
    members = kind if isinstance(kind, tuple) else tuple(kind.values()) if isinstance(kind, dict) else None
    return members is not None and (not members or any(map(has_empty_part, members)))


def windowed(node, element, dice):
    """Windows of the elements that are only batched; those of several parts are put together by zip."""
    leaves = type_leaves(element)
    if holds_dataset(element) or not leaves or has_empty_part(element) or any(len(leaf.dims) > 3 for leaf in leaves):
        return node
    size = dice.randrange(1, 7)
    named = {"shift": integer(dice.randrange(1, 9))} if dice.randrange(2) else {}
    if dice.randrange(3) == 0:
        named["stride"] = integer(dice.randrange(1, 4))
    if dice.randrange(3) == 0:
        named["drop_remainder"] = Node("boolean", True)
    words = iter(f"w{i}" for i in range(len(leaves)))

    def parts(kind):
        """A pattern, and the structure of its names."""
        if isinstance(kind, tuple):
            patterns, nodes = zip(*map(parts, kind))
            return tuple(patterns), Node("tuple", None, list(nodes))
        if isinstance(kind, dict):
            made = {key: parts(member) for key, member in kind.items()}
            return {key: made[key][0] for key in kind}, Node("dict", tuple(kind), [made[key][1] for key in kind])
        word = next(words)
        return word, name(word)
    pattern, rows = parts(element)
    if rows.kind == "tuple":
        rows = call("zip", *rows.items)
    elif rows.kind == "dict":
        rows = call("zip", rows)
    drop = dice.randrange(4) == 0
    batch = pipe(rows, "batch", integer(size if drop else size + dice.randrange(2)),
                 **({"drop_remainder": Node("boolean", True)} if drop else {}))
    return pipe(pipe(node, "window", integer(size), **named), "flat_map", function(pattern, batch))


def padded(document, seed, element):
    """The document with operators in its pipeline that do nothing, alone or together, whatever the elements are; and
    with windows that are only batched at its end."""
    dice = random.Random(seed)

    def more(node):
        for _ in range(dice.randrange(4)):
            node = dice.choice((
                lambda: pipe(node, "take", integer(-1)),
                lambda: pipe(node, "skip", integer(0)),
                lambda: pipe(node, "repeat", integer(1)),
                lambda: pipe(node, "prefetch", integer(0)),
                lambda: pipe(node, "options"),
                lambda: pipe(node, "map", function("x", name("x"))),
                lambda: pipe(node, "filter", function("x", Node("boolean", True))),
                lambda: pipe(pipe(node, "map", function("x", Node("tuple", None, [name("x"), integer(dice.randrange(9))]))),
                             "map", function(("x", "n"), name("x"))),
                lambda: pipe(pipe(node, "map", function("x", Node("tuple", None, [name("x"), call("random_uniform", Node("list"))]))),
                             "map", function(("x", "n"), name("x"))),
            ))()
        return node

    def pad(node):
        if node.kind == "pipe":
            return more(node.with_items([pad(node.items[0]), *node.items[1:]]))
        return node
    padded_pipeline = pad(document.items[-1])
    if dice.randrange(2):
        padded_pipeline = windowed(padded_pipeline, element, dice)
    if dice.randrange(2) and padded_pipeline.kind == "pipe" and padded_pipeline.value[0] not in ("reduce", "cardinality"):
        # Random numbers that are part of the elements.
        padded_pipeline = pipe(padded_pipeline, "map", function("x", Node("tuple", None, [
            name("x"), call("random_uniform", Node("list"), seed=integer(dice.randrange(9)))])))
        padded_pipeline = pipe(more(padded_pipeline), "map", function(("x", "n"), Node("tuple", None, [
            name("n"), name("x"), call("random_normal", Node("list"), seed=integer(dice.randrange(9)))])))
    return document.with_items([*document.items[:-1], padded_pipeline])
