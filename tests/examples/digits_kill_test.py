#!/usr/bin/env python3
"""A training run that is killed again and again ends with the weights of one that is not, byte for byte.

    digits_kill_test.py DIGITS DATA

Each life of a run begins with another number of threads, some with one iterator and some with two that are named by
handle, continues from the file that the last one left, and is killed with SIGKILL after a pseudo-random number of lines,
until one comes to the end.
"""

import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
from killed import live  # noqa: E402  pylint: disable=wrong-import-position

KILLS = 20
EPOCHS = "3"
MAX_LINES = 40  # read before a kill; a run prints 139
MAX_LIVES = 200
THREADS = ("1", "2", "4")


def train(digits, data, weights, *options):
    """The command of a run over three epochs."""
    return [digits, "--data", data, "--epochs", EPOCHS, "--weights", weights, *options]


def complete_run(digits, data, folder, draw):
    """Kills and continues one run until it ends. Yields the number of kills, its weights and its last line."""
    checkpoint, weights = folder / "checkpoint", folder / "weights"
    for kills in range(MAX_LIVES):
        command = train(digits, data, weights, "--trace", "--checkpoint", checkpoint, "--every", "3",
                        "--threads", THREADS[draw.randrange(len(THREADS))])
        if draw.randrange(2):
            command.append("--feedable")
        killed, lines = live([str(word) for word in command], draw.randrange(MAX_LINES))
        if not killed:
            checkpoint.unlink()
            return kills, weights.read_bytes(), lines[-1]
    sys.exit(f"expected a run that comes to its end, found {MAX_LIVES} lives of which none did")


def main():
    digits, original = sys.argv[1], pathlib.Path(sys.argv[2])
    draw = random.Random(20)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = folder / "data"
        shutil.copytree(original, data)
        reference = subprocess.run(train(digits, data, folder / "A"), check=True, capture_output=True, text=True)
        expected = (folder / "A").read_bytes()
        kills = runs = 0
        while kills < KILLS:
            count, weights, last = complete_run(digits, data, folder, draw)
            if count == 0:
                sys.exit("expected a run that is killed at least once, found one that outran its reader")
            kills += count
            runs += 1
            if weights != expected:
                sys.exit(f"run {runs}, killed {count} times, ended with other weights")
            if last != reference.stdout.splitlines(keepends=True)[-1]:
                sys.exit(f"run {runs}, killed {count} times, ended with another line: {last}")
    print(f"{kills} kills in {runs} runs, equal weights")


if __name__ == "__main__":
    main()
