#!/usr/bin/env python3
"""Each document of this folder has one hash, whoever computes it.

    digest_test.py COMMAND PROGRAM...

COMMAND is weir; a PROGRAM takes a document, a number of threads and after how many rows to save and go on in another
runtime (-1: never), and prints the hash. hashes.txt holds what they must print. `digest_test.py COMMAND --update` writes
it. Programs run in the top folder of the project, to which file names in the documents are relative.
"""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HASHES = HERE / "hashes.txt"
# Rows after which a position is saved: none, few, and more than most documents have.
SAVES = (0, 1, 17, 100, 100000)


def run(*command):
    done = subprocess.run([str(word) for word in command], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0 or done.stderr:
        return f"exit status {done.returncode}: {done.stderr.strip()}"
    return done.stdout.strip()


def main():
    command, *programs = sys.argv[1:]
    documents = sorted(HERE.glob("*.weir"))
    if programs == ["--update"]:
        lines = [f"{document.name} {run(command, 'digest', document)}\n" for document in documents]
        HASHES.write_text("".join(lines))
        return 0
    expected = dict(line.split() for line in HASHES.read_text().splitlines())
    problems = 0

    def check(what, found, document):
        nonlocal problems
        if found != expected.get(document.name):
            print(f"{document.name}: {what}: expected {expected.get(document.name)}, found {found}")
            problems += 1

    if len(documents) < 12 or sorted(expected) != [document.name for document in documents]:
        print(f"expected hashes of {len(documents)} documents, found those of {sorted(expected)}")
        problems += 1
    for document in documents:
        check("weir digest", run(command, "digest", document), document)
        for program in programs:
            for threads in (1, 4):
                check(f"{program} with {threads} threads", run(program, document, threads, -1), document)
                for save in SAVES:
                    check(f"{program} with {threads} threads, saved after {save}",
                          run(program, document, threads, save), document)
    # A limit leaves the end out, and the rows beyond it.
    three = run(command, "digest", "-n", 3, "-e", "range(5)")
    for text in ("range(3)", "range(4)", "range(5)"):
        if three == run(command, "digest", "-e", text):
            print(f"expected -n 3 to differ from all of {text}")
            problems += 1
    if three != run(command, "digest", "-n", 3, "-e", "range(4)"):
        print("expected -n 3 to cover the first three elements only")
        problems += 1
    print(f"{len(documents)} documents, {len(programs)} programs, {problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
