"""torchdata.nodes."""

from __future__ import annotations

from typing import Any

from peers.systems import System


class Module(System):
    settings = "`Loader(IterableWrapper(...))`, without workers unless a row says otherwise."

    def imported(self) -> Any:
        from torchdata import nodes

        return nodes
