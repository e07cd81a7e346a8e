#!/usr/bin/env python3
"""Random documents against a model: what the library gives is what model.py computes, in whatever way it is asked.

    random_graphs.py RUNNER [--seed FIRST] [--count N]    checks N documents, from seed FIRST on
    random_graphs.py --show SEED                          prints a document and what the model says it gives
    random_graphs.py RUNNER --text FILE                   checks the document of a file
    random_graphs.py RUNNER --rewrites [...]              adds operators that rewrites replace; what the library gives
                                                          of a document as written is compared with, not the model

RUNNER is the program of runner.cc. A difference is printed with its seed and a smaller document that shows it too.
WEIR_RANDOM_GRAPHS sets another default for N.
"""

import argparse
import collections
import itertools
import os
import pathlib
import queue
import signal
import subprocess
import sys
import threading

import model
from generate import element_of, padded, random_document
from parse import parse
from shrink import shrink
from syntax import text_of
from values import Failed, Open, Unknown

RECORDS = pathlib.Path(__file__).resolve().parent.parent / "data" / "records"
# Rows that are compared, and of a document that may have no end.
LIMIT, LIMIT_ENDLESS = 1500, 60
# After so long without an answer a document hangs.
PATIENCE_S = 1500
MAX_FAILURES = 5
# Documents that are handed to the runner before its answer to the first one.
AHEAD = 8


class Expected:
    """A document and what the model says of it."""

    def __init__(self, tree, spec, seed, endless=False, modelled=True):
        self.tree = tree
        self.text = text_of(tree)
        self.spec = spec
        self.seed = seed
        self.limit = LIMIT_ENDLESS if endless else LIMIT
        self.again = 1 + seed % 7
        self.modelled = modelled
        if not modelled:
            self.lines = self.second = None
            return
        try:
            self.lines, self.second = model.run(tree, str(RECORDS), self.limit, self.again)
        except Open:
            self.lines = self.second = None

    def request(self):
        parts = [self.text, self.spec, "\n".join(self.lines or ()), "\n".join(self.second or ())]
        body = "\0".join(parts).encode()
        modelled = int(self.lines is not None)
        return f"{self.seed} {self.limit} {modelled} {self.again} {len(body)}\n".encode() + body


class Runner:
    """The program, started again where it crashed or hangs. Documents are answered in the order of their requests."""

    def __init__(self, program):
        self.program = os.path.abspath(program)
        self.process = None
        self.waiting = collections.deque()

    def start(self):
        self.process = subprocess.Popen([self.program], cwd=RECORDS, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.answers = queue.Queue()
        self.errors = []
        threading.Thread(target=self.listen, args=(self.process.stdout, self.answers), daemon=True).start()
        self.draining = threading.Thread(target=self.errors.extend, args=(self.process.stderr,), daemon=True)
        self.draining.start()

    @staticmethod
    def listen(out, answers):
        while header := out.readline():
            kind, size = header.split()
            answers.put((kind.decode(), out.read(int(size)).decode(errors="replace")))
        answers.put(None)

    def submit(self, expected):
        self.waiting.append(expected)
        self.send(expected)

    def send(self, expected):
        if self.process is None:
            self.start()
        try:
            self.process.stdin.write(expected.request())
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # the answer says so

    def answer(self):
        """The oldest document that waits, and ("same", "") or what is different."""
        expected = self.waiting.popleft()
        try:
            found = self.answers.get(timeout=PATIENCE_S)
        except queue.Empty:
            self.process.kill()
            found = None
        if found is None:
            code = self.process.wait()
            self.draining.join()
            kind = "hang" if code == -signal.SIGKILL else "crash"
            found = kind, f"exit status {code}\n" + b"".join(self.errors[-60:]).decode(errors="replace")
            self.process = None
            for other in self.waiting:
                self.send(other)
        return expected, *found

    def check(self, expected):
        """What is different, where nothing else waits."""
        self.submit(expected)
        return self.answer()[1:]

    def close(self):
        """The exit status: what a sanitizer says at the end counts."""
        if self.process is None:
            return 0
        self.process.stdin.close()
        code = self.process.wait()
        self.draining.join()
        if code:
            print(b"".join(self.errors).decode(errors="replace"))
        return code


def worth_checking(expected):
    """Keeps one in eight of the many documents without rows."""
    return expected.lines != ["end"] or expected.seed % 8 == 0


def document_of(seed):
    """What the model says of a seed's document, or None where it says nothing."""
    tree, spec, endless = random_document(seed)
    try:
        expected = Expected(tree, spec, seed, endless)
    except Unknown:
        return None
    except Failed as failure:
        raise AssertionError(f"seed {seed} does not build: {text_of(tree)}") from failure
    return expected if worth_checking(expected) else None


def way_of(what):
    """How a document was run where it differed, without numbers."""
    return "".join(letter for letter in what.partition(":")[0] if not letter.isdigit())


def padded_document_of(seed):
    """The same with more operators, of which the model says nothing."""
    expected = document_of(seed)
    if expected is None:
        return None
    return Expected(padded(expected.tree, seed, element_of(seed)), "", seed, expected.limit == LIMIT_ENDLESS, modelled=False)


def smaller(runner, tree, seed, kind, way, modelled):
    """(document, difference) of the smallest document that differs in the same way."""
    last = {}

    def still(candidate):
        try:
            if text_of(parse(text_of(candidate))) != text_of(candidate):
                return False
            expected = Expected(candidate, "", seed, modelled=modelled)
        except Exception:  # a document that is none
            return False
        found, what = runner.check(expected)
        same = found == kind and way_of(what) == way
        if same:
            last["what"] = what
        return same
    return text_of(shrink(tree, still)), last.get("what", "")


def report(runner, expected, kind, what):
    print(f"seed {expected.seed}: {kind}\n{expected.text}\n  {what}")
    if kind not in ("spec", "build", "hang"):
        text, what = smaller(runner, expected.tree, expected.seed, kind, way_of(what), expected.modelled)
        print(f"smaller:\n{text}\n  {what}")
    print(flush=True)


def check_seeds(runner, first, count, most, rewrites=False):
    """How many documents differ, of `count`; stops at `most`."""
    documents = filter(None, map(padded_document_of if rewrites else document_of, itertools.count(first)))
    checked, failures = 0, 0
    while checked < count and failures < most:
        # The model computes some while the runner works on the first of them.
        for expected in itertools.islice(documents, min(AHEAD, count - checked) - len(runner.waiting)):
            runner.submit(expected)
        found = [runner.answer()]
        if found[0][1] != "same":
            found += [runner.answer() for _ in range(len(runner.waiting))]
        for expected, kind, what in found:
            checked += 1
            if kind != "same":
                failures += 1
                report(runner, expected, kind, what)
    print(f"{checked} documents from seed {first} on, the last one {expected.seed}: {failures} differ")
    return failures


def show(seed):
    tree, spec, endless = random_document(seed)
    print(f"{text_of(tree)}\n{spec}")
    try:
        print("\n".join(Expected(tree, spec, seed, endless).lines))
    except (Unknown, Failed) as reason:
        print(f"the model does not say: {reason}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runner", nargs="?")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--show", type=int)
    parser.add_argument("--text", type=pathlib.Path)
    parser.add_argument("--rewrites", action="store_true")
    parser.add_argument("--failures", type=int, default=MAX_FAILURES)
    arguments = parser.parse_args()
    if arguments.show is not None:
        show(arguments.show)
        return 0
    runner = Runner(arguments.runner)
    if arguments.text:
        expected = Expected(parse(arguments.text.read_text()), "", arguments.seed)
        kind, what = runner.check(expected)
        print("\n".join(expected.lines), kind, what, sep="\n")
        failures = kind != "same"
    else:
        count = int(os.environ.get("WEIR_RANDOM_GRAPHS", arguments.count))
        failures = check_seeds(runner, arguments.seed, count, arguments.failures, arguments.rewrites)
    return 1 if runner.close() or failures else 0


if __name__ == "__main__":
    sys.exit(main())
