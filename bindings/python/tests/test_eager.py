"""Functions of weir.fn that are called with arrays, outside of what is traced."""

import os
import threading

import numpy as np
import pytest

import weir
from weir import fn

IMAGE = np.arange(48 * 64 * 3, dtype=np.uint8).reshape(48, 64, 3)


def traced(function, *values):
    return next(iter(weir.from_tensors(values if len(values) > 1 else values[0]).map(function)))


@pytest.mark.parametrize(
    ("function", "values"),
    [
        (lambda x: fn.resize(x, [22, 31]), (IMAGE,)),
        (lambda x: fn.resize(x, [22, 31], method="nearest"), (IMAGE,)),
        (lambda x, y: fn.stack([x, y, x]), (np.ones(3), np.arange(3.0))),
        (lambda x: fn.clip(x, 1, 2.5), (np.arange(5, dtype=np.float32),)),
        (lambda x: fn.maximum(x, -0.0), (np.full(2, 0.0),)),
        (lambda x: fn.string_split(x, ","), (b"a,b",)),
        (lambda x: fn.string_length(x), (np.array([b"a", b"bc"], object),)),
        (lambda x: fn.cast(x, weir.bfloat16), (np.ones(2),)),
        (lambda x: fn.random_uniform([4], seed=7) + x, (np.float32(0),)),
        (lambda x: fn.decode_csv(x, {"a": weir.int64, "b": weir.float32}), (b"1,2.5",)),
        (lambda x: fn.map_rows(x, lambda row: row * 2) if hasattr(fn, "map_rows") else fn.sum(x), (np.ones((2, 3)),)),
    ],
)
def test_equals_what_is_traced(function, values):
    for _ in range(2):  # the second time with what the first one kept
        found, expected = function(*values), traced(function, *values)
        if isinstance(expected, dict):
            assert found == expected
            continue
        assert type(found) is type(expected) or np.shape(found) == ()
        np.testing.assert_array_equal(found, expected)
        assert np.asarray(found).dtype == np.asarray(expected).dtype


def test_each_call_has_its_own_arguments():
    for k in range(100):
        assert fn.sum(np.full(4, k)) == 4 * k
        assert fn.string_length("a" * k) == k
    zeros = [fn.maximum(np.full(1, -1.0), zero).tobytes() for zero in (0.0, -0.0)]
    assert zeros[0] != zeros[1]


def test_what_is_given():
    assert fn.sum([[1, 2], [3, 4]]) == 10 and fn.zeros([2, 3]).shape == (2, 3)
    assert fn.as_string(IMAGE[:2, ::16, 0]).shape == (2, 4)
    assert fn.maximum(np.float32(1), np.arange(2.0)).tolist() == [1.0, 1.0]  # a scalar adapts
    assert fn.max(memoryview(b"abc")) == 99
    assert fn.string_length(np.array(["a", "bcd"])).tolist() == [1, 3]
    assert isinstance(weir.range(2).map(lambda x: (x, fn.zeros([3]))), weir.Dataset)  # traced there


def test_optional_values():
    made = next(iter(weir.from_tensors({"a": np.int8(7), "b": "x"}).map(fn.some)))
    for value in (made, fn.some({"a": np.int8(7), "b": "x"})):
        assert fn.has_value(value) and fn.get_value(value) == {"a": 7, "b": b"x"}
        assert next(iter(weir.from_tensors(value))).value["a"].dtype == np.int8
    assert next(iter(weir.from_tensors(4).map(lambda x: fn.get_value(weir.Optional(x))))) == 4
    assert not fn.has_value(weir.Optional())
    with pytest.raises(weir.Error, match="found none"):
        fn.get_value(weir.Optional())
    with pytest.raises(TypeError, match=r"weir.fn.nothing\(SPEC\)"):
        weir.from_tensors(weir.Optional())


def test_what_is_drawn():
    assert fn.random_uniform([4]).tolist() != fn.random_uniform([4]).tolist()
    assert fn.random_uniform([4], seed=1).tolist() == fn.random_uniform([4], seed=1).tolist()
    assert len({float(x) for x in weir.range(3).map(lambda _: fn.random_uniform([]))}) == 3


def test_errors_are_those_of_the_traced_function():
    with pytest.raises(weir.errors.InvalidArgument, match=r"expected an image .*test_eager.py, line \d+"):
        fn.resize(np.zeros(8), [2, 2])
    for value in (b"abc", b"\xff\xd8"):
        with pytest.raises(weir.errors.InvalidArgument) as expected:
            traced(fn.decode_jpeg, value)
        with pytest.raises(weir.errors.InvalidArgument) as found:
            fn.decode_jpeg(value)
        assert str(found.value).split(" at line")[0] == str(expected.value).split(" at line")[0]
    assert fn.string_length(b"abc") == 3
    with pytest.raises(weir.errors.InvalidArgument, match="expected one dtype"):
        fn.maximum(np.zeros(2), np.zeros(2, np.int32))
    with pytest.raises(weir.errors.InvalidArgument, match="expected one dtype .* found int64 and float64"):
        fn.maximum(np.int64(1), np.float64(2.5))
    for value in (object(), np.array([object()])):
        with pytest.raises(TypeError, match="found object"):
            fn.sum(value)


def test_threads_and_forks():
    found = {}

    def sums(k):
        found[k] = [int(fn.sum(np.full(3, k + i))) for i in range(200)]

    threads = [threading.Thread(target=sums, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {k: [3 * (k + i) for i in range(200)] for k in range(4)}
    assert fn.sum(np.ones(3)) == 3
    child = os.fork()
    if child == 0:
        os._exit(0 if fn.sum(np.full(3, 2.0)) == 6 else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_in_a_function_of_python():
    doubled = weir.py_function(lambda x: fn.stack([x, x]), spec="int64[2]")
    assert [x.tolist() for x in weir.range(2).map(doubled)] == [[0, 0], [1, 1]]
