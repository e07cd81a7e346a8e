"""The arithmetic: medians, quartiles, and what may be claimed of two series."""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Sequence


@dataclasses.dataclass(frozen=True)
class Spread:
    """The quartiles of a series."""

    low: float
    middle: float
    high: float


def spread(values: Sequence[float]) -> Spread:
    """Quartiles by linear interpolation between the sorted values, the ends included."""
    # Also where nothing can lie between them, as between infinite ones.
    if len(set(values)) == 1:
        return Spread(values[0], values[0], values[0])
    return Spread(*statistics.quantiles(values, n=4, method="inclusive"))


def overlap(one: Spread, other: Spread) -> bool:
    """Whether the boxes between the quartiles touch."""
    return one.low <= other.high and other.low <= one.high


@dataclasses.dataclass(frozen=True)
class Comparison:
    """How many times better `ours` is than `theirs`, by rounds that were measured side by side."""

    ours: Spread
    theirs: Spread
    ratio: Spread
    claimed: bool

    @property
    def won(self) -> bool:
        return self.claimed and self.ratio.middle > 1


def compare(ours: Sequence[float], theirs: Sequence[float], higher_is_better: bool) -> Comparison:
    """A ratio is claimed only if the quartiles of the two series don't overlap."""
    if len(ours) != len(theirs):
        raise ValueError(f"expected as many figures of both sides, found {len(ours)} and {len(theirs)}")
    pairs = zip(ours, theirs, strict=True)
    # A figure of nothing, such as no thread at all, is beyond any ratio.
    ratios = [ratio_of(us, them, higher_is_better) for us, them in pairs]
    own, other = spread(ours), spread(theirs)
    return Comparison(own, other, spread(ratios), not overlap(own, other))


def ratio_of(ours: float, theirs: float, higher_is_better: bool) -> float:
    """How many times better `ours` is."""
    better, worse = (ours, theirs) if higher_is_better else (theirs, ours)
    if worse == 0:
        return 1.0 if better == 0 else float("inf")
    return better / worse


def meets(found: Spread, target: float, higher_is_better: bool) -> bool:
    """Whether a figure reaches its target, by its median."""
    return found.middle >= target if higher_is_better else found.middle <= target
