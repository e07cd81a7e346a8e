"""The adapter for PyTorch, where that is installed."""

import itertools
import pickle

import numpy as np
import pytest

import weir

torch = pytest.importorskip("torch")


def loader_of(count=10, **options):
    return weir.torch.loader(weir.range(count).map(lambda x: {"x": x, "y": weir.fn.stack([x, x]), "s": "t"}), **options)


def test_elements_are_tensors():
    rows = list(loader_of(3))
    assert [int(row["x"]) for row in rows] == [0, 1, 2]
    assert rows[2]["y"].dtype == torch.int64 and rows[2]["y"].tolist() == [2, 2]
    assert rows[0]["s"] == b"t"


def test_large_batches_share_memory():
    dataset = weir.range(40_000).map(lambda x: weir.fn.float32(x)).batch(10_000)
    array = next(iter(dataset))
    tensor = weir.torch.to_torch(array)
    assert tensor.data_ptr() == array.ctypes.data
    lent = np.arange(10_000.0)
    tensor = weir.torch.to_torch(next(iter(weir.from_tensors(lent))))
    tensor[0] = 5
    assert lent[0] == 0


def test_dtypes():
    (value,) = weir.torch.loader(weir.parse("from_tensors((bfloat16([1.5]), float16(2.0), true, uint8([1])))"))
    assert value[1].dtype == torch.float16 and value[2].dtype == torch.bool and value[3].dtype == torch.uint8
    assert float(value[0][0]) == 1.5


def test_what_is_on_a_device_is_taken_by_dlpack():
    class Array:
        """As an element on a device has it; of the CPU's memory, which every machine has."""

        def __init__(self, entries):
            self.tensor = torch.tensor(entries)

        def __dlpack_device__(self):
            return self.tensor.__dlpack_device__()

        def __dlpack__(self, **options):
            return self.tensor.__dlpack__(**options)

    array = Array([0, 1, 2])
    assert weir.torch.to_torch({"x": array})["x"].data_ptr() == array.tensor.data_ptr()
    sparse = weir.Sparse(Array([[0], [2]]), Array([5, 7]), Array([3]))
    assert weir.torch.to_torch(sparse).to_dense().tolist() == [5, 0, 7]
    assert [x.device.type for x in weir.torch.loader(weir.range(2), device="cpu")] == ["cpu"] * 2


def test_tensors_that_are_negated_when_they_are_read():
    values = torch.tensor([1 + 2j, 3 - 4j]).conj()
    assert values.imag.is_neg()
    for dataset in (weir.from_tensor_slices(values.imag), weir.from_torch(values.imag)):
        assert [float(x) for x in dataset] == [-2, 4]
    assert weir.fn.float32(values.imag).tolist() == [-2, 4]
    assert [complex(x) for x in weir.from_tensor_slices(values)] == [1 - 2j, 3 + 4j]


def test_each_loop_is_an_epoch():
    loader = weir.torch.loader(weir.range(20).shuffle(20, seed=1))
    assert [int(x) for x in loader] != [int(x) for x in loader]


def test_ranks_and_positions():
    assert [int(row["x"]) for row in loader_of(rank=1, world_size=3)] == [1, 4, 7]
    loader = loader_of()
    iterator = iter(loader)
    next(iterator), next(iterator)
    state = loader.state_dict()
    other = loader_of()
    other.load_state_dict(state)
    assert [int(row["x"]) for row in other] == list(range(2, 10))
    assert [int(row["x"]) for row in other] == list(range(10))
    assert [int(row["x"]) for row in pickle.loads(pickle.dumps(loader_of()))] == list(range(10))


def test_a_rank_replaces_that_of_the_environment(monkeypatch):
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "3")

    def numbers(**options):
        loader = weir.torch.loader(weir.range(8), **options)
        found = [int(x) for x in loader]
        assert len(loader) == len(found)
        return found

    assert numbers() == [1, 4, 7]
    assert numbers(rank=2) == [2, 5]
    assert numbers(world_size=5) == [1, 6]
    assert numbers(rank=0, world_size=2) == [0, 2, 4, 6]
    assert numbers(shard=False) == list(range(8))
    for options, expected in {
        (3, 3): "at least 0 and below world_size, which is 3, found 3",
        (-1, None): "at least 0, found -1",
        (None, 0): "at least 1 for world_size, found 0",
        (0, -2): "at least 1 for world_size, found -2",
    }.items():
        with pytest.raises(ValueError, match=expected):
            weir.torch.loader(weir.range(8), rank=options[0], world_size=options[1])
    for options, rank, ranks in (({"rank": 3}, 3, 3), ({"world_size": 1}, 1, 1)):
        loader = weir.torch.loader(weir.range(8), **options)
        for use in (list, len):
            with pytest.raises(ValueError, match=f"below world_size, which is {ranks}, found {rank}; give both"):
                use(loader)


def test_shares_are_taken_where_the_dataset_says():
    dataset = weir.range(12).shard("auto", "auto").batch(2)
    assert [batch.tolist() for batch in weir.torch.loader(dataset, rank=1, world_size=3)] == [[1, 4], [7, 10]]


PARTS = weir.range(26).partition(4, lambda part: part.shuffle(3, seed=1)).map(lambda x: x)


@pytest.mark.parametrize(
    "dataset",
    [
        PARTS,
        weir.parse("range(4) | flat_map(x -> range(6) | shard(auto, auto) | map(y -> 6 * x + y))"),
        weir.parse('range(24) | shard(auto, auto) | map(x -> (x, "shard(auto, auto)")) | map((x, _) -> x)'),
    ],
)
def test_a_dataset_has_one_place_for_shares(dataset):
    for ranks in (1, 2, 4):
        found = []
        for rank in range(ranks):
            loader = weir.torch.loader(dataset, rank=rank, world_size=ranks)
            share = [int(x) for x in loader]
            assert share == [int(x) for x in dataset.iterator(rank=rank, world_size=ranks)]
            found += share
        assert sorted(found) == list(range(len(found))) and len(found) >= 24
    assert sorted(int(x) for x in weir.torch.loader(dataset, rank=1, world_size=2, shard=False)) == sorted(found)


def test_parts_continue_with_another_number_of_ranks():
    def loader(rank, ranks):
        return weir.torch.loader(PARTS, rank=rank, world_size=ranks)

    for old, new in ((1, 4), (4, 2), (2, 1), (2, 2)):
        taken, states = [], []
        for rank in range(old):
            one = loader(rank, old)
            taken += [int(x) for x in itertools.islice(one, 2 + rank)]
            states.append(pickle.loads(pickle.dumps(one.state_dict())))
        for rank in range(new):
            one = loader(rank, new)
            one.load_state_dict(states)
            taken += [int(x) for x in one]
        assert sorted(taken) == list(range(26)), (old, new)


def test_spawned_workers_take_parts():
    rows = weir.torch.loader(PARTS, rank=1, world_size=2)
    loader = torch.utils.data.DataLoader(rows, batch_size=None, num_workers=2, multiprocessing_context="spawn")
    assert sorted(int(x) for x in loader) == sorted(int(x) for x in rows) and len(loader) == 14


def test_spawned_workers_take_shares():
    loader = torch.utils.data.DataLoader(
        weir.torch.loader(weir.range(10)), batch_size=None, num_workers=2, multiprocessing_context="spawn"
    )
    assert sorted(int(x) for x in loader) == list(range(10))


def test_forked_workers_are_refused():
    loader = torch.utils.data.DataLoader(
        weir.torch.loader(weir.range(10)), batch_size=None, num_workers=1, multiprocessing_context="fork"
    )
    with pytest.raises(RuntimeError, match="this worker was forked"):
        list(loader)


def shuffled(count=40):
    return weir.torch.loader(weir.range(count).shuffle(count, seed=1))


def orders(loader, loops):
    """The elements of each loop in the order of their positions: worker 0's first, then worker 1's, in turn."""
    return [[int(x) for x in loader] for _ in range(loops)]


def test_a_state_at_the_end_begins_the_next_epoch():
    expected = orders(shuffled(), 3)
    loader = shuffled()
    orders(loader, 1)
    other = shuffled()
    with pytest.raises(ValueError, match="the key 'epoch', found one with"):
        other.load_state_dict({})
    other.load_state_dict(pickle.loads(pickle.dumps(loader.state_dict())))
    assert orders(other, 2) == expected[1:]
    assert orders(loader, 1) == expected[1:2]
    # Inside the loop, after the last element, nothing is left of this epoch.
    iterator = iter(loader)
    for _ in range(40):
        next(iterator)
    other.load_state_dict(loader.state_dict())
    assert orders(other, 1) == [[]]


def test_what_one_rank_had_left_is_shared_out():
    dataset = weir.range(20).shuffle(20, seed=1)
    (expected,) = orders(weir.torch.loader(dataset), 1)
    whole = weir.torch.loader(dataset, rank=0, world_size=1)
    iterator = iter(whole)
    next(iterator), next(iterator)
    for rank in range(3):
        loader = weir.torch.loader(dataset, rank=rank, world_size=3)
        loader.load_state_dict(whole.state_dict())
        iterator = iter(loader)
        assert int(next(iterator)) == expected[2 + rank]
        resumed = weir.torch.loader(dataset, rank=rank, world_size=3)
        resumed.load_state_dict(loader.state_dict())
        assert orders(resumed, 1)[0] == [int(x) for x in iterator] == expected[5 + rank :: 3]


def test_a_loop_that_takes_nothing_is_none():
    expected = orders(shuffled(), 2)
    loader = shuffled()
    iter(loader)
    state = loader.state_dict()
    assert orders(loader, 1) == expected[:1]
    begun = iter(loader)
    loader.load_state_dict(state)
    assert [int(x) for x in begun] == expected[0]


def test_a_loop_goes_on_after_an_element_that_fails():
    iterator = iter(weir.torch.loader(weir.range(4).map(lambda x: 6 // (x - 1))))
    assert next(iterator) == -6
    with pytest.raises(weir.Error):
        next(iterator)
    assert [int(x) for x in iterator] == [6, 3]


@pytest.mark.parametrize("dataset", [weir.range(24), weir.range(24).shard("auto", "auto").map(lambda x: x * 1)])
def test_states_of_all_ranks(dataset):
    def loader(rank, ranks):
        return weir.torch.loader(dataset, rank=rank, world_size=ranks)

    for ranks in (1, 2, 3):
        taken, states = [], []
        for rank in range(ranks):
            one = loader(rank, ranks)
            iterator = iter(one)
            taken += [int(next(iterator)) for _ in range(4)]
            states.append(one.state_dict())
        left = []
        for rank in range(ranks):
            one = loader(rank, ranks)
            one.load_state_dict(states)
            left += [int(x) for x in one]
            assert len([int(x) for x in one]) == 24 // ranks
        assert sorted(taken + left) == list(range(24)), ranks
    one = loader(0, 2)
    one.load_state_dict(states)
    with pytest.raises(weir.errors.FailedPrecondition, match="partition"):
        list(one)
    one = loader(1, 3)
    one.load_state_dict(states[0])
    with pytest.raises(ValueError, match=r"share 1 of 3 .* found 0 of 3; pass all of them"):
        list(one)


def test_a_rank_that_has_ended_resumes_with_the_others():
    states, taken = [], []
    for rank in range(2):
        loader = weir.torch.loader(weir.range(10), rank=rank, world_size=2)
        iterator = iter(loader)
        taken += [int(x) for x in iterator] if rank == 0 else [int(next(iterator))]
        states.append(loader.state_dict())
    for rank in range(2):
        loader = weir.torch.loader(weir.range(10), rank=rank, world_size=2)
        loader.load_state_dict(states)
        taken += [int(x) for x in loader]
    assert sorted(taken) == list(range(10))


@pytest.mark.parametrize("text", ["shuffle(24, seed: 1)", "shuffle(24, seed: 1) | shard(auto, auto)"])
@pytest.mark.parametrize("epoch", [0, 1])
def test_a_rank_that_had_not_begun_begins_with_the_others(text, epoch):
    dataset = weir.parse(f"range(24) | {text}")

    def loaders():
        return [weir.torch.loader(dataset, rank=rank, world_size=3) for rank in range(3)]

    made, expected = loaders(), [orders(one, 3) for one in loaders()]
    for one in made[: 3 if epoch else 0]:
        orders(one, epoch)
    taken = [[int(x) for x in itertools.islice(made[1], 3)], [int(x) for x in made[2]]]
    states = [pickle.loads(pickle.dumps(one.state_dict())) for one in made]
    for _ in range(2):
        resumed = loaders()
        for one in resumed:
            one.load_state_dict(states)
        # Before any of them begins, they have what they were given.
        states = [one.state_dict() for one in resumed]
    (rest, *following) = zip(*(orders(one, 3 - epoch) for one in resumed), strict=True)
    assert rest[0] == expected[0][epoch] and taken[0] + rest[1] == expected[1][epoch] and rest[2] == []
    assert taken[1] == expected[2][epoch]
    assert list(map(list, following)) == [[one[later] for one in expected] for later in range(epoch + 1, 3)]


def test_parts_of_a_rank_that_had_not_begun():
    loaders = [weir.torch.loader(PARTS, rank=rank, world_size=2) for rank in range(2)]
    taken = [int(x) for x in itertools.islice(loaders[0], 3)]
    for rank in range(4):
        loader = weir.torch.loader(PARTS, rank=rank, world_size=4)
        loader.load_state_dict([one.state_dict() for one in loaders])
        taken += [int(x) for x in loader]
    assert sorted(taken) == list(range(26))


def all_loaders(dataset, ranks, states=None):
    made = [weir.torch.loader(dataset, rank=rank, world_size=ranks) for rank in range(ranks)]
    for one in made if states else ():
        one.load_state_dict(pickle.loads(pickle.dumps(states)))
    return made


def take(loaders, counts):
    """The next elements of loops that end there."""
    return [int(x) for one, count in zip(loaders, counts, strict=True) if count for x in itertools.islice(one, count)]


@pytest.mark.parametrize("again", [2, 3, 4])
@pytest.mark.parametrize("counts", [(0, 3, 2), (2, 0, 0), (1, 2, 0), (0, 0, 0), (1, 2, 3), (0, 99, 99)])
def test_a_rank_that_took_nothing_after_a_resize(counts, again):
    dataset = weir.parse("range(24) | partition(12, p -> p) | map(x -> x + 100)")
    loaders = all_loaders(dataset, 2)
    taken = take(loaders, (3, 5))
    loaders = all_loaders(dataset, 3, [one.state_dict() for one in loaders])
    taken += take(loaders, counts)
    states = [one.state_dict() for one in loaders]
    rest = [int(x) for one in all_loaders(dataset, 3, states) for x in one]
    assert sorted(taken + rest) == list(range(100, 124))
    # With as many ranks, its own state is enough, unless it is that of an end.
    for rank, state in enumerate(states if 99 not in counts else ()):
        alone, whole = (all_loaders(dataset, 3, given)[rank] for given in (state, states))
        assert [int(x) for x in alone] == [int(x) for x in whole]
    # Of those that took nothing again, and of others.
    loaders = all_loaders(dataset, again, states)
    more = take(loaders, (1, 0, 2, 0)[:again])
    left = all_loaders(dataset, 3, [one.state_dict() for one in loaders])
    assert sorted(taken + more + [int(x) for one in left for x in one]) == list(range(100, 124))
    # The next epoch has everything.
    assert sorted(int(x) for one in left for x in one) == list(range(100, 124))


@pytest.mark.parametrize("counts", [(0, 0, 2), (0, 0, 0)])
@pytest.mark.parametrize("own", [*itertools.product([False, True], repeat=3)])
@pytest.mark.parametrize("before", [1, 2, 6])
def test_own_states_beside_those_of_all_ranks(before, own, counts):
    dataset = weir.parse("range(24) | partition(12, p -> p) | map(x -> x + 100)")
    loaders = all_loaders(dataset, before)
    taken = take(loaders, range(1, before + 1))
    loaders = all_loaders(dataset, 3, [one.state_dict() for one in loaders])
    taken += take(loaders, (2, 0, 0))
    states = [one.state_dict() for one in loaders]
    loaders = all_loaders(dataset, 3)
    for one, alone, state in zip(loaders, own, states, strict=True):
        one.load_state_dict(state if alone else states)
    taken += take(loaders, counts)
    (rest,) = all_loaders(dataset, 1, [one.state_dict() for one in loaders])
    assert sorted(taken + orders(rest, 1)[0]) == list(range(100, 124))


@pytest.mark.parametrize("restart", [True, False])
def test_a_rank_that_has_ended_and_takes_nothing_keeps_its_state(restart):
    dataset = weir.parse("range(8) | partition(2, p -> p | filter(x -> x > 2))")
    loaders = all_loaders(dataset, 2)
    assert take(loaders, (99, 2)) == [3, 4, 5]
    if restart:
        states = [one.state_dict() for one in loaders]
        loaders = all_loaders(dataset, 2)
        for one, state in zip(loaders, states, strict=True):
            one.load_state_dict(state)
    iter(loaders[0])
    states = [one.state_dict() for one in loaders]
    (rest,) = all_loaders(dataset, 1, states)
    assert orders(rest, 2) == [[6, 7], [3, 4, 5, 6, 7]]
    # For itself it begins the next epoch.
    assert take(loaders, (99, 99)) == ([3, 6, 7] if restart else [3, 4, 5, 6, 7])


def test_a_rank_that_is_an_epoch_behind_has_that_epoch():
    dataset = weir.parse("range(8) | partition(2, p -> p | filter(x -> x > 2))")
    loaders = all_loaders(dataset, 2)
    assert take(loaders, (99, 99)) + take(loaders, (99, 0)) == [3, 4, 5, 6, 7, 3]
    (rest,) = all_loaders(dataset, 1, [one.state_dict() for one in loaders])
    assert orders(rest, 2) == [[4, 5, 6, 7], [3, 4, 5, 6, 7]]


def test_a_rank_that_took_nothing_of_what_one_had_left():
    dataset = weir.range(20).shuffle(20, seed=1)
    alone = all_loaders(dataset, 1)
    taken = take(alone, [2])
    loaders = all_loaders(dataset, 3, [alone[0].state_dict()])
    taken += take(loaders, (3, 0, 1))
    loaders = all_loaders(dataset, 3, [one.state_dict() for one in loaders])
    assert sorted(taken + [int(x) for one in loaders for x in one]) == list(range(20))


def test_states_of_0_1():
    dataset = weir.range(6)
    iterator = dataset.iterator()
    next(iterator)
    loader = weir.torch.loader(dataset)
    loader.load_state_dict({"weir": 1, "epoch": 1, "position": iterator.save()})
    assert orders(loader, 2) == [[1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5]]
    loader.load_state_dict({"weir": 1, "epoch": 0, "position": None})
    assert orders(loader, 1) == [[0, 1, 2, 3, 4, 5]]


def test_lengths():
    assert len(weir.torch.loader(weir.range(10).batch(3))) == 4
    assert [len(weir.torch.loader(weir.range(10), rank=r, world_size=4)) for r in range(4)] == [3, 3, 2, 2]
    for rank in range(2):
        rows = weir.torch.loader(weir.range(11), rank=rank, world_size=2)
        loader = torch.utils.data.DataLoader(rows, None, num_workers=2, multiprocessing_context="spawn")
        assert len(loader) == len(list(loader))
    sharded = weir.range(12).shard("auto", "auto").batch(3)
    for rank in range(2):
        loader = weir.torch.loader(sharded, rank=rank, world_size=2)
        assert len(loader) == len(list(loader)) == 2
    for text in ("", " | batch(2)", " | repeat(2) | batch(3)"):
        parts = weir.parse(f"range(10) | partition(4, part -> part{text}) | enumerate() | prefetch(2)")
        for even in (parts, weir.parse(str(parts).replace(") | enum", ", even: true) | enum"))):
            for rank in range(2):
                loader = weir.torch.loader(even, rank=rank, world_size=2)
                assert len(loader) == len(list(loader))
    for text in ("part | filter(x -> x > 1)) | map(x -> x", "part) | take(3"):
        with pytest.raises(TypeError, match="unknown"):
            len(weir.torch.loader(weir.parse(f"range(10) | partition(4, part -> {text})")))
    with pytest.raises(TypeError, match="infinite"):
        len(weir.torch.loader(weir.range(10).partition(2, lambda part: part.repeat())))
    endless = weir.torch.loader(weir.range(10).repeat())
    with pytest.raises(TypeError, match="infinite"):
        len(endless)
    assert endless


def test_a_plain_data_loader_says_what_to_use():
    plain = torch.utils.data.DataLoader
    assert [int(x) for x in plain(weir.range(3))] == [0, 1, 2]
    with pytest.raises(TypeError, match=r"weir\.torch\.loader\(dataset\) in place of the dataset: .*shuffle"):
        list(plain(weir.range(4).shuffle(4)))
    forked = r'this worker was forked.*multiprocessing_context="spawn".*weir\.torch\.DataLoader.*num_workers=0'
    with pytest.raises(ValueError, match=forked):
        list(plain(weir.range(4), num_workers=1, multiprocessing_context="fork"))
    with pytest.raises(IndexError, match="below 10, found 10"):
        list(plain(weir.range(10), batch_sampler=[[1, 10]]))
    with pytest.raises(TypeError, match=r"weir\.torch\.loader\(dataset\)"):
        list(torch.utils.data.DataLoader(weir.range(10).filter(lambda x: x > 3)))
    # The error of a row is its own.
    rows = iter(plain(weir.range(5).map(lambda x: 6 // (x - 2)), batch_size=2))
    assert next(rows).tolist() == [-3, -6]
    with pytest.raises(weir.errors.InvalidArgument, match="^integer division by zero"):
        next(rows)
    assert next(rows).tolist() == [3]


def test_loops_share_a_cache():
    calls = []
    function = weir.py_function(lambda x: calls.append(x) or x, spec="int64")
    loader = weir.torch.loader(weir.range(5).map(function).cache())
    assert orders(loader, 3) == [[0, 1, 2, 3, 4]] * 3
    assert len(calls) == 5


@pytest.mark.parametrize("epoch", [0, 1])
def test_a_resumed_loop_fills_the_shared_cache(epoch):
    def made():
        return weir.torch.loader(weir.range(8).shuffle(8, seed=1).cache())

    whole = orders(made(), 4)
    loader = made()
    assert orders(loader, epoch) == whole[:epoch]
    rows = iter(loader)
    assert [int(next(rows)) for _ in range(3)] == whole[0][:3]
    state = loader.state_dict()
    loader = made()
    loader.load_state_dict(state)
    assert orders(loader, 3) == [whole[0][3:], *whole[:2]]
