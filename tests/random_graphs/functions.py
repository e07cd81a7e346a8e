"""The functions of expressions, entry by entry in Python's integers and floats.

What depends on the order in which floats are added is left open: such a sum raises Unknown unless it is exact.
"""

import math
import re
import struct

from values import (BITS, FLOATS, Failed, Tensor, Unknown, adapt, broadcast_shapes, common, count_of, elementwise,
                    fits, float_of_int, is_integer, positions, round_to, settle, spread, stack, strides_of, wrap)

# An arange this long belongs to no document of ours.
_LONGEST = 4096


def number(value):
    """An argument that is one number."""
    if not isinstance(value, Tensor) or value.shape != () or not (is_integer(value.dtype) or value.dtype == "bool"):
        raise Unknown("expected a number")
    return value.data[0]


def numbers(value):
    """An argument that is a number or a list of them, as a list."""
    if not isinstance(value, Tensor) or len(value.shape) > 1 or (value.data and not is_integer(value.dtype)):
        raise Unknown("expected numbers")
    return value.data


# ---- Arithmetic --------------------------------------------------------------------------------------------------


def _float_divide(a, b):
    if b != 0:
        return a / b
    if a == 0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _float_remainder(a, b):
    if b == 0 or math.isinf(a) or math.isnan(a) or math.isnan(b):
        return math.nan
    return a % b


def _float_floor_divide(a, b):
    if b == 0:
        return _float_divide(a, b)
    return a // b


def arithmetic(operator, a, b):
    a, b = common([a, b])
    dtype = a.dtype
    if dtype == "string":
        if operator != "+":
            raise Unknown(f"{operator} of strings")
        return elementwise(lambda x, y: x + y, dtype, a, b)
    if dtype == "bool":
        raise Unknown(f"{operator} of bools")
    if is_integer(dtype):
        return _integer_arithmetic(operator, dtype, settle(a), settle(b))
    if operator == "**":
        raise Unknown("powers of floats")
    if operator in ("//", "%") and dtype == "float32":
        raise Unknown("floor division of float32")
    operation = {"+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y, "/": _float_divide,
                 "//": _float_floor_divide, "%": _float_remainder}[operator]
    return elementwise(lambda x, y: round_to(dtype, operation(x, y)), dtype, settle(a), settle(b))


def _integer_arithmetic(operator, dtype, a, b):
    if operator == "/":
        result = "float64" if BITS[dtype] >= 32 else "float32"

        def divide(x, y):
            return round_to(result, _float_divide(float_of_int(result, x), float_of_int(result, y)))
        return elementwise(divide, result, a, b)

    def compute(x, y):
        if operator in ("//", "%") and y == 0:
            raise Failed
        if operator == "**":
            if y < 0:
                raise Failed
            return wrap(dtype, pow(x, y, 1 << BITS[dtype]))
        return wrap(dtype, {"+": x + y, "-": x - y, "*": x * y}[operator] if operator in "+-*"
                    else x // y if operator == "//" else x % y)
    return elementwise(compute, dtype, a, b)


_COMPARE = {"==": lambda x, y: x == y, "!=": lambda x, y: x != y, "<": lambda x, y: x < y,
            "<=": lambda x, y: x <= y, ">": lambda x, y: x > y, ">=": lambda x, y: x >= y}


def compare(operator, a, b):
    a, b = map(settle, common([a, b]))
    return elementwise(_COMPARE[operator], "bool", a, b)


def logic(operator, a, b):
    if a.dtype != "bool" or b.dtype != "bool":
        raise Unknown("logic of numbers")
    return elementwise((lambda x, y: x and y) if operator == "and" else (lambda x, y: x or y), "bool", a, b)


def operate(operator, a, b):
    if operator in _COMPARE:
        return compare(operator, a, b)
    if operator in ("and", "or"):
        return logic(operator, a, b)
    return arithmetic(operator, a, b)


# ---- Entry by entry ----------------------------------------------------------------------------------------------


def negate(x):
    if x.literal:
        return Tensor(x.dtype, x.shape, [-entry for entry in x.data], literal=True)
    if is_integer(x.dtype):
        return elementwise(lambda entry: wrap(x.dtype, -entry), x.dtype, x)
    return elementwise(lambda entry: -entry, x.dtype, x)


def _of_reals(on_integers, on_floats):
    def apply(x):
        x = settle(x)
        if is_integer(x.dtype):
            return elementwise(lambda entry: wrap(x.dtype, on_integers(entry)), x.dtype, x)
        if x.dtype not in FLOATS:
            raise Unknown(x.dtype)
        return elementwise(lambda entry: round_to(x.dtype, on_floats(entry)), x.dtype, x)
    return apply


def _of_floats(function):
    def apply(x):
        x = settle(x)
        if x.dtype not in FLOATS:
            raise Unknown(x.dtype)

        def one(entry):
            return entry if math.isinf(entry) or math.isnan(entry) else math.copysign(function(entry), entry)
        return elementwise(one, x.dtype, x)
    return apply


def _sign(entry):
    return entry if math.isnan(entry) else math.copysign(1.0, entry) if entry else 0.0


def _sqrt(x):
    x = settle(x)
    if x.dtype not in FLOATS:
        raise Unknown(x.dtype)
    return elementwise(lambda entry: math.nan if entry < 0 else round_to(x.dtype, math.sqrt(entry)), x.dtype, x)


def _extreme(better):
    def choose(x, y):
        # nan passes through.
        return x if x != x else y if y != y or not better(x, y) else x

    def apply(a, b):
        a, b = map(settle, common([a, b]))
        return elementwise(choose, a.dtype, a, b)
    return apply


minimum = _extreme(lambda x, y: x < y)
maximum = _extreme(lambda x, y: x > y)


def clip(x, low, high):
    x, low, high = map(settle, common([x, low, high]))
    if broadcast_shapes(x.shape, low.shape, high.shape) != x.shape:
        raise Failed

    def one(entry, least, most):
        capped = most if entry > most else entry
        return least if capped < least else capped
    return elementwise(one, x.dtype, x, low, high)


def where(condition, a, b):
    a, b = map(settle, common([a, b]))
    return elementwise(lambda c, x, y: x if c else y, a.dtype, condition, a, b)


def _truncate(dtype, entry):
    if math.isnan(entry):
        return 0
    if abs(entry) < 2.0**63:
        return wrap(dtype, int(entry))
    raise Unknown("a float beyond int64 as an integer")


def cast(x, dtype):
    source = x.dtype
    if source == dtype:
        return settle(x)
    if x.literal and dtype != "bool" and dtype != "string":
        if is_integer(source) or dtype in FLOATS:
            return settle(adapt(x, dtype))
    x = settle(x)
    if "string" in (source, dtype):
        raise Unknown("a cast of strings")
    if dtype == "bool":
        return elementwise(lambda entry: entry != 0, dtype, x)
    if is_integer(dtype):
        if source in FLOATS:
            return elementwise(lambda entry: _truncate(dtype, entry), dtype, x)
        return elementwise(lambda entry: wrap(dtype, int(entry)), dtype, x)
    if source in FLOATS:
        return elementwise(lambda entry: round_to(dtype, entry), dtype, x)
    return elementwise(lambda entry: float_of_int(dtype, int(entry)), dtype, x)


_FORMATS = {"int8": "b", "int16": "h", "int32": "i", "int64": "q", "uint8": "B", "uint16": "H", "uint32": "I",
            "uint64": "Q", "float32": "f", "float64": "d", "bool": "?"}


def _unpack(dtype, data):
    return [entry for entry, in struct.iter_unpack("<" + _FORMATS[dtype], data)]


def bitcast(x, dtype):
    x = settle(x)
    data = b"".join(struct.pack("<" + _FORMATS[x.dtype], entry) for entry in x.data)
    wide, narrow = struct.calcsize(_FORMATS[x.dtype]), struct.calcsize(_FORMATS[dtype])
    shape = x.shape
    if wide > narrow:
        shape += (wide // narrow,)
    elif wide < narrow:
        if not shape or shape[-1] != narrow // wide:
            raise Failed
        shape = shape[:-1]
    return Tensor(dtype, shape, _unpack(dtype, data))


def decode_raw(text, dtype, little_endian=True):
    if text.shape != () or little_endian is not True:
        raise Unknown("decode_raw of this")
    if len(text.data[0]) % struct.calcsize(_FORMATS[dtype]):
        raise Failed
    data = _unpack(dtype, text.data[0])
    return Tensor(dtype, (len(data),), data)


# ---- Reductions --------------------------------------------------------------------------------------------------


def _exact_sum(dtype, entries):
    limit = 2.0**53 if dtype == "float64" else 2.0**24
    if any(math.isnan(e) or math.isinf(e) or e != int(e) for e in entries) or sum(map(abs, entries)) > limit:
        raise Unknown("a sum of floats that depends on its order")
    return math.fsum(entries) + 0.0


def _sum(dtype, entries):
    return wrap(dtype, sum(entries)) if is_integer(dtype) else _exact_sum(dtype, entries)


def _prod(dtype, entries):
    if not is_integer(dtype):
        raise Unknown("a product of floats")
    return wrap(dtype, math.prod(entries))


def _best(better, of_nothing):
    def apply(dtype, entries):
        if not entries:
            if is_integer(dtype):
                raise Failed
            return of_nothing
        best = entries[0]
        for entry in entries[1:]:
            if best == best and (entry != entry or better(entry, best)):
                best = entry
        if best == 0 and len({math.copysign(1, entry) for entry in entries if entry == 0}) > 1:
            raise Unknown("which of two zeros")
        return best
    return apply


def axes_of(x, axis):
    rank = len(x.shape)
    if rank == 0 and axis is not None:
        raise Unknown("an axis of a scalar")
    return list(range(rank)) if axis is None else [a % rank for a in numbers(axis)]


def reduction(function, boolean=False):
    def apply(x, axis=None, keepdims=False):
        x = settle(x)
        if (x.dtype == "bool") != boolean or x.dtype == "string":
            raise Unknown(f"a reduction of {x.dtype}")
        axes = axes_of(x, axis)
        kept = [a for a in range(len(x.shape)) if a not in axes]
        steps = strides_of(x.shape)
        outer = tuple(x.shape[a] for a in kept)
        inner = [sum(at * steps[a] for at, a in zip(place, axes)) for place in positions([x.shape[a] for a in axes])]
        starts = [sum(at * steps[a] for at, a in zip(place, kept)) for place in positions(outer)]
        data = [function(x.dtype, [x.data[start + offset] for offset in inner]) for start in starts]
        if keepdims is not False and number(keepdims):
            outer = tuple(1 if a in axes else dim for a, dim in enumerate(x.shape))
        return Tensor(x.dtype, outer, data)
    return apply


def _mean(x, axis=None, keepdims=False):
    def one(dtype, entries):
        if not entries:
            raise Unknown("a mean of nothing")
        return round_to(dtype, _exact_sum(dtype, entries) / len(entries))
    x = settle(x)
    return reduction(one)(cast(x, "float64") if is_integer(x.dtype) else x, axis, keepdims)


def arg_best(better):
    def apply(x, axis=None):
        x = settle(x)
        axis = axis or Tensor("int64", (), [0])
        if x.shape[number(axis) % len(x.shape)] == 0:
            raise Failed

        def one(_, entries):
            best = 0
            for i, entry in enumerate(entries):
                if better(entry, entries[best]) or (entries[best] != entries[best] and entry == entry):
                    best = i
            return best
        out = reduction(one)(x, axis)
        return Tensor("int64", out.shape, out.data)
    return apply


# ---- Shapes ------------------------------------------------------------------------------------------------------


def reshape(x, shape):
    x = settle(x)
    dims = list(numbers(shape))
    if sum(dim == -1 for dim in dims) > 1 or any(dim < -1 for dim in dims):
        raise Failed
    known = math.prod(dim for dim in dims if dim != -1)
    if -1 in dims:
        if known == 0 or len(x.data) % known:
            raise Failed
        dims[dims.index(-1)] = len(x.data) // known
    elif known != len(x.data):
        raise Failed
    return Tensor(x.dtype, tuple(dims), x.data)


def expand_dims(x, axis):
    x = settle(x)
    axis = number(axis) % (len(x.shape) + 1)
    return Tensor(x.dtype, (*x.shape[:axis], 1, *x.shape[axis:]), x.data)


def squeeze(x, axis=None):
    x = settle(x)
    axes = [a for a, dim in enumerate(x.shape) if dim == 1] if axis is None else axes_of(x, axis)
    if any(x.shape[a] != 1 for a in axes):
        raise Failed
    return Tensor(x.dtype, tuple(dim for a, dim in enumerate(x.shape) if a not in axes), x.data)


def concat(parts, axis=None):
    parts = [settle(part) for part in common(parts)]
    axis = number(axis) % len(parts[0].shape) if axis else 0
    if any(part.shape[:axis] + part.shape[axis + 1:] != parts[0].shape[:axis] + parts[0].shape[axis + 1:]
           for part in parts):
        raise Failed
    data = []
    for i in range(count_of(parts[0].shape[:axis])):
        for part in parts:
            step = count_of(part.shape[axis:])
            data += part.data[i * step:(i + 1) * step]
    joined = sum(part.shape[axis] for part in parts)
    return Tensor(parts[0].dtype, (*parts[0].shape[:axis], joined, *parts[0].shape[axis + 1:]), data)


def stack_along(parts, axis=None):
    parts = [settle(part) for part in common(parts)]
    axis = Tensor("int64", (), [number(axis) % (len(parts[0].shape) + 1) if axis else 0])
    return concat([expand_dims(part, axis) for part in parts], axis)


def list_of(parts):
    """[a, b]: a literal where all its members are."""
    if all(part.literal for part in parts):
        joined = stack([Tensor(part.dtype, part.shape, part.data) for part in parts])
        dtype = next((part.dtype for part in parts if part.dtype in FLOATS), parts[0].dtype)
        data = [float(entry) for entry in joined.data] if dtype in FLOATS else joined.data
        return Tensor(dtype, joined.shape, data, literal=True)
    return stack([settle(part) for part in common(parts)])


def arange(*arguments):
    tensors = [settle(t) for t in common(list(arguments))]
    if not is_integer(tensors[0].dtype):
        raise Unknown("arange of floats")
    numbers = [t.data[0] for t in tensors]
    start, stop, step = (0, numbers[0], 1) if len(numbers) == 1 else (*numbers, 1)[:3]
    if step == 0 or (stop - start) * step < 0:
        raise Failed
    span = range(start, stop, step)
    if len(span) > _LONGEST:
        raise Unknown("a long arange")
    return Tensor(tensors[0].dtype, (len(span),), list(span))


def zero_of(dtype):
    return b"" if dtype == "string" else False if dtype == "bool" else 0.0 if dtype in FLOATS else 0


def one_of(dtype):
    return True if dtype == "bool" else 1.0 if dtype in FLOATS else 1


def full(shape, value):
    value = settle(value)
    shape = numbers(shape)
    if any(dim < 0 for dim in shape):
        raise Failed
    if count_of(shape) > _LONGEST:
        raise Unknown("a large tensor")
    return Tensor(value.dtype, tuple(shape), value.data * count_of(shape))


def filled(entry_of):
    def apply(shape, dtype="float32"):
        return full(shape, Tensor(dtype, (), [entry_of(dtype)]))
    return apply


def filled_like(entry_of):
    def apply(x):
        x = settle(x)
        return Tensor(x.dtype, x.shape, [entry_of(x.dtype)] * len(x.data))
    return apply


def one_hot(indices, depth, on=None, off=None, dtype="float32"):
    if on is not None or off is not None:
        raise Unknown
    depth = number(depth)
    if depth < 0:
        raise Failed
    data = [one_of(dtype) if k == i else zero_of(dtype) for i in indices.data for k in range(depth)]
    return Tensor(dtype, (*indices.shape, depth), data)


def shape(x):
    return Tensor("int64", (len(x.shape),), list(x.shape))


def size(x):
    return Tensor("int64", (), [len(x.data)])


def rank(x):
    return Tensor("int64", (), [len(x.shape)])


def string_length(x):
    return elementwise(len, "int64", x)


# ---- Strings -----------------------------------------------------------------------------------------------------


def substr(text, pos, count):
    def cut(s, at, size):
        if not -len(s) <= at <= len(s):
            raise Failed
        at += len(s) if at < 0 else 0
        return s[at:] if size < 0 else s[at:at + size]
    return elementwise(cut, "string", text, settle(pos), settle(count))


def string_join(parts, separator=None):
    between = separator.data[0] if separator else b""
    return elementwise(lambda *entries: between.join(entries), "string", *parts)


def string_split(text, sep=None):
    if text.shape != ():
        raise Unknown("string_split of a tensor")
    parts = text.data[0].split(sep.data[0] if sep and sep.data[0] else None)
    return Tensor("string", (len(parts),), parts)


def to_number(text, dtype="float32"):
    if not is_integer(dtype):
        raise Unknown("floats as text")

    def read(s):
        if not re.fullmatch(rb"[+-]?[0-9]+", s.strip()) or not fits(dtype, int(s)):
            raise Failed
        return int(s)
    return elementwise(read, dtype, text)


def as_string(x):
    x = settle(x)
    if x.dtype not in ("bool", "string") and not is_integer(x.dtype):
        raise Unknown("floats as text")
    if x.dtype == "bool":
        return elementwise(lambda entry: b"true" if entry else b"false", "string", x)
    return elementwise(lambda entry: entry if x.dtype == "string" else str(entry).encode(), "string", x)


def lookup(keys, table, default):
    default = settle(default).data[0]
    if len(set(table.data)) < len(table.data):
        raise Failed
    return elementwise(lambda key: table.data.index(key) if key in table.data else default, "int64", keys)


def check(condition, message, value):
    if condition.shape != () or message.dtype != "string":
        raise Unknown("assert of this")
    if not condition.data[0]:
        raise Failed
    return value


# By name; a dtype is a word, everything else a tensor, and what is joined a list of tensors.
FUNCTIONS = {
    "abs": _of_reals(abs, abs),
    "all": reduction(lambda _, entries: all(entries), boolean=True),
    "any": reduction(lambda _, entries: any(entries), boolean=True),
    "arange": arange,
    "argmax": arg_best(lambda x, y: x > y),
    "argmin": arg_best(lambda x, y: x < y),
    "as_string": as_string,
    "assert": check,
    "bitcast": bitcast,
    "cast": cast,
    "ceil": _of_floats(lambda entry: float(math.ceil(entry))),
    "clip": clip,
    "concat": concat,
    "decode_raw": decode_raw,
    "expand_dims": expand_dims,
    "floor": _of_floats(lambda entry: float(math.floor(entry))),
    "full": full,
    "lookup": lookup,
    "lower": lambda x: elementwise(bytes.lower, "string", x),
    "max": reduction(_best(lambda x, y: x > y, -math.inf)),
    "maximum": maximum,
    "mean": _mean,
    "min": reduction(_best(lambda x, y: x < y, math.inf)),
    "minimum": minimum,
    # Unlike the sign, it gives no literal.
    "negative": lambda x: negate(settle(x)),
    "one_hot": one_hot,
    "ones": filled(one_of),
    "ones_like": filled_like(one_of),
    "pow": lambda a, b: arithmetic("**", a, b),
    "prod": reduction(_prod),
    "rank": rank,
    "reshape": reshape,
    "round": _of_floats(lambda entry: float(round(entry))),
    "shape": shape,
    "sign": _of_reals(lambda entry: (entry > 0) - (entry < 0), _sign),
    "size": size,
    "sqrt": _sqrt,
    "square": _of_reals(lambda entry: entry * entry, lambda entry: entry * entry),
    "squeeze": squeeze,
    "stack": stack_along,
    "string_join": string_join,
    "string_length": string_length,
    "string_split": string_split,
    "strip": lambda x: elementwise(bytes.strip, "string", x),
    "substr": substr,
    "sum": reduction(_sum),
    "to_number": to_number,
    "upper": lambda x: elementwise(bytes.upper, "string", x),
    "where": where,
    "zeros": filled(zero_of),
    "zeros_like": filled_like(zero_of),
}


# ---- Indexing ----------------------------------------------------------------------------------------------------

ELLIPSIS, NEWAXIS = object(), object()


def index(x, places):
    """x[…]: places are ints, (start, stop, step) with None for what is not given, ELLIPSIS or NEWAXIS."""
    x = settle(x)
    taken = sum(place is not NEWAXIS and place is not ELLIPSIS for place in places)
    if taken > len(x.shape):
        raise Failed
    if ELLIPSIS not in places:
        places = [*places, ELLIPSIS]
    at = places.index(ELLIPSIS)
    places = [*places[:at], *[(None, None, None)] * (len(x.shape) - taken), *places[at + 1:]]
    steps = strides_of(x.shape)
    start, axis, dims, strides = 0, 0, [], []
    for place in places:
        if place is NEWAXIS:
            dims.append(1)
            strides.append(0)
            continue
        dim, step = x.shape[axis], steps[axis]
        axis += 1
        if isinstance(place, int):
            if not -dim <= place < dim:
                raise Failed
            start += place % dim * step
            continue
        if place[2] == 0:
            raise Failed
        span = range(*slice(*place).indices(dim))
        dims.append(len(span))
        strides.append(span.step * step)
        start += span.start * step if len(span) else 0
    data = [x.data[start + sum(a * b for a, b in zip(place, strides))] for place in positions(dims)]
    return Tensor(x.dtype, tuple(dims), data)
