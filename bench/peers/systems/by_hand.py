"""What one writes with NumPy alone."""

from __future__ import annotations

from typing import Any

from peers.systems import System


class Module(System):
    settings = "NumPy in a loop in Python."

    def imported(self) -> Any:
        import numpy

        return numpy
