#!/usr/bin/env python3
"""Measures weir.ray.read compared with Ray's own reader, with Ray alone and with weir alone, in turns, in one run.

    bench/python_engines.py [FOLDER]

Records of 1 KB, tf.Examples of a string and a number, in two files of the folder (default: build/bench-engines),
become Arrow blocks: parsed to two columns, or whole. Ray has one node and two tasks. "Ray alone" has tasks that yield
one ready-made block again and again, and "each alone" is the rate at which weir alone and then Ray alone would handle
each record. Needs ray[data]; read_tfrecords parses only, and is left out without tensorflow. Prints records per second,
and the median of each round's ratios. Run it under chrt -r 10 where others work.
"""

import functools
import importlib.util
import itertools
import os
import pathlib
import statistics
import sys
import time

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import pyarrow as pa
import ray
from ray.data.block import BlockMetadata
from ray.data.datasource import Datasource, ReadTask

import weir
from weir._parts import Parts

RECORDS = 400_000  # in each file
RAYS_OWN = 2_000  # in the files that Ray's reader gets, which takes long
ROUNDS = 5
PARSE = "map(s -> parse_example(s, {text: string, label: int64}))"


def files_of(folder, count):
    """Two files of so many records each, written if they aren't there."""
    names = [folder / f"{count}-{i}.tfrecords" for i in range(2)]
    for name in names:
        if name.exists():
            continue
        folder.mkdir(parents=True, exist_ok=True)
        with weir.RecordWriter(name.with_suffix(".part")) as writer:
            for i in range(count):
                writer.write(weir.example({"text": os.urandom(490).hex(), "label": i}))
        name.with_suffix(".part").rename(name)
    return names


def document(names, inner):
    """Two parts, one file each."""
    files = ", ".join(f'"{name}"' for name in names)
    return weir.parse(f'tfrecord([{files}]) | partition(2, p -> p | {inner}, by: "files")')


class Ready(Datasource):
    """Two tasks that give as many rows as a file has, of the same bytes, and make none."""

    def __init__(self, dataset):
        super().__init__()
        self.parts = Parts.of(dataset)

    def estimate_inmemory_data_size(self):
        """Unknown."""
        return None

    def get_read_tasks(self, parallelism, per_task_row_limit=None, data_context=None):
        """The two."""
        metadata = BlockMetadata(num_rows=None, size_bytes=None, exec_stats=None, input_files=None)
        return [ReadTask(functools.partial(again, self.parts, RECORDS), metadata) for _ in range(2)]


def again(parts, rows):
    """So many rows, those of one block over and over."""
    # The first ones are small.
    block = max(itertools.islice(parts.blocks(0), 8), key=len)
    for left in range(rows, 0, -len(block)):
        yield block.slice(0, left)


def rows_of_ray(ray_dataset):
    """Runs the tasks; the blocks stay where Ray has them."""
    return sum(bundle.num_rows() for bundle in ray_dataset.iter_internal_ref_bundles())


def rows_of_weir(dataset):
    """Takes the stream of batches in this process."""
    return sum(batch.num_rows for batch in pa.RecordBatchReader.from_stream(dataset))


def rows_kept(dataset):
    """The same, and keeps them, as Ray does."""
    return pa.table(dataset).num_rows


def rate(body, expected):
    """Rows per second."""
    begun = time.perf_counter()
    rows = body()
    assert rows == expected, (rows, expected)
    return rows / (time.perf_counter() - begun)


def main():
    """Runs the rounds."""
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/bench-engines").resolve()
    large, small = files_of(folder, RECORDS), files_of(folder, RAYS_OWN)
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    parsed, whole = document(large, PARSE), document(large, "map(s -> {s})")

    def ray_on(dataset):
        return rate(lambda: rows_of_ray(weir.ray.read(dataset, concurrency=2)), 2 * RECORDS)

    def ray_alone(dataset):
        source = Ready(dataset)

        def body():
            return rows_of_ray(ray.data.read_datasource(source, concurrency=2, override_num_blocks=2))

        return lambda: rate(body, 2 * RECORDS)

    def own():
        reader = ray.data.read_tfrecords([str(name) for name in small], override_num_blocks=2, concurrency=2)
        return rate(lambda: rows_of_ray(reader), 2 * RAYS_OWN)

    bodies = {"read_tfrecords, parsed": own} if importlib.util.find_spec("tensorflow") else {}
    bodies |= {
        "weir.ray.read, parsed": lambda: ray_on(parsed),
        "Ray alone, parsed": ray_alone(parsed),
        "weir, parsed": lambda: rate(lambda: rows_of_weir(parsed), 2 * RECORDS),
        "weir, parsed and kept": lambda: rate(lambda: rows_kept(parsed), 2 * RECORDS),
        "weir.ray.read, whole": lambda: ray_on(whole),
        "Ray alone, whole": ray_alone(whole),
        "weir, whole": lambda: rate(lambda: rows_of_weir(whole), 2 * RECORDS),
        "weir, whole and kept": lambda: rate(lambda: rows_kept(whole), 2 * RECORDS),
    }
    for body in bodies.values():  # starts Ray's workers
        body()
    found = {name: [] for name in bodies}
    for _ in range(ROUNDS):
        for name, body in bodies.items():
            found[name].append(body())
    for kind in ("parsed", "whole"):
        pairs = zip(found[f"weir, {kind}"], found[f"Ray alone, {kind}"], strict=True)
        found[f"each alone, {kind}"] = [1 / (1 / ours + 1 / theirs) for ours, theirs in pairs]
    for name, rates in found.items():
        print(f"{name:28} {statistics.median(rates):12,.0f} /s", flush=True)
    for over, under in (
        ("weir.ray.read, parsed", "read_tfrecords, parsed"),
        ("weir.ray.read, parsed", "Ray alone, parsed"),
        ("weir.ray.read, parsed", "each alone, parsed"),
        ("weir.ray.read, parsed", "weir, parsed"),
        ("weir.ray.read, parsed", "weir, parsed and kept"),
        ("weir.ray.read, whole", "Ray alone, whole"),
        ("weir.ray.read, whole", "each alone, whole"),
        ("weir.ray.read, whole", "weir, whole"),
        ("weir.ray.read, whole", "weir, whole and kept"),
    ):
        if under not in found:
            continue
        ratio = statistics.median(a / b for a, b in zip(found[over], found[under], strict=True))
        print(f"{over} / {under}: {ratio:.2f}", flush=True)


if __name__ == "__main__":
    main()
