"""Python functions become expressions, or say why not."""

import _thread
import math
import operator
import os
import re
import signal
import threading

import numpy as np
import pytest

import weir
from weir import fn
from weir.errors import TraceError


def text(function, source=None):
    """What a function becomes in a map over int64."""
    return str((weir.range(5) if source is None else source).map(function)).partition(" | map(")[2][:-1]


CASES = [
    (lambda x: x + 1, "x -> x + 1"),
    (lambda x: 1 + x, "x -> 1 + x"),
    (lambda x: (x - 2) * (3 - x), "x -> (x - 2) * (3 - x)"),
    (lambda x: x // 2 % 3, "x -> x // 2 % 3"),
    (lambda x: -(x**2), "x -> -x ** 2"),
    (lambda x: (-x) ** 2, "x -> (-x) ** 2"),
    (lambda x: x * -1, "x -> x * -1"),
    (lambda x: x / 4, "x -> x / 4"),
    (lambda x: abs(x), "x -> abs(x)"),
    (lambda x: (x < 1, x >= 2, x == 3, x != 4), "x -> (x < 1, x >= 2, x == 3, x != 4)"),
    (lambda x: (x > 1) & ~(x > 3) | (x == 0), "x -> x > 1 and not x > 3 or x == 0"),
    (lambda x: (x & 1, x | 2, x ^ 3), "x -> (bitwise_and(x, 1), bitwise_or(x, 2), bitwise_xor(x, 3))"),
    (lambda x: x << 2 >> 1, "x -> shift_right(shift_left(x, 2), 1)"),
    (lambda x: (x,), "x -> (x,)"),
    (lambda x: {"a": x, "b c": (x, x)}, 'x -> {a: x, "b c": (x, x)}'),
    (lambda x: fn.arange(x + 3)[1:], "x -> arange(x + 3)[1:]"),
    (lambda x: fn.arange(5)[::-1], "x -> arange(5)[::-1]"),
    (lambda x: fn.arange(5)[x], "x -> arange(5)[x]"),
    (lambda x: fn.eye(3)[..., 0], "x -> eye(3)[..., 0]"),
    (lambda x: fn.eye(3)[None, 1:, -1], "x -> eye(3)[newaxis, 1:, -1]"),
    (lambda x: fn.cast(x, weir.float32), "x -> cast(x, float32)"),
    (lambda x: fn.cast(x, np.uint8), "x -> cast(x, uint8)"),
    (lambda x: fn.float32(x) * 0.5, "x -> float32(x) * 0.5"),
    (lambda x: fn.sum(fn.stack([x, x]), keepdims=True), "x -> sum(stack([x, x]), keepdims: true)"),
    (lambda x: weir.cond(x > 1, lambda: x * 2, 0), "x -> if x > 1 then x * 2 else 0"),
    (lambda x: fn.where(x > 1, x, 0), "x -> where(x > 1, x, 0)"),
    (lambda x: fn.as_string(x) + 'ä"', 'x -> as_string(x) + "\\xc3\\xa4\\""'),
    (lambda x: (x, float("inf"), True, 1e-3), "x -> (x, inf, true, 0.001)"),
    (lambda none: none, "x -> x"),
]


@pytest.mark.parametrize("case", CASES, ids=[expected for _, expected in CASES])
def test_becomes(case):
    function, expected = case
    assert text(function) == expected


def test_elements_are_taken_apart_by_the_number_of_parameters():
    pairs = weir.range(3).map(lambda x: (x, x * 10))
    assert text(lambda a, b: a + b, pairs).endswith("map((a, b) -> a + b")
    assert text(lambda t: t[0] + t[1], pairs).endswith("map(t -> t.0 + t.1")
    assert [int(x) for x in pairs.map(lambda *both: both[1] - both[0])] == [0, 9, 18]
    assert [int(x) for x in pairs.map(lambda t: t[-1])] == [0, 10, 20]
    records = weir.range(2).map(lambda x: {"image": x, "b c": -x})
    assert [int(x) for x in records.map(lambda r: r.image + r["b c"])] == [0, 0]
    with pytest.raises(AttributeError, match="expected one of the keys image, b c, found 'label'"):
        records.map(lambda r: r.label)
    with pytest.raises(IndexError, match="expected a position below 2"):
        pairs.map(lambda t: t[2])


def changed(record):
    copy = dict(record)
    copy["b"] = copy.pop("a") + 1
    copy["d"] = copy.get("z", 7)
    del copy["c"]
    return copy


RECORDS = weir.range(3).map(lambda x: {"a": x, "b": x * 2, "c": (x, "s")})
# What a function makes of RECORDS: the structure, and the last element.
MAPPINGS = [
    (lambda r: {**r, "d": 1}, "{a: int64, b: int64, c: (int64, string), d: int64}", [2, 4, (2, b"s"), 1]),
    (
        lambda r: r | {"d": r.a, "b": "t"},
        "{a: int64, b: string, c: (int64, string), d: int64}",
        [2, b"t", (2, b"s"), 2],
    ),
    (lambda r: {"d": 1, "b": "t"} | r, "{d: int64, b: int64, a: int64, c: (int64, string)}", [1, 4, 2, (2, b"s")]),
    (lambda r: r | {"b": r["b"] + 1} | {"e": 0}, "{a: int64, b: int64, c: (int64, string), e: int64}", None),
    (lambda r: weir.cond(r.a > 1, r, r) | weir.cond(r.a > 1, {"b": 1.5}, {"b": 2.5}), None, [2, 1.5, (2, b"s")]),
    (changed, "{b: int64, d: int64}", [3, 7]),
    (lambda r: {key.upper(): value for key, value in r.items() if key != "c"}, "{A: int64, B: int64}", [2, 4]),
    (lambda r: {key: r[key] for key in r if key in {"a", "c"}}, "{a: int64, c: (int64, string)}", [2, (2, b"s")]),
    (lambda r: (len(r), "a" in r, "z" in r, "z" not in r), None, (3, True, False, True)),
    (lambda r: {"n": sum(v for k, v in zip(r.keys(), r.values(), strict=True) if k != "c")}, "{n: int64}", [6]),
    (lambda r: {"x": r.get("a"), "y": r.get("z", 0)}, "{x: int64, y: int64}", [2, 0]),
    (lambda r: r.copy(), str(RECORDS.spec), [2, 4, (2, b"s")]),
]


def read(value):
    """An element without NumPy, keys left out."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return type(value)(read(part) for part in value)
    return value.item() if hasattr(value, "item") else value


@pytest.mark.parametrize("case", MAPPINGS, ids=range(len(MAPPINGS)))
def test_a_dict_is_a_mapping(case):
    function, spec, last = case
    made = RECORDS.map(function)
    assert spec is None or str(made.spec) == spec
    elements = [read(element) for element in made]
    assert len(elements) == 3 and (last is None or elements[-1] == last)


def test_what_a_mapping_tells_is_known_while_tracing():
    seen = []
    RECORDS.map(lambda r: (seen.append((len(r), list(r), [*r.keys()], "a" in r, "z" in r, r.get("z"))), r)[1])
    assert seen == [(3, ["a", "b", "c"], ["a", "b", "c"], True, False, None)]
    with pytest.raises(TraceError, match=r"dict\(x\) is a copy that may"):
        RECORDS.map(lambda r: {**r, "a": r.pop("a")})

    def assigned(record):
        record["a"] = 1
        return record

    with pytest.raises(TraceError, match=r"dict\(x\) a copy that may"):
        RECORDS.map(assigned)
    with pytest.raises(weir.Error, match="expected a tensor"):
        RECORDS.map(lambda r: r | [1])
    RECORDS.map(lambda r: (seen.append([*reversed(r)]), r)[1])
    assert seen[1:] == [["c", "b", "a"]]
    for missing in (lambda r: r["z"], lambda r: r.z):
        with pytest.raises(KeyError, match="expected one of the keys a, b, c, found 'z'"):
            RECORDS.map(missing)


def test_a_dict_whose_keys_are_named_as_methods_of_mappings_is_one():
    rows = weir.range(3).map(lambda x: {"keys": x, "items": x + 1, "values": x + 2})
    for function in (
        lambda e: {**e},
        lambda e: dict(e.items()),
        lambda e: {key: e[key] for key in e.keys()},
        lambda e: dict(zip(e, e.values(), strict=True)),
        lambda e: e | {"keys": e["keys"]},
        lambda e: e.copy(),
    ):
        assert read(list(rows.map(function))[-1]) == [2, 3, 4]
    assert int(list(rows.map(lambda e: e.get("items")))[-1]) == 3


def test_a_tensor_tells_what_is_known_of_it():
    def told(source, function=lambda x: x):
        seen = []
        source.map(lambda x: (seen.append((lambda y: (y.shape, y.ndim, y.dtype))(function(x))), x)[1])
        return seen[0]

    assert told(weir.range(3)) == ((), 0, weir.int64)
    assert told(weir.range(3), lambda x: fn.zeros([2, 3], "float32") + 1) == ((2, 3), 2, np.float32)
    assert told(weir.range(3).batch(2)) == ((None,), 1, "int64")
    assert told(weir.range(3).batch(2, drop_remainder=True), lambda x: x > 1) == ((2,), 1, weir.bool_)
    assert told(weir.range(3), fn.as_string) == ((), 0, weir.string)
    assert told(weir.range(3), lambda x: fn.cast(x, "bfloat16"))[2] == weir.bfloat16
    assert told(weir.empty("float32[...]")) == (None, None, weir.float32)
    assert told(weir.empty("sparse<int64>[?, 10]")) == ((None, 10), 2, weir.int64)
    # It is Python's, so it may choose what is traced.
    either = weir.range(3).map(lambda x: x if x.ndim == 0 and x.dtype == np.int64 else fn.zeros(x.shape))
    assert [int(x) for x in either] == [0, 1, 2]
    with pytest.raises(AttributeError, match="no attribute 'shape'"):
        RECORDS.map(lambda r: r.c.shape)
    # A key of that name is the key.
    assert [int(x) for x in weir.range(3).map(lambda x: {"shape": x}).map(lambda r: r.shape)] == [0, 1, 2]


def test_a_function_of_rows():
    batches = weir.range(5).map(lambda x: {"a": x, "b": fn.stack([x, x * 10])}).batch(3)
    made = batches.map(lambda e: e | {"s": fn.rows(e.b, lambda row: fn.sum(row) + 1)})
    assert str(made.spec) == "{a: int64[?], b: int64[?, 2], s: int64[?]}"
    assert [element["s"].tolist() for element in made] == [[1, 12, 23], [34, 45]]
    seen = []
    both = batches.map(lambda e: fn.rows(e, lambda row: (seen.append(row.b.shape), {**row, "c": row.a - row.b[1]})[1]))
    assert set(seen) == {(2,)}
    assert [element["c"].tolist() for element in both] == [[0, -9, -18], [-27, -36]]
    pairs = batches.map(lambda e: fn.rows((e.a, e.b), lambda a, b: a * b))
    assert [element.tolist() for element in pairs] == [[[0, 0], [1, 10], [4, 40]], [[9, 90], [16, 160]]]
    with pytest.raises(TypeError, match="expected tensors with rows, found int64"):
        weir.range(3).map(lambda x: fn.rows(x, lambda row: row))


def test_what_is_captured():
    array = np.arange(12.0).reshape(3, 4)
    assert next(iter(weir.range(3).map(lambda i: fn.gather(array, i)))).tolist() == [0, 1, 2, 3]
    assert next(iter(weir.range(1).map(lambda x: array + fn.cast(x, np.float64))))[2].tolist() == [8, 9, 10, 11]
    assert text(lambda x: (np.float32(0.5), np.int64(3), np.bool_(True))) == "x -> (float32(0.5), int64(3), true)"
    other = weir.range(3)
    assert text(lambda x: other.map(lambda y: y * x)) == "x -> range(3) | map(y -> y * x)"
    assert [int(v) for v in weir.range(3).flat_map(lambda x: other.map(lambda y: y * x))] == [0, 0, 0, 0, 1, 2, 0, 2, 4]


def test_a_value_used_twice_is_computed_once():
    assert text(lambda x: (lambda y: y + y)(x * x)) == "x -> let _t1 = x * x in _t1 + _t1"
    draws = weir.range(100).map(lambda x: (lambda r: (r, r))(fn.random_uniform([])))
    assert all(first == second for first, second in draws)


def test_a_value_used_twice_in_a_function_of_an_inner_dataset():
    def running(total, x):
        total = total + x
        return total, total * 2

    made = weir.range(4).window(2).flat_map(lambda w: w.scan(0, running).map(lambda x: x + 1))
    assert str(made).count("let _t1 = total + x in") == 1
    assert [int(x) for x in made] == [1, 3, 5, 11]


def test_a_function_with_the_name_of_an_operator():
    assert {*dir(weir.Dataset)} & {*fn.__all__} - {"apply", "cardinality"} == {"unique"}
    distinct = weir.from_tensors(np.array([3, -3, 1])).map(lambda x: fn.unique(fn.abs(x))[0])
    assert distinct.get_single_element().tolist() == [3, 1]
    inner = weir.range(2).map(lambda x: weir.from_tensors(fn.abs(x)).unique().get_single_element())
    assert [int(x) for x in inner] == [0, 1]


def test_a_value_that_goes_into_an_inner_lambda_is_computed_outside():
    def drawn(x):
        r = fn.random_uniform([])
        return weir.range(5).map(lambda y: r)

    values = [float(v) for v in weir.range(20).flat_map(drawn)]
    assert all(len(set(values[i : i + 5])) == 1 for i in range(0, 100, 5))
    assert len(set(values)) == 20
    assert text(lambda x: weir.range(3).map(lambda x: x)) == "x -> range(3) | map(x_2 -> x_2)"


def test_doubling_does_not_double_the_text():
    def grown(x):
        for _ in range(40):
            x = x + x
        return x

    assert [int(v) for v in weir.range(3).map(grown)] == [0, 2**40, 2**41]


def test_a_branch_is_computed_only_where_it_is_taken():
    guarded = weir.range(3).map(lambda x: weir.cond(x == 0, lambda: 0, lambda: (lambda q: q + q)(6 // x)))
    assert [int(v) for v in guarded] == [0, 12, 6]


def listed(x):
    parts = fn.concat([[x], [x + 1]])
    chosen = weir.cond(x > 1, lambda: parts, lambda: parts * 2)
    return fn.shape(chosen)[0] + chosen[0]


def joined(x):
    name = fn.string_join([fn.as_string(x), "b"])
    return weir.cond(x > 0, lambda: (name, 1), lambda: (name + "c", 2))[0]


def stacked(x):
    parts = fn.stack([x, 2])
    return weir.cond(x > 0, lambda: weir.cond(x > 1, lambda: parts, lambda: parts + 1) & 3, lambda: parts)[1]


def inner(x):
    parts = fn.stack([x, 2])
    name = fn.string_join([fn.as_string(x), "b"])
    chosen = weir.range(2).map(lambda i: weir.cond(i > 0, lambda: (name, parts), lambda: ("", parts)))
    return fn.sum(chosen.batch(2).get_single_element()[1])


def test_lists_made_outside_are_used_in_branches_and_inner_functions():
    assert [int(v) for v in weir.range(3).map(listed)] == [2, 4, 4]
    assert list(weir.range(3).map(joined)) == [b"0bc", b"1b", b"2b"]
    assert [int(v) for v in weir.range(3).map(stacked)] == [2, 3, 2]
    assert [int(v) for v in weir.range(3).map(inner)] == [4, 6, 8]


def test_states_that_are_values():
    sums = weir.range(3).scan(fn.zeros([2], weir.int64), lambda s, x: (s + x, s[0]))
    assert [int(x) for x in sums] == [0, 0, 1]
    assert int(weir.range(4).reduce(fn.cast(1, weir.int32), lambda s, x: s + fn.cast(x, weir.int32))) == 7
    assert weir.range(3).reduce(fn.zeros([2]), lambda s, x: s + 1.0).tolist() == [3, 3]
    inside = weir.range(3).map(lambda x: weir.range(x).reduce(x * 10, lambda s, y: s + y))
    assert [int(x) for x in inside] == [0, 10, 21]
    pair = weir.range(3).scan((fn.zeros([]), 0), lambda s, x: ((s[0] + 1.0, s[1] + x), s[1]))
    assert [int(x) for x in pair] == [0, 0, 1]


def test_functions_that_take_lists_take_tuples():
    assert [x.tolist() for x in weir.range(2).map(lambda x: fn.stack((x, x)))] == [[0, 0], [1, 1]]
    assert text(lambda x: fn.reshape(x, (-1, 1))) == "x -> reshape(x, [-1, 1])"
    assert text(lambda x: fn.pad([x], ((1, fn.size(x)),))) == "x -> pad([x], [[1, size(x)]])"
    parts = weir.range(2).map(lambda x: fn.split(fn.stack([x, 5]), 2))
    assert [x.tolist() for x in parts.map(lambda t: fn.concat(t))] == [[0, 5], [1, 5]]


def test_operators_with_functions_of_several_values():
    assert int(weir.range(5).reduce(0, lambda total, x: total + x)) == 10
    assert [int(x) for x in weir.range(4).scan(1, lambda s, x: (s * 2, s + x))] == [1, 3, 6, 11]
    windows = weir.range(10).group_by_window(lambda x: x % 2, lambda key, window: window.batch(5), 5)
    assert [batch.tolist() for batch in windows] == [[0, 2, 4, 6, 8], [1, 3, 5, 7, 9]]
    folded = weir.range(10).group_by_reducer(
        lambda x: x % 3, lambda k: (k, 0), lambda s, x: (s[0], s[1] + x), lambda s: s
    )
    assert [(int(k), int(v)) for k, v in folded] == [(0, 18), (1, 12), (2, 15)]
    state = weir.range(3).map(lambda x: (x, x)).scan({"n": 0}, lambda s, pair: ({"n": s.n + pair[1]}, s.n))
    assert [int(x) for x in state] == [0, 0, 1]
    assert [int(x) for x in weir.range(9).filter(lambda x: x % 4 == 1)] == [1, 5]
    bucketed = weir.range(1, 7).map(lambda x: fn.arange(x)).bucket_by_sequence_length(fn.size, [3], [2, 2])
    assert [b.shape for b in bucketed] == [(2, 2), (2, 4), (2, 6)]


REFUSED = [
    (lambda x: 1 if x > 2 else 0, "weir.cond"),
    (lambda x: x > 1 and x < 3, "weir.cond"),
    (lambda x: not x, "weir.cond"),
    (lambda x: np.sin(x), r"weir\.fn\.sin"),
    (lambda x: np.concatenate([x, x]), r"weir\.fn\.concat\."),
    (lambda x: np.asarray(x), r"weir\.fn\.stack\(\[a, b\]\) makes"),
    (lambda x: math.sqrt(x), r"Use weir\.fn\.sqrt\."),
    (lambda x: float(x) + math.sqrt(2), r"float\(\) of a value cannot"),
    (lambda x: np.arange(9)[x : x + 2], r"sliced by a value cannot.*weir\.fn\.arange\(a, b\)"),
    (lambda x: os.path.basename(x), r"Use weir\.fn\.read_file"),
    (lambda x: [y for y in x], "Iterating"),
    (lambda x: float(x), "float"),
    (lambda x: int(x), "int"),
    (lambda x: operator.index(x), "integer"),
    (lambda x: len(x), "weir.fn.shape"),
    (lambda x: 3 in x, "weir.fn.any"),
    (lambda x: x.astype(np.float32), r"weir\.fn\.cast"),
    (lambda x: round(x, 2), "round"),
    (lambda x: [0, 1, 2][x], "integer"),
]


@pytest.mark.parametrize("case", REFUSED, ids=range(len(REFUSED)))
def test_refused_with_the_line_and_what_to_do(case):
    function, hint = case
    with pytest.raises(TraceError, match=hint) as raised:
        weir.range(5).map(function)
    message = str(raised.value)
    assert f"{__file__}, line {function.__code__.co_firstlineno}" in message
    assert "weir.py_function(f, spec=" in message


def test_a_line_of_a_library_is_not_the_callers(tmp_path, monkeypatch):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "opener_of_files.py").write_text("import os\ndef opened(name):\n    return os.fspath(name)\n")
    monkeypatch.syspath_prepend(folder)
    import opener_of_files

    with pytest.raises(TraceError, match=re.escape(f"({__file__}, line ")):
        weir.from_list(["x"]).map(lambda name: opener_of_files.opened(name))


def test_too_many_parameters():
    with pytest.raises(TypeError, match=r"the lambda has more parameters than it is given: int64$"):
        weir.range(5).map(lambda x, y: x)
    with pytest.raises(TypeError, match=r"given: {a: int64}; x\.key or"):
        weir.range(3).map(lambda x: {"a": x}).map(lambda a, b: a)


def test_other_mistakes():
    with pytest.raises(TraceError, match="found None"):
        weir.range(5).map(lambda x: None)
    with pytest.raises(weir.errors.InvalidArgument, match="does not fit int64"):
        weir.range(5).map(lambda x: x + 1.5)


def test_functions_of_python():
    seen = []

    def lengths(x, y):
        seen.append((type(x), y.shape))
        return {"sum": x + y.sum(), "name": [str(int(x)), b"b"]}

    function = weir.py_function(lengths, spec="{sum: int64, name: string[2]}")
    rows = list(weir.range(3).map(lambda x: (x, fn.arange(x))).map(function))
    assert [int(row["sum"]) for row in rows] == [0, 1, 3]
    assert rows[2]["name"].tolist() == [b"2", b"b"]
    assert seen[2] == (np.int64, (2,))
    assert function.function is lengths


def test_functions_of_python_inside_others():
    add = weir.py_function(lambda a, b: a + b, spec="int64", pure=True)
    dataset = weir.range(5).map(lambda x: add(x, x * x) * 10)
    assert [int(x) for x in dataset] == [0, 20, 60, 120, 200]
    assert add(1, 2) == 3


def test_functions_of_blocks():
    widths = []

    def doubled(x):
        widths.append(len(x))
        return x * 2

    dataset = weir.range(100).map(weir.py_function(doubled, spec="int64", block=True)).batch(50)
    assert [int(batch.sum()) for batch in dataset] == [2450, 7450]
    assert max(widths) == 50


def test_functions_that_fail():
    def picky(x):
        if x == 1:
            raise KeyError("one")
        if x == 2:
            raise weir.errors.DataLoss("two")
        return "three" if x == 3 else x

    iterator = iter(weir.range(5).map(weir.py_function(picky, spec="int64")))
    assert next(iterator) == 0
    with pytest.raises(weir.errors.Unknown, match="KeyError: 'one'") as raised:
        next(iterator)
    assert isinstance(raised.value.__cause__, KeyError)
    assert raised.value.goes_on and raised.value.path == "map"
    with pytest.raises(weir.errors.DataLoss, match="two"):
        next(iterator)
    with pytest.raises(weir.errors.Unknown, match="expected a value of dtype"):
        next(iterator)
    assert next(iterator) == 4
    blocks = iter(weir.range(2).map(weir.py_function(lambda x: x[10], spec="int64", block=True)))
    for _ in range(2):
        with pytest.raises(weir.errors.Unknown, match="IndexError"):
            next(blocks)


def test_an_interrupt_in_a_function_is_an_interrupt():
    def interrupted(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        next(iter(weir.range(5).map(weir.py_function(interrupted, spec="int64"))))


@pytest.fixture
def interruptible():
    """A shell lets what runs in the background ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    "rest",
    [
        lambda d: d,
        lambda d: d.batch(2),
        lambda d: d.shuffle(3, seed=1, reshuffle_each_iteration=False),
        lambda d: d.map(lambda x: x + 1).filter(lambda x: x % 3 != 0),
    ],
)
def test_an_interrupt_in_a_function_loses_no_element(interruptible, rest):
    calls = []

    def tenfold(x):
        calls.append(int(x))
        if x == 2 and calls.count(2) == 1:
            signal.raise_signal(signal.SIGINT)
        return x * 10

    dataset = rest(weir.range(7).map(weir.py_function(tenfold, spec="int64", pure=True)))
    iterator, found, interrupted = iter(dataset), [], False
    while True:
        try:
            found.append(next(iterator).tolist())
            if not interrupted and calls.count(2) == 2:
                threading.Event().wait(10)
        except StopIteration:
            break
        except KeyboardInterrupt:
            interrupted = True
            resumed = iter(dataset)
            resumed.load_state_dict(iterator.state_dict())
            left = [x.tolist() for x in resumed]
    assert interrupted
    expected = [x.tolist() for x in dataset]
    assert found == expected
    assert left == expected[len(expected) - len(left) :] and 0 < len(left) < len(expected)


@pytest.mark.parametrize(
    "loop", [lambda it: [int(x) for x in it], lambda it: [int(x) for x in list(it)], lambda it: it.next_block(1)]
)
def test_an_interrupt_comes_at_the_next_element_of_a_loop_that_does_nothing_else(interruptible, loop):
    calls = []

    def interrupted(x):
        calls.append(int(x))
        if calls in ([0, 1, 2], [0, 1, 2, 2, 3, 4]):
            signal.raise_signal(signal.SIGINT)
        return x

    iterator = weir.range(7).map(weir.py_function(interrupted, spec="int64")).iterator()
    for came_after in ([0, 1, 2, 2], [0, 1, 2, 2, 3, 4, 4]):
        with pytest.raises(KeyboardInterrupt):
            while True:
                loop(iterator)
        assert calls == came_after
    assert [int(x) for x in iterator] == [5, 6]


def interrupting(found, before=2):
    """A function for another thread: during its first call with 2 a Ctrl-C comes, once so many elements were found."""
    calls = []

    def interrupt(x):
        calls.append(int(x))
        if x == 2 and calls.count(2) == 1:
            while len(found) < before:
                threading.Event().wait(0.001)
            _thread.interrupt_main()
        return x + 3

    return weir.py_function(interrupt, spec="int64", on_caller=False, blocking=True, pure=True)


@pytest.mark.parametrize(
    "take",
    [
        lambda it, found: found.append(int(next(it))),
        lambda it, found: found.extend(int(x) for x in it),
        lambda it, found: found.append(int(it.next_within(60.0))),
        lambda it, found: [found.append(int(x)) for x in [it.try_next()] if x is not None],
        lambda it, found: found.append(int(it.next_block(1)[0][0])),
    ],
)
def test_an_interrupt_during_a_wait_loses_no_element(interruptible, take):
    found = []
    dataset = weir.range(8).map(interrupting(found)).prefetch(1)
    iterator = dataset.iterator()
    with pytest.raises(KeyboardInterrupt):
        while True:
            take(iterator, found)
            if 5 in found:
                threading.Event().wait(10)
    assert found in ([3, 4], [3, 4, 5])
    resumed = dataset.iterator()
    resumed.load_state_dict(iterator.state_dict())
    left = [int(x) for x in iterator]
    assert found + left == list(range(3, 11))
    assert [int(x) for x in resumed] == left


def test_an_interrupt_before_an_element_becomes_an_object_loses_no_element(interruptible):
    found = []
    rows = weir.range(5).map(interrupting(found)).map(lambda x: weir.fn.arange(x)).ragged_batch(1).prefetch(1)
    iterator = rows.iterator()
    with pytest.raises(KeyboardInterrupt):
        for x in iterator:
            found.append(len(x[0]))
    assert found + [len(x[0]) for x in iterator] == [3, 4, 5, 6, 7]


def test_an_interrupt_of_a_reader_of_arrow_loses_no_batch(interruptible):
    pyarrow = pytest.importorskip("pyarrow")
    # A batch has 1024 rows.
    found = []
    numbers = weir.range(5).map(interrupting(found, 2048))
    rows = numbers.flat_map(lambda x: weir.range(1024).map(lambda y: 1024 * x + y))
    reader = pyarrow.RecordBatchReader.from_stream(rows.prefetch(1))
    with pytest.raises(KeyboardInterrupt):
        try:
            for batch in reader:
                found += batch["value"].to_pylist()
        except OSError:
            threading.Event().wait(10)
    for batch in reader:
        found += batch["value"].to_pylist()
    assert found == list(range(3 * 1024, 8 * 1024))


class Interrupted:
    """A result that a Ctrl-C interrupts the first time that it becomes an array."""

    def __init__(self, value, times):
        self.value, self.times = value, times

    def __array__(self, dtype=None, copy=None):
        if self.value == 3 and not self.times:
            self.times.append(1)
            signal.raise_signal(signal.SIGINT)
        return np.asarray(self.value, dtype)


@pytest.mark.parametrize("generated", [False, True])
def test_an_interrupt_while_a_result_is_written_loses_no_element(interruptible, generated):
    times = []
    if generated:
        dataset = weir.from_generator(lambda: (Interrupted(x, times) for x in range(6)), "int64")
    else:
        dataset = weir.range(6).map(weir.py_function(lambda x: Interrupted(int(x), times), spec="int64"))
    iterator, found = dataset.iterator(), []
    with pytest.raises(KeyboardInterrupt):
        for x in iterator:
            found.append(int(x))
    assert times == [1]
    assert found + [int(x) for x in iterator] == list(range(6))


def test_an_interrupt_comes_at_the_iterator_whose_function_it_came_in(interruptible):
    calls = []

    def interrupted(x):
        calls.append(int(x))
        if calls == [0, 1, 2, 3]:
            signal.raise_signal(signal.SIGINT)
        return x

    iterator = weir.range(6).map(weir.py_function(interrupted, spec="int64")).iterator()
    found = []
    with pytest.raises(KeyboardInterrupt):
        for x in iterator:
            assert next(weir.range(100).iterator()) == 0
            found.append(int(x))
    assert found + [int(x) for x in iterator] == list(range(6))


def test_an_interrupt_in_a_function_ends_the_wait_for_a_late_element(interruptible):
    calls = []

    def interrupted(x):
        calls.append(int(x))
        if calls == [0, 1, 2]:
            signal.raise_signal(signal.SIGINT)
        return x

    numbers = weir.range(10**12).map(weir.py_function(interrupted, spec="int64"))
    iterator = numbers.filter(lambda x: x < 0).iterator()
    with pytest.raises(KeyboardInterrupt):
        next(iterator)
    assert calls[:5] == [0, 1, 2, 2, 3]


def test_an_interrupt_is_none_of_the_loops_inside_the_function(interruptible):
    calls = []
    inner = weir.range(10**9).map(weir.py_function(lambda x: x, spec="int64")).iterator()

    def interrupted(x):
        calls.append(int(x))
        if calls == [0, 1]:
            signal.raise_signal(signal.SIGINT)
        return next(inner) + 10 * x

    iterator = weir.range(4).map(weir.py_function(interrupted, spec="int64")).iterator()
    found = []
    with pytest.raises(KeyboardInterrupt):
        for x in iterator:
            found.append(int(x))
    assert found == [0, 11] and calls == [0, 1, 1]
    assert [int(x) for x in iterator] == [22, 33]


def test_a_function_with_state_is_saved():
    class Counter:
        def __init__(self):
            self.count = 0

        def __call__(self, x):
            self.count += 1
            return self.count

        def state_dict(self):
            return {"count": self.count}

        def load_state_dict(self, state):
            self.count = state["count"]

    dataset = weir.range(6).map(weir.py_function(Counter(), spec="int64"))
    iterator = iter(dataset)
    assert [int(next(iterator)) for _ in range(3)] == [1, 2, 3]
    state = iterator.state_dict()
    del iterator
    again = dataset.iterator(checkpoint=state["position"])
    assert [int(x) for x in again] == [4, 5, 6]


def test_threads_of_weir_may_call_python():
    function = weir.py_function(lambda x: x + 1, spec="int64", on_caller=False, concurrent=True, pure=True)
    dataset = weir.range(500).map(function, num_parallel_calls=4).prefetch(8)
    assert [int(x) for x in dataset] == list(range(1, 501))


def test_generators():
    runs = []

    def words():
        runs.append(True)
        yield from ((0, "a"), (1, b"b"))

    dataset = weir.from_generator(words, "(int64, string)")
    assert list(dataset) == [(0, b"a"), (1, b"b")]
    assert list(dataset.repeat(2)) == [(0, b"a"), (1, b"b")] * 2
    assert len(runs) == 3
    pure = weir.from_generator(lambda: range(10), "int64", pure=True)
    iterator = iter(pure)
    next(iterator), next(iterator)
    assert [int(x) for x in pure.iterator(checkpoint=iterator.save())] == list(range(2, 10))

    def failing():
        yield 1
        raise ValueError("broken")

    iterator = iter(weir.from_generator(failing, "int64"))
    assert next(iterator) == 1
    with pytest.raises(weir.Error, match="ValueError: broken"):
        next(iterator)
    with pytest.raises(StopIteration):
        next(iterator)


@pytest.mark.parametrize("stateful", [False, True])
@pytest.mark.parametrize("taken", [1, 2, 3])
def test_a_generator_that_cannot_begin_at_a_position_is_an_error(taken, stateful):
    class Nine:
        closed = False

        def __init__(self):
            if self.closed:
                raise FileNotFoundError("no such rows")
            self.rows = iter(range(9))

        def __iter__(self):
            return self.rows

        def state_dict(self):
            return {"rows": list(self.rows)}

        def load_state_dict(self, state):
            self.rows = iter(state["rows"])

    rows = weir.from_generator(Nine, "int64", pure=not stateful, stateful=stateful)
    for dataset in (rows, rows.prefetch(2), rows.map(lambda x: x + 1, num_parallel_calls=2), rows.batch(2)):
        Nine.closed = False
        iterator = dataset.iterator()
        for _ in range(taken):
            next(iterator)
        position = iterator.save()
        Nine.closed = True
        iterator = dataset.iterator(checkpoint=position)
        with pytest.raises(weir.Error, match="FileNotFoundError: no such rows"):
            next(iterator)
        assert list(iterator) == []


def test_an_error_whose_message_is_too_long_is_one():
    """The library takes no message of more than 64 KiB."""

    class Silent:
        def __iter__(self):
            return iter([1, 2])

        def state_dict(self):
            raise ValueError("no state " * 20_000)

    def lost():
        raise ValueError("no rows " * 20_000)

    with pytest.raises(weir.Error, match="from open of a generator"):
        next(iter(weir.from_generator(lost, "int64")))
    iterator = iter(weir.from_generator(Silent, "int64", stateful=True))
    assert next(iterator) == 1
    with pytest.raises(weir.Error, match="from save of a generator"):
        iterator.save()


def test_generators_with_state():
    class Counting:
        def __init__(self):
            self.at = 0

        def __iter__(self):
            return self

        def __next__(self):
            if self.at == 5:
                raise StopIteration
            self.at += 1
            return self.at

        def state_dict(self):
            return {"at": self.at}

        def load_state_dict(self, state):
            self.at = state["at"]

    dataset = weir.from_generator(Counting, "int64", stateful=True)
    iterator = iter(dataset)
    next(iterator), next(iterator)
    assert [int(x) for x in dataset.iterator(checkpoint=iterator.save())] == [3, 4, 5]
