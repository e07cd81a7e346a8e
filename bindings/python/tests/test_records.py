"""Writing TFRecord files."""

import pathlib
from typing import Any

import numpy as np
import pytest

import weir


def records_of(file: pathlib.Path) -> list[bytes]:
    return list(weir.tfrecord(str(file)))


RECORDS = [
    [(b"%d " % i * size)[:size] for i in range(count)]
    for size, count in [(0, 3), (1, 1000), (300, 255), (1024, 64), (1024, 200), (70_000, 3)]
]
RECORDS.append([bytes([i]) * (200_000 if i % 7 == 0 else i) for i in range(100)])


@pytest.mark.parametrize("records", RECORDS, ids=range(len(RECORDS)))
def test_all_records_are_written_in_order(tmp_path: pathlib.Path, records: list[bytes]) -> None:
    file = tmp_path / "a.tfrecord"
    with weir.RecordWriter(file) as writer:
        for record in records:
            writer.write(record)
    assert records_of(file) == records


def test_a_closed_writer_takes_nothing(tmp_path: pathlib.Path) -> None:
    writer = weir.RecordWriter(tmp_path / "a.tfrecord")
    writer.write(b"one")
    writer.close()
    with pytest.raises(weir.Error, match="closed"):
        writer.write(b"two")
    with pytest.raises(weir.Error, match="closed"):
        writer.close()
    with pytest.raises(TypeError):
        writer.write("text")  # type: ignore[arg-type]
    assert records_of(tmp_path / "a.tfrecord") == [b"one"]


@pytest.mark.skipif(not pathlib.Path("/dev/full").exists(), reason="no file that is full")
def test_a_full_disk_is_an_error_at_the_end_at_the_latest() -> None:
    def written(count: int) -> None:
        with weir.RecordWriter("/dev/full") as writer:
            for _ in range(count):
                writer.write(bytes(1024))

    with pytest.raises(weir.Error, match="space"):
        written(10)
    with pytest.raises(weir.Error, match="space"):
        written(1000)


@pytest.mark.parametrize(
    "value",
    [
        2**63,
        2**64,
        np.uint64(2**63),
        [1, 2**63],
        1e300,
        1j,
        None,
        [1, None],
        [1, "a"],
        ["a", 1],
        {"a": 1},
        np.ma.masked_array([1, 2], [False, True]),
        np.datetime64("NaT"),
    ],
)
def test_an_example_takes_no_value_that_it_would_change(value: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"^feature 'x': expected"):
        weir.example({"x": value})


def test_an_example_keeps_its_values() -> None:
    values = {
        "int": ([2**53 + 1, -(2**63), True], "int64[?]"),
        "float": ([0.5, 2], "float32[?]"),
        "half": (np.array([0.5], np.float16), "float32[?]"),
        "string": (["a", b"\xff"], "string[?]"),
        "array": (np.array(["a", "bc"]), "string[?]"),
        "date": (np.datetime64("1970-01-01T00:00:01"), "int64[?]"),
    }
    data = weir.example({name: value for name, (value, _) in values.items()})
    features = {name: f"varlen({spec.split('[')[0]})" for name, (_, spec) in values.items()}
    parsed = next(iter(weir.from_tensors(data).map(lambda x: weir.fn.parse_example(x, features))))
    assert {name: parsed[name].values.tolist() for name in values} == {
        "int": [2**53 + 1, -(2**63), 1],
        "float": [0.5, 2.0],
        "half": [0.5],
        "string": [b"a", b"\xff"],
        "array": [b"a", b"bc"],
        "date": [1_000_000_000],
    }
