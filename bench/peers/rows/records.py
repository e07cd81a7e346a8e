"""Files of records: reading, writing, reading at random, and the examples inside."""

from __future__ import annotations

import os
import pathlib
from typing import Any

from peers import data
from peers.row import MB_PER_SECOND, US, Rows, call, inside, ns_per

SMALL, LARGE = 64_000, 600
CHECKED = "`assert_cardinality` before the `skip`, which would otherwise pass over records without their checksums"


def tf_records(tf: Any, name: str, n: int, count: int, compressed: bool = False) -> Any:
    made = tf.data.TFRecordDataset(name, compression_type="GZIP" if compressed else None).repeat(n // count)
    return made.apply(tf.data.experimental.assert_cardinality(n))


def pread_and_crc(name: str, times: int) -> Any:
    """The bytes of the file and their checksum, without any record."""
    import crc32c

    def run() -> None:
        for _ in range(times):
            descriptor = os.open(name, os.O_RDONLY)
            offset, value = 0, 0
            while block := os.pread(descriptor, 256 << 10, offset):
                value ^= crc32c.crc32c(block)
                offset += len(block)
            os.close(descriptor)

    return run


def all_of(package: Any, name: str, times: int) -> Any:
    def run() -> None:
        for _ in range(times):
            for _ in package.tfrecord_iterator(name):
                pass

    return run


HANDED_OVER = (
    "two threads hand each block of 1 MB over, which takes a sixth of the time; one thread alone reads as fast as "
    "`by hand`, and a run of 0.3 s does not always find that out."
)


def reading(rows: Rows) -> None:
    """Both checksums of each record are checked."""
    for size, count, unit in ((1024, SMALL, ns_per("record")), (110_000, LARGE, MB_PER_SECOND)):
        for compressed, lines in ((False, False), (True, False), (True, True)):
            kind = "plain" if not compressed else "GZIP, of an eighth" if lines else "GZIP"
            name = f"records_{size}{'_gzip' if compressed else ''}{'_lines' if lines else ''}"
            target = 4 if size == 1024 and not compressed else 2

            def file(size: int = size, count: int = count, compressed: bool = compressed, lines: bool = lines) -> str:
                return data.records(size, count, compressed, lines)

            def document(n: int, file: Any = file, count: int = count, compressed: bool = compressed) -> str:
                return f'tfrecord("{file()}", compression: "{"gzip" if compressed else ""}") | repeat({n // count})'

            sides = {
                "weir": inside(document),
                "tf.data": inside(
                    lambda tf, n, file=file, count=count, compressed=compressed: tf_records(
                        tf, file(), n, count, compressed
                    ),
                    CHECKED,
                ),
            }
            ratios = {"tf.data": target}
            if not compressed:
                sides["by hand"] = call(
                    lambda np, n, file=file, count=count: pread_and_crc(file(), n // count),
                    "`pread` of 256 KiB and CRC-32C of all bytes, without looking for records",
                )
                ratios["by hand"] = 0.85 if size == 1024 else 0.9
                if size == 1024:
                    sides["tfrecord"] = call(
                        lambda package, n, file=file, count=count: all_of(package, file(), n // count),
                        "checks no checksum; to Python",
                    )
            text = f"TFRecord of {'1 KB' if size == 1024 else '110 KB'}, {kind}"
            size_of = {"least": count, "step": count, "item_bytes": size + 16}
            rows.add(name, text, unit, sides, ratios=ratios, why="" if compressed else HANDED_OVER, **size_of)


def written(writer: Any, record: bytes, n: int) -> None:
    with writer as out:
        for _ in range(n):
            out.write(record)


def only_written(name: str, record: bytes, n: int) -> None:
    """As many bytes as the records take, without checksums."""
    each = max(1, 65_536 // len(record))
    piece = (record + bytes(16)) * each
    with open(name, "wb", buffering=0) as out:
        for _ in range(n // each):
            out.write(piece)


def writing(rows: Rows) -> None:
    """From Python, a call for each record, to a file in memory, so that the disk doesn't matter."""
    folder = pathlib.Path("/dev/shm" if os.access("/dev/shm", os.W_OK) else os.environ.get("TMPDIR", "/tmp"))
    for size, name, most, ratio in ((1024, "1 KB", 200_000, 3), (110_000, "110 KB", 2_000, 2)):
        record = bytes(i * 7 % 251 for i in range(size))
        target = str(folder / f"weir-compare-{os.getpid()}.tfrecord")

        def weir_side(weir: Any, n: int, record: bytes = record, target: str = target) -> Any:
            return lambda: removed(target, written(weir.RecordWriter(target), record, n))

        def tf_side(tf: Any, n: int, record: bytes = record, target: str = target) -> Any:
            return lambda: removed(target, written(tf.io.TFRecordWriter(target), record, n))

        def by_hand(np: Any, n: int, record: bytes = record, target: str = target) -> Any:
            return lambda: removed(target, only_written(target, record, n))

        sides = {
            "weir": call(weir_side),
            "tf.data": call(tf_side, "`tf.io.TFRecordWriter`"),
            "by hand": call(by_hand, "`write` of as many bytes, 64 KiB or a record at once: the kernel's part"),
        }
        rows.add(
            f"write_{size}", f"TFRecord writing, {name}, from Python", ns_per("record"), sides, least=200, most=most,
            ratios={"tf.data": ratio},
            why="most of the time is the kernel's, for both: it takes fresh pages for the file and copies into them, which is "
            "all that `by hand` does.",
        )  # fmt: skip


def removed(name: str, _: None) -> None:
    os.unlink(name)


def positions(n: int) -> list[int]:
    import numpy as np

    return [int(i) for i in np.random.default_rng(10).integers(0, SMALL, n)]


def array_record(module: Any) -> Any:
    """The same records as an ArrayRecord file."""

    def write(path: pathlib.Path) -> None:
        import tfrecord

        writer = module.ArrayRecordWriter(str(path), "group_size:1")
        for record in tfrecord.tfrecord_iterator(data.records(1024, SMALL)):
            writer.write(bytes(record))
        writer.close()

    return module.ArrayRecordReader(
        data.file(f"records-{SMALL}.array_record", write), "readahead_buffer_size:0,max_parallelism:0"
    )


def at_random(rows: Rows) -> None:
    def weir_side(weir: Any, n: int) -> Any:
        dataset = weir.tfrecord(data.records(1024, SMALL))
        dataset[0]  # makes the index, if there is none yet
        where = positions(n)
        return lambda: [dataset[i] for i in where] and None

    def array_side(module: Any, n: int) -> Any:
        reader = array_record(module)
        where = positions(n)
        return lambda: [reader.read([i]) for i in where] and None

    rows.add(
        "indexed",
        "one record of 1 KB at random, to Python",
        US,
        {"weir": call(weir_side, "`dataset[i]`, with an index"), "ArrayRecord": call(array_side, "no reading ahead")},
        least=100,
        most=20_000,
        ratios={"ArrayRecord": 50},
        why="most of it is the kernel's reading of the record (`pread`), and Python's part: the dataset and its file "
        "stay open between calls.",
    )


# ---- Examples ---------------------------------------------------------------------------------------------

EXAMPLES = 16 * 1024
CRITEO = (
    "{label: int64, "
    + ", ".join([f"I{i}: int64" for i in range(1, 14)] + [f"C{i}: string" for i in range(1, 27)])
    + "}"
)


def tf_criteo(tf: Any) -> Any:
    scalar = tf.io.FixedLenFeature
    features = {"label": scalar([], tf.int64)}
    features |= {f"I{i}": scalar([], tf.int64) for i in range(1, 14)}
    return features | {f"C{i}": scalar([], tf.string) for i in range(1, 27)}


def parsing_document(file: str, features: str, n: int, batch: int) -> Any:
    from peers.systems.weir_itself import Document

    text = (
        f'tfrecord("{file}") | repeat({n // EXAMPLES}) | batch({batch})'
        f" | map(r -> parse_example(r, {features}), num_parallel_calls: auto) | prefetch(auto)"
    )
    return Document(text, blocks=False)


def tf_parsing(tf: Any, file: str, features: Any, n: int, batch: int) -> Any:
    made = tf.data.TFRecordDataset(file).repeat(n // EXAMPLES).batch(batch)
    made = made.map(lambda r: tf.io.parse_example(r, features), num_parallel_calls=tf.data.AUTOTUNE)
    return made.prefetch(tf.data.AUTOTUNE).apply(tf.data.experimental.assert_cardinality(n // batch))


PARSED = (
    "half of the time is the parser, which finds 40 features of each record by their names (`Plan::parse_record` and "
    "reading "
    "the values), a fifth is reading the file and its checksums."
)


def parsing(rows: Rows) -> None:
    size = {"least": EXAMPLES, "step": EXAMPLES}
    sides = {
        "weir": inside(lambda n: parsing_document(data.criteo(EXAMPLES), CRITEO, n, 1024)),
        "tf.data": inside(lambda tf, n: tf_parsing(tf, data.criteo(EXAMPLES), tf_criteo(tf), n, 1024)),
    }
    for cores in (0, 1):
        work = "40 features like Criteo's: read, `batch(1024)`, `parse_example`"
        rows.add(
            f"criteo_{cores or 2}",
            work,
            ns_per("example"),
            sides,
            cores=cores,
            ratios={"tf.data": 3.5},
            why=PARSED,
            **size,
        )

    def single_document(n: int) -> str:
        return f'tfrecord("{data.criteo(EXAMPLES)}") | repeat({n // EXAMPLES}) | map(r -> parse_example(r, {CRITEO}))'

    def tf_single(tf: Any, n: int) -> Any:
        features = tf_criteo(tf)
        made = tf.data.TFRecordDataset(data.criteo(EXAMPLES)).repeat(n // EXAMPLES)
        made = made.map(lambda r: tf.io.parse_single_example(r, features), num_parallel_calls=tf.data.AUTOTUNE)
        return made.apply(tf.data.experimental.assert_cardinality(n))

    rows.add(
        "criteo_single",
        "40 features like Criteo's, one example at a time",
        ns_per("example"),
        {"weir": inside(single_document), "tf.data": inside(tf_single)},
        ratios={"tf.data": 25},
        **size,
    )
    rows.add(
        "digits",
        "an image of 784 bytes and a label: read, `batch(128)`, `parse_example`",
        ns_per("example"),
        {
            "weir": inside(lambda n: parsing_document(data.digits(EXAMPLES), "{image: string, label: int64}", n, 128)),
            "tf.data": inside(
                lambda tf, n: tf_parsing(
                    tf,
                    data.digits(EXAMPLES),
                    {"image": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64)},
                    n,
                    128,
                )
            ),
        },
        ratios={"tf.data": 4},
        **size,
    )
    rows.add(
        "lists",
        "two lists of up to 40 values, sparse: read, `batch(128)`, `parse_example`",
        ns_per("example"),
        {
            "weir": inside(
                lambda n: parsing_document(
                    data.lists(EXAMPLES), "{ids: varlen(int64), weights: varlen(float32)}", n, 128
                )
            ),
            "tf.data": inside(
                lambda tf, n: tf_parsing(
                    tf,
                    data.lists(EXAMPLES),
                    {"ids": tf.io.VarLenFeature(tf.int64), "weights": tf.io.VarLenFeature(tf.float32)},
                    n,
                    128,
                )
            ),
        },
        ratios={"tf.data": 4},
        **size,
    )


def add_to(rows: Rows) -> None:
    reading(rows)
    writing(rows)
    at_random(rows)
    parsing(rows)
