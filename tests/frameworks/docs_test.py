"""The samples of docs/frameworks.md run, in their order, and print what stands below them."""

import contextlib
import io
import pathlib
import re
import textwrap

PAGE = (pathlib.Path(__file__).resolve().parents[2] / "docs/frameworks.md").read_text()


def test_samples():
    samples = re.findall(r"```python\n(.*?)```\n\n((?:    [^\n]*\n)+)", PAGE, re.DOTALL)
    assert len(samples) == PAGE.count("```python") > 0
    names = {}
    for sample, expected in samples:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(sample, "frameworks.md", "exec"), names)
        assert out.getvalue() == textwrap.dedent(expected)
