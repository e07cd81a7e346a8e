"""Operators, comparisons, casts, bits, and the functions of single numbers, as NumPy and Python compute them."""

import math
from fractions import Fraction

import numpy as np

from expressions import apply, apply_if, broadcast, call, each, exact, is_constant, named
from values import (DTYPES, FLOATS, INTEGERS, LONG, NUMBERS, SIGNED, TOLERANCE, Failed, Unknown, dtype_of,
                    mixed_zeros)


def wrap(value, dtype):
    bits = np.iinfo(dtype).bits
    value &= (1 << bits) - 1
    return value - (1 << bits) if dtype in SIGNED and value >> (bits - 1) else value


def infix(sign):
    return lambda a, b: f"({a} {sign} {b})"


def loose_zeros(out, *arrays):
    """An answer in which the sign of a zero may be either, where the arguments have both."""
    return (out, np.zeros(out.shape, LONG)) if mixed_zeros(*arrays) else out


def rounded(wide, dtype):
    """An answer of `dtype` computed in more bits, and its slack."""
    with np.errstate(all="ignore"):
        out = wide.astype(dtype)
        size = np.where(np.isfinite(wide), np.abs(wide), 0)
        return out, size * TOLERANCE[dtype] + 2 * LONG(np.finfo(dtype).smallest_subnormal)


# ---- Operators ---------------------------------------------------------------------------------------------------


def numbers(g, dtypes=NUMBERS, literal=True):
    a = g.any(dtypes)
    b = g.partner(a, literal=literal)
    return [a, b] if g.one_in(2) else [b, a]


PLAIN = {"+": np.add, "-": np.subtract, "*": np.multiply}


def plain(g, name):
    return apply(infix(name), exact(lambda a, b: np.asarray(PLAIN[name](*broadcast(a, b)), a.dtype)), numbers(g))


def joined(g):
    return apply(infix("+"), exact(lambda a, b: each(bytes.__add__, "string", a, b)), numbers(g, ("string",)))


def divide(g):
    def compute(a, b):
        a, b = broadcast(a, b)
        if a.dtype.kind != "f":
            wide = "float64" if a.dtype.itemsize >= 4 else "float32"
            a, b = a.astype(wide), b.astype(wide)
        return np.asarray(np.divide(a, b), a.dtype)
    return apply(infix("/"), exact(compute), numbers(g))


def floor_quotient(a, b):
    """As Python has it, with the exact quotient of finite numbers rounded once."""
    if b == 0:
        return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)
    if math.isnan(a) or math.isnan(b) or math.isinf(a):
        return math.nan
    if math.isinf(b):
        return math.copysign(0.0, math.copysign(1, a) * math.copysign(1, b)) if a == 0 or (a < 0) == (b < 0) else -1.0
    quotient = math.floor(Fraction(a) / Fraction(b))
    if quotient == 0:
        return math.copysign(0.0, math.copysign(1, a) * math.copysign(1, b))
    try:
        return float(quotient)
    except OverflowError:
        return math.inf if quotient > 0 else -math.inf


def floor_divide(g):
    def compute(a, b):
        dtype = dtype_of(a)
        if dtype in FLOATS:
            out = each(floor_quotient, "float64", a, b)
            return rounded(out.astype(LONG), dtype)
        if not np.all(broadcast(a, b)[1]):
            raise Failed
        return each(lambda x, y: wrap(x // y, dtype), dtype, a, b)
    return apply(infix("//"), exact(compute), numbers(g))


def remainder(g):
    def compute(a, b):
        dtype = dtype_of(a)
        if dtype in FLOATS:
            out = np.asarray(np.remainder(*broadcast(a, b)), dtype)
            return loose_zeros(out, np.asarray([0.0, -0.0]))
        if not np.all(broadcast(a, b)[1]):
            raise Failed
        return each(lambda x, y: wrap(x % y, dtype), dtype, a, b)
    return apply(infix("%"), exact(compute), numbers(g))


def power(g):
    def compute(a, b):
        dtype = dtype_of(a)
        a, b = broadcast(a, b)
        if dtype in FLOATS:
            return rounded(np.asarray(np.power(a.astype(LONG), b.astype(LONG))), dtype)
        if np.any(b < 0):
            raise Failed
        return each(lambda x, y: wrap(pow(x, y, 1 << 64), dtype), dtype, a, b)
    return apply(g.dice.choice((infix("**"), call("pow"))), exact(compute), numbers(g))


def minimum(g, name):
    function = getattr(np, name)
    def compute(a, b):
        return loose_zeros(np.asarray(function(*broadcast(a, b)), a.dtype), a, b)
    return apply(call(name), exact(compute), numbers(g))


def clip(g):
    x = g.any(NUMBERS)
    low, high = g.literal(x.dtype), g.literal(x.dtype)
    if any(np.any(np.isnan(bound.values[0].array)) for bound in (low, high)):
        raise Unknown
    def compute(array, bottom, top):
        out = np.maximum(np.minimum(array, top), bottom)
        return loose_zeros(np.asarray(out, array.dtype), array, bottom, top)
    return apply(call("clip"), exact(compute), [x, low, high])


# ---- Bits --------------------------------------------------------------------------------------------------------

BITWISE = {"bitwise_and": int.__and__, "bitwise_or": int.__or__, "bitwise_xor": int.__xor__}


def bitwise(g, name):
    return apply(call(name), exact(lambda a, b: each(BITWISE[name], dtype_of(a), a, b)), numbers(g, INTEGERS))


def shift(g, name):
    a, b = numbers(g, INTEGERS)
    if not g.one_in(4):
        # Amounts that are allowed, for each of the widths.
        width = np.iinfo(a.dtype).bits
        shapes = g.like(a.shapes())
        b = g.fresh_from([np.asarray([g.dice.randrange(width) for _ in range(int(np.prod(shape)))],
                                     a.dtype).reshape(shape) for shape in shapes])
    def compute(a, b):
        dtype = dtype_of(a)
        if np.any(broadcast(a, b)[1] < 0) or np.any(broadcast(a, b)[1] >= np.iinfo(dtype).bits):
            raise Failed
        return each(lambda x, by: wrap(x << by if name == "shift_left" else x >> by, dtype), dtype, a, b)
    return apply(call(name), exact(compute), [a, b])


def bitcast(g):
    x = g.any(NUMBERS)
    to = g.dice.choice(NUMBERS)
    def compute(array):
        old, new = array.dtype.itemsize, np.dtype(to).itemsize
        if old == new:
            return np.ascontiguousarray(array).view(to).reshape(array.shape)
        if old > new:
            shape = (*array.shape, old // new)
        elif array.ndim and array.shape[-1] == new // old:
            shape = array.shape[:-1]
        else:
            raise Failed
        return np.frombuffer(array.tobytes(), to).reshape(shape)
    return apply(call("bitcast", to), exact(compute), [x])


# ---- Comparisons and logic ---------------------------------------------------------------------------------------

COMPARISONS = {"==": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal, ">": np.greater,
               ">=": np.greater_equal}


def compare(g, name):
    a = g.any(DTYPES if name in ("==", "!=") else (*NUMBERS, "string"))
    args = [a, g.partner(a)]
    return apply(infix(name), exact(lambda x, y: np.asarray(COMPARISONS[name](*broadcast(x, y)), bool)), args)


def logic(g, name):
    if name == "not":
        return apply(lambda a: f"(not {a})", exact(lambda x: np.asarray(np.logical_not(x))), [g.any(("bool",))])
    function = np.logical_and if name == "and" else np.logical_or
    return apply(infix(name), exact(lambda a, b: np.asarray(function(*broadcast(a, b)))), numbers(g, ("bool",)))


def where(g):
    a = g.any()
    args = [g.partner(a, "bool"), a, g.partner(a)]
    if g.one_in(2):
        args[1:] = args[:0:-1]
    def compute(c, x, y):
        c, x, y = broadcast(c, x, y)
        return np.asarray(np.where(c, x, y), x.dtype)
    return apply(call("where"), exact(compute), args)


# ---- Casts -------------------------------------------------------------------------------------------------------


def nearest_float(value, dtype):
    """An integer as a float, rounded once."""
    bits = np.finfo(dtype).nmant + 1
    excess = abs(value).bit_length() - bits
    if excess > 0:
        size, half, rest = abs(value) >> excess, 1 << (excess - 1), abs(value) & ((1 << excess) - 1)
        size += rest > half or (rest == half and size & 1)
        value = math.copysign(1, value) * math.ldexp(size, excess)
    return np.float64(value).astype(dtype)


def truncated(value, dtype):
    """Toward zero, held within the 64-bit integers of its kind, then wrapped."""
    if math.isnan(value):
        return 0
    low, high = -(1 << 63), (1 << 63) - 1 if dtype in SIGNED else (1 << 64) - 1
    return wrap(min(max(int(value), low), high) if math.isfinite(value) else (low if value < 0 else high), dtype)


def cast_to(array, to):
    if to == "bool":
        return array.astype(bool)
    if array.dtype == bool or dtype_of(array) == to:
        return array.astype(to)
    if to in INTEGERS:
        convert = truncated if array.dtype.kind == "f" else wrap
        return each(lambda value: convert(value, to), to, array)
    if array.dtype.kind == "f":
        return array.astype(to)
    return each(lambda value: nearest_float(value, to), to, array)


def cast(g, name):
    x = g.any(("bool", *NUMBERS))
    render = call("cast", name) if g.one_in(2) else call(name)
    return apply(render, exact(lambda array: cast_to(array, name)), [x])


def saturated(array, to):
    digits = 64
    if array.dtype.kind == "f":
        # What is beyond becomes the nearest value that both dtypes have, as in tf.saturate_cast.
        digits = np.finfo(array.dtype).nmant + 1
        most = np.finfo(array.dtype).max
        array = np.where(np.isinf(array), np.copysign(most, array), array).astype(array.dtype)
    if to in INTEGERS:
        info = np.iinfo(to)
        highest = info.max >> max(0, info.max.bit_length() - digits) << max(0, info.max.bit_length() - digits)

        def held(value):
            if isinstance(value, float):
                if math.isnan(value):
                    return 0
            return min(max(int(value), info.min), highest)
        return each(held, to, array)
    top = float(np.finfo(to).max)
    out = cast_to(array, to)
    return np.where(np.isinf(out), np.copysign(top, out), out).astype(to)


def saturate_cast(g):
    to = g.dice.choice(NUMBERS)
    def compute(array):
        # To its own dtype it changes nothing.
        return array if dtype_of(array) == to else saturated(array, to)
    return apply(call("saturate_cast", to), exact(compute), [g.any(NUMBERS)])


# ---- Functions of one number -------------------------------------------------------------------------------------

EXACT = {"floor": np.floor, "ceil": np.ceil, "round": np.rint, "sqrt": np.sqrt, "reciprocal": lambda x: 1 / x,
         "is_nan": np.isnan, "is_finite": np.isfinite}
ANY_NUMBER = {"abs": np.abs, "negative": np.negative, "square": np.square, "sign": np.sign}
NEAR = {"exp": np.exp, "expm1": np.expm1, "log": np.log, "log1p": np.log1p, "sin": np.sin, "cos": np.cos,
        "tan": np.tan, "tanh": np.tanh, "rsqrt": lambda x: 1 / np.sqrt(x), "sigmoid": lambda x: 1 / (1 + np.exp(-x))}


def exact_function(g, name):
    def compute(x):
        out = EXACT[name](x)
        return np.asarray(out, bool if name.startswith("is_") else x.dtype)
    return apply(call(name), exact(compute), [g.any(FLOATS)])


def any_number(g, name):
    def compute(x):
        out = np.asarray(ANY_NUMBER[name](x), x.dtype)
        return loose_zeros(out, np.asarray([0.0, -0.0])) if name == "sign" and x.dtype.kind == "f" else out
    if name == "negative" and g.one_in(2):
        return apply(lambda x: f"(-({x}))", exact(compute), [g.any(NUMBERS)])
    return apply(call(name), exact(compute), [g.any(NUMBERS)])


def near_function(g, name):
    return apply(call(name), exact(lambda x: rounded(np.asarray(NEAR[name](x.astype(LONG))), dtype_of(x))),
                 [g.any(FLOATS)])


def condition(g):
    """if, of which only the branch taken is computed."""
    c = g.any(("bool",), (0,))
    a = g.any()
    found = [part for part in g.pool if part.dtype == a.dtype and part.rank == a.rank and part.exact]
    b = g.dice.choice(found) if found and g.one_in(2) else g.fresh(a.dtype, g.random_shapes(a.rank))
    return apply_if(c, *((a, b) if g.one_in(2) else (b, a)))


# ---- What must not build -----------------------------------------------------------------------------------------

REFUSED = {
    "sum": ("bool", "string"), "mean": ("bool", "string"), "prod": ("bool", "string"), "max": ("bool", "string"),
    "std": ("bool", "string", *INTEGERS), "variance": ("bool", "string", *INTEGERS),
    "any": ("string", *NUMBERS), "all": ("string", *NUMBERS), "sort": ("bool", "string"), "argmax": ("bool", "string"),
    "abs": ("bool", "string"), "square": ("bool", "string"), "lower": ("bool", *NUMBERS), "strip": ("bool", *NUMBERS),
    "string_length": ("bool", *NUMBERS), "not": ("string", *NUMBERS),
    **{name: ("bool", "string", *INTEGERS) for name in [*EXACT, *NEAR]},
}


def refused(g):
    """A function of a dtype that it does not take, or an operator between two dtypes."""
    def never(*_):
        raise Failed
    if g.one_in(2):
        a, b = g.any(), g.any()
        if a.dtype == b.dtype or is_constant(a) or is_constant(b):
            raise Unknown
        out = apply(infix(g.dice.choice((*PLAIN, *COMPARISONS, "/", "//", "%"))), exact(never), [a, b])
    else:
        name = g.dice.choice(list(REFUSED))
        out = apply(call(name), exact(never), [g.any(REFUSED[name])])
    out.refused = True
    return out


FUNCTIONS = [*named(plain, PLAIN), joined, divide, floor_divide, remainder, power, power,
             *named(minimum, ("minimum", "maximum")), clip, *named(bitwise, BITWISE),
             *named(shift, ("shift_left", "shift_right")), bitcast, *named(compare, COMPARISONS),
             *named(logic, ("not", "and", "or")), where, where, *named(cast, ("bool", *NUMBERS)), saturate_cast,
             *named(exact_function, EXACT), *named(any_number, (*ANY_NUMBER, "negative")), *named(near_function, NEAR),
             condition, condition, refused]
