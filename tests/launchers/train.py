"""One rank of a training job that may go on with another number of ranks: a regression by gradient descent.

    train.py torch|mpi|jax FOLDER [STEPS]

Goes on from what FOLDER has. With STEPS it stops after that step without saving, as if it were killed there. weir takes
the rank and the number of ranks from the environment.
"""

import atexit
import os
import sys

import numpy as np

import weir

PARTS = 8
# 16 or 17 batches in each part, of which `even` leaves 16.
PIPELINE = f"""
  range(518)
  | partition({PARTS}, part ->
      part
      | shuffle(32, seed: 5)
      | map(i -> {{x: random_uniform([3], min: -1, max: 1, dtype: float64, seed: 2), y: float64(i) / 518}})
      | batch(4), even: true)
  | prefetch(2)
"""
SAVED_STEPS = 5
RATE = 0.1


def gradient_of(batch, weights):
    """How many rows a rank has in this step, and the sum of their gradients; zeros after its last batch."""
    if batch is None:
        return np.zeros(1 + weights.size)
    rows = np.column_stack([np.ones(len(batch["y"])), batch["x"]])
    errors = (rows * weights).sum(axis=1) - batch["y"]
    return np.concatenate([[len(rows)], (rows * errors[:, None]).sum(axis=0)])


def updated(weights, gradients):
    """The weights after a step with the gradients of all ranks, or None if no rank had a batch."""
    # In the order of ranks, so that the sum is the same everywhere.
    total = np.zeros(1 + weights.size)
    for gradient in gradients:
        total += gradient
    return weights - RATE * total[1:] / total[0] if total[0] else None


def start():
    """The weights before the first step."""
    return np.zeros(4)


def torch_job():
    """Rank, number of ranks, and what gives the arrays of all ranks, in their order."""
    import torch

    torch.distributed.init_process_group("gloo")
    # Its threads must have ended when the process does.
    atexit.register(torch.distributed.destroy_process_group)
    ranks = torch.distributed.get_world_size()

    def gather(array):
        gathered = [torch.empty(array.shape, dtype=torch.float64) for _ in range(ranks)]
        torch.distributed.all_gather(gathered, torch.from_numpy(array))
        return [tensor.numpy() for tensor in gathered]

    return torch.distributed.get_rank(), ranks, gather


def mpi_job():
    """The same with MPI."""
    from mpi4py import MPI

    return MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size, MPI.COMM_WORLD.allgather


def jax_job():
    """The same with JAX."""
    import jax
    from jax.experimental import multihost_utils

    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_enable_x64", True)
    if "RANK" in os.environ:
        # JAX_COORDINATOR_ADDRESS says where process 0 is.
        jax.distributed.initialize(num_processes=int(os.environ["WORLD_SIZE"]), process_id=int(os.environ["RANK"]))
    else:
        jax.distributed.initialize()  # asks mpirun
    return jax.process_index(), jax.process_count(), multihost_utils.process_allgather


def packed(step, weights):
    """What is saved beside the position."""
    return np.array([step, *weights]).tobytes()


def unpacked(extra):
    """The step and the weights."""
    step, *weights = np.frombuffer(extra)
    return int(step), np.array(weights)


JOBS = {"torch": torch_job, "mpi": mpi_job, "jax": jax_job}


def load(manager, rank, ranks):
    """Where this rank goes on, as options of its iterator, the number of steps that were taken, and the weights."""
    old_ranks, _ = manager.ranks()
    if old_ranks == 0:
        return {}, 0, start()
    positions, extras, _ = zip(*(manager.load(old) for old in range(old_ranks)), strict=True)
    if len(set(extras)) != 1:
        raise ValueError("expected ranks that saved at the same step")
    step, weights = unpacked(extras[0])
    where = {"checkpoint": positions[rank]} if old_ranks == ranks else {"rank_checkpoints": positions}
    return where, step, weights


def main():
    """Trains."""
    framework, folder, *limit = sys.argv[1:]
    last = int(limit[0]) if limit else None
    rank, ranks, gather = JOBS[framework]()
    manager = weir.CheckpointManager(folder, rank=rank, world_size=ranks, every_elements=SAVED_STEPS)
    where, step, weights = load(manager, rank, ranks)
    # No rank and no world_size here.
    iterator = weir.parse(PIPELINE).iterator(**where)
    manager.save(iterator, packed(step, weights))
    # Before an element is taken, all ranks have saved.
    gather(np.zeros(1))
    while step != last:
        gradients = gather(gradient_of(next(iterator, None), weights))
        following = updated(weights, gradients)
        if following is None:
            break
        step, weights = step + 1, following
        if manager.step():
            manager.save(iterator, packed(step, weights))
    if last is None:
        manager.save(iterator, packed(step, weights))


if __name__ == "__main__":
    main()
