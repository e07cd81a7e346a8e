#!/usr/bin/env python3
"""The digits job in C++ prints the lines and ends with the weights of the one in C, and each goes on from the other's
snapshots. Its source is at most half as long.

    digits_cpp_test.py DIGITS DIGITS_CPP SOURCE
"""

import pathlib
import re
import subprocess
import sys
import tempfile


def run(program, data, folder, *options):
    """The lines of a run without its speed, and its weights."""
    weights = folder / "weights"
    done = subprocess.run([program, "--data", data, "--weights", weights, *map(str, options)], check=True,
                          capture_output=True, text=True)
    return re.sub(r"images/s \d+", "", done.stdout), weights.read_bytes()


def fail(message):
    sys.exit(f"digits_cpp: {message}")


def main():
    digits, digits_cpp, source = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = source / "data"
        expected = run(digits, data, folder, "--epochs", 3, "--trace")
        if run(digits_cpp, data, folder, "--epochs", 3, "--trace", "--threads", 2) != expected:
            fail("other lines or weights than in C")
        for first, second in ((digits, digits_cpp), (digits_cpp, digits)):
            # 45 steps make an epoch, so the last snapshot stands in the middle of the second one.
            snapshot = folder / "snapshot"
            run(first, data, folder, "--epochs", 2, "--checkpoint", snapshot, "--every", 32)
            lines, weights = run(second, data, folder, "--epochs", 3, "--checkpoint", snapshot, "--every", 1000)
            if weights != expected[1] or lines.splitlines()[-1] != expected[0].splitlines()[-1]:
                fail(f"{second} does not go on from the snapshot of {first}")
            if lines.startswith("epoch   1"):
                fail(f"{second} did not begin at the snapshot of {first}")
            snapshot.unlink()
    for wrong in (["--epochs"], ["--every", "0"], ["--nonsense", "1"]):
        status = subprocess.run([digits_cpp, *wrong], capture_output=True, check=False).returncode
        if status != 2:
            fail(f"{wrong}: expected exit status 2, found {status}")
    count, count_c = (len((source / file).read_text().splitlines()) for file in ("digits.cpp", "digits.c"))
    if 2 * count > count_c:
        fail(f"expected at most half of {count_c} lines, found {count}")
    print(f"equal lines and weights, {count} lines for {count_c}")


if __name__ == "__main__":
    main()
