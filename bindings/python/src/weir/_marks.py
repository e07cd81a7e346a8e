"""Positions for frameworks that count elements, or hold some that were read ahead."""

from __future__ import annotations

import contextlib
import time
from typing import Any

from ._iterator import Iterator
from .errors import Error


class Marks:
    """An iterator whose position is saved now and then, in at most one percent of the time.

    A state is such a position, and how many elements follow it: those are read again when the state is loaded.
    """

    def __init__(self, iterator: Iterator, ahead: int = 0) -> None:
        self.iterator = iterator
        self._ahead = ahead  # how many elements may be read ahead of the consumer
        self._marks: list[list[Any]] = []  # positions, and how many elements were read since then
        self._next_ns = 0

    def __iter__(self) -> Marks:
        return self

    def __next__(self) -> Any:
        self._mark()
        try:
            made = next(self.iterator)
        except Error:
            self._count()
            raise
        self._count()
        return made

    def _count(self) -> None:
        for mark in self._marks:
            mark[1] += 1
        if len(self._marks) > 1 and self._marks[1][1] >= self._ahead:
            del self._marks[0]

    def _mark(self) -> None:
        begun = time.monotonic_ns()
        if begun < self._next_ns or len(self._marks) > 1:
            return
        self._marks.append([self.iterator.save(), 0])
        ended = time.monotonic_ns()
        self._next_ns = ended + 100 * (ended - begun)

    def state(self, held: int = 0) -> tuple[bytes, int]:
        """The position before the last `held` elements: one that was saved, and how many elements follow it."""
        if not self._marks:
            self._mark()
        position, count = next(mark for mark in reversed(self._marks) if mark[1] >= held)
        return position, count - held

    def load(self, position: bytes, taken: int) -> None:
        """Goes on where `state` was called."""
        self.iterator.initialize(checkpoint=position)
        self._marks = [[position, 0]]
        for _ in range(taken):
            with contextlib.suppress(Error, StopIteration):
                next(self)
