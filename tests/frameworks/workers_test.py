"""weir.torch.loader in worker processes: of torch's DataLoader, and of torchdata's StatefulDataLoader."""

import os

import pytest
import torch.multiprocessing
from torch.utils.data import DataLoader
from torchdata.stateful_dataloader import StatefulDataLoader

import weir


def shuffled():
    return weir.torch.loader(weir.range(40).shuffle(40, seed=1))


def orders(loader, loops):
    """The elements of each loop in the order of their positions: worker 0's first, then worker 1's, in turn."""
    return [[int(x) for x in loader] for _ in range(loops)]


def spawned(kind, loader, workers, **options):
    """A DataLoader of that kind with so many workers."""
    context = "spawn" if workers else None
    return kind(loader, None, num_workers=workers, multiprocessing_context=context, **options)


def test_stateful_data_loaders():
    expected = orders(shuffled(), 3)

    def make(workers):
        return spawned(StatefulDataLoader, shuffled(), workers)

    for workers in (0, 2):
        loader = make(workers)
        assert orders(loader, 1) == expected[:1]
        iterator = iter(loader)
        begun = [int(next(iterator)) for _ in range(10)]
        other = make(workers)
        other.load_state_dict(loader.state_dict())
        assert begun + orders(other, 1)[0] == expected[1]
        assert orders(other, 1) == expected[2:]
        ended = make(workers)
        orders(ended, 1)
        other.load_state_dict(ended.state_dict())
        assert orders(other, 2) == expected[1:]


def test_a_worker_that_has_ended_waits_for_the_others():
    dataset = weir.parse("range(20) | partition(2, p -> p | shuffle(10) | filter(x -> x > 6))")

    def make(state=None, persistent=True):
        options = {"num_workers": 2, "multiprocessing_context": "spawn", "persistent_workers": persistent}
        loader = StatefulDataLoader(weir.torch.loader(dataset), 3, **options)
        if state:
            loader.load_state_dict(state)
        return loader

    def loops(loader, count):
        return [[batch.tolist() for batch in loader] for _ in range(count)]

    expected = loops(make(), 2)
    # Worker 0 has 1 of the 5 batches.
    for left in (1, 0):
        loader = make()
        iterator = iter(loader)
        begun = [next(iterator).tolist() for _ in range(5 - left)]
        (rest, following) = loops(make(loader.state_dict()), 2)
        assert [begun + rest, following] == expected
    assert next(iterator, None) is None
    assert loops(make(loader.state_dict(), persistent=False), 1) == expected[1:]


def two_epochs(rank, loader, given):
    os.environ.update(RANK=str(rank), WORLD_SIZE="2")
    given.put((rank, len(loader), orders(loader, 1) + orders(spawned(DataLoader, loader, 1), 1)))


def test_ranks_that_are_spawned_are_no_workers():
    dataset = weir.parse("range(20) | global_shuffle(seed: 1) | partition(2, p -> p)")
    loader = weir.torch.loader(dataset)
    orders(spawned(DataLoader, loader, 1), 1)
    given = torch.multiprocessing.get_context("spawn").SimpleQueue()
    torch.multiprocessing.spawn(two_epochs, (loader, given), nprocs=2)
    for rank, count, found in sorted(given.get() for _ in range(2)):
        own = [[int(x) for x in dataset.iterator(epoch=epoch, rank=rank, world_size=2)] for epoch in (1, 2)]
        assert (count, found) == (10, own)
    assert orders(loader, 1) == [[int(x) for x in dataset.iterator(epoch=1)]]


def test_an_older_state_goes_back():
    expected = orders(shuffled(), 3)
    loader = shuffled()
    orders(loader, 1)
    state = loader.state_dict()
    orders(spawned(DataLoader, loader, 2), 2)
    loader.load_state_dict(state)
    assert orders(loader, 1) + orders(spawned(DataLoader, loader, 1), 1) == expected[1:]
    again = spawned(StatefulDataLoader, shuffled(), 2)
    iterator = iter(again)
    begun = [int(next(iterator)) for _ in range(10)]
    state = again.state_dict()
    del iterator
    orders(again, 2)
    again.load_state_dict(state)
    assert begun + orders(again, 1)[0] == expected[0]
    assert orders(again, 2) == expected[1:]


@pytest.mark.parametrize("persistent", [False, True])
def test_each_loop_of_workers_is_an_epoch(persistent):
    expected = orders(shuffled(), 3)
    # Two workers take turns, so their elements come in the order of the dataset.
    assert orders(spawned(DataLoader, shuffled(), 2, persistent_workers=persistent), 3) == expected


def test_loops_with_and_without_workers_share_the_count():
    expected = orders(shuffled(), 5)
    loader = shuffled()
    found = orders(loader, 1)
    found += orders(spawned(DataLoader, loader, 2), 1)
    found += orders(loader, 1)
    found += orders(spawned(DataLoader, loader, 1), 1)
    found += orders(loader, 1)
    assert found == expected


def test_states_with_workers():
    expected = orders(shuffled(), 4)
    loader = shuffled()
    orders(loader, 1)
    iterator = iter(loader)
    for _ in range(7):
        next(iterator)
    resumed = shuffled()
    resumed.load_state_dict(loader.state_dict())
    workers = spawned(DataLoader, resumed, 2)
    # The rest of the epoch is shared out anew, and only the next loop resumes.
    assert sorted(orders(workers, 1)[0]) == sorted(expected[1][7:])
    assert orders(workers, 2) == expected[2:]


@pytest.mark.parametrize("resumed", [True, False])
def test_a_state_of_workers_does_not_know_loops_without_them(resumed):
    def make(loader):
        return spawned(weir.torch.DataLoader, loader, 2, persistent_workers=True)

    expected = orders(shuffled(), 2)
    loader = shuffled()
    iterator = iter(loader)
    begun = [int(next(iterator)) for _ in range(7)]
    if resumed:
        state = loader.state_dict()
        loader = shuffled()
        loader.load_state_dict(state)
    workers = make(loader)
    if resumed:
        assert sorted(begun + orders(workers, 1)[0]) == list(range(40))
    iterator = iter(workers)
    begun = [int(next(iterator)) for _ in range(5)]
    other = make(shuffled())
    other.load_state_dict(workers.state_dict())
    assert begun + orders(other, 1)[0] == expected[1]


@pytest.mark.parametrize("text", ["range(40) | shuffle(40)", "sample_from_datasets([range(20), range(20, 40)])"])
def test_workers_draw_the_same(text):
    # Each element once, though every worker makes them all and keeps its own.
    loader = spawned(DataLoader, weir.torch.loader(weir.parse(text)), 2)
    for found in orders(loader, 2):
        assert sorted(found) == list(range(40))
