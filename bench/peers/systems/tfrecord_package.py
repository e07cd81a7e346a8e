"""The package tfrecord."""

from __future__ import annotations

from typing import Any

from peers.systems import System


class Module(System):
    settings = "`tfrecord_iterator` and `tfrecord_loader` in the process itself."

    def imported(self) -> Any:
        import tfrecord

        return tfrecord
