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


def test_elements_are_handed_over_in_blocks(monkeypatch):
    calls = []
    convert = weir.tf.to_tf

    def counting(value):
        calls.append(value)
        return convert(value)

    monkeypatch.setattr(weir.tf, "to_tf", counting)
    source = weir.range(5000).map(lambda x: {"x": weir.fn.full([4], x), "s": weir.fn.as_string(x)})
    rows = list(weir.tf.dataset(source).as_numpy_iterator())
    assert [int(row["x"][3]) for row in rows] == list(range(5000))
    assert [row["s"] for row in rows] == [b"%d" % x for x in range(5000)]
    assert len([value for value in calls if isinstance(value, dict)]) < 50


def test_shapes_that_change_and_large_elements():
    ragged = weir.tf.dataset(weir.range(40).map(lambda x: weir.fn.arange(x // 10)))
    assert [len(x) for x in ragged] == [x // 10 for x in range(40)]
    large = weir.tf.dataset(weir.range(3).map(lambda x: weir.fn.full([300_000], x)))
    assert [int(x[-1]) for x in large] == [0, 1, 2]


def test_cardinality():
    assert len(weir.tf.dataset(weir.range(10).batch(3))) == 4
    infinite = weir.tf.dataset(weir.range(3).repeat())
    assert infinite.cardinality() == tf.data.INFINITE_CARDINALITY
    assert [int(x) for x in infinite.take(5)] == [0, 1, 2, 0, 1]
    unknown = weir.tf.dataset(weir.range(10).filter(lambda x: x > 3))
    assert unknown.cardinality() == tf.data.UNKNOWN_CARDINALITY and len(list(unknown)) == 6


def test_elements_before_an_error_come_first():
    dataset = weir.tf.dataset(weir.range(100).map(lambda x: 6 // (x - 50)))
    found = []
    with pytest.raises(tf.errors.OpError, match="division by zero"):
        for x in dataset:
            found.append(int(x))
    assert len(found) == 50


@pytest.mark.parametrize("size", [1, 100_000])
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("failing", [{0}, {3}, {9}, {2, 3, 7}, set(range(10))])
def test_elements_after_an_error_follow(size, known, failing):
    source = weir.range(10).map(lambda x: weir.fn.full([size], x))
    for one in failing:
        source = source.map(lambda x, one=one: x // (x[0] - one) * 0 + x)
    dataset = weir.tf.dataset(source if known else source.filter(lambda x: True))
    left = [x for x in range(10) if x not in failing]
    for _ in range(2):
        assert [int(x[0]) for x in dataset.ignore_errors()] == left
    found, iterator = [], iter(dataset)
    for _ in range(10):
        try:
            found.append(int(next(iterator)[0]))
        except tf.errors.OpError:
            found.append(-1)
    assert found == [-1 if x in failing else x for x in range(10)] and next(iterator, None) is None
    assert dataset.cardinality() == (10 if known else tf.data.UNKNOWN_CARDINALITY) and source._epoch == 3 * known


def test_keras_counts_the_steps(recwarn):
    keras = pytest.importorskip("keras")
    rows = weir.range(64).map(lambda x: (weir.fn.full([4], weir.fn.float32(x)), weir.fn.float32(x)))
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile(loss="mse")
    history = model.fit(weir.tf.dataset(rows.batch(16)), epochs=2, verbose=0)
    assert len(history.epoch) == 2
    assert not [one for one in recwarn if "ran out of data" in str(one.message)]


@pytest.mark.parametrize("rows", [weir.range(24), weir.range(24).filter(lambda x: x >= 0)])
@pytest.mark.parametrize("batched", [False, True])
def test_workers_share_the_elements(rows, batched):
    distribute = pytest.importorskip("tensorflow.python.data.experimental.ops.distribute")
    # What tf.distribute does with the dataset of each worker.
    shares = [
        distribute._AutoShardDataset(weir.tf.dataset(rows.batch(4) if batched else rows), 3, index)
        for index in range(3)
    ]
    found = [[numbers.tolist() for numbers in share.as_numpy_iterator()] for share in shares]
    every = [list(range(first, first + 4)) for first in range(0, 24, 4)] if batched else list(range(24))
    assert found == [every[index::3] for index in range(3)]
