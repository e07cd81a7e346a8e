#!/usr/bin/env python3
"""Runs of the command that are killed while they write elements, and runs whose disk is full, leave nothing that a later
run takes for elements.

    written_kill_test.py WEIR [KILLS]

A pipeline is run and killed with SIGKILL at a pseudo-random size of its files, up to that of a whole run's, and a
pseudo-random moment more. What a whole run prints after that must be all elements, once each; then the elements in the
folder are those of one run. WEIR_KILLS in the environment sets another default than 20.
"""

import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile

ROWS = 300_000
MAX_MOMENT = 20000  # turns of an empty loop
PIPELINE = f"range({ROWS}) | map(x -> (x, x * 7919 % 1000, float32(x))) | batch(1000)"


def run(weir, text, limit=None):
    """All lines, and the exit status."""

    def bound():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = subprocess.run([weir, "run", "-e", text], stdout=subprocess.PIPE, text=True, check=False,
                          preexec_fn=bound if limit else None)
    return done.stdout.splitlines(), done.returncode


def size_of(folder):
    """The bytes of all files in a folder, which may change meanwhile."""
    total = 0
    for path in folder.glob("*"):
        try:
            total += path.stat().st_size
        except FileNotFoundError:
            pass
    return total


def run_and_kill(weir, text, folder, size, moment):
    """Kills a run some turns of an empty loop after its folder has grown by `size` bytes. Returns whether it was
    killed."""
    before = size_of(folder)
    with subprocess.Popen([weir, "run", "-e", text], stdout=subprocess.DEVNULL) as process:
        while process.poll() is None and size_of(folder) < before + size:
            pass
        for _ in range(moment):
            pass
        process.send_signal(signal.SIGKILL)
        return process.wait() != 0


def check(found, expected, what):
    if found != expected:
        sys.exit(f"{what}: expected {len(expected)} lines, found {len(found)} others")


def check_folder(folder, what):
    """A published folder holds its manifest and one shard, and perhaps the lock file of a killed run."""
    names = {path.name for path in folder.iterdir()} - {"lock"}
    if len(names) != 2 or "manifest" not in names:
        sys.exit(f"{what}: expected a manifest and a shard, found {names}")


def kill(weir, scratch, draw, kills, operator):
    """Kills one run after the other."""
    text, elements = f"{PIPELINE} | {operator}", run(weir, PIPELINE)[0]
    printed = [] if operator.startswith("save") else elements
    run(weir, text.replace("FOLDER", str(scratch / "whole")))
    whole = size_of(scratch / "whole")
    killed = 0
    for number in range(kills):
        # Several killed runs come before a whole one.
        folder = scratch / f"{operator[:4]}{number // 4}"
        here = text.replace("FOLDER", str(folder))
        killed += run_and_kill(weir, here, folder, draw.randrange(whole + 1), draw.randrange(MAX_MOMENT))
        if (folder / "manifest").exists() and (lines := run(weir, f'load("{folder}")')[0]) != elements:
            sys.exit(f"{operator}: a killed run left {len(lines)} lines")
        if number % 4 < 3 and number + 1 < kills:
            continue
        check(run(weir, here)[0], printed, operator)
        check(run(weir, f'load("{folder}")')[0], elements, f"load after {operator}")
        check_folder(folder, operator)
        check(run(weir, here)[0], printed, f"{operator}, again")
    return killed


def together(weir, scratch):
    """Processes that begin at once: one writes, all give every element, and later ones read."""
    folder = scratch / "together"
    text = f'{PIPELINE} | snapshot("{folder}")'
    elements = run(weir, PIPELINE)[0]
    for _ in range(2):
        processes = [subprocess.Popen([weir, "run", "-e", text], stdout=subprocess.PIPE, text=True) for _ in range(4)]
        for process in processes:
            check(process.communicate()[0].splitlines(), elements, "one of four processes")
        check_folder(folder, "four processes")


def fill(weir, scratch, operator):
    """A disk that is full gives one error, and the elements follow."""
    folder = scratch / f"full-{operator[:4]}"
    text = f"{PIPELINE} | {operator}".replace("FOLDER", str(folder))
    lines, status = run(weir, text, limit=1 << 20)
    errors = [line for line in lines if line.startswith("error: resource_exhausted")]
    if len(errors) != 1 or status != 1 or folder.exists():
        sys.exit(f"{operator}: expected one error and no folder, found {errors}, status {status}")
    if not operator.startswith("save"):
        check([line for line in lines if not line.startswith("error: ")], run(weir, PIPELINE)[0], operator)


def fill_small_disk(weir, scratch, operator):
    """The same on a disk of a mebibyte, where one may be mounted. Returns whether it was."""
    text = f"{PIPELINE} | {operator}".replace("FOLDER", f"{scratch}/folder")
    script = 'mount -t tmpfs -o size=1m none "$0" || exit 77; "$1" run -e "$2"; echo "left: $(ls -A "$0")"'
    done = subprocess.run(["unshare", "-m", "sh", "-c", script, str(scratch), weir, text], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    if not done.stdout:
        return False
    lines = done.stdout.splitlines()
    errors = [line for line in lines if line.startswith("error: resource_exhausted")]
    if len(errors) != 1 or lines[-1] != "left: ":
        sys.exit(f"{operator}: expected one error and nothing left, found {errors}, {lines[-1]}")
    if not operator.startswith("save"):
        check([line for line in lines[:-1] if not line.startswith("error: ")], run(weir, PIPELINE)[0], operator)
    return True


def main():
    weir = sys.argv[1]
    kills = int(sys.argv[2] if len(sys.argv) > 2 else os.environ.get("WEIR_KILLS", "20"))
    draw = random.Random(12)
    with tempfile.TemporaryDirectory() as scratch:
        for operator in ('save("FOLDER")', 'snapshot("FOLDER")', 'cache("FOLDER")'):
            path = pathlib.Path(scratch) / operator[:4]
            path.mkdir()
            killed = kill(weir, path, draw, kills, operator)
            print(f"{operator}: {killed} of {kills} runs were killed")
            fill(weir, path, operator)
            small = path / "small"
            small.mkdir()
            if not fill_small_disk(weir, small, operator):
                print(f"{operator}: not tried on a small disk, which cannot be mounted here")
        together(weir, pathlib.Path(scratch))


if __name__ == "__main__":
    main()
