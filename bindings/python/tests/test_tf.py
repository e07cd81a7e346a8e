"""The adapter for TensorFlow, where that is installed."""

import pytest

import weir

tf = pytest.importorskip("tensorflow")


def test_same_structure():
    source = weir.range(6).map(lambda x: {"x": weir.fn.float32(x), "pair": (x, weir.fn.as_string(x))}).batch(4)
    dataset = weir.tf.dataset(source)
    assert dataset.element_spec["pair"][1] == tf.TensorSpec([None], tf.string)
    rows = list(dataset.as_numpy_iterator())
    assert rows[0]["x"].tolist() == [0, 1, 2, 3]
    assert rows[1]["pair"][1].tolist() == [b"4", b"5"]


def test_sparse_and_ragged():
    ragged = weir.tf.dataset(weir.range(4).map(lambda x: weir.fn.arange(x)).ragged_batch(4))
    assert next(iter(ragged)).to_list() == [[], [0], [0, 1], [0, 1, 2]]
    sparse = weir.tf.dataset(weir.range(2).map(lambda x: weir.fn.from_dense(weir.fn.stack([0, x + 1]))))
    assert tf.sparse.to_dense(next(iter(sparse))).numpy().tolist() == [0, 1]
    with pytest.raises(TypeError, match="optional|dataset"):
        weir.tf.dataset(weir.range(4).window(2))


def test_errors_and_epochs():
    dataset = weir.tf.dataset(weir.range(20).shuffle(20, seed=3))
    assert [int(x) for x in dataset] != [int(x) for x in dataset]
    with pytest.raises(tf.errors.OpError, match="division by zero"):
        list(weir.tf.dataset(weir.range(3).map(lambda x: 6 // x)))
