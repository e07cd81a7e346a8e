"""Batches of the digits, as records and as JPEGs, and a small convolutional network, as weights of NumPy, for each
framework."""

import functools
import pathlib
import tempfile

import numpy as np
from PIL import Image

import weir
from weir import fn

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "digits" / "data"
FEATURES = {"image": "string", "label": "int64"}
BATCH, STEPS, RATE = 50, 20, 0.3


def decoded(record):
    """A record as an image [height, width, 1] with entries from 0 to 1, and the label."""
    example = fn.parse_example(record, FEATURES)
    pixels = fn.cast(fn.decode_raw(example.image, np.uint8), np.float32) / 255.0
    return fn.reshape(pixels, [8, 8, 1]), example.label


def records():
    """The digits, shuffled."""
    files = weir.list_files(str(FOLDER / "train-*.tfrecord.gz"), shuffle=False)
    found = files.interleave(lambda file: weir.tfrecord(file, compression="gzip"), cycle_length=4)
    return found.shuffle(1440, seed=42).map(decoded, num_parallel_calls="auto")


@functools.cache
def written():
    """A folder with 1,000 digits as coloured JPEGs, and their labels."""
    folder, labels = tempfile.TemporaryDirectory(), []
    for i, (image, label) in enumerate(records().take(1000)):
        pixels = np.uint8(image * np.float32([255, 200, 150]))
        Image.fromarray(pixels).resize((24, 16)).save(f"{folder.name}/{i:04}.jpg")
        labels.append(label)
    return folder, np.array(labels)


def pictures():
    """Those JPEGs, made smaller, and their labels."""
    folder, labels = written()
    files = weir.list_files(f"{folder.name}/*.jpg", shuffle=False)
    rows = weir.zip(files, weir.from_tensor_slices(labels)).shuffle(1000, seed=42)
    return rows.map(
        lambda file, label: (fn.resize(fn.decode_jpeg(fn.read_file(file), channels=3), [12, 12]) / 255.0, label),
        num_parallel_calls="auto",
    )


ROWS = {"records": records, "pictures": pictures}


def dataset(rows):
    """The first batches."""
    return ROWS[rows]().batch(BATCH, drop_remainder=True).take(STEPS).prefetch("auto")


def arrays(rows):
    """The elements of those batches, for the framework's own loader."""
    batches = list(dataset(rows))
    return np.concatenate([x for x, _ in batches]), np.concatenate([y for _, y in batches])


def weights(images):
    """A convolution 3x3 with 8 channels, and a dense layer."""
    random = np.random.default_rng(0)
    _, height, width, channels = images.shape
    shapes = ((3, 3, channels, 8), (8,), ((height - 2) * (width - 2) * 8, 10), (10,))
    return [(random.normal(size=shape) * 0.1).astype(np.float32) for shape in shapes]
