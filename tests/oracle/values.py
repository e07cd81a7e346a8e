"""Tensors of the oracle: NumPy arrays by the names of weir's dtypes, written as text, read back, and compared.

A Val is an array and how far off each entry of the answer may be; no slack means that the answer is exact.
"""

import re

import numpy as np

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = SIGNED + UNSIGNED
# The least and the greatest.
RANGES = {dtype: (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)) for dtype in INTEGERS}
FLOATS = ("float16", "float32", "float64")
NUMBERS = INTEGERS + FLOATS
DTYPES = ("bool", *NUMBERS, "string")
# How far a float function or a sum may be off, relative to its value or to the sum of the magnitudes.
TOLERANCE = {"float16": 1e-3, "float32": 1e-6, "float64": 1e-12}
LONG = np.longdouble


class Failed(Exception):
    """The element fails, with invalid_argument."""


class Unknown(Exception):
    """The notation, or the tolerance, does not say what this gives: the generator tries another expression."""


class Val:
    __slots__ = ("array", "slack")

    def __init__(self, array, slack=None):
        self.array = array
        self.slack = slack


FAILED = "error: invalid_argument"


def dtype_of(array):
    return "string" if array.dtype == object else array.dtype.name


def numpy_dtype(dtype):
    return np.dtype(object if dtype == "string" else dtype)


def tensor(value, dtype):
    """An array of a dtype; NumPy gives scalars, and bytes, where a tensor of no dimensions is meant."""
    if dtype != "string":
        return np.asarray(value, dtype)
    if isinstance(value, bytes):
        out = np.empty((), object)
        out[()] = value
        return out
    return np.asarray(value, object)


def mixed_zeros(*arrays):
    """Whether the sign of a zero among the entries says which of two equal ones was taken."""
    if arrays[0].dtype.kind != "f":
        return False
    signs = {bool(sign) for array in arrays for sign in np.signbit(array[array == 0])}
    return len(signs) > 1


# ---- As text -----------------------------------------------------------------------------------------------------

ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def quoted(text):
    return '"' + "".join(ESCAPES.get(chr(byte)) or (chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}")
                         for byte in text) + '"'


def entry_text(entry):
    if isinstance(entry, bytes):
        return quoted(entry)
    if isinstance(entry, (bool, np.bool_)):
        return "true" if entry else "false"
    if isinstance(entry, (float, np.floating)):
        text = repr(float(entry))
        return text if np.isfinite(entry) else {"inf": "inf", "-inf": "-inf", "nan": "nan"}[text]
    return str(int(entry))


def nested_text(array):
    if array.ndim == 0:
        return entry_text(array[()])
    return "[" + ", ".join(nested_text(np.asarray(part, array.dtype) if array.dtype != object else
                                       tensor(part, "string")) for part in array) + "]"


def constant_text(array):
    """A constant expression with the dtype and shape of an array."""
    dtype = dtype_of(array)
    if 0 in array.shape:
        shape = "[" + ", ".join(map(str, array.shape)) + "]"
        return f'full({shape}, "")' if dtype == "string" else f"zeros({shape}, {dtype})"
    return nested_text(array) if dtype in ("bool", "string") else f"{dtype}({nested_text(array)})"


# ---- Reading what is printed -------------------------------------------------------------------------------------

TOKEN = re.compile(r'\s*(?:(zeros\(\[([0-9, ]*)\]\))|([\[\],])|("(?:[^"\\]|\\.)*")|([^\s\[\],"]+))')
UNESCAPED = {"n": b"\n", "t": b"\t", "r": b"\r", '"': b'"', "\\": b"\\"}


def unquoted(text):
    def part(match):
        word = match.group(1)
        return UNESCAPED[word].decode() if word in UNESCAPED else chr(int(word[1:], 16))
    return re.sub(r"\\(x..|.)", part, text[1:-1]).encode("latin-1")


def read_entry(word, dtype):
    if dtype == "string":
        if word[0] != '"':
            raise ValueError(f"expected a string, found {word}")
        return unquoted(word)
    if dtype == "bool":
        return {"true": True, "false": False}[word]
    return np.dtype(dtype).type(float(word) if dtype in FLOATS else int(word))


def read_tensor(text, dtype):
    """The array that a printed element shows; ValueError where it shows none of the dtype."""
    tokens, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise ValueError(f"no tensor: {text}")
        if match.group(1):
            shape = tuple(int(dim) for dim in match.group(2).split(","))
            return np.empty(shape, numpy_dtype(dtype))
        tokens.append(match.group(3) or match.group(4) or match.group(5))
        at = match.end()
    position = 0

    def part():
        """(shape, entries) of what begins at the position."""
        nonlocal position
        word = tokens[position]
        position += 1
        if word != "[":
            return (), [read_entry(word, dtype)]
        shapes, entries = [], []
        while tokens[position] != "]":
            shape, found = part()
            shapes.append(shape)
            entries += found
            position += tokens[position] == ","
        position += 1
        if any(shape != shapes[0] for shape in shapes):
            raise ValueError(f"rows of different lengths: {text}")
        return (len(shapes), *(shapes[0] if shapes else ())), entries

    try:
        shape, entries = part()
    except (IndexError, KeyError, OverflowError) as error:
        raise ValueError(f"no {dtype}: {text}") from error
    if position != len(tokens):
        raise ValueError(f"no single tensor: {text}")
    out = np.empty(len(entries), numpy_dtype(dtype))
    out[:] = entries
    return out.reshape(shape)


# ---- Comparing ---------------------------------------------------------------------------------------------------


def same_value(expected, found):
    """Whether an answer is what a Val expects, within its slack; a zero's sign counts where there is none."""
    want = expected.array
    if want.shape != found.shape:
        return False
    if want.dtype.kind != "f":
        return bool(np.all(want == found))
    both_nan = np.isnan(want) & np.isnan(found)
    if expected.slack is None:
        equal = (want == found) & (np.signbit(want) == np.signbit(found))
        return bool(np.all(equal | both_nan))
    with np.errstate(all="ignore"):
        near = np.abs(want.astype(LONG) - found.astype(LONG)) <= expected.slack
    near &= np.isfinite(want) & np.isfinite(found)
    return bool(np.all(near | both_nan | (want == found)))


def spec_allows(spec, array):
    """Whether an element spec, as printed, allows an array."""
    match = re.fullmatch(r"(\w+)(?:\[(.*)\])?", spec)
    if not match or match.group(1) != dtype_of(array):
        return False
    if match.group(2) == "...":
        return True
    dims = [dim.strip() for dim in match.group(2).split(",")] if match.group(2) else []
    return len(dims) == array.ndim and all(dim in ("?", str(size)) for dim, size in zip(dims, array.shape))


def line_is(expected, line):
    """Whether a printed line is what a Val, or FAILED, expects."""
    if isinstance(expected, str):
        return line == expected
    if line.startswith("error: "):
        return False
    try:
        return same_value(expected, read_tensor(line, dtype_of(expected.array)))
    except ValueError:
        return False


def described(expected):
    if isinstance(expected, str):
        return expected
    text = nested_text(expected.array) if 0 not in expected.array.shape else constant_text(expected.array)
    return text + ("" if expected.slack is None else "   (within a tolerance)")
