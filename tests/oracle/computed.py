"""Functions whose counts, positions and shapes are computed in the row, and what reads numbers and words."""

import re

import numpy as np

from arithmetic import loose_zeros
from expressions import apply, broadcast, call, constant, each, exact
from shaping import moved, padded, refused
from values import RANGES, INTEGERS, NUMBERS, Failed, Unknown, dtype_of, tensor


def small(g, low, high):
    """A small int64, mostly another one in each row."""
    found = [part for part in g.pool if part.dtype == "int64" and part.rank == 0 and part.exact]
    if found and g.one_in(3):
        return g.dice.choice(found)
    if g.one_in(5):
        return constant(np.asarray(g.dice.randrange(low, high)), g.rows)
    return g.fresh_from([np.asarray(g.dice.randrange(low, high)) for _ in range(g.rows)])


def held(number):
    """A Python integer that NumPy may count with; Unknown if it is too large to be of use."""
    if abs(int(number)) > 1000:
        raise Unknown
    return int(number)


def slice_by(g):
    x = g.any(ranks=(1, 2))
    k = small(g, -4, 5)
    parts = g.dice.choice((("{}", ""), ("", "{}"), ("{}", "-1"), ("1", "{}"), ("", "{}", "-1"), ("{}", "", "2")))
    text = ":".join(parts)
    def compute(array, by):
        at = [int(part.format(held(by))) if part else None for part in parts]
        return tensor(array[slice(*at)], dtype_of(array))
    return apply(lambda x, k: f"{x}[{text.format(k)}]", exact(compute), [x, k])


def substr_by(g):
    s = g.any(("string",))
    at, length = small(g, -2, 3), small(g, -1, 4)
    if g.one_in(2):
        length = g.partner(s, "int64")
    def cut(text, position, size):
        begin = position + len(text) if position < 0 else position
        if not 0 <= begin <= len(text):
            raise Failed
        return text[begin:] if size < 0 else text[begin:begin + size]
    return apply(call("substr"), exact(lambda *arrays: each(cut, "string", *arrays)), [s, at, length])


def roll_by(g):
    x = g.any(ranks=(1, 2, 3))
    axis = g.axis(x.rank)
    def compute(array, by):
        return np.roll(array, held(by), axis)
    return apply(call("roll", axis), exact(compute), [x, small(g, -4, 5)])


def tile_by(g):
    x = g.any(ranks=(1, 2))
    def compute(array, by):
        if by < 0:
            raise Failed
        times = (1,) * (array.ndim - 1) + (held(by),)
        return np.tile(array, times).reshape((*array.shape[:-1], array.shape[-1] * times[-1]))
    ones = "1, " * (x.rank - 1)
    return apply(lambda x, k: f"tile({x}, [{ones}{k}])", exact(compute), [x, small(g, -1, 4)])


def pad_by(g):
    x = g.any(NUMBERS, (1,))
    def compute(array, by):
        if by < 0:
            raise Failed
        return padded(array, [(1, held(by))], 0)
    return apply(lambda x, k: f"pad({x}, [[1, {k}]])", exact(compute), [x, small(g, -1, 4)])


def spread_like(g):
    """broadcast_to and full, of the shape of another expression."""
    x, like = g.any(), g.any()
    if x.rank == 0 and g.one_in(2):
        return apply(lambda x, y: f"full(shape({y}), {x})",
                     exact(lambda array, other: np.broadcast_to(array, other.shape)), [x, like])
    return apply(lambda x, y: f"broadcast_to({x}, shape({y}))",
                 exact(refused(lambda array, other: np.broadcast_to(array, other.shape))), [x, like])


def clip_between(g):
    x = g.any(NUMBERS)
    low, high = g.partner(x), g.partner(x)
    def compute(array, bottom, top):
        if np.broadcast_shapes(array.shape, bottom.shape, top.shape) != array.shape:
            raise Unknown
        if np.any(bottom != bottom) or np.any(top != top):
            raise Unknown
        array, bottom, top = broadcast(array, bottom, top)
        return loose_zeros(np.asarray(np.maximum(np.minimum(array, top), bottom)), array, bottom, top)
    try:
        return apply(call("clip"), exact(compute), [x, low, high])
    except ValueError as error:
        raise Unknown from error


def one_hot_of(g):
    i = g.any(INTEGERS, (0, 1))
    on, off = small(g, -5, 5), small(g, -5, 5)
    def compute(places, hit, miss):
        out = np.full((*places.shape, 3), miss, np.int64)
        for place in np.ndindex(places.shape):
            if 0 <= int(places[place]) < 3:
                out[(*place, int(places[place]))] = hit
        return out
    return apply(lambda i, on, off: f"one_hot({i}, 3, on: {on}, off: {off}, dtype: int64)", exact(compute),
                 [i, on, off])


def let(g):
    """An expression that is used twice."""
    x = g.any(inexact=True)
    axis = g.axis(x.rank)
    return moved(lambda x: f"(let z = {x} in concat([z, z], axis: {axis}))",
                 lambda array: np.concatenate([array, array], axis), [x])


def member(g):
    x, y = g.any(inexact=True), g.any()
    if g.one_in(2):
        return apply(lambda x, y: f"({x}, {y}).0", lambda x, y: x, [x, y])
    return apply(lambda x, y: f"{{b: {y}, a: {x}}}.a", lambda x, y: x, [x, y])


def to_number(g):
    s = g.any(("string",))
    dtype = g.dice.choice(INTEGERS)
    def number(text):
        if not re.fullmatch(rb"[ \t\n\r\x0b\x0c]*[+-]?[0-9]+[ \t\n\r\x0b\x0c]*", text):
            raise Failed
        low, high = RANGES[dtype]
        if not low <= int(text) <= high:
            raise Failed
        return int(text)
    return apply(call("to_number", dtype), exact(lambda array: each(number, dtype, array)), [s])


def read_back(g):
    """A number written and read by another dtype, which may not have it."""
    x = g.any(INTEGERS)
    dtype = g.dice.choice((x.dtype, *INTEGERS))
    def number(value):
        low, high = RANGES[dtype]
        if not low <= value <= high:
            raise Failed
        return value
    return apply(lambda x: f"to_number(as_string({x}), {dtype})", exact(lambda array: each(number, dtype, array)), [x])


def lookup(g):
    s = g.any(("string",))
    def place(text):
        return {b"a": 0, b"": 1, b"Zebra": 2}.get(text, -1)
    return apply(call("lookup", '["a", "", "Zebra"]', -1), exact(lambda array: each(place, "int64", array)), [s])


FUNCTIONS = [slice_by, slice_by, substr_by, roll_by, tile_by, pad_by, spread_like, spread_like, clip_between,
             one_hot_of, let, member, to_number, read_back, lookup]
