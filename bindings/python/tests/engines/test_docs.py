"""The samples of docs/many-machines.md run, and print what they say."""

import contextlib
import io
import pathlib
import re
import subprocess
import sys

import pytest
from conftest import begin

ROOT = pathlib.Path(__file__).resolve().parents[4]
PAGE = (ROOT / "docs/many-machines.md").read_text()


def run(section):
    """Runs a section's samples, one after another."""
    text = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)[1]
    samples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert samples
    names = {}
    for sample in samples:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(sample, "many-machines.md", "exec"), names)
        assert out.getvalue().splitlines() == re.findall(r"print\(.*\)\s+# (.*)$", sample, re.MULTILINE)
    return names


def test_ray(monkeypatch):
    ray = pytest.importorskip("ray")
    monkeypatch.chdir(ROOT)
    begin(num_cpus=2, include_dashboard=False)
    try:
        run("Ray")
    finally:
        ray.shutdown()


def test_spark():
    pytest.importorskip("pyspark")
    run("Spark")["spark"].stop()


def test_weir_alone_imports_neither():
    code = "import sys, weir; print(sorted({'pyarrow', 'pyspark', 'ray'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
