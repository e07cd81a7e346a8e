"""weir.torch.DataLoader does what torch's does, in threads."""

import contextlib
import gc
import itertools
import pickle
import threading

import pytest
import torch
from torch.utils.data import DataLoader as TorchLoader
from torch.utils.data import (
    Dataset,
    DistributedSampler,
    IterableDataset,
    TensorDataset,
    default_collate,
    get_worker_info,
)

import weir
from weir.torch import DataLoader

ROWS = TensorDataset(torch.arange(46.0).reshape(23, 2), torch.arange(23))


class Stream(IterableDataset):
    """Numbers, of which a worker has those from its start on."""

    def __init__(self, count):
        self.count = count
        self.start = 0

    def __iter__(self):
        info = get_worker_info()
        step = info.num_workers if info else 1
        return iter(range(self.start, self.count, step))


def begin_at_number(number):
    get_worker_info().dataset.start = number


class Threads(Dataset):
    """Says which worker reads."""

    def __len__(self):
        return 8

    def __getitem__(self, at):
        info = get_worker_info()
        return at, info.id, threading.get_ident()


class Failing(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, at):
        if at == 3:
            raise LookupError("no third row")
        return at


class Waiting(Dataset):
    """Waits for what a test sets."""

    def __init__(self):
        self.go = threading.Event()

    def __len__(self):
        return 4

    def __getitem__(self, at):
        if at == 0:
            self.go.wait()
        return at


def batches(loader):
    return [torch.as_tensor(batch[0] if isinstance(batch, list) else batch).tolist() for batch in loader]


def seeded():
    return torch.Generator().manual_seed(5)


@pytest.mark.parametrize("workers", [0, 1, 3])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"batch_size": 4},
        {"batch_size": 4, "drop_last": True},
        {"batch_size": None},
        {"batch_size": 4, "shuffle": True},
        {"sampler": [3, 1, 4, 1, 5], "batch_size": 2},
        {"batch_sampler": [[1, 2], [3], [9, 8, 7]]},
        {"batch_size": 3, "collate_fn": lambda rows: torch.stack([row[0] for row in rows]).sum(0)},
    ],
)
def test_batches_are_those_of_torch(workers, options):
    ours, theirs = seeded(), seeded()
    made = DataLoader(ROWS, num_workers=workers, generator=ours, **options)
    expected = TorchLoader(ROWS, generator=theirs, **options)
    assert len(made) == len(expected)
    for _ in range(2):
        assert batches(made) == batches(expected)


def test_workers_are_threads():
    made = list(DataLoader(Threads(), num_workers=2))
    assert [int(row[1]) for row in made] == [0, 1] * 4
    assert len({int(row[2]) for row in made}) == 2 and threading.get_ident() not in {int(row[2]) for row in made}
    assert get_worker_info() is None
    assert all(int(at) == i for i, (at, _, _) in enumerate(made))


def test_batches_of_threads_are_in_no_shared_memory():
    def collate(rows):
        assert get_worker_info().num_workers == 2
        return default_collate(rows)

    rows = TensorDataset(torch.arange(14.0).reshape(7, 2).requires_grad_())
    for options in ({}, {"collate_fn": collate}):
        batches = [batch for (batch,) in DataLoader(rows, 3, num_workers=2, **options)]
        assert [len(batch) for batch in batches] == [3, 3, 1]
        assert all(batch.requires_grad and not batch.is_shared() for batch in batches)


def test_threads_share_an_iterator():
    iterator, found = iter(DataLoader(range(97), 2, num_workers=3)), []
    threads = [threading.Thread(target=lambda: found.extend(iterator), daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(int(x) for batch in found for x in batch) == list(range(97))
    assert not any(thread.is_alive() for thread in threads)


def test_persistent_workers_stay():
    loader = DataLoader(Threads(), num_workers=2, persistent_workers=True)
    first, second = ({int(row[2]) for row in loader} for _ in range(2))
    assert first == second
    iterator = iter(loader)
    next(iterator)
    assert [int(row[0]) for row in loader] == list(range(8))


def test_persistent_workers_end_with_their_loader():
    gc.disable()
    try:
        loader = DataLoader(ROWS, num_workers=2, persistent_workers=True)
        assert len(list(loader)) == 23
        workers = list(loader._iterator._workers)
        del loader
        for worker in workers:
            worker.join(20)
        assert not any(worker.is_alive() for worker in workers)
    finally:
        gc.enable()


@pytest.mark.parametrize("persistent", [False, True])
def test_an_iterable_has_a_copy_for_each_worker(persistent):
    rows = Stream(10)
    loader = DataLoader(
        rows, batch_size=2, num_workers=3, worker_init_fn=begin_at_number, persistent_workers=persistent
    )
    expected = [[0, 3], [1, 4], [2, 5], [6, 9], [7], [8]]
    for _ in range(2):
        assert batches(loader) == expected
    assert rows.start == 0
    assert sorted(itertools.chain(*batches(DataLoader(Stream(5), num_workers=2)))) == [0, 0, 2, 2, 4, 4]


class Numbered(Dataset):
    """Tells which worker made a row."""

    worker = -1

    def begin(self, number):
        self.worker = number

    def __getitem__(self, at):
        return self.worker, at

    def __len__(self):
        return 7


def test_a_method_of_the_dataset_begins_the_copy_of_a_worker():
    rows = Numbered()
    loader = DataLoader(rows, batch_size=2, num_workers=2, worker_init_fn=rows.begin)
    found = [[part.tolist() for part in batch] for batch in loader]
    assert found == [[[0, 0], [0, 1]], [[1, 1], [2, 3]], [[0, 0], [4, 5]], [[1], [6]]]
    assert rows.worker == -1


def test_errors_are_those_of_the_dataset():
    for workers in (0, 2):
        iterator = iter(DataLoader(Failing(), num_workers=workers))
        found = []
        for _ in range(6):
            try:
                found.append(int(next(iterator)))
            except LookupError:
                found.append(-1)
        assert found == [0, 1, 2, -1, 4, 5]

    def refuse(_):
        raise RuntimeError("cannot begin")

    with pytest.raises(RuntimeError, match="cannot begin"):
        next(iter(DataLoader(ROWS, num_workers=1, worker_init_fn=refuse)))


class FailingStream(IterableDataset):
    """Goes on after an error, which takes the place of a row."""

    def __iter__(self):
        self.rows = iter(range(9))
        return self

    def __next__(self):
        if (row := next(self.rows)) in (1, 6):
            raise LookupError(f"no row {row}")
        return row


def outcomes(iterator, most=20):
    """The next batches, -1 for an error."""
    found = []
    while len(found) < most:
        try:
            found.append(torch.as_tensor(next(iterator)).tolist())
        except LookupError:
            found.append(-1)
        except StopIteration:
            break
    return found


@pytest.mark.parametrize("rows", [Failing, FailingStream])
@pytest.mark.parametrize(
    "options", [{}, {"num_workers": 2}, {"num_workers": 2, "multiprocessing_context": "fork"}, {"persistent": True}]
)
def test_an_error_that_was_raised_does_not_come_again(rows, options):
    def made():
        if "persistent" in options:
            return DataLoader(rows(), num_workers=1, persistent_workers=True)
        return DataLoader(rows(), batch_size=2 if rows is FailingStream else 1, **options)

    whole = outcomes(iter(made()))
    assert whole.count(-1) >= 1 and whole[-1] != -1
    following = outcomes(iter(made()))
    for count in range(len(whole) + 1):
        loader = made()
        assert outcomes(iterator := iter(loader), count) == whole[:count]
        state = pickle.loads(pickle.dumps(loader.state_dict()))
        resumed = made()
        resumed.load_state_dict(state)
        # At the end it is the beginning of the next epoch, at once for rows whose number is known.
        if count == len(whole) and rows is Failing:
            assert outcomes(iter(resumed)) == following
            continue
        assert outcomes(iter(resumed)) == whole[count:] == outcomes(iterator)
        assert outcomes(iter(resumed)) == following == outcomes(iter(loader))


def test_a_timeout_takes_the_place_of_no_batch():
    rows = Waiting()
    loader = DataLoader(rows, num_workers=1, timeout=0.05)
    iterator = iter(loader)
    with pytest.raises(RuntimeError, match="timed out"):
        next(iterator)
    state = loader.state_dict()
    rows.go.set()
    loader.load_state_dict(state)
    assert [int(row) for row in loader] == [0, 1, 2, 3] == [int(row) for row in iterator]


def test_timeout_and_order():
    rows = Waiting()
    with pytest.raises(RuntimeError, match=r"timed out after 0\.05 seconds"):
        next(iter(DataLoader(rows, num_workers=2, timeout=0.05)))
    loader = iter(DataLoader(rows, num_workers=2, in_order=False))
    assert int(next(loader)) == 1 and int(next(loader)) == 3
    rows.go.set()
    assert sorted(int(row) for row in loader) == [0, 2]


class Stuck(Dataset):
    """Row 0 is made when all rows but it and its worker's next one were."""

    def __init__(self, size):
        self.size = size
        self.made = threading.Semaphore(0)

    def __getitem__(self, at):
        for _ in range(self.size - 2 if at == 0 else 0):
            assert self.made.acquire(timeout=20)
        self.made.release()
        return at

    def __len__(self):
        return self.size


def test_without_an_order_a_slow_worker_holds_no_other_up():
    loader = DataLoader(Stuck(10), batch_size=None, num_workers=2, prefetch_factor=2, in_order=False)
    found = list(loader)
    # The last two of the other worker may be there together with row 0.
    assert found[:6] == [1, 3, 4, 5, 6, 7]
    assert sorted(found) == list(range(10))


def test_what_cannot_be_done_is_refused():
    with pytest.raises(ValueError, match="leave out num_workers"):
        next(iter(DataLoader(weir.torch.loader(weir.range(3)), batch_size=None, num_workers=2)))
    with pytest.raises(ValueError, match="prefetch_factor"):
        DataLoader(ROWS, prefetch_factor=2)
    for options in ({}, {"multiprocessing_context": "fork"}):
        with pytest.raises(ValueError, match="at least 1 for prefetch_factor, found 0"):
            iter(DataLoader(ROWS, num_workers=2, prefetch_factor=0, **options))
    with pytest.raises(TypeError, match="pin_memroy"):
        DataLoader(ROWS, pin_memroy=True)
    assert batches(DataLoader(list(range(4)), num_workers=2, multiprocessing_context="fork")) == [[0], [1], [2], [3]]


@pytest.mark.parametrize("options", [{}, {"num_workers": 3}, {"num_workers": 2, "persistent_workers": True}])
def test_a_state_goes_on_in_the_same_order(options):
    def loader(generator):
        return DataLoader(ROWS, batch_size=3, shuffle=True, generator=generator, **options)

    whole = loader(seeded())
    assert len(batches(whole)) == 8
    iterator = iter(whole)
    before = whole.state_dict()
    next(iterator), next(iterator)
    state = pickle.loads(pickle.dumps(whole.state_dict()))
    rest, following = batches(iterator), batches(whole)
    resumed = loader(torch.Generator())
    resumed.load_state_dict(state)
    assert resumed.state_dict()["given"] == 2
    iterator = iter(resumed)
    assert batches([next(iterator)]) == rest[:1] and resumed.state_dict()["given"] == 3
    assert batches(iterator) == rest[1:] and batches(resumed) == following
    # After its end, and before its first batch, a loop's state is the beginning of one.
    ended = whole.state_dict()
    assert ended["given"] == 0
    assert batches(whole) == (resumed.load_state_dict(ended), batches(resumed))[1]
    resumed.load_state_dict(before)
    assert batches(resumed)[2:] == rest


def test_states_without_a_generator_and_of_streams():
    torch.manual_seed(3)
    loader = DataLoader(ROWS, batch_size=5, shuffle=True, num_workers=2)
    iterator = iter(loader)
    next(iterator)
    state, rest = loader.state_dict(), batches(iterator)
    torch.manual_seed(4)
    loader.load_state_dict(state)
    assert batches(loader) == rest
    # Of the process's generator a loop takes its seed and its order, and a resumed one neither.
    after = torch.get_rng_state()
    torch.manual_seed(4)
    assert torch.equal(torch.get_rng_state(), after)

    streams = DataLoader(Stream(12), batch_size=2, num_workers=2)
    iterator = iter(streams)
    next(iterator)
    state, rest = streams.state_dict(), batches(iterator)
    streams.load_state_dict(state)
    assert batches(streams) == rest

    def of_weir():
        return DataLoader(weir.torch.loader(weir.range(10).shuffle(10, seed=1)), batch_size=2)

    loader = of_weir()
    iterator = iter(loader)
    next(iterator)
    state, rest = loader.state_dict(), batches(iterator)
    resumed = of_weir()
    resumed.load_state_dict(state)
    assert batches(resumed) == rest and batches(resumed) == batches(loader)


@pytest.mark.parametrize("at_the_last_batch", [False, True])
@pytest.mark.parametrize("generator", [None, torch.Generator])
@pytest.mark.parametrize("options", [{}, {"num_workers": 2}, {"num_workers": 2, "persistent_workers": True}])
def test_a_state_at_the_end_begins_the_next_epoch(options, generator, at_the_last_batch):
    def made():
        return DataLoader(ROWS, batch_size=5, shuffle=True, generator=generator and generator(), **options)

    torch.manual_seed(3)
    loader = made()
    batches(loader)
    iterator = iter(loader)
    for _ in range(5):
        next(iterator)
    if not at_the_last_batch:
        assert next(iterator, None) is None
    state, process = pickle.loads(pickle.dumps(loader.state_dict())), torch.get_rng_state()
    expected = [batches(loader) for _ in range(2)]
    # In a new process, the generator of which is restored or not.
    torch.manual_seed(4)
    resumed = made()
    resumed.load_state_dict(state)
    assert batches(resumed) == expected[0] != batches(resumed)
    resumed = made()
    resumed.load_state_dict(state)
    torch.set_rng_state(process)
    assert [batches(resumed) for _ in range(2)] == expected


@pytest.mark.parametrize("generator", [None, torch.Generator])
@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize("options", [{}, {"num_workers": 2}, {"num_workers": 2, "persistent_workers": True}])
def test_a_state_in_any_step_goes_on_for_epochs(options, drop_last, generator):
    rows = TensorDataset(torch.arange(10 if drop_last else 8))

    def made():
        drawn_from = generator and generator()
        return DataLoader(rows, batch_size=4, shuffle=True, drop_last=drop_last, generator=drawn_from, **options)

    for first in (0, 1):
        torch.manual_seed(1)
        loader, states = made(), []
        for _ in range(first):
            batches(loader)
        epochs = [[]]
        for batch in loader:
            epochs[0] += batches([batch])
            states.append((pickle.loads(pickle.dumps(loader.state_dict())), torch.get_rng_state()))
        epochs += [batches(loader) for _ in range(2)]
        for step, (state, process) in enumerate(states, 1):
            for restored_first in (False, True):
                torch.manual_seed(99)
                resumed = made()
                if restored_first:
                    torch.set_rng_state(process)
                resumed.load_state_dict(state)
                torch.set_rng_state(process)
                found = [batches(resumed) for _ in range(3 if step == 1 else 2)]
                assert found == ([epochs[0][1:], *epochs[1:]] if step == 1 else epochs[1:])


@pytest.mark.parametrize("given", [0, 1])
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("before", [0, 2])
def test_a_state_goes_on_with_other_workers(before, workers, given):
    def made(count):
        return weir.torch.DataLoader(range(7), batch_size=2, shuffle=True, num_workers=count)

    torch.manual_seed(0)
    loader = made(before)
    steps = iter(loader)
    for _ in range(given):
        next(steps)
    state, drawn = loader.state_dict(), torch.get_rng_state()
    expected = [[batch.tolist() for batch in loop] for loop in (steps, loader, loader)]
    other = made(workers)
    other.load_state_dict(state)
    torch.set_rng_state(drawn)
    assert [[batch.tolist() for batch in other] for _ in range(3)] == expected


def test_a_loader_is_pickled_in_its_loop():
    loader = DataLoader(ROWS, batch_size=8, num_workers=2)
    iterator = iter(loader)
    next(iterator)
    other = pickle.loads(pickle.dumps(loader))
    assert batches(other) == batches(loader) and len(batches(iterator)) == 2


def test_a_state_out_of_order_is_refused():
    rows = Waiting()
    loader = DataLoader(rows, num_workers=2, in_order=False)
    iterator = iter(loader)
    before = loader.state_dict()
    assert int(next(iterator)) == 1
    with pytest.raises(ValueError, match="take the state between epochs"):
        loader.state_dict()
    rows.go.set()
    assert len(list(iterator)) == 3
    for state in (before, loader.state_dict()):
        loader.load_state_dict(state)
        assert sorted(int(row) for row in loader) == [0, 1, 2, 3]
    for workers in (0, 1):
        loader = DataLoader(rows, num_workers=workers, in_order=False)
        next(iter(loader))
        state = loader.state_dict()
        loader.load_state_dict(state)
        assert [int(row) for row in loader] == [1, 2, 3]


def test_a_sampler_that_is_longer_than_it_says():
    class Longer(list):
        def __len__(self):
            return 2

    loader = DataLoader(ROWS, batch_sampler=Longer([[0], [1], [2]]))
    iterator = iter(loader)
    next(iterator), next(iterator)
    loader.state_dict()
    assert batches(iterator) == [[[4.0, 5.0]]]


@pytest.mark.parametrize("persistent", [False, True])
def test_the_epochs_of_samplers_are_in_the_state(persistent):
    def made():
        sampler = DistributedSampler(ROWS, num_replicas=2, rank=1, seed=1)
        return DataLoader(ROWS, sampler=sampler, batch_size=5, num_workers=2, persistent_workers=persistent)

    loader = made()
    loader.sampler.set_epoch(3)
    iterator = iter(loader)
    next(iterator)
    state, rest = loader.state_dict(), batches(iterator)
    resumed = made()
    resumed.load_state_dict(state)
    assert resumed.sampler.epoch == 3 and batches(resumed) == rest
    # After the end, who counts the epochs sets the next one.
    resumed.load_state_dict(loader.state_dict())
    for one in (loader, resumed):
        one.sampler.set_epoch(4)
    assert batches(resumed) == batches(loader)


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("ended", [False, True])
def test_a_state_of_the_end_leaves_the_next_epoch_to_who_counts(workers, ended):
    def made():
        sampler = DistributedSampler(ROWS, num_replicas=2, rank=1, seed=1)
        return DataLoader(ROWS, sampler=sampler, batch_size=5, num_workers=workers)

    loader = made()
    iterator = iter(loader)
    for _ in range(len(loader)):
        next(iterator)
    if ended:
        assert next(iterator, None) is None
    state, resumed = loader.state_dict(), made()
    for one in (loader, resumed):
        one.sampler.set_epoch(1)
    resumed.load_state_dict(state)
    assert resumed.sampler.epoch == 1 and batches(resumed) == batches(loader)
    # A number that is told before the state is in it.
    loader.sampler.set_epoch(2)
    resumed.load_state_dict(loader.state_dict())
    assert resumed.sampler.epoch == 2 and batches(resumed) == batches(loader)


def test_a_state_is_of_batches_of_one_size():
    loader = DataLoader(ROWS, batch_size=5)
    iterator = iter(loader)
    next(iterator)
    other = DataLoader(ROWS, batch_size=4)
    with pytest.raises(ValueError, match="1 batches of 5 into an epoch, this loader has batches of 4"):
        other.load_state_dict(loader.state_dict())
    list(iterator)
    other.load_state_dict(loader.state_dict())
    assert len(batches(other)) == 6


def test_states_of_worker_processes():
    def made():
        rows = weir.torch.loader(weir.range(12).shuffle(12, seed=1))
        return DataLoader(rows, batch_size=None, num_workers=1, multiprocessing_context="spawn")

    loader = made()
    epochs = [batches(loader)]
    iterator = iter(loader)
    first = batches(next(iterator) for _ in range(5))
    state = pickle.loads(pickle.dumps(loader.state_dict()))
    epochs.append(first + batches(iterator))
    assert epochs[0] != epochs[1]
    resumed = made()
    resumed.load_state_dict(state)
    assert first + batches(resumed) == epochs[1]
    resumed.load_state_dict(loader.state_dict())
    assert batches(resumed) == batches(loader) not in epochs


class Stopping(Failing):
    def __getitem__(self, at):
        return next(iter(())) if at == 3 else at


@pytest.mark.parametrize("collated", [None, 1])
def test_a_row_that_raises_stop_iteration_is_an_error(collated):
    iterator = iter(DataLoader(Stopping(), batch_size=collated, num_workers=2))
    assert [int(next(iterator)) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(RuntimeError, match="raised StopIteration"):
        next(iterator)
    assert [int(row) for row in iterator] == [4, 5]


class Once(IterableDataset):
    """Has one epoch."""

    epochs = 0

    def __iter__(self):
        self.epochs += 1
        if self.epochs > 1:
            raise LookupError("no second epoch")
        return iter(range(2))


def test_an_epoch_that_cannot_begin_is_an_error():
    loader = DataLoader(Once(), num_workers=1, batch_size=None, persistent_workers=True)
    assert list(loader) == [0, 1]
    with pytest.raises(LookupError, match="no second epoch"):
        list(loader)


def refuse_to_begin(_):
    raise RuntimeError


@pytest.mark.parametrize("options", [{}, {"worker_init_fn": refuse_to_begin}])
def test_workers_end_with_their_loop(options):
    for _ in range(20):
        iterator = iter(DataLoader(ROWS, num_workers=2, **options))
        with contextlib.suppress(RuntimeError):
            next(iterator)
        del iterator
    gc.collect()
    for thread in threading.enumerate():
        if thread.name.startswith("weir-loader"):
            thread.join(10)
            assert not thread.is_alive()


def test_from_torch():
    class Rows(Dataset):
        def __len__(self):
            return 5

        def __getitem__(self, at):
            if not 0 <= at < 5:
                raise IndexError
            return {"x": torch.full((2,), float(at)), "y": at, "s": "text"}

    rows = weir.from_torch(Rows(), pure=True)
    assert str(rows.spec) == "{x: float32[2], y: int64, s: string}"
    assert len(rows) == 5 and rows[3]["x"].tolist() == [3, 3] and rows[-1]["s"] == b"text"
    assert sorted(int(row["y"]) for row in rows.global_shuffle(seed=1)) == list(range(5))
    iterator = rows.iterator()
    next(iterator)
    assert [int(row["y"]) for row in rows.iterator(checkpoint=iterator.save())] == [1, 2, 3, 4]
    assert [int(x) for x in weir.from_torch(Stream(4))] == [0, 1, 2, 3]
    assert [int(x) for x in weir.from_torch(x for x in range(4))] == [0, 1, 2, 3]
    assert [int(x) for x in weir.from_torch(Once())] == [0, 1]
    with pytest.raises(ValueError, match="found an empty one"):
        weir.from_torch(Stream(0))
    with pytest.raises(ValueError, match="found an empty one; pass its spec"):
        weir.from_torch([])
    assert list(weir.from_torch([], spec="int64")) == []
    halves = torch.tensor([[0.5, 1.5], [2.5, 3.5]], dtype=torch.bfloat16)
    (first, second) = weir.torch.loader(weir.from_torch(TensorDataset(halves, halves[:, 0])))
    assert first[0].dtype == torch.bfloat16 and torch.equal(second[0], halves[1]) and float(first[1]) == 0.5
    assert str(weir.from_torch(ROWS).spec) == "(float32[2], int64)"
    assert [batch.tolist() for batch in weir.torch.loader(weir.from_torch(Stream(4)).batch(3))] == [[0, 1, 2], [3]]
