#!/usr/bin/env python3
"""tools/check-layers finds each kind of offence, and none in a clean tree."""

import pathlib
import subprocess
import sys
import tempfile

CHECK = pathlib.Path(__file__).resolve().parents[2] / "tools/check-layers"
LONG_BODY = "int f() {\n" + "  step();\n" * 71 + "}\n"

# (path, content, words that the complaint must hold)
OFFENCES = [
    ("src/core/a.cc", '#include "exec/pump.h"\n', "src/core/a.cc:1: \"exec/pump.h\" lies on the floor exec"),
    ("src/iterator/a.h", '#include "capi/call.h"\n', "lies on the floor capi"),
    ("src/format/a.cc", '#include "exec/scheduler.h"\n', "format does without the floor exec"),
    ("src/expr/types/a.h", '#include "expr/run/b.h"\n', "lies in a room after src/expr/types/"),
    ("src/ops/a.cc", "std::thread worker;\n", "threads and condition variables belong in src/exec/"),
    ("src/format/a.cc", "std::condition_variable ready;\n", "threads and condition variables"),
    ("src/ops/a.cc", "\nstd::mutex lock;\n", "src/ops/a.cc:2:"),
    ("capi/a.cc", "pthread_mutex_lock(&m);\n", "locks belong in src/exec/"),
    ("src/ops/a.cc", "int fd = ::open(path, O_RDONLY);\n", "opening files belong in src/fs/"),
    ("src/ops/a.cc", "std::ifstream in(path);\n", "opening files"),
    ("src/exec/a.cc", "int f() {\n  static const int made = make();\n}\n", "statics that are made at first use"),
    ("src/ops/a.cc", "int f() {\n  static Mutex mutex;\n}\n", "src/ops/a.cc:2:"),
    ("src/core/a.cc", "// TO" "DO: later\n", "finish it"),
    ("src/core/a.cc", "int x;\n" * 601, "601 lines; split the file"),
    ("src/core/a.cc", LONG_BODY, "a function of 71 lines"),
    ("src/core/a.cc", "int x;\n  // " + "word " * 22 + "\n", "src/core/a.cc:2: a comment of 115 columns"),
    ("src/ops/transforms/take.cc", "int x;\n", "no test; write tests/ops/transforms/take_test.cc"),
]
# Units that include one another: by their headers, by one's source, or around a third.
CIRCLES = [
    [("src/core/a.h", '#include "core/b.h"\n'), ("src/core/b.h", '\n#include "core/a.h"\n')],
    [("src/core/a.h", '#include "core/b.h"\n'), ("src/core/b.h", ""), ("src/core/b.cc", '\n#include "core/a.h"\n')],
    [("capi/a.h", '#include "capi/c.h"\n'), ("capi/b.cc", '#include "capi/a.h"\n'), ("capi/b.h", ""),
     ("capi/c.h", '#include "capi/b.h"\n')],
    [("bindings/python/src/weir/_a.py", "from ._b import b\n"),
     ("bindings/python/src/weir/_b.py", "def b():\n    from . import _a\n")],
    [("bindings/python/src/weir/_apply.py", "def like():\n    from . import fn\n")],
]
# Classes of one name.
NAMESAKES = [
    [("src/core/a.h", "namespace weir {\nstruct Run {\n};\n}  // namespace weir\n"),
     ("src/expr/b.h", "namespace weir {\nclass Run final : public Base {\n};\n}  // namespace weir\n")],
    [("src/core/a.h", "namespace weir {\nstruct Run {\n};\n}  // namespace weir\n"),
     ("src/expr/b.h", "namespace weir {\nenum class Run : uint8_t { on, off };\n}  // namespace weir\n")],
]
# What two files of a folder have in unnamed namespaces under one name.
UNNAMED = [
    ("struct Plan {\n};\n", "enum Plan {\n  first,\n};\n", "another Plan,"),
    ("constexpr int kMost = 3;\n", "constexpr size_t kMost[] = {\n    4};\n", "another kMost,"),
    ("int f(const A& a, int b) {\n  return 1;\n}\n", "void f(const A& x,\n       int y) {\n}\n", "another f(const A&, int),"),
    ("using E = A;\n", "using E = B;\n", "another E,"),
    ("template <class T>\nT f(T a) {\n}\n", "template <class T>\nT f(T b) {\n}\n", "another template f(T),"),
]
CLEAN = [
    ("src/core/d.h", ""),
    ("src/core/d.cc", '#include "core/d.h"\n#include "core/e.h"\n#include "core/f.h"\n'),
    ("src/core/e.h", '#include "core/f.h"\n'),
    ("src/expr/run/a.h", '#include "expr/types/b.h"\n#include "expr/c.h"\n'),
    ("src/core/f.h", '#include <vector>\n#include "core/elsewhere.h"\n'),
    ("src/exec/a.cc", '#include "core/status.h"\nstd::thread worker;\nstd::mutex lock;\n'),
    ("src/fs/a.cc", "int fd = ::open(path, O_RDONLY);\n"),
    ("src/core/j.cc", "// " + "word " * 21 + "\nconst char* kText = \"" + "word " * 30 + "\";  // long\n"),
    ("src/core/b.cc", "// std::mutex would do, but a spin lock is shorter.\nint x;\n"),
    ("src/ops/c.cc", "A& f() {\n  static const OperatorDef def = define();\n  static int g(int x);\n}\n"),
    ("src/ops/d.cc", "int f() {\n  static constexpr int kMost = 3;\n  static_assert(kMost == 3);\n}\n"),
    ("src/core/c.cc", LONG_BODY.replace("  step();\n", "", 1)),
    ("src/core/g.h", "namespace weir {\nstruct Run {\n  struct Part {\n  };\n};\nstruct Part;\n}  // namespace weir\n"),
    ("src/core/h.cc", "namespace weir {\nnamespace {\nstruct Run {\n};\n}  // namespace\n}  // namespace weir\n"),
    ("src/fs/j.cc", "namespace weir {\nnamespace {\nusing E = F;\nint f(int a) {\n}\n}  // namespace\n}  // namespace weir\n"),
    ("src/fs/k.cc", "namespace weir {\nnamespace {\nusing E = F;\nint f(bool a) {\n}\n}  // namespace\n}  // namespace weir\n"),
    ("src/fs/l.cc", "namespace weir::l {\nnamespace {\nint f(int a) {\n}\n}  // namespace\n}  // namespace weir::l\n"),
    ("src/core/i.h", "namespace weir::capi {\nstruct Run {\n};\n}  // namespace weir::capi\n"),
]


def run(files):
    """The exit code and output of the check over a tree of these files."""
    with tempfile.TemporaryDirectory() as folder:
        for path, content in files:
            file = pathlib.Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        result = subprocess.run([CHECK, folder], capture_output=True, text=True, check=False)
        return result.returncode, result.stdout


def main():
    failed = 0
    for path, content, words in OFFENCES:
        code, out = run([(path, content)])
        if code != 1 or words not in out:
            failed += 1
            print(f"not found in {path}: {words!r}\n{out}")
    for files in CIRCLES:
        code, out = run(files)
        if code != 1 or out.count("closes a circle: ") != 1:
            failed += 1
            print(f"not one circle found in {files}:\n{out}")
    for files in NAMESAKES:
        code, out = run(files)
        if code != 1 or "src/expr/b.h:2: src/core/a.h has another weir::Run" not in out:
            failed += 1
            print(f"not one name found twice in {files}:\n{out}")
    for first, second, words in UNNAMED:
        files = [(f"src/fs/{name}.cc", f"namespace weir {{\nnamespace {{\n{text}}}  // namespace\n}}  // namespace weir\n")
                 for name, text in (("a", first), ("b", second))]
        code, out = run(files)
        if code != 1 or f"src/fs/b.cc:3: src/fs/a.cc has {words}" not in out:
            failed += 1
            print(f"not one unnamed name found twice in {files}:\n{out}")
    code, out = run(CLEAN)
    if code != 0:
        failed += 1
        print(f"found something in a clean tree:\n{out}")
    print(f"{len(OFFENCES) + len(CIRCLES) + len(NAMESAKES) + len(UNNAMED) + 1} trees, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
