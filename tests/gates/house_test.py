#!/usr/bin/env python3
"""tools/house counts each kind of thing, passes at the limit, and fails one above it."""

import json
import pathlib
import subprocess
import sys
import tempfile

HOUSE = pathlib.Path(__file__).resolve().parents[2] / "tools/house"
NAMES = ["one", "two", "three", "four", "five", "six", "seven", "eight"]
FILES = {
    "src/a/port.h": """// class Port in words; it has no_field_.
class Port final : public Base {
 public:
  virtual ~Port() = default;
  virtual int rows() const = 0;
  virtual void pull(int x_) {
    int local_ = 3;
    y_ = local_;
  }
  enum class Mode { keep, pass };

 private:
  struct Anchor {
    int inner_ = 0;
  };
  // Not counted: commented_ = 1;
  int rows_ = 0;
  std::vector<Anchor> anchors_;
  const bool& whole_;
  static constexpr int kMost = 4;
};
""",
    "src/a/def.h": """struct Def {
  std::string_view name;
  Page page = {};
  Result<Spec> (*spec)(const Params&) = nullptr;
  static const Def& of(int x);
  bool found() const { return true; }
};
""",
    "src/ops/ops.cc": "".join(f'.name = "{name}",\n' for name in NAMES),
    "src/a/seven.cc": " ".join(f'"{name}"' for name in NAMES[:7]) + "\n",
    "src/a/list.inc": " ".join(f'"{name}"' for name in NAMES) + "\n",
    "src/a/eight.md": " ".join(f'"{name}"' for name in NAMES) + "\n",
    "src/a/target/built.cc": "x\n" * 100,
    "capi/symbols": "# all\nweir_a\n\nweir_b\n",
}
# What is counted, of what, and how many there are.
COUNTS = [
    ("fields", "src/a/port.h:Port", 3),
    ("fields", "src/a/def.h:Def", 3),
    ("virtuals", "src/a/port.h:Port", 2),
    ("lines", "src/a", 21 + 7 + 1 + 1),
    ("lines", "src/a/def.h", 7),
    ("listing", "src/a capi", 1),
    ("matches", 'src/a:"two"|class Port', 4),
    ("symbols", "capi/symbols", 2),
]


def run(count, of, limit):
    """The exit code and output over a tree of these files with one limit."""
    with tempfile.TemporaryDirectory() as folder:
        rules = {"counts": [{"what": "things", "count": count, "of": of, "limit": limit}]}
        for path, content in {**FILES, "tools/house-rules.json": json.dumps(rules)}.items():
            file = pathlib.Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        result = subprocess.run([HOUSE, folder], capture_output=True, text=True, check=False)
        return result.returncode, result.stdout + result.stderr


def main():
    failed = 0
    for count, of, number in COUNTS:
        for limit, expected in ((number, 0), (number - 1, 1)):
            code, out = run(count, of, limit)
            if code != expected or f" {number}  limit {limit}" not in out:
                failed += 1
                print(f"{count} of {of}, {number} with a limit of {limit}: exit {code}\n{out}")
    code, out = run("fields", "src/a/port.h:Window", 3)
    if code != 1 or "there is no class src/a/port.h:Window" not in out:
        failed += 1
        print(f"a class that is gone was not missed:\n{out}")
    print(f"{2 * len(COUNTS) + 1} trees, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
