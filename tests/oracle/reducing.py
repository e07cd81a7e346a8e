"""Reductions, scans and what puts entries in order."""

import math

import numpy as np

from arithmetic import loose_zeros, rounded
from expressions import along, apply, call, exact, named
from values import FLOATS, LONG, NUMBERS, TOLERANCE, Failed, Unknown, dtype_of


def random_axes(g, x, keepdims=True):
    """(named arguments as text, axes as a tuple or None, keepdims)."""
    roll = g.dice.randrange(4)
    axes, text = None, []
    if roll < 2 and x.rank:
        axes = (g.axis(x.rank),)
        text = [f"axis: {axes[0]}"]
    elif roll == 2:
        axes = tuple(g.dice.sample(range(x.rank), g.dice.randrange(x.rank + 1)))
        axes = tuple(axis - x.rank if g.one_in(3) else axis for axis in axes)
        text = [f"axis: [{', '.join(map(str, axes))}]"]
    keep = keepdims and g.one_in(3)
    return text + (["keepdims: true"] if keep else []), axes, keep


def total(array, axes, keep, dtype=None):
    return np.asarray(np.sum(array, axis=axes, keepdims=keep, dtype=dtype))


def sum_of(array, axes, keep):
    """The sum of floats and its slack."""
    dtype = dtype_of(array)
    wide = array.astype(LONG)
    finite = np.where(np.isfinite(wide), wide, 0)
    sizes = total(np.abs(finite), axes, keep)
    out = total(wide, axes, keep)
    if np.any(sizes > np.finfo(dtype).max):
        raise Unknown
    return out.astype(dtype), sizes * TOLERANCE[dtype]


def sum_(g):
    x = g.any(NUMBERS)
    text, axes, keep = random_axes(g, x)
    def compute(array):
        if array.dtype.kind == "f":
            return sum_of(array, axes, keep)
        return total(array, axes, keep, array.dtype)
    return apply(call("sum", *text), exact(compute), [x])


def counts_of(array, axes, keep):
    return total(np.ones(array.shape, np.int64), axes, keep)


def mean(g):
    x = g.any(NUMBERS)
    text, axes, keep = random_axes(g, x)
    def compute(array):
        floats = array if array.dtype.kind == "f" else array.astype(LONG)
        count = counts_of(array, axes, keep)
        if array.dtype.kind == "f":
            sums, slack = sum_of(array, axes, keep)
            sums = total(floats.astype(LONG), axes, keep)
            return (sums / count).astype(array.dtype), slack / np.maximum(count, 1) + 2 * LONG(
                np.finfo(array.dtype).smallest_subnormal)
        sizes = total(np.abs(floats), axes, keep) / np.maximum(count, 1)
        return (total(floats, axes, keep) / count).astype("float64"), sizes * TOLERANCE["float64"]
    return apply(call("mean", *text), exact(compute), [x])


def prod(g):
    x = g.any(NUMBERS)
    text, axes, keep = random_axes(g, x)
    def compute(array):
        if array.dtype.kind != "f":
            return np.asarray(np.prod(array, axis=axes, keepdims=keep, dtype=array.dtype))
        dtype = dtype_of(array)
        sizes = np.abs(array.astype(LONG))
        usual = np.isfinite(sizes) & (sizes > 0)
        info = np.finfo(dtype)
        # What passes the dtype's range in between depends on the order.
        logs = np.log2(np.where(usual, sizes, 1))
        if np.any(total(np.maximum(logs, 0), axes, keep) >= info.maxexp - 1):
            raise Unknown
        if np.any(total(np.minimum(logs, 0), axes, keep) <= info.minexp + 1):
            raise Unknown
        return rounded(np.asarray(np.prod(array.astype(LONG), axis=axes, keepdims=keep)), dtype)
    return apply(call("prod", *text), exact(compute), [x])


def spread(g, name):
    """std and variance."""
    x = g.any(FLOATS)
    text, axes, keep = random_axes(g, x)
    root = name == "std"
    def compute(array):
        dtype = dtype_of(array)
        wide = array.astype(LONG)
        top = np.max(np.abs(wide[np.isfinite(wide)]), initial=0)
        if top > 1e150:
            raise Unknown
        count = counts_of(array, axes, keep)
        centre = total(wide, axes, True) / counts_of(array, axes, True)
        out = total((wide - centre) ** 2, axes, keep) / count
        if np.any(np.isfinite(out) & (out > np.finfo(dtype).max)):
            raise Unknown
        slack = np.abs(out) * TOLERANCE[dtype] + top * top * 1e-28 + 2 * LONG(np.finfo(dtype).smallest_subnormal)
        if root:
            slack = np.sqrt(out + slack) - np.sqrt(out) + np.sqrt(out) * TOLERANCE[dtype]
            out = np.sqrt(out)
        return out.astype(dtype), slack
    return apply(call(name, *text), exact(compute), [x])


def extreme(g, name):
    """min and max."""
    x = g.any(NUMBERS)
    text, axes, keep = random_axes(g, x)
    greatest = name == "max"
    def compute(array):
        function = np.max if greatest else np.min
        if array.dtype.kind == "f":
            initial = -np.inf if greatest else np.inf
        elif np.any(counts_of(array, axes, keep) == 0):
            raise Failed
        else:
            initial = np.iinfo(array.dtype).min if greatest else np.iinfo(array.dtype).max
        out = np.asarray(function(array, axis=axes, keepdims=keep, initial=initial), array.dtype)
        return loose_zeros(out, array)
    return apply(call(name, *text), exact(compute), [x])


def any_all(g, name):
    x = g.any(("bool",))
    text, axes, keep = random_axes(g, x)
    function = getattr(np, name)
    return apply(call(name, *text), exact(lambda array: np.asarray(function(array, axis=axes, keepdims=keep))), [x])


def count_nonzero(g):
    x = g.any()
    text, axes, keep = random_axes(g, x, keepdims=False)
    def compute(array):
        nonzero = array != b"" if array.dtype == object else array != 0
        return total(np.asarray(nonzero, bool), axes, keep, np.int64)
    return apply(call("count_nonzero", *text), exact(compute), [x])


def best(vector, greatest):
    """The position of the greatest or least entry but nan, the first of equals; 0 if all are nan."""
    if len(vector) == 0:
        raise Failed
    at = None
    for i, entry in enumerate(vector):
        if entry == entry and (at is None or (entry > vector[at] if greatest else entry < vector[at])):
            at = i
    return [at or 0]


def argmax(g, name):
    x = g.any(NUMBERS, (1, 2, 3))
    axis = g.axis(x.rank)
    def compute(array):
        if 0 in array.shape:
            # Nothing to choose from fails also where nothing is to be chosen, as in tf.argmax.
            if array.shape[axis] == 0:
                raise Failed
            return np.empty(np.delete(array.shape, axis), np.int64)
        return np.take(along(lambda v: best(v, name == "argmax"), axis, array, "int64"), 0, axis)
    text = [f"axis: {axis}"] if axis or g.one_in(2) else []
    return apply(call(name, *text), exact(compute), [x])


def cumsum(g):
    x = g.any(NUMBERS, (1, 2, 3))
    axis = g.axis(x.rank)
    exclusive, reverse = g.one_in(3), g.one_in(3)

    def sums(vector):
        out, so_far = [], vector.dtype.type(0)
        for entry in vector[::-1] if reverse else vector:
            following = np.add(so_far, entry, dtype=vector.dtype)
            out.append(so_far if exclusive else following)
            so_far = following
        return out[::-1] if reverse else out
    def compute(array):
        return loose_zeros(along(sums, axis, array), np.asarray([0.0, -0.0], array.dtype))
    text = [f"axis: {axis}"] + ["exclusive: true"] * exclusive + ["reverse: true"] * reverse
    return apply(call("cumsum", *text), exact(compute), [x])


# ---- Order -------------------------------------------------------------------------------------------------------


def order_of(vector, descending):
    """Positions in order: nan last, equal entries as they came."""
    entries = [entry.item() for entry in vector]

    def key(i):
        if isinstance(entries[i], float) and math.isnan(entries[i]):
            return True, 0
        return False, -entries[i] if descending else entries[i]
    return sorted(range(len(entries)), key=key)


def sort(g, name):
    x = g.any(NUMBERS, (1, 2, 3))
    axis = g.axis(x.rank)
    descending = g.one_in(2)
    def compute(array):
        if name == "argsort":
            return along(lambda v: order_of(v, descending), axis, array, "int64")
        return loose_zeros(along(lambda v: v[order_of(v, descending)], axis, array), array)
    text = ([f"axis: {axis}"] if axis != -1 else []) + ["descending: true"] * descending
    return apply(call(name, *text), exact(compute), [x])


def top_k(g):
    x = g.any(NUMBERS, (1, 2, 3))
    k = g.dice.randrange(4)
    member = g.dice.randrange(2)
    def compute(array):
        if k > array.shape[-1]:
            raise Failed
        if member:
            return along(lambda v: order_of(v, True), -1, array, "int64")[..., :k]
        return along(lambda v: v[order_of(v, True)], -1, array)[..., :k]
    return apply(lambda x: f"top_k({x}, {k}).{member}", exact(compute), [x])


def unique(g):
    x = g.any(ranks=(1,))
    member = g.dice.randrange(2)
    def compute(array):
        values, places = [], []
        for entry in array:
            at = next((i for i, other in enumerate(values) if other == entry), len(values))
            if at == len(values):
                values.append(entry)
            places.append(at)
        if member:
            return np.asarray(places, np.int64)
        out = np.empty(len(values), array.dtype)
        out[:] = values
        return out
    return apply(lambda x: f"unique({x}).{member}", exact(compute), [x])


def searchsorted(g):
    a = g.any(NUMBERS, (1,))
    v = g.partner(a, literal=False)
    side = g.dice.choice(("left", "right"))
    def compute(vector, values):
        if np.any(vector != vector) or np.any(values != values):
            raise Unknown
        below = np.less if side == "left" else np.less_equal
        return np.asarray(below(vector, values[..., np.newaxis]).sum(axis=-1), np.int64)
    return apply(lambda a, v: f'searchsorted(sort({a}), {v}, side: "{side}")', exact(compute), [a, v])


def bucketize(g):
    x = g.any(NUMBERS)
    bounds = sorted(g.dice.sample((-3.5, -1.0, 0.0, 0.5, 1.0, 2.0, 100.0), g.dice.randrange(5)))
    def compute(array):
        wide = array if array.dtype.kind == "f" else array.astype("float64")
        below = [np.where(wide != wide, True, wide >= bound) for bound in bounds]
        return np.asarray(np.sum(below, axis=0), np.int64) if below else np.zeros(array.shape, np.int64)
    return apply(call("bucketize", bounds), exact(compute), [x])


def matmul(g):
    a = g.any(NUMBERS, (2, 3))
    columns = g.dice.choice((0, 1, 2, 3))
    batch = g.one_in(3)
    shapes = [((*shape[:-2],) if batch else ()) + (shape[-1], columns) for shape in a.shapes()]
    b = g.any((a.dtype,), (2, 3)) if g.one_in(5) else g.fresh(a.dtype, shapes)
    def compute(x, y):
        if x.shape[-1] != y.shape[-2]:
            raise Failed
        try:
            np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
        except ValueError as error:
            raise Failed from error
        if x.dtype.kind != "f":
            products = x[..., :, :, np.newaxis] * y[..., np.newaxis, :, :]
            return np.sum(products, axis=-2, dtype=x.dtype)
        products = x.astype(LONG)[..., :, :, np.newaxis] * y.astype(LONG)[..., np.newaxis, :, :]
        sizes = np.sum(np.where(np.isfinite(products), np.abs(products), 0), axis=-2)
        dtype = dtype_of(x)
        if np.any(sizes > np.finfo(dtype).max):
            raise Unknown
        out = np.sum(products, axis=-2)
        return out.astype(dtype), sizes * TOLERANCE[dtype] + 8 * LONG(np.finfo(dtype).smallest_subnormal)
    return apply(call("matmul"), exact(compute), [a, b])


FUNCTIONS = [sum_, sum_, mean, mean, prod, *named(spread, ("std", "variance")), *named(extreme, ("min", "max")),
             *named(any_all, ("any", "all")), count_nonzero, *named(argmax, ("argmax", "argmin")), cumsum, cumsum,
             *named(sort, ("sort", "argsort")), top_k, unique, searchsorted, bucketize, matmul]
