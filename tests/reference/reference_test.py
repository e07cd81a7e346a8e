#!/usr/bin/env python3
"""What the library says about itself is true: every example prints what is written beside it, `weir help` shows every
entry, and docs/operators.md and docs/functions.md are current.

    reference_test.py WEIR SOURCE [--examples]

--examples runs the examples only, which is what a build with sanitizers has to gain from.
"""

import json
import pathlib
import re
import subprocess
import sys

FAILURES = []


def expect(what, expected, found):
    """Notes a failure unless the two are equal."""
    if expected != found:
        FAILURES.append(what)
        print(f"{what}: expected\n{expected}\nfound\n{found}")


def call(command, folder):
    """Exit status and standard output; nothing may come to standard error."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    expect(" ".join(map(str, command)) + ", standard error", "", done.stderr)
    return done.returncode, done.stdout


def check_example(weir, source, entry):
    """The example prints its output."""
    name = entry["name"]
    if not entry["example"]:  # its files are read by an extension, which may not be there
        return
    if not entry["output"]:
        expect(f"the example of {name} takes something from a program", True, "@" in entry["example"])
    else:
        failing = any(line.startswith("error: ") for line in entry["output"].splitlines())
        expect(f"the example of {name}", (1 if failing else 0, entry["output"] + "\n"),
               call([weir, "run", "-e", entry["example"]], source))


def check_page(weir, source, entry):
    """The page of the entry has all of its parts."""
    name = entry["name"]
    status, page = call([weir, "help", name], source)
    expect(f"weir help {name}, exit status", 0, status)
    words = " ".join(page.split())
    wanted = [entry["doc"], entry["cost"], entry.get("result", ""), entry["example"], *entry["signatures"]]
    for parameter in entry["parameters"]:
        wanted += [f"{parameter['name']}: {parameter['type']}", parameter.get("default", ""), parameter.get("doc", "")]
        wanted += [str(parameter[key]) for key in ("minimum", "maximum") if key in parameter]
    for text in wanted:
        expect(f"weir help {name} says {text!r}", True, " ".join(text.split()) in words)


def main():
    weir, source = sys.argv[1], pathlib.Path(sys.argv[2])
    schema = json.loads(call([weir, "list", "--json"], source)[1])
    entries = schema["operators"] + schema["functions"]
    expect("operators and functions, any", True, bool(schema["operators"]) and bool(schema["functions"]))
    for entry in entries:
        check_example(weir, source, entry)
    if "--examples" not in sys.argv:
        check_pages(weir, source, entries)
    print(f"{len(entries)} entries, {len(FAILURES)} failures")
    return 1 if FAILURES else 0


def check_pages(weir, source, entries):
    """What stands on pages, in the overview and in docs/ is what the library says."""
    overview = call([weir, "list"], source)[1]
    for entry in entries:
        check_page(weir, source, entry)
        first = entry["doc"].split(". ")[0].rstrip(".") + ".\n"
        expect(f"weir list, a line for {entry['name']}", True, f"  {entry['name']} " in overview and first in overview)
    randomness = (source / "docs/language.md").read_text().split("## Randomness")[1].split("An order or a draw")[0]
    named = set(re.findall(r"`(\w+)`", randomness)) - {"seed"}
    drawing = {e["name"] for e in entries if any(p["name"] == "seed" for p in e["parameters"])}
    expect("docs/language.md names what takes a seed", sorted(drawing), sorted(named))
    expect("weir help float32", call([weir, "help", "cast"], source), call([weir, "help", "float32"], source))
    expect("tools/generate-docs --check", (0, ""), call([source / "tools/generate-docs", weir, "--check"], source))


if __name__ == "__main__":
    sys.exit(main())
