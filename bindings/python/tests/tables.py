"""What the tests of files with tables share."""

import functools

import numpy as np
import pyarrow
import pytest
from conftest import EXTENSIONS, allocated_bytes

import weir

needs_parquet = pytest.mark.skipif(
    not (EXTENSIONS / "libweir-parquet.so").exists(), reason="weir-parquet was not built"
)


NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def bytes_read():
    """What the process has read from files."""
    with open("/proc/self/io") as file:
        return int(file.readline().split()[1])


def value_of(scalar):
    """What weir makes of a scalar of pyarrow."""
    types, kind = pyarrow.types, scalar.type
    if not scalar.is_valid:
        return None
    if types.is_dictionary(kind):
        return value_of(scalar.dictionary[scalar.index.as_py()])
    if types.is_struct(kind):
        return {name: value_of(scalar[name]) for name in scalar}
    if types.is_map(kind) or hasattr(kind, "value_type"):
        if not types.is_struct(scalar.values.type):
            return [value_of(entry) for entry in scalar.values]
        names = [field.name for field in scalar.values.type]
        return {name: [value_of(entry) for entry in scalar.values.field(name)] for name in names}
    if types.is_date64(kind):
        return scalar.value * NANOSECONDS["ms"]
    if types.is_temporal(kind):
        return scalar.value * NANOSECONDS[getattr(kind, "unit", "ns")]
    if types.is_decimal(kind):
        return float(scalar.as_py())
    text = scalar.as_py()
    return text.encode() if isinstance(text, str) else text


def plain(value):
    """An element without NumPy, and with None for what is missing."""
    if isinstance(value, weir.Optional):
        return plain(value.value) if value else None
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    if isinstance(value, weir.Ragged):
        return [plain(value[i]) for i in range(len(value))]
    return value.tolist() if hasattr(value, "tolist") else value


LARGE_ROWS = 1 << 19


@functools.cache
def large_groups(groups):
    """Columns of 8 and 12 random bytes a row, and one that tests don't use."""
    numbers = np.random.default_rng(5)
    count = groups * LARGE_ROWS
    words = numbers.integers(0, 256, (count, 12), "uint8").tobytes()
    words = pyarrow.Array.from_buffers(pyarrow.binary(12), count, [None, pyarrow.py_buffer(words)])
    words = words.cast(pyarrow.binary())
    return pyarrow.table({"a": numbers.normal(size=count), "s": words, "unused": numbers.normal(size=count)})


def most_memory(dataset):
    """How much memory is in use at most, beyond that before the first element, as found at each element."""
    before = allocated_bytes()
    return max(allocated_bytes() - before for _ in dataset)
