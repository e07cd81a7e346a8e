"""weir in PyTorch: `weir.torch.loader(dataset)` is an IterableDataset of tensors."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator as Elements
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch.utils.data import IterableDataset, get_worker_info

from ._dataset import Dataset
from ._iterator import Iterator
from ._values import Optional, Ragged, Sparse


def to_torch(value: Any, device: Any = None) -> Any:
    """An element with torch tensors in place of arrays and numbers; strings and nested datasets stay as they are.

    Arrays that only this element holds are shared; those that the library shares with others are copied, since torch
    has no read-only tensors.
    """
    if isinstance(value, dict):
        return {name: to_torch(part, device) for name, part in value.items()}
    if isinstance(value, tuple):
        return tuple(to_torch(part, device) for part in value)
    if isinstance(value, Sparse):
        return torch.sparse_coo_tensor(
            to_torch(value.indices).T, to_torch(value.values), tuple(value.shape.tolist()), device=device
        )
    if isinstance(value, Ragged):
        return Ragged(to_torch(value.values, device), to_torch(value.row_splits, device))
    if isinstance(value, Optional):
        return Optional(to_torch(value.value, device)) if value.has_value else value
    if not isinstance(value, (np.ndarray, np.generic)) or value.dtype.kind in "OT":
        return value
    shared = isinstance(value, np.ndarray) and value.ndim > 0 and value.dtype.name != "bfloat16"
    made = torch.from_dlpack(_writable(np.asarray(value))) if shared else _small(value)
    return made if device is None else made.to(device, non_blocking=True)


def _writable(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return array if array.flags.writeable else array.copy()


def _small(value: Any) -> torch.Tensor:
    """Scalars, and bfloat16, which NumPy's DLPack does not have."""
    if value.dtype.name == "bfloat16":
        return torch.from_numpy(np.array(value.view(np.int16))).view(torch.bfloat16)
    return torch.from_numpy(np.array(value))


class Loader(IterableDataset[Any]):
    """A dataset as torch tensors. Made by `weir.torch.loader`.

    Each loop begins the next epoch. In a DataLoader with workers, or with several ranks, each takes its share of the
    elements: worker w of W on rank r of R those at positions r * W + w modulo R * W. They are shared out at
    `shard("auto", "auto")`, if the dataset has one; put it before what is dear, such as decoding. Without one, every
    worker makes all elements and keeps its own. Workers must be spawned, not forked: the threads of a library do not
    survive a fork.
    """

    def __init__(self, dataset: Dataset, device: Any, rank: int | None, world_size: int | None, shard: bool) -> None:
        super().__init__()
        self._dataset = dataset
        self._device = device
        self._shard = shard
        self._rank = rank
        self._world_size = world_size
        self._epoch = 0
        self._pid = os.getpid()
        self._iterator: Iterator | None = None
        self._position: bytes | None = None

    def _share(self) -> tuple[int, int]:
        """Which share this worker of this rank takes, and of how many."""
        rank, ranks = self._rank, self._world_size
        if rank is None or ranks is None:
            ready = torch.distributed.is_available() and torch.distributed.is_initialized()
            rank = torch.distributed.get_rank() if ready else int(os.environ.get("RANK", "0"))
            ranks = torch.distributed.get_world_size() if ready else int(os.environ.get("WORLD_SIZE", "1"))
        worker = get_worker_info()
        number, count = (worker.id, worker.num_workers) if worker else (0, 1)
        return rank * count + number, ranks * count

    def __iter__(self) -> Elements[Any]:
        if os.getpid() != self._pid:
            raise RuntimeError(
                "this worker was forked, and weir's threads do not survive a fork; "
                'pass multiprocessing_context="spawn" (or "forkserver") to the DataLoader, or num_workers=0: '
                "weir has threads of its own"
            )
        index, count = self._share() if self._shard else (0, 1)
        dataset, where = self._dataset, {}
        if "shard(auto, auto)" in str(dataset):
            where = {"rank": index, "world_size": count}
        elif count > 1:
            dataset = dataset.shard(count, index)
        if self._position is not None:
            self._iterator = dataset.iterator(checkpoint=self._position, **where)
            self._position = None
        else:
            self._iterator = dataset.iterator(epoch=self._epoch, **where)
        self._epoch += 1
        return self._elements(self._iterator)

    def _elements(self, iterator: Iterator) -> Elements[Any]:
        for element in iterator:
            yield to_torch(element, self._device)

    def state_dict(self) -> dict[str, Any]:
        """The position in the current epoch, as torchdata's StatefulDataLoader keeps it."""
        position = self._iterator.save() if self._iterator is not None else self._position
        return {"weir": 1, "epoch": self._epoch, "position": position}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """The next loop goes on where `state_dict` was called."""
        self._position = state["position"]
        self._iterator = None
        self._epoch = state["epoch"] - (1 if self._position is not None else 0)

    def __getstate__(self) -> dict[str, Any]:
        kept = dict(self.__dict__)
        kept["_iterator"] = None
        kept["_dataset"] = pickle.dumps(self._dataset)
        return kept

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._dataset = pickle.loads(state["_dataset"])
        # A worker that was spawned: everything here is its own.
        self._pid = os.getpid()


def loader(
    dataset: Dataset,
    device: Any = None,
    *,
    rank: int | None = None,
    world_size: int | None = None,
    shard: bool = True,
) -> Loader:
    """The dataset as an IterableDataset of torch tensors, on `device` if one is given.

    Use it as it is, or in a DataLoader with batch_size=None. The rank and the number of ranks come from
    torch.distributed or the environment unless they are given; `shard=False` gives every worker all elements.
    """
    return Loader(dataset, device, rank, world_size, shard)


__all__ = ["Loader", "loader", "to_torch"]
