#!/usr/bin/env python3
"""A training run that is killed again and again ends with the weights of one that is not, byte for byte.

    digits_kill_test.py DIGITS DATA

Each life of a run begins with another number of threads, some with one iterator and some with two that are named by
handle, continues from the file that the last one left, and is
killed with SIGKILL after a pseudo-random number of lines, until one comes to the end. Lines come through a
socket that holds only a few of them, so that no life gets far ahead of who reads it.
"""

import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

KILLS = 20
EPOCHS = "3"
MAX_LINES = 40  # read before a kill; a run prints 139
MAX_LIVES = 200
THREADS = ("1", "2", "4")


def train(digits, data, weights, *options):
    """The command of a run over three epochs."""
    return [digits, "--data", data, "--epochs", EPOCHS, "--weights", weights, *options]


def live(command, line_count):
    """Runs `command` until it has printed `line_count` lines and kills it then. Yields whether it was killed
    and what it printed."""
    reader, writer = socket.socketpair()
    writer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
    process = subprocess.Popen(command, stdout=writer)
    writer.close()
    lines = []
    with reader, reader.makefile() as out:
        while len(lines) < line_count and (line := out.readline()):
            lines.append(line)
        if len(lines) == line_count:
            process.send_signal(signal.SIGKILL)
        status = process.wait()
        lines += out.readlines()
    if status not in (0, -signal.SIGKILL):
        sys.exit(f"expected a run that ends well or is killed, found status {status} of {' '.join(command)}")
    return status != 0, lines


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
