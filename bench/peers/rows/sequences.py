"""Sequences of unequal lengths, as models of language read them."""

from __future__ import annotations

import functools
from typing import Any

from peers.row import Rows, inside, ns_per, python

LENGTH = 2048
TEXT = 'from_tensor_slices(@data) | map(n -> zeros([n], int32)) | pack({length}, strategy: "{strategy}", bins: {bins})'


@functools.cache
def lengths(count: int) -> Any:
    """Of instruction data: most sequences have a few hundred tokens, some have thousands."""
    import numpy as np

    drawn = np.random.default_rng(1).lognormal(np.log(230), 0.9, count)
    return np.clip(np.rint(drawn), 8, LENGTH).astype(np.int64)


def packed(strategy: str, bins: int) -> Any:
    from peers.systems.weir_itself import Document

    text = TEXT.format(length=LENGTH, strategy=strategy, bins=bins)
    return lambda n: Document(text, lengths(n), blocks=False)


def grain_packed(strategy: str, bins: int) -> Any:
    def make(grain: Any, n: int) -> Any:
        import numpy as np

        packs = grain.experimental
        pack = {"first_fit": packs.FirstFitPackIterDataset, "best_fit": packs.BestFitPackIterDataset}[strategy]
        sequences = grain.MapDataset.source(lengths(n)).map(lambda k: {"tokens": np.zeros(k, np.int32)})
        return pack(
            sequences.to_iter_dataset(grain.ReadOptions(1, 16)),
            length_struct={"tokens": LENGTH},
            num_packing_bins=bins,
            shuffle_bins=False,
        )

    return make


def add_to(rows: Rows) -> None:
    """Packing by both strategies, with few bins and with many."""
    for strategy in ("first_fit", "best_fit"):
        for bins in (64, 1000):
            rows.add(
                f"pack_{strategy}/{bins}",
                f'sequences of about 340 tokens → `pack(2048, strategy: "{strategy}", bins: {bins})`',
                ns_per("sequence"),
                {
                    "weir": inside(packed(strategy, bins)),
                    "Grain": python(
                        grain_packed(strategy, bins), "gives all bins where a sequence fits into none of them"
                    ),
                },
                most=2_000_000,
                ratios={"Grain": 20},
            )
