#!/usr/bin/python3
"""Tests what the random expressions are judged by: the comparison, the runner, the shrinker and the generator.

    self_test.py RUNNER
"""

import re
import sys

import numpy as np

import arithmetic
from expressions import apply, constant, document_of, exact, variable
from oracle import Runner, check, expression_of, smaller
from values import FAILED, Val, constant_text, line_is, read_tensor, spec_allows

# Every one of these has to occur in the fewest expressions that ctest runs.
WORDS = """
abs all any arange argmax argmin argsort as_string bitcast bitwise_and bitwise_or bitwise_xor bool boolean_mask
broadcast_to bucketize cast ceil clip concat cos count_nonzero cumsum ensure_shape exp expand_dims expm1 eye float16
float32 float64 floor full gather int16 int32 int64 int8 is_finite is_nan log log1p lower matmul lookup max maximum mean
min minimum negative one_hot ones_like pad pow prod rank reciprocal reshape reverse roll round rsqrt saturate_cast
searchsorted shape shift_left shift_right sigmoid sign sin size sort split sqrt square squeeze stack std string_join
string_length string_split strip substr sum tan tanh tile to_number top_k transpose uint16 uint32 uint64 uint8 unique
unstack upper variance where zeros_like
""".split()
SIGNS = ("+", "-", "*", "/", "//", "%", "**", "==", "!=", "<", "<=", ">", ">=", "and", "or", "not", "if", "let")
EXPRESSIONS = 500


def val(entries, dtype, slack=None):
    array = np.asarray(entries, dtype)
    return Val(array, None if slack is None else np.full(array.shape, slack, np.longdouble))


# (what is expected, a line that is right, lines that are wrong)
LINES = [
    (val([1, -2], "int8"), "[1, -2]", ["[1, 2]", "[1]", "[[1, -2]]", "1", "[1.0, -2]", FAILED, "end", "[1, 300]"]),
    (val(2 ** 63 - 1, "int64"), "9223372036854775807", ["9223372036854775806"]),
    (val([[], []], "float32"), "[[], []]", ["[]", "zeros([0, 2])"]),
    (val(np.zeros((0, 2)), "float32"), "zeros([0, 2])", ["[]", "zeros([0, 3])", "[[], []]"]),
    (val([0.0, np.nan, np.inf], "float64"), "[0.0, nan, inf]",
     ["[-0.0, nan, inf]", "[0.0, 1.0, inf]", "[0.0, nan, nan]"]),
    (val(0.1, "float16"), "0.1", ["0.1001", "0.09991"]),
    (val([0.0, 1.0], "float32", 1e-6), "[-0.0, 1.0000005]", ["[0.0, 1.00001]", "[nan, 1.0]", "[0.0, inf]"]),
    (val(np.inf, "float32", 1e-6), "inf", ["-inf", "3.0e38", "nan"]),
    (val([True, False], "bool"), "[true, false]", ["[true, true]", "[1, 0]"]),
    (val([b'a"\n\xff'], object), '["a\\"\\n\\xff"]', ['["a"]', "[a]", '["a\\"\\n\\xfe"]']),
    (FAILED, "error: invalid_argument", ["error: internal", "1"]),
]

SPECS = [("int64", 5, True), ("int64[2]", [1, 2], True), ("int64[?]", [1, 2], True), ("int64[...]", [1, 2], True),
         ("int64[3]", [1, 2], False), ("int32[2]", [1, 2], False), ("int64[?, ?]", [1, 2], False),
         ("int64", [1], False)]


def comparison_sees_what_is_wrong(_):
    wrong = []
    for expected, right, others in LINES:
        wrong += [f"refuses {right}"] if not line_is(expected, right) else []
        wrong += [f"takes {line} for {right}" for line in others if line_is(expected, line)]
    wrong += [f"{spec} of {value}" for spec, value, allowed in SPECS
              if spec_allows(spec, np.asarray(value, np.int64)) != allowed]
    return wrong


def constants_are_read_back(runner):
    """What constant_text writes is what the library prints for it, bit by bit."""
    arrays = [np.asarray([np.nan, -0.0, np.finfo(dtype).max, np.finfo(dtype).smallest_subnormal, 1 / 3], dtype)
              for dtype in ("float16", "float32", "float64")]
    arrays += [np.asarray([[np.iinfo(dtype).min, np.iinfo(dtype).max]], dtype) for dtype in ("int8", "int64", "uint64")]
    arrays += [np.asarray([bytes(range(256))], object), np.empty((2, 0), bool)]
    wrong = []
    for array in arrays:
        what = check(runner, constant(array, 2))
        wrong += [f"{constant_text(array)}: {what}"] if what else []
    return wrong + ([] if read_tensor("[1, 2]", "int8").dtype == np.int8 else ["read_tensor forgets the dtype"])


def planted(values=(1, 2, 3)):
    """abs(-(a + 1)), where the oracle is wrong about `-` of 3."""
    a = variable("a", [np.asarray(value, np.int64) for value in values])
    more = apply(arithmetic.infix("+"), exact(np.add), [a, constant(np.asarray(1), len(values), "1")])
    less = apply(lambda x: f"(-{x})", exact(lambda x: np.asarray(-x if x != 3 else 7)), [more])
    return apply(lambda x: f"abs({x})", exact(lambda x: np.asarray(abs(x))), [less])


def differences_are_found_and_made_smaller(runner):
    if check(runner, planted()) is None:
        return ["a planted difference is not seen"]
    part, _ = smaller(runner, planted())
    text = document_of(part)
    wrong = [] if text == "from_list([(int64(3),)]) | map((v0,) -> (-v0))" else [f"not the smallest: {text}"]
    if check(runner, planted((0, 1))) is not None:
        wrong.append("a difference is seen where there is none")
    fails = variable("a", [np.asarray(0), np.asarray(1)])
    fails = apply(lambda x: f"(1 // {x})", exact(lambda x: np.asarray(0 if x == 0 else 1)), [fails])
    return wrong + ([] if check(runner, fails) else ["an error in place of a value is not seen"])


def refusals_have_to_be_refused(runner):
    a = variable("a", [np.asarray(True)])
    out = apply(lambda x: f"(not {x})", exact(np.logical_not), [a])
    out.values, out.refused = [FAILED], True
    return [] if check(runner, out) else ["what must not build may build"]


def every_function_occurs(_):
    texts = [expression_of(seed).text for seed in range(EXPRESSIONS)]
    words = set(re.split(r"[\s(),\[\]]+", " ".join(texts)))
    return [f"no {word} among {EXPRESSIONS} expressions" for word in (*WORDS, *SIGNS) if word not in words]


def main():
    np.seterr(all="ignore")
    runner = Runner(sys.argv[1])
    failures = 0
    for test in (comparison_sees_what_is_wrong, constants_are_read_back, differences_are_found_and_made_smaller,
                 refusals_have_to_be_refused, every_function_occurs):
        for text in test(runner):
            failures += 1
            print(f"{test.__name__}: {text}")
    print(f"{failures} failures")
    return 1 if runner.close() or failures else 0


if __name__ == "__main__":
    sys.exit(main())
