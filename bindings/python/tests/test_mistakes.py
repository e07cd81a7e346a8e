"""What newcomers write, and what the message says to do."""

import io
import tarfile

import numpy as np
import pytest
from conftest import ROOT

import weir

NUMBERS = weir.range(3)
PARAMETERS = weir.parse("param n: int64 param m: int64 range($n, $m)")


def failing():
    raise ValueError("the server is away")


def returning(value, spec):
    return NUMBERS.map(weir.py_function(lambda x: value, spec=spec))


MISTAKES = [
    (lambda: weir.fn.argmax(np.zeros([0])), "at least one entry along the axis, found none"),
    (lambda: iter(PARAMETERS), r"\$n of int64, for \$m of int64, found none; give params=\{"),
    (lambda: list(weir.from_generator(failing, "int64")), r"^ValueError: the server is away \(in from_generator\)"),
    (lambda: list(weir.from_generator(failing, "int64").prefetch(1)), "^ValueError: the server is away"),
    (lambda: list(weir.from_generator(lambda: None, "int64")), "^TypeError: 'NoneType' object is not iterable"),
    (lambda: list(NUMBERS.map(lambda x: 1 // x)), r"in // of int64 and int64 \(in map\)"),
    (lambda: list(weir.parse("range(3) | map(x -> 1 // x)")), r"int64 at line 1, column 21 \(in map\)"),
    (lambda: list(returning(1, "int64[3]")), r"^expected shape \[3\] for the result, as its spec says, found a scalar"),
    (lambda: list(returning((1, [2]), "(int64, int64)")), r"a scalar for component 1 of .*, found shape \[1\]"),
    (lambda: NUMBERS[0:2], r"dataset\[2:5\] is dataset\.skip\(2\)\.take\(3\)"),
    (lambda: NUMBERS["a"], "'str' object cannot be interpreted as an integer"),
    (lambda: iter(NUMBERS).load_state_dict({}), r"state_dict\(\).* the key 'position', found one with \[\]"),
    (lambda: NUMBERS.iterator(rank=1), "world_size is given with rank"),
    (lambda: NUMBERS.iterator(checkpoint_policy="none"), '="refuse", "by_value" or "ignore", found \'none\''),
    (lambda: NUMBERS.iterator(strings="str"), 'expected strings="bytes" or "text", found \'str\''),
    (lambda: NUMBERS.batch(2, drop_last=True), "^batch has no parameter drop_last; it is written drop_remainder"),
    (lambda: NUMBERS.batch(bs=2), "it is written n"),
    (lambda: NUMBERS.shuffle(2, sed=1), "did you mean seed"),
    (lambda: weir.csv("x", ["int64"], sep=";"), "it is written delim"),
    (lambda: weir.fn.sum([1], dim=0), "sum has no parameter dim; it is written axis"),
    (lambda: weir.jsonl("x", {"a": None}), r"optional\(int64\)"),
    (lambda: weir.jsonl("x", {"a": "flaot32"}), "did you mean float32"),
    (lambda: weir.jsonl("x", {"a": str, "b": [{"c": int}]}), r"write a list of objects as 'list\(\{name: type\}\)'"),
    (lambda: list(weir.lmdb("words.mdb", {"keey": "string"})), "found key, value; did you mean key"),
    (lambda: list(weir.webdataset("a.tar", {"jpgg": "string"})), "found jpg, cls; did you mean jpg"),
    (lambda: list(weir.tokens("a.npy", 2, "uint16")), r"a NumPy array \(.npy\): read it by npy"),
]


@pytest.mark.parametrize("case", MISTAKES, ids=range(len(MISTAKES)))
def test_mistakes_are_answered(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words.mdb").write_bytes((ROOT / "tests/golden/data/words.mdb").read_bytes())
    np.save("a.npy", np.arange(4, dtype=np.uint16))
    with tarfile.open("a.tar", "w") as archive:
        for name in ("0.jpg", "0.cls"):
            archive.addfile(tarfile.TarInfo(name), io.BytesIO())
    mistaken, said = case
    with pytest.raises((weir.Error, TypeError, ValueError), match=said):
        mistaken()


@pytest.mark.parametrize("default", ["-", b"-", 'string = "-"'])
def test_defaults_of_fields_are_those_of_python(default, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"n": 1}\n{"a": "x"}\n')
    (tmp_path / "a.csv").write_text("a,n\n,1\nx,\n")
    (tmp_path / "b.csv").write_text(",1\nx,\n")
    fields = {"a": default, "n": 7}
    read = list(weir.jsonl(tmp_path / "a.jsonl", fields))
    assert read == list(weir.csv(tmp_path / "a.csv", fields, header=True)) == [{"a": b"-", "n": 1}, {"a": b"x", "n": 7}]
    assert read == list(weir.csv(tmp_path / "b.csv", fields))
