"""Terminals in traced functions are expressions: run for each element, not once while the function is traced."""

import asyncio
import threading

import numpy as np
import pytest

import weir
from weir import fn
from weir.errors import TraceError


def drawn(_=None):
    return weir.range(1).map(lambda _: fn.random_uniform([])).get_single_element()


def same(built, text):
    assert str(built) == str(weir.parse(text))
    assert built.fingerprint == weir.parse(text).fingerprint


def test_one_draw_for_each_element():
    draws = [float(x) for x in weir.range(4).map(drawn)]
    assert len(set(draws)) == 4
    twice = list(weir.range(3).map(lambda i: (drawn(), drawn())))
    assert len({float(x) for pair in twice for x in pair}) == 6


def test_they_are_those_of_the_text():
    one = weir.range(4).map(lambda i: weir.range(1).map(lambda y: fn.cast(y, np.float32)).get_single_element())
    same(one, "range(4) | map(i -> range(1) | map(y -> cast(y, float32)) | get_single_element())")
    same(weir.range(4).map(lambda i: weir.range(3).cardinality()), "range(4) | map(i -> range(3) | cardinality())")
    same(
        weir.range(4).map(lambda i: weir.range(3).reduce(0, lambda s, x: s + x)),
        "range(4) | map(i -> range(3) | reduce(0, (s, x) -> s + x))",
    )
    outside = weir.range(5)
    same(
        weir.range(4).map(lambda i: outside.batch(5).get_single_element()),
        "range(4) | map(i -> range(5) | batch(5) | get_single_element())",
    )
    same(
        weir.range(4).flat_map(lambda i: weir.range(10).shuffle(10, seed=1)),
        "range(4) | flat_map(i -> range(10) | shuffle(10, seed: 1))",
    )


def test_a_file_is_read_when_the_element_is_made(tmp_path):
    file = tmp_path / "lines"
    dataset = weir.range(2).map(lambda i: weir.text_line(str(file)).get_single_element())
    file.write_text("first\n")
    iterator = iter(dataset)
    assert next(iterator) == b"first"
    file.write_text("second\n")
    assert list(dataset) == [b"second"] * 2


EVERYWHERE = {
    "map": lambda d: d.map(drawn),
    "filter": lambda d: d.filter(lambda x: drawn() < 0.5).map(fn.float32),
    "flat_map": lambda d: d.flat_map(lambda x: weir.from_tensors(drawn())),
    "interleave": lambda d: d.interleave(lambda x: weir.from_tensors(drawn())),
    "scan": lambda d: d.scan(0, lambda s, x: (s, drawn())),
    "take_while": lambda d: d.take_while(lambda x: drawn() < 2.0).map(drawn),
    "map_and_batch": lambda d: d.map_and_batch(drawn, 1).unbatch(),
    "group_by_window": lambda d: d.group_by_window(
        lambda x: weir.range(2).cardinality() + x, lambda k, w: w.map(drawn), lambda k: weir.range(2).cardinality()
    ),
    "group_by_reducer": lambda d: d.group_by_reducer(
        lambda x: x, lambda k: drawn(), lambda s, x: s + drawn(), lambda s: s + drawn()
    ),
    "bucket_by_sequence_length": lambda d: d.map(lambda x: fn.stack([drawn()])).bucket_by_sequence_length(
        lambda x: weir.range(1).cardinality(), [3], [1, 1]
    ),
    "rejection_resample": lambda d: d.rejection_resample(
        lambda x: weir.range(1).map(lambda _: fn.cast(0, np.int64)).get_single_element(), [1.0]
    ).map(lambda c, x: drawn()),
}


@pytest.mark.parametrize("name", EVERYWHERE)
def test_inside_every_operator_that_takes_a_function(name):
    dataset = EVERYWHERE[name](weir.range(40))
    assert "random_uniform" in str(dataset) or "cardinality" in str(dataset)
    values = [float(np.ravel(x)[0]) for x in dataset]
    assert len(set(values)) == len(values) > 4


def test_what_they_give_is_a_value_like_others():
    pairs = weir.range(3).map(lambda x: weir.range(3).reduce((0, x), lambda s, y: (s[0] + y, s[1]))[1])
    assert [int(x) for x in pairs] == [0, 1, 2]
    named = weir.range(3).map(lambda x: weir.from_tensors({"a": x}).get_single_element().a)
    assert [int(x) for x in named] == [0, 1, 2]
    first, second = np.arange(2), np.arange(2) + 5
    taken = weir.range(2).map(lambda x: weir.cond(x > 0, lambda: (first, x), lambda: (second, x))[0])
    assert [x.tolist() for x in taken] == [[5, 6], [0, 1]]
    unpacked = weir.range(2).map(lambda x: (lambda a, b: a + b)(*weir.cond(x > 0, (x, 1), (x, 10))))
    assert [int(x) for x in unpacked] == [10, 2]
    nested = weir.range(2).map(lambda x: weir.range(4).window(4).get_single_element().batch(4).get_single_element())
    assert [x.tolist() for x in nested] == [[0, 1, 2, 3]] * 2
    chosen = weir.range(2).flat_map(lambda x: weir.cond(x > 0, weir.range(2), weir.range(5, 6)).map(lambda y: y + x))
    assert [int(x) for x in chosen] == [5, 1, 2]


TAKEN = [
    lambda x: sum(list(weir.range(3))),
    lambda x: [y for y in weir.range(3).map(lambda y: y)],
    lambda x: next(iter(OUTSIDE)),
    lambda x: next(OUTSIDE.iterator()),
    lambda x: OUTSIDE.at(0),
    lambda x: OUTSIDE[0],
    lambda x: list(OUTSIDE.as_numpy_iterator()),
    lambda x: list(weir.range(x)),
    lambda x: weir.range(3)[0],
    lambda x: OUTSIDE.__arrow_c_stream__(),
]
OUTSIDE = weir.range(3)


@pytest.mark.parametrize("function", TAKEN, ids=range(len(TAKEN)))
def test_elements_are_not_taken_while_a_function_is_traced(function):
    with pytest.raises(TraceError, match=r"(?s)Taking the elements.*reduce.*outside the function") as raised:
        weir.range(2).map(function)
    assert f"{__file__}, line {function.__code__.co_firstlineno}" in str(raised.value)


TAKEN_OF_AN_ITERATOR = {
    "next": lambda it: next(it),
    "for": lambda it: sum(x for x in it),
    "try_next": lambda it: it.try_next(),
    "next_within": lambda it: it.next_within(1.0),
    "next_block": lambda it: it.next_block(2)[0],
    "anext": lambda it: asyncio.run(taken(it)),
    "save": lambda it: it.save(),
    "save_file": lambda it: it.save_file("never"),
    "state_dict": lambda it: it.state_dict()["position"],
    "initialize": lambda it: it.initialize(),
    "load_state_dict": lambda it: it.load_state_dict({"position": SAVED}),
    "digest": lambda it: weir.Digest().update(it),
    "feedable": lambda it: next(weir.FeedableIterator("int64", it)),
    "manager": lambda it: MANAGER.append(weir.CheckpointManager("never")) or MANAGER.pop().save(it),
}
SAVED = weir.range(3).iterator().save()
MANAGER: list = []


async def taken(iterator):
    return await anext(iterator)


@pytest.mark.parametrize("name", TAKEN_OF_AN_ITERATOR)
def test_iterators_are_not_used_while_a_function_is_traced(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    iterator = weir.range(5).iterator()
    use = TAKEN_OF_AN_ITERATOR[name]
    expected = r"(?s)What is done to an iterator cannot become .*outside the function; zip\(.*py_function"
    with pytest.raises(TraceError, match=expected) as raised:
        weir.range(2).map(lambda x: use(iterator))
    assert f"{__file__}, line " in str(raised.value)
    # Nothing was taken, and it can be used again.
    assert [int(x) for x in iterator] == [0, 1, 2, 3, 4]


def test_iterators_are_used_on_other_threads_and_in_functions_that_run_in_python():
    iterator = weir.range(5).iterator()

    def beside(x):
        worker = threading.Thread(target=lambda: next(iterator))
        worker.start()
        worker.join()
        return x

    assert [int(x) for x in weir.range(2).map(beside)] == [0, 1]
    each = weir.py_function(lambda x: x + next(iterator), spec="int64", concurrent=False)
    assert [int(x) for x in weir.range(2).map(lambda x: each(x) * 10)] == [10, 30]


def test_outside_of_functions_they_run_at_once():
    assert weir.range(3).cardinality() == 3
    assert int(weir.range(3).reduce(fn.zeros([], weir.int64), lambda s, x: s + x)) == 3
    assert len(OUTSIDE) == 3 and [int(x) for x in OUTSIDE] == [0, 1, 2]
    assert [int(x) for x in weir.range(2).map(lambda x: x + len(OUTSIDE))] == [3, 4]
