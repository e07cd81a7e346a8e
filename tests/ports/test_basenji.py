"""calico/basenji, basenji/dataset.py: sequences of bases and what was measured along them, and sequences of RNA."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest
from ports import check_elements, check_parts, check_positions

import weir

LENGTH, DEPTH, CROP, STEPS, TARGETS = 16, 4, 10, 5, 3
RNA_LENGTH = 12
fn = weir.fn


def write_data(folder: pathlib.Path, numbers: bool = False) -> list[str]:
    """Eleven sequences in three compressed files, in the order of their numbers.

    They are vectors with a 1, or the numbers of the bases, of which the last one is unknown.
    """
    draws = np.random.RandomState(10)
    (folder / "tfrecords").mkdir(parents=True)
    names = [str(folder / f"tfrecords/valid-{n}.tfr") for n in (0, 2, 12)]
    for name, count in zip(names, (4, 5, 2), strict=True):
        with weir.RecordWriter(name, compression="zlib") as writer:
            for _ in range(count):
                bases = draws.randint(DEPTH + numbers, size=LENGTH).astype(np.uint8)
                bases = bases if numbers else np.eye(DEPTH, dtype=np.uint8)[bases]
                measured = draws.rand(STEPS, TARGETS).astype(np.float16)
                writer.write(weir.example({"sequence": bases.tobytes(), "target": measured.tobytes()}))
    return names


def write_rna(folder: pathlib.Path) -> list[str]:
    """Six molecules of 5 to 12 bases in two files, with their coding frame and splice sites."""
    draws = np.random.RandomState(20)
    (folder / "tfrecords").mkdir(parents=True)
    names = [str(folder / f"tfrecords/train-{n}.tfr") for n in range(2)]
    for name, lengths in zip(names, ((12, 5, 9, 7), (12, 11)), strict=True):
        with weir.RecordWriter(name, compression="zlib") as writer:
            for length in lengths:
                tracks = {
                    "sequence": draws.randint(4, size=length),
                    "coding": draws.randint(2, size=length),
                    "splice": draws.randint(2, size=length),
                }
                example = {key: track.astype(np.uint8).tobytes() for key, track in tracks.items()}
                targets = draws.rand(TARGETS).astype(np.float16).tobytes()
                writer.write(weir.example({"lengths": np.array([length]), "targets": targets, **example}))
    return names


def sequences(records: weir.Dataset, crop: int | None, numbers: bool = False) -> weir.Dataset:
    def parse(record):
        raw = fn.parse_example(record, {"sequence": "string", "target": "string"})
        bases = fn.decode_raw(raw.sequence, weir.uint8)
        if numbers:
            bases = fn.one_hot(fn.reshape(bases, [LENGTH]), DEPTH + 1, dtype=weir.uint8)[:, :-1]
        else:
            bases = fn.reshape(bases, [LENGTH, DEPTH])
        if crop is not None:
            cut = (LENGTH - crop) // 2
            bases = bases[cut:-cut, :]
        targets = fn.reshape(fn.decode_raw(raw.target, weir.float16), [STEPS, TARGETS])
        return fn.cast(bases, "float32"), fn.cast(targets, "float32")

    return records.map(parse).batch(4).prefetch("auto")


def molecules(records: weir.Dataset) -> weir.Dataset:
    def parse(record):
        keys = ("sequence", "coding", "splice", "targets")
        raw = fn.parse_example(record, {"lengths": "int64[1]", **dict.fromkeys(keys, "string")})
        bases = fn.one_hot(fn.decode_raw(raw.sequence, weir.uint8), 4)
        tracks = [fn.expand_dims(fn.decode_raw(raw[key], weir.uint8), 1) for key in ("coding", "splice")]
        inputs = fn.concat([bases, *(fn.cast(track, "float32") for track in tracks)], axis=1)
        inputs = fn.pad(inputs, [[0, RNA_LENGTH - raw.lengths[0]], [0, 0]])
        return inputs, fn.cast(fn.decode_raw(raw.targets, weir.float16), "float32")

    return records.map(parse).batch(4)


@pytest.mark.parametrize(("name", "crop", "numbers"), [("whole", None, False), ("cropped", CROP, True)])
def test_sequences_are_those_of_the_original(tmp_path: pathlib.Path, name: str, crop: int, numbers: bool) -> None:
    names = weir.from_tensor_slices(write_data(tmp_path, numbers))

    def pipeline(names: weir.Dataset) -> weir.Dataset:
        return sequences(names.flat_map(lambda name: weir.tfrecord(name, compression="zlib")), crop, numbers)

    check_elements(pipeline(names), f"basenji_{name}")
    check_positions(pipeline(names))
    check_parts(names, pipeline)


def test_training_mixes_the_files(tmp_path: pathlib.Path) -> None:
    names = weir.from_tensor_slices(write_data(tmp_path))
    records = names.repeat().interleave(lambda name: weir.tfrecord(name, compression="zlib"), cycle_length=4)
    batches = sequences(records.shuffle(8, seed=1), None)
    measured = [targets.tobytes() for _, targets in sequences(records, None).unbatch().take(33)]
    found = [targets.tobytes() for _, targets in batches.unbatch().take(33)]
    assert len(set(found)) == len(set(measured)) == 11
    assert found != measured
    check_positions(batches, 12)


def test_molecules_are_those_of_the_original(tmp_path: pathlib.Path) -> None:
    records = weir.tfrecord(write_rna(tmp_path), compression="zlib")
    check_elements(molecules(records), "basenji_rna")
    check_positions(molecules(records))
    check_parts(records, molecules)
