#!/usr/bin/env python3
"""Trains a classifier of handwritten digits: the job of digits.c, with its data and its network, in Python and NumPy.

digits.py [--data FOLDER] [--epochs N] [--checkpoint FOLDER]

With --checkpoint the run can be stopped at any moment and started again; it ends with the same weights.
"""

import argparse
import io
import pathlib

import numpy as np

import weir
from weir import fn

PIXELS, HIDDEN, CLASSES = 64, 64, 10
FEATURES = {"image": "string", "label": "int64"}


def decoded(record):
    """A record as pixels from 0 to 1, and the label."""
    example = fn.parse_example(record, FEATURES)
    pixels = fn.cast(fn.decode_raw(example.image, np.uint8), np.float32) / 255.0
    return fn.reshape(pixels, [PIXELS]), example.label


def training(folder):
    """Batches of shuffled images; each epoch has a new order."""
    files = weir.list_files(str(folder / "train-*.tfrecord.gz"), seed=7)
    records = files.interleave(lambda file: weir.tfrecord(file, compression="gzip"), cycle_length=4)
    return records.shuffle(1440, seed=42).map(decoded, num_parallel_calls="auto").batch(32).prefetch("auto")


def testing(folder):
    """Batches of the test images, in order."""
    files = weir.list_files(str(folder / "test-*.tfrecord.gz"), shuffle=False)
    return files.flat_map(lambda file: weir.tfrecord(file, compression="gzip")).map(decoded).batch(128)


class Network:
    """One hidden layer of rectified units, trained by gradient descent with momentum."""

    def __init__(self, seed):
        random = np.random.default_rng(seed)

        def layer(rows, columns):
            scale = np.sqrt(6.0 / (rows + columns))
            return random.uniform(-scale, scale, (rows, columns)).astype(np.float32)

        zeros = np.zeros
        self.weights = [
            layer(PIXELS, HIDDEN),
            zeros(HIDDEN, "f4"),
            layer(HIDDEN, CLASSES),
            zeros(CLASSES, "f4"),
        ]
        self.velocity = [np.zeros_like(weight) for weight in self.weights]

    def forward(self, images):
        """The hidden layer, and the scores of the classes."""
        first, bias, second, offset = self.weights
        hidden = np.maximum(images @ first + bias, 0)
        return hidden, hidden @ second + offset

    def train(self, images, labels, rate):
        """One step. Returns the loss."""
        hidden, scores = self.forward(images)
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        scores /= scores.sum(axis=1, keepdims=True)
        rows = np.arange(len(labels))
        loss = -np.log(scores[rows, labels] + 1e-12).sum()
        scores[rows, labels] -= 1
        scores /= len(labels)
        back = (scores @ self.weights[2].T) * (hidden > 0)
        slopes = [images.T @ back, back.sum(axis=0), hidden.T @ scores, scores.sum(axis=0)]
        for weight, velocity, slope in zip(self.weights, self.velocity, slopes, strict=True):
            velocity *= 0.9
            velocity -= rate * slope
            weight += velocity
        return loss


def packed(network, epoch):
    """The network and the epoch as bytes, for a checkpoint."""
    out = io.BytesIO()
    np.savez(out, epoch, *network.weights, *network.velocity)
    return out.getvalue()


def restored(network, extra):
    """Takes up the network of a checkpoint. Returns its epoch."""
    saved = list(np.load(io.BytesIO(extra)).values())
    network.weights, network.velocity = saved[1:5], saved[5:]
    return int(saved[0])


def accuracy(network, dataset):
    """The share of images that get their own label."""
    counts = [((network.forward(images)[1].argmax(axis=1) == labels).sum(), len(labels)) for images, labels in dataset]
    return sum(right for right, _ in counts) / sum(count for _, count in counts)


def main():
    """Trains, and tests after each epoch. Returns 1 if the network has not learned enough."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path(__file__).parent / "data")
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--checkpoint", type=pathlib.Path)
    options = parser.parse_args()
    train, test, network = training(options.data), testing(options.data), Network(1)
    manager = weir.CheckpointManager(options.checkpoint, every_elements=20) if options.checkpoint else None
    begin, position, right = 0, None, 0.0
    if manager:
        try:
            position, extra, _ = manager.load()
            begin = restored(network, extra)
            right = accuracy(network, test)
        except weir.errors.NotFound:
            pass
    for epoch in range(begin, options.epochs):
        where = {"checkpoint": position} if position else {"epoch": epoch}
        iterator, position, losses = train.iterator(**where), None, []
        for images, labels in iterator:
            losses.append(network.train(images, labels, 0.1 * 0.95**epoch) / len(labels))
            if manager and manager.step():
                manager.save(iterator, packed(network, epoch))
        right = accuracy(network, test)
        print(f"epoch {epoch + 1:3}  loss {np.mean(losses or [0]):.4f}  accuracy {right:.4f}", flush=True)
    print(f"accuracy on the test set: {right:.4f}")
    return 0 if right >= 0.97 or options.epochs < 30 else 1


if __name__ == "__main__":
    raise SystemExit(main())
