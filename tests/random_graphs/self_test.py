#!/usr/bin/env python3
"""Tests what the random documents are judged by: the model, the runner's comparisons, and the shrinker.

    self_test.py RUNNER

The model has to give what TensorFlow gave for the cases of tests/conformance that it understands, and for those of
epochs.cases; the runner has to see each way in which rows can be wrong.
"""

import pathlib
import re
import sys

import model
from generate import random_document
from parse import parse
from random_graphs import Expected, Runner, way_of
from shrink import shrink
from syntax import text_of
from values import Open, Unknown

TESTS = pathlib.Path(__file__).resolve().parent.parent
# At least this many of the cases in tests/conformance.
UNDERSTOOD = 400
# One that ignores `start`, against elementwise:enumerate-start.
CONTRADICTED = {"enumerate-of-tuples-pattern"}

# What no case of TensorFlow's shows, as the notation defines it.
DEFINED = [
    ("range(2) | map(x -> (int8(127) + int8(x), -9223372036854775808 - x))",
     ["(127, -9223372036854775808)", "(-128, 9223372036854775807)"]),
    ("range(-3, 4, 3) | map(x -> (x // 2, x % 2, x / 2, float64(x) // 0.0))",
     ["(-2, 1, -1.5, -inf)", "(0, 0, 0.0, nan)", "(1, 1, 1.5, inf)"]),
    ("range(1) | map(x -> (inf // float32(x + 1) == inf, float64(inf) // 1.0))", None),
    ("range(1) | map(x -> float64(inf) // (float64(x) + 1.0))", ["nan"]),
    ("range(3) | map(x -> if x == 0 then {a: x, b: 1} else {b: 2, a: x})",
     ["{a: 0, b: 1}", "{a: 1, b: 2}", "{a: 2, b: 2}"]),
    ("range(1) | map(x -> {a: x, b: 1}) | concatenate(range(1) | map(x -> {b: 2, a: 3}))",
     ["{a: 0, b: 1}", "{a: 3, b: 2}"]),
    ("range(0) | map(x -> {a: x, b: 1}) | concatenate(range(1) | map(x -> {b: 2, a: 3}))", ["{a: 3, b: 2}"]),
    ("zip(range(3) | map(x -> assert(x != 2, \"m\", x)), range(2))", ["(0, 0)", "(1, 1)"]),
    ("range(4) | map(x -> assert(x % 2 == 1, \"m\", x)) | take(1)", ["error: invalid_argument", "1"]),
    ("range(4) | map(x -> assert(x != 1, \"m\", x)) | enumerate(start: 7)",
     ["(7, 0)", "error: invalid_argument", "(9, 2)", "(10, 3)"]),
    ("let n = range(3) | reduce(0, (s, x) -> assert(x < 2, \"m\", s))\nrange(2) | map(x -> n)",
     ["error: invalid_argument"] * 2),
    ("let f = x -> x / 2\nlet g = (d, n) -> d | map(x -> f(x)) | batch(n)\nrange(3) | g(2)", ["[0.0, 0.5]", "[1.0]"]),
    ("range(2) | map(x -> range(x) | map(y -> y + 5))", ["dataset([])", "dataset([5])"]),
    ("range(3) | map(x -> bitcast(int16(x + 255), uint8))", ["[255, 0]", "[0, 1]", "[1, 1]"]),
    ("tfrecord([\"three.tfrecord\", \"missing.tfrecord\", \"cut_body.tfrecord\"], num_parallel_reads: 2)",
     ['"x"', "error: not_found", '""', '"record 0"', '"\\x00\\x01\\xff"', '"record 1"', "error: data_loss"]),
    ("list_files(\"t*.tfrecord\", shuffle: false)", ['"three.tfrecord"']),
]


def cases_of(path):
    """(name, document, lines, whether it is stopped early) of the cases that expect exact rows."""
    for block in path.read_text(encoding="utf-8").split("====\n"):
        block = re.sub(r"\A(#.*\n)+", "", block)
        head, _, tail = block.partition("---\n")
        run = re.search(r"^run: (.*(?:\n  .*)*)", head, re.M)
        lines = [re.sub(r"^(error: \w+).*", r"\1", line) for line in tail.rstrip("\n").split("\n")]
        case = re.match("case: (.*)", block).group(1)
        inexact = re.search(r"^(tolerance|unordered|param)", head, re.M) or lines[0].startswith("build error")
        if not run or case in CONTRADICTED or inexact:
            continue
        take = re.search(r"^take: (\d+)", head, re.M)
        yield case, run.group(1), lines, take and int(take.group(1))


def check_cases(path, folder):
    """(how many cases are understood, descriptions of those that are wrong)."""
    understood, wrong = 0, []
    for case, text, lines, take in cases_of(path):
        try:
            found, _ = model.run(parse(text), str(folder), take or 10000)
        except (Unknown, Open):
            continue
        understood += 1
        # A terminal's case does not write the end down.
        if found != lines and found != lines + ["end"]:
            wrong.append(f"{path.stem}:{case}\n  expected {lines[:10]}\n  found    {found[:10]}")
    return understood, wrong


def model_gives_what_tensorflow_gave():
    folder = TESTS / "conformance"
    counts = [check_cases(path, folder) for path in sorted(folder.glob("*.cases"))]
    wrong = [text for _, texts in counts for text in texts]
    understood = sum(count for count, _ in counts)
    if understood < UNDERSTOOD:
        wrong.append(f"only {understood} cases were understood, expected {UNDERSTOOD}")
    epochs, wrong_epochs = check_cases(pathlib.Path(__file__).parent / "epochs.cases", folder)
    return wrong + wrong_epochs + ([] if epochs > 20 else ["epochs.cases is not understood"])


def model_gives_what_the_notation_says():
    wrong = []
    for text, lines in DEFINED:
        try:
            found, _ = model.run(parse(text), str(TESTS / "data" / "records"))
        except Unknown:
            found = None
        if found != (lines and lines + ["end"]):
            wrong.append(f"{text}\n  expected {lines}\n  found    {found}")
    return wrong


def documents_are_the_same_for_a_seed():
    texts = [[text_of(random_document(seed)[0]) for seed in range(50)] for _ in range(2)]
    return [] if texts[0] == texts[1] and len(set(texts[0])) > 40 else ["documents of one seed differ"]


def texts_are_read_back():
    trees = [random_document(seed)[0] for seed in range(200)]
    return [text_of(tree) for tree in trees if text_of(parse(text_of(tree))) != text_of(tree)]


def doctored(change):
    """A document whose expectation is wrong."""
    expected = Expected(parse("range(6) | map(x -> assert(x != 3, \"m\", x)) | shuffle(2, seed: 1) | repeat(2)"), "", 1)
    change(expected)
    return expected


def runner_sees(runner):
    def last(lines, line):
        lines[-2] = line
    changes = {
        "rows": [lambda e: e.lines.insert(4, "7"), lambda e: e.lines.pop(5), lambda e: e.lines.pop(),
                 lambda e: e.lines.reverse(), lambda e: last(e.lines, "17"),
                 lambda e: e.lines.__setitem__(e.lines.index("error: invalid_argument"), "error: data_loss"),
                 lambda e: e.second.reverse()],
        "spec": [lambda e: setattr(e, "spec", "int32")],
        "build": [lambda e: setattr(e, "text", "range(3) | map(x -> y)")],
        "same": [lambda e: None, lambda e: setattr(e, "lines", None), lambda e: setattr(e, "spec", "int64")],
    }
    wrong = []
    for kind, list_of_changes in changes.items():
        for i, change in enumerate(list_of_changes):
            found, what = runner.check(doctored(change))
            if found != kind:
                wrong.append(f"change {i}: expected {kind}, found {found} {what}")
    if way_of("saved at 3 14, read on: line 2") != "saved at  , read on":
        wrong.append("way_of")
    return wrong


def shrinker_finds_the_cause():
    tree = parse("let a = range(9) | map(x -> (x, \"s\"))\nlet b = 5\nzip(a, range(7) | filter(x -> x % 2 == 1)) "
                 "| map(((x, s), y) -> {k: x * 13 + b, s, v: [y, 2]}) | batch(3)")
    small = text_of(shrink(tree, lambda candidate: "13" in text_of(candidate)))
    return [] if len(small) < 8 else [f"shrunk to {small}"]


def main():
    runner = Runner(sys.argv[1])
    tests = [model_gives_what_tensorflow_gave, model_gives_what_the_notation_says, documents_are_the_same_for_a_seed,
             texts_are_read_back, lambda: runner_sees(runner), shrinker_finds_the_cause]
    wrong = [text for test in tests for text in test()]
    print(*wrong, f"{len(wrong)} wrong", sep="\n")
    return 1 if runner.close() or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
