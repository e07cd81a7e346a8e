#!/usr/bin/env python3
"""The lines of code and of the shell that the top README has for each language are those of a whole program that runs.

    readme_test.py BUILD

Those in C and C++ are examples/first.*: weir of the folder BUILD is installed, and the README's command compiles them. In
other languages they are the first programs of the READMEs in bindings/ and how to install those; tools/test-python,
test-packages, test-rust and test-go run them, tools/test-julia parses its own.
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
# The section begins here at the latest, and no language takes more code than that, without blank lines.
FIRST_LINE, LINES = 12, 5
EXPECTED = " ".join(str(x) for x in range(0, 20, 2)) + " "


def sample(text, language):
    return re.search(rf"```{language}\n(.*?)```", text, re.DOTALL)[1]


def install_lines(text, language):
    """The commands in the paragraph before the sample."""
    before = text.split(f"```{language}\n")[0]
    return re.findall(r"`([^`]+)`", before.rstrip().split("\n\n")[-1])


def other_languages(readme):
    """What of the README is not in those of the bindings. There the source tree is called weir."""
    for language, folder in READMES.items():
        text = (folder / "README.md").read_text()
        if sample(readme, language) not in sample(text, language):
            yield f"the program in {language} is not that of {folder}/README.md"
        commands = re.findall(r"^    (.*)$", text.split("```")[0], re.M)
        expected = " && ".join(command for command in commands if not command.startswith("cmake"))
        if install_lines(readme, language) != [expected.replace("weir/bindings", "bindings")]:
            yield f"the install line for {language} is not that of {folder}/README.md: {expected}"


def programs(readme, build):
    """What is wrong with those in C and C++, beside an installed library."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cmake", "--install", build, "--prefix", f"{folder}/prefix"], check=True,
                       stdout=subprocess.DEVNULL)
        found = next(pathlib.Path(folder, "prefix").rglob("weir.pc")).parent
        # Nothing but what docs/installing.md says: a program finds the library by itself.
        environment = {**os.environ, "PKG_CONFIG_PATH": str(found)}
        environment.pop("LD_LIBRARY_PATH", None)
        for language, source in PROGRAMS.items():
            if sample(readme, language) not in source.read_text():
                yield f"the program in {language} is not in {source}"
            command = install_lines(readme, language)[-1]
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
    if readme.splitlines().index("## In your language") >= FIRST_LINE:
        yield f"the languages do not begin within {FIRST_LINE} lines"
    for language in [*READMES, *PROGRAMS]:
        lines = sum(bool(line.strip("{} \t")) for line in sample(readme, language).splitlines())
        if lines > LINES:
            yield f"the program in {language} has {lines} lines, expected {LINES}"


def main():
    readme = (ROOT / "README.md").read_text()
    problems = [*first_screen(readme), *other_languages(readme), *programs(readme, sys.argv[1])]
    for problem in problems:
        print(f"README.md: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
