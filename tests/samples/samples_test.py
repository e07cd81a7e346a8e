#!/usr/bin/env python3
"""What the documents show is true: samples, README, the program at the top of weir.h, the command's help.

    samples_test.py WEIR HEADER_SAMPLE SOURCE
"""

import pathlib
import re
import shlex
import subprocess
import sys

FAILURES = []


def expect(what, expected, found):
    """Notes a failure unless the two are equal."""
    if expected != found:
        FAILURES.append(what)
        print(f"{what}: expected\n{expected}\nfound\n{found}")


def output(command, folder, status=0):
    """What a command prints, which must exit with that status and complain of nothing."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    expect(" ".join(map(str, command)) + ", exit status and standard error", (status, ""),
           (done.returncode, done.stderr))
    return done.stdout


def check_samples(weir, source):
    """Each docs/samples/NAME.weir prints NAME.out, from the root of the tree; README has transcripts of its own."""
    samples = sorted(path for path in (source / "docs/samples").glob("*.weir") if path.name != "readme.weir")
    expect("docs/samples/*.weir, any", True, bool(samples))
    for sample in samples:
        expect(str(sample), sample.with_suffix(".out").read_text(), output([weir, "run", sample], source))


def indented_blocks(text):
    """The blocks of lines that are indented by four, without the indentation."""
    return [re.sub(r"^    ", "", block, flags=re.M) for block in re.findall(r"(?:^    .*\n)+", text, flags=re.M)]


def check_readme(source):
    """README shows the sample."""
    blocks = indented_blocks((source / "README.md").read_text())
    expect("README.md shows docs/samples/readme.weir", True, (source / "docs/samples/readme.weir").read_text() in blocks)


def check_checkpoints(source):
    """The page shows the program of weir.hpp's manual, which a test runs, and nothing else in code."""
    manual = (source / "include/weir/weir.hpp").read_text()
    shown = indented_blocks((source / "docs/checkpoints.md").read_text())
    code = [block for block in shown if "CheckpointManager" in block]
    expect("docs/checkpoints.md, samples of code", 1, len(code))
    for block in code:
        commented = "".join(f"//   {line}\n" for line in block.splitlines())
        expect("docs/checkpoints.md shows what weir.hpp does", True, commented in manual)


def check_decisions(source):
    """The index of the decisions has a row for each, with a status, and names the numbers that none has."""
    index = (source / "docs/adr/README.md").read_text()
    files = sorted(path.name for path in (source / "docs/adr").glob("0*.md") if path.name != "0000-template.md")
    rows = re.findall(r"^\| \[(\d{4})\]\(([^)]+)\) \| .+ \| (?:current|superseded by|withdrawn).*\|$", index, re.M)
    expect("docs/adr/README.md, its rows", [(file[:4], file) for file in files], rows)
    free = [f"{number:04}" for number in range(1, int(files[-1][:4])) if f"{number:04}" not in {f[:4] for f in files}]
    expect("docs/adr/README.md, numbers without a decision", free,
           re.findall(r"\d{4}", index.split("## Numbers without a decision")[1]))


def check_owners(source):
    """The paths of OWNERS exist, and so does the reviewer of each."""
    rows = [line.split() for line in (source / "OWNERS").read_text().splitlines() if line and line[0] != "#"]
    expect("OWNERS, lines with a reviewer", True, bool(rows) and all(len(row) > 1 for row in rows))
    for path, *_ in rows:
        expect(f"OWNERS names {path}, which exists", True, any(source.glob(path.strip("/"))))


def help_examples(text):
    """Pairs of a command, as the shell reads it, and the lines that stand below it."""
    for example in re.split(r"\n\n", text[text.index("examples:\n") + len("examples:\n"):]):
        lines = example.rstrip("\n").split("\n")
        command = [line for line in lines if not re.match(r" {6}\S", line)]
        yield shlex.split("\n".join(command)), [line.strip() for line in lines[len(command):]]


def check_help(weir, source):
    """The examples of each help print what stands below them. Where prose does, it is one of two."""
    examples = []
    for about, count in ((["--help"], 5), (["run", "--help"], 4), (["spec", "--help"], 2), (["format", "--help"], 1)):
        found = list(help_examples(output([weir, *about], source)))
        expect(f"examples in weir {' '.join(about)}, at least {count}", True, len(found) >= count)
        examples += found
    for words, shown in examples:
        expect("an example of the help calls weir", "weir", words[0])
        failing = any(line.startswith("error: ") for line in shown)
        lines = output([weir, *words[1:]], source / "examples/digits/data", 1 if failing else 0).splitlines()
        if shown == ["the first three examples of a set of files"]:
            expect(f"{words}, lines", [True] * 3, ["image" in line and "label" in line for line in lines])
        elif len(shown) == 1 and len(lines) > 1:
            expect(str(words), shown[0].removesuffix(", a line each"), " ".join(lines))
        else:
            expect(str(words), shown, lines)


def main():
    weir, header_sample, source = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    check_samples(weir, source)
    check_readme(source)
    check_checkpoints(source)
    check_decisions(source)
    check_owners(source)
    check_help(weir, source)
    expect("the program in weir.h", "".join(f"{x * x}\n" for x in range(10)), output([header_sample], source))
    print(f"{len(FAILURES)} failures")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
