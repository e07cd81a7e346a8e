"""google-research/bert, run_pretraining.py: masked sentences out of several files of tf.Examples."""

from __future__ import annotations

import pathlib

import numpy as np
from ports import check_elements, check_parts, check_positions

import weir

LENGTH = 10
PREDICTIONS = 3
FEATURES = {
    "input_ids": f"int64[{LENGTH}]",
    "input_mask": f"int64[{LENGTH}]",
    "segment_ids": f"int64[{LENGTH}]",
    "masked_lm_positions": f"int64[{PREDICTIONS}]",
    "masked_lm_ids": f"int64[{PREDICTIONS}]",
    "masked_lm_weights": f"float32[{PREDICTIONS}]",
    "next_sentence_labels": "int64[1]",
}


def write_data(folder: pathlib.Path) -> list[str]:
    """Three files of seven examples; input_ids[0] numbers them."""
    draws = np.random.RandomState(3)
    names = [str(folder / f"part-{n}.tfrecord") for n in range(3)]
    for file, name in enumerate(names):
        with weir.RecordWriter(name) as writer:
            for n in range(7):
                example = {}
                for key, text in FEATURES.items():
                    count = int(text[text.index("[") + 1 : -1])
                    whole = text.startswith("int64")
                    example[key] = draws.randint(1000, size=count) if whole else draws.rand(count).astype(np.float32)
                example["input_ids"][0] = 10 * file + n
                writer.write(weir.example(example))
    return names


def decode(record):
    """The features, in 32 bits."""
    parsed = weir.fn.parse_example(record, FEATURES)
    return {key: weir.fn.cast(x, "int32") if x.dtype == np.int64 else x for key, x in parsed.items()}


def evaluation(names: list[str]) -> weir.Dataset:
    return weir.tfrecord(names).repeat().map_and_batch(decode, 4, drop_remainder=True)


def training(names: list[str], sloppy: bool) -> weir.Dataset:
    files = weir.from_tensor_slices(names).repeat().shuffle(len(names), seed=1)
    records = files.interleave(weir.tfrecord, cycle_length=2, num_parallel_calls=2, deterministic=not sloppy)
    return records.shuffle(100, seed=2).map_and_batch(decode, 4, drop_remainder=True)


def test_elements_are_those_of_the_original(tmp_path: pathlib.Path) -> None:
    names = write_data(tmp_path)
    check_elements(evaluation(names).take(11), "bert_evaluation")
    check_positions(evaluation(names), 12)
    check_parts(weir.tfrecord(names), lambda part: part.repeat().map_and_batch(decode, 4, drop_remainder=True), count=8)


def test_training_has_all_examples_alike(tmp_path: pathlib.Path) -> None:
    names = write_data(tmp_path)
    numbers = np.concatenate([batch["input_ids"][:, 0] for batch in training(names, sloppy=True).take(21 * 10)])
    found, counts = np.unique(numbers, return_counts=True)
    assert len(found) == 21
    # 40 of each; those in the buffer at the end, and the files that are open, are the rest.
    assert counts.min() > 20
    assert counts.max() < 60
    check_positions(training(names, sloppy=False), 12)
