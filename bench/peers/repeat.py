"""What rows of calls share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def repeated(n: int, once: Callable[[], Any]) -> Callable[[], None]:
    """A run of so many calls."""

    def run() -> None:
        for _ in range(n):
            once()

    return run


def after_first(dataset: Any) -> Any:
    iterator = iter(dataset)
    next(iterator)
    return iterator


def drained(dataset: Any) -> Any:
    iterator = iter(dataset)
    for _ in iterator:
        pass
    return dataset, iterator
