#!/usr/bin/env python3
"""Writes a C file that defines what shared libraries export, as a host with other versions of them would.

    make_traps.py LIBRARY... > traps.c

Each function is a trap: the process ends with status 86 and the function's name, unless the host itself calls it.
embedding_host_calls() calls all of them as the host, and returns how many were reached.
"""

import re
import subprocess
import sys

# What a library has of the C++ library's templates is not its own.
NOT_ITS_OWN = re.compile(r"_ZT?[A-Z]{0,3}St|_ZNK?9__gnu_cxx|_init$|_fini$|__bss_start$|_edata$|_end$")

HEAD = """\
#include <string.h>
#include <unistd.h>

static __thread int g_host;
static __thread int g_reached;

static void trap(const char* name) {
  if (g_host) {
    ++g_reached;
    return;
  }
  if (write(2, name, strlen(name)) < 0 || write(2, ": the host's function was called\\n", 33) < 0) _exit(87);
  _exit(86);
}
"""


def exported(library):
    """The names of the functions and of the data that a library exports, without their versions."""
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    for line in lines:
        _, kind, name = line.split()
        name = name.split("@")[0]
        if not NOT_ITS_OWN.match(name) and kind != "A":
            yield name, kind in "TtWwi"


def main():
    symbols = dict(pair for library in sys.argv[1:] for pair in exported(library))
    functions = sorted(name for name, is_function in symbols.items() if is_function)
    data = sorted(name for name, is_function in symbols.items() if not is_function)
    print(HEAD)
    for i, name in enumerate(functions):
        print(f'void trap{i}(void) __asm__("{name}");\nvoid trap{i}(void) {{ trap("{name}"); }}')
    for i, name in enumerate(data):
        print(f'char data{i}[4096] __asm__("{name}");')
    print("\nstatic void (*const kAll[])(void) = {")
    print(",\n".join(f"    trap{i}" for i in range(len(functions))))
    print(f"""}};

int embedding_host_calls(void) {{
  g_host = 1;
  g_reached = 0;
  for (int i = 0; i < {len(functions)}; ++i) kAll[i]();
  g_host = 0;
  return g_reached == {len(functions)} ? g_reached : -1;
}}""")


if __name__ == "__main__":
    main()
