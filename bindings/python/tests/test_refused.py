"""What cannot become an expression is refused by name, with the line of Python and the way out."""

import base64
import copy
import functools
import json
import os
import pickle
import random
import re
import string
import zlib

import numpy as np
import pytest

import weir
from weir import fn
from weir.errors import TraceError


def changed(record):
    record["b"] = 1
    return record


# ruff: noqa: UP031, UP032
TEXTS = [
    lambda x: f"{x}.jpg",
    lambda x: f"{x:03d}",
    lambda x: str(x),
    lambda x: "%s.jpg" % x,
    lambda x: "{}.jpg".format(x),
    lambda x: repr(x),
    lambda x: "%r" % (x,),
    lambda x: fn.read_file("/data/" + repr(x)),
    lambda x: fn.string_length(f"{x!r}".encode()),
    lambda x: fn.stack([np.array([f"{x + 1!r}"]), ["a"]]),
    lambda x: {f"{x!r}": x},
    lambda x: weir.text_line(f"/data/{x!r}.txt").cardinality(),
    lambda x: weir.parse("from_tensors(@name)", name=repr(x)).cardinality(),
    lambda x: (weir.range(3).map(lambda y: f"{y}"), x)[1],
]


@pytest.mark.parametrize("function", TEXTS, ids=range(len(TEXTS)))
def test_the_text_of_a_value_is_no_constant(function):
    with pytest.raises(TraceError, match=r"weir\.fn\.as_string.*weir\.fn\.string_join") as raised:
        weir.range(5).map(function)
    assert f"{__file__}, line {function.__code__.co_firstlineno}" in str(raised.value)


def test_a_value_can_be_looked_at(capsys):
    weir.range(3).map(lambda x: (print(repr(x + 1)), x)[1])
    assert capsys.readouterr().out == "<weir value x + 1>\n"


# Each with a part of what the message says to do.
BY_PYTHON = [
    (lambda s: json.loads(s), r"JSON object must be str.*weir\.py_function"),
    (lambda s: {b"a": 1}[s], r"weir\.fn\.lookup"),
    (lambda s: {b"a": 1}.get(s), r"weir\.fn\.lookup"),
    (lambda s: [0, 1][s], r"weir\.fn\.gather"),
    (lambda s: np.arange(3)[s], r"weir\.fn\.gather"),
    (lambda s: re.sub("a", "b", s), r"weir\.fn\.regex_replace"),
    (lambda s: re.match("a", s), r"weir\.fn\.regex_match"),
    (lambda s: int(s), r"weir\.fn\.to_number\(s, weir\.int64\)"),
    (lambda s: float(s), r"weir\.fn\.to_number\(s, weir\.float32\)"),
    (lambda s: bytes(s), "is bytes already"),
    (lambda s: hash(s), r"weir\.fn\.lookup"),
    (lambda s: s in [b"a", b"b"], r"weir\.fn\.any\(x == \[a, b\]\)"),
    (lambda s: s in {b"a", b"b"}, r"weir\.fn\.any\(x == \[a, b\]\)"),
    (lambda s: {s, 1}, r"A dict has keys, as in \{'x': x\}; a tuple"),
    (lambda s: {c for c in (s, s)}, "A dict has keys"),
    (lambda s: ",".join([s, "b"]), r"weir\.fn\.string_join"),
    (lambda s: s.split(","), r"weir\.fn\.string_split"),
    (lambda s: s.replace("a", "b"), r"weir\.fn\.regex_replace"),
    (lambda s: s.decode(), "nothing has to be converted"),
    (lambda s: open(s), r"weir\.fn\.read_file"),
    (lambda s: os.path.join("/data", s), r"weir\.fn\.string_join"),
    (lambda s: base64.b64decode(s), r"weir\.fn\.decode_base64"),
    (lambda s: zlib.decompress(s), r"weir\.fn\.decode_compressed"),
    (lambda s: np.frombuffer(s, np.uint8), r"weir\.fn\.decode_raw"),
    (lambda s: max(s, b"a"), r"weir\.fn\.maximum"),
    (lambda s: changed(s), "doesn't change"),
]


@pytest.mark.parametrize("case", BY_PYTHON, ids=range(len(BY_PYTHON)))
def test_what_python_says_of_a_value_names_the_way_out(case):
    function, hint = case
    with pytest.raises(TraceError, match=hint) as raised:
        weir.from_tensor_slices(["a", "b"]).map(function)
    assert f"{__file__}, line " in str(raised.value)
    assert "weir.py_function(f, spec=" in str(raised.value)


def test_what_python_says_of_other_things_stays():
    with pytest.raises(TypeError, match="can only concatenate str") as raised:
        weir.range(5).map(lambda x: "a" + 1)
    assert not isinstance(raised.value, TraceError)
    with pytest.raises(KeyError, match="Value"):
        weir.range(5).map(lambda x: {}["Value"])
    with pytest.raises(ValueError, match="Value too large") as raised:
        weir.range(5).map(lambda x: (_ for _ in ()).throw(ValueError("Value too large")))
    with pytest.raises(TypeError, match=r"found a set, which has no order .*line"):
        weir.range(5).map(lambda x: {1, 2})


def test_values_of_a_function_that_has_ended():
    kept = []
    weir.range(3).map(lambda x: (kept.append(x), x)[1])
    weir.range(3).map(lambda x: (kept.append(weir.range(x)), x)[1])
    weir.range(3).map(lambda x: (kept.append(weir.range(2)), x)[1])
    with pytest.raises(TraceError, match="kept from another function"):
        weir.range(5).map(lambda x: x * kept[0])
    with pytest.raises(TraceError, match="kept from another function"):
        weir.range(5).map(lambda x: weir.cond(x > 1, lambda: kept[0], x))
    with pytest.raises(TraceError, match="kept from another function"):
        kept[1].batch(2)
    with pytest.raises(TraceError, match="Taking the elements"):
        list(kept[1])
    assert [x.tolist() for x in kept[2].batch(2)] == [[0, 1]]
    with pytest.raises(TypeError, match="expected a string as the key of a dict, found 1"):
        weir.range(3).map(lambda x: {1: x})


def test_dicts_are_taken_apart_as_in_python():
    records = weir.range(3).map(lambda x: {"a": x, "b": x * 2})
    assert str(records.map(lambda r: {**r, "c": 1}).spec) == "{a: int64, b: int64, c: int64}"
    assert str(records.map(lambda r: {k: v for k, v in r.items() if k != "a"}).spec) == "{b: int64}"
    assert str(records.map(lambda r: r.a if "z" in r else r["b"])) == str(records.map(lambda r: r.b))
    assert [int(x) for x in records.map(lambda r: sum(r.values()))] == [0, 3, 6]
    keyed = weir.range(3).map(lambda x: {"items": x, "keys": x})
    assert [int(x) for x in keyed.map(lambda r: r["items"] + r["keys"])] == [0, 2, 4]


def test_a_build_error_names_the_line_and_the_lambda_and_speaks_python():
    def prepare(x):
        squared = x * x
        return fn.sqrt(squared)

    first = prepare.__code__.co_firstlineno
    with pytest.raises(weir.errors.InvalidArgument) as raised:
        weir.range(5).map(prepare)
    message = str(raised.value)
    assert f"{__file__}, line {first + 1}: `squared = x * x`, used in line {first + 2}, in prepare of map" in message
    assert "as in weir.fn.float64(x)" in message
    assert raised.value.line == "squared = x * x"

    with pytest.raises(weir.errors.InvalidArgument) as raised:
        weir.range(5).filter(lambda x: (lambda y: fn.stack([y, y]) + fn.float32(y + y))(x * x))
    message = str(raised.value)
    assert "in the lambda of filter" in message and f"{__file__}, line " in message
    assert "_t" not in message.replace("test_", "") and "@_" not in message and "->" not in message
    assert "write weir.fn.float32(…) around the other one" in message

    with pytest.raises(ValueError, match=r"batch: n: expected at least 1, found 0 \(.*`weir\.range\(10\)\.batch\(0\)`"):
        weir.range(10).batch(0)
    with pytest.raises(ValueError, match="expected a function"):
        weir.range(10).map(5)
    with pytest.raises(ValueError, match="took") as raised:
        weir.range(3).map(lambda x: weir.range(3).map(lambda took: took + 0.5).reduce(0, lambda s, y: s + y))
    assert "in the lambda of map" in str(raised.value)


def test_mistakes_inside_a_structure_are_found_while_it_is_asked_for():
    def wrong(x):
        both = (x, x + fn.float32(x))
        return both[1].shape

    with pytest.raises(weir.errors.InvalidArgument) as raised:
        weir.range(3).map(lambda x: wrong(x))
    assert f"line {wrong.__code__.co_firstlineno + 1}: `both = (x, x + fn.float32(x))`" in str(raised.value)
    assert "empty(" not in str(raised.value)


def test_bytes_of_a_value_are_refused():
    dataset = weir.range(2)
    for function in (
        lambda x: np.array([repr(x).encode()]),
        lambda x: np.array([repr(x)], object),
        pickle.dumps,
        lambda x: pickle.dumps({"x": x}),
    ):
        with pytest.raises(weir.TraceError, match="cannot become an expression"):
            dataset.map(function)


def test_copies_of_a_value_are_the_value():
    doubled = weir.range(3).map(lambda x: copy.deepcopy({"x": x})["x"] + copy.copy(x))
    assert list(doubled) == [0, 2, 4]


def test_the_line_is_not_one_of_a_library():
    for function in (
        lambda x: string.Template("$x.jpg").substitute(x=x),
        lambda x: random.randint(0, x),
        lambda x: np.full([2], x),
    ):
        with pytest.raises(weir.TraceError, match=r"test_refused\.py, line"):
            weir.range(2).map(function)


def test_an_unknown_name_stays_one():
    def run(code, x):
        return eval(code)

    with pytest.raises(NameError, match="unknown_name"):
        weir.range(2).map(lambda x: functools.reduce(run, [x], "unknown_name"))
