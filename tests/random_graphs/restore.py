#!/usr/bin/env python3
"""Random documents, saved and restored: what follows is what would have followed.

    restore.py RESTORER [--seed FIRST] [--graphs N] [--processes M]

N documents are saved at every position, each restored in a fresh runtime with another number of threads. M documents
are saved at a random position and restored in a fresh process. RESTORER is the program of restorer.cc.
WEIR_RESTORED_GRAPHS and WEIR_RESTORED_PROCESSES set other defaults than 100 and 200.
"""

import argparse
import concurrent.futures
import itertools
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from random_graphs import document_of

RECORDS = pathlib.Path(__file__).resolve().parent.parent / "data" / "records"
# Lines that are read of a document, unless it may have no end and the model reads fewer.
LIMIT = 120
# After so long without an answer a document hangs.
PATIENCE_S = 600
MAX_FAILURES = 5


def documents(first):
    """(seed, text, limit) of one document after the other, but for those that the model cannot read either."""
    for expected in filter(None, map(document_of, itertools.count(first))):
        yield expected.seed, expected.text, min(expected.limit, LIMIT)


def run(program, text, *arguments):
    """The exit status and the lines printed."""
    done = subprocess.run([program, *map(str, arguments)], input=text.encode(), cwd=RECORDS, capture_output=True,
                          timeout=PATIENCE_S, check=False)
    return done.returncode, (done.stdout + done.stderr if done.returncode else done.stdout).decode(errors="replace")


def everywhere(program, seed, text, limit):
    """What differs at some position; empty if nothing does."""
    status, out = run(program, text, "everywhere", limit, seed)
    return f"exit status {status}: {out}" if status else ""


def elsewhere(program, seed, text, limit):
    """What differs in a fresh process; empty if nothing does."""
    dice = random.Random(seed)
    count = dice.randrange(limit // 2)
    saving, restoring = dice.sample((1, 2, 4, 8), 2)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "position"
        status, due = run(program, text, "save", file, count, limit, saving)
        if status:
            return f"save after {count} lines: exit status {status}: {due}"
        status, found = run(program, text, "restore", file, limit - count, restoring)
    if status == 0 and found == due:
        return ""
    return (f"saved after {count} lines on {saving} threads, restored on {restoring}, exit status {status}: "
            f"expected\n{due[:500]}found\n{found[:500]}")


def check(what, program, count, first):
    """How many of `count` documents differ."""
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        def one(document):
            return document, what(program, *document)
        for (seed, text, _), difference in pool.map(one, itertools.islice(documents(first), count)):
            if difference and failures < MAX_FAILURES:
                print(f"seed {seed}, {what.__name__}: {difference}\n{text}\n", flush=True)
            failures += bool(difference)
    print(f"{what.__name__}: {count} documents from seed {first} on, {failures} differ")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("restorer")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--graphs", type=int, default=int(os.environ.get("WEIR_RESTORED_GRAPHS", 100)))
    parser.add_argument("--processes", type=int, default=int(os.environ.get("WEIR_RESTORED_PROCESSES", 200)))
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.restorer)
    failures = check(everywhere, program, arguments.graphs, arguments.seed)
    failures += check(elsewhere, program, arguments.processes, arguments.seed + 2 * arguments.graphs)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
