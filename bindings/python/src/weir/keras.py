"""weir in Keras 3: `model.fit(weir.keras.data(dataset))`, with each backend."""

from __future__ import annotations

from collections.abc import Iterator as Elements
from typing import Any

from keras.src.trainers.data_adapters.data_adapter import DataAdapter

from ._dataset import Dataset


class Data(DataAdapter):
    """A dataset of batches as what Keras trains on. Made by `weir.keras.data`.

    Keras asks for the form that its backend takes: a tf.data.Dataset, a torch DataLoader, or NumPy's arrays, which JAX
    puts on its devices. Each loop begins the next epoch.
    """

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset

    def get_numpy_iterator(self) -> Elements[Any]:
        """The next epoch."""
        return iter(self._dataset)

    def get_jax_iterator(self) -> Elements[Any]:
        """The next epoch."""
        return iter(self._dataset)

    def get_tf_dataset(self) -> Any:
        """A tf.data.Dataset."""
        from . import tf

        return tf.dataset(self._dataset)

    def get_torch_dataloader(self) -> Any:
        """A torch DataLoader without workers, since weir has threads."""
        from . import torch

        return torch.DataLoader(torch.loader(self._dataset), batch_size=None)

    @property
    def num_batches(self) -> int | None:
        """How many there are, if the dataset knows."""
        count = self._dataset.count
        return count if count >= 0 else None

    @property
    def batch_size(self) -> int | None:
        """The first dimension of what an element has, if it is known."""
        spec = self._dataset.spec
        while spec.children:
            spec = spec.children[0]
        return spec.shape[0] if spec.shape else None

    @property
    def has_partial_batch(self) -> bool:
        """Whether the last batch may be smaller."""
        return self.batch_size is None

    @property
    def partial_batch_size(self) -> int | None:
        """Its size, which only the elements show."""
        return None


def data(dataset: Dataset) -> Data:
    """A dataset of batches for `fit`, `evaluate` and `predict`.

    An element is what Keras takes as a batch: the input, or a tuple of inputs, targets and sample weights; each may be
    a dict. An infinite dataset needs `steps_per_epoch`.
    """
    return Data(dataset)


__all__ = ["Data", "data"]
