"""The systems that are compared, one file each. A system is a subclass of System in a module of this folder."""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Callable
from typing import Any

from peers.row import Side

# By name: the module of this folder, and the packages that it needs, its own first.
KNOWN: dict[str, tuple[str, tuple[str, ...]]] = {
    "weir": ("weir_itself", ()),
    "tf.data": ("tf_data", ("tensorflow-cpu",)),
    "DataLoader": ("data_loader", ("torch",)),
    "torchdata.nodes": ("torch_nodes", ("torchdata", "torch")),
    "torchvision": ("torch_vision", ("torchvision", "torch")),
    "Grain": ("grain_loader", ("grain",)),
    "ArrayRecord": ("array_records", ("array_record", "grain")),
    "mlx-data": ("mlx", ("mlx-data",)),
    "DALI": ("dali", ("nvidia-dali-cuda120",)),
    "tfrecord": ("tfrecord_package", ("tfrecord",)),
    "by hand": ("by_hand", ("numpy",)),
}


class System:
    """What reads the datasets of one library."""

    # Sentences about its settings, for the page.
    settings = ""

    def __init__(self) -> None:
        self.library = self.imported()

    def imported(self) -> Any:
        """What the code of a side gets first."""
        raise NotImplementedError

    def prepare(self, side: Side, count: int) -> Callable[[], Any]:
        """A function that does one run, with everything built that may be built before."""
        if side.mode == "call":
            return side.code(self.library, count)
        return getattr(self, side.mode)(side.code, count)

    def inside(self, code: Any, count: int) -> Callable[[], Any]:
        """Reads to the end inside the library."""
        raise NotImplementedError(f"{type(self).__name__} has no loop of its own")

    def python(self, code: Any, count: int) -> Callable[[], Any]:
        """Takes every element in Python."""
        iterable = code(self.library, count)

        def run() -> None:
            for _ in iterable:
                pass

        return run


def load(name: str) -> System:
    """The system of that name; importing its library may fail in any way."""
    return module_of(name).Module()


def module_of(name: str) -> Any:
    return importlib.import_module("peers.systems." + KNOWN[name][0])


def package(name: str) -> str:
    """The system's own package."""
    return (KNOWN[name][1] or ("weir",))[0]


def version(name: str) -> str:
    """The version of a system's package, without importing it."""
    try:
        return importlib.metadata.version(package(name))
    except importlib.metadata.PackageNotFoundError:
        return ""
