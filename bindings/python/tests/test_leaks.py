"""Nothing stays behind: what is counted after some rounds is still counted after thousands more."""

import gc
import os
import threading
import weakref

import numpy as np
import pytest
from conftest import allocated_bytes

import weir

COUNT = 10_000


def counted(others):
    """Objects, descriptors and threads, once the threads of loaders have ended that are not `others`."""
    gc.collect()
    for thread in threading.enumerate():
        if thread.name.startswith("weir-loader") and thread not in others:
            thread.join()
    return (len(gc.get_objects()), len(os.listdir("/proc/self/fd")), threading.active_count())


def grows_by(body, count=COUNT):
    """How many objects, descriptors, threads and bytes `count` calls leave, after as many that warm up."""
    others = set(threading.enumerate())
    for _ in range(count // 4):
        body()
    before, allocated = counted(others), allocated_bytes()
    for _ in range(count):
        body()
    after = counted(others)
    return [b - a for a, b in zip(before, after, strict=True)], allocated_bytes() - allocated


def check(body, count=COUNT):
    (objects, descriptors, threads), allocated = grows_by(body, count)
    assert objects < count // 100
    assert (descriptors, threads) == (0, 0)
    # The smallest block of malloc per call would be more.
    assert allocated < count * 16


def test_datasets():
    check(lambda: weir.parse("range(10) | map(x -> x * 2) | batch(4)"))
    check(lambda: weir.range(10).map(lambda x: {"a": x, "b": (x, "s")}), COUNT // 10)


def test_iterators():
    dataset = weir.range(10).map(lambda x: x + 1).shuffle(4, seed=1).batch(4)

    def begun():
        iterator = iter(dataset)
        next(iterator)

    check(begun)


def begins(loader):
    """What begins a loop and leaves it after its first element."""
    return lambda: next(iter(loader))


def test_iterators_of_torch():
    torch = pytest.importorskip("torch")
    dataset = weir.range(10).map(lambda x: weir.fn.float32(x)).batch(4)
    rows = torch.utils.data.TensorDataset(torch.arange(10.0))
    check(begins(weir.torch.loader(dataset)))
    check(begins(weir.torch.DataLoader(weir.torch.loader(dataset), batch_size=None)))
    check(begins(weir.torch.DataLoader(rows, batch_size=4, shuffle=True)))
    check(begins(weir.torch.DataLoader(rows, batch_size=4, num_workers=1)))


def test_iterators_of_jax():
    pytest.importorskip("jax")
    dataset = weir.range(10).map(lambda x: weir.fn.float32(x)).batch(4)
    check(lambda: next(weir.jax.arrays(dataset)))


def test_elements():
    data = np.zeros((64, 1000), np.float32)
    dataset = weir.from_tensor_slices({"x": data, "s": ["text"] * 64}).batch(4).repeat()
    iterator = iter(dataset)
    kept = []

    def taken():
        element = next(iterator)
        kept.append((element["x"][0], element["s"]))
        if len(kept) > 8:
            kept.clear()

    check(taken)


def test_failed_elements():
    iterator = iter(weir.range(1_000_000).map(lambda x: x // 0))

    def failed():
        try:
            next(iterator)
        except weir.Error:
            return
        raise AssertionError

    check(failed)


def test_functions_and_arrays_are_let_go():
    class Function:
        def __call__(self, x):
            return x

    function, array = Function(), np.arange(3000)
    gone = [weakref.ref(function), weakref.ref(array)]
    dataset = weir.from_tensor_slices(array).map(weir.py_function(function, spec="int64"))
    iterator = iter(dataset)
    element = next(iterator)
    del function, array, dataset
    assert gone[0]() is not None
    del iterator
    assert element == 0
    del element
    gc.collect()
    assert [reference() for reference in gone] == [None, None]
