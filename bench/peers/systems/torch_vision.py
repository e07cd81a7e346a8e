"""torchvision's decoders and transforms, over torch."""

from __future__ import annotations

from typing import Any

from peers.systems import System


class Module(System):
    settings = "`decode_jpeg` and `resize` of tensors, by a pool of threads, one for each processor."

    def imported(self) -> Any:
        import torch
        import torchvision

        torch.set_num_threads(1)
        return torchvision
