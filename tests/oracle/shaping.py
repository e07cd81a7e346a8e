"""What moves entries: shapes, parts, positions; strings."""

import numpy as np

from expressions import MOST_ENTRIES, apply, broadcast, call, each, exact, move, named
from values import INTEGERS, NUMBERS, Failed, Unknown, dtype_of, numpy_dtype, tensor


def listed(items):
    return "[" + ", ".join(map(str, items)) + "]"


def any_move(g, ranks=(0, 1, 2, 3)):
    return g.any(ranks=ranks, inexact=True)


def refused(function):
    """function, whose ValueError and IndexError are failures of the element."""
    def compute(*arrays):
        try:
            return function(*arrays)
        except (ValueError, IndexError) as error:
            raise Failed from error
    return compute


def moved(render, function, args):
    return apply(render, move(refused(function)), args)


# ---- Shapes ------------------------------------------------------------------------------------------------------


def measure(g, name):
    functions = {"shape": lambda x: x.shape, "size": lambda x: x.size, "rank": lambda x: x.ndim}
    # What is no answer of the entries has no slack.
    x = g.any()
    return apply(call(name), exact(lambda array: np.asarray(functions[name](array), np.int64)), [x])


def reshape(g):
    x = any_move(g)
    size = int(np.prod(g.dice.choice(x.shapes())))
    factors = [n for n in (1, 2, 3, 5) if size % n == 0]
    first = g.dice.choice(factors)
    shape = g.dice.choice(([-1], [first, -1], [-1, first], [first, size // first], [1, first, -1], [size]))
    if 0 in shape and -1 in shape:
        raise Unknown
    def compute(array):
        if -1 in shape and array.size == 0 and any(dim == 0 for dim in shape):
            raise Unknown
        return array.reshape(shape)
    return moved(call("reshape", listed(shape)), compute, [x])


def reshape_like(g):
    """To the shape of another expression."""
    x = g.any()
    others = [part for part in g.pool if part.dtype and part.shapes() != x.shapes()
              and all(np.prod(a) == np.prod(b) for a, b in zip(part.shapes(), x.shapes()))]
    if not others:
        raise Unknown
    return apply(lambda x, y: f"reshape({x}, shape({y}))", exact(lambda array, other: array.reshape(other.shape)),
                 [x, g.dice.choice([part for part in others if part.exact] or [x])])


def transpose(g):
    x = any_move(g)
    if g.one_in(3):
        return moved(call("transpose"), np.transpose, [x])
    perm = g.dice.sample(range(x.rank), x.rank)
    return moved(call("transpose", f"perm: {listed(perm)}"), lambda array: array.transpose(perm), [x])


def tile(g):
    x = any_move(g)
    times = [g.dice.choice((0, 1, 1, 2, 3)) for _ in range(x.rank)]
    return moved(call("tile", listed(times)), lambda array: np.tile(array, times).reshape(
        [dim * n for dim, n in zip(array.shape, times)]), [x])


def pad(g):
    x = any_move(g, (1, 2, 3))
    mode = g.dice.choice(("constant", "constant", "reflect", "symmetric"))
    paddings = [(g.dice.randrange(3), g.dice.randrange(3)) for _ in range(x.rank)]
    text = listed(listed(pair) for pair in paddings)
    if mode == "constant":
        if x.exact and x.dtype in NUMBERS and g.one_in(2):
            value = g.literal(x.dtype)
            return apply(lambda x, v: f"pad({x}, {text}, value: {v})",
                         exact(lambda array, v: padded(array, paddings, v[()])), [x, value])
        return moved(call("pad", text), lambda array: padded(array, paddings, b"" if array.dtype == object else 0), [x])
    def compute(array):
        if any(max(pair) > max(dim - (mode == "reflect"), 0) for pair, dim in zip(paddings, array.shape)):
            raise Failed
        for axis, (before, after) in enumerate(paddings):
            length = array.shape[axis]
            skip = int(mode == "reflect")
            places = [*range(before - 1 + skip, skip - 1, -1), *range(length),
                      *range(length - 1 - skip, length - 1 - skip - after, -1)]
            array = np.take(array, places, axis) if length else array
        return array
    return moved(call("pad", text, f'mode: "{mode}"'), compute, [x])


def padded(array, paddings, value):
    out = np.empty([dim + sum(pair) for dim, pair in zip(array.shape, paddings)], array.dtype)
    out[...] = value
    out[tuple(slice(before, before + dim) for (before, _), dim in zip(paddings, array.shape))] = array
    return out


def reverse(g):
    x = any_move(g, (1, 2, 3))
    axes = g.dice.sample(range(x.rank), g.dice.randrange(1, x.rank + 1))
    text = axes[0] if len(axes) == 1 and g.one_in(2) else listed(axes)
    return moved(call("reverse", text), lambda array: np.flip(array, axes), [x])


def roll(g):
    x = any_move(g, (1, 2, 3))
    axes = g.dice.sample(range(-x.rank, 0), g.dice.randrange(1, x.rank + 1))
    by = [g.dice.randrange(-4, 5) for _ in axes]
    text = (by[0], axes[0]) if len(axes) == 1 else (listed(by), listed(axes))
    return moved(call("roll", *text), lambda array: np.roll(array, by, axes), [x])


def broadcast_to(g):
    x = any_move(g)
    shape = [1 if g.one_in(5) else dim for dim in g.dice.choice(x.shapes())]
    shape = [g.dice.choice((0, 1, 2, 3)) if dim == 1 and g.one_in(2) else dim for dim in shape]
    shape = [g.dice.choice((1, 2)) for _ in range(g.dice.randrange(2))] + shape
    return moved(call("broadcast_to", listed(shape)), lambda array: np.broadcast_to(array, shape), [x])


def expand_dims(g):
    x = any_move(g)
    axis = g.dice.randrange(-x.rank - 1, x.rank + 1)
    return moved(call("expand_dims", axis), lambda array: np.expand_dims(array, axis), [x])


def squeeze(g):
    x = any_move(g)
    single = [axis for axis in range(x.rank) if all(shape[axis] == 1 for shape in x.shapes())]
    if not single or (x.same_shape() and g.one_in(2)):
        # Without axes the rank depends on the shape, which the dataset may not know.
        if not x.same_shape():
            raise Unknown
        return moved(call("squeeze"), np.squeeze, [x])
    axes = tuple(g.dice.sample(single, g.dice.randrange(1, len(single) + 1)))
    text = axes[0] if len(axes) == 1 else listed(axes)
    return moved(call("squeeze", f"axis: {text}"), lambda array: np.squeeze(array, axes), [x])


def ensure_shape(g):
    x = any_move(g)
    shape = [g.dice.choice((None, dim)) for dim in g.dice.choice(x.shapes())]
    def compute(array):
        if any(want is not None and want != dim for want, dim in zip(shape, array.shape)):
            raise Failed
        return array
    return moved(call("ensure_shape", listed("none" if dim is None else dim for dim in shape)), compute, [x])


# ---- Parts -------------------------------------------------------------------------------------------------------


def parts(g, name):
    """split, and unstack of a dimension that is made known."""
    x = any_move(g, (1, 2, 3))
    axis = g.axis(x.rank)
    length = g.dice.choice(x.shapes())[axis]
    if name == "split":
        count = g.dice.choice((1, 2, 3))
        member = g.dice.randrange(count)
        return moved(lambda x: f"split({x}, {count}, axis: {axis}).{member}",
                     lambda array: np.split(array, count, axis)[member], [x])
    if length == 0:
        raise Unknown
    member = g.dice.randrange(length)
    dims = ["none"] * x.rank
    dims[axis] = str(length)
    def compute(array):
        if array.shape[axis] != length:
            raise Failed
        return tensor(np.take(array, member, axis), dtype_of(array))
    return moved(lambda x: f"unstack(ensure_shape({x}, {listed(dims)}), axis: {axis}).{member}", compute, [x])


def joining(g, name):
    """concat and stack, of the same thing twice or of things alike."""
    x = any_move(g, (1, 2, 3))
    others = [part for part in g.pool if part.dtype == x.dtype and part.rank == x.rank]
    second = g.dice.choice(others) if others and g.one_in(2) else x
    if g.one_in(4) and x.exact:
        second = g.fresh(x.dtype, x.shapes())
    args = [x, second] if g.one_in(2) else [second, x]
    axis = g.axis(x.rank)
    function = np.concatenate if name == "concat" else np.stack
    return moved(lambda a, b: f"{name}([{a}, {b}], axis: {axis})", lambda a, b: function([a, b], axis), args)


def member_list(g):
    x = any_move(g, (0, 1, 2))
    others = [part for part in g.pool if part.dtype == x.dtype and part.rank == x.rank]
    second = g.dice.choice(others) if others else x
    return moved(lambda a, b: f"[{a}, {b}]", lambda a, b: np.stack([a, b]), [x, second])


# ---- Positions ---------------------------------------------------------------------------------------------------


def random_slice(g):
    start, stop = (g.dice.choice((None, None, -4, -2, -1, 0, 1, 2, 4)) for _ in range(2))
    step = g.dice.choice((None, None, None, 1, 2, 3, -1, -2))
    text = ":".join("" if part is None else str(part) for part in (start, stop))
    return slice(start, stop, step), text + ("" if step is None else f":{step}")


def index(g):
    x = any_move(g, (1, 2, 3))
    places, used, dotted = [], 0, False
    while used < x.rank:
        roll = g.dice.randrange(9)
        if roll < 3:
            at = g.dice.choice((0, 0, 1, 2, -1, -1, -2))
            places.append((at, str(at)))
            used += 1
        elif roll < 6:
            places.append(random_slice(g))
            used += 1
        elif roll == 6:
            places.append((np.newaxis, "newaxis"))
        elif roll == 7 and not dotted:
            places.append((Ellipsis, "..."))
            used += g.dice.randrange(x.rank - used + 1)
            dotted = True
        elif places:
            break
    at = tuple(place for place, _ in places)
    text = ", ".join(word for _, word in places)
    return moved(lambda x: f"{x}[{text}]", lambda array: tensor(array[at], dtype_of(array)), [x])


def index_by(g):
    """A position that is computed."""
    x = g.any(ranks=(1, 2, 3))
    k = g.any(INTEGERS, (0,))
    by = g.dice.choice((1, 2, 3))
    def compute(array, position):
        return tensor(array[int(position) % by], dtype_of(array))
    return apply(lambda x, k: f"{x}[{k} % {by}]", exact(refused(compute)), [x, k])


def gather(g):
    x = g.any(ranks=(1, 2, 3))
    axis = g.axis(x.rank)
    if g.one_in(2):
        low = -1 if g.one_in(8) else 0
        shape = g.dice.choice(((), (0,), (1,), (3,), (2, 2)))
        highest = max(g.dice.choice(x.shapes())[axis], 1)
        entries = [g.dice.randrange(low, highest) for _ in range(int(np.prod(shape)))]
        where = np.asarray(entries, np.int64).reshape(shape)
        text = "zeros([0], int64)" if shape == (0,) else str(where.tolist())
        def compute_constant(array):
            return taken(array, where, axis)
        return apply(call("gather", text, f"axis: {axis}"), exact(compute_constant), [x])
    places = g.any(INTEGERS, (0, 1, 2))
    by = g.dice.choice((1, 2, 3))
    def compute(array, where):
        return taken(array, np.remainder(where, where.dtype.type(by)), axis)
    return apply(lambda x, i: f"gather({x}, {i} % {by}, axis: {axis})", exact(compute), [x, places])


def taken(array, places, axis):
    if any(not 0 <= int(place) < array.shape[axis] for place in places.flat):
        raise Failed
    if places.size == 0:
        shape = list(array.shape)
        shape[axis % array.ndim:axis % array.ndim + 1] = places.shape
        return np.empty(shape, array.dtype)
    return tensor(np.take(array, places.astype(np.int64), axis), dtype_of(array))


def boolean_mask(g):
    x = g.any(ranks=(1, 2, 3))
    if g.one_in(2):
        masks = [part for part in g.pool if part.dtype == "bool" and part.rank and part.rank <= x.rank and part.exact
                 and all(b == a[:len(b)] for a, b in zip(x.shapes(), part.shapes()))]
        mask = g.dice.choice(masks) if masks else g.fresh("bool", [s[:g.dice.choice((1, len(s)))] for s in x.shapes()]
                                                          if x.rank == 1 else x.shapes())
        def compute(array, chosen):
            if array.shape[:chosen.ndim] != chosen.shape:
                raise Failed
            return array[chosen]
        return apply(call("boolean_mask"), exact(compute), [x, mask])
    by = g.dice.choice((1, 2, 3))
    return apply(lambda x: f"boolean_mask({x}, arange(shape({x})[0]) % {by} == 0)", exact(lambda array: array[::by]),
                 [x])


def one_hot(g):
    i = g.any(INTEGERS, (0, 1, 2))
    depth = g.dice.choice((0, 1, 3, 5))
    dtype = g.dice.choice(("bool", *NUMBERS))
    if dtype == "bool" or g.one_in(2):
        on, off, text = 1, 0, []
    else:
        on, off = g.dice.randrange(1, 5), g.dice.randrange(5)
        text = [f"on: {on}", f"off: {off}"]
    if dtype == "bool":
        text = ["on: true", "off: false"]
    def compute(places):
        out = np.full((*places.shape, depth), off, dtype)
        for place in np.ndindex(places.shape):
            if 0 <= int(places[place]) < depth:
                out[(*place, int(places[place]))] = on
        return out
    return apply(call("one_hot", depth, *text, f"dtype: {dtype}"), exact(compute), [i])


# ---- Making ------------------------------------------------------------------------------------------------------


def like(g, name):
    x = g.any() if name == "zeros_like" else g.any(("bool", *NUMBERS))
    def compute(array):
        out = np.empty(array.shape, array.dtype)
        out[...] = b"" if array.dtype == object else name == "ones_like"
        return out
    return apply(call(name), exact(compute), [x])


def full(g):
    value = g.any(ranks=(0,), inexact=True)
    shape = [g.dice.choice((0, 1, 2, 3)) for _ in range(g.dice.randrange(3))]
    return moved(lambda v: f"full({listed(shape)}, {v})", lambda array: np.broadcast_to(array, shape), [value])


def arange(g):
    stop = g.any(INTEGERS, (0,))
    start = g.literal(stop.dtype) if g.one_in(2) else None
    step = g.dice.choice((1, 2, 3))
    def compute(to, begin=None):
        first = int(begin) if begin is not None else 0
        if int(to) < first:
            raise Failed
        length = -(-(int(to) - first) // step)
        if length > MOST_ENTRIES:
            raise Unknown
        return np.asarray([first + i * step for i in range(length)], to.dtype)
    if start is None:
        step = 1
        return apply(call("arange"), exact(compute), [stop])
    return apply(lambda to, begin: f"arange({begin}, {to}, step: {step})", exact(compute), [stop, start])


def eye(g):
    n = g.dice.randrange(4)
    dtype = g.dice.choice(NUMBERS)
    x = g.any((dtype,), (0, 2))
    def compute(array):
        if array.ndim and any(dim not in (1, n) and n != 1 for dim in array.shape):
            raise Failed
        return np.where(*broadcast(np.eye(n, dtype=bool), array, numpy_dtype(dtype).type(0)))
    return apply(lambda x: f"where(eye({n}, dtype: {dtype}) != 0, {x}, {'0.0' if dtype[0] == 'f' else '0'})",
                 exact(compute), [x])


# ---- Strings -----------------------------------------------------------------------------------------------------


def changed(g, name):
    return apply(call(name), exact(lambda array: each(getattr(bytes, name), "string", array)), [g.any(("string",))])


def string_length(g):
    return apply(call("string_length"), exact(lambda array: each(len, "int64", array)), [g.any(("string",))])


def substr(g):
    s = g.any(("string",))
    at, length = g.dice.choice((0, 0, 0, 1, 2, -1, -2)), g.dice.randrange(-1, 4)
    def cut(text):
        begin = at + len(text) if at < 0 else at
        if not 0 <= begin <= len(text):
            raise Failed
        return text[begin:] if length < 0 else text[begin:begin + length]
    return apply(call("substr", at, length), exact(lambda array: each(cut, "string", array)), [s])


def string_join(g):
    a = g.any(("string",))
    b = g.partner(a)
    separator = g.dice.choice((b"", b"-", b", "))
    def compute(x, y):
        return each(lambda one, other: separator.join((one, other)), "string", x, y)
    text = f', separator: "{separator.decode()}"' if separator or g.one_in(2) else ""
    return apply(lambda a, b: f"string_join([{a}, {b}]{text})", exact(compute), [a, b])


def string_split(g):
    s = g.any(("string",), (0,))
    separator = g.dice.choice((b"", b"", b"-", b"a", b"--", b" "))
    def compute(array):
        text = array[()]
        words = text.split(separator) if separator else text.split()
        out = np.empty(len(words), object)
        out[:] = words
        return out
    text = [f'"{separator.decode()}"'] if separator else []
    return apply(call("string_split", *text), exact(compute), [s])


def as_string(g):
    x = g.any(("bool", "string", *INTEGERS))
    def written(value):
        if isinstance(value, bytes):
            return value
        return str(value).lower().encode()
    return apply(call("as_string"), exact(lambda array: each(written, "string", array)), [x])


FUNCTIONS = [*named(measure, ("shape", "size", "rank")), reshape, reshape_like, transpose, tile, pad, pad, reverse,
             roll, broadcast_to, expand_dims, squeeze, squeeze, ensure_shape, *named(parts, ("split", "unstack")),
             *named(joining, ("concat", "stack")), member_list, index, index, index, index_by, gather, boolean_mask,
             one_hot, *named(like, ("zeros_like", "ones_like")), full, arange, eye,
             *named(changed, ("lower", "upper", "strip")), string_length, substr, string_join, string_split, as_string]
