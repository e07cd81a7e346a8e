#!/usr/bin/env python3
"""The top README leads each reader to a first step, and its lines of the shell are those of programs that run.

    readme_test.py BUILD

The programs in C and C++ are examples/first.*, which examples/README.md shows: weir of the folder BUILD is installed, and
the README's command compiles them. Other languages install by the lines of the READMEs in bindings/, whose programs
tools/test-python, test-packages, test-rust and test-go run; tools/test-julia parses its own. The pipeline is
docs/samples/readme.weir, whose transcripts the test readme_pipeline runs, and readme.py, which tools/test-python runs.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BINDINGS = ROOT / "bindings"
READMES = {"python": BINDINGS / "python", "rust": BINDINGS / "rust", "go": BINDINGS / "go",
           "julia": BINDINGS / "julia" / "Weir.jl"}
PROGRAMS = {"c": ROOT / "examples" / "first.c", "cpp": ROOT / "examples" / "first.cpp"}
# What the first screen links to: the first steps of those who come with something.
FIRST_SCREEN = 20
FIRST_STEPS = ["tools/quickstart", "weir.torch.loader(dataset)", "(bindings/python/README.md", "(bindings/go/README.md)",
               "(docs/coming-from-tf-data.md)", "weir.tf.dataset(dataset)"]
EXPECTED = " ".join(str(x) for x in range(0, 20, 2)) + " "


def sample(text, language):
    return re.search(rf"```{language}\n(.*?)```", text, re.DOTALL)[1]


def commands(text):
    """The command in each row of the table of languages."""
    return re.findall(r"^\| [^|]+ \| `([^`]+)` \|", text.split("## Languages\n")[1], re.M)


def other_languages(readme):
    """What of the README is not in those of the bindings. There the source tree is called weir."""
    for folder in READMES.values():
        text = (folder / "README.md").read_text()
        lines = re.findall(r"^    (.*)$", text.split("```")[0], re.M)
        expected = " && ".join(line for line in lines if not line.startswith("cmake"))
        if expected.replace("weir/bindings", "bindings") not in commands(readme):
            yield f"no language is installed by the line of {folder}/README.md: {expected}"


def programs(readme, build):
    """What is wrong with those in C and C++, compiled with an installed library."""
    page = (ROOT / "examples" / "README.md").read_text()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cmake", "--install", build, "--prefix", f"{folder}/prefix"], check=True,
                       stdout=subprocess.DEVNULL)
        found = next(pathlib.Path(folder, "prefix").rglob("weir.pc")).parent
        # Nothing but what docs/installing.md says: a program finds the library by itself.
        environment = {**os.environ, "PKG_CONFIG_PATH": str(found)}
        environment.pop("LD_LIBRARY_PATH", None)
        for language, source in PROGRAMS.items():
            if sample(page, language) not in source.read_text():
                yield f"the program in {language} of examples/README.md is not in {source}"
            command = next(line for line in commands(readme) if source.name + " " in line)
            if f"`{command}`" not in page:
                yield f"examples/README.md does not have the command {command}"
            warnings = "-Wall -Wextra -Werror"
            subprocess.run(f"{command} {warnings} -o {folder}/{language}", shell=True, check=True, cwd=source.parent,
                           env=environment)
            printed = subprocess.run([f"{folder}/{language}"], capture_output=True, text=True, check=True,
                                     env=environment).stdout
            if printed != EXPECTED:
                yield f"the program in {language}: expected {EXPECTED!r}, found {printed!r}"
        flags = subprocess.run(["pkg-config", "--define-variable=rpath=", "--libs", "weir"], capture_output=True, text=True,
                               check=True, env=environment).stdout
        if "rpath" in flags or "-lweir" not in flags:
            yield f"weir.pc without the folder in programs: found {flags!r}"


def first_screen(readme):
    """The first steps that are not on the first screen, and a pipeline that is not the sample."""
    top = "\n".join(readme.splitlines()[:FIRST_SCREEN])
    for step in FIRST_STEPS:
        if step not in top:
            yield f"{step} is not within {FIRST_SCREEN} lines"
    if sample(readme, "python") != (ROOT / "docs" / "samples" / "readme.py").read_text():
        yield "the pipeline in Python is not docs/samples/readme.py"


def main():
    readme = (ROOT / "README.md").read_text()
    problems = [*first_screen(readme), *other_languages(readme), *programs(readme, sys.argv[1])]
    for problem in problems:
        print(f"README.md: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
