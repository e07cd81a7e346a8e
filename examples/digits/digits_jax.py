#!/usr/bin/env python3
"""The job of digits.py with JAX: weir's pipelines, a network compiled by jax.jit.

digits_jax.py [--data FOLDER] [--epochs N]
"""

import argparse
import pathlib

import jax
import jax.numpy as jnp
from digits import Network, testing, training

import weir


def scores(weights, images):
    """The scores of the classes."""
    first, bias, second, offset = weights
    return jnp.maximum(images @ first + bias, 0) @ second + offset


def loss(weights, images, labels):
    """The mean loss of a batch."""
    likelihood = jax.nn.log_softmax(scores(weights, images))
    return -jnp.take_along_axis(likelihood, labels[:, None], axis=1).mean()


@jax.jit
def step(weights, velocity, images, labels, rate):
    """One step of gradient descent with momentum."""
    slopes = jax.grad(loss)(weights, images, labels)
    velocity = [0.9 * v - rate * slope for v, slope in zip(velocity, slopes, strict=True)]
    return [w + v for w, v in zip(weights, velocity, strict=True)], velocity


def main():
    """Trains, and tests at the end. Returns 1 if the network has not learned enough."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path(__file__).parent / "data")
    parser.add_argument("--epochs", type=int, default=30)
    options = parser.parse_args()
    weights = [jnp.asarray(weight) for weight in Network(1).weights]
    velocity = [jnp.zeros_like(weight) for weight in weights]
    train = training(options.data)
    for epoch in range(options.epochs):
        for images, labels in weir.jax.arrays(train):
            weights, velocity = step(weights, velocity, images, labels, 0.1 * 0.95**epoch)
    right = count = 0
    for images, labels in weir.jax.arrays(testing(options.data)):
        right += int((scores(weights, images).argmax(1) == labels).sum())
        count += len(labels)
    print(f"accuracy on the test set: {right / count:.4f}")
    return 0 if right / count >= 0.97 or options.epochs < 30 else 1


if __name__ == "__main__":
    raise SystemExit(main())
