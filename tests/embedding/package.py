"""weir's package for Python in place of the C library (probe.py): the same pipeline, with elements as NumPy arrays, and
one of chained methods. The probe stays, but only tells what the process is like: it loads no library here."""

import contextlib
import gc
import hashlib
import os
import sys
import threading

import probe

FOLDER = os.environ["WEIR_FOLDER"]
SHARED = f"{FOLDER}/tests/conformance/data_expr"


def prepare():
    """NumPy's own effects are not weir's."""
    import numpy  # noqa: F401


def load(is_global=False):
    """Imports weir. If `is_global`, what it loads is seen by everything that is loaded later."""
    flags = sys.getdlopenflags()
    sys.setdlopenflags(flags | os.RTLD_GLOBAL if is_global else flags)
    try:
        import weir  # noqa: F401
    finally:
        sys.setdlopenflags(flags)


@contextlib.contextmanager
def runtime(threads):
    """The default runtime of the body, which ends with it."""
    import weir
    made = weir.Runtime(threads=threads)
    weir.set_default_runtime(made)
    try:
        yield
    finally:
        gc.collect()
        made.close()


def pipelines():
    """The document of the probe; and traced functions, a shuffle and a function that runs in Python."""
    import weir
    text = weir.parse(probe.document(), digits=f"{FOLDER}/examples/digits/data/*.tfrecord.gz",
                      photo=f"{SHARED}/color420.jpg", drawing=f"{SHARED}/rgb.png",
                      people=f"{probe.FOLDER.decode()}/tests/conformance/data/small.sqlite",
                      moving=f"{SHARED}/three.gif")
    traced = weir.range(2000).map(lambda x: (x * 3 % 17, weir.fn.sqrt(weir.fn.float64(x))), num_parallel_calls=4)
    called = traced.shuffle(64, seed=5).map(lambda n, root: n + weir.fn.int64(root))
    chained = called.map(weir.py_function(lambda x: x + 1, spec="int64", pure=True)).batch(90)
    return text, chained


def add(hashed, value):
    """An element becomes part of a hash: names, dtypes, shapes and bytes."""
    import numpy
    if isinstance(value, dict):
        for name, part in value.items():
            hashed.update(name.encode())
            add(hashed, part)
        return
    array = numpy.asarray(value)
    data = repr(array.tolist()).encode() if array.dtype.kind == "O" else array.tobytes()
    hashed.update(f"{array.dtype} {array.shape} ".encode() + data)


def read(datasets):
    """The hash of all elements. Half way the position of each is saved, and another iterator goes on from there."""
    hashed = hashlib.sha256()
    for dataset in datasets:
        iterator = dataset.iterator(epoch=0)
        for _ in range(5):
            add(hashed, next(iterator))
        for element in dataset.iterator(checkpoint=iterator.save()):
            add(hashed, element)
    return hashed.hexdigest()[:16]


def run(threads):
    """What `read` finds on so many threads of weir, from as many threads of Python."""
    found = []
    with runtime(threads):
        datasets = pipelines()
        callers = [threading.Thread(target=lambda: found.append(read(datasets))) for _ in range(threads - 1)]
        for caller in callers:
            caller.start()
        found.append(read(datasets))
        for caller in callers:
            caller.join()
        del datasets
    if found != [found[0]] * threads:
        raise RuntimeError(f"the threads found {found}")
    return found[0]


def matrices(size):
    """The same numbers as hosts.whole_numbers: four matrices, one an element."""
    import weir
    numbers = weir.range(4 * size * size).map(lambda i: weir.fn.float32(i * 7919 % 13 - 6), num_parallel_calls=2)
    return numbers.batch(size).batch(size).prefetch(1)
