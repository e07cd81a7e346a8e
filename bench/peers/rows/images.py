"""Images: decoding, and batches so large that their memory is what they cost."""

from __future__ import annotations

import functools
from typing import Any

from peers import data
from peers.row import IMAGES_PER_SECOND, MB_PER_SECOND, Rows, call, inside, python

PHOTOGRAPHS = 64
BATCH = 32


def document(n: int) -> Any:
    from peers.systems.weir_itself import Document

    names = ", ".join(f'"{name}"' for name in data.jpeg_names(PHOTOGRAPHS))
    text = (
        f"from_list([{names}]) | repeat({n // PHOTOGRAPHS}) | map(name -> resize(decode_jpeg(read_file(name),"
        f" channels: 3), [224, 224]), num_parallel_calls: auto) | batch({BATCH}) | prefetch(auto)"
    )
    return Document(text, blocks=False)


def tf_photographs(tf: Any, n: int) -> Any:
    def load(name: Any) -> Any:
        image = tf.io.decode_jpeg(tf.io.read_file(name), channels=3)
        return tf.ensure_shape(tf.image.resize(image, [224, 224]), [224, 224, 3])

    names = tf.data.Dataset.from_tensor_slices(data.jpeg_names(PHOTOGRAPHS)).repeat(n // PHOTOGRAPHS)
    return names.map(load, num_parallel_calls=tf.data.AUTOTUNE).batch(BATCH).prefetch(tf.data.AUTOTUNE)


def torch_photographs(torchvision: Any, n: int) -> Any:
    import concurrent.futures
    import os

    import torch
    from torchvision.transforms.v2 import functional

    def load(name: str) -> Any:
        image = torchvision.io.decode_jpeg(torchvision.io.read_file(name), torchvision.io.ImageReadMode.RGB)
        return functional.resize(image.float(), [224, 224], antialias=False)

    names = data.jpeg_names(PHOTOGRAPHS) * (n // PHOTOGRAPHS)

    def run() -> None:
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            loaded = pool.map(load, names)
            for _ in range(n // BATCH):
                torch.stack([next(loaded) for _ in range(BATCH)])

    return run


def mlx_photographs(mlx: Any, n: int) -> Any:
    import os

    names = [{"image": name.encode()} for name in data.jpeg_names(PHOTOGRAPHS)] * (n // PHOTOGRAPHS)
    threads = len(os.sched_getaffinity(0))
    made = mlx.buffer_from_vector(names).load_image("image").image_resize("image", 224, 224)
    made = made.key_transform("image", lambda image: image.astype("float32"))
    return made.batch(BATCH).to_stream().prefetch(2 * threads, threads)


@functools.cache
def dali_pipeline(dali: Any, threads: int) -> Any:
    from nvidia.dali import fn, types

    @dali.pipeline_def(batch_size=BATCH, num_threads=threads, device_id=None, prefetch_queue_depth=2)
    def photographs() -> Any:
        files, _ = fn.readers.file(files=data.jpeg_names(PHOTOGRAPHS))
        images = fn.decoders.image(files, device="cpu", output_type=types.RGB)
        return fn.resize(images, size=[224, 224], dtype=types.FLOAT, interp_type=types.INTERP_LINEAR, antialias=False)

    made = photographs()
    made.build()
    return made


def dali_photographs(dali: Any, n: int) -> Any:
    import os

    pipeline = dali_pipeline(dali, len(os.sched_getaffinity(0)))

    # The batch that it has made ahead when the clock starts doesn't count.
    def run() -> None:
        for _ in range(1 + n // BATCH):
            pipeline.run()

    return run


def decoding(rows: Rows) -> None:
    sides = {
        "weir": inside(document),
        "tf.data": inside(tf_photographs),
        "torchvision": call(torch_photographs, "a pool of threads"),
        "mlx-data": python(mlx_photographs),
        "DALI": call(dali_photographs),
    }
    for cores in (0, 1):
        rows.add(
            f"jpeg_{cores or 2}",
            "JPEG of 500 × 375: read, decode, resize to 224 × 224, float32, `batch(32)`",
            IMAGES_PER_SECOND,
            sides,
            least=PHOTOGRAPHS,
            step=PHOTOGRAPHS,
            cores=cores,
            ratios=dict.fromkeys([side for side in sides if side != "weir"], 1.5),
            why="62 % of weir's time is the decoding of Huffman codes (`decode_mcu` of libjpeg-turbo), which others "
            "have in the same library; resizing takes 7 %.",
        )


LARGE, WIDTH, LARGE_BATCH = 512, 224 * 224 * 3, 128


def tf_large(tf: Any, n: int) -> Any:
    made = large_slices(tf).repeat(n // LARGE).shuffle(LARGE, seed=1)
    return made.batch(LARGE_BATCH, drop_remainder=True).prefetch(1)


@functools.cache
def large_slices(tf: Any) -> Any:
    return tf.data.Dataset.from_tensor_slices(data.floats(LARGE, WIDTH))


def weir_large(weir: Any, n: int) -> Any:
    made = weir.from_tensor_slices(data.floats(LARGE, WIDTH)).repeat(n // LARGE).shuffle(LARGE, seed=1)
    return made.batch(LARGE_BATCH, drop_remainder=True).prefetch(1)


def stacked(np: Any, n: int, kept: int) -> Any:
    array = data.floats(LARGE, WIDTH)
    out = np.empty((LARGE_BATCH, WIDTH), np.float32) if not kept else None

    def run() -> None:
        held = []
        order = np.random.permutation(LARGE)
        for begin in range(0, n, LARGE_BATCH):
            at = begin % LARGE
            rows = [array[i] for i in order[at : at + LARGE_BATCH]]
            held.append(np.stack(rows, out=out))
            del held[: -kept or None]

    return run


def torch_large(torch: Any, n: int, kept: int) -> Any:
    dataset = torch.utils.data.TensorDataset(torch.from_numpy(data.floats(LARGE, WIDTH)))
    loader = torch.utils.data.DataLoader(dataset, LARGE_BATCH, shuffle=True)
    return holding(lambda: (batch for _ in range(n // LARGE) for batch in loader), kept)


def holding(make: Any, kept: int) -> Any:
    """Takes every batch and holds the last ones."""

    def run() -> None:
        held = []
        for batch in make():
            held.append(batch)
            del held[: -kept or None]

    return run


def large(rows: Rows) -> None:
    """The consumer holds no batch, or the last eight."""
    for kept, ratio in ((0, 1), (8, 4)):
        rows.add(
            f"large_batches{'_kept' if kept else ''}",
            "batches of 77 MB of distinct images, to Python, " + ("the last eight kept" if kept else "each dropped"),
            MB_PER_SECOND,
            {
                "weir": call(lambda weir, n, kept=kept: holding(lambda: weir_large(weir, n), kept)),
                "tf.data": call(lambda tf, n, kept=kept: holding(lambda: tf_large(tf, n), kept)),
                "by hand": call(
                    lambda np, n, kept=kept: stacked(np, n, kept),
                    "`numpy.stack`" + ("" if kept else " into one array, again and again"),
                ),
                "DataLoader": call(lambda torch, n, kept=kept: torch_large(torch, n, kept)),
            },
            least=LARGE,
            step=LARGE,
            most=8 * LARGE,
            item_bytes=4 * WIDTH,
            ratios={"tf.data": ratio},
            why="70 % of weir's time is the kernel's clearing of fresh memory (`clear_page_erms`), since no batch "
            "comes "
            "back before eight more are made."
            if kept
            else "`numpy.stack` copies a row once, weir's `shuffle` copies it into its buffer as well.",
        )


def add_to(rows: Rows) -> None:
    decoding(rows)
    large(rows)
