"""A job that stops and goes on with another number of ranks ends in the weights of one that never stops.

Each launcher starts train.py as many processes; the run that never stops is in this one. tools/test-launchers installs
what they need.
"""

import os
import pathlib
import socket
import subprocess
import sys

import pytest
import train

import weir

TRAIN = str(pathlib.Path(train.__file__))
# Of the launchers that run this test, and of none.
NUMBERS = ("RANK", "WORLD_SIZE", "OMPI_", "PMI_", "SLURM_", "JOB_COMPLETION_INDEX")
LIMIT_SECONDS = 300


def run(commands):
    """Runs processes together; all must end well."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(NUMBERS)}
    inherited |= {"OMP_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    processes = [
        subprocess.Popen(command, env=inherited | more, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for command, more in commands
    ]
    try:
        said = [process.communicate(timeout=LIMIT_SECONDS)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
    assert [process.returncode for process in processes] == [0] * len(processes), "\n".join(said)


def torchrun(ranks, *words):
    """Runs the job with PyTorch."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}"]
    run([([*command, TRAIN, "torch", *words], {})])


def mpirun(ranks, *words):
    """Runs the job with MPI or JAX."""
    command = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), sys.executable]
    run([([*command, TRAIN, *words], {})])


def jax_processes(ranks, *words):
    """Runs the job with JAX, which gets the numbers of ranks from the program."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
    more = {"JAX_COORDINATOR_ADDRESS": address, "WORLD_SIZE": str(ranks)}
    run([([sys.executable, TRAIN, "jax", *words], more | {"RANK": str(rank)}) for rank in range(ranks)])


LAUNCHERS = {
    "torchrun": torchrun,
    "mpirun": lambda ranks, *words: mpirun(ranks, "mpi", *words),
    "jax": jax_processes,
    "jax under mpirun": lambda ranks, *words: mpirun(ranks, "jax", *words),
}


def uninterrupted(schedule):
    """The weights after a schedule of (ranks, steps), None for steps to the end; and how often a rank had no batch.

    Reads all parts first and needs no positions: a rank takes from that of its parts which has given fewest, the first
    of equals.
    """
    dataset = weir.parse(train.PIPELINE)
    parts = [dataset.iterator(rank=part, world_size=train.PARTS) for part in range(train.PARTS)]
    left = [list(part) for part in parts]
    given = [0] * train.PARTS
    weights, idle = train.start(), 0

    def take(rank, ranks):
        own = [part for part in range(rank, train.PARTS, ranks) if given[part] < len(left[part])]
        if not own:
            return None
        part = min(own, key=lambda part: (given[part], part))
        given[part] += 1
        return left[part][given[part] - 1]

    for ranks, steps in schedule:
        while steps is None or steps > 0:
            batches = [take(rank, ranks) for rank in range(ranks)]
            following = train.updated(weights, [train.gradient_of(batch, weights) for batch in batches])
            if following is None:
                break
            idle += batches.count(None)
            weights = following
            steps = None if steps is None else steps - 1
    assert [len(part) for part in left] == given == [16] * train.PARTS
    return weights, idle


def weights_of(folder, ranks):
    """The last weights that each rank saved."""
    found = []
    for rank in range(ranks):
        manager = weir.CheckpointManager(folder, rank=rank, world_size=ranks)
        assert manager.ranks()[0] == ranks
        found.append(train.unpacked(manager.load(rank)[1])[1])
    return found


CASES = [
    (launcher, before, after, saved)
    for launcher in LAUNCHERS
    for before, after, saved in [(2, 2, 5), (2, 1, 10), (1, 2, 10), (2, 4, 10), (2, 4, 5)]
    # Two processes show it, and they take long to start.
    if after < 4 or not launcher.startswith("jax")
]


@pytest.mark.parametrize(("launcher", "before", "after", "saved"), CASES)
def test_resume(launcher, before, after, saved, tmp_path):
    """The steps after the last save are lost, and taken again by the ranks that follow."""
    LAUNCHERS[launcher](before, str(tmp_path), str(saved + 2))
    LAUNCHERS[launcher](after, str(tmp_path))
    expected, idle = uninterrupted([(before, saved), (after, None)])
    # Some ranks have no batch in the last step if those before can't be divided among the new ranks.
    assert idle == -before * saved % after
    for found in weights_of(tmp_path, after):
        assert found.tolist() == expected.tolist()
