#!/usr/bin/env python3
"""A job that is killed again and again, and goes on with another number of ranks each time, delivers each number once.

    resize_kill_test.py KILLED_RANK [KILLS]

Each life has 1, 2, 3 or 8 ranks with their own numbers of threads. All are killed with SIGKILL, in random order, after a
pseudo-random number of lines that they printed together; that may be before all of them have saved where they begin,
inside a save, or after some have ended. WEIR_KILLS in the environment sets another default than 20.
"""

import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
from killed import live_together  # noqa: E402  pylint: disable=wrong-import-position

NUMBERS = 600
RANKS = (1, 2, 3, 8)
MAX_LINES = 60  # of all ranks before they are killed; a whole run prints about 300
MAX_MOMENT = 20000  # turns of an empty loop
MAX_LIVES = 200
THREADS = ("1", "2", "4")


def live(program, folder, ranks, draw):
    """Runs all ranks and kills them. Returns whether one of them was killed before its end."""
    commands = [[program, folder, str(rank), str(ranks), draw.choice(THREADS)] for rank in range(ranks)]
    # Killed in another order than they were begun.
    draw.shuffle(commands)
    return live_together(commands, draw.randrange(MAX_LINES), draw.randrange(MAX_MOMENT))[0]


def complete_job(program, folder, draw):
    """Kills and continues one job until it ends. Returns the number of kills and the numbers that it delivered."""
    for kills in range(MAX_LIVES):
        if live(program, folder, draw.choice(RANKS), draw):
            continue
        groups = sorted(path.name for path in pathlib.Path(folder).iterdir())
        if len(groups) != 1:
            sys.exit(f"expected the files of the last group only, found {groups}")
        report = subprocess.run([program, folder], check=True, capture_output=True, text=True)
        return kills, sorted(int(line) for line in report.stdout.split())
    sys.exit(f"expected a job that comes to its end, found {MAX_LIVES} lives of which none did")


def main():
    program = sys.argv[1]
    wanted = int(sys.argv[2] if len(sys.argv) > 2 else os.environ.get("WEIR_KILLS", "20"))
    draw = random.Random(22)
    kills = jobs = 0
    with tempfile.TemporaryDirectory() as name:
        while kills < wanted:
            jobs += 1
            count, delivered = complete_job(program, str(pathlib.Path(name) / f"job{jobs}"), draw)
            kills += count
            if delivered != list(range(1, NUMBERS + 1)):
                lost = sorted(set(range(1, NUMBERS + 1)) - set(delivered))
                sys.exit(f"expected each of {NUMBERS} numbers once, found {len(delivered)} in job {jobs}, without {lost}")
    print(f"{kills} kills in {jobs} jobs; {NUMBERS} numbers each, every one delivered once")


main()
