"""google/flax, examples/wmt/input_pipeline.py: packed pairs of sentences, padded batches and batches by length."""

from __future__ import annotations

import json
import pathlib

import numpy as np
import pytest
from ports import check_elements, check_parts, check_positions

import weir

LENGTH = 24
FIELDS = "{inputs: int32[?], targets: int32[?]}"


def write_data(folder: pathlib.Path) -> pathlib.Path:
    """140 pairs of sentences as numbers of pieces, each ending in 1; some are longer than LENGTH."""
    draws = np.random.RandomState(5)
    path = folder / "pairs.jsonl"
    with path.open("w") as file:
        for _ in range(140):
            pair = {
                key: [*draws.randint(2, 100, size=draws.randint(0, most)).tolist(), 1]
                for key, most in (("inputs", 24), ("targets", 27))
            }
            file.write(json.dumps(pair) + "\n")
    return path


def fitting(pairs: weir.Dataset) -> weir.Dataset:
    """The pairs of which no side is longer than LENGTH."""
    return pairs.filter(lambda x: weir.fn.maximum(weir.fn.size(x.inputs), weir.fn.size(x.targets)) <= LENGTH)


def packed(pairs: weir.Dataset) -> weir.Dataset:
    """Pairs packed side by side: LENGTH pairs at a time, of which as many as fit in both go into an element.

    `pack` packs vectors of one length, so a scan says first which pairs go together.
    """

    def place(state, pair):
        number, inputs, targets = state
        more_inputs, more_targets = weir.fn.size(pair.inputs), weir.fn.size(pair.targets)
        fits = (inputs + more_inputs <= LENGTH) & (targets + more_targets <= LENGTH)
        number = weir.fn.where(fits, number, number + 1)
        inputs = weir.fn.where(fits, inputs, 0) + more_inputs
        targets = weir.fn.where(fits, targets, 0) + more_targets
        return (number, inputs, targets), {**pair, "number": number}

    def side_by_side(_, group):
        sides = {key: group.map(lambda pair, key=key: pair[key]).pack(LENGTH) for key in ("inputs", "targets")}
        return weir.zip(sides).map(
            lambda pair: {
                f"{key}{suffix}": side[part]
                for key, side in pair.items()
                for suffix, part in (("", "tokens"), ("_segmentation", "segment_ids"), ("_position", "positions"))
            }
        )

    return pairs.window(LENGTH).flat_map(
        lambda window: (
            weir.zip(window).scan((0, 0, 0), place).group_by_window(lambda pair: pair.number, side_by_side, LENGTH + 1)
        )
    )


def training(pairs: weir.Dataset) -> weir.Dataset:
    return packed(fitting(pairs)).batch(4, drop_remainder=True)


def one_side(pairs: weir.Dataset) -> weir.Dataset:
    """Targets alone, packed: one bin open at a time is what the original does.

    A sequence that fills an element doesn't close the open one here, as it does there, so there is none.
    """
    return (
        pairs.map(lambda pair: pair.targets)
        .filter(lambda targets: weir.fn.size(targets) < LENGTH)
        .window(LENGTH)
        .flat_map(lambda targets: targets.pack(LENGTH, bins=1))
        .map(lambda x: {"targets": x.tokens, "targets_segmentation": x.segment_ids, "targets_position": x.positions})
    )


def evaluation(pairs: weir.Dataset) -> weir.Dataset:
    return fitting(pairs).padded_batch(8, {"inputs": [LENGTH], "targets": [LENGTH]}, drop_remainder=False)


def by_length(pairs: weir.Dataset) -> weir.Dataset:
    """Batches of like lengths, each padded to the bound of its bucket."""
    bounds = [LENGTH // 4, LENGTH // 2, LENGTH, LENGTH * 2, LENGTH * 4, LENGTH * 8, LENGTH * 16]
    sizes = [32, 16, 8, 4, 2, 2, 2, 1]
    return pairs.bucket_by_sequence_length(
        lambda x: weir.fn.maximum(weir.fn.size(x.inputs), weir.fn.size(x.targets)),
        [bound + 1 for bound in bounds],
        sizes,
        pad_to_bucket_boundary=True,
        drop_remainder=True,
    )


@pytest.mark.parametrize(
    ("name", "pipeline"),
    [
        ("packed", training),
        ("one_side", one_side),
        ("padded", evaluation),
        ("by_length", by_length),
    ],
)
def test_elements_are_those_of_the_original(tmp_path: pathlib.Path, name: str, pipeline) -> None:
    pairs = weir.jsonl(str(write_data(tmp_path)), FIELDS)
    check_elements(pipeline(pairs), f"flax_wmt_{name}")
    check_positions(pipeline(pairs))
    check_parts(pairs, pipeline)


def test_training_is_shuffled_and_endless(tmp_path: pathlib.Path) -> None:
    pairs = weir.jsonl(str(write_data(tmp_path)), FIELDS)
    batches = training(pairs.shuffle(64, seed=3).repeat())
    whole = [batch for batch, _ in zip(batches, range(40), strict=False)]
    # Each element has less padding than the longest sentence, on one side at least, unless it ends a window.
    fill = np.mean([np.mean(batch["targets"] != 0) for batch in whole])
    assert 0.6 < fill < 1
    assert all(batch["inputs"].shape == (4, LENGTH) for batch in whole)
    check_positions(batches, 25)
