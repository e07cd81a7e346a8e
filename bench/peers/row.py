"""What a row of the comparison says: the work, and how each system does it.

A row is added in one of the files of rows/, by one call of `Rows.add`; nothing else knows rows by name.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from typing import Any

BY_TIME = "time"
BY_RATE = "rate"
AS_RETURNED = "value"


@dataclasses.dataclass(frozen=True)
class Unit:
    """What the figures of a row are, and which are better."""

    text: str
    kind: str
    scale: float = 1
    higher_is_better: bool = False

    def figure(self, seconds: float, items: int, item_bytes: float, returned: Any) -> float:
        """The figure of one run."""
        if self.kind == AS_RETURNED:
            return float(returned)
        took = seconds if returned is None else float(returned)
        if self.kind == BY_RATE:
            return items * item_bytes / took / self.scale
        return took / items * self.scale


def ns_per(item: str) -> Unit:
    return Unit(f"ns per {item}", BY_TIME, 1e9)


NS = ns_per("element")
US = Unit("µs", BY_TIME, 1e6)
MS = Unit("ms", BY_TIME, 1e3)
SECONDS = Unit("s", BY_TIME, 1)
MB_PER_SECOND = Unit("MB/s", BY_RATE, 1e6, higher_is_better=True)
IMAGES_PER_SECOND = Unit("images/s", BY_RATE, 1, higher_is_better=True)
BYTES = Unit("bytes", AS_RETURNED)
MEGABYTES = Unit("MB", AS_RETURNED)
BYTES_PER_ELEMENT = Unit("bytes per element", AS_RETURNED)
OF_PAYLOAD = Unit("times the payload", AS_RETURNED)
THREADS = Unit("threads", AS_RETURNED)
CORES = Unit("% of a core", AS_RETURNED)
SPEED_UP = Unit("speed-up", AS_RETURNED, higher_is_better=True)
EFFICIENCY = Unit("of the ideal", AS_RETURNED, higher_is_better=True)


@dataclasses.dataclass(frozen=True)
class Side:
    """How one system does the work of a row.

    `mode` is how the system reads what `code` makes: "inside" its own loop, in "python" one by one, or "call": then
    `code` returns a function that does everything, and may return its own seconds, or the figure itself.
    """

    mode: str
    code: Any
    settings: str = ""


def inside(code: Any, settings: str = "") -> Side:
    return Side("inside", code, settings)


def python(code: Callable, settings: str = "") -> Side:
    return Side("python", code, settings)


def call(code: Callable, settings: str = "") -> Side:
    return Side("call", code, settings)


@dataclasses.dataclass(frozen=True)
class Row:
    """A row. The code of a side gets the library and the number of items of a run, a multiple of `step` from `least` to
    `most`, chosen so that a run takes a part of a second. Sides are called after their system; what follows a comma
    tells two of one system apart."""

    name: str
    work: str
    unit: Unit
    sides: Mapping[str, Side]
    least: int = 1000
    most: int = 200_000_000
    step: int = 1
    item_bytes: float = 1
    # Confines all processes of the row to that many processors.
    cores: int = 0
    # The least ratios that weir is to have, by side, and what weir itself is to have in the row's unit.
    ratios: Mapping[str, float] = dataclasses.field(default_factory=dict)
    bound: float | None = None
    # For a row that weir doesn't win, or where it misses a target: what was found to be the reason.
    why: str = ""


def system_of(side: str) -> str:
    """The system of a side's name."""
    return side.split(",", maxsplit=1)[0]


class Rows:
    """All rows, in the order of the table."""

    def __init__(self) -> None:
        self.all: dict[str, Row] = {}

    def add(self, *arguments: Any, **named: Any) -> None:
        row = Row(*arguments, **named)
        if row.name in self.all:
            raise ValueError(f"two rows are called {row.name}")
        self.all[row.name] = row

    def matching(self, pattern: str) -> list[Row]:
        return [row for row in self.all.values() if re.search(pattern, row.name)]
