#!/usr/bin/env python3
"""Scores tf.data's AUTOTUNE on the pipelines of weir_tuner that it can express, as weir_tuner scores `auto`.

    build/compare/venv/bin/python bench/tuner/autotune.py FOLDER [NAME]...

FOLDER is that of weir_tuner, which has written the files there; the virtual environment is that of bench/compare. All settings
by hand are screened once, the best three measured again in turns with AUTOTUNE, which is measured from two seconds after its
beginning. Prints a line of JSON for each pipeline, for bench/tuner/table.py.

Functions that sleep are Python's, through tf.numpy_function; those that compute are operations of TensorFlow. All pipelines,
by hand and with AUTOTUNE, have a pool of 64 threads, since the usual pool has one for each processor and every sleep takes one.
Not expressed: a load that changes from computing to sleeping, which Python's lock would slow down.
"""

import itertools
import json
import math
import os
import statistics
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

AUTOTUNE = tf.data.AUTOTUNE
FINALISTS, ROUNDS, SETTLING, STEADY, WARM = 3, 3, 2.0, 1.2, 0.3
COMPUTING, WAITING, SLOTS, ROWS, FEW = (1, 2, 3, 4, 8), (1, 2, 4, 8, 16, 24, 32, 48), (1, 2, 4, 8, 10), (1, 2, 8, 64), (1, 2, 4, 16, 32)
LOG_NORMAL = np.random.default_rng(1).lognormal(0.0, 1.0, 4096)
PHASE = [1]


def sleeps(milliseconds):
    """A function that sleeps as long as `milliseconds` of its number says."""

    def sleep(row):
        time.sleep(milliseconds(int(row)) / 1e3)
        return row

    return lambda row: tf.ensure_shape(tf.numpy_function(sleep, [row], tf.int64), [])


def sines(count):
    return tf.reduce_sum(tf.sin(tf.sin(tf.sin(tf.sin(tf.linspace(0.0, 1.0, count))))))


def numbers_per_us():
    """How many numbers sines() has for each microsecond."""
    ahead = tf.data.Dataset.range(1 << 40).map(lambda _: sines(20000), num_parallel_calls=1)
    made = iter(ahead)
    next(made)
    best = math.inf
    for _ in range(30):
        begin = time.perf_counter()
        next(made)
        best = min(best, time.perf_counter() - begin)
    return 20000 / (best * 1e6)


def computes(microseconds, each=None):
    """A function that computes for so long, times `each` of its number if that is given."""
    count = int(microseconds * SPEED)
    if each is None:
        return lambda row: row + tf.cast(0.0 * sines(count), tf.int64)
    table = tf.constant([max(1, int(count * each(i))) for i in range(4096)])
    return lambda row: row + tf.cast(0.0 * sines(table[row % 4096]), tf.int64)


def counted():
    return tf.data.Dataset.range(1 << 60)


def mapped(body):
    return lambda a: counted().map(body, num_parallel_calls=a)


def remote(rows, wait):
    body = sleeps(wait)
    return lambda a: counted().interleave(
        lambda _: tf.data.Dataset.range(rows).map(body), cycle_length=10, num_parallel_calls=None if a == 1 else a
    )


def parsed(folder, names, compression):
    features = {"label": tf.io.FixedLenFeature([], tf.int64), "values": tf.io.FixedLenFeature([64], tf.float32)}

    def make(a, b, c=None):
        files = tf.data.Dataset.list_files(f"{folder}/{names}", shuffle=False).repeat()
        records = files.interleave(
            lambda f: tf.data.TFRecordDataset(f, compression_type=compression),
            cycle_length=8,
            block_length=16,
            num_parallel_calls=None if a == 1 else a,
        )
        examples = records.batch(128).map(lambda r: tf.io.parse_example(r, features), num_parallel_calls=b)
        return examples if c is None else examples.prefetch(c)

    return make


def decoded(folder):
    def decode(record):
        return tf.image.resize(tf.io.decode_jpeg(record, channels=3), [112, 112]) / 255.0

    def make(a, b):
        records = tf.data.TFRecordDataset(f"{folder}/images").cache().repeat()
        return records.map(decode, num_parallel_calls=a).batch(16).prefetch(b)

    return make


def shapes(folder):
    """Each: how it is made, the settings of its parameters, and what else is particular to it."""
    two = {"settings": ((1, 2, 4), (1, 2, 4))}
    waiting = {"settings": (WAITING,)}
    both = sleeps(lambda _: 1)
    table = {
        "compute 200 us": (mapped(computes(200)), {"settings": (COMPUTING,)}),
        "compute 12 us": (mapped(computes(12)), {"settings": (COMPUTING,)}),
        "compute 1 ms, prefetched": (
            lambda a, b, body=computes(1000): mapped(body)(a).prefetch(b),
            {"settings": (COMPUTING, ROWS)},
        ),
        "two maps that compute": (
            lambda a, b, f=computes(50), g=computes(150): mapped(f)(a).map(g, num_parallel_calls=b),
            two,
        ),
        "sleep 5 ms": (mapped(sleeps(lambda _: 5)), waiting),
        "sleep 1 ms": (mapped(sleeps(lambda _: 1)), waiting),
        "sleep 2 ms, not said": (mapped(sleeps(lambda _: 2)), waiting),
        "sleep, then compute": (
            lambda a, b, f=sleeps(lambda _: 2), g=computes(200): mapped(f)(a).map(g, num_parallel_calls=b),
            {"settings": (FEW, (1, 2, 4))},
        ),
        "sleep and compute in one": (mapped(lambda row, g=computes(100): g(both(row))), waiting),
        "log-normal sleeps, in order": (mapped(sleeps(lambda row: LOG_NORMAL[row % 4096])), waiting),
        "log-normal computing": (mapped(computes(200, lambda i: LOG_NORMAL[i])), {"settings": (COMPUTING,)}),
        "one of 16 sleeps 20 ms": (mapped(sleeps(lambda row: 20 if row % 16 == 0 else 1)), waiting),
        "flat_map of parallel maps": (
            lambda a: counted().flat_map(lambda _: tf.data.Dataset.range(256).map(both, num_parallel_calls=a)),
            waiting,
        ),
        "remote files of 100": (remote(100, lambda row: 100 if row == 0 else 2), {"settings": (SLOTS,)}),
        "remote files of 10": (remote(10, lambda row: 100 if row == 0 else 2), {"settings": (SLOTS,)}),
        "memory: 1 MiB an element": (
            lambda a, b: counted()
            .map(lambda x: tf.zeros([262144]) + tf.cast(x, tf.float32), num_parallel_calls=a)
            .prefetch(b),
            {"settings": ((1, 2, 4), (1, 2, 8))},
        ),
        "read and parse records": (parsed(folder, "records-*", ""), {"settings": ((1, 2, 4, 8), (1, 2, 4), (1, 4))}),
        "read packed records": (parsed(folder, "packed-*", "GZIP"), {"settings": ((1, 2, 4, 8), (1, 2, 4))}),
        "decode images": (decoded(folder), {"settings": ((1, 2, 3, 4), (1, 2, 8))}),
        "sleep 1 ms, then 8 ms": (mapped(sleeps(lambda _: (1, 8)[PHASE[0]])), {"shifts": True, **waiting}),
        "the consumer becomes fast": (
            mapped(sleeps(lambda _: 4)),
            {"shifts": True, "consumer": lambda: PHASE[0] or time.sleep(0.005), **waiting},
        ),
        "remote files become slow": (
            remote(100, lambda row: 50 if row == 0 else (1, 10)[PHASE[0]]),
            {"shifts": True, "settings": (SLOTS,)},
        ),
    }
    return table


def read(dataset, seconds, begin, shift=0.0, consumer=None):
    """Elements per second from `begin` on."""
    options = tf.data.Options()
    options.threading.private_threadpool_size = 64
    PHASE[0] = 0 if shift else 1
    start, count = time.perf_counter(), 0
    for _ in dataset.with_options(options):
        at = time.perf_counter() - start
        if at >= shift:
            PHASE[0] = 1
        if at >= seconds:
            break
        count += at >= begin
        if consumer:
            consumer()
    return count / (seconds - begin)


def score(name, make, settings, shifts=False, consumer=None):
    hand = list(itertools.product(*settings))
    screened = sorted(hand, key=lambda one: -read(make(*one), 0.7, WARM, consumer=consumer))[:FINALISTS]
    rates, ours = {one: [] for one in screened}, []
    shift = 2.0 if shifts else 0.0
    for _ in range(ROUNDS):
        for one in screened:
            rates[one].append(read(make(*one), WARM + STEADY, WARM, consumer=consumer))
        automatic = make(*[AUTOTUNE] * len(settings))
        ours.append(read(automatic, shift + SETTLING + STEADY, shift + SETTLING, shift, consumer))
    best = max(screened, key=lambda one: statistics.median(rates[one]))
    most, found = statistics.median(rates[best]), statistics.median(ours)
    line = {"autotune": name, "version": tf.__version__, "best": str(best), "best_rate": round(most, 1)}
    print(json.dumps({**line, "auto_rate": round(found, 1), "ratio": round(found / most, 3)}), flush=True)


def main():
    wanted = sys.argv[2:] or [""]
    for name, (make, particular) in shapes(sys.argv[1]).items():
        if any(name.startswith(one) for one in wanted):
            score(name, make, **particular)


if __name__ == "__main__":
    SPEED = numbers_per_us()
    main()
