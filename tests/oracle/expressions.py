"""Random expressions with the values that NumPy says they have, row by row.

An expression is made from those before it, so that its dtype and its shapes are known when the next one is chosen.
"""

import functools

import numpy as np

from values import (DTYPES, FAILED, FLOATS, INTEGERS, SIGNED, Failed, Unknown, Val, constant_text, dtype_of, entry_text,
                    numpy_dtype, tensor)

EXTENTS = (0, 1, 1, 2, 2, 3, 3, 5)
# Of one axis in one document out of eight: enough for the widest registers and what is left over.
LONG_EXTENTS = (0, 1, 7, 16, 33, 70)
# Rows of one document out of eight.
MANY_ROWS = 40
STRINGS = (b"", b"a", b"B", b"ab", b"Ab c", b" x ", b"\t\n", b"a-b-c", b"--", b"\xc3\xa9T\xff", b"\x00", b"one  two",
           b"Zebra", b"a\x0bb\x0c", b"-1", b" 128\n", b"65536", b"Wider Than A Register Of 32 Bytes, By a-Few",
           b" " * 17 + b"sixteen and more")
NAMES = "abcdefghijklmnopqrstuvwxyz"
MOST_ENTRIES = 400
MOST_TEXT = 400


class Expr:
    """`render` makes the text from those of the arguments, `compute` the Val from theirs."""

    def __init__(self, render, compute, args, values):
        self.render = render
        self.compute = compute
        self.args = args
        self.values = values
        known = [value.array for value in values if value is not FAILED]
        self.dtype = dtype_of(known[0]) if known else None
        self.rank = known[0].ndim if known else None
        self.variable = None
        # Whether it must not build.
        self.refused = False

    @property
    def text(self):
        return self.variable or self.render(*(arg.text for arg in self.args))

    @property
    def exact(self):
        return all(value is FAILED or value.slack is None for value in self.values)

    def shapes(self):
        """One for each row; of a row that failed, that of another one."""
        known = [value.array.shape for value in self.values if value is not FAILED]
        return [value.array.shape if value is not FAILED else known[0] for value in self.values]

    def same_shape(self):
        return len(set(self.shapes())) == 1

    def subexpressions(self):
        found = [self]
        for arg in self.args:
            found += arg.subexpressions()
        return found

    def variables(self):
        """In order of their names."""
        found = {part.variable: part for part in self.subexpressions() if part.variable}
        return [found[name] for name in sorted(found)]


def row_of(compute, values):
    if any(value is FAILED for value in values):
        return FAILED
    try:
        return compute(*values)
    except Failed:
        return FAILED


def apply(render, compute, args):
    rows = zip(*(arg.values for arg in args))
    return Expr(render, compute, args, [row_of(compute, row) for row in rows])


def apply_if(condition, a, b):
    """if condition then a else b: what the branch not taken gives does not count."""
    def chosen(row):
        if condition.values[row] is FAILED:
            return FAILED
        return a.values[row] if condition.values[row].array[()] else b.values[row]
    out = Expr(lambda c, x, y: f"(if {c} then {x} else {y})", None, [condition, a, b],
               [chosen(row) for row in range(len(a.values))])
    return out


def variable(name, arrays):
    out = Expr(None, None, [], [value if value is FAILED else Val(value) for value in arrays])
    out.variable = name
    return out


def constant(array, rows, text=None):
    text = text or constant_text(array)
    return Expr(lambda: text, None, [], [Val(array)] * rows)


def document_of(expr):
    """The document that computes an expression over its rows."""
    return document_of_tuple(expr.variables(), expr.text, len(expr.values))


def document_of_tuple(variables, body, rows):
    if not variables:
        return f"range({rows}) | map(_ -> {body})"
    elements = [f"({', '.join(constant_text(part.values[row].array) for part in variables)},)" for row in range(rows)]
    pattern = f"({', '.join(part.variable for part in variables)},)"
    return f"from_list([{', '.join(elements)}]) | map({pattern} -> {body})"


# ---- How functions compute ---------------------------------------------------------------------------------------


def exact(function):
    """Of exact arguments: an array, or an array and its slack."""
    def compute(*values):
        if any(value.slack is not None for value in values):
            raise Unknown
        out = function(*(value.array for value in values))
        return Val(*out) if isinstance(out, tuple) else Val(out)
    return compute


def move(function):
    """Entries go to other places, and their slack with them."""
    def compute(*values):
        array = function(*(value.array for value in values))
        if all(value.slack is None for value in values):
            return Val(array)
        slacks = [np.zeros(value.array.shape, np.longdouble) if value.slack is None else value.slack
                  for value in values]
        return Val(array, function(*slacks))
    return compute


def each(function, dtype, *arrays):
    """function of the entries that broadcasting brings together."""
    arrays = broadcast(*arrays)
    out = np.empty(arrays[0].shape, numpy_dtype(dtype))
    for place in np.ndindex(out.shape):
        entries = [array[place] for array in arrays]
        out[place] = function(*(entry.item() if isinstance(entry, np.generic) else entry for entry in entries))
    return out


def broadcast(*arrays):
    try:
        return np.broadcast_arrays(*arrays)
    except ValueError as error:
        raise Failed from error


def along(function, axis, array, dtype=None):
    """function of each vector along an axis, which gives a vector."""
    moved = np.moveaxis(array, axis, -1)
    rows = [function(moved[place]) for place in np.ndindex(moved.shape[:-1])]
    length = len(rows[0]) if rows else moved.shape[-1]
    out = np.empty((len(rows), length), numpy_dtype(dtype) if dtype else array.dtype)
    for i, row in enumerate(rows):
        out[i] = row
    return np.moveaxis(out.reshape(*moved.shape[:-1], length), -1, axis)


def call(name, *tail):
    """Renders NAME(ARGUMENTS, TAIL)."""
    return lambda *texts: f"{name}({', '.join([*texts, *map(str, tail)])})"


# ---- The generator -----------------------------------------------------------------------------------------------


class Generator:
    def __init__(self, dice):
        self.dice = dice
        self.rows = MANY_ROWS if self.one_in(8) else dice.randrange(3, 11)
        self.alike = dice.random() < 0.4
        self.long = self.one_in(8)
        self.pool = []
        self.names = 0
        for _ in range(dice.randrange(1, 3)):
            self.fresh(dice.choice(DTYPES))

    def one_in(self, n):
        return self.dice.randrange(n) == 0

    # Values

    def integers(self, dtype, shape):
        info = np.iinfo(dtype)
        style = self.dice.randrange(4)
        low = -4 if info.min else 0
        # The last ones lie halfway between two floats, or just above.
        edges = [info.min, info.max, info.min + 1, info.max - 1, info.max // 2 + 1, 2049, 2051, 2 ** 24 + 1,
                 2 ** 24 + 3, 2 ** 53 + 1, 2 ** 53 + 3, 2 ** 54 + 3]
        edges = [edge for edge in edges if edge <= info.max]

        def entry():
            if style == 0 or self.one_in(2):
                return self.dice.randrange(low, 5)
            return self.dice.choice(edges) if style < 3 else self.dice.randint(info.min, info.max)
        return [entry() for _ in range(int(np.prod(shape)))]

    def floats(self, dtype, shape):
        info = np.finfo(dtype)
        style = self.dice.randrange(4)
        # The last ones lie just above the middle of two float16, or float32.
        edges = (np.nan, np.nan, np.inf, -np.inf, -0.0, 0.0, info.max, info.min, info.tiny,
                 info.smallest_subnormal, 0.5, -1.5, 2.5, 300.0, -40000.0, 3e9, -1e19, 2 ** 63, 255.5, 65519.999,
                 1 + 2 ** -11 + 2 ** -20, 1 + 2 ** -11 + 2 ** -40, 1 + 2 ** -24 + 2 ** -40)

        def entry():
            if style == 0 or self.one_in(3):
                return self.dice.randrange(-12, 13) / 4
            if style < 3 and self.one_in(2):
                return float(self.dice.choice(edges))
            return self.dice.gauss(0, 1) * 10.0 ** self.dice.randrange(-3, 4)
        return [entry() for _ in range(int(np.prod(shape)))]

    def array(self, dtype, shape):
        size = int(np.prod(shape))
        if dtype == "string":
            entries = [self.dice.choice(STRINGS) for _ in range(size)]
        elif dtype == "bool":
            entries = [self.one_in(2) for _ in range(size)]
        elif dtype in FLOATS:
            entries = self.floats(dtype, shape)
        else:
            entries = self.integers(dtype, shape)
        out = np.empty(size, numpy_dtype(dtype))
        out[:] = entries
        return out.reshape(shape)

    def random_shape(self, rank):
        out = [self.dice.choice(EXTENTS) for _ in range(rank)]
        if self.long and rank in (1, 2):
            out[self.dice.randrange(rank)] = self.dice.choice(LONG_EXTENTS)
        return tuple(out)

    def random_shapes(self, rank):
        """One for each row: all the same, or others after runs of one."""
        shapes = [self.random_shape(rank)]
        while len(shapes) < self.rows:
            again = self.alike or self.one_in(3)
            shapes.append(shapes[-1] if again else self.random_shape(rank))
        return shapes

    def fresh(self, dtype, shapes=None):
        """A new variable, or a constant."""
        if shapes is None:
            shapes = self.random_shapes(self.dice.choice((0, 1, 1, 2, 2, 3)))
        if len(set(shapes)) == 1 and self.one_in(8):
            return constant(self.array(dtype, shapes[0]), self.rows)
        return self.fresh_from([self.array(dtype, shape) for shape in shapes])

    def fresh_from(self, arrays):
        if self.names == len(NAMES):
            raise Unknown
        out = variable(NAMES[self.names], arrays)
        self.names += 1
        self.pool.append(out)
        return out

    def literal(self, dtype):
        """A number that adapts to its neighbour's dtype."""
        if dtype in FLOATS:
            number = self.dice.choice((0.5, 1.0, -1.0, 2.0, 0.0, -2.5, 3.0, np.inf, np.nan))
        else:
            number = self.dice.randrange(-3 if dtype in SIGNED else 0, 6)
        text = entry_text(number)
        array = np.asarray(number, dtype)
        return constant(array, self.rows, f"({text})" if text[0] == "-" else text)

    # Choosing

    def any(self, dtypes=DTYPES, ranks=(0, 1, 2, 3), inexact=False):
        """An expression of one of the dtypes and ranks, a new one where there is none."""
        found = [part for part in self.pool
                 if part.dtype in dtypes and part.rank in ranks and (inexact or part.exact)]
        if found and not self.one_in(12) or self.names >= len(NAMES):
            if not found:
                raise Unknown
            # Mostly a call, so that calls stand within calls.
            calls = [part for part in found if part.args]
            return self.dice.choice(found if not calls or self.one_in(4) else calls)
        return self.fresh(self.dice.choice(dtypes), self.random_shapes(self.dice.choice(ranks)))

    def like(self, shapes):
        """Shapes that broadcast with others."""
        rank = self.dice.choice((len(shapes[0]), len(shapes[0]), self.dice.randrange(len(shapes[0]) + 1)))
        single = [self.one_in(4) for _ in range(rank)]
        return [tuple(1 if one else dim for one, dim in zip(single, shape[len(shape) - rank:])) for shape in shapes]

    def partner(self, other, dtype=None, literal=True):
        """An expression that goes with another one in an operator, at times one that does not."""
        dtype = dtype or other.dtype
        if literal and dtype not in ("bool", "string") and not is_constant(other) and self.one_in(4):
            return self.literal(dtype)
        found = [part for part in self.pool if part.dtype == dtype and part.exact
                 and (fit(part, other) or self.one_in(25))]
        if found and not self.one_in(3) or self.names >= len(NAMES):
            if not found:
                raise Unknown
            return self.dice.choice(found)
        return self.fresh(dtype, self.like(other.shapes()))

    def axis(self, rank):
        """An axis, from either end; Unknown where there is none."""
        if rank == 0:
            raise Unknown
        return self.dice.randrange(-rank, rank)

    # Making

    def step(self, functions):
        """Adds an expression to the pool; None where the one chosen does not work out."""
        try:
            made = self.dice.choice(functions)(self)
        except Unknown:
            return None
        if made is None or not self.wanted(made):
            return None
        self.pool.append(made)
        return made

    def wanted(self, made):
        known = [value for value in made.values if value is not FAILED]
        if len(made.text) > MOST_TEXT or any(value.array.size > MOST_ENTRIES for value in known):
            return False
        if any(value.array.ndim > 5 for value in known):
            return False
        return len(known) * 2 > len(made.values) or self.one_in(4)


def fit(a, b):
    try:
        for one, other in zip(a.shapes(), b.shapes()):
            np.broadcast_shapes(one, other)
    except ValueError:
        return False
    return True


def named(function, names):
    """A choice for each name, of a function that takes the generator and a name."""
    return [functools.partial(function, name=name) for name in names]


def is_constant(expr):
    return not expr.variables()


def random_expression(dice, functions, last):
    """A few expressions one after the other; gives the final one, made by `last`, which uses some of those before."""
    generator = Generator(dice)
    wanted = dice.choice((0, 1, 1, 2, 3, 5, 7))
    for _ in range(wanted):
        found = generator.step(functions)
        if found is not None and found.dtype is None:
            # Nothing can be made of what always fails.
            return found
    for _ in range(100):
        found = generator.step([last])
        if found is not None:
            return found
    raise Unknown
