"""tf.data's names work, or the error says what to write."""

import numpy as np
import pytest

import weir
from weir import fn


def test_names_that_work():
    dataset = weir.Dataset.from_tensor_slices({"x": np.arange(4)})
    assert str(dataset.element_spec) == "{x: int64}" == str(dataset.spec)
    assert [int(e["x"]) for e in dataset.as_numpy_iterator()] == [0, 1, 2, 3]
    assert dataset.cardinality() == 4
    assert [b.tolist() for b in weir.range(4).apply(lambda d: d.batch(2))] == [[0, 1], [2, 3]]
    assert weir.AUTOTUNE == "auto"
    assert str(weir.range(3).map(lambda x: x, num_parallel_calls=weir.AUTOTUNE).prefetch(weir.AUTOTUNE)) == (
        "range(3) | map(x -> x, num_parallel_calls: auto) | prefetch(auto)"
    )
    assert weir.range(3).repeat().cardinality() == weir.INFINITE_CARDINALITY
    assert weir.range(3).filter(lambda x: x > 1).cardinality() == weir.UNKNOWN_CARDINALITY


def test_sources_are_there_as_static_methods():
    assert [int(x) for x in weir.Dataset.range(1, 3)] == [1, 2]
    assert str(weir.Dataset.zip((weir.range(2), weir.range(3))).spec) == "(int64, int64)"
    assert next(iter(weir.Dataset.from_tensors([1, 2]))).tolist() == [1, 2]
    mixed = weir.Dataset.sample_from_datasets([weir.range(2), weir.range(2)], seed=1)
    assert sorted(int(x) for x in mixed) == [0, 0, 1, 1]
    generated = weir.Dataset.from_generator(lambda: iter([1]), output_signature=weir.int64)
    assert [int(x) for x in generated] == [1]
    for entry in weir.schema()["operators"]:
        if entry["kind"] == "source":
            assert hasattr(weir.Dataset, entry["name"]), entry["name"]


def test_none_is_the_default():
    dataset = weir.range(3).repeat(None).map(lambda x: x, num_parallel_calls=None, deterministic=None)
    assert str(dataset.shuffle(3, seed=1, reshuffle_each_iteration=None)) == (
        "range(3) | repeat() | map(x -> x) | shuffle(3, seed: 1)"
    )
    windows = weir.range(6).window(2, shift=None, stride=None).interleave(lambda w: w, cycle_length=None)
    assert str(windows) == "range(6) | window(2) | interleave(w -> w)"
    assert [int(x) for x in weir.range(3).map(lambda x: fn.sum([x, 1], axis=None, keepdims=None))] == [1, 2, 3]
    with pytest.raises(ValueError, match="batch: n: .*None"):
        weir.range(3).batch(None)


def test_names_of_parameters():
    dataset = weir.range(stop=4).map(map_func=lambda x: x).filter(predicate=lambda x: x > 0)
    assert str(dataset.repeat(count=2).batch(batch_size=2)) == (
        "range(4) | map(x -> x) | filter(x -> x > 0) | repeat(2) | batch(2)"
    )
    assert int(weir.range(4).reduce(initial_state=0, reduce_func=lambda s, x: s + x)) == 6
    padded = weir.range(3).map(lambda x: fn.arange(x)).padded_batch(batch_size=3, padded_shapes=[4], padding_values=7)
    assert next(iter(padded))[0].tolist() == [7] * 4
    assert str(weir.tfrecord(filenames="x", compression_type="gzip")) == 'tfrecord("x", compression: "gzip")'
    assert str(weir.Dataset.from_tensors(tensors=1)) == "from_tensors(1)"
    with pytest.raises(TypeError, match="batch_size and n are one parameter"):
        weir.range(3).batch(batch_size=2, n=3)


def test_names_of_parameters_that_differ():
    rows = weir.range(2)
    assert str(weir.zip(datasets=(rows, weir.range(3)))) == "zip(range(2), range(3))"
    assert str(rows.apply(transformation_func=lambda d: d.batch(2))) == "range(2) | batch(2)"
    assert str(rows.ignore_errors(log_warning=True)) == "range(2) | ignore_errors(true)"
    # None is tf.data's default.
    assert str(rows.map(lambda x: x, name=None).batch(2, deterministic=None, name=None)) == (
        "range(2) | map(x -> x) | batch(2)"
    )
    with pytest.raises(TypeError, match="has no parameter name; operators have no names"):
        rows.batch(2, name="pairs")
    with pytest.raises(TypeError, match="has no parameter wait; the folder says it"):
        weir.load("folder", wait=True)
    with pytest.raises(ValueError, match=r"map: num_parallel_calls: write weir\.AUTOTUNE"):
        rows.map(lambda x: x, num_parallel_calls=-1)
    with pytest.raises(TypeError, match="counter has no parameter dtype; "):
        weir.counter(dtype="int32")


def test_methods_in_functions():
    windows = weir.range(6).window(3)
    sizes = windows.flat_map(lambda w: w.apply(lambda d: d.batch(2)))
    assert [x.tolist() for x in sizes] == [[0, 1], [2], [3, 4], [5]]
    specs = []
    windows.flat_map(lambda w: (specs.append((str(w.spec), str(w.element_spec))), w)[1])
    assert specs == [("int64", "int64")]


@pytest.mark.parametrize(
    "case",
    [
        ("TFRecordDataset", r"write weir\.tfrecord\(files\)"),
        ("TextLineDataset", r"write weir\.text_line\(files\)"),
        ("data", r"weir\.Dataset, weir\.AUTOTUNE"),
        ("random_uniform", r"weir\.fn\.random_uniform"),
        ("batch", r"dataset\.batch\(\.\.\.\)"),
        ("rnage", "did you mean range"),
        ("nothing_like_it", "has no attribute 'nothing_like_it'$"),
    ],
)
def test_names_of_the_package_that_are_missing(case):
    name, hint = case
    with pytest.raises(AttributeError, match=hint):
        getattr(weir, name)


@pytest.mark.parametrize(
    "case",
    [
        ("reduce_sum", r"write weir\.fn\.sum$"),
        ("equal", "write the operator"),
        ("strings", "in weir.fn itself"),
        ("map_fn", r"weir\.fn\.rows"),
        ("concatenate", "did you mean concat"),
        ("xyzzy", "has no attribute 'xyzzy'$"),
    ],
)
def test_functions_that_are_missing(case):
    name, hint = case
    with pytest.raises(AttributeError, match=hint):
        getattr(weir.fn, name)


@pytest.mark.parametrize(
    "case",
    [
        ("with_options", r"write options\("),
        ("bacth", "did you mean batch"),
        ("rename", "a dataset has no rename$"),
        ("random_split", "a dataset has no random_split$"),
        ("make_one_shot_iterator", r"iter\(dataset\)"),
        ("numpy", r"list\(dataset\)"),
    ],
)
def test_methods_that_are_missing(case):
    name, hint = case
    with pytest.raises(AttributeError, match=hint):
        getattr(weir.range(3), name)
    with pytest.raises(AttributeError, match=hint):
        weir.range(3).window(3).flat_map(lambda w: getattr(w, name))


def test_zip_of_windows():
    dicts = weir.from_tensor_slices({"a": [1, 2, 3], "b": [0.5, 1.5, 2.5]}).window(2)
    batches = list(dicts.flat_map(lambda w: weir.zip(w).batch(2)))
    assert [(x["a"].tolist(), x["b"].tolist()) for x in batches] == [([1, 2], [0.5, 1.5]), ([3], [2.5])]
    tuples = weir.from_tensor_slices(([1, 2, 3], [4, 5, 6])).window(2)
    expected = [([1, 2], [4, 5]), ([3], [6])]
    for function in (
        lambda w: weir.zip(w).batch(2),
        lambda a, b: weir.zip(a, b).batch(2),
        lambda a, b: weir.Dataset.zip((a, b)).batch(2),
        lambda *w: weir.zip(w).batch(2),
    ):
        assert [(a.tolist(), b.tolist()) for a, b in tuples.flat_map(function)] == expected
    with pytest.raises(AttributeError, match=r"weir\.zip\(x\)\.batch\(\.\.\.\)"):
        dicts.flat_map(lambda w: w.batch(2))
