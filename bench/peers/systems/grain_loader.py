"""Grain."""

from __future__ import annotations

from typing import Any

from peers.systems import System


class Module(System):
    settings = "`MapDataset` and `IterDataset`, with `ReadOptions` as a row says."

    def imported(self) -> Any:
        import grain

        return grain
