#!/usr/bin/env python3
"""Counts the instructions of the hot paths under callgrind and compares them with counts.json: more than the
tolerance above what is recorded fails. Counts don't depend on how busy the machine is, so a copy too many shows
where a clock would not.

    instructions_test.py HOT_PATHS [--record] [NAME ...]

--record writes what was counted; look at the difference before it is committed.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

COUNTS = Path(__file__).with_name("counts.json")
TOLERANCE = 0.05
# What ctest takes for skipped.
SKIPPED = 77
# The C library picks its copying loops, and where they change, by the processor; here they are the same everywhere.
TUNABLES = ":".join([
    "glibc.cpu.hwcaps=-AVX,-AVX2,-AVX512F,-AVX_Fast_Unaligned_Load,-SSSE3,-ERMS,-FSRM",
    "glibc.cpu.x86_non_temporal_threshold=0x4000000",
    "glibc.cpu.x86_rep_movsb_threshold=0x4000000",
])


def count(program, name):
    """The instructions that an element takes on the path of this name."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no",
               "--toggle-collect=measured", program, name]
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          env={**os.environ, "GLIBC_TUNABLES": TUNABLES})
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not collected:
        sys.exit(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return int(collected.group(1)) / int(done.stdout)


def least_count(program, name, recorded):
    """The least of up to three counts: windows grow with time, which a busy machine has more of."""
    found = count(program, name)
    for _ in range(2):
        if recorded is not None and found > recorded * (1 + TOLERANCE):
            found = min(found, count(program, name))
    return found


def compare(name, found, recorded):
    """Prints the row; true if it is not above what is recorded."""
    if recorded is None:
        print(f"{name:14} {found:10.1f}  not in {COUNTS.name}; run with --record")
        return False
    change = found / recorded - 1
    verdict = "TOO MANY" if change > TOLERANCE else "fewer: worth recording" if change < -TOLERANCE else ""
    print(f"{name:14} {found:10.1f}  recorded {recorded:10.1f}  {change:+7.1%}  {verdict}")
    return change <= TOLERANCE


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    if platform.machine() != "x86_64":
        print("the recorded counts are those of x86-64")
        return SKIPPED
    listed = subprocess.run([args.program, "--list"], capture_output=True, text=True, check=True).stdout.split()
    recorded = json.loads(COUNTS.read_text(encoding="utf-8")) if COUNTS.exists() else {}
    good = set(recorded) <= set(listed)
    if not good:
        print(f"{COUNTS.name} has paths that are no more: {sorted(set(recorded) - set(listed))}")
    found = {}
    for name in args.names or listed:
        found[name] = least_count(args.program, name, recorded.get(name))
        good &= compare(name, found[name], recorded.get(name))
    if args.record:
        rounded = {name: round(value, 1) for name, value in found.items()}
        COUNTS.write_text(json.dumps({**recorded, **rounded}, indent=2) + "\n", encoding="utf-8")
        return 0
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
