"""Builds the package, by scikit-build-core. A source distribution carries the sources of the library with it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scikit_build_core import build as _build
from scikit_build_core.build import (
    build_editable,
    build_wheel,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

PACKAGE = Path(__file__).resolve().parents[1]
# Where a source distribution has what it needs of the source tree.
CARRIED = PACKAGE / "library"
TREE = PACKAGE.parents[1]
PARTS = (
    *("CMakeLists.txt", "LICENSE", "NOTICE", "THIRD_PARTY_NOTICES.md"),
    *("capi", "cmake", "extensions", "include", "src", "tools"),
)


def root() -> Path:
    """The folder with the library's sources: in a source distribution its own copy, else the source tree."""
    for folder in (CARRIED, TREE):
        if (folder / "include/weir/weir.h").is_file():
            return folder
    raise FileNotFoundError(
        f"expected the sources of libweir in {TREE}, found none; build from a whole source tree or from the source "
        "distribution that `python -m build --sdist bindings/python` makes there"
    )


def dynamic_metadata(field: str, settings: Mapping[str, Any]) -> str:
    """The version, which weir.h has."""
    header = (root() / "include/weir/weir.h").read_text()
    found = dict(re.findall(r"#define WEIR_VERSION_(\w+) (\d+)", header))
    return ".".join(found[part] for part in ("MAJOR", "MINOR", "PATCH"))


def build_sdist(sdist_directory: str, config_settings: dict[str, Any] | None = None) -> str:
    """Puts what the package needs of the source tree beside it while the archive is made."""
    if root() == CARRIED:
        return _build.build_sdist(sdist_directory, config_settings)
    shutil.rmtree(CARRIED, ignore_errors=True)
    try:
        CARRIED.mkdir()
        for part in PARTS:
            if (TREE / part).is_dir():
                shutil.copytree(TREE / part, CARRIED / part, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(TREE / part, CARRIED / part)
        return _build.build_sdist(sdist_directory, config_settings)
    finally:
        shutil.rmtree(CARRIED, ignore_errors=True)


__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "dynamic_metadata",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]
