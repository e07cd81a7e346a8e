"""The chart: for each row a bar from 1 to the ratio of weir and the best of the others, on a logarithmic scale."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

from peers.page import comparisons, number
from peers.row import Row

LABELS, PLOT, LINE, TOP = 330, 520, 20, 40
AHEAD, BEHIND, NEITHER = "#2a6f97", "#bc4b51", "#999999"
FONT = 'font-family="sans-serif" font-size="12"'


def bars(rows: Sequence[Row], results: Mapping[str, Any]) -> list[tuple[str, str, float, bool]]:
    """Work, the best of the others, the ratio, and whether it is claimed."""
    found = []
    for row in rows:
        compared = comparisons(row, results["rows"].get(row.name, {"sides": {}, "higher_is_better": False}))
        compared = {name: one for name, one in compared.items() if 0 < one.ratio.middle < math.inf}
        if compared:
            best = min(compared, key=lambda name: compared[name].ratio.middle)
            work = re.sub(r"[`*]", "", row.work)
            found.append((work, best, compared[best].ratio.middle, compared[best].claimed))
    return found


def shortened(text: str, size: int = 46) -> str:
    return text if len(text) <= size else text[: size - 1] + "…"


def render(rows: Sequence[Row], results: Mapping[str, Any]) -> str:
    """The SVG."""
    shown = bars(rows, results)
    logs = [math.log10(ratio) for _, _, ratio, _ in shown]
    low, high = math.floor(min([*logs, 0.0])), max(1, math.ceil(max([*logs, 0.0])))
    scale = PLOT / (high - low)

    def x_of(log: float) -> float:
        return LABELS + (log - low) * scale

    bottom = TOP + LINE * len(shown)
    width, height = LABELS + PLOT + 150, bottom + 20
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" {FONT}>',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{LABELS}" y="16">how many times as good weir is as the best of the others</text>',
    ]
    for power in range(low, high + 1):
        x = x_of(power)
        stroke = "#555555" if power == 0 else "#dddddd"
        out.append(f'<line x1="{x:.1f}" y1="{TOP - 4}" x2="{x:.1f}" y2="{bottom}" stroke="{stroke}"/>')
        label = number(10.0**power) if power >= 0 else f"1/{number(10.0**-power)}"
        out.append(f'<text x="{x:.1f}" y="{TOP - 8}" text-anchor="middle">{label}</text>')
    for i, ((work, best, ratio, claimed), log) in enumerate(zip(shown, logs, strict=True)):
        y = TOP + i * LINE
        color = NEITHER if not claimed else AHEAD if ratio > 1 else BEHIND
        begin, end = sorted((x_of(0), x_of(log)))
        out.append(f'<text x="{LABELS - 8}" y="{y + 14}" text-anchor="end">{escape(shortened(work))}</text>')
        out.append(
            f'<rect x="{begin:.1f}" y="{y + 3}" width="{max(end - begin, 1):.1f}" height="{LINE - 6}" fill="{color}"/>'
        )
        out.append(f'<text x="{end + 6:.1f}" y="{y + 14}">{number(ratio)}, {escape(best)}</text>')
    out.append("</svg>")
    return "\n".join(out) + "\n"
