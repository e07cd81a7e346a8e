"""The runtime that everything shares unless told otherwise."""

from __future__ import annotations

import atexit
import os

from . import _core
from ._core import Runtime

_default: Runtime | None = None


def default_runtime() -> Runtime:
    """The runtime of this process, made when it is first needed."""
    global _default  # noqa: PLW0603
    if _default is None:
        _default = Runtime()
    return _default


def set_default_runtime(runtime: Runtime) -> None:
    """Makes `runtime` the one that datasets use from now on."""
    global _default  # noqa: PLW0603
    _default = runtime


def _forget() -> None:
    # The threads of a runtime do not survive a fork; the child makes its own.
    global _default  # noqa: PLW0603
    _default = None


os.register_at_fork(after_in_child=_forget)
atexit.register(_core.shutdown)
