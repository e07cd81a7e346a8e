"""A training input as a whole."""

from __future__ import annotations

import pathlib
from typing import Any

from peers.repeat import drained, repeated
from peers.row import Rows, call, ns_per


def digits(rows: Rows) -> None:
    """The whole of a training input: the data of examples/digits."""
    files = str(
        pathlib.Path(__file__).resolve().parent.parent.parent.parent / "examples/digits/data/train-*.tfrecord.gz"
    )

    def weir_side(weir: Any, n: int) -> Any:
        records = weir.list_files(files, shuffle=False).interleave(
            lambda f: weir.tfrecord(f, compression="gzip"), cycle_length=4
        )
        examples = (
            records.repeat(n // 1440)
            .shuffle(1440, seed=1)
            .map(lambda r: weir.fn.parse_example(r, {"image": "string", "label": "int64"}), num_parallel_calls="auto")
        )
        images = examples.map(
            lambda x: (weir.fn.cast(weir.fn.decode_raw(x.image, "uint8"), "float32") / 255.0, x.label),
            num_parallel_calls="auto",
        )
        return repeated(1, lambda: drained(images.batch(32).prefetch("auto")))

    def tf_side(tf: Any, n: int) -> Any:
        auto = tf.data.AUTOTUNE
        features = {"image": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64)}
        records = tf.data.Dataset.list_files(files, shuffle=False).interleave(
            lambda f: tf.data.TFRecordDataset(f, compression_type="GZIP"), cycle_length=4
        )

        def parsed(records: Any) -> Any:
            x = tf.io.parse_example(records, features)
            return tf.cast(tf.io.decode_raw(x["image"], tf.uint8), tf.float32) / 255.0, x["label"]

        batches = records.repeat(n // 1440).shuffle(1440, seed=1).batch(32)
        images = batches.map(parsed, num_parallel_calls=auto).prefetch(auto)
        return repeated(1, lambda: drained(images))

    rows.add(
        "training",
        "handwritten digits: GZIP TFRecords, shuffled, parsed, scaled, `batch(32)`, to Python",
        ns_per("example"),
        {"weir": call(weir_side), "tf.data": call(tf_side, "`parse_example` after `batch`")},
        least=7200,
        step=1440,
    )


def add_to(rows: Rows) -> None:
    digits(rows)
