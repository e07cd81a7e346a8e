"""The virtual environment of the peers, the package of weir in it, and the loop in C.

Each peer is installed by itself, so that one that can't be installed is named with the reason and the others run.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import venv

from peers import systems

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Beside the peers, what generated data is written with, and what building weir's package takes.
TOOLS = ("numpy", "crc32c", "protobuf", "tfrecord", "pillow", "scikit-build-core>=0.10", "nanobind>=2.4")


class Installation:
    """Everything under one folder."""

    def __init__(self, build: pathlib.Path, folder: pathlib.Path) -> None:
        self.build = build
        self.folder = folder
        self.python = folder / "venv" / "bin" / "python"
        self.loop = folder / "libloop.so"
        self.library = (build / "libweir.so").resolve()

    def environment(self) -> dict[str, str]:
        """Of the processes that run rows."""
        return os.environ | {
            "PYTHONPATH": str(ROOT / "bench"),
            "WEIR_COMPARE_LOOP": str(self.loop),
            "WEIR_COMPARE_DATA": str(self.folder / "data"),
            "WEIR_COMPARE_BUILD": str(self.build),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def install(self, names: list[str]) -> dict[str, str]:
        """Installs what is missing. Returns the reason for each system that can't be installed."""
        if not self.python.exists():
            venv.create(self.folder / "venv", with_pip=True)
        (self.folder / "data").mkdir(exist_ok=True)
        failed = {}
        tools = self.folder / "installed-tools"
        if not tools.exists():
            problem = self.pip(*TOOLS)
            if problem:
                raise RuntimeError(f"pip: {problem}")
            tools.touch()
        for name in names:
            packages = systems.KNOWN[name][1]
            stamp = self.folder / f"installed-{name.replace(' ', '-')}"
            if not packages or stamp.exists():
                continue
            problem = self.pip(*packages)
            if problem:
                failed[name] = problem
            else:
                stamp.touch()
        failed.update({"weir": problem} if (problem := self.install_weir()) else {})
        return failed

    def pip(self, *words: str) -> str:
        """Runs pip install. Returns "" or the last line of what went wrong."""
        command = [self.python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        lines = done.stderr.strip().splitlines() or ["pip failed"]
        return "" if done.returncode == 0 else lines[-1]

    def install_weir(self) -> str:
        """weir's own package over the library that was built, and the loop over the same."""
        stamp = self.folder / "installed-weir"
        if stamp.exists() and self.loop.exists() and stamp.stat().st_mtime > self.library.stat().st_mtime:
            return ""
        source = ROOT / "bench" / "peers" / "loop.c"
        linked = [f"-I{ROOT / 'include'}", str(self.library), f"-Wl,-rpath,{self.library.parent}"]
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", source, "-o", self.loop, *linked], check=True)
        settings = ("-C", f"build-dir={self.folder / 'wheel'}", "-C", f"cmake.define.WEIR_LIBRARY={self.library}")
        package = str(ROOT / "bindings" / "python")
        problem = self.pip("--no-build-isolation", "--force-reinstall", "--no-deps", *settings, package)
        if not problem:
            stamp.touch()
        return problem

    def version(self, name: str) -> str:
        """The installed version of a system."""
        code = f"from peers import systems; print(systems.version({name!r}))"
        done = subprocess.run(
            [self.python, "-c", code], env=self.environment(), capture_output=True, text=True, check=False
        )
        return done.stdout.strip()
