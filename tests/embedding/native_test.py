#!/usr/bin/env python3
"""Hosts in C and C++, each before and after weir is loaded and with both visibilities. Prints a JSON object per host.

tools/test-embedding and CMake set the environment: WEIR_LIBRARY, WEIR_FOLDER, and WEIR_BUILD, where the programs are.
"""

import json
import os
import pathlib
import subprocess
import sys

BUILD = pathlib.Path(os.environ.get("WEIR_BUILD", "."))
LIMIT_SECONDS = 120
TRAPS = {"another protobuf": "protobuf", "another oneTBB": "tbb", "another spdlog": "spdlog", "another {fmt}": "fmt",
         "another libjpeg": "jpeg", "another RE2": "re2", "another SQLite": "sqlite3", "another giflib": "gif",
         "all of these at once": "all"}
LIBRARIES = {"Debian's SQLite": "sqlite", "Debian's RE2": "re2", "Debian's libpng": "png", "Debian's libjpeg": "jpeg",
             "Debian's zlib": "zlib", "Debian's giflib": "gif", "Debian's shared libraries of all": "all"}
HOSTS = [*TRAPS, *LIBRARIES]
CELLS = [(order, scope) for order in ("first", "last") for scope in ("local", "global")]


def run(host, order, scope):
    """The words of trap_host are of the traps, those of the table of weir: one first is the other last."""
    words = ["last" if order == "first" else "first", scope]
    program, last = "library_host", LIBRARIES.get(host)
    if host in TRAPS:
        program, last = "trap_host", BUILD / f"libweir_traps_{TRAPS[host]}.so"
    command = [BUILD / program, os.environ["WEIR_LIBRARY"], os.environ["WEIR_FOLDER"], *words, last]
    process = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS)
    if process.returncode != 0:
        return [], f"{' '.join(words)}: ended with {process.returncode}: {process.stderr[-1500:]}"
    return process.stdout.split(), ""


def main():
    hashes = set()
    failed = 0
    for host in HOSTS:
        cells = {}
        for order, scope in CELLS:
            found, problem = run(host, order, scope)
            hashes.update(found)
            cells[f"{order} {scope}"] = problem
            failed += bool(problem)
        print(json.dumps({"host": host, "cells": cells, "elements": sorted(hashes)}), flush=True)
    if len(hashes) > 1:
        print(f"the hosts found different elements: {hashes}", file=sys.stderr)
    return 1 if failed or len(hashes) != 1 else 0


if __name__ == "__main__":
    sys.exit(main())
