"""Elements as Python objects: kinds, lifetimes, writing, strings."""

import gc

import numpy as np
import pytest

import weir
from weir import fn

DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
def test_each_dtype_goes_in_and_comes_out(dtype):
    array = np.arange(24).reshape(4, 3, 2).astype(dtype)
    rows = list(weir.from_tensor_slices(array))
    assert [row.dtype for row in rows] == [np.dtype(dtype)] * 4
    np.testing.assert_array_equal(np.stack(rows), array)
    scalars = list(weir.from_tensor_slices(array.ravel()))
    assert [type(scalar) for scalar in scalars] == [np.dtype(dtype).type] * 24
    np.testing.assert_array_equal(scalars, array.ravel())


def test_bfloat16_without_ml_dtypes_is_float32():
    (value,) = weir.parse("from_tensors(bfloat16([1.5, -2.0]))")
    assert value.tolist() == [1.5, -2.0]


def test_structures():
    (element,) = weir.parse('from_tensors({a: (1, [2.5, 3.5]), "b c": {d: "x"}})')
    assert element["a"][0] == 1
    assert element["a"][1].tolist() == [2.5, 3.5]
    assert element["b c"] == {"d": b"x"}
    assert list(element) == ["a", "b c"]


def test_strings():
    texts = ["plain", "ä", ""]
    dataset = weir.from_tensors(np.array(texts))
    (arrays,) = dataset
    assert arrays.dtype == object
    assert arrays.tolist() == [text.encode() for text in texts]
    assert list(weir.from_tensor_slices(texts)) == [text.encode() for text in texts]
    (scalar,) = weir.from_tensors(b"\x00\xff")
    assert scalar == b"\x00\xff"


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="this NumPy has no StringDType")
def test_strings_as_text():
    (array,) = weir.from_tensors(["ä", "b"]).iterator(strings="text")
    assert array.dtype == np.dtypes.StringDType()
    assert array.tolist() == ["ä", "b"]
    assert next(weir.from_tensors("ä").iterator(strings="text")) == "ä"
    with pytest.raises(UnicodeDecodeError):
        next(weir.from_tensors(b"\xff").iterator(strings="text"))


def test_special_kinds():
    (sparse,) = weir.from_tensors(weir.Sparse(np.array([[0, 1]]), np.array([5]), np.array([2, 3])))
    assert sparse.indices.tolist() == [[0, 1]]
    assert sparse.values.tolist() == [5]
    assert sparse.shape.tolist() == [2, 3]
    (ragged,) = weir.parse("range(1, 4) | map(x -> arange(x)) | ragged_batch(3)")
    assert [row.tolist() for row in (ragged[0], ragged[1], ragged[-1])] == [[0], [0, 1], [0, 1, 2]]
    with pytest.raises(IndexError):
        ragged[3]
    some, none = weir.parse("range(2) | map(x -> if x == 0 then some(x) else nothing(int64))")
    assert some and some.value == 0
    assert not none
    with pytest.raises(ValueError, match="found none"):
        _ = none.value


def test_nested_datasets_are_datasets():
    windows = list(weir.range(7).window(3))
    assert all(isinstance(window, weir.Dataset) for window in windows)
    assert [[int(x) for x in window] for window in windows] == [[0, 1, 2], [3, 4, 5], [6]]
    assert [batch.tolist() for batch in windows[1].map(lambda x: x * 2).batch(2)] == [[6, 8], [10]]


def test_large_arrays_share_memory_and_stay():
    data = np.arange(100_000, dtype=np.float32).reshape(10, 10_000)
    kept = list(weir.from_tensor_slices(data))
    assert all(np.shares_memory(row, data) for row in kept)
    assert not any(row.flags.writeable for row in kept)
    batches = list(weir.range(100_000).batch(50_000))
    gc.collect()
    assert batches[0][-1] == 49_999
    assert batches[1][-1] == 99_999


def test_what_only_the_element_holds_is_writable():
    iterator = iter(weir.range(2).map(lambda x: fn.arange(10_000) + 10_000 * x))
    first = next(iterator)
    first[:] = -1
    assert next(iterator)[0] == 10_000
    assert (first == -1).all()
    small = next(iter(weir.range(4).batch(4)))
    small[0] = 9
    cached = weir.range(20_000).batch(10_000).cache().repeat(2)
    assert not next(iter(cached)).flags.writeable


def test_elements_outlive_everything():
    data = np.arange(50_000)
    dataset = weir.from_tensor_slices(data.reshape(5, 10_000)).map(lambda x: x + 1)
    iterator = iter(dataset)
    element = next(iterator)
    del dataset, iterator, data
    gc.collect()
    assert element[0] == 1 and element[-1] == 10_000


def test_blocks():
    iterator = weir.range(10).map(lambda x: {"a": x, "b": fn.stack([x, x])}).iterator()
    seen = []
    while True:
        try:
            block, rows = iterator.next_block(4)
        except StopIteration:
            break
        assert block["b"].shape == (rows, 2)
        seen += block["a"].tolist()
    assert seen == list(range(10))


def test_origins(digits):
    file = str(digits / "test-00000-of-00001.tfrecord.gz")
    iterator = weir.tfrecord(file, compression="gzip").skip(2).iterator()
    next(iterator)
    assert iterator.origin() == (file, 2)
    plain = weir.range(1).iterator()
    next(plain)
    assert plain.origin() == (None, None)
