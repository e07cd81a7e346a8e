"""A small network learns the digits, from records and from JPEGs, with the losses that the framework's own loader
gives from the same elements."""

import json
import os
import subprocess
import sys

import digits
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader as TorchLoader
from torch.utils.data import TensorDataset

import weir

ROWS = pytest.mark.parametrize("rows", digits.ROWS)


def torch_losses(weights, batches):
    kernel, bias, dense, last = (torch.tensor(value, requires_grad=True) for value in weights)
    losses = []
    for images, labels in batches:
        maps = torch.nn.functional.conv2d(images.permute(0, 3, 1, 2), kernel.permute(3, 2, 0, 1), bias).relu()
        loss = torch.nn.functional.cross_entropy(maps.flatten(1) @ dense + last, labels)
        loss.backward()
        with torch.no_grad():
            for value in (kernel, bias, dense, last):
                value -= digits.RATE * value.grad
                value.grad = None
        losses.append(loss.item())
    return losses


@ROWS
def test_torch(rows):
    images, labels = digits.arrays(rows)
    table, weights = TensorDataset(torch.from_numpy(images), torch.from_numpy(labels)), digits.weights(images)
    expected = torch_losses(weights, TorchLoader(table, batch_size=digits.BATCH))
    assert len(expected) == digits.STEPS and expected[-1] < 0.7 * expected[0]
    assert torch_losses(weights, weir.torch.loader(digits.dataset(rows))) == expected
    assert torch_losses(weights, weir.torch.DataLoader(table, batch_size=digits.BATCH, num_workers=2)) == expected


@jax.jit
def jax_step(weights, images, labels):
    def loss_of(weights):
        kernel, bias, dense, last = weights
        maps = jax.lax.conv_general_dilated(images, kernel, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        logits = jax.nn.relu(maps + bias).reshape(len(images), -1) @ dense + last
        return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1).mean()

    loss, slopes = jax.value_and_grad(loss_of)(weights)
    return loss, [value - digits.RATE * slope for value, slope in zip(weights, slopes, strict=True)]


def jax_losses(weights, batches):
    weights, losses = list(map(jnp.asarray, weights)), []
    for images, labels in batches:
        loss, weights = jax_step(weights, images, labels)
        losses.append(float(loss))
    return losses


@ROWS
def test_jax(rows):
    images, labels = digits.arrays(rows)
    plain = [
        (jnp.asarray(images[i : i + digits.BATCH]), jnp.asarray(labels[i : i + digits.BATCH].astype(np.int32)))
        for i in range(0, len(images), digits.BATCH)
    ]
    expected = jax_losses(digits.weights(images), plain)
    assert len(expected) == digits.STEPS and expected[-1] < 0.7 * expected[0]
    assert jax_losses(digits.weights(images), weir.jax.arrays(digits.dataset(rows))) == expected


KERAS = """
import contextlib, json, sys, warnings
import digits, keras, numpy as np, pytest, weir

def losses(data, **options):
    keras.utils.set_random_seed(1)
    model = keras.Sequential([
        keras.layers.Input(images.shape[1:]), keras.layers.Conv2D(8, 3, activation="relu"), keras.layers.Flatten(),
        keras.layers.Dense(10)])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer=keras.optimizers.SGD(0.1), loss=loss, metrics=["accuracy"])
    history = model.fit(data, epochs=2, verbose=0, **options).history
    return history["loss"], model

# The second epoch has the order of the first one in both.
images, labels = digits.arrays(sys.argv[1])
cached = weir.from_tensor_slices((images, labels)).batch(digits.BATCH)
ours, model = losses(weir.keras.data(cached))
theirs, other = losses(images, y=labels, batch_size=digits.BATCH, shuffle=False)
expected = other.evaluate(images, labels, batch_size=digits.BATCH, verbose=0)
assert model.evaluate(weir.keras.data(cached), verbose=0) == expected
assert model.predict(weir.keras.data(cached.map(lambda x, y: x)), verbose=0).shape == (len(images), 10)
epochs = digits.dataset(sys.argv[1]).repeat()
losses(weir.keras.data(epochs), steps_per_epoch=3)
unknown = cached.filter(lambda x, y: True)
assert losses(weir.keras.data(unknown))[0] == ours
parts = weir.from_tensor_slices((images, labels)).partition(2, lambda part: part.batch(digits.BATCH))
assert len(losses(weir.keras.data(parts))[0]) == 2
weights = {0: 3.0, 9: 0.25}
weighted = losses(weir.keras.data(cached), class_weight=weights)[0]
assert weighted == losses(images, y=labels, batch_size=digits.BATCH, shuffle=False, class_weight=weights)[0] != ours
one_hot = cached.map(lambda x, y: (x, weir.fn.one_hot(y, 10)))
adapter = keras.src.trainers.data_adapters.get_data_adapter(weir.keras.data(one_hot), class_weight=weights)
assert [*next(iter(adapter.get_numpy_iterator()))[2]] == [weights.get(y, 1) for y in labels[:digits.BATCH]]
for name, value in (("y", labels), ("sample_weight", labels)):
    with pytest.raises(ValueError, match=f"expected no {name} beside weir.keras.data"):
        losses(weir.keras.data(cached), **{name: value})
with pytest.raises(ValueError, match="give sample weights as the third part"):
    losses(weir.keras.data(cached.map(lambda x, y: (x, y, y))), class_weight=weights)

# Each loop begins the next epoch, that of another fit and of a Data of the same dataset, too.
seen = []
class Rows(keras.layers.Layer):
    def call(self, x):
        with contextlib.suppress(Exception):  # without values, as where the model is built
            seen.append(np.asarray(keras.ops.convert_to_numpy(x))[:, 0].astype(int).tolist())
        return x
numbers = np.arange(6, dtype="float32").reshape(6, 1)
shuffled = weir.from_tensor_slices((numbers, numbers)).shuffle(6, seed=1).batch(4)
orders = [[x[:, 0].astype(int).tolist() for x, _ in shuffled.iterator(epoch=k)] for k in range(7)]
model = keras.Sequential([keras.layers.Input((1,)), Rows(), keras.layers.Dense(1)])
model.compile(optimizer="sgd", loss="mse", run_eagerly=True)
given = weir.keras.data(shuffled)
model.fit(given, epochs=1, verbose=0)  # may read more batches, to build the model
seen.clear()
begun = shuffled._epoch
model.fit(given, epochs=2, verbose=0)
model.fit(given, epochs=1, verbose=0, class_weight=dict.fromkeys(range(6), 1.0))
model.fit(weir.keras.data(shuffled), epochs=1, verbose=0)
assert begun in (1, 2) and seen == sum(orders[begun : begun + 4], []), (begun, seen, orders)
print(json.dumps([keras.backend.backend(), ours, theirs]))
"""


@ROWS
@pytest.mark.parametrize("backend", ["tensorflow", "torch", "jax"])
def test_keras(backend, rows):
    environment = os.environ | {"KERAS_BACKEND": backend, "PYTHONPATH": os.path.dirname(__file__)}
    made = subprocess.run(
        [sys.executable, "-c", KERAS, rows],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert made.returncode == 0, made.stderr[-3000:]
    found, ours, theirs = json.loads(made.stdout.splitlines()[-1])
    assert found == backend and ours == theirs and ours[1] < 0.8 * ours[0]
