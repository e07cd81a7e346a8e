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


def test_an_element_goes_to_the_device_in_one_call(monkeypatch):
    calls = []
    put = jax.device_put

    def counting(value, *arguments):
        calls.append(value)
        return put(value, *arguments)

    monkeypatch.setattr(jax, "device_put", counting)
    dataset = weir.range(4).map(lambda x: {"a": x, "b": (weir.fn.float32(x), "t"), "c": [x, x]}).batch(2)
    rows = list(weir.jax.arrays(dataset))
    assert len(calls) == 2
    assert rows[1]["b"][0].tolist() == [2, 3] and rows[1]["b"][1].tolist() == [b"t", b"t"]
    assert rows[1]["c"].tolist() == [[2, 2], [3, 3]]


def test_parts_of_elements():
    ragged = next(weir.jax.arrays(weir.range(3).map(lambda x: weir.fn.arange(x)).ragged_batch(3)))
    assert isinstance(ragged.values, jax.Array) and ragged.row_splits.tolist() == [0, 0, 1, 3]
    text = next(weir.jax.arrays(weir.from_list(["a"])))
    assert text == b"a"


def test_the_next_element_follows_one_that_fails():
    elements = weir.jax.arrays(weir.range(4).map(lambda x: 6 // (x - 1)))
    assert next(elements) == -6
    with pytest.raises(weir.Error):
        next(elements)
    assert [int(x) for x in elements] == [6, 3]


def test_integers_are_not_cut():
    dataset = weir.from_tensor_slices([2**31 - 1, -(2**31), 2**31, -(2**31) - 1]).map(lambda x: {"x": x})
    elements = weir.jax.arrays(dataset)
    assert [int(next(elements)["x"]) for _ in range(2)] == [2**31 - 1, -(2**31)]
    for _ in range(2):
        with pytest.raises(OverflowError, match="expected int64 values that fit int32"):
            next(elements)
    large = weir.from_tensor_slices([2**32 - 1, 2**32]).map(lambda x: weir.fn.cast(x, weir.uint64))
    elements = weir.jax.arrays(large)
    assert int(next(elements)) == 2**32 - 1
    with pytest.raises(OverflowError, match="uint64"):
        next(elements)
    with jax.enable_x64(True):
        assert [int(x["x"]) for x in weir.jax.arrays(dataset)][2:] == [2**31, -(2**31) - 1]


@pytest.mark.parametrize("text", ["partition(4, part -> part | batch(2))", "shard(auto, auto) | batch(2)", "batch(2)"])
def test_each_process_reads_its_share(monkeypatch, text):
    dataset = weir.parse(f"range(16) | {text}")
    monkeypatch.setattr(jax, "process_count", lambda: 2)
    found = []
    for process in range(2):
        monkeypatch.setattr(jax, "process_index", lambda process=process: process)
        found += [x for batch in weir.jax._of_process(dataset, (process, 2)) for x in batch.tolist()]
        assert len(found) == 8 * (process + 1)
    assert sorted(found) == list(range(16))


def test_a_restored_iterator_fills_the_shared_cache():
    dataset, resumed = (weir.range(8).shuffle(8, seed=1).cache() for _ in range(2))
    whole = [[int(x) for x in weir.jax.arrays(dataset)] for _ in range(3)]
    before = weir.jax.arrays(weir.range(8).shuffle(8, seed=1).cache())
    seen = [int(next(before)) for _ in range(3)]
    elements = weir.jax.arrays(resumed)
    elements.set_state(before.get_state())
    assert [seen + [int(x) for x in elements], *([int(x) for x in weir.jax.arrays(resumed)] for _ in range(2))] == whole
    # The dataset draws seeds of its own: loops share its caches, also after a restore from others.
    drawn = weir.range(8).shuffle(8).cache()
    elements = weir.jax.arrays(drawn)
    other = weir.jax.arrays(weir.range(8).shuffle(8).cache())
    next(other)
    elements.set_state(other.get_state())
    assert len([*elements]) == 7
    assert len({tuple(int(x) for x in weir.jax.arrays(drawn)) for _ in range(3)}) == 1
