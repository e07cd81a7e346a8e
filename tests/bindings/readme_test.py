#!/usr/bin/env python3
"""Follows the README of a binding in an empty folder: its install line, then its programs, which print what it says.

    readme_test.py rust|go BUILD
    readme_test.py python

The library is installed out of BUILD and found through pkg-config, as it would be on another machine. The package for
Python builds it by itself, in the source tree, and goes into an empty environment.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# The program's file, and the commands around it.
LANGUAGES = {
    "python": {"file": "main.py", "begin": "python3 -m venv .", "run": "python main.py"},
    "rust": {"file": "src/main.rs", "begin": "cargo init --quiet --name example .", "run": "cargo run --quiet"},
    "go": {"file": "main.go", "begin": "go mod init example", "run": "go run ."},
}


def run(command, folder, environment):
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"{command}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        sys.exit(1)
    return done.stdout


def blocks(language):
    """The commands, and the programs with what they print, in the order of the README."""
    text = (ROOT / "bindings" / language / "README.md").read_text()
    commands = re.findall(r"^    (.*)$", text.split("```")[0], re.M)
    programs = re.findall(rf"```{language}\n((?:(?!```).)*)```\n\nprints\n\n((?:    [^\n]*\n)+)", text, re.S)
    programs = [(program, re.sub(r"^    ", "", output, flags=re.M)) for program, output in programs]
    return [command for command in commands if not command.startswith("cmake")], programs


def installed(build, prefix):
    """An environment in which what BUILD has is found."""
    run(f"cmake --install '{build}' --prefix '{prefix}'", ROOT, None)
    found = next(prefix.rglob("weir.pc")).parent
    environment = {**os.environ, "PKG_CONFIG_PATH": str(found), "LD_LIBRARY_PATH": str(found.parent)}
    for variable in ("WEIR_LIB_DIR", "CARGO_TARGET_DIR", "GOFLAGS"):
        environment.pop(variable, None)
    return environment


def main():
    language, *build = sys.argv[1:]
    words = LANGUAGES[language]
    commands, programs = blocks(language)
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work, "example")
        folder.mkdir()
        if build:
            environment = installed(build[0], pathlib.Path(work, "prefix"))
        else:
            environment = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}"}
        # The tree stands beside the program, as the README has it.
        (folder / "weir").symlink_to(ROOT)
        run(words["begin"], folder, environment)
        for command in commands:
            run(command, folder if build else ROOT, environment)
        file = folder / words["file"]
        file.parent.mkdir(exist_ok=True)
        for program, expected in programs:
            file.write_text(program)
            printed = run(words["run"], folder, environment)
            if printed != expected:
                print(f"expected\n{expected}found\n{printed}")
                return 1
    print(f"the README's programs, {len(programs)}, printed what it says, after {', '.join(commands)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
