"""google/youtube-8m, readers.py: videos as means, as frames, and as the segments of them that have labels."""

from __future__ import annotations

import pathlib

import numpy as np
from ports import check_elements, check_parts, check_positions

import weir

CLASSES, FRAMES, SEGMENT = 12, 9, 3
SIZES = {"rgb": 6, "audio": 4}
fn = weir.fn


def write_data(folder: pathlib.Path) -> dict[str, str]:
    """Seven videos as tf.Examples of means, and as tf.SequenceExamples with labels, of the whole and of segments."""
    draws = np.random.RandomState(7)
    files = {kind: str(folder / f"{kind}.tfrecord") for kind in ("means", "frames", "segments")}
    with (
        weir.RecordWriter(files["means"]) as means,
        weir.RecordWriter(files["frames"]) as frames,
        weir.RecordWriter(files["segments"]) as segments,
    ):
        for n in range(7):
            identity = f"video{n}"
            labels = np.sort(draws.choice(CLASSES, size=draws.randint(1, 5), replace=False))
            averages = {f"mean_{name}": draws.rand(size).astype(np.float32) for name, size in SIZES.items()}
            means.write(weir.example({"id": identity, "labels": labels, **averages}))
            steps = draws.randint(FRAMES - 3, FRAMES + 4)
            lists = {
                name: [draws.randint(256, size=size).astype(np.uint8).tobytes() for _ in range(steps)]
                for name, size in SIZES.items()
            }
            frames.write(sequence_example({"id": identity, "labels": labels}, lists))
            starts = np.repeat([0, 3], 2)
            context = {
                "id": identity,
                "segment_labels": np.sort(draws.choice(CLASSES, size=4, replace=False)),
                "segment_start_times": starts,
                "segment_scores": draws.randint(2, size=4).astype(np.float32),
            }
            segments.write(sequence_example(context, lists))
    return files


def sequence_example(context: dict, lists: dict) -> bytes:
    """A serialized tf.SequenceExample."""
    made = weir.from_tensors((context, lists)).map(fn.sequence_example)
    return bytes(made.get_single_element())


def dequantized(steps, size: int):
    """FRAMES vectors of numbers from about -2 to 2, cut or filled up with zeros, and how many there were."""
    bytes_of = fn.decode_padded_raw(steps, size, weir.uint8)
    numbers = fn.cast(bytes_of, "float32") * (4 / 255.0) + (4 / 512.0 - 2)
    count = fn.minimum(fn.shape(numbers)[0], FRAMES)
    return fn.ensure_shape(fn.pad(numbers[:count], [[0, FRAMES - count], [0, 0]]), [FRAMES, size]), count


def video_matrix(lists):
    """The frames' pictures and sounds side by side, and how many frames there are."""
    parts = [dequantized(lists[name], size) for name, size in SIZES.items()]
    return fn.concat([part for part, _ in parts], axis=1), fn.cast(parts[0][1], "int32")


def indicator(labels):
    """Whether a class is among the labels."""
    return fn.any(fn.one_hot(labels, CLASSES, dtype="bool"), axis=0)


def means(records: weir.Dataset) -> weir.Dataset:
    """A batch of videos at a time."""

    def parse(records):
        features = fn.parse_example(
            records,
            {
                "id": "string",
                "labels": "ragged(int64)",
                **{f"mean_{name}": f"float32[{n}]" for name, n in SIZES.items()},
            },
        )
        labels = fn.to_tensor(features.labels, default=-1)
        return {
            "video_ids": features.id,
            "video_matrix": fn.concat([features[f"mean_{name}"] for name in SIZES], axis=1),
            "labels": fn.any(fn.one_hot(labels, CLASSES, dtype="bool"), axis=1),
            "num_frames": fn.ones([fn.shape(records)[0]]),
        }

    return records.batch(3).map(parse)


def frames(records: weir.Dataset) -> weir.Dataset:
    """One video at a time, as a batch of one."""

    def parse(record):
        context, lists = fn.parse_sequence_example(
            record, {"id": "string", "labels": "varlen(int64)"}, dict.fromkeys(SIZES, "sequence(string)")
        )
        matrix, count = video_matrix(lists)
        video = {
            "video_ids": context.id,
            "video_matrix": matrix,
            "labels": indicator(fn.values(context.labels)),
            "num_frames": count,
        }
        return {key: fn.expand_dims(value, 0) for key, value in video.items()}

    return records.map(parse, num_parallel_calls=2)


def segments(records: weir.Dataset) -> weir.Dataset:
    """The labelled segments of a video at a time."""

    def parse(record):
        context, lists = fn.parse_sequence_example(
            record,
            {
                "id": "string",
                "segment_labels": "varlen(int64)",
                "segment_start_times": "varlen(int64)",
                "segment_scores": "varlen(float32)",
            },
            dict.fromkeys(SIZES, "sequence(string)"),
        )
        matrix, _ = video_matrix(lists)
        starts, segment = fn.unique(fn.values(context.segment_start_times))
        count = fn.size(starts)
        at = fn.stack([fn.cast(segment, "int64"), fn.values(context.segment_labels)], axis=1)
        scores = fn.values(context.segment_scores)
        shape = fn.stack([count, CLASSES])
        return {
            "video_ids": fn.full([count], context.id),
            "video_matrix": fn.gather(matrix, fn.expand_dims(starts, 1) + fn.arange(SEGMENT)),
            "labels": fn.to_dense(fn.sparse(at, scores, shape)),
            "num_frames": fn.full([count], np.int32(SEGMENT)),
            "label_weights": fn.to_dense(fn.sparse(at, fn.ones_like(scores), shape)),
        }

    return records.map(parse, num_parallel_calls=2)


def test_elements_are_those_of_the_original(tmp_path: pathlib.Path) -> None:
    files = write_data(tmp_path)
    for kind, pipeline in (("means", means), ("frames", frames), ("segments", segments)):
        records = weir.tfrecord(files[kind])
        check_elements(pipeline(records), f"youtube8m_{kind}")
        check_positions(pipeline(records))
        check_parts(records, pipeline)
