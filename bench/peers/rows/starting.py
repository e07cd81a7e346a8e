"""What it takes to begin: a pipeline inside a program, and a process."""

from __future__ import annotations

import functools
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from peers.repeat import repeated
from peers.row import MEGABYTES, MS, US, Rows, call


def weir_squares(weir: Any) -> Any:
    return weir.range(1_000_000_000).map(lambda x: x * x).batch(4)


def tf_squares(tf: Any) -> Any:
    return tf.data.Dataset.range(1_000_000_000).map(lambda x: x * x).batch(4)


def squares(torch: Any) -> Any:
    class Squares(torch.utils.data.Dataset):
        def __len__(self) -> int:
            return 1_000_000_000

        def __getitem__(self, i: int) -> int:
            return i * i

    return torch.utils.data.DataLoader(Squares(), batch_size=4)


def grain_squares(grain: Any) -> Any:
    return grain.MapDataset.range(1_000_000_000).map(lambda x: x * x).batch(4)


def steps(make: Callable[[Any], Any]) -> Callable[[Any, int], Any]:
    """A run of so many elements of an iterator that is under way."""

    def prepared(library: Any, n: int) -> Any:
        iterator = iter(make(library))
        next(iterator)
        return repeated(n, lambda: next(iterator))

    return prepared


def starting(rows: Rows) -> None:
    def begun(make: Callable[[Any], Any]) -> Any:
        return call(lambda library, n: repeated(n, lambda: next(iter(make(library)))))

    def opened(make: Callable[[Any], Any]) -> Any:
        def prepared(library: Any, n: int) -> Any:
            dataset = make(library)
            return repeated(n, lambda: iter(dataset))

        return call(prepared)

    rows.add(
        "build",
        "`range | map | batch(4)`: build it and take the first element, in Python",
        US,
        {"weir": begun(weir_squares), "tf.data": begun(tf_squares), "Grain": begun(grain_squares)},
        least=5,
        bound=300,
    )
    rows.add(
        "iterator",
        "`range | map | batch(4)`: another iterator, in Python",
        US,
        {"weir": opened(weir_squares), "tf.data": opened(tf_squares)},
        least=5,
        bound=60,
    )
    rows.add(
        "next",
        "`range | map | batch(4)`: the next batch, in Python",
        US,
        {
            "weir": call(steps(weir_squares)),
            "tf.data": call(steps(tf_squares)),
            "DataLoader": call(steps(squares)),
            "Grain": call(steps(lambda grain: grain_squares(grain).to_iter_dataset())),
        },
        least=100,
        bound=0.5,
    )
    rows.add(
        "next_range",
        "`next` of `range`, in Python",
        US,
        {
            "weir": call(steps(lambda weir: weir.range(1_000_000_000))),
            "tf.data": call(steps(lambda tf: tf.data.Dataset.range(1_000_000_000))),
        },
        least=100,
        bound=0.5,
    )


# ---- Processes --------------------------------------------------------------------------------------------

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weir/weir.h>

int main(void) {
  weir_runtime runtime;
  weir_dataset dataset;
  weir_iterator iterator;
  weir_element element;
  const char* text = "range(10) | map(x -> x * x) | batch(4)";
  if (weir_runtime_create(NULL, &runtime, NULL) != WEIR_OK ||
      weir_dataset_parse(runtime, text, WEIR_STRLEN, NULL, 0, &dataset, NULL) != WEIR_OK ||
      weir_iterator_create(runtime, dataset, NULL, &iterator, NULL) != WEIR_OK ||
      weir_element_create(&element, NULL) != WEIR_OK || weir_iterator_next(iterator, element, NULL) != WEIR_OK) {
    return 1;
  }
  char line[256];
  FILE* status = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, status)) {
    if (strncmp(line, "VmRSS", 5) == 0) fputs(line, stdout);
  }
  fflush(stdout);
  _Exit(0);
}
"""
EMPTY = PROGRAM.replace("<weir/weir.h>", "<stddef.h>")
EMPTY = EMPTY[: EMPTY.index("  weir_runtime")] + EMPTY[EMPTY.index("  char line") :]
RESIDENT = (
    "print([l for l in open('/proc/self/status') if l.startswith('VmRSS')][0], flush=True); import os; os._exit(0)"
)
SQUARES = {
    "tf.data": "import tensorflow as tf; next(iter(tf.data.Dataset.range(10).map(lambda x: x * x).batch(4)))",
    "DataLoader": "import torch; next(iter(torch.utils.data.DataLoader([x * x for x in range(10)], batch_size=4)))",
    "Grain": "import grain; next(iter(grain.MapDataset.range(10).map(lambda x: x * x).batch(4)))",
    "mlx-data": "import mlx.data as d; next(d.buffer_from_vector([{'x': x} for x in range(10)]).batch(4).to_stream())",
}


@functools.cache
def program(source: str, linked: bool) -> list[str]:
    """A compiled program, over a stripped copy of the library as packages have it."""
    root = pathlib.Path(__file__).resolve().parent.parent.parent.parent
    folder = pathlib.Path(tempfile.mkdtemp(prefix="weir-compare-"))
    library = folder / "libweir.so.0"
    stripped = ["strip", "-o", library, pathlib.Path(os.environ["WEIR_COMPARE_BUILD"]) / "libweir.so"]
    subprocess.run(stripped, check=True)
    (folder / "first.c").write_text(source)
    more = [f"-I{root / 'include'}", library, f"-Wl,-rpath,{folder}"] if linked else []
    subprocess.run(["cc", "-O1", folder / "first.c", "-o", folder / "first", *more], check=True)
    return [str(folder / "first")]


def started(command: list[str]) -> Callable[[], float]:
    def run() -> float:
        begun = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return time.perf_counter() - begun

    return run


def resident(command: list[str]) -> float:
    """The megabytes that a process says it has."""
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return int(out.split()[-2]) * 1024 / 1e6


def script(text: str) -> list[str]:
    return [sys.executable, "-c", f"{text}; {RESIDENT}"]


def needed(name: str, found: set[str]) -> set[str]:
    """The package and those that it needs, as far as they are installed."""
    import importlib.metadata
    import re

    name = re.sub(r"[-_.]+", "-", name).lower()
    try:
        requirements = importlib.metadata.requires(name) or []
    except importlib.metadata.PackageNotFoundError:
        return found
    if name not in found:
        found.add(name)
        for requirement in requirements:
            if "extra ==" not in requirement:
                needed(re.match(r"[\w.-]+", requirement)[0], found)
    return found


def installed_size(name: str) -> float:
    """The megabytes of the files that were installed for a package."""
    import importlib.metadata

    paths = {
        pathlib.Path(file.locate())
        for package in needed(name, set())
        for file in importlib.metadata.distribution(package).files or []
    }
    return sum(path.stat().st_size for path in paths if path.exists()) / 1e6


def processes(rows: Rows) -> None:
    def sides(weir: Callable[[], Any], python: Callable[[str], Any], settings: str) -> Any:
        made = {"weir": call(lambda _, n: weir(), settings)}
        return made | {name: call(lambda _, n, t=text: python(t)) for name, text in SQUARES.items()}

    rows.add(
        "process",
        "a process: from its start to the first batch and its end",
        MS,
        sides(lambda: started(program(PROGRAM, True)), lambda text: started(script(text)), "a program in C"),
        least=1,
        most=1,
        bound=10,
    )
    rows.add(
        "process_memory",
        "a process: resident memory at the first batch, beyond an empty program's",
        MEGABYTES,
        sides(
            lambda: lambda: resident(program(PROGRAM, True)) - resident(program(EMPTY, False)),
            lambda text: lambda: resident(script(text)) - resident(script("pass")),
            "a program in C",
        ),
        least=1,
        most=1,
        bound=12,
        why="0.6 MB are the process's own, the rest are pages of the libraries, which Linux maps from the page cache in "
        "pieces of up to 2 MB; `bench/process_start.py` shows both.",
    )
    packages = {"tf.data": "tensorflow_cpu", "DataLoader": "torch", "Grain": "grain", "mlx-data": "mlx-data"}
    sizes = {
        name: call(lambda _, n, p=p: lambda: installed_size(p), "with the packages that it needs")
        for name, p in packages.items()
    }
    library = call(
        lambda _, n: lambda: pathlib.Path(program(PROGRAM, True)[0]).with_name("libweir.so.0").stat().st_size / 1e6,
        "the library, with images",
    )
    rows.add("disk", "on disk", MEGABYTES, {"weir": library, **sizes}, least=1, most=1, bound=12)


def add_to(rows: Rows) -> None:
    starting(rows)
    processes(rows)
