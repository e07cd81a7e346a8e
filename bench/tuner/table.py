#!/usr/bin/env python3
"""Keeps what weir_tuner and autotune.py found, and makes the tables of docs/tuning.md from it.

    bench/tuner/table.py [LINES]... [--write]

LINES are files of lines of JSON that the two print. Each line replaces what bench/tuner/scores.json has of its pipeline. Prints
the tables, or with --write puts them between the marks in docs/tuning.md.
"""

import json
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
SCORES = HERE / "scores.json"
DOCUMENT = HERE.parents[1] / "docs" / "tuning.md"
BEGIN = "<!-- the table of bench/tuner/table.py -->\n"
END = "<!-- its end -->\n"
KINDS = {"overhead": "overhead", "autotune": "autotune", "name": "scores"}


def merge(kept, lines):
    """Puts each line under its kind and the name of its pipeline."""
    for line in lines:
        row = json.loads(line)
        key = next(key for key in KINDS if key in row)
        kept.setdefault(KINDS[key], {})[row[key]] = row


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def table(rows, theirs):
    """The scores in Markdown, and what they come to."""
    out = ("| pipeline | kind | settings | best by hand | elements/s | `auto` | of the best | settled after "
           "| tf.data, of its best |\n")
    out += "|---|---|---|---|---|---|---|---|---|\n"
    for row in rows:
        other = theirs.get(row["name"])
        beside = f"{other['ratio']:.2f}" if other else ""
        out += (f"| {row['name']} | {row['kind']} | {row['settings']} | {row['best']} | {row['best_rate']:,.0f} "
                f"| {row['auto_rate']:,.0f} | {row['ratio']:.2f} | {row['settled_s']:.1f} s "
                f"| {beside} |\n")
    ratios = [row["ratio"] for row in rows]
    late = sum(row["settled_s"] > 2 for row in rows)
    over = sum(row["exceeded"] for row in rows)
    out += (f"\n{len(rows)} pipelines: geometric mean {mean(ratios):.3f}, and {mean([min(1, r) for r in ratios]):.3f} if "
            f"what is above 1 counts as 1; lowest {min(ratios):.2f}; settled within 2 seconds: {len(rows) - late}; a "
            f"ceiling for threads or bytes was exceeded in {over}.\n")
    common = [theirs[row["name"]]["ratio"] for row in rows if row["name"] in theirs]
    if common:
        out += (f"tf.data, over {len(common)} of them: geometric mean {mean(common):.3f}, and "
                f"{mean([min(1, r) for r in common]):.3f} if what is above 1 counts as 1; lowest {min(common):.2f}.\n")
    return out


def overhead_table(rows):
    """What tuning costs, in Markdown."""
    out = "| pipeline | processor time per element, frozen | with tuning, times | elements/s, times |\n|---|---|---|---|\n"
    for row in rows:
        out += (f"| {row['overhead']} | {row['cpu_ns'] / 1000:,.1f} µs | {row['cpu']:.3f} ({row['cpu_low']:.3f} to "
                f"{row['cpu_high']:.3f}) | {row['rate']:.3f} ({row['rate_low']:.3f} to {row['rate_high']:.3f}) |\n")
    return out


def main():
    """Reads the arguments."""
    kept = json.loads(SCORES.read_text()) if SCORES.exists() else {}
    for name in sys.argv[1:]:
        if name != "--write":
            merge(kept, pathlib.Path(name).read_text().splitlines())
    SCORES.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
    text = table(list(kept["scores"].values()), kept.get("autotune", {}))
    if kept.get("overhead"):
        text += "\n" + overhead_table(list(kept["overhead"].values()))
    if "--write" not in sys.argv:
        print(text, end="")
        return
    document = DOCUMENT.read_text()
    begin, end = document.index(BEGIN) + len(BEGIN), document.index(END)
    DOCUMENT.write_text(document[:begin] + text + document[end:])


if __name__ == "__main__":
    main()
