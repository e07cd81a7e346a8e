"""Processes that come from one which uses weir: each way has a defined end."""

import ast
import json
import re
import subprocess
import sys

import pytest
from conftest import ROOT, sanitizer_bytes

SCRIPT = ROOT / "tests/embedding/package_processes.py"


def scenarios():
    """Their names, without running the script in this process."""
    for statement in ast.parse(SCRIPT.read_text()).body:
        if isinstance(statement, ast.Assign) and statement.targets[0].id == "SCENARIOS":
            return [ast.literal_eval(key) for key in statement.value.keys]
    raise AssertionError


@pytest.mark.parametrize("name", scenarios())
def test_scenario(name):
    if sanitizer_bytes() is not None and re.search(r"\bfork\b", name) and "before" not in name:
        pytest.skip("the address sanitizer's locks, which other threads may hold at a fork, stay locked in the child")
    done = subprocess.run([sys.executable, SCRIPT, name], capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["scenario"] == name and "the parent reads all elements" in found["end"]
