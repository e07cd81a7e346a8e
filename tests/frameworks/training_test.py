"""A small network learns the digits with the losses that the framework's own loader gives, from the same elements."""

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


def torch_losses(batches):
    kernel, bias, dense, last = (torch.tensor(value, requires_grad=True) for value in digits.weights())
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


def test_torch():
    rows = TensorDataset(*map(torch.from_numpy, digits.arrays()))
    expected = torch_losses(TorchLoader(rows, batch_size=digits.BATCH))
    assert len(expected) == digits.STEPS and expected[-1] < 0.7 * expected[0]
    assert torch_losses(weir.torch.loader(digits.dataset())) == expected
    assert torch_losses(weir.torch.DataLoader(rows, batch_size=digits.BATCH, num_workers=2)) == expected


@jax.jit
def jax_step(weights, images, labels):
    def loss_of(weights):
        kernel, bias, dense, last = weights
        maps = jax.lax.conv_general_dilated(images, kernel, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        logits = jax.nn.relu(maps + bias).reshape(len(images), -1) @ dense + last
        return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1).mean()

    loss, slopes = jax.value_and_grad(loss_of)(weights)
    return loss, [value - digits.RATE * slope for value, slope in zip(weights, slopes, strict=True)]


def jax_losses(batches):
    weights, losses = list(map(jnp.asarray, digits.weights())), []
    for images, labels in batches:
        loss, weights = jax_step(weights, images, labels)
        losses.append(float(loss))
    return losses


def test_jax():
    images, labels = digits.arrays()
    plain = [
        (jnp.asarray(images[i : i + digits.BATCH]), jnp.asarray(labels[i : i + digits.BATCH].astype(np.int32)))
        for i in range(0, len(images), digits.BATCH)
    ]
    expected = jax_losses(plain)
    assert len(expected) == digits.STEPS and expected[-1] < 0.7 * expected[0]
    assert jax_losses(weir.jax.arrays(digits.dataset())) == expected


KERAS = """
import json, sys, warnings
import digits, keras, numpy as np, weir

def losses(data, **options):
    keras.utils.set_random_seed(1)
    model = keras.Sequential([
        keras.layers.Input((8, 8, 1)), keras.layers.Conv2D(8, 3, activation="relu"), keras.layers.Flatten(),
        keras.layers.Dense(10)])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer=keras.optimizers.SGD(0.1), loss=loss, metrics=["accuracy"])
    history = model.fit(data, epochs=2, verbose=0, **options).history
    return history["loss"], model

# The second epoch has the order of the first one in both.
rows = digits.dataset()
images, labels = digits.arrays()
cached = weir.from_tensor_slices((images, labels)).batch(digits.BATCH)
ours, model = losses(weir.keras.data(cached))
theirs, other = losses(images, y=labels, batch_size=digits.BATCH, shuffle=False)
assert model.evaluate(weir.keras.data(cached), verbose=0) == other.evaluate(images, labels, batch_size=64, verbose=0)
assert model.predict(weir.keras.data(cached.map(lambda x, y: x)), verbose=0).shape == (len(images), 10)
epochs = digits.dataset().repeat()
losses(weir.keras.data(epochs), steps_per_epoch=3)
unknown = cached.filter(lambda x, y: True)
assert losses(weir.keras.data(unknown), )[0] == ours
print(json.dumps([keras.backend.backend(), ours, theirs]))
"""


@pytest.mark.parametrize("backend", ["tensorflow", "torch", "jax"])
def test_keras(backend):
    environment = os.environ | {"KERAS_BACKEND": backend, "PYTHONPATH": os.path.dirname(__file__)}
    made = subprocess.run(
        [sys.executable, "-c", KERAS], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert made.returncode == 0, made.stderr[-3000:]
    found, ours, theirs = json.loads(made.stdout.splitlines()[-1])
    assert found == backend and ours == theirs and ours[1] < 0.8 * ours[0]
