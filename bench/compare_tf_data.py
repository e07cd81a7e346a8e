#!/usr/bin/env python3
"""The same pipelines in weir and in tf.data, side by side, each consumed by a loop in Python.

    python3 -m venv /tmp/tf && /tmp/tf/bin/pip install tensorflow-cpu
    /tmp/tf/bin/python bench/compare_tf_data.py [BUILD]

BUILD is a built release folder (default: build/release). Prints a line per row: what weir takes, what tf.data takes, and
how many times more that is. Rows are the best of three runs each, taken in turns. weir is called through its C interface
with ctypes, without any other package.
"""

import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILES = str(ROOT / "examples/digits/data/train-*.tfrecord.gz")
RUNS = 3
WEIR_OK, WEIR_STRLEN = 0, ctypes.c_uint64(-1)


class Bytes(ctypes.Structure):
    """weir_bytes."""
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_uint64), ("owner", ctypes.c_uint64)]


class Weir:
    """As much of the C interface as the rows need."""

    def __init__(self, library):
        self.lib = ctypes.CDLL(str(library))
        self.runtime = ctypes.c_uint64()
        self.check(self.lib.weir_runtime_create(None, ctypes.byref(self.runtime), None))

    @staticmethod
    def check(result):
        """Stops at anything that is not a success."""
        if result != WEIR_OK:
            sys.exit(f"weir: result {result}")

    def iterator(self, text):
        """An iterator at the beginning of a document, and an element for it."""
        dataset, iterator, element = ctypes.c_uint64(), ctypes.c_uint64(), ctypes.c_uint64()
        self.check(self.lib.weir_dataset_parse(self.runtime, text.encode(), WEIR_STRLEN, None, ctypes.c_uint64(0),
                                               ctypes.byref(dataset), None))
        self.check(self.lib.weir_iterator_create(self.runtime, dataset, None, ctypes.byref(iterator), None))
        self.check(self.lib.weir_element_create(ctypes.byref(element), None))
        self.lib.weir_dataset_unref(dataset)
        return iterator, element

    def drain(self, text):
        """Goes through a document."""
        iterator, element = self.iterator(text)
        following = self.lib.weir_iterator_next
        while following(iterator, element, None) == WEIR_OK:
            pass
        self.lib.weir_element_destroy(element)
        self.lib.weir_iterator_destroy(iterator)

    def checkpoint_bytes(self, text, steps):
        """The size of a position after some elements."""
        iterator, element = self.iterator(text)
        for _ in range(steps):
            self.check(self.lib.weir_iterator_next(iterator, element, None))
        position = Bytes()
        self.check(self.lib.weir_iterator_save(iterator, ctypes.byref(position), None))
        size = position.size
        self.lib.weir_bytes_release(ctypes.byref(position))
        return size


def best(calls):
    """The shortest time of each call, in seconds; they take turns."""
    times = [float("inf")] * len(calls)
    for _ in range(RUNS):
        for i, call in enumerate(calls):
            begin = time.perf_counter()
            call()
            times[i] = min(times[i], time.perf_counter() - begin)
    return times


def row(name, unit, ours, theirs):
    """One line of the table."""
    print(f"{name:<44} {ours:>12,.1f} {theirs:>12,.1f} {unit:<14} {theirs / ours:>7.1f} x", flush=True)


def drain(dataset):
    """Goes through a tf.data dataset."""
    for _ in dataset:
        pass


def pipelines(tf):
    """Rows: name, elements, the document, and what builds the same in tf.data."""
    data = tf.data.Dataset
    auto = tf.data.AUTOTUNE
    features = {"image": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64)}

    def digits():
        names = data.list_files(FILES, shuffle=False)
        records = names.interleave(lambda f: tf.data.TFRecordDataset(f, compression_type="GZIP"), cycle_length=4)
        parsed = records.repeat(5).shuffle(1440, seed=1).map(lambda r: tf.io.parse_single_example(r, features),
                                                              num_parallel_calls=auto)
        images = parsed.map(lambda x: (tf.cast(tf.io.decode_raw(x["image"], tf.uint8), tf.float32) / 255.0,
                                       x["label"]), num_parallel_calls=auto)
        return images.batch(32).prefetch(auto)

    return [
        ("map, batches of 128", 200000, "range(200000) | map(x -> x + 1) | batch(128)",
         lambda: data.range(200000).map(lambda x: x + 1).batch(128)),
        ("filter of half, batches of 128", 200000, "range(200000) | filter(x -> x % 2 == 0) | batch(128)",
         lambda: data.range(200000).filter(lambda x: x % 2 == 0).batch(128)),
        ("shuffle of 20,000, batches of 128", 200000, "range(200000) | shuffle(20000, seed: 1) | batch(128)",
         lambda: data.range(200000).shuffle(20000, seed=1).batch(128)),
        ("flat_map of ten, batches of 128", 100000, "range(10000) | flat_map(x -> range(10)) | batch(128)",
         lambda: data.range(10000).flat_map(lambda x: data.range(10)).batch(128)),
        ("digits: gzip, parse, shuffle, batches of 32", 7200,
         f'list_files("{FILES}", shuffle: false)'
         ' | interleave(f -> tfrecord(f, compression: "gzip"), cycle_length: 4) | repeat(5) | shuffle(1440, seed: 1)'
         ' | map(r -> parse_example(r, {image: string, label: int64}), num_parallel_calls: auto)'
         ' | map({image, label} -> (float32(decode_raw(image, uint8)) / 255.0, label), num_parallel_calls: auto)'
         ' | batch(32) | prefetch(auto)', digits),
    ]


def tf_checkpoint_bytes(tf, dataset, steps):
    """The size of what tf.train.Checkpoint writes of an iterator after some elements."""
    iterator = iter(dataset)
    for _ in range(steps):
        next(iterator)
    with tempfile.TemporaryDirectory() as folder:
        tf.train.Checkpoint(iterator=iterator).write(folder + "/position")
        return sum(file.stat().st_size for file in pathlib.Path(folder).iterdir())


def start_rows(build):
    """A whole process, from its start to its first element and its end."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": True}
    program = "import tensorflow as tf; print(next(iter(tf.data.Dataset.range(1))))"
    ours, theirs = best([lambda: subprocess.run([build / "weir", "run", "-e", "range(1)"], **quiet),
                         lambda: subprocess.run([sys.executable, "-c", program], **quiet)])
    row("a process, to its first element", "ms", ours * 1e3, theirs * 1e3)


def main():
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    build = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build/release"
    try:
        import tensorflow as tf  # pylint: disable=import-outside-toplevel
    except ImportError:
        sys.exit("needs tensorflow-cpu; the top of this file says how to install it")
    weir = Weir(build / "libweir.so")
    print(f"{'':<44} {'weir':>12} {'tf.data':>12} {'TensorFlow ' + tf.__version__:<14}")
    for name, elements, text, make in pipelines(tf):
        ours, theirs = best([lambda t=text: weir.drain(t), lambda m=make: drain(m())])
        row(name, "ns/element", ours * 1e9 / elements, theirs * 1e9 / elements)
    name, _, text, make = pipelines(tf)[2]
    row("checkpoint: " + name.rsplit(",", 1)[0], "bytes", weir.checkpoint_bytes(text, 1000),
        tf_checkpoint_bytes(tf, make(), 1000))
    start_rows(build)


if __name__ == "__main__":
    main()
