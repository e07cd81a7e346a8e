"""mlx-data."""

from __future__ import annotations

from typing import Any

from peers.systems import System


class Module(System):
    settings = "Buffers where a row needs random access, else streams; `prefetch` with two threads where there is work."

    def imported(self) -> Any:
        import mlx.data

        return mlx.data
