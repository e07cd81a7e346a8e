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

weir lives in one process with other libraries, and nothing changes for either side. `tools/test-embedding` shows it: it
installs the frameworks into a virtual environment, loads each into a process with weir, runs a pipeline and an operation
of the host before and after and at once, with 1 and with 4 threads, and compares with processes that have only one of the
two.

- The pipeline reads gzip TFRecords and an SQLite database, parses tf.Examples, decodes JPEG, PNG and GIF, uses RE2 and
  FarmHash, computes with subnormal numbers, runs maps on oneTBB, goes through protobuf, and logs an element that fails.
- The host multiplies matrices, and runs what it has of pipelines, parsers, codecs, patterns and loaders.
- Compared are the results of both, the number of threads, signal masks and handlers, the floating-point mode, the locale,
  the environment, open descriptors, the working folder, umask, limits and processors.

"first" and "last" say whether weir is loaded before the host or after it; "local" and "global" how: with `RTLD_LOCAL`, as
Python loads modules, or with `RTLD_GLOBAL`.
"""

PACKAGE = """\
## weir's package for Python

The package alone in a process with each host, imported before it or after it, by Python's own way or with
`sys.setdlopenflags(RTLD_GLOBAL)`. It runs the same pipeline, and one of chained methods with traced functions, a shuffle
and a function that runs in Python, on 1 thread and on 4, each from as many threads of Python, and takes up a saved
position. The host gets elements as its own kind of array (`weir.tf.dataset`, `weir.torch.loader`, `weir.jax.arrays`,
`pyarrow.table`, NumPy), and computes with them what it computes with its own. The job trains the network of
`examples/digits` with the host; the tests of the adapters in `bindings/python/tests` run with the same frameworks.
"""

NATIVE = """\
## Hosts that have the same libraries

A host in C has a library that exports what the named one does. Each function in it is a trap: a call of weir's that
reaches one ends the process. The other rows are a host in C++ that is linked with Debian's shared libraries, uses the named
one, and the last time all of them; libpng and zlib are the ones that weir uses, too.
`ctest --preset release -R embedding` runs this part and the next; nothing needs to be installed for them.
"""

PROCESSES = """\
## Processes

Handles belong to the process that made them. A child of `fork` gets an error (`invalid_argument`) from its parent's
handles, at once, and makes a runtime of its own. The child reads the whole pipeline, the parent goes on with its iterator,
and a watchdog ends what hangs. Pools have four workers, each of which ends after two tasks.

A child may be forked at any time, even while other threads of the parent parse their first text, create their first runtime
or are in their first `next` (`tests/capi/fork_first.c`). What the library makes once is made while it is loaded, or made
again in the child if a thread of the parent was making it (`src/core/once.h`); `tools/check-layers` looks for statics that
are made otherwise. A fork waits while the library opens another library.
"""

PACKAGE_PROCESSES = """\
The same with the package for Python. What the child sees of its parent's datasets and iterators is an error, and its own
runtime is another. `tools/test-python` runs these too.
"""

LIMITS = """\
## Limits

- A host that exports its own oneTBB: weir computes on its own threads, not on the host's (docs/adr/0042).
- A thread must not end inside the library: no `pthread_exit` in a callback, and no `pthread_cancel` of a thread that is in a
  call. It ends the process.
- libpng and zlib are shared libraries. A host that exports an incompatible libpng gets errors for PNG files.
- weir's threads are the process's: a host that counts them sees up to `thread_count` more, and a few for files, while a
  runtime lives. They end after it, without being waited for.
- weir reads these environment variables, when a runtime is created: `WEIR_TOP`, and for `shard(auto, auto)` `RANK` and
  `WORLD_SIZE`, those of Open MPI, MPICH and Slurm, and `JOB_COMPLETION_INDEX`. A process that has more rights than the user
  who started it (setuid, capabilities) ignores all of them.
- A runtime cannot be created while the process ends, in a destructor or handler that `exit()` calls: an error
  (failed_precondition). One that is there then computes on the calling thread.
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
