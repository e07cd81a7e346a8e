#!/usr/bin/env python3
"""A run that is killed again and again writes what one that is not killed writes, byte for byte.

    kill_test.py KILLED_RUN [KILLS]

Each life begins with another number of threads at the newest valid generation of the folder. It is killed with SIGKILL
after a pseudo-random number of lines and a pseudo-random moment more, which may fall into a save. Before some lives the
newest generation is cut short: the one before it must do. WEIR_KILLS in the environment sets another default than 20.
"""

import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
from killed import live  # noqa: E402  pylint: disable=wrong-import-position

KEEP = 3
MAX_LINES = 60  # read before a kill; a run prints 376
MAX_MOMENT = 20000  # turns of an empty loop
MAX_LIVES = 200
THREADS = ("1", "2", "4")


def generations(folder):
    """The files of rank 0 by number, oldest first."""
    return sorted(folder.glob("r00000-*.ckpt"))


def damage_newest(folder, draw):
    """Cuts the newest generation short if there is one before it. Yields its number, or None."""
    files = generations(folder)
    if len(files) < 2:
        return None
    with files[-1].open("r+b") as file:
        file.truncate(draw.randrange(files[-1].stat().st_size))
    return int(files[-1].stem.split("-")[1])


def check_beginning(lines, damaged, errors):
    """A life that got so far began before a generation that was damaged, and logged why."""
    if damaged is None or not lines:
        return
    if int(lines[0]) >= damaged or "skipped" not in errors.read_text():
        sys.exit(f"expected to begin before generation {damaged} and a warning, found {lines[0]}{errors.read_text()}")


def complete_run(program, folder, draw):
    """Kills and continues one run until it ends. Yields the number of kills and the output."""
    generations_folder, output, errors = folder / "generations", folder / "output", folder / "errors"
    generations_folder.mkdir(parents=True)
    foreign = generations_folder / "r00001-000000000009.ckpt.tmp"
    foreign.write_text("of another rank")
    for kills in range(MAX_LIVES):
        damaged = damage_newest(generations_folder, draw) if draw.randrange(4) == 0 else None
        command = [program, str(generations_folder), str(output), draw.choice(THREADS)]
        with errors.open("wb") as file:
            killed, lines = live(command, draw.randrange(MAX_LINES), draw.randrange(MAX_MOMENT), file)
        check_beginning(lines, damaged, errors)
        if killed:
            continue
        left = sorted(generations_folder.iterdir())
        if len(left) > KEEP + 1 or foreign not in left or sum(path.suffix == ".tmp" for path in left) != 1:
            sys.exit(f"expected {KEEP} generations and a foreign file, found {[path.name for path in left]}")
        return kills, output.read_bytes()
    sys.exit(f"expected a run that comes to its end, found {MAX_LIVES} lives of which none did")


def main():
    program = sys.argv[1]
    wanted = int(sys.argv[2] if len(sys.argv) > 2 else os.environ.get("WEIR_KILLS", "20"))
    draw = random.Random(21)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([program, folder / "whole", folder / "expected", "2"], check=True, stdout=subprocess.DEVNULL)
        expected = (folder / "expected").read_bytes()
        kills = runs = 0
        while kills < wanted:
            runs += 1
            count, output = complete_run(program, folder / f"run{runs}", draw)
            kills += count
            if output != expected:
                sys.exit(f"expected the {len(expected)} bytes of the whole run, found {len(output)} others in run {runs}")
    print(f"{kills} kills in {runs} runs; {len(expected)} bytes each, all equal")


main()
