"""What modules need of those that import them, which set it: so no imports go in a circle."""

from __future__ import annotations

from typing import Any


class Late:
    """A module or class as an attribute, once the module that has it is imported."""

    build: Any  # _build
    capture: Any  # _capture.capture
    Dataset: Any  # _dataset.Dataset
    DatasetValue: Any  # _dataset.DatasetValue
    fn: Any
    trace: Any  # _apply.trace


late = Late()
