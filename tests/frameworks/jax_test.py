"""weir.jax.arrays over several devices, and in the checkpoints of Grain and Orbax."""

import json
import os
import socket
import subprocess
import sys

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


PROCESS = """
import json, os, sys
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax
jax.distributed.initialize(sys.argv[1], 2, int(sys.argv[2]), initialization_timeout=60)
import weir
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((2, 2), ("a", "b"), (AxisType.Auto, AxisType.Auto))
dataset = weir.range(12).batch(2, drop_remainder=True)

def shards(dataset, *spec):
    found = []
    for array in weir.jax.arrays(dataset, sharding=NamedSharding(mesh, P(*spec))):
        for shard in array.addressable_shards:
            found.append([shard.index[0].indices(array.shape[0])[:2], shard.data.tolist()])
    return found

def refused(dataset, *spec):
    try:
        return shards(dataset, *spec)
    except ValueError as error:
        return str(error)

found = {"b": shards(dataset, "b"), "none": shards(dataset), "a": shards(dataset, "a")}
found["columns"] = refused(dataset.map(lambda x: weir.fn.stack([x, x])), None, "a")
found["sizes"] = refused(weir.range(14).batch(4), "a")
found["one share"] = shards(weir.range(3).batch(2))
print(json.dumps(found))
"""


def test_processes_of_the_same_rows_have_the_same_share():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
    environment = os.environ | {"JAX_PLATFORMS": "cpu", "PYTHONPATH": os.pathsep.join(sys.path)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": environment}
    processes = [subprocess.Popen([sys.executable, "-c", PROCESS, address, str(at)], **pipes) for at in range(2)]
    ends = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], ends
    first, second = (json.loads(out) for out, _ in ends)
    assert first["b"] == second["b"] and len(first["b"]) == 2 * 6
    assert first["b"][2:4] == [[[0, 1], [2]], [[1, 2], [3]]]
    assert first["none"] == second["none"] and first["none"][-1] == [[0, 2], [10, 11]]
    assert first["a"][2:4] == 2 * [[[0, 2], [4, 5]]] and second["a"][2:4] == 2 * [[[2, 4], [6, 7]]]
    assert first["one share"] == second["one share"] and first["one share"][-1] == [[0, 1], [2]]
    for found in (first, second):
        assert "expected a sharding by which each process has whole rows, found" in found["columns"]
        assert "found int64[?]; use batch(..., drop_remainder=True)" in found["sizes"]


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


def test_states_of_later_epochs():
    def made():
        return weir.range(12).shuffle(12, seed=1)

    source = made()
    expected = [taken(weir.jax.arrays(source)) for _ in range(3)]
    assert expected[0] != expected[1]
    for count in (5, 12):
        for sharding in (None, jax.sharding.SingleDeviceSharding(jax.devices()[0])):
            source = made()
            taken(weir.jax.arrays(source, sharding=sharding))
            elements = weir.jax.arrays(source, sharding=sharding)
            assert [int(next(elements)) for _ in range(count)] == expected[1][:count]
            resumed = made()
            other = weir.jax.arrays(resumed, sharding=sharding)
            other.set_state(elements.get_state())
            assert other.get_state() == elements.get_state()
            assert taken(other) == expected[1][count:]
            assert taken(weir.jax.arrays(resumed, sharding=sharding)) == expected[2]
    iterator = made().iterator()
    elements = weir.jax.arrays(iterator)
    first = int(next(elements))
    other = weir.jax.arrays(made())
    other.set_state(elements.get_state())
    assert [first, *taken(other)] == expected[0]


@pytest.mark.parametrize("state", [b"", b"{}", b"[]", b"null", "text", None, b'{"position": "?", "taken": 0}', b"\xff"])
def test_what_is_no_state(state):
    elements = weir.jax.arrays(weir.range(4))
    next(elements)
    with pytest.raises(ValueError, match=r"expected bytes as get_state\(\) returns them, found"):
        elements.set_state(state)
    of_another = weir.jax.arrays(weir.range(9).batch(2))
    with pytest.raises(weir.Error, match="found one of another"):
        elements.set_state(of_another.get_state())
    assert taken(elements) == [1, 2, 3]


def test_what_is_on_a_device_is_taken_by_dlpack(monkeypatch):
    class Array:
        """As an element on a device has it; of the CPU's memory, which every machine has."""

        def __init__(self):
            self.tensor = np.arange(3, dtype=np.float32)

        def __dlpack_device__(self):
            return self.tensor.__dlpack_device__()

        def __dlpack__(self, **options):
            return self.tensor.__dlpack__(**options)

    monkeypatch.setattr(weir.jax, "DeviceArray", Array)
    made = weir.jax.to_jax({"x": Array(), "y": (np.ones(2), b"s")})
    assert isinstance(made["x"], jax.Array) and made["x"].tolist() == [0, 1, 2] and made["y"][1] == b"s"


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
