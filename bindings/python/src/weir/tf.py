"""weir in TensorFlow: `weir.tf.dataset(dataset)` is a tf.data.Dataset of the same structure."""

from __future__ import annotations

from collections.abc import Iterator as Elements
from typing import Any

import numpy as np
import tensorflow as tf

from . import _core
from ._dataset import Dataset
from ._values import Optional, Ragged, Sparse


def signature(spec: _core.Spec) -> Any:
    """The structure of a spec as TensorFlow describes it."""
    if spec.kind == "tuple":
        return tuple(signature(child) for child in spec.children)
    if spec.kind == "dict":
        return {name: signature(child) for name, child in zip(spec.keys, spec.children, strict=True)}
    if spec.kind in ("optional", "dataset"):
        raise TypeError(f"TensorFlow takes no element of structure {spec}; convert it with map or flat_map first")
    dtype = tf.dtypes.as_dtype(spec.dtype)
    shape = tf.TensorShape(spec.shape)
    if spec.kind == "sparse":
        return tf.SparseTensorSpec(shape, dtype)
    if spec.kind == "ragged":
        return tf.RaggedTensorSpec(shape, dtype, ragged_rank=1, row_splits_dtype=tf.int64)
    return tf.TensorSpec(shape, dtype)


def to_tf(value: Any) -> Any:
    """An element with TensorFlow's tensors in place of arrays, numbers and strings.

    Arrays are shared by DLPack where TensorFlow takes them so; it copies what is not aligned for it.
    """
    if isinstance(value, dict):
        return {name: to_tf(part) for name, part in value.items()}
    if isinstance(value, tuple):
        return tuple(to_tf(part) for part in value)
    if isinstance(value, Sparse):
        return tf.SparseTensor(value.indices, value.values, value.shape)
    if isinstance(value, Ragged):
        return tf.RaggedTensor.from_row_splits(to_tf(value.values), to_tf(value.row_splits))
    if isinstance(value, Optional):
        return tf.experimental.Optional.from_value(to_tf(value.value))
    if isinstance(value, np.ndarray) and value.nbytes >= 4096 and value.flags.writeable and value.dtype.kind in "iufc":
        return tf.experimental.dlpack.from_dlpack(value.__dlpack__())
    return tf.convert_to_tensor(value)


def dataset(source: Dataset) -> Any:
    """A tf.data.Dataset of the same structure; each pass over it begins the next epoch."""

    def elements() -> Elements[Any]:
        for element in source:
            yield to_tf(element)

    return tf.data.Dataset.from_generator(elements, output_signature=signature(source.spec))


__all__ = ["dataset", "signature", "to_tf"]
