#!/usr/bin/env python3
"""An example prints what is written beside it.

    program_test.py PROGRAM OUT [ARGUMENT…]

Exits with 1 if the program fails, complains, or prints something other than the file OUT holds. {} among the arguments
stands for the name of a file that does not exist yet.
"""

import pathlib
import subprocess
import sys
import tempfile


def main():
    program, out = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        arguments = [word.replace("{}", folder + "/file") for word in sys.argv[3:]]
        done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False, cwd=folder)
    expected = (0, out.read_text(), "")
    found = (done.returncode, done.stdout, done.stderr)
    if found != expected:
        print(f"{program}: expected {expected}, found {found}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
