#!/usr/bin/env python3
"""The symbols that the library exports equal capi/weir.symbols, and what weir.h declares.

    exported_symbols.py SOURCE LIBRARY [--update]

All are named weir_*, there are at most 90, and each stands under the library's version node.
"""

import pathlib
import re
import subprocess
import sys

MAX_FUNCTIONS = 90
NODE = "WEIR_0.1"


def exported(library):
    """The defined dynamic symbols with their version, as nm prints them, without the node itself."""
    out = subprocess.run(["nm", "-D", "--defined-only", "--with-symbol-versions", library],
                         check=True, capture_output=True, text=True).stdout
    symbols = [line.split()[-1] for line in out.splitlines()]
    return sorted(symbol for symbol in symbols if symbol != NODE)


def declared(header):
    """The functions that the header declares."""
    return set(re.findall(r"^WEIR_API\b[^;(]*?\b(weir_\w+)\s*\(", header, flags=re.M))


def main():
    source, library = pathlib.Path(sys.argv[1]), sys.argv[2]
    committed = source / "capi/weir.symbols"
    header = source / "include/weir/weir.h"
    if not header.exists():
        print("include/weir/weir.h is missing")
        return 1
    symbols = exported(library)
    names = {symbol.split("@")[0] for symbol in symbols}
    if "--update" in sys.argv:
        committed.write_text("".join(symbol + "\n" for symbol in symbols))
    expected = committed.read_text().split() if committed.exists() else []
    functions = declared(header.read_text())
    complaints = []
    complaints += [f"exported but not in capi/weir.symbols: {s}" for s in symbols if s not in expected]
    complaints += [f"in capi/weir.symbols but not exported: {s}" for s in expected if s not in symbols]
    complaints += [f"not named weir_* under {NODE}: {s}" for s in symbols
                   if not re.fullmatch(rf"weir_[a-z0-9_]+@@{re.escape(NODE)}", s)]
    complaints += [f"declared in weir.h but not exported: {s}" for s in sorted(functions - names)]
    complaints += [f"exported but not declared in weir.h: {s}" for s in sorted(names - functions)]
    if len(symbols) > MAX_FUNCTIONS:
        complaints.append(f"{len(symbols)} functions; at most {MAX_FUNCTIONS} are allowed")
    print(*complaints, sep="\n")
    print(f"exported_symbols: {len(symbols)} functions, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
