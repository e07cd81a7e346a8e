"""Calls at once: bodies that compute, and bodies that wait."""

from __future__ import annotations

import ctypes
import functools
import time
from collections.abc import Callable
from typing import Any

from peers.row import EFFICIENCY, SECONDS, SPEED_UP, Rows, call

DEPTH = 8
AUTO = "`auto` has to find out that these calls wait, and how many pay, in a run of a tenth of a second."


def seconds_of(run: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    run()
    return time.perf_counter() - begun


# ---- Bodies that compute ----------------------------------------------------------------------------------


def weir_body(weir: Any, n: int, width: int, calls: int | str) -> Any:
    from peers.systems.weir_itself import Document, Loop, Module

    body = f"full([{width}], float32(x) / 1000.0)"
    for _ in range(DEPTH):
        body = f"tanh({body})"
    more = "" if calls == 1 else f", num_parallel_calls: {calls}"
    return Loop(Module.loop(), Document(f"range({n}) | map(x -> sum({body}){more})", blocks=False)).drain


def tf_body(tf: Any, n: int, width: int, calls: int | str) -> Any:
    def body(x: Any) -> Any:
        y = tf.fill([width], tf.cast(x, tf.float32) / 1000.0)
        for _ in range(DEPTH):
            y = tf.tanh(y)
        return tf.reduce_sum(y)

    parallel = {1: None, "auto": tf.data.AUTOTUNE}.get(calls, calls)
    made = iter(tf.data.Dataset.range(n).map(body, num_parallel_calls=parallel).skip(n - 1))
    return lambda: next(made)


@functools.cache
def width_for(make: Any, library: Any, body_seconds: float) -> int:
    """How wide a body must be to compute for so long, beside what calling it takes."""
    count = 200
    nothing = min(seconds_of(make(library, count, 1, 1)) for _ in range(3)) / count
    width = 1000
    for _ in range(4):
        took = min(seconds_of(make(library, count, width, 1)) for _ in range(3)) / count - nothing
        width = max(8, int(width * min(20.0, body_seconds / max(took, 1e-7))))
    return width


def speed_up(make: Any, library: Any, n: int, body_seconds: float, calls: int | str) -> Any:
    """How many times as fast the calls are as one thread, measured one after the other."""
    width = width_for(make, library, body_seconds)

    def run() -> float:
        alone, together = make(library, n, width, 1), make(library, n, width, calls)
        return seconds_of(alone) / seconds_of(together)

    return run


def computing(rows: Rows) -> None:
    for name, body, n, calls, bound in (
        ("body_1ms", 1e-3, 250, 2, 1.9),
        ("body_12us", 12e-6, 8_000, 2, 1.6),
        ("body_12us_8", 12e-6, 8_000, 8, 1.6),
        ("body_12us_auto", 12e-6, 8_000, "auto", 1.6),
    ):
        text = "1 ms" if body == 1e-3 else "12 µs"
        rows.add(
            name,
            f"`map` that computes for {text}, in order, {calls} calls, over one",
            SPEED_UP,
            {
                "weir": call(lambda weir, n, b=body, c=calls: speed_up(weir_body, weir, n, b, c)),
                "tf.data": call(lambda tf, n, b=body, c=calls: speed_up(tf_body, tf, n, b, c)),
            },
            least=n,
            most=n,
            bound=bound,
            why="on two processors both must be free: other processes of the machine took up to half of one.",
        )


# ---- Bodies that wait -------------------------------------------------------------------------------------


@functools.cache
def log_normal(count: int) -> list[int]:
    """Microseconds, with a median of 2 ms, as of a store across a network."""
    import numpy as np

    return [int(value) for value in np.random.default_rng(11).lognormal(np.log(2000), 1.0, count)]


def even(count: int) -> list[int]:
    return [5000] * count


def efficiency(sleeps: list[int], calls: int, run: Callable[[], Any]) -> Callable[[], float]:
    """What so many calls take that never wait for one another, over what it took."""
    return lambda: sum(sleeps) / 1e6 / calls / seconds_of(run)


def weir_sleeps(sleeps: list[int], calls: int | str) -> Any:
    from peers.systems.weir_itself import Document, Loop, Module

    text = f"range({len(sleeps)}) | map(@sleep, num_parallel_calls: {calls})"
    return Loop(Module.loop(), Document(text, sleeps=sleeps, blocks=False)).drain


def threads_asleep(sleeps: list[int], calls: int) -> Callable[[], None]:
    from peers.systems.weir_itself import Module, Sleeps

    values = (ctypes.c_int64 * len(sleeps))(*sleeps)
    made = Sleeps(values, len(sleeps))
    library = Module.loop()

    def run() -> None:
        if library.loop_sleep_in_threads(ctypes.byref(made), calls) != 0:
            raise RuntimeError("there are not as many threads")

    return run


def sleep_of(sleeps: list[int]) -> Callable[[Any], Any]:
    def sleep(i: Any) -> Any:
        time.sleep(sleeps[int(i)] / 1e6)
        return i

    return sleep


def tf_sleeps(tf: Any, sleeps: list[int], calls: int | str, pool: int = 0) -> Any:
    parallel = tf.data.AUTOTUNE if calls == "auto" else calls
    sleep = sleep_of(sleeps)
    made = tf.data.Dataset.range(len(sleeps)).map(
        lambda i: tf.numpy_function(sleep, [i], tf.int64), num_parallel_calls=parallel
    )
    if pool:
        options = tf.data.Options()
        options.threading.private_threadpool_size = pool
        made = made.with_options(options)
    made = iter(made.skip(len(sleeps) - 1))
    return lambda: next(made)


def grain_sleeps(grain: Any, sleeps: list[int], calls: int) -> Any:
    made = grain.MapDataset.range(len(sleeps)).map(sleep_of(sleeps))
    made = made.to_iter_dataset(grain.ReadOptions(num_threads=calls, prefetch_buffer_size=max(64, 2 * calls)))
    return lambda: [None for _ in made] and None


def nodes_sleeps(nodes: Any, sleeps: list[int], calls: int) -> Any:
    made = nodes.ParallelMapper(
        nodes.IterableWrapper(range(len(sleeps))), sleep_of(sleeps), num_workers=calls, in_order=True, method="thread"
    )
    loader = nodes.Loader(made)
    return lambda: [None for _ in loader] and None


def waiting(rows: Rows) -> None:
    for name, make, calls, n, bound, text in (
        ("sleeps", even, 32, 2000, 0.97, "sleeps 5 ms, 32 calls"),
        ("sleeps_log_normal", log_normal, 8, 1000, 0.95, "sleeps, log-normal, median 2 ms, in order, 8 calls"),
    ):
        sides = {
            "weir": call(lambda weir, n, m=make, c=calls: efficiency(m(n), c, weir_sleeps(m(n), c))),
            "tf.data": call(lambda tf, n, m=make, c=calls: efficiency(m(n // 8), c, tf_sleeps(tf, m(n // 8), c))),
            "tf.data, own pool": call(
                lambda tf, n, m=make, c=calls: efficiency(m(n), c, tf_sleeps(tf, m(n), c, c)),
                f"`private_threadpool_size` of {calls}",
            ),
            "Grain": call(lambda grain, n, m=make, c=calls: efficiency(m(n), c, grain_sleeps(grain, m(n), c))),
            "torchdata.nodes": call(
                lambda nodes, n, m=make, c=calls: efficiency(m(n), c, nodes_sleeps(nodes, m(n), c))
            ),
            "by hand": call(
                lambda np, n, m=make, c=calls: efficiency(m(n), c, threads_asleep(m(n), c)),
                "as many threads in C, which hand nothing over",
            ),
        }
        rows.add(
            name,
            f"`map` that {text}",
            EFFICIENCY,
            sides,
            least=n,
            most=n,
            bound=bound,
            why="a sleep ends later than it was asked to, and then waits for a processor: `by hand` is what this machine "
            "can do.",
        )
    rows.add(
        "sleeps_auto",
        "`map` that sleeps 5 ms, `auto`, over 32 calls",
        EFFICIENCY,
        {
            "weir": call(lambda weir, n: efficiency(even(n // 4), 32, weir_sleeps(even(n // 4), "auto"))),
            "tf.data": call(lambda tf, n: efficiency(even(n // 4), 32, tf_sleeps(tf, even(n // 4), "auto"))),
        },
        least=2000,
        most=2000,
        bound=0.97,
        why=AUTO,
    )


# ---- Files that are far away ------------------------------------------------------------------------------

FILES, PER_FILE = 10, 100


def remote_sleeps() -> list[int]:
    """The first element of a file waits for its opening, too."""
    return ([102_000] + [2000] * (PER_FILE - 1)) * FILES


def weir_remote(calls: int | str) -> Any:
    from peers.systems.weir_itself import Document, Loop, Module

    inner = f"range(x * {PER_FILE}, x * {PER_FILE} + {PER_FILE}) | map(@sleep)"
    text = f"range({FILES}) | interleave(x -> {inner}, cycle_length: {FILES}, num_parallel_calls: {calls})"
    return Loop(Module.loop(), Document(text, sleeps=remote_sleeps(), blocks=False)).drain


def tf_remote(tf: Any, calls: int | str) -> Any:
    sleep = sleep_of(remote_sleeps())
    parallel = tf.data.AUTOTUNE if calls == "auto" else calls

    def opened(x: Any) -> Any:
        rows = tf.data.Dataset.range(x * PER_FILE, (x + 1) * PER_FILE)
        return rows.map(lambda i: tf.numpy_function(sleep, [i], tf.int64))

    made = tf.data.Dataset.range(FILES).interleave(opened, cycle_length=FILES, num_parallel_calls=parallel)
    if calls != "auto":
        options = tf.data.Options()
        options.threading.private_threadpool_size = FILES
        made = made.with_options(options)
    made = iter(made.apply(tf.data.experimental.assert_cardinality(FILES * PER_FILE)).skip(FILES * PER_FILE - 1))
    return lambda: next(made)


def remote(rows: Rows) -> None:
    rows.add(
        "remote",
        "10 files, 100 ms to open, 2 ms an element, 1,000 elements, `interleave`",
        SECONDS,
        {
            "weir": call(lambda weir, n: lambda: seconds_of(weir_remote("auto")), "`auto`"),
            "tf.data, by hand": call(
                lambda tf, n: lambda: seconds_of(tf_remote(tf, FILES)), "10 calls, a pool of 10 threads"
            ),
            "tf.data, AUTOTUNE": call(lambda tf, n: lambda: seconds_of(tf_remote(tf, "auto"))),
        },
        least=1,
        most=1,
        ratios={"tf.data, by hand": 1},
        why=AUTO,
    )


def add_to(rows: Rows) -> None:
    computing(rows)
    waiting(rows)
    remote(rows)
