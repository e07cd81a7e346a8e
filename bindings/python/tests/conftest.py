"""What the tests share."""

import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture
def digits():
    """The folder of handwritten digits."""
    return ROOT / "examples/digits/data"


@pytest.fixture(autouse=True)
def in_root(monkeypatch):
    """Documents name files relative to the root of the source tree."""
    monkeypatch.chdir(ROOT)
