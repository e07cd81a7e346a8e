"""weir.jax.arrays over several devices, and in the checkpoints of Grain and Orbax."""

import grain
import jax
import numpy as np
import orbax.checkpoint as ocp
import pytest

import weir

MESH = jax.sharding.NamedSharding(jax.make_mesh((4,), ("data",)), jax.sharding.PartitionSpec("data"))


def test_a_sharding_makes_global_arrays():
    dataset = weir.range(16).map(lambda x: {"x": weir.fn.float32(x), "y": weir.fn.stack([x, x])}).batch(8)
    rows = list(weir.jax.arrays(dataset, sharding=MESH))
    assert [row["x"].sharding for row in rows] == [MESH, MESH] and len(rows[0]["y"].addressable_shards) == 4
    assert rows[1]["x"].addressable_shards[1].data.tolist() == [10, 11]
    assert rows[0]["y"].shape == (8, 2)
    made = weir.jax._to_global(next(iter(dataset)), MESH)  # what several processes do
    assert made["x"].tolist() == rows[0]["x"].tolist() and made["x"].sharding == MESH
    with pytest.raises(TypeError, match="a device or a sharding"):
        weir.jax.arrays(dataset, jax.devices()[0], sharding=MESH)


def test_two_are_read_ahead():
    read = []

    def seen(x):
        read.append(int(x))
        return x

    elements = weir.jax.arrays(weir.range(10).map(weir.py_function(seen, spec="int64", pure=True)))
    assert read == []
    assert int(next(elements)) == 0 and read == [0, 1, 2]
    assert int(next(elements)) == 1 and read == [0, 1, 2, 3]


def failing():
    return weir.range(40).shuffle(40, seed=1).map(lambda x: 60 // (x - 7))


def taken(elements):
    found = []
    while True:
        try:
            found.append(int(next(elements)))
        except StopIteration:
            return found
        except weir.Error:
            found.append(None)


def test_states_at_every_position():
    expected = taken(weir.jax.arrays(failing()))
    assert expected.count(None) == 1 and len(expected) == 40
    elements = weir.jax.arrays(failing())
    for position in range(41):
        other = weir.jax.arrays(failing())
        other.set_state(elements.get_state())
        assert taken(other) == expected[position:]
        try:
            next(elements, None)
        except weir.Error:
            pass


@pytest.mark.parametrize("handler", ["grain", "orbax"])
def test_checkpoints(tmp_path, handler):
    def save(manager, elements):
        manager.save(3, args=ocp.args.Composite(data=grain.checkpoint.CheckpointSave(elements), model=model))
        manager.wait_until_finished()

    model = ocp.args.StandardSave({"w": np.ones(3)})
    elements = weir.jax.arrays(failing())
    for _ in range(5):
        next(elements)
    if handler == "grain":
        checkpointer = ocp.Checkpointer(grain.checkpoint.CheckpointHandler())
        checkpointer.save(tmp_path / "data", args=grain.checkpoint.CheckpointSave(elements))
        other = weir.jax.arrays(failing())
        checkpointer.restore(tmp_path / "data", args=grain.checkpoint.CheckpointRestore(other))
    else:
        with ocp.CheckpointManager(tmp_path / "run") as manager:
            save(manager, elements)
        other = weir.jax.arrays(failing())
        with ocp.CheckpointManager(tmp_path / "run") as manager:
            manager.restore(
                manager.latest_step(), args=ocp.args.Composite(data=grain.checkpoint.CheckpointRestore(other))
            )
    assert taken(other) == taken(elements)
