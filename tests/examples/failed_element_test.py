#!/usr/bin/env python3
"""The examples in C, which people copy, don't take an element that failed for the end.

    failed_element_test.py BUILD CC

Compiles each with a planted weir_iterator_next and _try_next, of which the second call fails one element. It must end
with 1 and the message.
"""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PLANTED = """
#include <weir/weir.h>
static inline int32_t planted(int32_t result, weir_error* error) {
  static int calls;
  if (result != WEIR_OK || ++calls != 2) return result;
  error->line = error->message = (weir_string){"planted", 7};
  return WEIR_ELEMENT_FAILED;
}
#define weir_iterator_next(it, element, error) planted(weir_iterator_next(it, element, error), error)
#define weir_iterator_try_next(it, element, error) planted(weir_iterator_try_next(it, element, error), error)
"""
# The shortest program looks at no errors, callback goes on after them, function takes one element.
OTHERS = {"first", "callback", "function"}


def main():
    build, compiler = sys.argv[1:]
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        header, program = pathlib.Path(folder, "planted.h"), pathlib.Path(folder, "program")
        header.write_text(PLANTED)
        for source in sorted(ROOT.glob("examples/*.c")):
            if source.stem in OTHERS:
                continue
            libraries = [f"-L{build}", "-lweir", "-lpthread", f"-Wl,-rpath,{build}"]
            subprocess.run([compiler, "-include", header, f"-I{ROOT}/include", source, "-o", program, *libraries],
                           check=True)
            done = subprocess.run([program, f"{folder}/file"], capture_output=True, text=True, check=False, timeout=60)
            if done.returncode != 1 or "planted" not in done.stderr:
                problems.append(f"{source.name}: exit status {done.returncode}, {done.stderr!r}")
    print("\n".join(problems) or "all of them say so")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
