#!/usr/bin/env python3
"""`weir checkpoint`, case by case, with positions that a program saved.

    command_test.py WEIR SAVER
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "command"))
from command_test import Case, Checker, refused  # noqa: E402  pylint: disable=wrong-import-position

DOCUMENT = "param n: int64\nrange($n) | shuffle(5, seed: 3) | map(x -> x + 1, num_parallel_calls: 2)\n"
FILES = {
    "same.weir": DOCUMENT,
    "faster.weir": DOCUMENT.replace("calls: 2", "calls: 4"),
    "other.weir": DOCUMENT.replace("shuffle(5", "shuffle(6"),
    "wrong.weir": "range(2) | takes(2)",
    "sharded.weir": "range(20) | shard(auto, auto)",
}
GENERATION = "kept/r00001-000000000001.ckpt"
OF_A_GROUP = "groups/g00002-of-00003/r00001-000000000001.ckpt"


def shown(about, fits=""):
    """What show prints of a position after three elements."""
    return re.compile(
        rf"file: \S+\nsize: \d+ bytes\nage: \d+ s\n{about}library: \d+\.\d+\.\d+\nfingerprint: [0-9a-f]{{32}}\n"
        r"params: \$n\nepoch: 0\nheld_size: 0 bytes\nposition:\n"
        rf"  map: .*consumed 3, .*\n(  .*\n)*{fits}")


FITS = ["--fits", "same.weir", "-p", "n=20"]
OF_RANK_1 = "kind: generation\nrank: 1\nnumber: 1\nextra_size: 5 bytes\n"
UNFIT = r"fits: no: failed_precondition: expected a checkpoint of this dataset, found one of another: operator 3, " \
        r"shuffle: parameter buffer_size differs\n"

CASES = [
    Case(["checkpoint", "show", "position"], shown("kind: checkpoint\n")),
    Case(["checkpoint", "show", GENERATION], shown(OF_RANK_1)),
    Case(["checkpoint", "show", *FITS, "position"], shown("kind: checkpoint\n", "fits: yes\n")),
    Case(["checkpoint", "show", GENERATION, *FITS], shown(OF_RANK_1, "fits: yes\n")),
    Case(["checkpoint", "show", "--fits", "-", "-p", "n=20", GENERATION], shown(OF_RANK_1, "fits: yes\n"),
         given=DOCUMENT),
    # Only how elements are made differs.
    Case(["checkpoint", "show", "--fits", "faster.weir", "-p", "n=20", GENERATION], shown(OF_RANK_1, "fits: yes\n")),
    Case(["checkpoint", "show", "--fits", "other.weir", "-p", "n=20", GENERATION], shown(OF_RANK_1, UNFIT), status=1),
    Case(["checkpoint", "show", "--fits", "same.weir", "-p", "n=21", GENERATION],
         shown(OF_RANK_1, r"fits: no: failed_precondition: expected the value of \$n that .*\n"), status=1),
    # What says nothing about the position is an error.
    refused("checkpoint", "show", "--fits", "same.weir", GENERATION, err=r"error: invalid_argument: .*\$n.*\n"),
    refused("checkpoint", "show", "--fits", "wrong.weir", GENERATION, err=r"error: invalid_argument: .*takes.*\n.*\n.*\n"),
    refused("checkpoint", "show", "--fits", "absent.weir", GENERATION, err=r"error: not_found: expected a FILE .*\n"),
    refused("checkpoint", "show", "absent", err=r"error: not_found: cannot open \"absent\" .*\n"),
    refused("checkpoint", "show", "cut", err=r"error: data_loss: expected a checkpoint of .*cut short.*\n"),
    refused("checkpoint", "show", "same.weir", err=r"error: data_loss: expected a checkpoint, which begins with .*\n"),
    refused("checkpoint", "show", "kept", err=r"error: invalid_argument: .*directory.*\n"),
    Case(["checkpoint", "list", "kept"],
         re.compile(r"r00001-000000000001\.ckpt: \d+ s old, \d+ bytes, epoch 0\n"
                    r"r00001-000000000002\.ckpt: \d+ s old, \d+ bytes, unusable: data_loss: expected the generation "
                    r"r00001-000000000002\.ckpt, found r00001-000000000001\.ckpt under its name; .*\n")),
    # A position fits or not, whatever the rank of this process is.
    Case(["checkpoint", "show", "--fits", "sharded.weir", OF_A_GROUP],
         re.compile(r"(.*\n)*world_rank: 1\nworld_size: 3\n(.*\n)*fits: yes\n")),
    Case(["checkpoint", "list", "groups"],
         re.compile(r"g00001-of-00002: all ranks have saved\n"
                    r"g00001-of-00002/r00000-000000000001\.ckpt: \d+ s old, \d+ bytes, epoch 0\n"
                    r"g00001-of-00002/r00001-000000000001\.ckpt: \d+ s old, \d+ bytes, epoch 0\n"
                    r"g00002-of-00003: 1 of 3 ranks have saved\n"
                    r"g00002-of-00003/r00001-000000000001\.ckpt: \d+ s old, \d+ bytes, epoch 0\n")),
    Case(["checkpoint", "list", "."], ""),
    Case(["checkpoint", "list", "--json", "."], "[]\n"),
    refused("checkpoint", "list", "absent", err=r"error: not_found: .*\n"),
    refused("checkpoint", "list", "position", err=r"error: not_found: .*Not a directory.*\n"),
    # The line itself.
    refused("checkpoint", err=r"error: invalid_argument: expected show or list after checkpoint, found the end .*\n"),
    refused("checkpoint", "walk", err=r"error: invalid_argument: expected show or list .*, found walk\n"),
    refused("checkpoint", "show", err=r"error: invalid_argument: expected one FILE to show, found none\n"),
    refused("checkpoint", "show", "a", "b", err=r"error: invalid_argument: expected one FILE .*found a and b\n"),
    refused("checkpoint", "list", err=r"error: invalid_argument: expected one FOLDER, found none\n"),
    refused("checkpoint", "show", "-p", "n=1", "a", err=r"error: invalid_argument: expected -p only with --fits, .*\n"),
    refused("checkpoint", "show", "--fits", err=r"error: invalid_argument: expected the FILE of a document after .*\n"),
    refused("checkpoint", "show", "--fits", "-", "-", err=r"error: invalid_argument: expected one `-`, found both .*\n"),
    refused("checkpoint", "show", "-n", "1", "a", err=r"error: invalid_argument: expected only --json, --fits and -p .*\n"),
    refused("checkpoint", "list", "--fits", "a", "b", err=r"error: invalid_argument: expected only --json as option.*\n"),
    refused("run", "--fits", "a", "b", err=r"error: invalid_argument: expected --fits only after checkpoint show\n"),
]


def check_json(checker):
    """The objects have the members that weir.h names."""
    def load(*arguments):
        found = checker.call(["checkpoint", *arguments])
        return found.returncode, json.loads(found.stdout)

    members = ["file", "size", "modified_ns", "kind", "library", "fingerprint", "params", "epoch", "held_size", "position",
               "left_out"]
    of_generation = members[:4] + ["rank", "number", "extra_size"] + members[4:]
    for arguments, expected in (
            (["position"], (0, members)), ([GENERATION], (0, of_generation)),
            ([*FITS, "position"], (0, [*members, "fits"])),
            (["--fits", "other.weir", "-p", "n=20", "position"], (1, [*members, "fits", "code", "message"]))):
        status, found = load("show", "--json", *arguments)
        checker.expect(arguments, "JSON", (status, list(found)) == expected and
                       found.get("fits", True) == (status == 0), expected, (status, found))
    listed = load("list", "--json", "kept")[1]
    kinds = [(entry["kind"], entry["rank"], entry["number"]) for entry in listed]
    checker.expect(["list"], "kinds", kinds == [("generation", 1, 1), ("unusable", 1, 2)], "two kinds", kinds)
    listed = load("list", "--json", "groups")[1]
    ranks = [(entry["file"].split("/")[1], entry["world_rank"], entry["world_size"]) for entry in listed]
    expected = [("g00001-of-00002", 0, 2), ("g00001-of-00002", 1, 2), ("g00002-of-00003", 1, 3)]
    checker.expect(["list"], "groups", ranks == expected, expected, ranks)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file, text in FILES.items():
            (folder / file).write_text(text)
        subprocess.run([sys.argv[2], folder, DOCUMENT, "3", FILES["sharded.weir"]], check=True)
        (folder / "cut").write_bytes((folder / "position").read_bytes()[:-1])
        (folder / "kept" / "r00001-000000000002.ckpt").write_bytes((folder / GENERATION).read_bytes())
        # As a launcher sets them.
        os.environ.update(RANK="0", WORLD_SIZE="2")
        checker = Checker(sys.argv[1], folder)
        for case in CASES:
            checker.check(case)
        check_json(checker)
        with open(folder / "position", "rb") as position:
            found = subprocess.run([sys.argv[1], "checkpoint", "show", "-"], stdin=position, capture_output=True, text=True,
                                   check=False)
        checker.expect(["checkpoint", "show", "-"], "standard input", found.stdout.startswith("file: standard input\n") and "\nkind: checkpoint\n" in found.stdout,
                       "a position",
                       found)
        for arguments in (["checkpoint", "--help"], ["help", "checkpoint"], ["checkpoint", "show", "-h"],
                          ["checkpoint", "list", "--help"]):
            found = checker.call(arguments)
            checker.expect(arguments, "help", found.stdout.startswith("weir checkpoint - describe saved positions\n"),
                           "the page", found.stdout)
    print(f"{checker.calls} calls, {checker.failures} failures")
    return 1 if checker.failures else 0


if __name__ == "__main__":
    sys.exit(main())
