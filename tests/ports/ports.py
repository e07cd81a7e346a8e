"""What the ports share: stored elements, saved positions and parts.

The stored elements are those of the original, which ran on the files that the test writes; docs/ports.md lists them.
"""

from __future__ import annotations

import itertools
import pathlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

import weir

GOLDEN = pathlib.Path(__file__).parent / "golden"


def flat(element: Any, path: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """The tensors of an element by their paths, such as `features/age` or `0`; strings as NumPy's `S`."""
    if isinstance(element, dict):
        for key, value in element.items():
            yield from flat(value, f"{path}/{key}")
    elif isinstance(element, (tuple, list)):
        for index, value in enumerate(element):
            yield from flat(value, f"{path}/{index}")
    else:
        array = np.asarray(element)
        yield path, array.astype(bytes) if array.dtype.kind == "O" else array


def store(name: str, elements: Iterable[Any]) -> None:
    """Writes the elements of an original, which may be those of `as_numpy_iterator`; equal shapes in one array."""
    columns: dict[str, list[np.ndarray]] = {}
    for element in elements:
        for path, array in flat(element):
            columns.setdefault(path, []).append(array)
    arrays = {}
    for path, column in columns.items():
        if len({array.shape for array in column}) == 1:
            arrays[f"all{path}"] = np.stack(column)
        else:
            arrays.update({f"{n:03}{path}": array for n, array in enumerate(column)})
    np.savez_compressed(GOLDEN / f"{name}.npz", **arrays)


def stored(name: str) -> list[dict[str, np.ndarray]]:
    """The elements that `store` wrote, each as `flat` gives it."""
    elements: dict[int, dict[str, np.ndarray]] = {}
    with np.load(GOLDEN / f"{name}.npz") as arrays:
        for key in arrays.files:
            column = enumerate(arrays[key]) if key.startswith("all") else [(int(key[:3]), arrays[key])]
            for n, array in column:
                elements.setdefault(n, {})[key[3:]] = np.asarray(array)
    return [elements[n] for n in sorted(elements)]


def check_same(got: Any, want: dict[str, np.ndarray], within: float = 0.0) -> None:
    """That two elements have the same tensors: dtypes, shapes and entries, floats within a distance."""
    tensors = dict(flat(got))
    assert sorted(tensors) == sorted(want)
    for path, array in want.items():
        found = tensors[path]
        assert found.shape == array.shape, path
        if array.dtype.kind == "S":
            assert found.dtype.kind == "S", path
        else:
            assert found.dtype == array.dtype, path
        if within:
            np.testing.assert_allclose(found, array, rtol=0, atol=within, err_msg=path)
        else:
            np.testing.assert_array_equal(found, array, err_msg=path)


def check_elements(got: Iterable[Any], name: str, within: float = 0.0) -> None:
    """That the elements are those that are stored by this name, and no more."""
    want = stored(name)
    found = list(itertools.islice(got, len(want) + 1))
    assert len(found) == len(want)
    for left, right in zip(found, want, strict=True):
        check_same(left, right, within)


def check_equal(got: Iterable[Any], want: Iterable[Any]) -> None:
    """That two sequences of weir's elements are equal."""
    for left, right in itertools.zip_longest(got, want):
        check_same(left, dict(flat(right)))


def check_positions(dataset: weir.Dataset, count: int | None = None) -> None:
    """That what follows a saved position is what would have followed, at the ends and at places between.

    Of an endless dataset the first `count` elements are looked at.
    """
    whole = list(itertools.islice(dataset.iterator(), count))
    assert whole
    for place in sorted({0, 1, len(whole) // 3, len(whole) - 1, len(whole)}):
        iterator = dataset.iterator()
        for _ in range(place):
            next(iterator)
        again = dataset.iterator(checkpoint=iterator.save())
        check_equal(itertools.islice(again, None if count is None else count - place), whole[place:])


def check_parts(
    source: weir.Dataset, pipeline: Callable[[weir.Dataset], weir.Dataset], count: int | None = None
) -> None:
    """That two ranks have the elements of one, in turns, and that one continues where the two were.

    Of endless parts each rank's first `count` elements are looked at.
    """
    parts = source.partition(2, pipeline)
    ranks = [list(itertools.islice(parts.iterator(rank=rank, world_size=2), count)) for rank in (0, 1)]
    whole = list(itertools.islice(parts.iterator(), None if count is None else 2 * count))
    turns = [element for pair in itertools.zip_longest(*ranks) for element in pair if element is not None]
    check_equal(whole, turns)
    taken = max(1, min(map(len, ranks)) // 2)
    saved = []
    for rank in (0, 1):
        iterator = parts.iterator(rank=rank, world_size=2)
        for _ in range(taken):
            next(iterator)
        saved.append(iterator.save())
    again = parts.iterator(rank_checkpoints=saved)
    rest = itertools.islice(again, None if count is None else 2 * (count - taken))
    check_equal(rest, whole[2 * taken :])
    check_positions(parts, None if count is None else 2 * count)
