"""The process of one side of one row.

    python -m peers.worker ROW SIDE SECONDS

It prints a line of JSON for each line that it reads. The first says how many items a run has, or why there is none;
each further line of input is a run, answered with its figure.
"""

from __future__ import annotations

import json
import os
import sys
import time

from peers import rows, systems
from peers.row import AS_RETURNED, Row, system_of


class Runner:
    """Runs one side, each time from the beginning."""

    def __init__(self, row: Row, side: str) -> None:
        self.row = row
        self.side = row.sides[side]
        self.system = systems.load(system_of(side))
        self.count = -(-row.least // row.step) * row.step

    def figure(self) -> float:
        """One run. What is built for it is built before the clock starts."""
        seconds, returned = self.timed()
        return self.row.unit.figure(seconds, self.count, self.row.item_bytes, returned)

    def timed(self):
        run = self.system.prepare(self.side, self.count)
        begun = time.perf_counter()
        returned = run()
        return time.perf_counter() - begun, returned

    def choose_count(self, seconds: float) -> None:
        """Finds the number of items that takes about so long, which also warms everything up."""
        row = self.row

        def once() -> float:
            took, returned = self.timed()
            return returned if returned is not None and row.unit.kind != AS_RETURNED else took

        for _ in range(12):
            took = once()
            # The first run loads what the next ones find.
            if seconds * 0.6 <= took < seconds * 4:
                took = once()
            if took >= seconds * 0.6 or self.count >= row.most or row.least >= row.most:
                return
            wanted = self.count * min(10.0, seconds / max(took, 1e-6))
            steps = max(1, round(min(wanted, row.most) / row.step))
            self.count = steps * row.step


def rest() -> None:
    """Waits until this process does nothing more, as what it makes ahead would take the next side's time; at most 2 s."""
    end = time.monotonic() + 2
    while time.monotonic() < end:
        used, begun = time.process_time(), time.perf_counter()
        time.sleep(0.02)
        if time.process_time() - used < 0.1 * (time.perf_counter() - begun):
            return


def main() -> None:
    row_name, side, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    # What libraries print must not mix with the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(**message: object) -> None:
        print(json.dumps(message), file=answers, flush=True)

    row = rows.ALL.all[row_name]
    if row.cores:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: row.cores])
    try:
        runner = Runner(row, side)
        runner.choose_count(seconds)
        rest()
        answer(count=runner.count)
        for _ in sys.stdin:
            figure = runner.figure()
            rest()
            answer(figure=figure)
    except BaseException as error:  # Whatever a peer does, the table says so.
        text = f"{type(error).__name__}: {error}".strip()
        answer(failed=text.splitlines()[0][:300])


if __name__ == "__main__":
    main()
