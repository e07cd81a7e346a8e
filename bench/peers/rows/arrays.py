"""Elements that are delivered to Python, and arrays in memory."""

from __future__ import annotations

import functools
from typing import Any

from peers import data
from peers.row import MB_PER_SECOND, NS, Rows, call, inside, python

BATCH = 128


def counted(torch: Any, n: int) -> Any:
    """A DataLoader over an iterable without work."""

    class Numbers(torch.utils.data.IterableDataset):
        def __iter__(self) -> Any:
            return iter(range(n))

    return torch.utils.data.DataLoader(Numbers(), batch_size=None)


def one_by_one(rows: Rows) -> None:
    """The cost of an element."""
    rows.add(
        "prefetch_python",
        "`range | prefetch(16)`, to Python",
        NS,
        {
            "weir": python(lambda weir, n: weir.range(n).prefetch(16)),
            "tf.data": python(lambda tf, n: tf.data.Dataset.range(n).prefetch(16)),
            "mlx-data": python(
                lambda mlx, n: mlx.buffer_from_vector([{"x": i} for i in range(n)]).to_stream().prefetch(16, 1),
                "one thread, as weir and tf.data have",
            ),
        },
        most=2_000_000,
        ratios={"mlx-data": 10},
    )
    rows.add(
        "range_python",
        "`range`, to Python",
        NS,
        {
            "weir": python(lambda weir, n: weir.range(n)),
            "tf.data": python(lambda tf, n: tf.data.Dataset.range(n)),
            "torchdata.nodes": python(lambda nodes, n: nodes.Loader(nodes.IterableWrapper(range(n)))),
            "DataLoader": python(counted),
            "Grain": python(lambda grain, n: grain.MapDataset.range(n).to_iter_dataset(grain.ReadOptions(1, 16))),
        },
        ratios={"torchdata.nodes": 1},
    )


@functools.cache
def mlx_buffer(mlx: Any, count: int, width: int) -> Any:
    return mlx.buffer_from_vector([{"x": row} for row in data.floats(count, width)])


def by_hand(np: Any, count: int, width: int) -> Any:
    """Indexing an array by a permutation."""
    array = data.floats(count, width)

    def run() -> None:
        order = np.random.permutation(count)
        for begin in range(0, count, BATCH):
            array[order[begin : begin + BATCH]]

    return run


@functools.cache
def tf_slices(tf: Any, count: int, width: int) -> Any:
    return tf.data.Dataset.from_tensor_slices(data.floats(count, width))


def tf_shuffled(tf: Any, count: int, width: int) -> Any:
    return tf_slices(tf, count, width).shuffle(count, seed=1).batch(BATCH)


def weir_shuffled(weir: Any, count: int, width: int) -> Any:
    return weir.from_tensor_slices(data.floats(count, width)).shuffle(count, seed=1).batch(BATCH)


def weir_document(count: int, width: int) -> Any:
    from peers.systems.weir_itself import Document

    text = f"from_tensor_slices(@data) | shuffle({count}, seed: 1) | batch({BATCH})"
    return Document(text, array=data.floats(count, width), blocks=False)


@functools.cache
def torch_tensors(torch: Any, count: int, width: int) -> Any:
    return torch.utils.data.TensorDataset(torch.from_numpy(data.floats(count, width)))


def torch_shuffled(torch: Any, count: int, width: int) -> Any:
    """Batches of indices, so that a batch is one call."""
    dataset = torch_tensors(torch, count, width)
    order = torch.utils.data.RandomSampler(dataset)
    sampler = torch.utils.data.BatchSampler(order, BATCH, drop_last=False)
    return torch.utils.data.DataLoader(dataset, sampler=sampler, batch_size=None)


COPIED = (
    "like indexing, `shuffle` and `batch` copy each row once: most of the time is reading the rows at random "
    "(`__memmove_avx512_unaligned_erms`, `RowStore::write_table`)."
)


def shuffled(rows: Rows, count: int, width: int, inside_ratio: float, hand_ratio: float) -> None:
    """Rows of an array, in random order, in batches; one pass with the filling of the buffer."""
    size = {"least": count, "most": count, "item_bytes": 4 * width}
    rows.add(
        f"shuffle_batch_{width}",
        f"{count:,} rows of {width} floats, `shuffle(all) | batch({BATCH})`",
        MB_PER_SECOND,
        {
            "weir": inside(lambda n: weir_document(n, width)),
            "tf.data": inside(lambda tf, n: tf_shuffled(tf, n, width)),
        },
        ratios={"tf.data": inside_ratio},
        why=COPIED,
        **size,
    )
    sides = {
        "weir": python(lambda weir, n: weir_shuffled(weir, n, width)),
        "tf.data": python(lambda tf, n: tf_shuffled(tf, n, width).prefetch(tf.data.AUTOTUNE)),
        "by hand": call(lambda np, n: by_hand(np, n, width), "a permutation, and `array[order[i:i + 128]]`"),
        "DataLoader": python(
            lambda torch, n: torch_shuffled(torch, n, width),
            "a `BatchSampler` as its sampler, so that a batch is one indexing",
        ),
    }
    if width < 100:
        sides["mlx-data"] = python(lambda mlx, n: mlx_buffer(mlx, n, width).shuffle().batch(BATCH).to_stream())
    rows.add(
        f"shuffle_batch_{width}_python",
        f"{count:,} rows of {width} floats, the same to Python",
        MB_PER_SECOND,
        sides,
        ratios={"by hand": hand_ratio},
        why=COPIED,
        **size,
    )


def add_to(rows: Rows) -> None:
    one_by_one(rows)
    shuffled(rows, 1_000_000, 8, 35, 2)
    shuffled(rows, 150_000, 784, 4, 1)
