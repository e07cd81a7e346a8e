#!/usr/bin/env python3
"""What a page of the documentation shows is true: every command prints what stands below it.

    transcripts_test.py WEIR SOURCE PAGE

A transcript is a block that is indented by four and begins with "$ weir …"; the command goes on over lines until its
quotes are closed, and what it prints follows, errors included. Where the page has a folder of documents (PAGE without
.md), it shows each of them as it is and runs it, and FILE.out holds what is printed.
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


def blocks(text):
    """The blocks of lines that are indented by four, without the indentation. An empty line ends a block."""
    return [re.sub(r"^    ", "", block, flags=re.M) for block in re.findall(r"(?:^    .*\n)+", text, flags=re.M)]


def transcript(block):
    """The words of the command, and what it prints."""
    lines = block.splitlines(keepends=True)
    for count in range(1, len(lines) + 1):
        try:
            words = shlex.split("".join(lines[:count]).removeprefix("$ "))
        except ValueError:  # a quote is still open
            continue
        return words, "".join(lines[count:])
    raise ValueError(f"a quote is never closed: {block}")


def run(weir, source, words, shown):
    """Runs one command and compares what it prints, and how it exits."""
    done = subprocess.run([weir, *words[1:]], cwd=source, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    expect(shlex.join(words), shown, done.stdout)
    failed = any(line.startswith("error: ") for line in shown.splitlines())
    expect(shlex.join(words) + ", exit status", failed, done.returncode != 0)


def check_folder(page, source, shown_blocks, outputs):
    """Each document of the page's folder is shown, run, and has its output beside it."""
    documents = sorted(page.with_suffix("").glob("*.weir"))
    for document in documents:
        name = document.relative_to(source).as_posix()
        expect(f"{page.name} shows {name}", True, document.read_text() in shown_blocks)
        expect(f"{page.name} runs {name}, which prints", document.with_suffix(".out").read_text(), outputs.get(name))
    return len(documents)


def main():
    weir, source, page = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    text = page.read_text()
    shown_blocks = blocks(text)
    outputs = {}
    commands = 0
    for block in shown_blocks:
        if not block.startswith("$ "):
            continue
        words, shown = transcript(block)
        expect("a transcript calls weir", "weir", words[0])
        run(weir, source, words, shown)
        commands += 1
        if words[1] == "run":
            outputs |= {word: shown for word in words if word.endswith(".weir")}
    expect("transcripts, any", True, commands > 0)
    count = check_folder(page, source, shown_blocks, outputs)
    for link in re.findall(r"\]\(([^)#]+)", text):
        expect(f"{page.name} links to {link}, which exists", True, (page.parent / link).exists())
    print(f"{commands} commands, {count} documents, {len(FAILURES)} failures")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
