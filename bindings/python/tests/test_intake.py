"""Arrays of others that go in."""

import array
import ctypes
import gc
import sys

import numpy as np
import pytest

import weir
from weir._intake import to_tensor


def shares(value, memory):
    """Whether a tensor of the value lies where the memory does."""
    return to_tensor(value).address == memory.__array_interface__["data"][0]


def test_without_a_copy():
    memory = np.arange(12, dtype=np.int32)
    assert shares(memory, memory)
    assert shares(memory.reshape(3, 4), memory)
    assert shares(memoryview(memory), memory)
    python = array.array("d", [1.0, 2.0])
    assert shares(python, np.frombuffer(python))

    class Exporter:
        def __dlpack__(self, **options):
            return memory.__dlpack__(**options)

        def __dlpack_device__(self):
            return memory.__dlpack_device__()

    assert shares(Exporter(), memory)

    class Array:
        def __array__(self, dtype=None, copy=None):
            return memory

    assert shares(Array(), memory)


def test_what_has_to_be_copied():
    memory = np.arange(12).reshape(3, 4)
    assert not shares(memory[:, ::2], memory)
    assert to_tensor(memory[:, ::2]).numpy().tolist() == memory[:, ::2].tolist()
    assert to_tensor(memory[::-1]).numpy().tolist() == memory[::-1].tolist()
    assert to_tensor(memory.astype(">i4")).numpy().tolist() == memory.tolist()
    assert to_tensor(np.asfortranarray(memory)).numpy().tolist() == memory.tolist()


def test_dates_are_their_numbers():
    dates = np.array(["2026-01-02"], "datetime64[D]")
    assert to_tensor(dates).numpy().tolist() == dates.view(np.int64).tolist()


def test_refused():
    with pytest.raises(TypeError, match="float128|longdouble"):
        to_tensor(np.zeros(2, np.longdouble))
    with pytest.raises(TypeError, match="str or bytes"):
        to_tensor(np.array([1, None], object))
    with pytest.raises(TypeError, match="expected a number"):
        weir.from_tensors(object())


def test_structures_of_arrays():
    data = {"x": np.arange(6.0).reshape(3, 2), "y": (np.array(["a", "b", "c"]), [1, 2, 3])}
    rows = list(weir.from_tensor_slices(data))
    assert [row["y"] for row in rows] == [(b"a", 1), (b"b", 2), (b"c", 3)]
    assert rows[2]["x"].tolist() == [4.0, 5.0]


def test_memory_is_released_when_nothing_needs_it():
    held = np.arange(10_000.0)
    before = sys.getrefcount(held)
    dataset = weir.from_tensor_slices(held)
    iterator = iter(dataset)
    del dataset
    assert sys.getrefcount(held) > before
    assert next(iterator) == 0.0
    del iterator
    gc.collect()
    assert sys.getrefcount(held) == before


def test_ctypes_memory():
    memory = (ctypes.c_int16 * 4)(1, 2, 3, 4)
    assert [int(x) for x in weir.from_tensor_slices(memory)] == [1, 2, 3, 4]


def test_arrow_columns():
    pyarrow = pytest.importorskip("pyarrow")
    numbers = pyarrow.array([1, 2, 3, 4])
    tensor = to_tensor(numbers.slice(1, 2))
    assert tensor.address == numbers.buffers()[1].address + 8
    assert tensor.numpy().tolist() == [2, 3]
    assert to_tensor(pyarrow.chunked_array([[1.5], [2.5, 3.5]])).numpy().tolist() == [1.5, 2.5, 3.5]
    assert to_tensor(pyarrow.array(["a", "bc", ""])).numpy().tolist() == [b"a", b"bc", b""]
    assert to_tensor(pyarrow.array([True, False, True]).slice(1)).numpy().tolist() == [False, True]
    pairs = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array([1, 2, 3, 4, 5, 6]), 2)
    assert to_tensor(pairs.slice(1)).numpy().tolist() == [[3, 4], [5, 6]]
    with pytest.raises(ValueError, match="missing values"):
        to_tensor(pyarrow.array([1, None]))
    table = pyarrow.table({"n": [1, 2], "s": ["x", "y"]})
    assert list(weir.from_tensor_slices(table)) == [{"n": 1, "s": b"x"}, {"n": 2, "s": b"y"}]


def test_pandas():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"n": [1, 2], "x": [0.5, 1.5], "s": ["a", "b"]})
    rows = list(weir.from_tensor_slices(frame))
    assert rows == [{"n": 1, "x": 0.5, "s": b"a"}, {"n": 2, "x": 1.5, "s": b"b"}]
    assert [int(x) for x in weir.from_tensor_slices(frame["n"])] == [1, 2]


def test_polars():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"n": [1, 2], "s": ["a", "b"]})
    assert list(weir.from_tensor_slices(frame)) == [{"n": 1, "s": b"a"}, {"n": 2, "s": b"b"}]


def test_arrow_streams_come_out():
    pyarrow = pytest.importorskip("pyarrow")
    dataset = weir.range(2500).map(
        lambda x: {
            "n": x,
            "pair": weir.fn.stack([x, x * 2]),
            "even": x % 2 == 0,
            "text": weir.fn.as_string(x),
            "deep": (x, {"y": x}),
        }
    )
    table = pyarrow.table(dataset)
    assert table.num_rows == 2500
    assert table["n"].to_pylist() == list(range(2500))
    assert table["pair"].to_pylist()[7] == [7, 14]
    assert table["even"].to_pylist()[:3] == [True, False, True]
    assert table["text"].to_pylist()[10] == b"10"
    assert table["deep"].to_pylist()[3] == {"0": 3, "1": {"y": 3}}
    assert pyarrow.table(weir.range(3))["value"].to_pylist() == [0, 1, 2]
    ragged = pyarrow.table(weir.range(4).map(lambda x: {"v": weir.fn.arange(x)}))
    assert ragged["v"].to_pylist() == [[], [0], [0, 1], [0, 1, 2]]
    with pytest.raises(TypeError, match="cannot be an Arrow column"):
        pyarrow.table(weir.range(4).window(2))
    with pytest.raises(OSError, match="division"):
        pyarrow.table(weir.range(4).map(lambda x: 6 // x))
