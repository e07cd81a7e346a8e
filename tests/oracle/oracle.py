#!/usr/bin/python3
"""Random expressions against NumPy: what the library gives for each row is what expressions.py computes.

    oracle.py RUNNER [--seed FIRST] [--count N]    checks N expressions, from seed FIRST on
    oracle.py --show SEED                          prints a document and what NumPy says it gives

RUNNER is the program of runner.cc. Integers, bools, strings and what only moves entries must be equal; sums and float
functions may be off by values.TOLERANCE. A difference is printed with its seed and the smallest part of the expression
that differs, on the values it had. WEIR_ORACLE sets another default for N. Needs Debian's python3 and python3-numpy,
which tools/install-deps installs.
"""

import argparse
import os
import random
import subprocess
import sys

import numpy as np

import arithmetic
import computed
import reducing
import shaping
from expressions import Expr, document_of, random_expression, variable
from values import FAILED, Unknown, described, line_is, spec_allows

FUNCTIONS = arithmetic.FUNCTIONS + reducing.FUNCTIONS + shaping.FUNCTIONS + computed.FUNCTIONS
MAX_FAILURES = 10


class Runner:
    def __init__(self, path):
        self.path = path
        self.process = None

    def ask(self, text):
        """(kind, answer) for a document."""
        if self.process is None:
            self.process = subprocess.Popen([self.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        request = text.encode("latin-1")
        try:
            self.process.stdin.write(b"%d\n%s" % (len(request), request))
            self.process.stdin.flush()
            head = self.process.stdout.readline().split()
        except BrokenPipeError:
            head = []
        if len(head) != 2:
            code = self.process.wait()
            self.process = None
            return "crash", f"exit status {code}"
        return head[0].decode(), self.process.stdout.read(int(head[1])).decode("latin-1")

    def close(self):
        """The exit status: what a sanitizer says at the end counts."""
        if self.process is None:
            return 0
        self.process.stdin.close()
        return self.process.wait()


def difference(kind, answer, expr):
    """What is wrong with an answer, or None."""
    if kind == "build" and all(value is FAILED for value in expr.values):
        return None
    if kind != "rows" or any(part.refused for part in expr.subexpressions()):
        return f"{kind}: {answer}"
    spec, *lines = answer.split("\n")
    if len(lines) != len(expr.values) + 1 or lines[-1] != "end":
        return f"expected {len(expr.values)} rows, found {answer}"
    for row, (expected, line) in enumerate(zip(expr.values, lines)):
        if not line_is(expected, line):
            return f"row {row}\n  expected {described(expected)}\n  found    {line}"
        if expected is not FAILED and not spec_allows(spec, expected.array):
            return f"the spec {spec} does not allow row {row}: {described(expected)}"
    return None


def check(runner, expr):
    return difference(*runner.ask(document_of(expr)), expr)


# ---- A smaller expression ----------------------------------------------------------------------------------------


def on_rows(expr, rows):
    """The expression on some of its rows."""
    values = [expr.values[row] for row in rows]
    if expr.variable:
        return variable(expr.variable, [value if value is FAILED else value.array for value in values])
    out = Expr(expr.render, expr.compute, [on_rows(arg, rows) for arg in expr.args], values)
    out.refused = expr.refused
    return out


def isolated(expr):
    """A call whose arguments are variables with the values that they had; None where that is no expression."""
    if any(not arg.exact for arg in expr.args):
        return None
    rows = [row for row in range(len(expr.values)) if all(arg.values[row] is not FAILED for arg in expr.args)]
    out = on_rows(expr, rows)
    out.args = [arg if not arg.args else variable(f"v{i}", [value.array for value in arg.values])
                for i, arg in enumerate(out.args)]
    return out if rows else None


def smaller(runner, expr):
    """(expression, difference) of the smallest part of an expression that differs."""
    found = expr, check(runner, expr)

    def keep(candidate):
        nonlocal found
        what = candidate and check(runner, candidate)
        if what:
            found = candidate, what
        return bool(what)

    parts = [part for part in expr.subexpressions() if part.args]
    any(keep(part) for part in sorted(parts, key=lambda part: len(part.text)))
    keep(isolated(found[0]))
    row = 0
    while row < len(found[0].values) > 1:
        row += not keep(on_rows(found[0], [i for i in range(len(found[0].values)) if i != row]))
    return found


def expression_of(seed):
    """Each function is the outermost one in turn, so that none is left out."""
    dice = random.Random(seed)
    while True:
        try:
            return random_expression(dice, FUNCTIONS, FUNCTIONS[seed % len(FUNCTIONS)])
        except Unknown:
            continue


def report(runner, seed, expr, what):
    print(f"seed {seed}: {document_of(expr)}\n  {what}")
    part, what = smaller(runner, expr)
    print(f"smaller: {document_of(part)}\n  {what}\n", flush=True)


def check_seeds(runner, first, count, most):
    """How many expressions differ, of `count`; stops at `most`."""
    failures, seed = 0, first
    for seed in range(first, first + count):
        expr = expression_of(seed)
        what = check(runner, expr)
        if what:
            failures += 1
            report(runner, seed, expr, what)
            if failures == most:
                break
    print(f"{seed - first + 1} expressions from seed {first} on: {failures} differ")
    return failures


def show(seed):
    expr = expression_of(seed)
    print(document_of(expr), *map(described, expr.values), sep="\n")


def main():
    np.seterr(all="ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runner", nargs="?")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--show", type=int)
    parser.add_argument("--failures", type=int, default=MAX_FAILURES)
    arguments = parser.parse_args()
    if arguments.show is not None:
        show(arguments.show)
        return 0
    runner = Runner(arguments.runner)
    count = int(os.environ.get("WEIR_ORACLE", arguments.count))
    failures = check_seeds(runner, arguments.seed, count, arguments.failures)
    return 1 if runner.close() or failures else 0


if __name__ == "__main__":
    sys.exit(main())
