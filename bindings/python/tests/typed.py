"""What a user writes, for the type checkers: they find nothing, and types come out as expected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import weir
from weir import fn

if TYPE_CHECKING:
    from typing_extensions import assert_type


def pipelines() -> None:
    """Chained methods keep their types."""
    dataset = weir.range(10).map(lambda x: x * 2, num_parallel_calls="auto").batch(4, drop_remainder=True)
    parsed: weir.Dataset = weir.parse("range(@n)", n=3)
    both = weir.zip(dataset, parsed).shuffle(100, seed=(1, 2)).repeat().prefetch("auto")
    arrays = weir.from_tensor_slices({"x": np.zeros((3, 2)), "y": [1, 2, 3]})
    count = arrays.cardinality()
    rows: weir.Dataset = weir.from_arrow(np.zeros(1))
    named = weir.Dataset.range(3).map(lambda x: x, num_parallel_calls=weir.AUTOTUNE).repeat(None).apply(lambda d: d)
    built = weir.Dataset.from_tensor_slices({"x": [1, 2]}).padded_batch(2, drop_remainder=None)
    print(rows, named.element_spec, built.as_numpy_iterator())
    nothing = fn.clip(fn.cast(fn.zeros([2]), np.float32), 0.0, 1.0)
    if TYPE_CHECKING:
        assert_type(dataset, weir.Dataset)
        assert_type(both, weir.Dataset)
        assert_type(named, weir.Dataset)
        assert_type(count, int)
        assert_type(nothing, Any)
    for element in arrays:
        print(element["x"])


def names_of_tf_data() -> None:
    """They are names of the same parameters."""
    dataset = weir.Dataset.range(4).map(map_func=lambda x: x + 1).batch(batch_size=2, drop_remainder=True)
    padded = weir.range(0, 3, output_type=np.int32).padded_batch(2, padded_shapes=[]).shuffle(buffer_size=5)
    lines = weir.text_line(filenames="a.txt").interleave(map_func=lambda x: weir.range(x)).take(count=3)
    total = dataset.reduce(initial_state=0, reduce_func=lambda s, x: s + x)
    print(lines, total)
    if TYPE_CHECKING:
        assert_type(dataset, weir.Dataset)
        assert_type(padded, weir.Dataset)


def iterators() -> None:
    """So do iterators."""
    iterator = weir.range(10).iterator(epoch=2, checkpoint_policy="by_value")
    state: dict[str, object] = iterator.state_dict()
    iterator.load_state_dict(state)
    try:
        next(iterator)
    except weir.errors.InvalidArgument as error:
        where: tuple[str, str, int | None] = (error.path, error.file, error.record)
        print(where)
    function = weir.py_function(np.sin, spec="float64", block=True)
    weir.range(3).map(function)
    words: str = weir.digest(weir.range(3), 2, threads=1)
    print(words)
