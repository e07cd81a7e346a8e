#!/usr/bin/env python3
"""Checks that the library's functions leave no upper halves of vector registers in use.

    tests/gates/clean_registers.py build/release/libweir.so

After an instruction for 256 or 512 bits, one of the older kind, of which most of the library is made, takes about a hundred
nanoseconds, unless vzeroupper stands between them. The compiler sees to that, but forgets it before some calls at the end
of a function. So each function that uses the upper halves must have a vzeroupper. Functions that pass such registers on to
each other are excepted: the one that begins the chain ends it. So is libjpeg-turbo's assembler, which is labels.
"""

import re
import subprocess
import sys

FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$")
# Registers 16 to 31 belong only to the newer instructions, and need no cleaning.
WIDE = re.compile(r"%[yz]mm(?:[0-9]|1[0-5])\b")
EXCEPTED = re.compile(r"^jsimd_|::step<|::\(anonymous namespace\)::end\(")


def functions_left_dirty(lines):
    dirty = {}
    name = None
    for line in lines:
        if found := FUNCTION.match(line.rstrip()):
            name = found[1]
        elif "vzero" in line:
            dirty[name] = False
        elif WIDE.search(line):
            dirty.setdefault(name, True)
    return [name for name, is_dirty in dirty.items() if is_dirty and not EXCEPTED.search(name)], len(dirty)


def main():
    command = ["objdump", "-d", "-C", "--no-show-raw-insn", sys.argv[1]]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as objdump:
        left, count = functions_left_dirty(objdump.stdout)
    if objdump.returncode != 0:
        raise SystemExit(f"objdump failed: {objdump.returncode}")
    for name in left:
        print(f"{name} uses the upper halves of vector registers and does not clean them; call _mm256_zeroupper() at its end")
    print(f"{count} functions use upper halves")
    sys.exit(1 if left else 0)


if __name__ == "__main__":
    main()
