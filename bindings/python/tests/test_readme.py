"""The README's samples run, and print what it says."""

import contextlib
import io
import re

import numpy as np
from conftest import ROOT

import weir

README = (ROOT / "bindings/python/README.md").read_text()


def test_samples():
    names = {}
    for sample in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(sample, "README.md", "exec"), names)
        printed = out.getvalue().splitlines()
        promised = re.findall(r"print\(.*\)\s+# (.*)$", sample, re.MULTILINE)
        if promised:
            assert printed == promised
        after = README.split(sample, 1)[1].removeprefix("```").lstrip()
        if after.startswith("prints\n"):
            block = after.split("\n\n")[1]
            assert printed == [line.strip() for line in block.splitlines()]
        elif after.startswith("prints `"):
            sentence = after.split(":")[0]
            assert printed == re.findall(r"`([^`]*)`", sentence)
    row = next(iter(names["dataset"].iterator()))
    assert isinstance(row, np.ndarray)


def test_top_readme(monkeypatch):
    """Its pipeline in Python yields the elements of the one in text, whose digest it shows."""
    monkeypatch.chdir(ROOT)
    text = (ROOT / "README.md").read_text()
    names = {}
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(re.search(r"```python\n(.*?)```", text, re.DOTALL)[1], "README.md", "exec"), names)
    assert len(out.getvalue().splitlines()) == 45
    parsed = weir.parse((ROOT / "docs/samples/readme.weir").read_text())
    assert weir.digest(names["batches"]) == weir.digest(parsed)
    assert weir.digest(parsed) in text
