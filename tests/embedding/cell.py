#!/usr/bin/env python3
"""One process with weir and one host; prints a JSON object with what was found.

    cell.py HOST alone|first|last [local|global [library|package]]

The words say that weir is not loaded at all, before the host or after it, how, and what of it: the library through C, or
the package for Python. tools/test-embedding sets the environment that probe.py reads.
"""

import faulthandler
import hashlib
import importlib
import importlib.util
import json
import os
import sys
import threading

import package
import probe

LIMIT_SECONDS = 300
THREADS = (1, 4)
# How many the host alone ended up with.
HOST_THREADS = int(os.environ.get("WEIR_HOST_THREADS", "0"))


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def compare(what, before, after, differences):
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            differences.append(f"{what}: {name}: before {before.get(name)}, after {after.get(name)}")


class Cell:
    def __init__(self, side):
        self.side = side
        self.host = None
        self.differences = []
        self.results = set()
        self.elements = set()

    def load_host(self, name):
        # The class itself needs NumPy.
        from hosts import HOSTS
        self.host = HOSTS[name]()
        module = importlib.import_module(self.host.module)
        # What a host makes at its first operations stays, and is its own matter.
        for _ in range(3):
            self.operate()
        return module.__version__

    def operate(self):
        self.results.add(digest(self.host.operate()))

    def use_weir(self, threads):
        """The pipeline alone, then beside an operation of the host on another thread."""
        self.elements.add(self.side.run(threads))
        if self.side is probe:
            self.use_package()
        if self.host:
            self.beside(lambda: self.elements.add(self.side.run(threads)))
            if self.side is package:
                self.hand_over(threads)

    def beside(self, action):
        """Does something while another thread is in an operation of the host."""
        failures = []

        def operate():
            try:
                self.operate()
            except Exception as error:  # Reported as a difference; the process goes on.
                failures.append(repr(error))

        thread = threading.Thread(target=operate)
        thread.start()
        action()
        thread.join()
        self.differences += failures

    def hand_over(self, threads):
        """What the host does with weir's elements is what it does with its own arrays."""
        from hosts import SIZE, whole_numbers
        with package.runtime(threads):
            for block, taken in enumerate(self.host.take(package.matrices(SIZE))):
                if self.host.multiply(taken) != self.host.multiply(whole_numbers(block)):
                    self.differences.append(f"element {block} of weir is another in the host")
            if block != 3:
                self.differences.append(f"the host got {block + 1} elements of weir, expected 4")
            del taken

    def use_package(self):
        """weir's own package for Python, where it is installed, with a copy of the library of its own."""
        if importlib.util.find_spec("weir") is None:
            return
        import weir
        with package.runtime(THREADS[-1]):
            dataset = weir.parse("range(1000) | map(x -> x * x, num_parallel_calls: 2) | prefetch(4)")
            found = list(dataset)
            del dataset
        if found != [i * i for i in range(1000)]:
            self.differences.append(f"weir's package gave {len(found)} elements: {found[:10]}")

    def unchanged(self, what, action):
        state, threads = probe.state(), probe.threads()
        action()
        # A host's pool may still grow, to what it has without weir.
        allowed = max(threads, HOST_THREADS) if self.host else threads
        if not probe.threads_settle(allowed):
            self.differences.append(f"{what}: threads: before {threads}, after {probe.threads()}")
        compare(what, state, probe.state(), self.differences)

    def both(self):
        for threads in THREADS:
            self.operate()
            self.use_weir(threads)
            self.operate()


def main():
    faulthandler.dump_traceback_later(LIMIT_SECONDS, exit=True)
    name, order = sys.argv[1:3]
    is_global = sys.argv[3:4] == ["global"]
    side = package if sys.argv[4:] == ["package"] else probe
    cell = Cell(side)
    if order == "first":
        side.prepare()
        cell.unchanged("loading weir", lambda: side.load(is_global))
        # NumPy, which the package loads, makes threads of its own.
        cell.use_package()
        cell.unchanged("weir alone", lambda: [cell.use_weir(threads) for threads in THREADS])
    version = cell.load_host(name) if name != "none" else ""
    if order == "alone":
        for _ in THREADS:
            cell.beside(cell.operate)
    if order == "last":
        cell.unchanged("loading weir", lambda: side.load(is_global))
    if order != "alone" and name != "none":
        # A thread of the host's own may have to be made once.
        cell.use_weir(THREADS[-1])
        cell.unchanged("weir beside the host", cell.both)
    print(json.dumps({"host": name, "version": version, "results": sorted(cell.results),
                      "elements": sorted(cell.elements), "threads": probe.threads(), "differences": cell.differences}))


if __name__ == "__main__":
    main()
