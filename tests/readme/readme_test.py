#!/usr/bin/env python3
"""The programs of the top README run.

    readme_test.py BUILD

Those in C and C++ are compiled against weir of the folder BUILD and print the even numbers below 20. Those in other
languages are, letter by letter, the first ones of the READMEs in bindings/, which tools/test-python, test-rust and test-go
run.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EXPECTED = " ".join(str(x) for x in range(0, 20, 2)) + " "
COMPILERS = {"c": ["cc", "-std=c99"], "cpp": ["c++", "-std=c++17"]}


def sample(text, language):
    return re.search(rf"```{language}\n(.*?)```", text, re.DOTALL)[1]


def main():
    build = pathlib.Path(sys.argv[1])
    readme = (ROOT / "README.md").read_text()
    problems = 0
    for language in ("python", "rust", "go"):
        other = (ROOT / "bindings" / language / "README.md").read_text()
        if sample(readme, language) != sample(other, language):
            print(f"README.md: the program in {language} is not that of bindings/{language}/README.md")
            problems += 1
    with tempfile.TemporaryDirectory() as folder:
        for language, compiler in COMPILERS.items():
            source = pathlib.Path(folder, f"first.{language}")
            program = source.with_suffix(".out")
            source.write_text(sample(readme, language))
            subprocess.run([*compiler, "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include", source, "-o", program,
                            f"-L{build}", "-lweir", f"-Wl,-rpath,{build}"], check=True)
            found = subprocess.run([program], capture_output=True, text=True, check=True).stdout
            if found != EXPECTED:
                print(f"README.md: the program in {language}: expected {EXPECTED!r}, found {found!r}")
                problems += 1
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
