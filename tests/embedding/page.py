"""docs/embedding.md: written from results, and compared in shape."""

import re

import hosts
import native_test
import package_processes
import processes

CELLS = [f"{order} {scope}" for order, scope in native_test.CELLS]

HEAD = """\
# Embedding

<!-- Written by tools/test-embedding --write. -->

weir and other libraries can live in one process without affecting each other. `tools/test-embedding` tests this. It
installs the frameworks into a virtual environment and loads each into a process with weir. It runs a pipeline and an
operation of the host one after the other in both orders, and at once, with 1 and with 4 threads, and compares the results
with processes that have only one of the two.

- The pipeline reads gzip TFRecords and an SQLite database, parses tf.Examples, decodes JPEG, PNG and GIF, uses RE2 and
  FarmHash, computes with subnormal numbers, runs maps on oneTBB, goes through protobuf, and logs an element that fails.
- The host multiplies matrices, and runs what it has of pipelines, parsers, codecs, patterns and loaders.
- It compares the results of both, the number of threads, signal masks and handlers, the floating-point mode, the locale,
  the environment, open descriptors, the working folder, umask, limits and processors.

"First" means that weir is loaded before the host, "last" after it; "local" means with `RTLD_LOCAL`, as Python loads
modules, "global" with `RTLD_GLOBAL`.
"""

PACKAGE = """\
## weir's package for Python

The package is in a process with one host, imported before or after it, in Python's usual way or with
`sys.setdlopenflags(RTLD_GLOBAL)`. It runs the same pipeline, and one of chained methods with traced functions, a shuffle
and a function that runs in Python. It does so on 1 thread and on 4, from as many threads of Python, and restores a saved
position. The host takes elements as its own kind of array (`weir.tf.dataset`, `weir.torch.loader`, `weir.jax.arrays`,
`pyarrow.table`, NumPy), and computes the same with them as with its own. The job trains the network of `examples/digits`
with the host; the tests of the adapters in `bindings/python/tests` run with the same frameworks.
"""

NATIVE = """\
## Hosts that have the same libraries

In the first rows, a host in C has a library that exports the functions of the named one. Each of them is a trap: if weir
calls one, the process ends. In the other rows, a host in C++ is linked with Debian's shared libraries and uses the named
one, or all of them; weir uses the same libpng and codecs. `ctest --preset release -R embedding` runs this part and the next,
without installing anything.
"""

PROCESSES = """\
## Processes

Handles belong to the process that created them. In a child of `fork` the parent's handles return an error at once
(`invalid_argument`), and the child creates its own runtime. In these tests the child reads the whole pipeline, the parent
continues with its iterator, and a watchdog ends processes that hang. Pools have four workers, each of which ends after two
tasks.

A program may fork at any time, even while other threads of the parent parse their first text, create their first runtime or
are in their first `next` (`tests/capi/fork_first.c`). The library initialises its statics while it is loaded, or again in
the child if a thread of the parent was doing so (`src/core/once.h`); `tools/check-layers` looks for other statics. A fork
waits while the library opens another library.
"""

PACKAGE_PROCESSES = """\
The same with the package for Python. In the child, the parent's datasets and iterators are errors, and the child has its
own runtime. `tools/test-python` runs these too.
"""

LIMITS = """\
## Limits

- A host that exports its own oneTBB: weir computes on its own threads, not on the host's
  ([ADR 0042](adr/0042-another-libjpeg-or-onetbb-in-the-process.md)).
- A thread must not end inside the library: no `pthread_exit` in a callback, and no `pthread_cancel` of a thread that is in a
  call. It ends the process.
- A call needs up to about 2 KiB of stack for each operator in a row, of which there may be 1,000: a thread with 1 MiB of
  stack reads no more than 500 operators in a row safely.
- Where files have a size limit (`RLIMIT_FSIZE`), ignore SIGXFSZ, or a write beyond it ends the process. Then it is an error
  (resource_exhausted). The command does so.
- Where a second copy of `libweir.so` is loaded with `RTLD_GLOBAL`, extensions use that copy, and fail to load in the first
  one. Load it with `RTLD_LOCAL`.
- oneTBB crashes in a namespace of its own (`dlmopen`), as soon as weir computes on it.
- libpng, zlib, libzstd, liblz4, libbz2 and liblzma are shared libraries. A host that exports an incompatible libpng gets
  errors for PNG files. One that exports a part of such a library must export all of it: weir would use both copies.
- While a runtime exists, the process has up to `thread_count` more threads, and at most 64 for calls that wait: of files,
  and of functions of the host that are called in parallel. They end after the runtime, and destroying it does not wait for
  them.
- When a runtime is created, weir reads these environment variables: `WEIR_TOP`; `WEIR_EXTENSIONS`; for `partition` and
  `shard(auto, auto)` `RANK` and `WORLD_SIZE`, those of Open MPI, MPICH and Slurm, and `JOB_COMPLETION_INDEX`; and
  `XDG_CACHE_HOME` and `HOME`. The index of a file (`FILE.weir-index`) whose folder can't be written to is kept in
  `$XDG_CACHE_HOME/weir`, or `~/.cache/weir`; all runtimes of a process share that folder, which the last one that was
  created has set. A process with more rights than the user who started it (setuid, capabilities) ignores all of these
  variables.
- Creating a runtime while the process ends is an error (failed_precondition) once `exit()` has come to the handlers and
  destructors that were registered before the process's first runtime was created: it calls the newest first. An existing
  runtime then computes on the calling thread.
"""


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def host_row(name, found):
    return [name, found.get("version", ""), *(found["cells"].get(cell, "") or "unchanged" for cell in CELLS)]


def render(results):
    """`results` has "weir", "machine", and by name "hosts", "package", "jobs", "native" and those of processes."""
    parts = [HEAD, f"Found with weir {results['weir']} on {results['machine']}:\n",
             table(["host", "version", *CELLS], [host_row(name, results["hosts"][name]) for name in hosts.HOSTS]),
             PACKAGE,
             table(["host", *CELLS, "job"],
                   [[name, *host_row(name, results["package"][name])[2:], results["jobs"].get(name, "none")]
                    for name in hosts.HOSTS]),
             NATIVE,
             table(["the host has", *CELLS],
                   [[name, *host_row(name, results["native"][name])[2:]] for name in native_test.HOSTS]),
             PROCESSES,
             table(["a child by", "end"], [[name, results["processes"][name]] for name in processes.SCENARIOS]),
             PACKAGE_PROCESSES,
             table(["a child by", "end"],
                   [[name, results["package_processes"][name]] for name in package_processes.SCENARIOS]),
             LIMITS]
    return "\n".join(parts)


def blank():
    """Results for whose page only the shape counts."""
    cells = dict.fromkeys(hosts.HOSTS, {"cells": {}})
    return {"weir": "", "machine": "", "hosts": cells, "package": cells, "jobs": {},
            "native": dict.fromkeys(native_test.HOSTS, {"cells": {}}),
            "processes": dict.fromkeys(processes.SCENARIOS, ""),
            "package_processes": dict.fromkeys(package_processes.SCENARIOS, "")}


def shape(text):
    """The page without what a run finds: versions, the machine, and the cells of tables."""
    lines = [re.sub(r"^(\| [^|]*\|).*", r"\1", line) for line in text.splitlines()]
    return [line for line in lines if not line.startswith("Found with weir")]


def bad_cells(text):
    """The rows that tell of a difference or a failure."""
    return [line for line in text.splitlines() if re.search(r"failed|ended with|differ|before .* after", line)
            and line.startswith("| ")]
