"""The adapter for PyTorch, where that is installed."""

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


def test_shares_are_taken_where_the_dataset_says():
    dataset = weir.range(12).shard("auto", "auto").batch(2)
    assert [batch.tolist() for batch in weir.torch.loader(dataset, rank=1, world_size=3)] == [[1, 4], [7, 10]]


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
