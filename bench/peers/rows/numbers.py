"""Small pipelines of numbers, which stay inside the library."""

from __future__ import annotations

from typing import Any

from peers.row import NS, Rows, inside, ns_per

INLINE = (
    "`map` with its private argument `use_inter_op_parallelism=False`, which computes on the calling thread, and "
    "`map_parallelization` off, which would undo that"
)


def five_maps(tf: Any, n: int) -> Any:
    dataset = tf.data.Dataset.range(n)
    for _ in range(5):
        dataset = dataset.map(lambda x: x + 1)
    return dataset


def five_inline_maps(tf: Any, n: int) -> Any:
    from tensorflow.python.data.ops import map_op

    dataset = tf.data.Dataset.range(n)
    for _ in range(5):
        dataset = map_op._MapDataset(dataset, lambda x: x + 1, use_inter_op_parallelism=False)
    options = tf.data.Options()
    options.experimental_optimization.map_parallelization = False
    return dataset.with_options(options)


def scanned(tf: Any, n: int) -> Any:
    zero = tf.constant(0, tf.int64)
    return tf.data.Dataset.range(n).scan(zero, lambda s, x: (s + x, s))


def one_by_one(text: str) -> Any:
    """A document whose elements are large enough to be taken one by one."""
    from peers.systems.weir_itself import Document

    return lambda n: Document(text.replace("{n}", str(n)), blocks=False)


def moving(rows: Rows) -> None:
    """Operators that compute nothing."""
    both = {
        "range": ("range({n})", lambda data, n: data.range(n)),
        "take": ("range({n} + 1) | take({n})", lambda data, n: data.range(n + 1).take(n)),
        "skip": ("range({n} + 1) | skip(1)", lambda data, n: data.range(n + 1).skip(1)),
        "repeat": ("range({n} // 10) | repeat(10)", lambda data, n: data.range(n // 10).repeat(10)),
        "concatenate": (
            "range({n} // 2) | concatenate(range({n} // 2))",
            lambda data, n: data.range(n // 2).concatenate(data.range(n // 2)),
        ),
        "zip": ("zip(range({n}), range({n}))", lambda data, n: data.zip((data.range(n), data.range(n)))),
        "enumerate": ("range({n}) | enumerate()", lambda data, n: data.range(n).enumerate()),
    }
    for name, (text, make) in both.items():
        sides = {"weir": inside(text), "tf.data": inside(lambda tf, n, make=make: make(tf.data.Dataset, n))}
        rows.add(name, f"`{name}`", NS, sides, step=10, ratios={"tf.data": 150})


def computing(rows: Rows) -> None:
    """Functions of one number."""
    rows.add(
        "maps",
        "5 chained `map(x -> x + 1)`",
        NS,
        {
            "weir": inside("range({n})" + " | map(x -> x + 1)" * 5),
            "tf.data": inside(five_maps),
            "tf.data, inline": inside(five_inline_maps, INLINE),
        },
        ratios={"tf.data, inline": 1000},
    )
    rows.add(
        "filter",
        "`filter(x -> x % 2 == 0)`",
        ns_per("element read"),
        {
            "weir": inside("range({n}) | filter(x -> x % 2 == 0)"),
            "tf.data": inside(
                lambda tf, n: (
                    tf.data.Dataset.range(n)
                    .filter(lambda x: x % 2 == 0)
                    .apply(tf.data.experimental.assert_cardinality(n // 2))
                )
            ),
        },
        step=2,
        ratios={"tf.data": 2000},
    )
    rows.add(
        "scan",
        "`scan`, a running sum",
        NS,
        {"weir": inside("range({n}) | scan(0, (s, x) -> (s + x, s))"), "tf.data": inside(scanned)},
        ratios={"tf.data": 800},
    )


def batching(rows: Rows) -> None:
    """Batches of numbers, and of vectors that differ in length."""
    rows.add(
        "batch",
        "`batch(128)` of numbers",
        ns_per("number"),
        {
            "weir": inside(one_by_one("range({n}) | batch(128)")),
            "tf.data": inside(lambda tf, n: tf.data.Dataset.range(n).batch(128)),
        },
        step=128,
        ratios={"tf.data": 15},
    )
    rows.add(
        "padded_batch",
        "`padded_batch(128)` of numbers",
        ns_per("number"),
        {
            "weir": inside(one_by_one("range({n}) | padded_batch(128)")),
            "tf.data": inside(lambda tf, n: tf.data.Dataset.range(n).padded_batch(128)),
        },
        step=128,
        ratios={"tf.data": 15},
    )


def shuffling(rows: Rows) -> None:
    """The buffer is filled and drained once."""
    for size, least, most in ((10_000, 100_000, 200_000_000), (1_000_000, 2_000_000, 2_000_000)):
        rows.add(
            f"shuffle_{size}",
            f"`shuffle({size:,})` of int64",
            NS,
            {
                "weir": inside(f"range({{n}}) | shuffle({size}, seed: 1)"),
                "tf.data": inside(lambda tf, n, size=size: tf.data.Dataset.range(n).shuffle(size, seed=1)),
            },
            least=least,
            most=most,
            step=size,
            ratios={"tf.data": 40},
            why="three fifths of the 19 ns are `Shuffle::advance`, which draws a place, swaps and copies in the order "
            "of "
            "tf.data.",
        )


def opening(rows: Rows) -> None:
    """Datasets inside datasets."""
    for name, calls, ratio in (("interleave", 1, 20), ("interleave_calls", 4, 40)):
        more = "" if calls == 1 else f", num_parallel_calls: {calls}"
        rows.add(
            name,
            "`interleave` of 16 ranges, " + ("one thread" if calls == 1 else f"{calls} calls"),
            NS,
            {
                "weir": inside(f"range(16) | interleave(x -> range({{n}} // 16), cycle_length: 16{more})"),
                "tf.data": inside(lambda tf, n, calls=calls: interleaved(tf, n, calls)),
            },
            step=16,
            ratios={"tf.data": ratio},
            why="with parallel calls each slot is a window of its own, whose thread and the reader share two processors."
            if calls > 1
            else "",
        )
    rows.add(
        "flat_map",
        "`flat_map(x -> range(10))`",
        NS,
        {
            "weir": inside("range({n} // 10) | flat_map(x -> range(10))"),
            "tf.data": inside(
                lambda tf, n: (
                    tf.data.Dataset.range(n // 10)
                    .flat_map(lambda x: tf.data.Dataset.range(10))
                    .apply(tf.data.experimental.assert_cardinality(n))
                )
            ),
        },
        step=10,
        ratios={"tf.data": 30},
    )
    rows.add(
        "window",
        "`window(4)`, each batched",
        ns_per("window"),
        {
            "weir": inside("range({n} * 4) | window(4) | flat_map(w -> w | batch(4))"),
            "tf.data": inside(
                lambda tf, n: (
                    tf.data.Dataset.range(n * 4)
                    .window(4)
                    .flat_map(lambda w: w.batch(4))
                    .apply(tf.data.experimental.assert_cardinality(n))
                )
            ),
        },
        ratios={"tf.data": 30},
    )


def interleaved(tf: Any, n: int, calls: int) -> Any:
    data = tf.data.Dataset
    made = data.range(16).interleave(
        lambda x: data.range(n // 16), cycle_length=16, num_parallel_calls=calls if calls > 1 else None
    )
    return made.apply(tf.data.experimental.assert_cardinality(n))


def ahead(rows: Rows) -> None:
    """What passing elements from thread to thread costs."""
    rows.add(
        "prefetch",
        "`prefetch(1000)`",
        NS,
        {
            "weir": inside("range({n}) | prefetch(1000)"),
            "tf.data": inside(lambda tf, n: tf.data.Dataset.range(n).prefetch(1000)),
        },
        ratios={"tf.data": 60},
    )


def add_to(rows: Rows) -> None:
    moving(rows)
    computing(rows)
    batching(rows)
    shuffling(rows)
    opening(rows)
    ahead(rows)
