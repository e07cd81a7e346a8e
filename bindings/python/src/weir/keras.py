"""weir in Keras 3: `model.fit(weir.keras.data(dataset))`, with each backend."""

from __future__ import annotations

import functools
from collections.abc import Iterator as Elements
from typing import Any

from keras.src.trainers import data_adapters
from keras.src.trainers.data_adapters.data_adapter import DataAdapter
from keras.src.trainers.data_adapters.data_adapter_utils import class_weight_to_sample_weights

from ._dataset import Dataset


class Data(DataAdapter):
    """A dataset of batches as what Keras trains on. Made by `weir.keras.data`.

    Keras asks for the form that its backend takes: a tf.data.Dataset, a torch DataLoader, or NumPy's arrays, which JAX
    puts on its devices. Each loop begins the next epoch with its first batch.
    """

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset

    def get_numpy_iterator(self) -> Elements[Any]:
        """The next epoch. Keras makes two iterators for each, of which it uses one."""
        yield from self._dataset

    def get_jax_iterator(self) -> Elements[Any]:
        """The next epoch."""
        return self.get_numpy_iterator()

    def get_tf_dataset(self) -> Any:
        """A tf.data.Dataset."""
        from . import tf

        return tf.dataset(self._dataset)

    @functools.cached_property
    def _loader(self) -> Any:
        """A torch loader of the dataset's epochs, the same for all loops, which share its caches."""
        from . import torch

        dataset = self._dataset

        class Loader(torch.Loader):
            def _begin_epoch(self) -> int:
                dataset._epoch += 1
                return dataset._epoch - 1

        return Loader(dataset, None, None, None, True)

    def get_torch_dataloader(self) -> Any:
        """A torch DataLoader without workers, since weir has threads."""
        from . import torch

        return torch.DataLoader(self._loader, batch_size=None)

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


class _Weighted(Data):
    """The same with sample weights by the class."""

    def __init__(self, data: Data, class_weight: dict[int, float]) -> None:
        super().__init__(data._dataset)
        self._data = data
        spec = data._dataset.spec
        if spec.kind != "tuple" or len(spec.children) != 2 or spec.children[1].kind != "tensor":
            raise ValueError(
                f"expected elements (inputs, targets) for class_weight, the targets one array, found {spec}; "
                "give sample weights as the third part instead"
            )
        self._class_weight = class_weight

    def _weighted(self, batch: Any) -> Any:
        return *batch, class_weight_to_sample_weights(batch[1], self._class_weight)

    def get_numpy_iterator(self) -> Elements[Any]:
        return map(self._weighted, super().get_numpy_iterator())

    def get_tf_dataset(self) -> Any:
        from keras.src.trainers.data_adapters.tf_dataset_adapter import make_class_weight_map_fn

        return super().get_tf_dataset().map(make_class_weight_map_fn(self._class_weight))

    def get_torch_dataloader(self) -> Any:
        from . import torch

        return torch.DataLoader(self._data._loader, batch_size=None, collate_fn=self._weighted)


_get_data_adapter = data_adapters.get_data_adapter


def _adapter(x: Any, y: Any = None, sample_weight: Any = None, **options: Any) -> Any:
    # Keras takes a DataAdapter without what else `fit` was given.
    if not isinstance(x, Data):
        return _get_data_adapter(x, y, sample_weight, **options)
    for name, value in (("y", y), ("sample_weight", sample_weight)):
        if value is not None:
            raise ValueError(f"expected no {name} beside weir.keras.data, found one; make it a part of the elements")
    class_weight = options.get("class_weight")
    return x if class_weight is None else _Weighted(x, class_weight)


data_adapters.get_data_adapter = _adapter


def data(dataset: Dataset) -> Data:
    """A dataset of batches for `fit`, `evaluate` and `predict`.

    An element is what Keras takes as a batch: the input, or a tuple of inputs, targets and sample weights; each may be
    a dict. An infinite dataset needs `steps_per_epoch`. Keras adds the weights of `class_weight` to inputs and targets;
    `y` and `sample_weight` are errors.
    """
    return Data(dataset)


__all__ = ["Data", "data"]
