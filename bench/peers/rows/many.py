"""Many pipelines in one process, and memory."""

from __future__ import annotations

import functools
import os
import pathlib
import time
from collections.abc import Callable
from typing import Any

from peers import data
from peers.repeat import after_first, drained
from peers.row import BYTES_PER_ELEMENT, CORES, MS, OF_PAYLOAD, THREADS, Rows, call

PIPELINES = 64


def weir_pipelines(weir: Any, count: int = PIPELINES) -> Any:
    dataset = weir.range(1_000_000_000).map(lambda x: x + 1, num_parallel_calls="auto").batch(32).prefetch("auto")
    return [iter(dataset) for _ in range(count)]


def tf_pipelines(tf: Any, count: int = PIPELINES) -> Any:
    auto = tf.data.AUTOTUNE
    dataset = (
        tf.data.Dataset.range(1_000_000_000).map(lambda x: x + 1, num_parallel_calls=auto).batch(32).prefetch(auto)
    )
    return [iter(dataset) for _ in range(count)]


@functools.cache
def mlx_numbers(mlx: Any) -> Any:
    return mlx.buffer_from_vector([{"x": i} for i in range(10_000)])


def mlx_pipelines(mlx: Any, count: int = PIPELINES) -> Any:
    made = []
    for _ in range(count):
        stream = mlx_numbers(mlx).to_stream().repeat(1000)
        made.append(stream.key_transform("x", lambda x: x + 1).batch(32).prefetch(4, 2))
    return made


def thread_count() -> int:
    return len(os.listdir("/proc/self/task"))


def first_of_all(make: Any) -> Any:
    """Makes them all and takes an element of each."""
    iterators = make()
    for iterator in iterators:
        next(iterator)
    return iterators


def threads_added(make: Callable[[int], Any]) -> Callable[[], int]:
    """Of 64 pipelines, beyond those that one needs."""

    def run() -> int:
        kept = make(1)
        time.sleep(0.2)
        before = thread_count()
        iterators = make(PIPELINES)
        time.sleep(0.2)
        added = thread_count() - before
        del iterators, kept
        return added

    return run


def idle_share(iterators: Any) -> Callable[[], float]:
    """The processor time of taking a batch each 10 ms for a second, in percent of a core."""

    def run() -> float:
        begun, used = time.perf_counter(), time.process_time()
        for i in range(100):
            next(iterators[i % PIPELINES])
            time.sleep(max(0.0, begun + (i + 1) * 0.01 - time.perf_counter()))
        return 100 * (time.process_time() - used) / (time.perf_counter() - begun)

    return run


@functools.cache
def running(make: Any, library: Any) -> Any:
    return first_of_all(lambda: make(library))


def many(rows: Rows) -> None:
    makers = {"weir": weir_pipelines, "tf.data": tf_pipelines, "mlx-data": mlx_pipelines}
    once = {"least": 1, "most": 1}

    def added(make: Any) -> Any:
        return call(lambda library, n: threads_added(lambda count: first_of_all(lambda: make(library, count))))

    def begun(make: Any) -> Any:
        return call(lambda library, n: lambda: bool(first_of_all(lambda: make(library))) and None)

    def idle(make: Any) -> Any:
        return call(lambda library, n: idle_share(running(make, library)))

    work = "64 pipelines of `map(auto) | batch(32) | prefetch(auto)`"
    rows.add(
        "pipelines_threads",
        f"{work}: threads added",
        THREADS,
        {k: added(v) for k, v in makers.items()},
        bound=0,
        **once,
    )
    rows.add(
        "pipelines_start",
        f"{work}: made, an element of each",
        MS,
        {k: begun(v) for k, v in makers.items()},
        bound=10,
        why="making the iterators takes half a millisecond; the rest is the first element of each, which the runtime's "
        "threads make and hand over: a third of the time is the kernel's, mostly switching threads.",
        **once,
    )
    rows.add(
        "pipelines_idle",
        f"{work}: a batch each 10 ms",
        CORES,
        {k: idle(v) for k, v in makers.items()},
        bound=5,
        **once,
    )


# ---- Memory -----------------------------------------------------------------------------------------------


def own_memory() -> int:
    import gc

    gc.collect()
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) * 1024
    raise ValueError("no RssAnon")


def in_child(measure: Callable[[], float]) -> Callable[[], float]:
    """Measures once per process, since memory that was given back is not seen again."""
    found: list[float] = []

    def run() -> float:
        if not found:
            found.append(measure())
        return found[0]

    return run


def memory_of(take: Callable[[], Any]) -> Callable[[], float]:
    def measure() -> float:
        before = own_memory()
        held = take()
        after = own_memory()
        del held
        return float(after - before)

    return measure


def scaled(measure: Callable[[], float], by: float) -> Callable[[], float]:
    return in_child(lambda: measure() / by)


def memory(rows: Rows) -> None:
    size = 100_000
    payload = size * 1024

    @functools.cache
    def weir_buffer(weir: Any, n: int) -> Any:
        dataset = weir.tfrecord(data.records(1024, 64_000)).repeat(4)
        after_first(dataset.shuffle(10))
        return scaled(memory_of(lambda: after_first(dataset.shuffle(size))), payload)

    @functools.cache
    def tf_buffer(tf: Any, n: int) -> Any:
        dataset = tf.data.TFRecordDataset(data.records(1024, 64_000)).repeat(4)
        after_first(dataset.shuffle(10))
        return scaled(memory_of(lambda: after_first(dataset.shuffle(size))), payload)

    @functools.cache
    def weir_cache(weir: Any, n: int) -> Any:
        dataset = weir.range(1_000_000)
        drained(dataset.take(1000).cache())
        return scaled(memory_of(lambda: drained(dataset.batch(1000).unbatch().cache())), 1e6)

    @functools.cache
    def tf_cache(tf: Any, n: int) -> Any:
        dataset = tf.data.Dataset.range(1_000_000)
        drained(dataset.take(1000).cache())
        whole = dataset.cache()
        # Python stays out of the loop: what it keeps doesn't count.
        return scaled(memory_of(lambda: (whole, after_first(whole.skip(999_999)))), 1e6)

    once = {"least": 1, "most": 1}
    rows.add(
        "shuffle_memory",
        "`shuffle(100,000)` of 1 KB: memory",
        OF_PAYLOAD,
        {"weir": call(weir_buffer), "tf.data": call(tf_buffer)},
        bound=1.12,
        why="each row takes 56 bytes more, for its place, its origin and its draw; what is read ahead of the shuffle, 4 MiB "
        "and a few, counts too.",
        **once,
    )
    rows.add(
        "cache_memory",
        "`cache` of 1,000,000 int64: memory",
        BYTES_PER_ELEMENT,
        {"weir": call(weir_cache), "tf.data": call(tf_cache)},
        bound=10,
        **once,
    )


def add_to(rows: Rows) -> None:
    many(rows)
    memory(rows)
