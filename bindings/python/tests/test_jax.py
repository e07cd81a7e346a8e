"""The adapter for JAX, where that is installed."""

import pytest

import weir

jax = pytest.importorskip("jax")


def test_elements_are_arrays():
    dataset = weir.range(6).map(lambda x: (weir.fn.float32(x), {"s": "t"})).batch(4)
    first = next(weir.jax.arrays(dataset))
    assert isinstance(first[0], jax.Array) and first[0].tolist() == [0, 1, 2, 3]
    assert first[1]["s"].tolist() == [b"t"] * 4
    iterator = weir.range(3).iterator()
    next(iterator)
    assert [int(x) for x in weir.jax.arrays(iterator)] == [1, 2]
    device = jax.devices()[0]
    assert next(weir.jax.arrays(weir.range(1), device)).devices() == {device}
