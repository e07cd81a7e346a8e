"""Runs the sides of a row in turns, each in a process of its own."""

from __future__ import annotations

import json
import subprocess
import threading
from typing import Any

from peers.install import Installation
from peers.row import Row

# A run that takes longer has hung.
LIMIT_SECONDS = 180


class Process:
    """The process of one side (peers/worker.py)."""

    def __init__(self, installation: Installation, row: Row, side: str, seconds: float) -> None:
        command = [str(installation.python), "-m", "peers.worker", row.name, side, str(seconds)]
        self.process = subprocess.Popen(
            command,
            env=installation.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.failed = ""
        self.figures: list[float] = []
        self.count = self.answer().get("count", 0)

    def hung(self) -> None:
        self.failed = f"no answer within {LIMIT_SECONDS} s"
        self.process.kill()

    def answer(self) -> dict[str, Any]:
        timer = threading.Timer(LIMIT_SECONDS, self.hung)
        timer.start()
        line = self.process.stdout.readline()
        timer.cancel()
        if not line:
            self.failed = self.failed or f"its process ended with {self.process.wait()}"
            return {}
        found = json.loads(line)
        self.failed = found.get("failed", "")
        return found

    def run(self) -> None:
        """One run, unless an earlier one failed."""
        if self.failed:
            return
        try:
            self.process.stdin.write("run\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        found = self.answer()
        if "figure" in found:
            self.figures.append(found["figure"])

    def close(self) -> None:
        self.process.stdin.close()
        self.process.kill()
        self.process.wait()


def measure(
    installation: Installation, row: Row, sides: dict[str, str], repeats: int, seconds: float
) -> dict[str, Any]:
    """The results of a row, as results.py keeps them. `sides` has those to run, or why one can't."""
    processes = {side: Process(installation, row, side, seconds) for side, failed in sides.items() if not failed}
    for _ in range(repeats):
        for process in processes.values():
            process.run()
    found = {}
    for side, failed in sides.items():
        process = processes.get(side)
        if process is not None:
            process.close()
            failed = process.failed
        if failed:
            found[side] = {"failed": failed}
        else:
            found[side] = {"figures": process.figures, "items": process.count}
    return {"unit": row.unit.text, "higher_is_better": row.unit.higher_is_better, "sides": found}
