"""The page: results as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from peers.figures import Comparison, Spread, compare, meets, spread
from peers.row import Row, system_of

HEAD = """\
# Performance

<!-- Written by bench/compare. -->

weir compared with the libraries that it replaces. All sides of a row read the same generated data, each in its own process,
and take turns ({repeats} rounds). The figures are medians, with quartiles in brackets. *Ratio* is weir's
advantage, the median of the per-round ratios with their quartiles: above 1 weir is better. It is given only
if the two interquartile ranges do not overlap.

    {command}

Machine: {machine}. Versions: {versions}.

![How many times as good weir is, on a logarithmic scale]({chart})
"""


def number(value: float) -> str:
    """Three digits, with commas between thousands."""
    if value == float("inf"):
        return "∞"
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    digits = 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 3
    return f"{value:.{digits}f}"


def spread_text(found: Spread) -> str:
    return f"{number(found.middle)} ({number(found.low)} to {number(found.high)})"


def title(row: Row) -> str:
    return row.work + (", on one processor" if row.cores else "")


def comparisons(row: Row, found: Mapping[str, Any]) -> dict[str, Comparison]:
    """weir beside each side that ran."""
    sides = found["sides"]
    ours = sides.get("weir", {}).get("figures")
    if not ours:
        return {}
    return {
        name: compare(ours, side["figures"], found["higher_is_better"])
        for name, side in sides.items()
        if name != "weir" and "figures" in side
    }


def ratio_text(found: Comparison) -> str:
    return spread_text(found.ratio) if found.claimed else "no difference claimed"


def verdict(reached: bool) -> str:
    return "met" if reached else "**missed**"


def reaches(row: Row, name: str, found: Comparison) -> bool:
    """Whether a ratio reaches the row's target; 1 is not reached by a ratio that isn't claimed."""
    target = row.ratios[name]
    return found.ratio.middle >= target and (found.claimed or target < 1)


def bound_text(row: Row, found: Mapping[str, Any], ours: Spread) -> str:
    higher = found["higher_is_better"]
    sign = "≥" if higher else "≤"
    return f"{sign} {row.bound:g}: {verdict(meets(ours, row.bound, higher))}"


def lines_of(row: Row, found: Mapping[str, Any]) -> Iterator[list[str]]:
    """The lines of the table for one row; that of weir first."""
    compared = comparisons(row, found)
    names = ["weir", *(name for name in row.sides if name != "weir")]
    work = f"{title(row)}, {found['unit']}"
    for name in names:
        side = found["sides"].get(name)
        if side is None:
            continue
        ratio, target, figures = "", "", "failed"
        if "figures" in side:
            own = spread(side["figures"])
            figures = spread_text(own)
            if name == "weir" and row.bound is not None:
                target = bound_text(row, found, own)
        if name in compared:
            ratio = ratio_text(compared[name])
            if name in row.ratios:
                target = f"≥ {row.ratios[name]:g}: {verdict(reaches(row, name, compared[name]))}"
        yield [work, name, figures, ratio, target]
        work = ""


def short(row: Row, found: Mapping[str, Any]) -> bool:
    """Whether weir fails, misses a target, or does not win against a side that there is no target for."""
    compared = comparisons(row, found)
    if "figures" not in found["sides"].get("weir", {}):
        return True
    for name, one in compared.items():
        if not (reaches(row, name, one) if name in row.ratios else one.won):
            return True
    ours = spread(found["sides"]["weir"]["figures"])
    return row.bound is not None and not meets(ours, row.bound, found["higher_is_better"])


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rows = [head, ["---"] * len(head), *lines]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in rows)


def section(title: str, lines: Sequence[str]) -> str:
    return f"\n## {title}\n\n" + "".join(f"- {line}\n" for line in lines) if lines else ""


def settings_of(rows: Sequence[Row], measured: Mapping[str, Any], settings: Mapping[str, str]) -> list[str]:
    """What was set: for each system, and for sides of rows."""
    used = {system_of(side) for row in rows for side in measured[row.name]["sides"]}
    lines = [f"{name}: {text}" for name, text in settings.items() if name in used and text]
    for row in rows:
        for name, side in row.sides.items():
            if side.settings and name in measured[row.name]["sides"]:
                lines.append(f"{title(row)}, {name}: {side.settings}.")
    return lines


def failures(rows: Sequence[Row], measured: Mapping[str, Any]) -> list[str]:
    """Sides that did not run, with the reason."""
    return [
        f"{title(row)}, {name}: {side['failed']}"
        for row in rows
        for name, side in measured[row.name]["sides"].items()
        if "failed" in side
    ]


def render(rows: Sequence[Row], results: Mapping[str, Any], settings: Mapping[str, str], chart: str) -> str:
    """The whole page. `rows` in the order of the table; those without results are left out."""
    measured = results["rows"]
    shown = [row for row in rows if row.name in measured]
    repeats = max((len(s.get("figures", [])) for row in shown for s in measured[row.name]["sides"].values()), default=0)
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    head = HEAD.format(
        repeats=repeats, command=results["command"], machine=results["machine"], versions=versions, chart=chart
    )
    lines = [line for row in shown for line in lines_of(row, measured[row.name])]
    reasons = [f"{title(row)}: {row.why or 'no reason was found.'}" for row in shown if short(row, measured[row.name])]
    return (
        head
        + "\n"
        + table(["work", "system", "median (quartiles)", "ratio", "target"], lines)
        + section("Where weir is not ahead, or misses its target", reasons)
        + section("Settings", settings_of(shown, measured, settings))
        + section("What did not run", failures(shown, measured))
    )
