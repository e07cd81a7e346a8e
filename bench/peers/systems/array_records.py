"""ArrayRecord, the format that Grain reads at random."""

from __future__ import annotations

from typing import Any

from peers.systems import System


class Module(System):
    settings = "Written with `group_size:1`, as its guide advises for reading at random."

    def imported(self) -> Any:
        from array_record.python import array_record_module

        return array_record_module
