#!/usr/bin/env python3
"""Writes the program and the pieces of code in the manual at the top of weir.hpp as a program.

    extract_manual_samples.py HEADER OUT

The first block is a program; the others are statements that follow it, with its runtime, each in a scope of its own.
"""

import pathlib
import re
import sys


def blocks(header):
    """The blocks of the first comment that are indented by three and hold statements."""
    manual = header[:header.index("#pragma once")]
    # A block goes on over an empty line of the comment.
    for block in re.findall(r"(?:^//(?:   .*|)\n)+", manual, flags=re.M):
        code = "\n".join(line[5:] for line in block.splitlines()).strip("\n")
        if re.search(r"[;{]$", code, flags=re.M):
            yield code


def main():
    header, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    program, *pieces = blocks(header.read_text())
    if len(pieces) != 8:
        sys.exit(f"expected a program and 8 pieces of code, found {len(pieces)}")
    body = "".join(f"  {{\n{piece}\n  }}\n" for piece in pieces)
    # What a piece makes need not be used.
    out.write_text('#pragma GCC diagnostic ignored "-Wunused-variable"\n'
                   '#pragma GCC diagnostic ignored "-Wunused-but-set-variable"\n'
                   + program.replace("int main()", "static void first()") +
                   "\nint main() {\n  first();\n  weir::Runtime runtime;\n" + body + "}\n")


if __name__ == "__main__":
    main()
