"""torch's DataLoader with threads in place of worker processes."""

from __future__ import annotations

import atexit
import copy
import importlib
import itertools
import queue
import random
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Mapping
from collections.abc import Iterator as Elements
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import torch
from torch.utils.data import DataLoader as TorchDataLoader
from torch.utils.data import Dataset as TorchDataset
from torch.utils.data import IterableDataset, IterDataPipe, MapDataPipe

from ._iterator import checked_state

# What has no types.
of_torch: Any = importlib.import_module("torch.utils.data.dataloader")
utils: Any = importlib.import_module("torch.utils.data._utils")

_Element_co = TypeVar("_Element_co", covariant=True)
_ENDED = object()
_RESET = object()
_JOIN_SECONDS = 5.0  # for threads that still compute when Python ends
_known = threading.Lock()


def _know_threads() -> None:
    """Makes torch's get_worker_info know the worker that a thread is.

    Datasets have imported the function already, so its code is replaced, and its name stays what it is.
    """
    worker = utils.worker
    with _known:
        if hasattr(worker, "_weir_thread"):
            return
        worker._weir_thread = threading.local()
        made: dict[str, Any] = {}
        exec("def info():\n    return getattr(_weir_thread, 'info', None) or _worker_info", made)
        worker.get_worker_info.__code__ = made["info"].__code__


@dataclass(slots=True, eq=False)
class _Task:
    """A batch that a worker makes."""

    worker: int
    index: Any
    done: bool = False
    result: Any = None


@dataclass
class _Failed:
    """The exception that a worker raised in place of a batch."""

    error: BaseException


def _run(tasks: queue.SimpleQueue[Any], made: threading.Condition, stopped: threading.Event, worker: _Worker) -> None:
    """A worker: what it holds must not hold the iterator, whose end ends it."""
    fetcher: Any = None
    begun = ready = False
    utils.worker._weir_thread.info = worker.info
    while (task := tasks.get()) is not None:
        if stopped.is_set():
            continue
        if task is _RESET:
            ready = False
            continue
        result: Any = _ENDED
        try:
            # An error is not kept for later batches: with the frames that it went through it would hold the iterator.
            if worker.init is not None and not begun:
                worker.init(worker.info.id)
            begun = True
            if not ready:
                fetcher, ready = worker.fetcher(), True
            if fetcher is not None:
                result = worker.pinned(fetcher.fetch(task.index))
        except StopIteration:
            fetcher = None
        except BaseException as error:
            result = _Failed(error)
        with made:
            task.result = result
            task.done = True
            made.notify()
        del task, result


class _Worker:
    """What a thread needs to know of its loader."""

    def __init__(self, iterator: _Threads, number: int, init: Callable[[int], Any] | None) -> None:
        dataset = iterator._dataset
        # A process would have a copy, too, which worker_init_fn may change.
        self.dataset = copy.copy(dataset) if isinstance(dataset, TorchDataset) else dataset
        seed = iterator._base_seed + number
        info = utils.worker.WorkerInfo
        more: dict[str, Any] = {}
        if hasattr(info, "rng"):
            # What torch has for threads of its own.
            drawn = random.Random(seed), torch.Generator().manual_seed(seed), np.random.default_rng(seed)
            more = {"rng": utils.worker._RNG(*drawn), "worker_method": "thread"}
        self.info = info(id=number, num_workers=iterator._num_workers, seed=seed, dataset=self.dataset, **more)
        self.init = init
        self._kind = (iterator._dataset_kind, iterator._auto_collation, iterator._collate_fn, iterator._drop_last)
        self._pin = iterator._pin_memory_device if iterator._pin_memory else None

    def fetcher(self) -> Any:
        """What makes batches of an epoch."""
        kind, collates, collate, drop_last = self._kind
        return of_torch._DatasetKind.create_fetcher(kind, self.dataset, collates, collate, drop_last)

    def pinned(self, data: Any) -> Any:
        """The batch in pinned memory, if the loader wants that."""
        return utils.pin_memory.pin_memory(data, self._pin) if self._pin else data


_threads: weakref.WeakSet[threading.Thread] = weakref.WeakSet()


def _stop(inputs: list[queue.SimpleQueue[Any]], stopped: threading.Event) -> None:
    stopped.set()
    for tasks in inputs:
        tasks.put(None)


def _join() -> None:
    # A thread inside of torch must not meet the end of the interpreter.
    until = time.monotonic() + _JOIN_SECONDS
    for thread in list(_threads):
        thread.join(max(0.0, until - time.monotonic()))


class _Counted:
    """Tells the loader how many batches its newest loop has given."""

    _num_yielded: int
    _loader: weakref.ref[DataLoader[Any]]  # not held: it may hold the loop
    _loop: object
    _skipped = 0

    def __next__(self) -> Any:
        loader = self._loader()
        newest = loader is not None and loader._loop is self._loop
        try:
            made = super().__next__()  # type: ignore[misc]
        except StopIteration:
            if loader is not None and newest:
                loader._loop = None
            raise
        if loader is not None and newest:
            loader._given = self._skipped + self._num_yielded
        return made


class _Alone(_Counted, of_torch._SingleProcessDataLoaderIter):
    pass


class _Processes(_Counted, of_torch._MultiProcessingDataLoaderIter):
    pass


class _Threads(_Counted, of_torch._BaseDataLoaderIter):
    """A loop whose batches are made by threads, which take the indices in turns."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        super().__init__(loader)
        _know_threads()
        self._made = threading.Condition()
        self._in_order = loader.in_order
        self._ahead = max(1, loader.prefetch_factor or 1) * self._num_workers
        self._inputs: list[queue.SimpleQueue[Any]] = [queue.SimpleQueue() for _ in range(self._num_workers)]
        stopped = threading.Event()
        self._finish = weakref.finalize(self, _stop, self._inputs, stopped)
        self._workers = []
        for number, tasks in enumerate(self._inputs):
            worker = _Worker(self, number, loader.worker_init_fn)
            thread = threading.Thread(
                target=_run, args=(tasks, self._made, stopped, worker), name=f"weir-loader-{number}", daemon=True
            )
            thread.start()
            _threads.add(thread)
            self._workers.append(thread)
        self._begin()

    def _begin(self) -> None:
        self._tasks: deque[_Task] = deque()
        self._active = [True] * self._num_workers
        self._turn = itertools.cycle(range(self._num_workers))
        self._fill()

    def _reset(self, loader: DataLoader[Any], first_iter: bool = False) -> None:
        super()._reset(loader, first_iter)
        for tasks in self._inputs:
            tasks.put(_RESET)
        self._begin()

    def _fill(self) -> None:
        """Gives the workers so many batches to make as they may be ahead."""
        while len(self._tasks) < self._ahead and any(self._active):
            try:
                index = self._next_index()
            except StopIteration:
                return
            worker = next(number for number in self._turn if self._active[number])
            task = _Task(worker, index)
            self._tasks.append(task)
            self._inputs[worker].put(task)

    def _ready(self) -> _Task | None:
        """The next batch to return, if it is there."""
        tasks = itertools.islice(self._tasks, 1) if self._in_order else iter(self._tasks)
        return next((task for task in tasks if task.done), None)

    def _next_data(self) -> Any:
        while self._tasks:
            with self._made:
                task = self._made.wait_for(self._ready, self._timeout or None)
            if task is None:
                raise RuntimeError(f"DataLoader timed out after {self._timeout} seconds")
            self._tasks.remove(task)
            if task.result is _ENDED:
                self._active[task.worker] = False
            self._fill()
            if isinstance(task.result, _Failed):
                raise task.result.error
            if task.result is not _ENDED:
                return task.result
        if not self._persistent_workers:
            self._finish()
        raise StopIteration


def _restore(generators: list[torch.Generator], states: list[torch.Tensor]) -> None:
    if len(generators) != len(states):
        raise ValueError(
            f"the state is of a loader with {len(states) - 1} generators, this one has {len(generators) - 1}; give it "
            "the same generator and samplers"
        )
    for generator, state in zip(generators, states, strict=True):
        generator.set_state(state)


class _Positions:
    """The indices of a loader, from where its `load_state_dict` said."""

    def __init__(self, loader: DataLoader[Any], sampler: Any) -> None:
        self._loader = weakref.ref(loader)
        self._sampler = sampler

    def __iter__(self) -> Elements[Any]:
        loader: Any = self._loader()
        return self._indices(loader, *loader._resume)

    def _indices(self, loader: DataLoader[Any], skipped: int, states: list[torch.Tensor]) -> Elements[Any]:
        generators = loader._generators()
        kept = torch.default_generator.get_state()
        if skipped:
            _restore(generators, states)
        loader._begun = [generator.get_state() for generator in generators]
        indices = iter(self._sampler)
        if skipped:
            for _ in range(skipped if loader._is_map else 0):
                next(indices, None)
            # The process's own is not the loader's to move.
            torch.default_generator.set_state(kept)
        # A loop must not hold the loader, which holds it if its workers are persistent.
        del loader
        yield from indices

    def __len__(self) -> int:
        return len(self._sampler)


class DataLoader(TorchDataLoader[_Element_co]):
    """torch's DataLoader, with its parameters, whose workers are threads of this process.

    Datasets, samplers and `collate_fn` are those of torch, and a weir dataset that knows the positions of its elements
    is a map-style one. Batches come in the order that torch's have. Nothing is pickled or copied between processes, so
    a worker costs no memory; but code that holds the GIL runs in one thread at a time, and the generators of `random`,
    NumPy and torch are those of the process, so what workers draw from them depends on their timing. In their place
    `get_worker_info()` has a `seed`, and generators as `rng` where torch knows them. A `multiprocessing_context` makes
    the workers processes, as torch's are. A worker has a shallow copy of a torch dataset, which `worker_init_fn` may
    change.

    `state_dict` is the position in the loop that runs; after its end it is the beginning of the next one. Resuming
    repeats the indices, and reads nothing that was read; an iterable dataset is read up to there, unless it has
    `state_dict` itself and there are no workers.
    """

    _before: list[torch.Tensor]  # the states of the generators before the newest loop
    _begun: list[torch.Tensor]  # and when it drew its order
    _loop: object = None  # the newest loop, until it ends
    _given = 0  # how many batches it has given
    _resume: tuple[int, list[torch.Tensor]] = (0, [])  # what the next loop skips, and the states when it was begun

    @property
    def _is_map(self) -> bool:
        return not isinstance(self.dataset, IterableDataset)

    @property
    def _index_sampler(self) -> Any:
        return _Positions(self, super()._index_sampler)

    def _generators(self) -> list[torch.Generator]:
        """Those that the order depends on: the process's own first."""
        owners = (self, self.sampler, self.batch_sampler, getattr(self.batch_sampler, "sampler", None))
        own = {
            id(made): made for owner in owners if isinstance(made := getattr(owner, "generator", None), torch.Generator)
        }
        return [torch.default_generator, *own.values()]

    def _saves_dataset(self) -> bool:
        return not self._is_map and self.num_workers == 0 and hasattr(self.dataset, "state_dict")

    def _get_iterator(self) -> Any:
        if self.num_workers == 0:
            return _Alone(self)
        if self.multiprocessing_context is not None or isinstance(self.dataset, (IterDataPipe, MapDataPipe)):
            return _Processes(self)
        if hasattr(self.dataset, "_shared_out"):
            raise ValueError("weir.torch.loader(...) has threads of its own; leave out num_workers")
        return _Threads(self)

    def __iter__(self) -> Any:
        self._before = [generator.get_state() for generator in self._generators()]
        made: Any = super().__iter__()
        skipped, self._resume = self._resume[0], (0, [])
        made._loader, made._skipped = weakref.ref(self), skipped if self._is_map else 0
        made._loop = self._loop = object()
        self._given = skipped
        for _ in range(0 if self._is_map else skipped):
            next(made, None)
        return made

    def state_dict(self) -> dict[str, Any]:
        """The position: how many batches the newest loop has given, and what its order was drawn from."""
        if self._saves_dataset():
            dataset: Any = self.dataset
            return {"weir": 1, "dataset": dataset.state_dict()}
        given, states = self._resume
        if not given and self._loop is not None:
            given, states = self._given, self._begun if self._given else self._before
        elif not given:
            states = [generator.get_state() for generator in self._generators()]
        return {"weir": 1, "given": given, "generators": list(states)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """The next loop continues from where `state_dict` was called."""
        checked_state(state, "dataset" if "dataset" in (state or ()) else "generators")
        self._loop = None
        self._resume = (0, [])
        if "dataset" in state:
            dataset: Any = self.dataset
            dataset.load_state_dict(state["dataset"])
            return
        given, states = int(state["given"]), list(state["generators"])
        if given:
            self._resume = (given, states)
        else:
            kept = torch.default_generator.get_state()
            _restore(self._generators(), states)
            torch.default_generator.set_state(kept)


atexit.register(_join)

__all__ = ["DataLoader"]
