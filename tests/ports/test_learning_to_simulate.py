"""deepmind-research, learning_to_simulate/reading_utils.py: windows of particles that move."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest
from ports import check_elements, check_parts, check_positions

import weir

STEPS, DIMENSIONS, CONTEXT, WINDOW = 9, 2, 3, 7
fn = weir.fn


def write_data(folder: pathlib.Path) -> str:
    """Three trajectories of 4 to 6 particles, as tf.SequenceExamples of raw bytes."""
    draws = np.random.RandomState(8)
    path = str(folder / "train.tfrecord")
    with weir.RecordWriter(path) as writer:
        for number, particles in enumerate((5, 4, 6)):
            context = {"key": number, "particle_type": draws.randint(9, size=particles).astype(np.int64).tobytes()}
            positions = draws.rand(STEPS + 1, particles * DIMENSIONS).astype(np.float32)
            contexts = draws.rand(STEPS + 1, CONTEXT).astype(np.float32)
            lists = {
                "position": [row.tobytes() for row in positions],
                "step_context": [row.tobytes() for row in contexts],
            }
            made = weir.from_tensors((context, lists)).map(fn.sequence_example)
            writer.write(bytes(made.get_single_element()))
    return path


def windows(records: weir.Dataset, with_context: bool) -> weir.Dataset:
    """WINDOW successive positions at a time, from each step of each trajectory on."""

    def parse(record):
        lists = {"position": "sequence(string)"} | ({"step_context": "sequence(string)"} if with_context else {})
        context, steps = fn.parse_sequence_example(record, {"key": "int64 = 0", "particle_type": "string"}, lists)
        kinds = fn.decode_raw(context.particle_type, weir.int64)
        particles = fn.size(kinds)
        raw = fn.decode_padded_raw(steps.position, particles * (4 * DIMENSIONS), weir.float32)
        trajectory = {"position": fn.reshape(raw, [STEPS + 1, -1, DIMENSIONS])}
        if with_context:
            raw = fn.decode_padded_raw(steps.step_context, 4 * CONTEXT, weir.float32)
            trajectory["step_context"] = fn.reshape(raw, [STEPS + 1, CONTEXT])
        return kinds, trajectory

    def split(kinds, trajectory):
        count = STEPS + 1 - WINDOW + 1
        at = fn.expand_dims(fn.arange(count), 1) + fn.arange(WINDOW)
        cut = {key: fn.gather(values, at) for key, values in trajectory.items()}
        return weir.from_tensor_slices({"particle_type": fn.tile(fn.expand_dims(kinds, 0), [count, 1]), **cut})

    return records.map(parse).flat_map(split)


@pytest.mark.parametrize("with_context", [False, True])
def test_elements_are_those_of_the_original(tmp_path: pathlib.Path, with_context: bool) -> None:
    records = weir.tfrecord(write_data(tmp_path))
    check_elements(windows(records, with_context), f"learning_to_simulate_{with_context}".lower())
    check_positions(windows(records, with_context))
    check_parts(records, lambda part: windows(part, with_context))
