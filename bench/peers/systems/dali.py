"""DALI's operators for the CPU."""

from __future__ import annotations

from typing import Any

from peers.systems import System


class Module(System):
    settings = "`device_id=None`, so that it needs no driver, and `num_threads=2`."

    def imported(self) -> Any:
        import nvidia.dali

        return nvidia.dali
