"""Batches of the digits, and a small convolutional network, as weights of NumPy, for each framework."""

import pathlib

import numpy as np

import weir
from weir import fn

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "digits" / "data"
FEATURES = {"image": "string", "label": "int64"}
BATCH, STEPS, RATE = 64, 20, 0.5


def decoded(record):
    """A record as an image [height, width, 1] with entries from 0 to 1, and the label."""
    example = fn.parse_example(record, FEATURES)
    pixels = fn.cast(fn.decode_raw(example.image, np.uint8), np.float32) / 255.0
    return fn.reshape(pixels, [8, 8, 1]), example.label


def dataset():
    """The first batches, shuffled."""
    files = weir.list_files(str(FOLDER / "train-*.tfrecord.gz"), shuffle=False)
    records = files.interleave(lambda file: weir.tfrecord(file, compression="gzip"), cycle_length=4)
    rows = records.shuffle(1440, seed=42).map(decoded, num_parallel_calls="auto")
    return rows.batch(BATCH, drop_remainder=True).take(STEPS).prefetch("auto")


def arrays():
    """The elements of those batches, for the framework's own loader."""
    batches = list(dataset())
    return np.concatenate([x for x, _ in batches]), np.concatenate([y for _, y in batches])


def weights():
    """A convolution 3x3 with 8 channels, and a dense layer."""
    random = np.random.default_rng(0)
    return [
        (random.normal(size=shape) * 0.1).astype(np.float32) for shape in ((3, 3, 1, 8), (8,), (6 * 6 * 8, 10), (10,))
    ]
