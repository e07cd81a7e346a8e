"""Keras, image_dataset_from_directory: a folder of pictures, resized, in batches with their labels."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest
from ports import check_elements, check_parts, check_positions

import weir

SEED = 11
HEIGHT, WIDTH = 9, 11
CLASSES = ["daisy", "rose", "tulip"]


def write_data(folder: pathlib.Path) -> pathlib.Path:
    """Five pictures of each class, of many sizes, as PNGs, JPEGs and a BMP."""
    draws = np.random.RandomState(19)
    for label in CLASSES:
        (folder / label).mkdir(parents=True)
        for n in range(5):
            height, width = draws.randint(5, 30, size=2)
            ramp = np.add.outer(np.arange(height) * 5, np.arange(width) * 4)[..., None] + draws.randint(100, size=3)
            pixels = (ramp % 256).astype(np.uint8)
            encode, suffix = [(weir.fn.encode_png, "png"), (weir.fn.encode_jpeg, "jpg")][n % 2]
            encoded = weir.from_tensors(pixels).map(lambda x, encode=encode: encode(x)).get_single_element()
            (folder / label / f"{n}.{suffix}").write_bytes(encoded)
    (folder / "rose" / "notes.txt").write_text("not a picture")
    return folder


def files_of(folder: pathlib.Path, subset: str) -> tuple[list[str], np.ndarray]:
    """Names and labels in the order of image_dataset_from_directory, which holds a fifth back for validation."""
    names = [str(path) for label in CLASSES for path in sorted((folder / label).glob("*.???")) if path.suffix != ".txt"]
    labels = np.repeat(np.arange(3, dtype=np.int32), 5)
    np.random.RandomState(SEED).shuffle(names)
    np.random.RandomState(SEED).shuffle(labels)
    cut = len(names) * 4 // 5
    return (names[:cut], labels[:cut]) if subset == "training" else (names[cut:], labels[cut:])


def stretched(image):
    return weir.fn.resize(image, [HEIGHT, WIDTH])


def cropped(image):
    """The middle of the picture, as much of it as has the aspect that is wanted."""
    height, width, _ = weir.fn.unstack(weir.fn.shape(image))
    rows = weir.fn.clip(width * HEIGHT // WIDTH, 1, height)
    columns = weir.fn.clip(height * WIDTH // HEIGHT, 1, width)
    part = weir.fn.crop(image, (height - rows) // 2, (width - columns) // 2, rows, columns)
    return weir.fn.resize(part, [HEIGHT, WIDTH])


def pictures(names: weir.Dataset, fit) -> weir.Dataset:
    def load(name, label):
        image = weir.fn.decode_image(weir.fn.read_file(name), channels=3)
        return fit(weir.fn.ensure_shape(image, [None, None, 3])), label

    return names.map(load, num_parallel_calls=2).batch(4).prefetch("auto")


@pytest.mark.parametrize("subset", ["training", "validation"])
@pytest.mark.parametrize("fit", [stretched, cropped])
def test_elements_are_those_of_the_original(tmp_path: pathlib.Path, subset: str, fit) -> None:
    names = weir.from_tensor_slices(files_of(write_data(tmp_path), subset))
    batches = pictures(names.shuffle(32, seed=SEED), fit)
    check_elements(batches, f"image_folder_{fit.__name__}_{subset}")
    check_positions(batches)
    check_parts(names, lambda part: pictures(part.shuffle(32, seed=SEED), fit))
