"""Structures, dtypes and defaults are said in the same ways everywhere."""

import numpy as np
import pytest

import weir
from weir import fn


class FixedLenFeature:
    """As in tf.io."""

    def __init__(self, shape, dtype, default_value=None):
        self.shape, self.dtype, self.default_value = shape, dtype, default_value


class VarLenFeature:
    """As in tf.io."""

    def __init__(self, dtype):
        self.dtype = dtype


class TensorSpec:
    """As in TensorFlow and JAX."""

    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, dtype


SAID = [
    ("{a: int64, b: float32[3], c: string}", "{a: int64, b: float32[3], c: string}"),
    ({"a": np.int64, "b": "float32[3]", "c": weir.string}, "{a: int64, b: float32[3], c: string}"),
    ({"a": weir.int64, "b": weir.Spec("float32[3]"), "c": str}, "{a: int64, b: float32[3], c: string}"),
    ({"a": 0, "b": np.zeros(3, np.float32), "c": b""}, "{a: int64, b: float32[3], c: string}"),
    ({"a": int, "b": TensorSpec([3], np.float32), "c": bytes}, "{a: int64, b: float32[3], c: string}"),
    ({"a": np.int64(7), "b": [0.5, 1.0, 2.0], "c": np.array(b"x")}, "{a: int64, b: float32[3], c: string}"),
]


@pytest.mark.parametrize("case", SAID, ids=range(len(SAID)))
def test_one_structure_said_in_many_ways(case):
    said, expected = case
    element = {"a": 1, "b": np.arange(3, dtype=np.float32), "c": b"s"}
    generated = weir.from_generator(lambda: iter([element]), said)
    assert str(generated.spec) == expected
    assert next(iter(generated))["b"].tolist() == [0, 1, 2]
    assert str(weir.from_generator(lambda: iter([element]), output_signature=said).spec) == expected
    assert str(weir.empty(said).spec) == expected
    assert str(weir.range(1).map(weir.py_function(lambda x: element, spec=said)).spec) == expected
    record = weir.example({"a": 1, "b": [0.0, 1.0, 2.0], "c": "s"})
    parsed = weir.from_tensors(record).map(lambda r: fn.parse_example(r, said))
    assert str(parsed.spec) == expected
    assert next(iter(parsed))["c"] == b"s"


def test_specs_of_tuples_and_unknown_dimensions():
    assert str(weir.empty((weir.int64, TensorSpec((None, 3), np.float32))).spec) == "(int64, float32[?, 3])"
    assert str(weir.empty((np.zeros((2, 2)),)).spec) == "(float64[2, 2],)"
    assert str(weir.empty(np.array(["a", "b"], object)).spec) == "string[2]"
    assert str(weir.empty(weir.Sparse(np.zeros((0, 2), np.int64), np.zeros(0, np.int32), np.array([4, 5]))).spec) == (
        "sparse<int32>[4, 5]"
    )
    with pytest.raises(TypeError, match="expected a structure, such as 'int64'"):
        weir.empty(object())


def test_features_as_in_tensorflow():
    features = {
        "a": FixedLenFeature([], np.int64, 5),
        "b": FixedLenFeature([2], np.float32),
        "c": VarLenFeature(np.int64),
        "d": FixedLenFeature([], np.dtype("S"), "none"),
    }
    record = weir.example({"b": [0.5, 1.5], "c": [1, 2]})
    row = next(iter(weir.from_tensors(record).map(lambda r: fn.parse_example(r, features))))
    assert row["a"] == 5 and row["b"].tolist() == [0.5, 1.5] and row["d"] == b"none"
    assert row["c"].values.tolist() == [1, 2]


def test_shapes_mirror_the_elements():
    rows = weir.range(3).map(lambda x: {"a": fn.arange(x), "b": (x, fn.zeros([x, 2]))})
    expected = str(rows.padded_batch(3, shapes={"a": [4], "b": ([], [None, 2])}))
    for shapes in (
        {"a": (4,), "b": ((), (None, 2))},
        {"a": "int64[4]", "b": ("int64", "float32[?, 2]")},
        {"a": weir.Spec("int64[4]"), "b": (weir.int64, weir.Spec("float32[?, 2]"))},
        {"a": np.array([4]), "b": (np.int64(0), TensorSpec((None, 2), np.float32))},
        {"a": [np.int32(4)], "b": [[], [None, 2]]},
    ):
        assert str(rows.padded_batch(3, shapes=shapes)) == expected
    padded = next(iter(rows.padded_batch(3, shapes={"a": [4], "b": ([], [None, 2])}, values=None)))
    assert padded["a"].shape == (3, 4) and padded["b"][1].shape == (3, 2, 2)
    assert str(weir.range(3).map(lambda x: fn.arange(x)).padded_batch(2, shapes=(5,)).spec) == "int64[?, 5]"


COLUMNS = [
    ([np.int32(7), "int64"], "(int32, int64)", (7, 2)),
    ([np.int32, np.int64], "(int32, int64)", None),
    ([weir.int32, b"int64"], "(int32, string)", None),
    ([np.dtype("int32"), np.float32(0.5)], "(int32, float32)", None),
    ([[7], [""]], "(int64, string)", (7, b"2")),
    ([np.array([7], np.int32), np.array([], np.int64)], "(int32, int64)", (7, 2)),
    (["string", 0.5], "(string, float32)", None),
    (["n/a", weir.Spec("int64")], "(string, int64)", (b"n/a", 2)),
    ({"a": np.int32(7), "b": "int64"}, "{a: int32, b: int64}", {"a": 7, "b": 2}),
]


@pytest.mark.parametrize("case", COLUMNS, ids=range(len(COLUMNS)))
def test_columns_of_csv(case, tmp_path):
    columns, spec, row = case
    file = tmp_path / "rows.csv"
    file.write_text(",2\n")
    read = weir.csv(str(file), columns)
    decoded = weir.from_tensors(",2").map(lambda s: fn.decode_csv(s, columns))
    assert str(read.spec) == str(decoded.spec) == spec
    if row is not None:
        assert next(iter(read)) == next(iter(decoded)) == row


def test_columns_of_csv_by_the_names_of_a_header(tmp_path):
    for name, rows in (("one", "a,b\n1,2\n"), ("two", "b,c,a\n,4,5\n")):
        (tmp_path / name).write_text(rows)
    names = [str(tmp_path / "one"), str(tmp_path / "two")]
    for default in (b"", ""):
        assert [row["b"] for row in weir.csv(names, {"b": default}, header=True)] == [b"2", b""]
    columns = {"b": np.int32(7), "a": "int64"}
    texts = weir.csv(names, '{b: string = "-"}', header=True)
    assert [row["b"] for row in texts] == [b"2", b"-"]
    read = weir.csv(names, columns, header=True)
    assert str(read.spec) == "{b: int32, a: int64}"
    assert list(read) == [{"b": 2, "a": 1}, {"b": 7, "a": 5}]


def test_numpy_scalars_adapt_as_literals_do():
    numbers = weir.from_tensor_slices(np.arange(3, dtype=np.int32))
    floats = numbers.map(lambda x: fn.cast(x, np.float64))
    for function, expected in (
        (lambda x: x + np.int64(3), "int32"),
        (lambda x: np.int64(3) * x, "int32"),
        (lambda x: np.int64(3) < x, "bool"),
        (lambda x: fn.maximum(x, np.int64(1)), "int32"),
        (lambda x: fn.clip(x, np.int8(0), np.uint16(9)), "int32"),
        (lambda x: fn.stack([x, np.int64(1)]), "int32[2]"),
        (lambda x: fn.where(x > np.int64(0), x, np.int64(0)), "int32"),
        (lambda x: weir.cond(x > 1, x, np.int64(0)), "int32"),
        (lambda x: fn.reshape(x, [np.int32(1), 1]), "int32[1, 1]"),
        (lambda x: fn.full([2], np.int16(1)), "int16[2]"),
        (lambda x: np.int16(4), "int16"),
        (lambda x: fn.arange(5)[np.int32(1) :], "int64[4]"),
        (lambda x: (x, x)[np.int64(1)], "int32"),
    ):
        assert str(numbers.map(function).spec) == expected
    assert [float(x) for x in floats.map(lambda x: x + np.float64(0.1))] == [0.1, 1.1, 2.1]
    assert str(floats.map(lambda x: x * np.float32(0.5)).spec) == "float64"
    with pytest.raises(ValueError, match="does not fit int32"):
        numbers.map(lambda x: x + np.float64(0.5))
    text = str(weir.range(np.int32(4)).batch(np.int16(2)).shuffle(3, seed=(np.int64(1), np.int64(2))))
    assert text == "range(4) | batch(2) | shuffle(3, seed: (1, 2))"
    assert str(weir.from_tensors(np.int32(4)).spec) == "int32"
    assert str(weir.range(3).scan(np.int64(0), lambda s, x: (s + x, s)).spec) == "int64"


def test_generator_objects_are_refused():
    def numbers():
        yield 1
        yield 2

    with pytest.raises(TypeError, match="found a generator; pass the function itself"):
        weir.from_generator(numbers(), "int64")
    with pytest.raises(TypeError, match="found a list; pass a function that returns it"):
        weir.from_generator([1, 2], "int64")
    one = numbers()
    dataset = weir.from_generator(lambda: one, "int64")
    assert [int(x) for x in dataset] == [1, 2]
    with pytest.raises(weir.Error, match="a generator that has begun already"):
        list(dataset)
    assert [int(x) for x in weir.from_generator(range, "int64", args=(2, 4))] == [2, 3]


def test_shard_of_one_process_is_the_whole(monkeypatch):
    for name in ("RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    runtime = weir.Runtime(threads=1)
    whole = weir.parse("range(4) | shard(auto, auto)", runtime=runtime)
    assert [int(x) for x in whole] == [0, 1, 2, 3]
    assert str(weir.range(4).shard("auto", "auto")) == str(whole)
    monkeypatch.setenv("WORLD_SIZE", "2")
    unknown = weir.parse("range(4) | shard(auto, auto)", runtime=weir.Runtime(threads=1))
    with pytest.raises(weir.errors.FailedPrecondition, match='WORLD_SIZE="2" without RANK'):
        list(unknown)


def test_members_of_a_spec():
    spec = weir.Spec("{a: int64, b: (float32[3], string)}")
    assert (str(spec["a"]), str(spec["b"][0]), str(spec["b"][-1])) == ("int64", "float32[3]", "string")
    for found, key in ((spec, "c"), (spec["a"], "a")):
        with pytest.raises(KeyError):
            found[key]
    for found, index in ((spec["b"], 2), (spec["b"], -3), (spec, 0)):
        with pytest.raises(IndexError):
            found[index]
