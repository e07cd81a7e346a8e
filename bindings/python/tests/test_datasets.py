"""Datasets: texts, methods, epochs, random access, pickling, errors."""

import copy
import functools
import os
import pickle
import threading

import numpy as np
import pytest

import weir


def test_text_and_methods_are_one():
    built = weir.range(10).map(lambda x: x * 2).batch(4, drop_remainder=True)
    parsed = weir.parse("range(10) | map(x -> x * 2) | batch(4, drop_remainder: true)")
    assert str(built) == str(parsed)
    assert built.fingerprint == parsed.fingerprint
    assert str(built.spec) == "int64[4]"


def test_ways_to_call():
    assert [int(x) for x in weir.range(3)] == [0, 1, 2]
    assert [int(x) for x in weir.range(2, 5)] == [2, 3, 4]
    assert [int(x) for x in weir.range(stop=2)] == [0, 1]
    assert [int(x) for x in weir.range(0, 10, step=4)] == [0, 4, 8]
    assert str(weir.range(0, 4, dtype=np.int32).spec) == "int32"
    with pytest.raises(TypeError, match=r"range\(stop\) or range\(start, stop, step, dtype\)"):
        weir.range()
    assert str(weir.range(9).repeat(2)) == "range(9) | repeat(2)"
    assert str(weir.range(9).shuffle(3, seed=(1, 2))) == "range(9) | shuffle(3, seed: (1, 2))"
    assert str(weir.range(9).prefetch("auto")) == "range(9) | prefetch(auto)"
    assert str(weir.zip({"a": weir.range(2), "b": weir.range(3)})) == "zip({a: range(2), b: range(3)})"
    assert str(weir.empty("(int64, string[?])")) == "empty((int64, string[?]))"
    assert [int(x) for x in weir.from_list([3, 1])] == [3, 1]
    assert len(list(weir.sample_from_datasets([weir.range(3), weir.range(2)], weights=[0.5, 0.5], seed=1))) == 5


def test_arguments_of_texts():
    array = np.arange(4000.0).reshape(4, 1000)
    dataset = weir.parse(
        "from_tensor_slices(@a) | take(@n) | map(x -> {x, s: @s}) | concatenate(@d)",
        a=array,
        n=1,
        s='say "hi"',
        d=weir.from_tensor_slices(array).map(lambda x: {"x": x, "s": "d"}),
    )
    rows = list(dataset)
    assert rows[0]["s"] == b'say "hi"'
    assert np.shares_memory(rows[0]["x"], array)
    assert len(rows) == 5
    structured = weir.parse('from_tensor_slices(@data) # "@data"', data={"a": np.arange(3), "b": [1, 2, 3]})
    assert list(structured)[2] == {"a": 2, "b": 3}
    function = weir.py_function(lambda x: x + 1, spec="int64", inputs="(int64,)")
    assert [int(x) for x in weir.parse("range(3) | map(@f)", f=function)] == [1, 2, 3]
    with pytest.raises(TypeError, match="inputs="):
        weir.parse("range(3) | map(@f)", f=weir.py_function(lambda x: x, spec="int64"))


def test_each_loop_begins_the_next_epoch():
    dataset = weir.range(10).shuffle(10, seed=3)
    loops = [[int(x) for x in dataset] for _ in range(3)]
    assert len({tuple(loop) for loop in loops}) == 3
    by_epoch = [[int(x) for x in dataset.iterator(epoch=epoch)] for epoch in range(3)]
    assert loops == by_epoch
    again = weir.range(10).shuffle(10, seed=3).repeat(3)
    assert [int(x) for x in again] == sum(loops, [])


def test_random_access():
    dataset = weir.range(20).map(lambda x: (x, x * x)).batch(3)
    assert len(dataset) == 7
    assert dataset[6][1].tolist() == [324, 361]
    assert dataset[-1][0].tolist() == [18, 19]
    assert dataset.at(0)[0].tolist() == [0, 1, 2]
    with pytest.raises(IndexError):
        dataset[7]
    with pytest.raises(weir.errors.FailedPrecondition, match="shuffle"):
        weir.range(5).shuffle(5)[0]
    with pytest.raises(TypeError, match="infinite"):
        len(weir.range(5).repeat())
    assert weir.range(5).repeat().count == weir.INFINITE
    assert weir.range(5).filter(lambda x: x > 1).count == weir.UNKNOWN
    assert weir.range(0) and len(weir.range(0)) == 0


def test_terminals():
    assert weir.range(7).cardinality() == 7
    assert int(weir.range(1, 2).get_single_element()) == 1
    assert [int(x) for x in weir.range(3).map(lambda x: weir.range(x).reduce(0, lambda s, y: s + y))] == [0, 0, 1]


def test_save_and_load(tmp_path):
    assert weir.range(5).save(tmp_path / "saved") is None
    assert [int(x) for x in weir.load(tmp_path / "saved")] == list(range(5))


@pytest.mark.parametrize("elements", [4, 100_000])
def test_save_that_fails_leaves_the_folder(tmp_path, elements):
    folder = tmp_path / "saved"
    failing = weir.range(elements).map(lambda x: 6 // (x - 1))
    weir.range(5).save(folder)
    before = sorted(os.listdir(folder))
    for _ in range(5):
        with pytest.raises(weir.errors.InvalidArgument):
            failing.save(folder)
        assert sorted(os.listdir(folder)) == before
        with pytest.raises(weir.errors.InvalidArgument):
            next(weir.from_tensors(str(folder)).map(lambda path: failing.save(path)).iterator())
        assert sorted(os.listdir(folder)) == before
    assert [int(x) for x in weir.load(folder)] == list(range(5))
    failing.ignore_errors().save(folder)
    assert len(weir.load(folder)) == elements - 1


def test_pickle_and_copy():
    dataset = weir.from_tensor_slices(np.arange(6)).map(lambda x: x * 2).shuffle(6, seed=1)
    again = pickle.loads(pickle.dumps(dataset))
    assert str(again) == str(dataset)
    assert [int(x) for x in again] == [int(x) for x in dataset]
    assert str(copy.deepcopy(dataset)) == str(dataset)
    with pytest.raises(weir.errors.FailedPrecondition, match="functions of Python"):
        pickle.dumps(weir.range(3).map(weir.py_function(lambda x: x, spec="int64")))
    spec = weir.Spec("{a: int64, b: (string, float32[?, 3])}")
    assert pickle.loads(pickle.dumps(spec)) == spec


def test_registered_functions_are_serialized_by_name():
    weir.register("doubled", weir.py_function(lambda x: x * 2, spec="int64", inputs="(int64,)"))
    dataset = pickle.loads(pickle.dumps(weir.parse("range(3) | map(@doubled)")))
    assert [int(x) for x in dataset] == [0, 2, 4]
    with pytest.raises(weir.errors.AlreadyExists):
        weir.register("doubled", weir.py_function(lambda x: x, spec="int64", inputs="(int64,)"))


def test_specs():
    spec = weir.Spec("{a: int64, b: (string, float32[?, 3]), c: sparse<int32>[4]}")
    assert spec.kind == "dict" and spec.keys == ("a", "b", "c")
    pair = spec.children[1]
    assert pair.kind == "tuple" and pair.children[1].shape == (None, 3) and pair.children[1].dtype == "float32"
    assert spec.component("b.1") == 2 and spec.component_count == 6
    assert weir.Spec("uint8[...]").shape is None
    with pytest.raises(weir.errors.NotFound):
        spec.component("z")
    with pytest.raises(weir.errors.InvalidArgument, match="line 1, column"):
        weir.Spec("{a: int65}")


def test_mistakes_are_shown_where_they_are():
    with pytest.raises(weir.errors.InvalidArgument, match=r"(?s)line 1, column 13.*\^"):
        weir.parse("range(10) | betch(4)")
    problems = weir.check("range(10) | betch(4)")
    assert problems[0]["span"]["column"] == 13
    assert weir.check("range(10) | batch(4)") == []
    with pytest.raises(ValueError):
        weir.range(10).batch(0)


def test_an_iterator_goes_on_after_an_element_that_failed(tmp_path):
    iterator = iter(weir.range(4).map(lambda x: 6 // (x - 1)))
    assert next(iterator) == -6
    with pytest.raises(weir.errors.InvalidArgument, match="division by zero") as raised:
        next(iterator)
    assert raised.value.goes_on and raised.value.path == "map" and raised.value.code == 3
    assert [int(x) for x in iterator] == [6, 3]
    file = tmp_path / "numbers.csv"
    file.write_text("1\nx\n3\n")
    iterator = iter(weir.csv(str(file), [np.dtype("int64")]))
    next(iterator)
    with pytest.raises(weir.errors.InvalidArgument) as raised:
        next(iterator)
    assert raised.value.file == str(file) and raised.value.record == 1
    assert next(iterator) == (3,)
    missing = iter(weir.text_line(tmp_path / "nothing"))
    with pytest.raises(LookupError):
        next(missing)


def test_real_data(digits):
    names = weir.list_files(digits / "train-*.tfrecord.gz", shuffle=False)
    records = names.interleave(lambda f: weir.tfrecord(f, compression="gzip"), cycle_length=4)
    examples = records.map(lambda r: weir.fn.parse_example(r, {"image": "string", "label": np.int64}))
    images = examples.map(lambda e: (weir.fn.reshape(weir.fn.decode_raw(e.image, np.uint8), [8, 8]), e.label)).batch(
        100
    )
    batches = list(images)
    assert sum(len(labels) for _, labels in batches) == 1440
    assert batches[0][0].shape == (100, 8, 8) and batches[0][0].dtype == np.uint8
    assert set(np.concatenate([labels for _, labels in batches])) == set(range(10))


def test_records(tmp_path):
    file = tmp_path / "written.tfrecord"
    with weir.RecordWriter(file, compression="gzip") as writer:
        for i in range(3):
            writer.write(weir.example({"n": i, "x": [0.5, i], "s": ["a", b"b"], "t": "one"}))
    features = {"n": "int64", "x": "float32[2]", "s": "varlen(string)", "t": "string"}
    rows = list(weir.tfrecord(file, compression="gzip").map(lambda r: weir.fn.parse_example(r, features)))
    assert [int(row["n"]) for row in rows] == [0, 1, 2]
    assert rows[2]["x"].tolist() == [0.5, 2.0]
    assert rows[0]["s"].values.tolist() == [b"a", b"b"] and rows[0]["t"] == b"one"


@pytest.mark.parametrize("compression", ["", "gzip", "zlib", "zstd", "lz4", "bz2", "xz"])
def test_records_in_each_compression(tmp_path, compression):
    file = tmp_path / "records"
    with weir.RecordWriter(file, compression=compression, level=1 if compression else 0) as writer:
        writer.write(b"one")
        writer.write(b"two")
    assert list(weir.tfrecord(file, compression="auto")) == [b"one", b"two"]
    with pytest.raises(weir.errors.InvalidArgument, match='"bz2" or "xz"'):
        weir.RecordWriter(file, compression="lzma")
    with pytest.raises(weir.errors.InvalidArgument, match="level"):
        weir.RecordWriter(file, compression=compression, level=30)


def test_what_is_generated_is_complete():
    schema = weir.schema()
    for entry in schema["operators"]:
        where = weir if entry["kind"] == "source" else weir.Dataset
        made = getattr(where, entry["name"])
        assert made.__doc__, entry["name"]
    for entry in schema["functions"]:
        if entry["kind"] == "function":
            name = "assert_" if entry["name"] == "assert" else entry["name"]
            assert entry["doc"].split()[0] in getattr(weir.fn, name).__doc__
            assert name in weir.fn.__all__
    for name in weir.__all__:
        made = getattr(weir, name)
        assert not callable(made) or made.__doc__, name


def test_every_example_of_the_schema_runs():
    for entry in weir.schema()["operators"]:
        # Those that write, or need a device, an extension or something passed by name, have tests of their own.
        example = entry["example"]
        if entry["name"] in ("save", "snapshot", "sql", "load", "to_device") or not example or "@" in example:
            continue
        for _, element in zip(range(20), weir.parse(example), strict=False):
            assert element is not None


class Counting:
    """A function that counts its calls."""

    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return x


def counted(count=5):
    function = Counting()
    return function, weir.range(count).map(weir.py_function(function, spec="int64"))


def test_loops_share_a_cache():
    function, dataset = counted()
    dataset = dataset.cache()
    for _ in range(3):
        assert [int(x) for x in dataset] == [0, 1, 2, 3, 4]
    assert function.calls == 5
    assert [int(x) for x in dataset.iterator(epoch=7)] == [0, 1, 2, 3, 4]
    assert function.calls == 5


def test_what_follows_a_shared_cache_goes_on():
    function, dataset = counted(20)
    dataset = dataset.shuffle(20, seed=1).cache().shuffle(20, seed=2)
    orders = [[int(x) for x in dataset] for _ in range(3)]
    assert function.calls == 20
    assert len(set(map(tuple, orders))) == 3
    # The same as without sharing: one iterator over several epochs.
    repeated = weir.range(20).shuffle(20, seed=1).cache().shuffle(20, seed=2).repeat(3)
    assert sum(orders, []) == [int(x) for x in repeated]


def test_loops_at_once_share_a_cache():
    function, dataset = counted()
    dataset = dataset.cache()
    first, second = iter(dataset), iter(dataset)
    assert [(int(a), int(b)) for a, b in zip(first, second, strict=True)] == [(x, x) for x in range(5)]
    assert [int(x) for x in dataset] == [0, 1, 2, 3, 4]
    assert function.calls == 10


def test_caches_of_other_parameters_are_apart():
    dataset = weir.parse("param n: int64 range(3) | map(x -> x * $n) | cache()")
    for _ in range(2):
        for n in (1, 2):
            assert [int(x) for x in dataset.iterator(params={"n": n})] == [0, n, 2 * n]
    dataset = weir.range(4).shard("auto", "auto").cache()
    for _ in range(2):
        assert [[int(x) for x in dataset.iterator(rank=r, world_size=2)] for r in range(2)] == [[0, 2], [1, 3]]


def test_positions_with_a_shared_cache():
    dataset = weir.range(20).shuffle(20, seed=3).map(lambda x: weir.fn.float32(x) + weir.fn.random_uniform([], seed=1))
    dataset = dataset.cache().shuffle(5, seed=4)
    other = weir.parse(str(dataset))
    for epoch in range(3):
        iterator = iter(dataset)
        taken = [float(next(iterator)) for _ in range(7)]
        position = iterator.save()
        rest = [float(x) for x in iterator]
        assert [float(x) for x in other.iterator(checkpoint=position)] == rest
        assert [float(x) for x in dataset.iterator(checkpoint=position)] == rest
        assert len(set(taken + rest)) == 20, epoch


def logged(text, loops, **arguments):
    """What the log says of loops that stop as they say."""
    lines = []
    runtime = weir.Runtime(logger=lambda level, line: lines.append(line), log_level=3)
    dataset = weir.parse(text, runtime=runtime, **arguments)
    for count in loops:
        iterator = iter(dataset)
        for _ in range(count):
            next(iterator, None)
        del iterator
    del dataset
    runtime.close()
    return [line for line in lines if "cache" in line]


def test_a_cache_that_never_fills_warns(tmp_path):
    for cache in ("cache()", f'cache("{tmp_path}/c")'):
        text = f"range(100000000) | map(x -> x + 1) | {cache}"
        (line,) = logged(text, [2, 2, 2])
        assert "an earlier pass stopped before the end" in line
        assert "reads its input again" in line
    # In one loop, too.
    (line,) = logged("range(3000) | cache() | take(4) | repeat(3)", [12])
    assert "put take() before the cache" in line


def test_a_cache_that_fills_does_not_warn(tmp_path):
    for cache in ("cache()", f'cache("{tmp_path}/c")'):
        assert logged(f"range(3) | {cache}", [4, 4, 2, 4]) == []
    assert logged("range(3) | cache() | repeat(2)", [7]) == []


class Meeting:
    """A function of which so many calls must be inside at once."""

    def __init__(self, count):
        self.barrier = threading.Barrier(count, timeout=60)

    def __call__(self, x):
        self.barrier.wait()
        return x


def test_functions_are_called_in_parallel_where_asked():
    # Fewer calls at once than these never return.
    for count in (2, 4, 8):
        function = weir.py_function(Meeting(count), spec="int64")
        assert [int(x) for x in weir.range(16).map(function, num_parallel_calls=count)] == list(range(16))
    function = weir.py_function(Meeting(4), spec="int64")
    assert [int(x) for x in weir.range(16).map(lambda x: function(x) + 1, num_parallel_calls=4)] == list(range(1, 17))


def test_functions_run_ahead_before_a_prefetch():
    ahead = threading.Event()

    def second(x):
        if x == 1:
            ahead.set()
        return x

    for dataset in (
        weir.range(4).map(weir.py_function(second, spec="int64")),
        weir.from_generator(lambda: map(second, range(4)), "int64"),
    ):
        ahead.clear()
        iterator = dataset.prefetch(2).iterator()
        next(iterator)
        # Nobody asks for the second element.
        assert ahead.wait(60)
        assert [int(x) for x in iterator] == [1, 2, 3]


def test_functions_that_cannot_be_called_in_parallel_are_refused():
    class Stateful(Counting):
        def state_dict(self):
            return {}

        def load_state_dict(self, state):
            pass

    for function in (
        weir.py_function(lambda x: x, spec="int64", on_caller=True),
        weir.py_function(lambda x: x, spec="int64", concurrent=False),
        weir.py_function(Stateful(), spec="int64"),
    ):
        for calls in (2, "auto"):
            with pytest.raises(TypeError, match=r"num_parallel_calls needs .* concurrent=True, on_caller=False"):
                weir.range(3).map(function, num_parallel_calls=calls)
        assert [int(x) for x in weir.range(3).map(function)] == [0, 1, 2]


def first_of(x):
    return weir.range(x + 1).map(lambda y: y)


# Where a function stands that `f` is called in, of a dataset that makes several calls at once.
PARALLEL = {
    "an expression": lambda d, f, calls: d.map(lambda x: f(x) + 1, num_parallel_calls=calls),
    "weir.fn": lambda d, f, calls: d.map(lambda x: weir.fn.abs(f(x)), num_parallel_calls=calls),
    "a structure": lambda d, f, calls: d.map(lambda x: {"a": (x, f(x))}, num_parallel_calls=calls),
    "a branch": lambda d, f, calls: d.map(lambda x: weir.cond(x > 1, lambda: f(x), x), num_parallel_calls=calls),
    "a helper": lambda d, f, calls: d.map(functools.partial(lambda x, g: g(x) * 2, g=f), num_parallel_calls=calls),
    "a map in the function": lambda d, f, calls: d.map(
        lambda x: first_of(x).map(f).batch(9).get_single_element(), num_parallel_calls=calls
    ),
    "a filter in the function": lambda d, f, calls: d.map(
        lambda x: first_of(x).filter(lambda y: f(y) >= 0).cardinality(), num_parallel_calls=calls
    ),
    "a reduce in the function": lambda d, f, calls: d.map(
        lambda x: first_of(x).reduce(0, lambda s, y: s + f(y)), num_parallel_calls=calls
    ),
    "a lambda in a lambda": lambda d, f, calls: d.map(
        lambda x: first_of(x).reduce(0, lambda s, y: s + weir.range(y + 1).reduce(0, lambda t, z: t + f(z))),
        num_parallel_calls=calls,
    ),
    "a dataset that was made before": lambda d, f, calls: (
        lambda made: d.map(lambda x: made.batch(9).get_single_element(), num_parallel_calls=calls)
    )(weir.range(3).map(f)),
    "a dataset over one that was made before": lambda d, f, calls: (
        lambda made: d.map(lambda x: made.take(x + 1).reduce(0, lambda s, y: s + y), num_parallel_calls=calls)
    )(weir.range(3).map(lambda x: f(x)).batch(1).unbatch()),
    "a dataset of a text": lambda d, f, calls: (
        lambda made: d.map(lambda x: made.reduce(0, lambda s, y: s + y), num_parallel_calls=calls)
    )(weir.parse("range(3) | map(@f)", f=f)),
    "a parallel map in a map": lambda d, f, calls: d.map(
        lambda x: first_of(x).map(lambda y: f(y), num_parallel_calls=calls).reduce(0, lambda s, y: s + y)
    ),
    "interleave": lambda d, f, calls: d.interleave(
        lambda x: first_of(x).map(lambda y: f(y)), cycle_length=2, num_parallel_calls=calls
    ),
    "map_and_batch": lambda d, f, calls: d.map_and_batch(lambda x: f(x) + 1, 2, num_parallel_calls=calls),
}


@pytest.mark.parametrize("where", PARALLEL)
def test_functions_that_call_such_functions_are_refused_as_well(where):
    alone = weir.py_function(lambda x: x, spec="int64", concurrent=False, inputs="(int64,)")
    at_once = weir.py_function(lambda x: x, spec="int64", inputs="(int64,)")
    for calls in (2, "auto"):
        with pytest.raises(
            TypeError, match=r"num_parallel_calls needs .* of its flags; .* concurrent=True, on_caller=False"
        ):
            PARALLEL[where](weir.range(3), alone, calls)
    expected = [str(x) for x in PARALLEL[where](weir.range(3), at_once, 1)]
    assert [str(x) for x in PARALLEL[where](weir.range(3), alone, 1)] == expected
    assert [str(x) for x in PARALLEL[where](weir.range(3), at_once, 2)] == expected


def test_functions_outside_the_parallel_calls_take_one_call_at_a_time():
    alone = weir.py_function(lambda x: x + 1, spec="int64", concurrent=False, inputs="(int64,)")
    before = weir.range(3).map(alone).map(lambda x: x * 2, num_parallel_calls=2)
    assert [int(x) for x in before] == [2, 4, 6]

    def inner(x):
        added = alone(x)
        return weir.range(2).map(lambda y: y + added, num_parallel_calls=2).reduce(0, lambda s, y: s + y)

    assert [int(x) for x in weir.range(3).map(inner)] == [3, 5, 7]
    with pytest.raises(TypeError, match="num_parallel_calls needs"):
        weir.range(3).map(inner, num_parallel_calls=2)


def test_registered_functions_are_refused_in_texts_of_lambdas():
    alone = weir.py_function(lambda x: x, spec="int64", concurrent=False, inputs="(int64,)")
    weir.register("takes_one_call", alone)
    with pytest.raises(TypeError, match="num_parallel_calls needs"):
        weir.range(3).map("x -> @takes_one_call(x) + 1", num_parallel_calls=2)
    assert [int(x) for x in weir.range(3).map("x -> @takes_one_call(x) + 1")] == [1, 2, 3]


UNSEEDED = [
    "range(40) | shuffle(40)",
    "sample_from_datasets([range(20), range(20, 40)])",
    "range(40) | map(x -> (x, random_uniform([])))",
]


@pytest.mark.parametrize("text", UNSEEDED)
def test_what_was_drawn_when_the_dataset_was_built_travels(text):
    dataset = weir.parse(text)
    expected = [str(x) for x in dataset.iterator()]
    assert [str(x) for x in pickle.loads(pickle.dumps(dataset)).iterator()] == expected
    assert [str(x) for x in weir.deserialize(dataset.serialize()).iterator()] == expected
