"""What a dataset will do, and what an iterator has done."""

import re
import threading

import pytest

import weir


def test_explain_names_the_operators():
    dataset = weir.range(10).map(lambda x: x * x).prefetch(4)
    said = dataset.explain()
    graph = said["graph"]
    assert (graph["text"], graph["spec"], graph["cardinality"]) == ("prefetch(4)", "int64", 10)
    assert graph["window"]["max_rows"] == 4
    assert [graph["inputs"][0]["operator"], graph["inputs"][0]["inputs"][0]["operator"]] == ["map", "range"]
    assert said["checkpoint"]["needs_policy"] is False


def test_explain_for_a_terminal():
    lines = weir.range(10).batch(4).explain(text=True).splitlines()
    assert lines[0].startswith("batch(4)")
    assert lines[1].strip().startswith("range(10)")


def test_stats_count_elements():
    iterator = weir.range(10).batch(4).iterator()
    assert [stage["elements"] for stage in iterator.stats()["stages"]] == [0, 0]
    next(iterator)
    assert [(stage["path"], stage["elements"]) for stage in iterator.stats()["stages"]] == [
        ("batch", 1),
        ("batch/range", 4),
    ]
    assert len(list(iterator)) == 2
    said = iterator.stats("dict")
    assert said["elements"] == 3
    assert said["stages"][1]["elements"] == 10
    iterator.initialize()
    assert iterator.stats()["elements"] == 0


def test_stats_as_text():
    iterator = weir.range(10).batch(4).iterator()
    list(iterator)
    assert iterator.stats("text").split()[:3] == ["stage", "elements", "failed"]
    assert re.search(r'^weir_elements_total\{.*stage="batch/range".*\} 10$', iterator.stats("prometheus"), re.MULTILINE)
    with pytest.raises(ValueError, match="prometheus"):
        iterator.stats("json")


def test_stats_wait_for_nothing():
    inside = threading.Event()
    go = threading.Event()

    def wait(x):
        inside.set()
        go.wait()
        return x

    iterator = weir.range(2).map(weir.py_function(wait, spec="int64")).iterator()
    thread = threading.Thread(target=next, args=(iterator,))
    thread.start()
    inside.wait()
    assert iterator.stats()["elements"] == 0
    go.set()
    thread.join()
    assert iterator.stats()["elements"] == 1
