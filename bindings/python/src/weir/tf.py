"""weir in TensorFlow: `weir.tf.dataset(dataset)` is a tf.data.Dataset of the same structure."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import tensorflow as tf

from . import _core
from ._dataset import INFINITE, UNKNOWN, Dataset
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


# Elements go to TensorFlow in blocks, since a call from there costs some 80 us. These are the most for a block.
_BLOCK_BYTES = 1 << 18
_BLOCK_ROWS = 512


def _is_dense(spec: _core.Spec) -> bool:
    """Whether all components are tensors that have room for another dimension."""
    if spec.kind in ("tuple", "dict"):
        return bool(spec.children) and all(map(_is_dense, spec.children))
    return spec.kind == "tensor" and spec.shape is not None and len(spec.shape) < 8


def _known_bytes(spec: _core.Spec) -> int:
    """What the components of known shape take; unknown dimensions count as 1."""
    if spec.kind in ("tuple", "dict"):
        return sum(map(_known_bytes, spec.children))
    entry = 32 if spec.dtype == "string" else tf.dtypes.as_dtype(spec.dtype).size
    return math.prod(size or 1 for size in spec.shape or ()) * int(entry)


def _bytes_of(value: Any) -> int:
    """What a block takes, about."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, tuple):
        return sum(map(_bytes_of, value))
    return int(value.nbytes)


def _batched(spec: Any) -> Any:
    """The signature of a block of elements with this signature."""
    return tf.nest.map_structure(lambda part: tf.TensorSpec([None, *part.shape], part.dtype), spec)


class _Elements:
    """The elements of an epoch one by one. Not a generator, which would end with the first element that fails."""

    def __init__(self, source: Dataset) -> None:
        self._iterator = iter(source)

    def __iter__(self) -> _Elements:
        return self

    def __next__(self) -> Any:
        return to_tf(next(self._iterator))


class _Blocks(_Elements):
    """The elements in blocks that begin small, so that the first one comes soon, and grow up to `most` rows."""

    def __init__(self, source: Dataset, most: int) -> None:
        super().__init__(source)
        self._most = most
        self._rows = 1

    def __next__(self) -> Any:
        block, count = self._iterator.next_block(self._rows)
        self._rows = max(1, min(self._most, 2 * self._rows, _BLOCK_BYTES * count // max(_bytes_of(block), 1)))
        return to_tf(block)


def _in_blocks(source: Dataset, made_of: Any, most: int) -> Any:
    made = tf.data.Dataset.from_generator(lambda: _Blocks(source, most), output_signature=_batched(made_of))
    # Not unbatch(), which crashes where an element is empty. Several members of a tuple come as several arguments.
    return made.flat_map(
        lambda *parts: tf.data.Dataset.from_tensor_slices(parts if source.spec.kind == "tuple" else parts[0])
    )


def _counted(made: Any, count: int) -> Any:
    """The dataset with this cardinality.

    After an element that fails, assert_cardinality would fail at the end, for ever. Here the dataset is followed by one
    that TensorFlow takes for infinite, and that is empty.
    """
    nothing = tf.data.Dataset.from_generator(lambda: (), output_signature=made.element_spec)
    endless = made.concatenate(nothing.repeat())
    return endless if count == INFINITE else endless.take(count)


def dataset(source: Dataset) -> Any:
    """A tf.data.Dataset of the same structure; each pass over it begins the next epoch.

    Small elements are passed in blocks, so weir may be some elements ahead of the consumer. The cardinality is the
    dataset's, where it is known. An error takes the place of one element, and the elements after it follow, also with
    `ignore_errors()`. `tf.distribute` shares out its elements among workers (`AutoShardPolicy.DATA`).
    """
    made_of = signature(source.spec)
    most = min(_BLOCK_BYTES // max(1, _known_bytes(source.spec)), _BLOCK_ROWS) if _is_dense(source.spec) else 1
    if most > 1:
        made = _in_blocks(source, made_of, most)
    else:
        made = tf.data.Dataset.from_generator(lambda: _Elements(source), output_signature=made_of)
    if source.count != UNKNOWN:
        made = _counted(made, source.count)
    # TensorFlow would take what it is made of for files, and share those out.
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
    return made.with_options(options)


__all__ = ["dataset", "signature", "to_tf"]
