"""tf.data of TensorFlow, on the CPU."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from peers.systems import System

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")


class Module(System):
    settings = (
        "TensorFlow's defaults, which tune by themselves, with `num_parallel_calls=AUTOTUNE` and `prefetch(AUTOTUNE)` "
        "at the end where the work of a row is more than moving numbers, and functions after `batch` where that is "
        "possible, as its guide to performance advises. Inside the library the loop is `skip(n - 1)` and one element."
    )

    def imported(self) -> Any:
        import tensorflow as tf

        tf.get_logger().setLevel("ERROR")
        return tf

    def inside(self, code: Any, count: int) -> Callable[[], Any]:
        dataset = code(self.library, count)
        outputs = int(dataset.cardinality())
        if outputs < 0:
            raise ValueError("skip(n - 1) needs the number of elements: assert_cardinality")
        iterator = iter(dataset.skip(outputs - 1))

        def run() -> None:
            next(iterator)

        return run
