#!/usr/bin/env python3
"""Writes the program at the top of weir.h as a file of C.

    extract_header_sample.py HEADER OUT
"""

import pathlib
import sys


def sample(header):
    """The lines of the first comment that are indented by three, without the indentation."""
    comment = header[:header.index("*/")].splitlines()
    return [line.removeprefix(" *   ") for line in comment if line.startswith(" *   ")]


def main():
    header, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    body = "\n".join("  " + line for line in sample(header.read_text()))
    out.write_text("#include <stdio.h>\n\n#include \"weir/weir.h\"\n\n"
                   f"int main(void) {{\n{body}\n  return result == WEIR_END ? 0 : 1;\n}}\n")


if __name__ == "__main__":
    main()
