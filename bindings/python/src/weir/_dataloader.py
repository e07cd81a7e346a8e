"""torch's DataLoader with threads in place of worker processes."""

from __future__ import annotations

import atexit
import contextlib
import copy
import importlib
import itertools
import queue
import random
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Mapping
from collections.abc import Iterator as Elements
from dataclasses import dataclass, field, replace
from types import MethodType
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

    Datasets have imported the function already, so its code is replaced, and its name stays what it is. The
    default collate_fn puts batches into shared memory in a worker, which threads have no use for.
    """
    worker = utils.worker
    with _known:
        if hasattr(worker, "_weir_thread"):
            return
        worker._weir_thread = threading.local()
        shares = utils.collate.collate_tensor_fn.__code__

        def of_thread() -> Any:
            info = getattr(worker._weir_thread, "info", None)
            return None if info is None or sys._getframe(2).f_code is shares else info

        worker._weir_info = of_thread
        made: dict[str, Any] = {}
        exec("def info():\n    return _weir_info() or _worker_info", made)
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
        except StopIteration as error:
            if worker.streams:
                fetcher = None
            else:
                result = _Failed(RuntimeError("the dataset raised StopIteration in place of a row"))
                result.error.__cause__ = error
        except BaseException as error:
            result = _Failed(error)
        with made:
            task.result = result
            task.done = True
            # Who raises an error adds frames to it that hold the iterator.
            del task, result
            made.notify()


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
        if init is not None and getattr(init, "__self__", None) is dataset:
            self.init = MethodType(init.__func__, self.dataset)  # type: ignore[attr-defined]
        self._kind = (iterator._dataset_kind, iterator._auto_collation, iterator._collate_fn, iterator._drop_last)
        self.streams = iterator._dataset_kind == of_torch._DatasetKind.Iterable
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
    """Tells the loader how many batches its newest loop has given; an error in the place of one counts."""

    _num_yielded: int
    _failed = 0  # how many batches an error took the place of
    _loader: weakref.ref[DataLoader[Any]]  # not held: it may hold the loop
    _loop: object
    _skipped = 0

    def __next__(self) -> Any:
        loader = self._loader()
        newest = loader is not None and loader._loop is self._loop
        try:
            return super().__next__()  # type: ignore[misc]
        except StopIteration:
            if loader is not None and newest:
                loader._loop = None
            raise
        finally:
            if loader is not None and newest:
                loader._given = self._skipped + self._done()

    def _done(self) -> int:
        return self._num_yielded + self._failed


_loops: weakref.WeakValueDictionary[object, Any] = weakref.WeakValueDictionary()  # what a loader knows as its loop


class _Alone(_Counted, of_torch._SingleProcessDataLoaderIter):
    def _next_data(self) -> Any:
        try:
            return super()._next_data()
        except StopIteration:
            raise
        except Exception:
            self._failed += 1
            raise


class _Processes(_Counted, of_torch._MultiProcessingDataLoaderIter):
    def _process_data(self, data: Any, *worker: Any) -> Any:
        # A timeout, or the end of a worker, takes the place of no batch and does not come here.
        self._failed += isinstance(data, of_torch.ExceptionWrapper)
        return super()._process_data(data, *worker)


class _Threads(_Counted, of_torch._BaseDataLoaderIter):
    """A loop whose batches are made by threads, which take the indices in turns."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        super().__init__(loader)
        _know_threads()
        self._made = threading.Condition()
        self._pulled = threading.RLock()  # several threads may share an iterator
        self._in_order = loader.in_order
        self._ahead = loader.prefetch_factor * self._num_workers
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

    def _next_worker(self) -> int | None:
        """The one that makes the next batch; without an order, one that is slow gets no more than its share."""
        if len(self._tasks) >= self._ahead or not any(self._active):
            return None
        share = self._ahead // sum(self._active)
        for number in itertools.islice(self._turn, self._num_workers):
            if not self._active[number]:
                continue
            if self._in_order or sum(task.worker == number for task in self._tasks) < share:
                return number
        return None

    def _fill(self) -> None:
        """Gives the workers so many batches to make as they may be ahead."""
        while (worker := self._next_worker()) is not None:
            try:
                index = self._next_index()
            except StopIteration:
                return
            task = _Task(worker, index)
            self._tasks.append(task)
            self._inputs[worker].put(task)

    def _ready(self) -> _Task | None:
        """The next batch to return, if it is there."""
        tasks = itertools.islice(self._tasks, 1) if self._in_order else iter(self._tasks)
        return next((task for task in tasks if task.done), None)

    def _next_data(self) -> Any:
        with self._pulled:
            return self._take()

    def _take(self) -> Any:
        while self._tasks:
            with self._made:
                task = self._made.wait_for(self._ready, self._timeout or None)
            if task is None:
                raise RuntimeError(f"DataLoader timed out after {self._timeout} seconds")
            self._tasks.remove(task)
            if task.result is _ENDED:
                self._active[task.worker] = False
            self._failed += isinstance(task.result, _Failed)
            self._fill()
            if isinstance(task.result, _Failed):
                raise task.result.error
            if task.result is not _ENDED:
                return task.result
        if not self._persistent_workers:
            self._finish()
        raise StopIteration


@dataclass
class _Start:
    """Where a loop begins: after how many batches, and what its order is drawn from."""

    given: int = 0
    generators: list[torch.Tensor] = field(default_factory=list)  # their states
    drawn: bool = False  # whether the seed of the workers was drawn from them before
    epochs: list[int] = field(default_factory=list)  # of the samplers
    dataset: Any = None  # the state of a weir.torch.loader before the loop

    def put_back(self, kept: torch.Tensor) -> None:
        """The process's own generator is not the loader's to move, unless it was where the state was saved."""
        if not torch.equal(kept, self.generators[0]):
            torch.default_generator.set_state(kept)


class _Positions:
    """The indices of a loader, from where its `load_state_dict` said."""

    def __init__(self, loader: DataLoader[Any], sampler: Any) -> None:
        self._loader = weakref.ref(loader)
        self._sampler = sampler

    def __iter__(self) -> Elements[Any]:
        loader: Any = self._loader()
        return self._indices(loader, loader._resume)

    def _indices(self, loader: DataLoader[Any], resume: _Start) -> Elements[Any]:
        kept = torch.default_generator.get_state() if loader._kept is None else loader._kept
        loader._kept = None
        if resume.generators:
            loader._restore(resume, epochs=resume.given > 0)
        loader._begun = loader._here(drawn=True)
        indices = iter(self._sampler)
        if resume.generators:
            for _ in range(resume.given if loader._is_map else 0):
                with contextlib.suppress(Exception):  # of a sampler, delivered before
                    next(indices, None)
            # With the first one the order is drawn.
            indices = itertools.chain(list(itertools.islice(indices, 1)), indices)
            resume.put_back(kept)
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
    change; if that is a method of the dataset, it is called for the copy.

    `state_dict` is the position in the loop that runs; after its end it is the beginning of the next one. Resuming
    repeats the indices, and reads nothing that was read; an iterable dataset is read up to there, unless it has
    `state_dict` itself and there are no workers. An error that the loop has raised counts as its batch and is not
    raised again.
    """

    _before: _Start  # before the newest loop
    _begun: _Start  # when it drew its order
    _loop: object = None  # the newest loop, until it ends
    _given = 0  # how many batches it has given
    _resume = _Start()  # where the next loop begins, if a state was loaded
    _kept: torch.Tensor | None = None  # the state of the process's generator before a loop that resumes

    @property
    def _is_map(self) -> bool:
        return not isinstance(self.dataset, IterableDataset)

    @property
    def _index_sampler(self) -> Any:
        return _Positions(self, super()._index_sampler)

    @property
    def multiprocessing_context(self) -> Any:
        """That of the workers if they are processes. For threads, what makes a DataLoader of torch one of weir."""
        found = _context.fget(self)
        if found is not None or self.num_workers == 0:
            return found
        theirs: Any = TorchDataLoader
        theirs.__new__ = _made_of_threads
        return _THREADS

    @multiprocessing_context.setter
    def multiprocessing_context(self, context: Any) -> None:
        _context.fset(self, None if context is _THREADS else context)

    def _samplers(self) -> list[Any]:
        """Those that the order depends on, with what they wrap."""
        found: list[Any] = [self]
        for one in found:
            inner = (getattr(one, name, None) for name in ("sampler", "batch_sampler"))
            found += [made for made in inner if made is not None and not any(made is other for other in found)]
        return found

    def _generators(self) -> list[torch.Generator]:
        """Those that the order depends on: the process's own first."""
        own = [getattr(owner, "generator", None) for owner in self._samplers()]
        return [torch.default_generator, *dict.fromkeys(made for made in own if isinstance(made, torch.Generator))]

    def _counting(self) -> list[Any]:
        """The samplers whose order depends on an epoch that they are told."""
        return [one for one in self._samplers() if hasattr(one, "set_epoch") and hasattr(one, "epoch")]

    def _here(self, drawn: bool) -> _Start:
        states = [generator.get_state() for generator in self._generators()]
        return _Start(0, states, drawn, [sampler.epoch for sampler in self._counting()])

    def _following(self) -> _Start:
        """The beginning of the next loop, which has no seed to draw if it has the workers of the last one."""
        dataset: Any = self.dataset
        before = dataset._next_state() if hasattr(dataset, "_shared_out") and self.num_workers else None
        return replace(self._here(self.persistent_workers and self._iterator is not None), dataset=before)

    def _restore(self, start: _Start, epochs: bool) -> None:
        generators, counting = self._generators(), self._counting()
        if len(generators) != len(start.generators):
            raise ValueError(
                f"the state is of a loader with {len(start.generators) - 1} generators, this one has "
                f"{len(generators) - 1}; give it the same generator and samplers"
            )
        for generator, state in zip(generators, start.generators, strict=True):
            generator.set_state(state)
        # What begins an epoch may have been told its number since the state was loaded.
        for sampler, epoch in zip(counting, start.epochs if epochs else (), strict=False):
            sampler.set_epoch(epoch)

    def _saves_dataset(self) -> bool:
        return not self._is_map and self.num_workers == 0 and hasattr(self.dataset, "state_dict")

    def _get_iterator(self) -> Any:
        if self.num_workers == 0:
            return _Alone(self)
        if not self.prefetch_factor:
            raise ValueError(f"expected at least 1 for prefetch_factor, found {self.prefetch_factor}")
        if _context.fget(self) is not None or isinstance(self.dataset, (IterDataPipe, MapDataPipe)):
            return _Processes(self)
        if hasattr(self.dataset, "_shared_out"):
            raise ValueError("weir.torch.loader(...) has threads of its own; leave out num_workers")
        return _Threads(self)

    def __iter__(self) -> Any:
        resume, kept = self._resume, torch.default_generator.get_state()
        if resume.generators and not resume.drawn:
            # The loop draws a seed for its workers, and then its order.
            self._restore(resume, epochs=False)
            torch.empty((), dtype=torch.int64).random_(generator=self.generator)
            self._resume = self._here(drawn=True)
            self._restore(resume, epochs=False)
        self._before = self._following()
        # A seed that was drawn before the state was saved is not drawn from the process's generator once more.
        self._kept = kept if resume.generators and resume.drawn else None
        made: Any = super().__iter__()
        if self._kept is not None:
            torch.default_generator.set_state(self._kept)
            self._kept = None
        if resume.generators and not resume.drawn:
            resume.put_back(kept)
        made._loader, made._skipped, made._failed = weakref.ref(self), resume.given if self._is_map else 0, 0
        made._loop = object()
        if not self._is_map:
            self._read_again(made, resume.given)
        self._resume = _Start()
        self._loop = made._loop
        _loops[self._loop] = made
        self._given = resume.given
        return made

    def _read_again(self, loop: Any, count: int) -> None:
        """Passes what a loop over a stream gave, errors too, before the state was saved."""
        for number in range(count):
            try:
                next(loop)
            except StopIteration:
                return
            except Exception:
                if loop._done() == number:
                    raise

    def _has_given_all(self) -> bool:
        """Whether the newest loop has given its last batch. Its samplers then draw what they draw at their end."""
        try:
            given_all = self._is_map and self._given == len(self)
        except TypeError:
            return False
        loop = _loops.get(self._loop) if given_all else None
        if loop is not None:
            more = list(itertools.islice(loop._sampler_iter, 1))
            loop._sampler_iter = itertools.chain(more, loop._sampler_iter)
        return given_all

    def state_dict(self) -> dict[str, Any]:
        """The position: how many batches, or errors in their place, came, and what the order was drawn from."""
        if self._saves_dataset():
            dataset: Any = self.dataset
            saved = dataset.state_dict()
            if hasattr(dataset, "_has_given_all") and dataset._has_given_all():
                saved["ended"] = True
            return {"weir": 1, "dataset": saved}
        if self._resume.generators:
            start = self._resume
        elif self._loop is None or self._has_given_all():
            start = self._following()
            ended = getattr(self, "_begun", None)
            if ended and ended.epochs == start.epochs:
                # The samplers will be told the number of the next epoch.
                start.epochs = []
        elif self._given:
            if not self.in_order and self.num_workers > 1:
                raise ValueError(
                    "with in_order=False the batches that the loop has given need not be the first ones of its order; "
                    "take the state between epochs, or leave in_order=False out"
                )
            start = replace(self._begun, given=self._given, dataset=self._before.dataset)
        else:
            # Without workers the order is drawn with the first batch.
            start = self._before if self.num_workers else self._here(drawn=True)
        return {"weir": 1, "batch_size": self._batch_size(), **vars(start)}

    def _batch_size(self) -> int | None:
        found: int | None = getattr(self.batch_sampler, "batch_size", self.batch_size)
        return found

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """The next loop continues from where `state_dict` was called."""
        of_dataset = "dataset" in (state or ()) and "generators" not in state
        checked_state(state, "dataset" if of_dataset else "drawn")
        self._loop = None
        self._resume = _Start()
        if of_dataset:
            dataset: Any = self.dataset
            dataset.load_state_dict(state["dataset"])
            return
        given, batch_size = int(state["given"]), state["batch_size"]
        if given and batch_size != self._batch_size():
            raise ValueError(
                f"the state is {given} batches of {batch_size} into an epoch, this loader has batches of "
                f"{self._batch_size()}; give it the same batch_size, or load a state of the end of an epoch"
            )
        start = _Start(given, *(state[name] for name in ("generators", "drawn", "epochs", "dataset")))
        kept = torch.default_generator.get_state()
        self._restore(start, epochs=True)
        torch.default_generator.set_state(kept)
        if start.dataset is not None:
            dataset = self.dataset
            dataset.load_state_dict(start.dataset)
        self._resume = start


# What TorchDataLoader has, which is not typed as a property.
_context: Any = TorchDataLoader.multiprocessing_context
_THREADS = copy.copy(torch.multiprocessing.get_context())


def _made_of_threads(kind: Any, *_: Any, multiprocessing_context: Any = None, **__: Any) -> Any:
    """A new DataLoader of torch; one of weir if it is told what one of weir was, as Accelerate does."""
    threads = multiprocessing_context is _THREADS and not issubclass(kind, DataLoader)
    if threads and kind is not TorchDataLoader:
        raise TypeError(
            f"{kind.__name__} cannot keep the threads of a weir.torch.DataLoader, which has state_dict itself; "
            "leave out use_stateful_dataloader, or give num_workers=0"
        )
    return object.__new__(DataLoader if threads else kind)


atexit.register(_join)

__all__ = ["DataLoader"]
