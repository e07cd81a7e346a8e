"""PyTorch's DataLoader."""

from __future__ import annotations

from typing import Any

from peers.systems import System


class Module(System):
    settings = (
        "`num_workers=0`, whose elements need not cross processes, unless a row says otherwise; one thread for "
        "operations of tensors, as its workers have."
    )

    def imported(self) -> Any:
        import torch

        torch.set_num_threads(1)
        return torch
