"""Values of the model: tensors, their arithmetic, and how they are printed.

A structure is a Python tuple or dict of values; a nested dataset is a pipelines.Dataset. What fails is raised as Failed.
"""

import ctypes
import math


class Failed(Exception):
    """An element failed. `code` is the word that the library prints for it."""

    def __init__(self, code="invalid_argument"):
        super().__init__(code)
        self.code = code


class Unknown(Exception):
    """The model does not say what this document gives: it is passed over."""


class Open(Exception):
    """The notation does not say which rows this document gives, but it gives the same ones however it is run."""


BITS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64, "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64}
FLOATS = ("float32", "float64")
DTYPES = ("bool", *BITS, *FLOATS, "string")


def is_integer(dtype):
    return dtype in BITS


def is_signed(dtype):
    return dtype.startswith("int")


def wrap(dtype, value):
    """The integer of `dtype` that is equal to `value` modulo 2 to the number of bits."""
    bits = BITS[dtype]
    value &= (1 << bits) - 1
    return value - (1 << bits) if dtype[0] == "i" and value >> (bits - 1) else value


def fits(dtype, value):
    return wrap(dtype, value) == value


def single(value):
    """The float32 nearest to a Python float."""
    return ctypes.c_float(value).value


def float_of_int(dtype, value):
    """An integer as a float, rounded once."""
    if dtype == "float64":
        return float(value)
    magnitude = abs(value)
    excess = magnitude.bit_length() - 24
    if excess > 0:
        half, rest = 1 << (excess - 1), magnitude & ((1 << excess) - 1)
        magnitude >>= excess
        magnitude += rest > half or (rest == half and magnitude & 1)
        magnitude <<= excess
    return float(-magnitude if value < 0 else magnitude)


def round_to(dtype, value):
    return single(value) if dtype == "float32" else value


class Tensor:
    """Row-major entries: ints, floats, bools or bytes. `literal`: adapts to the dtype of what it meets."""

    __slots__ = ("dtype", "shape", "data", "literal")

    def __init__(self, dtype, shape, data, literal=False):
        self.dtype = dtype
        self.shape = shape
        self.data = data
        self.literal = literal


def scalar(dtype, value):
    return Tensor(dtype, (), [value])


def count_of(shape):
    return math.prod(shape)


def settle(value):
    """A value whose literals have taken their own dtypes."""
    if isinstance(value, Tensor):
        if not value.literal:
            return value
        data = [single(entry) for entry in value.data] if value.dtype == "float32" else value.data
        return Tensor(value.dtype, value.shape, data)
    if isinstance(value, tuple):
        return tuple(settle(member) for member in value)
    if isinstance(value, dict):
        return {key: settle(member) for key, member in value.items()}
    return value


def adapt(tensor, dtype):
    """A literal as an entry of `dtype`; what is no literal, or cannot be one, is refused by the dtypes."""
    if not tensor.literal or tensor.dtype == "bool" or tensor.dtype == "string":
        return tensor
    if is_integer(tensor.dtype):
        if is_integer(dtype):
            return Tensor(dtype, tensor.shape, tensor.data)
        if dtype in FLOATS:
            return Tensor(dtype, tensor.shape, [float_of_int(dtype, entry) for entry in tensor.data])
    elif dtype in FLOATS:
        return Tensor(dtype, tensor.shape, [round_to(dtype, entry) for entry in tensor.data])
    return settle(tensor)


def common(tensors):
    """The tensors with one dtype: literals take that of the others, or float where one of them is a float."""
    firm = next((tensor.dtype for tensor in tensors if not tensor.literal), None)
    if firm is None:
        firm = next((tensor.dtype for tensor in tensors if tensor.dtype in FLOATS), tensors[0].dtype)
    out = [adapt(tensor, firm) if tensor.literal else tensor for tensor in tensors]
    if any(tensor.dtype != firm for tensor in out):
        raise Unknown(f"dtypes {[tensor.dtype for tensor in out]}")
    return out


# ---- Broadcasting ------------------------------------------------------------------------------------------------


def broadcast_shapes(*shapes):
    rank = max(len(shape) for shape in shapes)
    out = []
    for place in range(rank):
        dims = [shape[place - rank + len(shape)] for shape in shapes if place - rank + len(shape) >= 0]
        wide = [dim for dim in dims if dim != 1]
        if any(dim != wide[0] for dim in wide):
            raise Failed
        out.append(wide[0] if wide else 1)
    return tuple(out)


def strides_of(shape):
    out, step = [], 1
    for dim in reversed(shape):
        out.append(step)
        step *= dim
    return out[::-1]


def positions(shape):
    """All positions of a shape, in row-major order."""
    if 0 in shape:
        return
    position = [0] * len(shape)
    while True:
        yield position
        for axis in reversed(range(len(shape))):
            position[axis] += 1
            if position[axis] < shape[axis]:
                break
            position[axis] = 0
        else:
            return


def spread(tensor, shape):
    """The entries of a tensor broadcast to `shape`."""
    if tensor.shape == shape:
        return tensor.data
    if len(tensor.data) == 1:
        return tensor.data * count_of(shape)
    rank = len(shape)
    steps = [0] * (rank - len(tensor.shape))
    steps += [0 if dim == 1 else step for dim, step in zip(tensor.shape, strides_of(tensor.shape))]
    return [tensor.data[sum(at * step for at, step in zip(position, steps))] for position in positions(shape)]


def elementwise(function, dtype, *tensors):
    """function of the entries that broadcasting brings together."""
    if all(tensor.shape == () for tensor in tensors):
        return Tensor(dtype, (), [function(*(tensor.data[0] for tensor in tensors))])
    shape = broadcast_shapes(*(tensor.shape for tensor in tensors))
    return Tensor(dtype, shape, [function(*entries) for entries in zip(*(spread(t, shape) for t in tensors))])


def stack(tensors):
    """Tensors of one shape along a new first dimension."""
    if any(tensor.shape != tensors[0].shape for tensor in tensors):
        raise Failed
    data = [entry for tensor in tensors for entry in tensor.data]
    return Tensor(tensors[0].dtype, (len(tensors), *tensors[0].shape), data)


def slices(tensor):
    """The entries along the first dimension."""
    size = count_of(tensor.shape[1:])
    return [Tensor(tensor.dtype, tensor.shape[1:], tensor.data[i * size:(i + 1) * size])
            for i in range(tensor.shape[0])]


def map_leaves(function, *values):
    """function of the leaves of structures; the first one says the order of the keys."""
    first = values[0]
    if isinstance(first, tuple):
        if any(not isinstance(value, tuple) or len(value) != len(first) for value in values):
            raise Unknown("structures differ")
        return tuple(map_leaves(function, *members) for members in zip(*values))
    if isinstance(first, dict):
        if any(not isinstance(value, dict) or value.keys() != first.keys() for value in values):
            raise Unknown("structures differ")
        return {key: map_leaves(function, *(value[key] for value in values)) for key in first}
    return function(*values)


def leaves(value):
    if isinstance(value, tuple):
        return [leaf for member in value for leaf in leaves(member)]
    if isinstance(value, dict):
        return [leaf for member in value.values() for leaf in leaves(member)]
    return [value]


# ---- Printing ----------------------------------------------------------------------------------------------------

ESCAPES = {ord("\n"): "\\n", ord("\t"): "\\t", ord("\r"): "\\r", ord('"'): '\\"', ord("\\"): "\\\\"}


def quoted(text):
    """Bytes between double quotes, as they are printed and as they are written."""
    out = []
    for byte in text:
        if byte in ESCAPES:
            out.append(ESCAPES[byte])
        else:
            out.append(chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}")
    return '"' + "".join(out) + '"'


def float_text(dtype, value):
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if dtype == "float32":
        for digits in range(1, 10):
            short = float(f"{value:.{digits}g}")
            if single(short) == value:
                return repr(short)
    return repr(value)


def entry_text(dtype, entry):
    if dtype == "bool":
        return "true" if entry else "false"
    if dtype == "string":
        return quoted(entry)
    return float_text(dtype, entry) if dtype in FLOATS else str(entry)


def tensor_text(tensor):
    # Brackets alone show no dimension after one of 0.
    if 0 in tensor.shape[:-1]:
        return f"zeros([{', '.join(map(str, tensor.shape))}])"

    def part(shape, begin):
        if not shape:
            return entry_text(tensor.dtype, tensor.data[begin])
        step = count_of(shape[1:])
        return "[" + ", ".join(part(shape[1:], begin + i * step) for i in range(shape[0])) + "]"

    return part(tensor.shape, 0)


def is_word(key):
    return key.isidentifier() and key.isascii()


def key_text(key):
    return key if is_word(key) else quoted(key.encode())


def value_text(value):
    """An element as the library prints it."""
    if isinstance(value, Tensor):
        return tensor_text(value)
    if isinstance(value, tuple):
        return "(" + ", ".join(map(value_text, value)) + (",)" if len(value) == 1 else ")")
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key_text(key)}: {value_text(member)}" for key, member in value.items()) + "}"
    return value.printed()
