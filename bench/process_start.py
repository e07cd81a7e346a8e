#!/usr/bin/env python3
"""What it costs a C program to use weir: from the start of the process to its first element, memory, and disk.

    bench/process_start.py build/release/libweir.so [--memory-at-most MB]

Compiles a program that makes a runtime, parses a text and takes an element, and one that does nothing; starts them in
turns, and prints medians and quartiles. Memory is that of the process at its first element, less what the empty one has:
all resident pages, and those that are its own, since the others are the page cache's and shared. With a limit it only
looks at the resident pages, takes the least of several copies of the library, and fails if there are more.
"""

import argparse
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile
import time

RUNS = 100
DOCUMENTS = ("range(10) | map(x -> x * x) | batch(4)",
             "range(10) | map(x -> x * x, num_parallel_calls: 2) | prefetch(2)")
MEMORY = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_memory(void) {
  char line[256];
  FILE* status = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, status)) {
    if (strncmp(line, "VmRSS", 5) == 0 || strncmp(line, "RssAnon", 7) == 0) fputs(line, stdout);
  }
  fclose(status);
}
"""
NOTHING = MEMORY + """
int main(int argc, char** argv) {
  (void)argv;
  if (argc > 2) print_memory();
  return 0;
}
"""
FIRST = "#include <weir/weir.h>\n" + MEMORY + """
int main(int argc, char** argv) {
  weir_runtime runtime = {0};
  weir_dataset dataset = {0};
  weir_iterator iterator = {0};
  weir_element element = {0};
  if (argc < 2 || weir_runtime_create(NULL, &runtime, NULL) != WEIR_OK ||
      weir_dataset_parse(runtime, argv[1], WEIR_STRLEN, NULL, 0, &dataset, NULL) != WEIR_OK ||
      weir_iterator_create(runtime, dataset, NULL, &iterator, NULL) != WEIR_OK ||
      weir_element_create(&element, NULL) != WEIR_OK || weir_iterator_next(iterator, element, NULL) != WEIR_OK) {
    return 1;
  }
  if (argc > 2) print_memory();
  fflush(stdout);
  _Exit(0);
}
"""


def compile_program(folder, name, source, *flags):
    file = folder / f"{name}.c"
    file.write_text(source)
    subprocess.run(["cc", "-O1", file, "-o", folder / name, *flags], check=True)
    return folder / name


def milliseconds(command):
    started = time.perf_counter()
    subprocess.run(command, check=True)
    return (time.perf_counter() - started) * 1e3


def memory(command):
    text = subprocess.run([*command, "memory"], check=True, capture_output=True, text=True).stdout
    return [int(kilobytes) for kilobytes in re.findall(r"(\d+) kB", text)]


def added(first, nothing, document):
    """The megabytes that a process has beyond an empty one: resident, and its own."""
    both = zip(memory([first, document]), memory(nothing), strict=True)
    return [(with_weir - without) * 1024 / 1e6 for with_weir, without in both]


def report(first, nothing, document):
    with_weir, without = zip(*((milliseconds([first, document]), milliseconds(nothing)) for _ in range(RUNS)),
                             strict=True)
    low, middle, high = statistics.quantiles(with_weir, n=4)
    resident, own = added(first, nothing, document)
    print(f"{document}\n  {middle:.2f} ms ({low:.2f} to {high:.2f}), of which an empty process takes "
          f"{statistics.median(without):.2f}\n  memory added: {resident:.2f} MB resident, {own:.2f} MB its own")


def added_by_copies(first, nothing, document, library):
    """What fresh copies of the library add: which pages of a file come together differs from copy to copy."""
    for _ in range(8):
        copy = library.with_suffix(".copy")
        shutil.copyfile(library, copy)
        copy.rename(library)
        yield added(first, nothing, document)[0]


def check(first, nothing, document, limit, library):
    resident = min(added_by_copies(first, nothing, document, library))
    if resident > limit:
        raise SystemExit(f"{document}: {resident:.2f} MB resident at the first batch beyond an empty program's, expected "
                         f"at most {limit}; see cmake/code_order.ld for what lies beside what")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("--memory-at-most", type=float, metavar="MB")
    options = parser.parse_args()
    include = pathlib.Path(__file__).resolve().parent.parent / "include"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        stripped = folder / "libweir.so.0"
        subprocess.run(["strip", "-o", stripped, options.library], check=True)
        nothing = [compile_program(folder, "nothing", NOTHING), ""]
        first = compile_program(folder, "first", FIRST, f"-I{include}", stripped, f"-Wl,-rpath,{folder}")
        if options.memory_at_most is None:
            print(f"on disk: {stripped.stat().st_size / 1e6:.2f} MB")
        for document in DOCUMENTS:
            if options.memory_at_most is None:
                report(first, nothing, document)
            else:
                check(first, nothing, document, options.memory_at_most, stripped)


if __name__ == "__main__":
    main()
