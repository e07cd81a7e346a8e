#!/usr/bin/env python3
"""Measures the adapters of the Python package beside its plain iterator and tf.data, in the same process.

    bench/python_frameworks.py [jax] [tf] [torch]

Needs the frameworks that are named (default: those that are installed). One line each; where the machine does other
things as well, compare the time of the processor.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import weir

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
IMAGES = np.zeros((20_000, 28, 28), np.uint8)
LABELS = np.arange(20_000)
SECONDS = 1.0


def rate(name: str, make: Callable[[], Iterable[Any]]) -> None:
    """Loops until a second has passed; prints elements per second, and the processor's time for each."""
    for _ in zip(range(64), make(), strict=False):
        pass
    count, begun, used = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() < begun + SECONDS:
        for _ in make():
            count += 1
            if count % 16 == 0 and time.perf_counter() > begun + SECONDS:
                break
    per_second, each = count / (time.perf_counter() - begun), (time.process_time() - used) / count * 1e6
    print(f"{name:44} {per_second:14,.0f} /s {each:10.2f} us of processor", flush=True)


def images() -> weir.Dataset:
    """Small elements: an image and its label."""
    return weir.from_tensor_slices((IMAGES, LABELS)).map(lambda image, label: (weir.fn.float32(image) / 255.0, label))


def bench_tf() -> None:
    """weir.tf.dataset beside tf.data, and beside a generator that hands over each element."""
    import tensorflow as tf

    rate("plain iterator, images", images)
    adapted = weir.tf.dataset(images())
    rate("weir.tf.dataset, images", lambda: adapted)
    spec = adapted.element_spec
    single = tf.data.Dataset.from_generator(lambda: map(weir.tf.to_tf, images()), output_signature=spec)
    rate("from_generator, images", lambda: single)
    rate("weir.tf.dataset, images, batched by tf.data", lambda: adapted.batch(32))
    of_tf = tf.data.Dataset.from_tensor_slices((IMAGES, LABELS)).map(lambda i, y: (tf.cast(i, tf.float32) / 255.0, y))
    rate("tf.data, images", lambda: of_tf)
    rate("tf.data, images, batched by tf.data", lambda: of_tf.batch(32))
    batched = weir.tf.dataset(images().batch(32))
    rate("weir.tf.dataset, batches of 32", lambda: batched)


def bench_jax() -> None:
    """weir.jax.arrays beside a device_put for each array."""
    numbers = weir.range(1_000_000).map(lambda x: {"x": x, "y": x * 2, "z": weir.fn.float32(x)}).batch(8)
    rate("plain iterator, batches of 3 x 8", lambda: numbers)
    rate("weir.jax.arrays, batches of 3 x 8", lambda: weir.jax.arrays(numbers))
    import jax

    rate("device_put per array, batches of 3 x 8", lambda: ([jax.device_put(x) for x in e.values()] for e in numbers))
    rate("plain iterator, batches of 32 images", lambda: images().batch(32))
    rate("weir.jax.arrays, batches of 32 images", lambda: weir.jax.arrays(images().batch(32)))


def bench_torch() -> None:
    """weir.torch.loader."""
    rate("plain iterator, batches of 32 images", lambda: images().batch(32))
    loader = weir.torch.loader(images().batch(32))
    rate("weir.torch.loader, batches of 32 images", lambda: loader)


def main() -> None:
    """Runs what was chosen."""
    modules = {"tf": "tensorflow", "jax": "jax", "torch": "torch"}
    chosen = sys.argv[1:] or [name for name, module in modules.items() if importlib.util.find_spec(module)]
    for name in chosen:
        {"tf": bench_tf, "jax": bench_jax, "torch": bench_torch}[name]()


if __name__ == "__main__":
    main()
