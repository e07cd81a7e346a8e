"""The results as JSON: what was measured, on which machine, with which versions."""

from __future__ import annotations

import json
import os
import pathlib
import platform
from typing import Any

FORMAT = 1


def machine() -> str:
    """The processor, how many of it, and the system."""
    model = platform.machine()
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    release = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    pages = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return f"{os.cpu_count()} × {model}, {pages / 2**30:.0f} GiB, {release}, Python {platform.python_version()}"


def empty() -> dict[str, Any]:
    return {"format": FORMAT, "machine": machine(), "command": "", "versions": {}, "rows": {}}


def load(file: pathlib.Path) -> dict[str, Any]:
    found = json.loads(file.read_text())
    if found.get("format") != FORMAT:
        raise ValueError(f"{file}: expected results of format {FORMAT}, found {found.get('format')}")
    return found


def save(file: pathlib.Path, results: dict[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_suffix(".tmp")
    temporary.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    temporary.replace(file)


def merge(older: dict[str, Any], newer: dict[str, Any]) -> dict[str, Any]:
    """Both, with the newer rows in place of older ones. Rows of different machines don't stand in one table."""
    if older["machine"] != newer["machine"]:
        raise ValueError(f"expected results of the same machine, found {older['machine']} and {newer['machine']}")
    merged = dict(newer)
    merged["versions"] = older["versions"] | newer["versions"]
    merged["rows"] = older["rows"] | newer["rows"]
    return merged
