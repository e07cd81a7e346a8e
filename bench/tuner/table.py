#!/usr/bin/env python3
"""Makes the table of docs/tuning.md from what weir_tuner prints.

    bench/tuner/table.py LINES [--write]

LINES is a file of its lines; of several for one pipeline the last counts. Prints the table, or with --write puts it between
the marks in docs/tuning.md.
"""

import json
import math
import pathlib
import sys

DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "tuning.md"
BEGIN = "<!-- the table of bench/tuner/table.py -->\n"
END = "<!-- its end -->\n"


def table(lines):
    """The rows in Markdown, and what they come to."""
    found = {}
    for line in lines:
        row = json.loads(line)
        found[row["name"]] = row
    out = "| pipeline | kind | settings | best by hand | elements/s | `auto` | of the best | settled after |\n"
    out += "|---|---|---|---|---|---|---|---|\n"
    for row in found.values():
        out += (f"| {row['name']} | {row['kind']} | {row['settings']} | {row['best']} | {row['best_rate']:,.0f} "
                f"| {row['auto_rate']:,.0f} | {row['ratio']:.2f} | {row['settled_s']:.1f} s |\n")
    ratios = [row["ratio"] for row in found.values()]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    late = sum(row["settled_s"] > 2 for row in found.values())
    out += (f"\n{len(ratios)} pipelines: geometric mean {mean:.3f}, lowest {min(ratios):.2f}; "
            f"settled within 2 seconds: {len(ratios) - late}.\n")
    return out


def main():
    """Reads the arguments."""
    text = table(pathlib.Path(sys.argv[1]).read_text().splitlines())
    if "--write" not in sys.argv:
        print(text, end="")
        return
    document = DOCUMENT.read_text()
    begin, end = document.index(BEGIN) + len(BEGIN), document.index(END)
    DOCUMENT.write_text(document[:begin] + text + document[end:])


if __name__ == "__main__":
    main()
