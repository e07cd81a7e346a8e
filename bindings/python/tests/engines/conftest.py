"""What the tests of engines share."""

import collections
import os
import sys

import weir

# Spark's processes run this Python.
os.environ["PYSPARK_PYTHON"] = sys.executable

# Elements of all kinds that have Arrow columns, out of an x.
ELEMENT = (
    "{x, text: as_string(x), yes: x % 3 == 0, rows: [[float32(x), 0.5], [1.0, 2.0]], "
    'words: string_split(as_string(x * x), "4"), pair: (x * 2, {half: float16(x % 5)}), '
    'flags: [x % 2 == 0, true, x % 5 == 1], names: [as_string(x), ""], some: full([x % 4, 2], x)}'
)


def document(number, inner=f"shuffle(50, seed: 7) | map(x -> {ELEMENT})", source="range(1000)"):
    """A document with so many parts."""
    return f"{source} | partition({number}, p -> p | {inner})"


def digest_of(elements, spec):
    """The digest of elements that come from an iterator."""
    return weir.digest(weir.from_generator(lambda: elements, str(spec)))


def started(start, stop):
    """What `start` returns. Ray gives a node 30 s, which is too little for a busy machine, so it may start again."""
    for left in reversed(range(5)):
        try:
            return start()
        except Exception as error:
            if not left or "timed out during startup" not in str(error):
                raise
            stop()


def begin(**options):
    """Connects to a cluster, and keeps Ray's own messages out of the tests' output."""
    import ray

    started(lambda: ray.init(logging_level="ERROR", log_to_driver=False, **options), ray.shutdown)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    return context


def places(ray_dataset):
    """How often each (_part, _index, x) comes."""
    return collections.Counter((row["_part"], row["_index"], row["x"]) for row in ray_dataset.iter_rows())


def places_of(dataset, number):
    """The same, by weir alone."""
    return collections.Counter(
        (part, index, int(element["x"]))
        for part in range(number)
        for index, element in enumerate(dataset.iterator(rank=part, world_size=number))
    )
