#!/usr/bin/env python3
"""The job of digits.py with TensorFlow: weir's pipelines as tf.data.Dataset, a network compiled by tf.function.

digits_tf.py [--data FOLDER] [--epochs N]
"""

import argparse
import pathlib

import tensorflow as tf
from digits import Network, testing, training

import weir


def scores(weights, images):
    """The scores of the classes."""
    first, bias, second, offset = weights
    return tf.nn.relu(images @ first + bias) @ second + offset


@tf.function(reduce_retracing=True)
def step(weights, velocity, images, labels, rate):
    """One step of gradient descent with momentum."""
    with tf.GradientTape() as tape:
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, scores(weights, images))
        loss = tf.reduce_mean(losses)
    for weight, v, slope in zip(weights, velocity, tape.gradient(loss, weights), strict=True):
        v.assign(0.9 * v - rate * slope)
        weight.assign_add(v)


def main():
    """Trains, and tests at the end. Returns 1 if the network has not learned enough."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path(__file__).parent / "data")
    parser.add_argument("--epochs", type=int, default=30)
    options = parser.parse_args()
    weights = [tf.Variable(weight) for weight in Network(1).weights]
    velocity = [tf.Variable(tf.zeros_like(weight)) for weight in weights]
    train = weir.tf.dataset(training(options.data))
    for epoch in range(options.epochs):
        rate = tf.constant(0.1 * 0.95**epoch)
        for images, labels in train:
            step(weights, velocity, images, labels, rate)
    right = count = 0
    for images, labels in weir.tf.dataset(testing(options.data)):
        right += int(tf.reduce_sum(tf.cast(tf.argmax(scores(weights, images), 1) == labels, tf.int64)))
        count += len(labels)
    print(f"accuracy on the test set: {right / count:.4f}")
    return 0 if right / count >= 0.97 or options.epochs < 30 else 1


if __name__ == "__main__":
    raise SystemExit(main())
