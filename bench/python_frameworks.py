#!/usr/bin/env python3
"""Compares loading by weir with that by PyTorch and Hugging Face, in turns, in an environment of tools/test-frameworks.

python_frameworks.py huggingface    1,000,000 rows of a text and 8 floats, shuffled, in batches of 256, to torch
python_frameworks.py jpegs          1,000 JPEGs through the transforms of torchvision's reference script for ImageNet
python_frameworks.py functions      a call of a function of weir.fn with arrays
python_frameworks.py tensorflow     numbers one by one, and batches of images, through weir.tf.dataset and tf.data alone
"""

import os
import pathlib
import sys
import tempfile
import time
import warnings

import numpy as np
import torch

import weir
from weir import fn

ROWS, BATCH = 1_000_000, 256
IMAGES, IMAGE_BATCH = 1_000, 32
MEAN, DEVIATION = np.array([0.485, 0.456, 0.406], np.float32), np.array([0.229, 0.224, 0.225], np.float32)


def rate(loader, most, size):
    """Elements per second, from the second batch on for a part of an epoch, else all of it."""
    steps, begun, seen = iter(loader), time.perf_counter(), 0
    if most:
        next(steps)
        begun = time.perf_counter()
    for batch in steps:
        seen += size(batch)
        if most and seen >= most:
            break
    return seen / (time.perf_counter() - begun)


def huggingface(folder):
    """The rows of a dataset that lies on disk."""
    import datasets

    random = np.random.default_rng(0)
    words = np.array(["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"])
    texts = [" ".join(row) for row in words[random.integers(0, 8, (ROWS, 6))]]
    floats = datasets.Features({"text": datasets.Value("string"), "x": datasets.List(datasets.Value("float32"), 8)})
    made = datasets.Dataset.from_dict({"text": texts, "x": random.normal(size=(ROWS, 8)).astype("f4")}, floats)
    made.save_to_disk(folder)
    ds = datasets.load_from_disk(folder)
    theirs = torch.utils.data.DataLoader(ds.with_format("torch"), batch_size=BATCH, shuffle=True)
    begun = time.perf_counter()
    rows = weir.from_huggingface(ds).global_shuffle(seed=1).batch(BATCH).prefetch(4)
    print(f"from_huggingface: {time.perf_counter() - begun:.2f} s")
    for _ in range(3):
        one = rate(theirs, 30_000, lambda batch: len(batch["text"]))
        two = rate(weir.torch.loader(rows), 900_000, lambda batch: len(batch["text"]))
        print(f"Hugging Face {one:.0f} rows/s, weir {two:.0f} rows/s: {two / one:.1f} times", flush=True)


def write_jpegs(folder):
    """Images of 500 x 375 in ten folders."""
    from PIL import Image

    random = np.random.default_rng(0)
    for i in range(IMAGES):
        small = Image.fromarray(random.integers(0, 255, (24, 32, 3), dtype=np.uint8)).resize((500, 375), 3)
        noisy = np.asarray(small).astype(np.int16) + random.integers(-12, 12, (375, 500, 3))
        place = pathlib.Path(folder, f"class{i % 10}")
        place.mkdir(exist_ok=True)
        Image.fromarray(np.clip(noisy, 0, 255).astype(np.uint8)).save(place / f"{i}.jpg", quality=90)


def prepared(row):
    """A part of random size and shape, resized to 224 x 224, flipped or not, and normalised."""
    data = fn.read_file(row.path)
    shape = fn.cast(fn.jpeg_shape(data), np.float32)
    area = shape[0] * shape[1] * fn.random_uniform([], 0.08, 1.0)
    ratio = fn.exp(fn.random_uniform([], float(np.log(3 / 4)), float(np.log(4 / 3))))
    height = fn.minimum(fn.round(fn.sqrt(area / ratio)), shape[0])
    width = fn.minimum(fn.round(fn.sqrt(area * ratio)), shape[1])
    top = fn.floor(fn.random_uniform([]) * (shape[0] - height + 1))
    left = fn.floor(fn.random_uniform([]) * (shape[1] - width + 1))
    part = fn.decode_and_crop_jpeg(data, fn.cast(fn.stack([top, left, height, width]), "int64"))
    image = fn.random_flip_left_right(fn.resize(part, [224, 224], antialias=True))
    return (image / 255 - MEAN) / DEVIATION, row.y


def jpegs(folder):
    """torchvision's reference script has 16 workers; two are best on two processors."""
    import torchvision
    from torchvision import transforms as t

    write_jpegs(folder)
    crop = t.RandomResizedCrop(224, interpolation=t.InterpolationMode.BILINEAR, antialias=True)
    tensor = [t.PILToTensor(), t.ConvertImageDtype(torch.float), t.Normalize(MEAN.tolist(), DEVIATION.tolist())]
    rows = torchvision.datasets.ImageFolder(folder, t.Compose([crop, t.RandomHorizontalFlip(0.5), *tensor]))
    table = {"path": np.array([path for path, _ in rows.samples], object), "y": np.array(rows.targets)}
    pipeline = weir.from_tensor_slices(table).global_shuffle(seed=1).map(prepared, num_parallel_calls="auto")
    options = {"batch_size": IMAGE_BATCH, "shuffle": True}
    loaders = {
        "torch, 16 workers": torch.utils.data.DataLoader(rows, num_workers=16, **options),
        "torch, 2 workers": torch.utils.data.DataLoader(rows, num_workers=2, **options),
        "weir.torch.DataLoader, 2 threads": weir.torch.DataLoader(rows, num_workers=2, **options),
        "weir": weir.torch.loader(pipeline.batch(IMAGE_BATCH).prefetch(2)),
    }
    for _ in range(3):
        found = {name: rate(loader, 0, lambda batch: len(batch[1])) for name, loader in loaders.items()}
        print("; ".join(f"{name}: {value:.0f} images/s" for name, value in found.items()), flush=True)


def functions(_):
    """The second call and later ones, whose function is compiled."""
    small, image = np.ones(8, np.float32), np.zeros((480, 640, 3), np.uint8)
    calls = {"maximum": lambda: fn.maximum(small, small), "resize": lambda: fn.resize(image, [224, 224])}
    for name, call in calls.items():
        for _ in range(2):
            begun = time.perf_counter()
            for _ in range(2000):
                call()
            took = time.perf_counter() - begun
        print(f"{name}: {took / 2000 * 1e6:.1f} us")


def tensorflow(_):
    """The same batches from tf.data, from weir, and from tf.data that batches what weir gives it one by one."""
    import tensorflow as tf

    images = np.zeros((512, 224, 224, 3), np.float32)
    sources = {
        "numbers": (tf.data.Dataset.range(1_000_000), weir.range(1_000_000), 1000),
        "images": (tf.data.Dataset.from_tensor_slices(images), weir.from_tensor_slices(images), 32),
    }
    for name, (theirs, ours, size) in sources.items():
        loops = {
            "tf.data": theirs.batch(size),
            "weir": ours.batch(size),
            "batches of weir in tf.data": weir.tf.dataset(ours.batch(size)),
            "elements of weir in tf.data": weir.tf.dataset(ours).batch(size),
        }
        for _ in range(3):
            found = {made: rate(loop, 0, len) for made, loop in loops.items()}
            print(name + ": " + "; ".join(f"{made} {value:.0f}/s" for made, value in found.items()), flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in ("huggingface", "jpegs", "functions", "tensorflow"):
        sys.exit(__doc__)
    warnings.simplefilter("ignore")
    os.environ["HF_DATASETS_OFFLINE"] = "1"
    with tempfile.TemporaryDirectory() as place:
        globals()[sys.argv[1]](place)
