"""Positions in datasets."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import numpy as np

from . import _core, _text
from ._intake import is_arraylike, to_tensor
from ._node import number
from ._runtime import default_runtime
from ._trace import outside_of_iterator

if TYPE_CHECKING:
    import asyncio
    import concurrent.futures

    from ._dataset import Dataset

_Choice = TypeVar("_Choice")
_POLICIES = {None: 0, "refuse": 1, "by_value": 2, "ignore": 3}
_AS_TEXT = {"bytes": False, "text": True}
_STATS = {"dict": 0, "text": 1, "prometheus": 2}


def params_of(params: Mapping[str, Any] | None) -> list[tuple[str, Any]]:
    """Values for `param NAME: spec`."""
    out: list[tuple[str, Any]] = []
    for name, value in (params or {}).items():
        if isinstance(value, (str, bytes)):
            data = value.encode() if isinstance(value, str) else value
            out.append((name, _core.Tensor.from_strings([data], [])))
        elif isinstance(value, (bool, np.bool_)):
            out.append((name, number(bool(value))))
        elif isinstance(value, (int, float)) and not isinstance(value, np.generic):
            out.append((name, number(value)))
        elif is_arraylike(value):
            out.append((name, to_tensor(value)))
        else:
            out.append((name, to_tensor(np.asarray(value))))
    return out


def checked_state(state: Any, key: str) -> Any:
    """What `state_dict` returned, which has this key."""
    if not isinstance(state, Mapping) or key not in state:
        found = f"one with {list(state)}" if isinstance(state, Mapping) else type(state).__name__
        raise ValueError(f"expected a dict as state_dict() returns it, with the key {key!r}, found {found}")
    return state


def checked_states(state: Any, key: str) -> list[Any]:
    """The same, of one or of a list."""
    return [checked_state(one, key) for one in (state if state and isinstance(state, (list, tuple)) else [state])]


def _chosen(name: str, choices: Mapping[Any, _Choice], found: str | None) -> _Choice:
    """What a parameter chooses."""
    if found in choices:
        return choices[found]
    *first, last = (f'"{choice}"' for choice in choices if choice is not None)
    raise ValueError(f"expected {name}={', '.join(first)} or {last}, found {found!r}")


_ENDED = object()


@functools.cache
def _takers(_process: int) -> concurrent.futures.Executor:
    """The threads of this process that compute elements for `async for`, so that its event loop stays free."""
    import concurrent.futures

    return concurrent.futures.ThreadPoolExecutor(thread_name_prefix="weir-async")


async def _readable(loop: asyncio.AbstractEventLoop, descriptor: int) -> None:
    """Waits until a descriptor is readable."""
    readable = loop.create_future()

    def ready() -> None:
        if not readable.done():
            readable.set_result(None)

    loop.add_reader(descriptor, ready)
    try:
        await readable
    finally:
        loop.remove_reader(descriptor)


class Iterator(_core.Iterator):
    """A position in a dataset: `next` gives the elements, one after another.

    An element that fails raises a `weir.Error`; the next call goes on after it. The GIL is released while an element is
    waited for, and Ctrl-C ends the wait. Several threads may share one. With `async for` other threads compute the
    elements; the event loop stays free. An element that a cancelled task waited for is the next one's.
    """

    __slots__ = ("_taking", "_turn")

    def __init__(
        self,
        dataset: Dataset,
        *,
        params: Mapping[str, Any] | None = None,
        checkpoint: bytes | None = None,
        checkpoint_file: str | os.PathLike[str] | None = None,
        rank_checkpoints: Iterable[bytes] = (),
        epoch: int = 0,
        rank: int = 0,
        world_size: int = 0,
        checkpoint_policy: str | None = None,
        initialize: bool = True,
        strings: str = "bytes",
        runtime: _core.Runtime | None = None,
    ) -> None:
        super().__init__(
            dataset._core,
            runtime or dataset.runtime,
            params_of(params),
            checkpoint,
            None if checkpoint_file is None else os.fspath(checkpoint_file),
            list(rank_checkpoints),
            epoch,
            rank,
            world_size,
            _chosen("checkpoint_policy", _POLICIES, checkpoint_policy),
            initialize,
            _chosen("strings", _AS_TEXT, strings),
        )

    def initialize(
        self,
        dataset: Dataset | None = None,
        *,
        params: Mapping[str, Any] | None = None,
        checkpoint: bytes | None = None,
        checkpoint_file: str | os.PathLike[str] | None = None,
        rank_checkpoints: Iterable[bytes] = (),
        epoch: int = 0,
        rank: int = 0,
        world_size: int = 0,
        checkpoint_policy: str | None = None,
    ) -> None:
        """Begins `dataset`, or the current one again, from its start or from a checkpoint.

        Epochs go on counting, so every shuffle has a new order. After a failure the old position still works.
        """
        self._initialize(
            None if dataset is None else dataset._core,
            params_of(params),
            checkpoint,
            None if checkpoint_file is None else os.fspath(checkpoint_file),
            list(rank_checkpoints),
            epoch,
            rank,
            world_size,
            _chosen("checkpoint_policy", _POLICIES, checkpoint_policy),
        )

    def try_next(self, default: Any = None) -> Any:
        """The next element if it needs no waiting for other threads, else `default`. StopIteration at the end."""
        value = self._try_next()
        return default if value is None else value

    def next_within(self, seconds: float, default: Any = None) -> Any:
        """The next element if it comes within that time, else `default`; nothing is lost. StopIteration at the end."""
        value = self._next_within(seconds)
        return default if value is None else value

    def next_block(self, max_rows: int) -> tuple[Any, int]:
        """Up to `max_rows` elements at once, every component with a new first dimension, and how many there are."""
        return self._next_block(max_rows)

    def origin(self) -> tuple[str | None, int | None]:
        """The file and the number of the record that the last element came from, where they are known."""
        return self._origin()

    def save_file(self, file: str | os.PathLike[str]) -> None:
        """Saves the position into a file, which is replaced whole or not at all."""
        self._save_file(os.fspath(file))

    def state_dict(self) -> dict[str, Any]:
        """The position, as torchdata's stateful loaders keep it."""
        return {"weir": 1, "position": self.save()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes on where `state_dict` was called."""
        self.initialize(checkpoint=checked_state(state, "position")["position"])

    @overload
    def stats(self, format: Literal["dict"] = "dict") -> dict[str, Any]: ...
    @overload
    def stats(self, format: Literal["text", "prometheus"]) -> str: ...
    def stats(self, format: str = "dict") -> dict[str, Any] | str:
        """What it has done since it was initialised, stage by stage, and what bounds the throughput.

        May be called at any time, also from another thread, and waits for nothing. "text" is a table for a terminal,
        "prometheus" what a scrape expects.
        """
        said = self._stats(_chosen("format", _STATS, format))
        return json.loads(said) if format == "dict" else said

    def share(self, name: str) -> Iterator:
        """Becomes the iterator that the runtime knows by this name: this one, or the one that had it before."""
        self._share(name)
        return self

    def __aiter__(self) -> Iterator:
        return self

    def _take(self) -> Any:
        """The next element, None if it is not there yet, or _ENDED: what a thread takes for `async for`."""
        try:
            return self._try_next()
        except StopIteration:
            return _ENDED

    async def __anext__(self) -> Any:
        import asyncio

        outside_of_iterator()
        loop = asyncio.get_running_loop()
        # Tasks take turns. A lock belongs to a loop.
        turn = getattr(self, "_turn", None)
        if turn is None or turn[0] is not loop:
            turn = self._turn = (loop, asyncio.Lock())
        async with turn[1]:
            while True:
                # What a task no longer waits for is the next one's.
                taking = getattr(self, "_taking", None) or _takers(os.getpid()).submit(self._take)
                self._taking = taking
                taken = asyncio.wrap_future(taking)
                await asyncio.wait([taken])
                self._taking = None
                value = taken.result()
                if value is _ENDED:
                    raise StopAsyncIteration
                if value is not None:
                    return value
                await _readable(loop, self.fileno())

    def __enter__(self) -> Iterator:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class ReinitializableIterator(Iterator):
    """An iterator for any dataset of a structure: `initialize` it with one after another."""

    __slots__ = ()

    def __init__(self, spec: Any, *, strings: str = "bytes", runtime: _core.Runtime | None = None) -> None:
        made = _core.Spec(_text.spec(spec))
        _core.Iterator.__init__(self, made, runtime or default_runtime(), _chosen("strings", _AS_TEXT, strings))


def _handle_of(iterator: Iterator | str) -> str:
    return iterator if isinstance(iterator, str) else iterator.handle


class FeedableIterator(Iterator):
    """An iterator that takes from another, given by itself or by its `handle`; `feed` gives it another one.

    Each keeps its own position, so training can pause for validation and go on. One that is given by itself lives
    as long as it is taken from; a `handle` keeps none alive.
    """

    __slots__ = ("_source",)

    def __init__(
        self, spec: Any, iterator: Iterator | str, *, strings: str = "bytes", runtime: _core.Runtime | None = None
    ) -> None:
        made = _core.Spec(_text.spec(spec))
        host = runtime or default_runtime()
        _core.Iterator.__init__(self, made, host, _chosen("strings", _AS_TEXT, strings), _handle_of(iterator))
        self._source = iterator

    def feed(self, iterator: Iterator | str) -> FeedableIterator:
        """Takes from this iterator from now on."""
        self._feed(_handle_of(iterator))
        self._source = iterator
        return self


class CheckpointManager(_core.CheckpointManager):
    """Keeps the newest positions of an iterator in a folder, each with bytes of the caller's."""

    __slots__ = ()

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        keep: int = 3,
        rank: int = 0,
        world_size: int = 0,
        every_elements: int = 0,
        every_seconds: float = 0.0,
        runtime: _core.Runtime | None = None,
    ) -> None:
        super().__init__(
            runtime or default_runtime(),
            os.fspath(folder),
            keep,
            rank,
            world_size,
            every_elements,
            int(every_seconds * 1e9),
        )

    def save(self, iterator: Iterator, extra: bytes = b"") -> None:
        """Publishes the position as the next generation."""
        self._save(iterator, extra)

    def step(self, elements: int = 1) -> bool:
        """Counts elements that were taken; says whether a save is due."""
        return self._step(elements)

    def load(self, rank: int = -1) -> tuple[bytes, bytes, int]:
        """The newest valid generation: the position, the extra bytes, and its number. NotFound in a new folder."""
        return self._load(rank)

    def ranks(self) -> tuple[int, bool]:
        """With a world size: how many ranks saved the newest complete group, and whether this one is complete."""
        return self._ranks()


def describe_checkpoint(path: str | os.PathLike[str], *, runtime: _core.Runtime | None = None) -> Any:
    """What is in a file or folder of checkpoints, as the JSON of weir_checkpoint_describe."""
    text = _core.describe(runtime or default_runtime(), os.fspath(path), os.path.isdir(path), False)
    return json.loads(text)
