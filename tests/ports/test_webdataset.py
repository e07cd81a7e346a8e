"""webdataset/webdataset, README: pictures and their annotations out of shards."""

from __future__ import annotations

import io
import json
import pathlib
import tarfile

import numpy as np
from ports import check_elements, check_equal, check_parts, check_positions, stored

import weir

FIELDS = "{png: string, json: string}"
HEIGHT, WIDTH = 7, 6


def write_data(folder: pathlib.Path) -> list[str]:
    """Three shards of five pages each; some have no annotation, all have a text that nobody reads."""
    draws = np.random.RandomState(23)
    names = []
    for shard in range(3):
        names.append(str(folder / f"pages-{shard:06}.tar"))
        with tarfile.open(names[-1], "w") as archive:
            for n in range(5):
                pixels = draws.randint(256, size=(*draws.randint(8, 20, size=2), 3)).astype(np.uint8)
                page = {"file": f"{shard}/{n}"}
                if n != 3:
                    boxes = [{"category_id": int(draws.randint(90)), "bbox": [0, 1]} for _ in range(n % 3)]
                    page["annotations"] = boxes
                png = weir.from_tensors(pixels).map(weir.fn.encode_png).get_single_element()
                members = {"json": json.dumps(page).encode(), "png": png, "txt": b"text"}
                for suffix, content in members.items():
                    member = tarfile.TarInfo(f"part/{shard}{n}.{suffix}")
                    member.size = len(content)
                    archive.addfile(member, io.BytesIO(content))
    return names


def prepare(sample):
    """The picture, resized and inverted, its channels first, and the category of its first annotation."""
    image = weir.fn.cast(weir.fn.decode_png(sample.png, channels=3), "float32")
    pixels = weir.fn.round(weir.fn.resize(image, [HEIGHT, WIDTH], antialias=True)) / 255
    found = weir.fn.parse_json(sample.json, "{annotations: list({category_id: int64}) = []}").annotations.category_id
    label = weir.cond(weir.fn.size(found) > 0, lambda: found[0], 0)
    return 1 - weir.fn.transpose(pixels, [2, 0, 1]), label


def pipeline(samples: weir.Dataset) -> weir.Dataset:
    return samples.map(prepare).batch(4)


def test_elements_are_those_of_the_original(tmp_path: pathlib.Path) -> None:
    samples = weir.webdataset(write_data(tmp_path), FIELDS)
    # torchvision resizes in whole numbers, and rounds between rows and columns.
    check_elements(pipeline(samples), "webdataset", within=1.001 / 255)
    check_positions(pipeline(samples))
    check_parts(samples, pipeline)


def test_shuffled_samples_are_all_of_them(tmp_path: pathlib.Path) -> None:
    names = weir.from_tensor_slices(write_data(tmp_path))
    samples = names.shuffle(100, seed=1).interleave(lambda name: weir.webdataset(name, FIELDS), cycle_length=2)
    batches = pipeline(samples.shuffle(10, seed=2))
    labels = np.concatenate([label for _, label in batches])
    want = np.concatenate([batch["/1"] for batch in stored("webdataset")])
    assert sorted(labels) == sorted(want)
    assert labels.tolist() != want.tolist()
    check_positions(batches)


def test_by_position(tmp_path: pathlib.Path) -> None:
    samples = weir.webdataset(write_data(tmp_path), FIELDS)
    check_equal((samples.map(prepare)[n] for n in (14, 0, 7)), [list(samples.map(prepare))[n] for n in (14, 0, 7)])
