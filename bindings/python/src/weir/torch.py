"""weir in PyTorch: `weir.torch.loader(dataset)` is an IterableDataset of tensors."""

from __future__ import annotations

import contextlib
import importlib
import itertools
import multiprocessing
import os
import pickle
import sys
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Iterator as Elements
from multiprocessing.context import get_spawning_popen
from typing import Any

import numpy as np
import torch
from torch.utils.data import IterableDataset, get_worker_info
from torch.utils.dlpack import from_dlpack

from ._dataloader import DataLoader
from ._dataset import INFINITE, Dataset, from_generator
from ._function import py_function
from ._iterator import Iterator, checked_states
from ._operators import range as range_
from ._shares import count_of, has_partition, share_out
from ._values import Optional, Ragged, Sparse
from .errors import FORKED, Error


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
            to_torch(value.indices).T, to_torch(value.values), tuple(to_torch(value.shape).tolist()), device=device
        )
    if isinstance(value, Ragged):
        return Ragged(to_torch(value.values, device), to_torch(value.row_splits, device))
    if isinstance(value, Optional):
        return Optional(to_torch(value.value, device)) if value.has_value else value
    if not isinstance(value, (np.ndarray, np.generic)) and hasattr(value, "__dlpack_device__"):
        # On a device already: the current stream waits for the copy.
        made = from_dlpack(value)
        return made if device is None else made.to(device, non_blocking=True)
    if not isinstance(value, (np.ndarray, np.generic)) or value.dtype.kind in "OT":
        return value
    shared = isinstance(value, np.ndarray) and value.ndim > 0 and value.dtype.name != "bfloat16"
    made = from_dlpack(_writable(np.asarray(value))) if shared else _small(value)
    return made if device is None else made.to(device, non_blocking=True)


def _writable(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return array if array.flags.writeable else array.copy()


def _small(value: Any) -> torch.Tensor:
    """Scalars, and bfloat16, which NumPy's DLPack does not have."""
    if value.dtype.name == "bfloat16":
        return torch.from_numpy(np.array(value.view(np.int16))).view(torch.bfloat16)
    return torch.from_numpy(np.array(value))


def _goes_to_worker() -> bool:
    """Whether what is being pickled is for a worker process of a DataLoader. Others are spawned, too, such as ranks."""
    frame = sys._getframe(1) if get_spawning_popen() is not None else None
    while frame is not None:
        # That of multiprocessing, which starts the process.
        if "process_obj" in frame.f_locals:
            return getattr(frame.f_locals["process_obj"]._target, "__name__", "") == "_worker_loop"
        frame = frame.f_back
    return False


class _Epochs:
    """Numbers the loops over one loader in all processes, the parent's and its workers'.

    The workers of one DataLoader loop share a number. They know one another by `group`: the parent counts the copies
    that it makes for workers, so the number of a worker's copy less that of the worker is the same for all of them.
    """

    KEPT = 64  # loops of workers whose number is known; those of a DataLoader begin at about the same time

    def __init__(self, next_epoch: int) -> None:
        # The next number, how many loops of workers there were, the workers that loaded a state last; for each of the
        # last loops group, loop and number.
        self._numbers: torch.Tensor = torch.zeros(3 + 3 * self.KEPT, dtype=torch.int64)
        share: Callable[[], object] = self._numbers.share_memory_
        share()
        self._numbers[0] = next_epoch
        self._numbers[2] = -1
        self._lock = multiprocessing.get_context("spawn").Lock()

    def load(self, epoch: int, group: int) -> None:
        """Sets the next number. Workers of one group load their states one after another, the parent has no group."""
        with self._lock:
            again = group >= 0 and int(self._numbers[2]) == group
            self._numbers[0] = max(self.current(), epoch) if again else epoch
            self._numbers[2] = group

    def current(self) -> int:
        """The number that the next loop has."""
        return int(self._numbers[0])

    def begin(self) -> int:
        """The number of a loop of one process."""
        with self._lock:
            self._numbers[0] += 1
            return self.current() - 1

    def begin_together(self, group: int, loop: int) -> int:
        """The number of loop `loop` of a group of workers, the same for all of them."""
        with self._lock:
            number, begun, _, *known = self._numbers.tolist()
            for place in range(max(0, begun - self.KEPT), begun):
                at = 3 * (place % self.KEPT)
                if known[at : at + 2] == [group, loop]:
                    return int(known[at + 2])
            at = 3 + 3 * (begun % self.KEPT)
            self._numbers[at : at + 3] = torch.tensor([group, loop, number])
            self._numbers[:2] += 1
            return int(number)


def _positions(state: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The positions in a state, with the shares that they are of."""
    if state["weir"] == 1:
        position = state["position"]
        return [] if position is None else [{"position": position, "rank": 0, "world_size": 0}]
    return list(state["resumed"])


def _resizes(positions: Sequence[Mapping[str, Any]]) -> int:
    """How many numbers of shares the positions were saved in, one after another."""
    return max((1 + _resizes(at.get("resumed", [])) for at in positions), default=0)


def _age(state: Mapping[str, Any]) -> tuple[bool, bool, int]:
    """Sorts states: what a loop was given comes before where loops are, which is newer, and all shares before one."""
    at = _positions(state)
    return "ended" in state, len(at) < at[0]["world_size"] if at else False, _resizes(at)


def _shares_of(states: Sequence[Mapping[str, Any]], epoch: int) -> list[dict[str, Any]]:
    """The positions of all shares in the epoch before this one. One that had not begun it has none."""
    late = [one for one in states if int(one["epoch"]) < epoch and (one.get("ended", False) or not _positions(one))]
    begun = sorted((one for one in states if one not in late), key=_age)
    found = {(at["rank"], at["world_size"]): dict(at) for one in begun for at in _positions(one)}
    count = [0, *(at["world_size"] for one in begun for at in _positions(one))][-1]
    # Loops that have not begun, and were given the states of another number of shares.
    waiting = [one for one in begun if _positions(one) and _positions(one)[0]["world_size"] != count]
    missing = [rank for rank in range(count) if (rank, count) not in found]
    if waiting and not late and len(missing) in (0, len(waiting)):
        found = {share: at for share, at in found.items() if share[1] == count}
        for rank in missing:
            given = _positions(waiting[0])
            found[rank, count] = {"resumed": given, "rank": rank, "world_size": count, "on": given[0].get("on")}
    elif not waiting and len(missing) == len(late):
        first = found[next(iter(found))] if found else {}
        for rank in missing:
            found[rank, count] = {**first, "position": None, "given": 0, "rank": rank, "epoch": epoch - 1}
    return list(found.values())


class _Every:
    """Every n-th element that an iterator over all of them has left."""

    def __init__(self, iterator: Iterator, ranks: int, skip: int) -> None:
        self._iterator = iterator
        self._ranks = ranks
        self.skip = skip  # how many there are before the next one

    def __next__(self) -> Any:
        while self.skip:
            # An error in the place of another's element is the other's.
            with contextlib.suppress(Error):
                next(self._iterator)
            self.skip -= 1
        self.skip = self._ranks - 1
        return next(self._iterator)

    def save(self) -> bytes:
        """The position among all elements."""
        return self._iterator.save()


class _Loop:
    """The elements of one loop over a loader. It begins with the first one, unless it has begun."""

    def __init__(self, loader: Loader, iterator: Iterator | _Every | None) -> None:
        self._loader = loader
        self._iterator = iterator

    def __iter__(self) -> _Loop:
        return self

    def __next__(self) -> Any:
        if self._iterator is None:
            self._iterator = self._loader._begin()
        try:
            element = next(self._iterator)
        except StopIteration:
            if self._loader._iterator is self._iterator:
                self._loader._ended = True
            raise
        if self._loader._iterator is self._iterator and self._loader._given is not None:
            self._loader._given += 1
        return to_torch(element, self._loader._device or ("cpu" if self._loader._on else None))


def _launched() -> tuple[int, int]:
    """The rank of this process, and how many there are, as torch.distributed or the environment says."""
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    return int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))


def _check_ranks(rank: int | None, world_size: int | None) -> None:
    """What is None is not known yet."""
    if world_size is not None and world_size < 1:
        raise ValueError(f"expected at least 1 for world_size, found {world_size}")
    if rank is not None and (rank < 0 or (world_size is not None and rank >= world_size)):
        below = "" if world_size is None else f" and below world_size, which is {world_size}"
        raise ValueError(f"expected a rank of at least 0{below}, found {rank}; give both, or neither")


class Loader(IterableDataset[Any]):
    """A dataset as torch tensors. Made by `weir.torch.loader`.

    Each loop begins the next epoch. In a DataLoader with workers, or with several ranks, each takes its share of the
    elements: worker w of W on rank r of R those at positions r + R * w modulo R * W. They are shared out at
    `shard("auto", "auto")`, if the dataset has one; put it before what is dear, such as decoding. Of a `partition` they
    take the parts with these numbers. Without either, every worker makes all elements and keeps its own. Workers must
    be spawned, not forked: the threads of a library do not survive a fork.

    `len(loader)` is the number of elements of this rank without workers, where the dataset knows its number.
    """

    def __init__(self, dataset: Dataset, device: Any, rank: int | None, world_size: int | None, shard: bool) -> None:
        super().__init__()
        _check_ranks(rank, world_size)
        self._dataset = dataset
        self._device = device
        self._shard = shard
        self._rank = rank
        self._world_size = world_size
        self._epoch = 0
        self._epochs: _Epochs | None = None  # in place of _epoch, once there are workers
        self._copies = 0  # made for workers
        self._loops = 0  # begun here
        self._pid = os.getpid()
        self._taken = 0, 1  # the share of the newest loop
        self._sharded: dict[str, Dataset] = {}
        self._on = ""  # the device that the newest loop copies to, if weir does that
        self._iterator: Iterator | _Every | None = None
        self._ended = False  # the loop of the iterator, or those that were saved
        self._given: int | None = 0  # elements of its epoch, errors not among them; None if it is not known
        self._count: int | None = None  # how many the newest loop has, once somebody asked
        self._resumed: list[dict[str, Any]] = []  # where the next loop continues, or the last one had ended
        self._resumes = 0  # which group of workers does that

    def _is_shared_by_accelerate(self) -> bool:
        """Whether the running loop is one of Accelerate's DataLoaders, which share out the elements themselves."""
        state = sys.modules.get("accelerate.state")
        running = getattr(state.GradientState().active_dataloader, "dataset", None) if state else None
        return self is running or self is getattr(running, "dataset", None)

    def _ranks(self) -> tuple[int, int]:
        """The rank, and how many there are."""
        if self._is_shared_by_accelerate():
            return 0, 1
        rank, ranks = self._rank, self._world_size
        if rank is None or ranks is None:
            launched = _launched()
            rank, ranks = launched[0] if rank is None else rank, launched[1] if ranks is None else ranks
        _check_ranks(rank, ranks)
        return rank, ranks

    def _share(self) -> tuple[int, int]:
        """Which share this worker of this rank takes, and of how many."""
        if not self._shard:
            return 0, 1
        rank, ranks = self._ranks()
        worker = get_worker_info()
        number, count = (worker.id, worker.num_workers) if worker else (0, 1)
        return rank + ranks * number, ranks * count

    def _shared_out(self, saved_on: str | None = None) -> Dataset:
        """The dataset with a place where it is shared out; the same for all loops, which share its caches.

        It has weir's own copies to the device if that of a saved position had them.
        """
        own = self._copies_to()
        self._on = own if saved_on is None else saved_on and (own or saved_on)
        if self._on not in self._sharded:
            shared = share_out(self._dataset) if self._shard else self._dataset
            self._sharded[self._on] = shared.to_device(self._on) if self._on else shared
        return self._sharded[self._on]

    def _copies_to(self) -> str:
        """The device, if weir copies to it itself: where the library does that, and the elements allow it."""
        device = torch.device(self._device or "cpu")
        if device.type != "cuda" or get_worker_info() is not None or not hasattr(self._dataset, "to_device"):
            return ""
        number = torch.cuda.current_device() if device.index is None else device.index
        with contextlib.suppress(Error):
            self._dataset.to_device(f"cuda:{number}")
            return f"cuda:{number}"
        return ""

    def _group(self) -> int:
        """The number of the workers that begin with this one; in the parent, of those that begin next."""
        worker = get_worker_info()
        return self._copies - (worker.id if worker else 0)

    def _begin_epoch(self) -> int:
        """The number of the epoch that a loop begins."""
        if self._epochs is None:
            self._epoch += 1
            return self._epoch - 1
        if get_worker_info() is None:
            return self._epochs.begin()
        return self._epochs.begin_together(self._group(), self._loops)

    def __iter__(self) -> Elements[Any]:
        if os.getpid() != self._pid:
            raise RuntimeError(FORKED)
        if not self._ended:
            self._iterator = None
        # A StatefulDataLoader that resumes at the end of a loop takes nothing from its first iterator.
        return _Loop(self, self._begin() if get_worker_info() else None)

    def _begin(self) -> Iterator | _Every:
        """Begins a loop."""
        rank, ranks = self._taken = self._share()
        resumed = [] if self._ended else self._resumed
        self._iterator, self._ended, self._count, self._resumed = None, False, None, []
        if resumed and self._group() == self._resumes:
            self._iterator = self._resume(resumed, rank, ranks)
        else:
            epoch = self._begin_epoch()
            self._given = 0
            self._iterator = self._shared_out().iterator(epoch=epoch, rank=rank, world_size=ranks)
        self._loops += 1
        return self._iterator

    def _resume(self, states: list[dict[str, Any]], rank: int, ranks: int) -> Iterator | _Every:
        """An iterator where the loops were that were saved."""
        self._given = None
        saved = sorted(states, key=lambda state: int(state["rank"]))
        if saved[0]["world_size"] == 0:
            # From a loader that wrote no shard into the dataset of a single process.
            return self._dataset.iterator(checkpoint=saved[0]["position"], rank=rank, world_size=ranks)
        shared = self._shared_out(saved[0].get("on"))
        own = next((state for state in saved if (state["rank"], state["world_size"]) == (rank, ranks)), None)
        whole = len(saved) == 1 and saved[0]["world_size"] == 1 and ranks > 1 and not has_partition(self._dataset)
        if whole or (own and "every" in own):
            # What one share had left is shared out by number.
            one = own or saved[0]
            all_of_it = shared.iterator(checkpoint=one["position"], rank=0, world_size=1)
            return _Every(all_of_it, ranks, rank if whole else one["every"])
        if own:
            self._given = own.get("given")
            return self._begun(own)
        if [(state["rank"], state["world_size"]) for state in saved] != [(i, len(saved)) for i in range(len(saved))]:
            found = ", ".join(f"{state['rank']} of {state['world_size']}" for state in saved)
            raise ValueError(
                f"share {rank} of {ranks} needs its own state, or those of all shares of another number; found "
                f"{found}; pass all of them: load_state_dict([state, ...])"
            )
        positions = [state.get("position") or self._begun(state).save() for state in saved]
        return shared.iterator(rank_checkpoints=positions, rank=rank, world_size=ranks)

    def _begun(self, state: Mapping[str, Any]) -> Iterator | _Every:
        """An iterator where a share was; at what it was given, or the beginning of its epoch, if it had not begun."""
        if "resumed" in state:
            return self._resume(state["resumed"], state["rank"], state["world_size"])
        shared = self._shared_out(state.get("on"))
        begin = {"epoch": state["epoch"]} if state["position"] is None else {"checkpoint": state["position"]}
        return shared.iterator(**begin, rank=state["rank"], world_size=state["world_size"])

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        rank, ranks = self._ranks() if self._shard else (0, 1)
        count = count_of(self._dataset, rank, ranks)
        if count < 0:
            number = "infinite" if count == INFINITE else "unknown"
            raise TypeError(f"the loader has no len(): the number of elements is {number}")
        return count

    def _has_given_all(self) -> bool:
        """Whether the newest loop has given as many elements as it has."""
        if self._iterator is None or not self._given:
            return False
        if self._count is None:
            self._count = count_of(self._dataset, *self._taken)
        return self._given == self._count

    def state_dict(self) -> dict[str, Any]:
        """The position in the current epoch, as torchdata's StatefulDataLoader keeps it.

        After a loop has ended it is the beginning of the next epoch. In a worker process it is the end of this one,
        since other workers may go on.
        """
        if self._iterator is None:
            return self._next_state()
        rank, ranks = self._taken
        position = {"position": self._iterator.save(), "rank": rank, "world_size": ranks, "on": self._on}
        position["given"] = self._given
        if isinstance(self._iterator, _Every):
            position["every"] = self._iterator.skip
        return {**self._next_state(), "ended": self._ended, "resumed": [position]}

    def _next_state(self) -> dict[str, Any]:
        """What the next loop begins with."""
        epoch = self._epochs.current() if self._epochs else self._epoch
        # Workers that have begun since have resumed in place of this process.
        resumed = self._resumed if self._group() == self._resumes else []
        begins = {"weir": 2, "epoch": epoch, "resumed": resumed}
        return {**begins, "ended": True} if resumed and self._ended else begins

    def load_state_dict(self, state: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> None:
        """The next loop goes on where `state_dict` was called.

        `load_state_dict([state, ...])` takes the states of all ranks, of another number of ranks only with `partition`.
        """
        states = checked_states(state, "epoch")
        self._iterator = None
        self._resumes = self._group()
        epoch = max(int(one["epoch"]) for one in states)
        # A rank that has ended its share has nothing left, which counts if others have. A worker knows of no
        # others.
        ended = all(one["epoch"] == epoch and (one.get("ended", False) or not _positions(one)) for one in states)
        self._ended = ended and (get_worker_info() is None or len(states) > 1)
        self._resumed = _shares_of(states, epoch)
        if self._epochs:
            self._epochs.load(epoch, self._group() if get_worker_info() else -1)
        else:
            self._epoch = epoch

    def __getstate__(self) -> dict[str, Any]:
        kept = dict(self.__dict__)
        kept["_iterator"] = kept["_epochs"] = None
        kept["_sharded"] = {}
        kept["_dataset"] = pickle.dumps(self._dataset)
        if _goes_to_worker():
            if self._epochs is None:
                self._epochs = _Epochs(self._epoch)
            kept["_epochs"] = self._epochs
            kept["_loops"] = 0
            kept["_rank"], kept["_world_size"] = self._ranks()
            self._copies += 1
        elif self._epochs:
            kept["_epoch"] = self._epochs.current()
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

    To a CUDA device weir copies ahead from pinned memory, by `to_device`, if the library has it: the current stream
    waits for the copy, and the program does not.

    Use it as it is, or in a DataLoader with batch_size=None. Of the rank and the number of ranks, one that is not given
    is that of torch.distributed or the environment when a loop begins; `shard=False` gives every worker all elements.
    """
    return Loader(dataset, device, rank, world_size, shard)


def _plain(value: Any) -> Any:
    """What a dataset of torch gives, with arrays in place of tensors and tuples in place of lists."""
    if isinstance(value, torch.Tensor):
        plain = value.detach().cpu().resolve_conj().resolve_neg()
        if plain.dtype == torch.bfloat16:
            return plain.view(torch.int16).numpy().view(importlib.import_module("ml_dtypes").bfloat16)
        return plain.numpy()
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return tuple(_plain(part) for part in value)
    if isinstance(value, str):
        return value.encode()
    return value if isinstance(value, (bytes, np.ndarray, np.generic)) else np.asarray(value)


_EMPTY = "expected a dataset with a first element, found an empty one; pass its spec"


def from_torch(dataset: Any, spec: Any = None, *, pure: bool = False) -> Dataset:
    """A dataset of what one of torch has. A map-style one is read by position, an iterable one as a stream.

    `spec` is the structure of the elements, by default that of the first one, which is read for it. `pure` says that
    equal positions, or epochs, give equal elements, so that positions are saved without a checkpoint policy. Elements
    are made under the GIL, one at a time; `prefetch` overlaps that with what follows.
    """
    if isinstance(dataset, IterableDataset) or not hasattr(dataset, "__getitem__"):
        begun: list[Any] = []
        if spec is None:
            rows = iter(dataset)
            for first in rows:
                # The first epoch uses the same iterator, since a generator has only one.
                begun, spec = [itertools.chain([first], rows)], _plain(first)
                break
            else:
                raise ValueError(_EMPTY)
        return from_generator(lambda: map(_plain, begun.pop() if begun else dataset), spec, pure=pure)
    if spec is None and len(dataset) == 0:
        raise ValueError(_EMPTY)
    made_of = _plain(dataset[0]) if spec is None else spec
    return range_(len(dataset)).map(py_function(lambda at: _plain(dataset[int(at)]), spec=made_of, pure=pure))


__all__ = ["DataLoader", "Loader", "from_torch", "loader", "to_torch"]
