#!/usr/bin/env python3
"""What the Python package takes, beside its peers in the same run.

bench/python.py [ROW...]

Each row prints the best of several runs. Peers that are not installed are left out: torchdata (or torch), tensorflow.
"""

import sys
import time

import numpy as np

import weir

RUNS = 5
COUNT = 200_000


def best(body, runs=RUNS):
    """The shortest of some runs, in seconds. `body` returns what it took itself, or None."""
    times = []
    for _ in range(runs):
        begun = time.perf_counter()
        took = body()
        times.append(time.perf_counter() - begun if took is None else took)
    return min(times)


def drain(iterable):
    """Takes every element. Returns the seconds after the first."""
    iterator = iter(iterable)
    next(iterator)
    begun = time.perf_counter()
    for _ in iterator:
        pass
    return time.perf_counter() - begun


def show(name, value, unit, bound=""):
    """Prints a row."""
    print(f"{name:44} {value:12.1f} {unit:8} {bound}", flush=True)


def one_by_one():
    """Small elements, one at a time."""
    show("range, one by one", best(lambda: drain(weir.range(COUNT))) / COUNT * 1e9, "ns", "< nodes")
    mapped = weir.range(COUNT).map(lambda x: {"a": x, "b": x * 2})
    show("a dict of two numbers", best(lambda: drain(mapped)) / COUNT * 1e9, "ns")
    ahead = weir.range(COUNT).map(lambda x: x + 1).prefetch(64)
    show("range, prefetched", best(lambda: drain(ahead)) / COUNT * 1e9, "ns")
    try:
        from torchdata import nodes
    except ImportError:
        return
    show("torchdata.nodes", best(lambda: drain(nodes.Loader(nodes.IterableWrapper(range(COUNT))))) / COUNT * 1e9, "ns")


def shuffled(rows, width):
    """Rows of an array, shuffled and batched, beside indexing by hand."""
    data = np.random.default_rng(1).random((rows, width), np.float32)
    size = 128

    def by_hand():
        order = np.random.permutation(rows)
        for begin in range(0, rows, size):
            data[order[begin : begin + size]]

    dataset = weir.from_tensor_slices(data).shuffle(rows, seed=1).batch(size)
    ahead = dataset.prefetch("auto")
    whole = weir.from_tensor_slices(data).global_shuffle(seed=1).batch(size)
    name = f"{rows} x {width} floats, shuffled, batched"

    def all_of(dataset):
        for _ in dataset:
            pass

    # The whole of each, with the permutation and the filling of the buffer.
    hand, ours, early, everywhere = (
        data.nbytes / 1e6 / best(body, 3)
        for body in (by_hand, *(lambda d=d: all_of(d) for d in (dataset, ahead, whole)))
    )
    show(f"{name}: by hand", hand, "MB/s")
    show("  shuffle | batch", ours, "MB/s", f"{ours / hand:.2f} times by hand")
    show("  shuffle | batch | prefetch", early, "MB/s", f"{early / hand:.2f} times by hand")
    show("  global_shuffle | batch", everywhere, "MB/s", f"{everywhere / hand:.2f} times by hand")


def small():
    """1e6 rows of 8 floats."""
    shuffled(1_000_000, 8)


def large():
    """150k rows of 784 floats."""
    shuffled(150_000, 784)


def starting():
    """Building, beginning, one element."""

    def built():
        next(iter(weir.range(10).map(lambda x: x * x).batch(4)))

    def parsed():
        next(iter(weir.parse("range(10) | map(x -> x * x) | batch(4)")))

    dataset = weir.range(1_000_000).map(lambda x: x * x).batch(4)
    iterator = iter(dataset)
    many = 20_000

    def stepped():
        nonlocal iterator
        for _ in range(many):
            next(iterator)

    built()
    show("build by methods, first element", best(built, 200) * 1e6, "us", "<= 300")
    show("build from a text, first element", best(parsed, 200) * 1e6, "us", "<= 300")
    show("new iterator", best(lambda: iter(dataset) and None, 200) * 1e6, "us", "<= 60")
    show("next of a batch of 4", best(stepped) / many * 1e6, "us")
    iterator = iter(weir.range(1_000_000_000))
    show("next of range", best(stepped) / many * 1e6, "us", "<= 0.5")


ROWS = {"one_by_one": one_by_one, "small": small, "large": large, "starting": starting}

if __name__ == "__main__":
    for row in sys.argv[1:] or ROWS:
        ROWS[row]()
