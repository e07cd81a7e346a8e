"""The data that rows read, generated once from fixed seeds into one folder."""

from __future__ import annotations

import functools
import os
import pathlib
import struct
from collections.abc import Callable, Iterable
from typing import Any


def folder() -> pathlib.Path:
    return pathlib.Path(os.environ["WEIR_COMPARE_DATA"])


def file(name: str, write: Callable[[pathlib.Path], None]) -> str:
    """The file of that name, written by the first who asks."""
    path = folder() / name
    if not path.exists():
        temporary = path.with_name(f"{name}.{os.getpid()}.tmp")
        write(temporary)
        temporary.replace(path)
    return str(path)


@functools.cache
def floats(rows: int, width: int) -> Any:
    """An array of float32 in memory."""
    import numpy as np

    return np.random.default_rng(1).random((rows, width), np.float32)


# ---- Records ----------------------------------------------------------------------------------------------


def masked(data: bytes) -> int:
    """The checksum of a TFRecord file."""
    import crc32c

    value = crc32c.crc32c(data)
    return ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF


def framed(record: bytes) -> bytes:
    length = struct.pack("<Q", len(record))
    return length + struct.pack("<I", masked(length)) + record + struct.pack("<I", masked(record))


def write_records(path: pathlib.Path, records: Iterable[bytes], compressed: bool = False) -> None:
    import gzip

    with gzip.open(path, "wb", 6) if compressed else open(path, "wb") as out:
        for record in records:
            out.write(framed(record))


@functools.cache
def words() -> list[bytes]:
    import numpy as np

    rng = np.random.default_rng(3)
    letters = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz", np.uint8)
    return [letters[rng.integers(0, 26, rng.integers(2, 10))].tobytes() + b" " for _ in range(4000)]


def text_of(rng: Any, size: int) -> bytes:
    """Words, which compress as text does."""
    chosen = rng.integers(0, 4000, size // 5)
    return b"".join(words()[i] for i in chosen)[:size].ljust(size, b".")


def lines_of(rng: Any, size: int) -> bytes:
    """Lines that differ in a few digits, which compress to an eighth."""
    numbers = rng.integers(0, 1_000_000, (size // 100 + 1, 3))
    line = '{"user": "%06d", "item": "%06d", "event": "click", "country": "de", "score": 0.%06d}\n'
    return "".join(line % tuple(row) for row in numbers.tolist()).encode()[:size].ljust(size, b".")


def records(size: int, count: int, compressed: bool = False, lines: bool = False) -> str:
    """A TFRecord file of records of one size that are words, or lines."""

    import numpy as np

    def write(path: pathlib.Path) -> None:
        rng = np.random.default_rng(4)
        made = lines_of if lines else text_of
        write_records(path, (made(rng, size) for _ in range(count)), compressed)

    kind = "lines" if lines else "records"
    return file(f"{kind}-{size}-{count}.tfrecord{'.gz' if compressed else ''}", write)


def example(features: dict[str, Any]) -> bytes:
    """A tf.Example of lists of int, float or bytes."""
    from tfrecord import example_pb2

    message = example_pb2.Example()
    for name, values in features.items():
        feature = message.features.feature[name]
        kind = type(values[0]) if values else int
        into = {int: feature.int64_list, float: feature.float_list, bytes: feature.bytes_list}[kind]
        into.value.extend(values)
    return message.SerializeToString()


def criteo(count: int) -> str:
    """Examples like those of Criteo's click logs: a label, 13 integers, 26 categories as strings."""
    import numpy as np

    def write(path: pathlib.Path) -> None:
        rng = np.random.default_rng(5)
        integers = rng.integers(0, 100_000, (count, 14))
        categories = rng.integers(0, 1 << 32, (count, 26))

        def record(i: int) -> bytes:
            features: dict[str, Any] = {"label": [int(integers[i, 13]) % 2]}
            features |= {f"I{j + 1}": [int(integers[i, j])] for j in range(13)}
            features |= {f"C{j + 1}": [b"%08x" % int(categories[i, j])] for j in range(26)}
            return example(features)

        write_records(path, (record(i) for i in range(count)))

    return file(f"criteo-{count}.tfrecord", write)


def digits(count: int) -> str:
    """Examples of an image of 784 bytes and a label."""
    import numpy as np

    def write(path: pathlib.Path) -> None:
        rng = np.random.default_rng(6)
        images = rng.integers(0, 256, (count, 784), np.uint8)
        write_records(path, (example({"image": [images[i].tobytes()], "label": [i % 10]}) for i in range(count)))

    return file(f"digits-{count}.tfrecord", write)


def lists(count: int) -> str:
    """Examples of two lists of up to 40 values: integers and floats."""
    import numpy as np

    def write(path: pathlib.Path) -> None:
        rng = np.random.default_rng(7)

        def record() -> bytes:
            sizes = rng.integers(1, 41, 2)
            ids = [int(value) for value in rng.integers(0, 1 << 20, sizes[0])]
            return example({"ids": ids, "weights": [float(value) for value in rng.random(sizes[1])]})

        write_records(path, (record() for _ in range(count)))

    return file(f"lists-{count}.tfrecord", write)


# ---- Text -------------------------------------------------------------------------------------------------


def lines(count: int) -> str:
    """Lines of 100 bytes, the end of the line included."""
    import numpy as np

    def write(path: pathlib.Path) -> None:
        rng = np.random.default_rng(8)
        with open(path, "wb") as out:
            for _ in range(count):
                out.write(text_of(rng, 99) + b"\n")

    return file(f"lines-{count}.txt", write)


def table(count: int) -> str:
    """Ten columns of floats."""
    import numpy as np

    def write(path: pathlib.Path) -> None:
        np.savetxt(path, np.random.default_rng(9).random((count, 10)) * 100, fmt="%.4f", delimiter=",")

    return file(f"table-{count}.csv", write)


# ---- Images -----------------------------------------------------------------------------------------------


def photograph(seed: int) -> bytes:
    """A JPEG of 500 × 375 pixels with smooth parts, edges and noise, about 100 KB as photographs of this size have."""
    import io

    import numpy as np
    from PIL import Image

    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:375, 0:500]
    base = 100 + 60 * np.sin(x * 0.05 + seed) * np.cos(y * 0.03) + ((x // 40 + y // 30) % 3 == 0) * 40
    pixels = base[..., None] + 20 * np.arange(3) + rng.integers(-30, 31, (375, 500, 3))
    out = io.BytesIO()
    Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).save(out, "JPEG", quality=92)
    return out.getvalue()


@functools.cache
def photographs(count: int) -> list[bytes]:
    """Those of `jpeg_folder` in memory."""
    return [pathlib.Path(name).read_bytes() for name in jpeg_names(count)]


def jpeg_names(count: int) -> list[str]:
    return [
        file(f"photograph-{i}.jpg", lambda path, i=i: path.write_bytes(photograph(i)) and None) for i in range(count)
    ]
