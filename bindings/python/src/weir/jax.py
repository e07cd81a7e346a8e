"""weir in JAX: `weir.jax.arrays(dataset)` gives elements of jax.Array."""

from __future__ import annotations

import base64
import functools
import json
from collections import deque
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from ._core import DeviceArray, Spec
from ._dataset import Dataset
from ._iterator import Iterator
from ._marks import Marks
from ._shares import share_out
from ._values import Optional, Ragged, Sparse


def _mapped(value: Any, leaf: Callable[[Any], Any]) -> Any:
    """The element with `leaf` of each array and number in its place."""
    if isinstance(value, dict):
        return {name: _mapped(part, leaf) for name, part in value.items()}
    if isinstance(value, tuple):
        return tuple(_mapped(part, leaf) for part in value)
    if isinstance(value, Sparse):
        return Sparse(_mapped(value.indices, leaf), _mapped(value.values, leaf), _mapped(value.shape, leaf))
    if isinstance(value, Ragged):
        return Ragged(_mapped(value.values, leaf), _mapped(value.row_splits, leaf))
    if isinstance(value, Optional):
        return Optional(_mapped(value.value, leaf)) if value.has_value else value
    if isinstance(value, DeviceArray):
        return leaf(value)
    if not isinstance(value, (np.ndarray, np.generic)) or value.dtype.kind in "OT":
        return value
    return leaf(value)


def _checked(value: Any) -> Any:
    """An array whose integers JAX keeps: without x64 it has only their low 32 bits."""
    if isinstance(value, DeviceArray):
        return jax.dlpack.from_dlpack(value)
    if value.dtype.kind in "iu" and value.dtype.itemsize == 8 and value.size:
        limits = np.iinfo(jax.dtypes.canonicalize_dtype(value.dtype))
        if not limits.min <= value.min() <= value.max() <= limits.max:
            raise OverflowError(
                f"expected {value.dtype} values that fit {limits.dtype}, to which JAX cuts them, found others; call "
                'jax.config.update("jax_enable_x64", True), or leave them out'
            )
    return value


def to_jax(value: Any, device: Any = None) -> Any:
    """An element with jax arrays in place of arrays and numbers; strings and nested datasets stay as they are.

    All arrays go to the device in one call. On the CPU large arrays are shared with weir, which does not write to what
    somebody holds. Without x64, floats are rounded to float32, and integers that do not fit 32 bits are an error.
    """
    leaves: list[Any] = []
    _mapped(value, lambda leaf: leaves.append(_checked(leaf)))
    put = iter(jax.device_put(leaves, device))
    return _mapped(value, lambda _: next(put))


class Arrays:
    """The elements of a dataset as jax arrays. Made by `weir.jax.arrays`.

    `get_state` and `set_state` are what the handlers of Grain and Orbax ask of an iterator: bytes of JSON.
    """

    AHEAD = 2  # elements that are on their way to the devices while one is used

    def __init__(
        self, dataset: Dataset | Iterator, put: Callable[[Any], Any], begin: Callable[[Dataset], Iterator] = iter
    ) -> None:
        self._dataset = None if isinstance(dataset, Iterator) else dataset
        self._epoch = self._dataset._epoch if self._dataset else None
        self._source = Marks(dataset if isinstance(dataset, Iterator) else begin(dataset), self.AHEAD + 1)
        self._put = put
        self._read: deque[Any] = deque()
        self._ended = False

    def __iter__(self) -> Arrays:
        return self

    def __next__(self) -> Any:
        self.start_prefetch()
        if not self._read:
            raise StopIteration
        made = self._read.popleft()
        if isinstance(made, Exception):
            raise made
        return made

    def start_prefetch(self) -> None:
        """Reads ahead; an error is kept for its turn. Grain's handler calls it after `set_state`."""
        while len(self._read) <= self.AHEAD and not self._ended:
            try:
                self._read.append(self._put(next(self._source)))
            except StopIteration:
                self._ended = True
            except Exception as error:
                self._read.append(error)

    def get_state(self) -> bytes:
        """The position after the elements that were taken."""
        position, taken = self._source.state(len(self._read))
        kept = {"position": base64.b64encode(position).decode(), "taken": taken, "epoch": self._epoch}
        return json.dumps({"weir": 1, **kept}).encode()

    def set_state(self, state: bytes) -> None:
        """Goes on where `get_state` was called; the next `weir.jax.arrays` of the dataset has the epoch after that."""
        try:
            found = json.loads(state)
            position = base64.b64decode(found["position"], validate=True)
            taken, epoch = int(found["taken"]), found.get("epoch")
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"expected bytes as get_state() returns them, found {state!r:.80}") from error
        self._source.load(position, taken)
        self._read.clear()
        self._ended = False
        if self._dataset and epoch is not None:
            self._epoch, self._dataset._epoch = epoch, epoch + 1


def _share_of_process(sharding: Any) -> tuple[int, int]:
    """The number of this process's share of the rows, and how many there are: processes of the same rows have one."""
    size, rank = len(sharding.device_set), max(1, len(getattr(sharding, "spec", ())))
    cells: dict[int, set[tuple[Any, ...]]] = {}
    for device, index in sharding.devices_indices_map((size,) * rank).items():
        cells.setdefault(device.process_index, set()).add(tuple(part.indices(size) for part in index))
    rows = {process: tuple(sorted({cell[0] for cell in held})) for process, held in cells.items()}
    columns = {cell[1:] for held in cells.values() for cell in held}
    if any(len(held) != len(rows[process]) * len(columns) for process, held in cells.items()):
        raise ValueError(f"expected a sharding by which each process has whole rows, found {sharding}")
    shares, mine = sorted(set(rows.values())), rows.get(jax.process_index(), ())
    if len({row for held in shares for row in held}) != len(mine) * len(shares):
        raise ValueError(f"expected a sharding by which each process has as many rows, found {sharding}")
    return shares.index(mine), len(shares)


def _check_sizes(spec: Spec) -> None:
    """A process has its part of an array only, and takes those of the others to be of the same size."""
    for child in spec.children:
        _check_sizes(child)
    varies = spec.kind == "tensor" and spec.dtype != "string" and (spec.shape is None or None in spec.shape)
    if varies or spec.kind in ("ragged", "sparse"):
        raise ValueError(
            f"expected arrays whose sizes are known, since all processes must have the same ones, found {spec}; use "
            "batch(..., drop_remainder=True), pad to one length, or tell the size with weir.fn.ensure_shape"
        )


def _of_process(dataset: Dataset, share: tuple[int, int]) -> Iterator:
    """What this one of several processes reads of the next epoch."""
    made = share_out(dataset).iterator(epoch=dataset._epoch, rank=share[0], world_size=share[1])
    dataset._epoch += 1
    return made


def _to_global(value: Any, sharding: Any) -> Any:
    """An element as global arrays, of which this process has its part."""
    make: Any = jax.make_array_from_process_local_data
    return _mapped(value, lambda leaf: make(sharding, _checked(np.asarray(leaf))))


def arrays(dataset: Dataset | Iterator, device: Any = None, *, sharding: Any = None) -> Arrays:
    """The elements of a dataset, or those that an iterator has left, as jax arrays; two are read ahead.

    With a `sharding` they are global arrays, made from what each process reads: its share of the dataset, taken at
    its `partition` or `shard("auto", "auto")` if it has one, else every n-th element. Its elements have this process's
    part of each array, whose size must be known. Processes that have the same rows by the sharding get the same share.
    `device` may be a sharding as well, for arrays that a process has all of.
    """
    if sharding is None:
        return Arrays(dataset, functools.partial(to_jax, device=device))
    if device is not None:
        raise TypeError("expected a device or a sharding, found both")
    if jax.process_count() == 1:
        return Arrays(dataset, functools.partial(to_jax, device=sharding))
    share = _share_of_process(sharding)
    if share[1] > 1:
        _check_sizes(dataset.spec)
    put, begin = functools.partial(_to_global, sharding=sharding), functools.partial(_of_process, share=share)
    return Arrays(dataset, put, begin)


__all__ = ["Arrays", "arrays", "to_jax"]
