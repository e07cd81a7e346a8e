"""deepmind-research, meshgraphnets/dataset.py: meshes at successive times, with targets, noise and joined batches."""

from __future__ import annotations

import json
import pathlib

import numpy as np
from ports import check_elements, check_parts, check_positions

import weir

LENGTH = 6
FEATURES = {
    "cells": {"type": "static", "shape": [1, -1, 3], "dtype": "int32"},
    "mesh_pos": {"type": "static", "shape": [1, -1, 2], "dtype": "float32"},
    "node_type": {"type": "static", "shape": [1, -1, 1], "dtype": "int32"},
    "velocity": {"type": "dynamic", "shape": [LENGTH, -1, 2], "dtype": "float32"},
    "pressure": {"type": "dynamic", "shape": [LENGTH, -1, 1], "dtype": "float32"},
    "world_edges": {"type": "dynamic_varlen", "shape": [-1, 2], "dtype": "int32"},
}


def write_data(folder: pathlib.Path) -> pathlib.Path:
    """Three trajectories of 6 to 9 nodes, each feature as raw bytes, and what they are in meta.json.

    Of the edges that come and go, the numbers at each time are a feature, too.
    """
    draws = np.random.RandomState(9)
    meta = {"field_names": [*FEATURES, "length_world_edges"], "features": FEATURES, "trajectory_length": LENGTH}
    (folder / "meta.json").write_text(json.dumps(meta))
    with weir.RecordWriter(str(folder / "train.tfrecord")) as writer:
        for nodes in (7, 9, 6):
            fields = {}
            for name, field in FEATURES.items():
                count = nodes
                if field["type"] == "dynamic_varlen":
                    lengths = draws.randint(4, size=LENGTH)
                    fields[f"length_{name}"] = lengths.astype(np.int32).tobytes()
                    count = lengths.sum()
                shape = [count if size < 0 else size for size in field["shape"]]
                whole = draws.randint(3, size=shape) if field["dtype"] == "int32" else draws.normal(size=shape)
                fields[name] = whole.astype(field["dtype"]).tobytes()
            writer.write(weir.example(fields))
    return folder


def trajectories(folder: pathlib.Path) -> weir.Dataset:
    """A dict of features for each trajectory, of which the first dimension is time."""
    meta = json.loads((folder / "meta.json").read_text())

    def parse(record):
        raw = weir.fn.parse_example(record, dict.fromkeys(meta["field_names"], "string"))
        fields = {}
        for name, field in meta["features"].items():
            fields[name] = weir.fn.reshape(weir.fn.decode_raw(raw[name], field["dtype"]), field["shape"])
            if field["type"] == "static":
                fields[name] = weir.fn.tile(fields[name], [meta["trajectory_length"], 1, 1])
            elif field["type"] == "dynamic_varlen":
                lengths = weir.fn.decode_raw(raw[f"length_{name}"], weir.int32)
                fields[name] = weir.fn.ragged(fields[name], ends(weir.fn.cast(lengths, "int64")))
        return fields

    return weir.tfrecord(str(folder / "train.tfrecord")).map(parse, num_parallel_calls=2).prefetch(1)


def ends(lengths):
    """Where each row begins, and where the last one ends."""
    return weir.fn.pad(weir.fn.cumsum(lengths), [[1, 0]])


def cut(name: str, values, first: int, last: int):
    """All times but the first and the last few. Ragged tensors have no slices, so theirs are made of the parts."""
    if FEATURES[name]["type"] != "dynamic_varlen":
        return values[first : -last or None]
    splits = ends(weir.fn.row_lengths(values))[first : -last or None]
    return weir.fn.ragged(weir.fn.flat_values(values)[splits[0] : splits[-1]], splits - splits[0])


def with_targets(whole: weir.Dataset, fields: list[str], history: bool) -> weir.Dataset:
    """Each time but the first and the last, with the fields at the next and, for a history, at the one before."""

    def add(trajectory):
        moved = {}
        for name, values in trajectory.items():
            moved[name] = cut(name, values, 1, 1)
            if name in fields:
                if history:
                    moved[f"prev|{name}"] = cut(name, values, 0, 2)
                moved[f"target|{name}"] = cut(name, values, 2, 0)
        return moved

    return whole.map(add, num_parallel_calls=2)


def with_noise(frames: weir.Dataset, field: str, scale: float, gamma: float) -> weir.Dataset:
    """Noise on the nodes of type 0, which the target partly takes back."""

    def add(frame):
        frame = dict(frame)
        noise = weir.fn.random_normal(weir.fn.shape(frame[field]), stddev=scale, seed=5)
        noise = weir.fn.where(frame["node_type"] == 0, noise, weir.fn.zeros_like(noise))
        frame[field] += noise
        frame[f"target|{field}"] += (1.0 - gamma) * noise
        return frame

    return frames.map(add, num_parallel_calls=2)


def joined(frames: weir.Dataset, count: int) -> weir.Dataset:
    """`count` meshes as one: the cells of each count their nodes from where those before it end."""
    spec = frames.spec

    def renumber(state, frame):
        (nodes, cells), (more, new) = state, frame
        return nodes + more, weir.fn.concat([cells, new + nodes])

    def accumulate(window):
        whole = {}
        for name, parts in window.items():
            nothing = weir.fn.zeros([0, spec[name].shape[1]], spec[name].dtype)
            if name == "cells":
                nodes = window["node_type"].map(lambda kind: weir.fn.cast(weir.fn.shape(kind)[0], "int32"))
                whole[name] = weir.zip((nodes, parts)).reduce((np.int32(0), nothing), renumber)[1]
            else:
                whole[name] = parts.reduce(nothing, lambda done, part: weir.fn.concat([done, part]))
        return whole

    return frames.window(count, drop_remainder=True).map(accumulate)


def frames(whole: weir.Dataset) -> weir.Dataset:
    """The times of all trajectories, one after another."""
    moved = with_targets(whole, ["velocity", "world_edges"], history=True)
    return moved.flat_map(weir.from_tensor_slices)


def test_elements_are_those_of_the_original(tmp_path: pathlib.Path) -> None:
    whole = trajectories(write_data(tmp_path))
    check_elements(frames(whole), "meshgraphnets_frames")
    batches = joined(frames(whole), 2)
    check_elements(batches, "meshgraphnets_batches")
    check_positions(batches)
    check_parts(whole, lambda part: joined(frames(part), 2))


def test_noise_and_shuffling(tmp_path: pathlib.Path) -> None:
    plain = frames(trajectories(write_data(tmp_path)))
    by_pressure = {frame["pressure"].tobytes(): frame for frame in plain}
    noisy = with_noise(plain, "velocity", 0.02, 0.1).shuffle(10000, seed=1).repeat().prefetch(10)
    noise, order = [], []
    for frame in noisy.take(12 * 40):
        before = by_pressure[frame["pressure"].tobytes()]
        order.append(frame["pressure"].tobytes())
        added = frame["velocity"] - before["velocity"]
        np.testing.assert_allclose(frame["target|velocity"] - before["target|velocity"], 0.9 * added, atol=1e-6)
        moves = (frame["node_type"] == 0)[:, 0]
        assert not added[~moves].any()
        noise.append(added[moves])
    every = np.concatenate(noise)
    assert abs(every.mean()) < 0.001
    assert abs(every.std() - 0.02) < 0.001
    # Each epoch has every frame once, in an order of its own.
    assert [len(set(order[n : n + 12])) for n in range(0, 480, 12)] == [12] * 40
    assert order[:12] != order[12:24]
    check_positions(joined(noisy, 2), 15)
