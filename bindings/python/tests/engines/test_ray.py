import collections
import itertools
import os
import pickle
import signal

import numpy as np
import pyarrow as pa
import pytest
from conftest import begin, digest_of, document, places, places_of

import weir

ray = pytest.importorskip("ray")
from ray.data import ExecutionResources  # noqa: E402

from weir.ray import _source_of  # noqa: E402


@pytest.fixture(scope="module")
def one_node():
    yield begin(num_cpus=2, include_dashboard=False, object_store_memory=200 << 20)
    ray.shutdown()


def pids_of(iterator):
    """The processes of an iterator's readers."""
    return [ray.get(reader.__ray_call__.remote(lambda _: os.getpid())) for reader in iterator._readers]


@pytest.mark.parametrize("tasks", [1, 2, 3, 8])
def test_the_order_is_weirs(one_node, tasks):
    dataset = weir.parse(document(tasks))
    elements = weir.ray.iterator(weir.ray.read(dataset, concurrency=tasks))
    assert digest_of(elements, dataset.spec) == weir.digest(dataset)


@pytest.mark.parametrize("tasks", [1, 3])
def test_the_number_of_tasks_changes_nothing(one_node, tasks):
    dataset = weir.parse(document(12, inner="shuffle(20, seed: 1) | batch(3)"))
    assert dataset.spec.shape == (None,)
    elements = weir.ray.iterator(weir.ray.read(dataset, concurrency=tasks))
    assert digest_of(elements, dataset.spec) == weir.digest(dataset)


@pytest.mark.parametrize("tasks", [1, 2, 3, 8])
def test_rows_say_their_place(one_node, tasks):
    dataset = weir.parse(document(tasks))
    ray_dataset = weir.ray.read(dataset, concurrency=2)
    assert ray_dataset.schema().names == [*dataset.spec.keys, "_part", "_index"]
    assert places(ray_dataset) == places_of(dataset, tasks)


def known(dataset):
    """What Ray is told about each part before it reads: rows and files."""
    tasks = _source_of(weir.ray.read(dataset)).get_read_tasks(1)
    return [(task.metadata.num_rows, task.metadata.input_files) for task in tasks]


def files_in(folder, count):
    """Files of 10 records each."""
    names = [str(folder / f"{i}.tfrecord") for i in range(count)]
    for name in names:
        with weir.RecordWriter(name) as writer:
            for i in range(10):
                writer.write(f"{name} {i}".encode())
    return names


@pytest.mark.parametrize(
    ("inner", "even"),
    [
        ("p -> p", ""),
        ("p -> p | shuffle(5) | batch(4)", ""),
        ("p -> p | batch(4)", ", even: true"),
        ("p -> p | take(2)", ""),
    ],
)
def test_rows_are_known_beforehand(one_node, inner, even):
    dataset = weir.parse(f"range(50) | partition(4, {inner}{even}) | map(x -> {{x}})")
    rows = [rows for rows, files in known(dataset)]
    assert rows == [len(list(dataset.iterator(rank=part, world_size=4))) for part in range(4)]
    ray_dataset = weir.ray.read(dataset)
    assert ray_dataset.count() == sum(rows) == len(ray_dataset.take_all())


def test_rows_that_no_graph_tells(one_node):
    assert known(weir.parse(document(2, inner="filter(x -> x > 3) | map(x -> {x})"))) == [(None, None)] * 2


@pytest.mark.parametrize("source", ["@names", "list_files(@pattern, shuffle: false)"])
def test_files_are_known_beforehand(one_node, tmp_path, source):
    names = files_in(tmp_path, 5)
    given = {"names": names} if source == "@names" else {"pattern": f"{tmp_path}/*.tfrecord"}
    dataset = weir.parse(f"tfrecord({source}) | map(s -> {{s}}) | partition(3, p -> p | shuffle(9))", **given)
    for part, (rows, files) in enumerate(known(dataset)):
        read = {element["s"].decode().split()[0] for element in dataset.iterator(rank=part, world_size=3)}
        assert (rows, set(files)) == (None, read)
    assert sorted(weir.ray.read(dataset).input_files()) == names


def test_files_that_no_graph_tells(one_node, tmp_path):
    names = files_in(tmp_path, 3)
    text = "tfrecord({}) | partition({}, p -> p, by: {})"
    shuffled = weir.parse(text.format("list_files(@pattern)", 3, '"files"'), pattern=f"{tmp_path}/*.tfrecord")
    assert [files for _, files in known(shuffled)] == [None] * 3
    assert [files for _, files in known(weir.parse(text.format("@names", 2, '"index"'), names=names))] == [None] * 2
    alone = weir.parse(text.format("@names", 2, '"index"'), names=names[:1])
    assert [files for _, files in known(alone)] == [tuple(names[:1])] * 2


def test_parts_without_elements(one_node):
    dataset = weir.parse(document(4, source="range(2)"))
    assert weir.ray.read(dataset).count() == 2
    assert digest_of(weir.ray.iterator(weir.ray.read(dataset)), dataset.spec) == weir.digest(dataset)


@pytest.mark.parametrize("tasks", [1, 2, 3, 8])
def test_killed_readers(one_node, tasks):
    """They are killed after some elements, with chunks that are asked for and not yet read."""
    dataset = weir.parse(document(tasks))
    iterator = weir.ray.iterator(weir.ray.read(dataset, concurrency=2), window_bytes=20_000)
    first = list(itertools.islice(iterator, 100))
    for pid in pids_of(iterator):
        os.kill(pid, signal.SIGKILL)
    assert digest_of(itertools.chain(first, iterator), dataset.spec) == weir.digest(dataset)


def reading():
    """The processes of the read tasks of this test's cluster that run."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline") as file:
                title = file.read()
        except OSError:
            continue
        if title.startswith("ray::ReadWeir"):
            found.append(int(name))
    return found


def test_killed_tasks(one_node):
    """The tasks are in the middle of their parts: what they may have ready is much less than a part."""
    context = one_node.copy()
    context.target_max_block_size = 100_000
    context.execution_options.resource_limits = ExecutionResources(object_store_memory=1_000_000)
    with ray.data.DataContext.current(context):
        dataset = weir.parse(
            document(2, inner="shuffle(50, seed: 7) | map(x -> {x, row: full([250], x)})", source="range(20000)")
        )
        ray_dataset = weir.ray.read(dataset, concurrency=2)
        batches = iter(ray_dataset.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0))
        found = [next(batches)]
        pids = reading()
        assert pids
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        found += batches
    rows = [row for batch in found for row in batch.select(["_part", "_index", "x"]).to_pylist()]
    assert collections.Counter(tuple(row.values()) for row in rows) == places_of(dataset, 2)


@pytest.mark.parametrize("taken", [0, 1, 17, 400, 999, 1000])
def test_a_consumer_that_resumes(one_node, taken):
    dataset = weir.parse(document(6))
    iterator = weir.ray.iterator(weir.ray.read(dataset, concurrency=3), window_bytes=20_000)
    first = list(itertools.islice(iterator, taken))
    state = pickle.loads(pickle.dumps(iterator.state_dict()))
    rest = weir.ray.iterator(weir.ray.read(dataset, concurrency=2))
    rest.load_state_dict(state)
    assert digest_of(itertools.chain(first, rest), dataset.spec) == weir.digest(dataset)


def test_another_number_of_ranks(one_node):
    """Ranks that stopped far apart; each element comes once, and of each part in order."""
    dataset = weir.parse(document(4, inner="shuffle(50, seed: 7) | map(x -> {x})"))
    ray_dataset = weir.ray.read(dataset, concurrency=2)
    ranks = [weir.ray.iterator(ray_dataset, rank, 2) for rank in range(2)]
    given = [int(e["x"]) for rank, n in zip(ranks, (300, 7), strict=True) for e in itertools.islice(rank, n)]
    states = [rank.state_dict() for rank in ranks]
    for rank in range(4):
        now = weir.ray.iterator(ray_dataset, rank, 4)
        now.load_state_dict(states)
        rest = [int(e["x"]) for e in now]
        assert rest == [int(e["x"]) for e in dataset.iterator(rank=rank, world_size=4)][-len(rest) :]
        given += rest
    assert sorted(given) == list(range(1000))
    alone = weir.ray.iterator(ray_dataset)
    alone.load_state_dict(states)
    assert len(list(alone)) == 693
    with pytest.raises(ValueError, match="has no part 1"):
        alone.load_state_dict(states[0])
    other = weir.ray.iterator(weir.ray.read(weir.parse(document(4))))
    with pytest.raises(ValueError, match="another dataset"):
        other.load_state_dict(states)


def test_a_large_graph(one_node):
    """Ray warns of tasks above 1 MiB."""
    rows = np.arange(200_000)
    dataset = weir.parse("from_tensor_slices(@rows) | partition(2, p -> p | map(x -> {x}))", rows=rows)
    assert sorted(row["x"] for row in weir.ray.read(dataset).iter_rows()) == rows.tolist()


def test_the_window_is_bounded(one_node):
    """Readers stop without a consumer after the chunks that were asked for."""
    dataset = weir.parse(document(2, inner="map(x -> {x, row: full([1000], x)})", source="range(20000)"))
    iterator = weir.ray.iterator(weir.ray.read(dataset, concurrency=2), window_bytes=480_000)
    taken = 4000
    assert len(list(itertools.islice(iterator, taken))) == taken
    read = sum(
        ray.get(reader.__ray_call__.remote(lambda self: sum(part.index for part in self._open.values())))
        for reader in iterator._readers
    )
    assert taken <= read <= taken + 480_000 / 8000


def test_an_element_that_fails_fails_its_task(one_node):
    dataset = weir.parse(document(2, inner="map(x -> {x: 10 // (x - 7)})", source="range(10)"))
    iterator = weir.ray.iterator(weir.ray.read(dataset))
    assert len(list(itertools.islice(iterator, 4))) == 4
    state = iterator.state_dict()
    for _ in range(2):
        with pytest.raises(weir.errors.InvalidArgument, match="division by zero"):
            list(iterator)
    iterator.load_state_dict(state)
    with pytest.raises(weir.errors.InvalidArgument, match="division by zero"):
        list(iterator)
    with pytest.raises(Exception, match="division by zero"):
        weir.ray.read(dataset).materialize()


def test_write(one_node, tmp_path):
    dataset = weir.parse(document(3))
    weir.ray.write(weir.ray.read(dataset), tmp_path / "same")
    assert weir.digest(weir.load(tmp_path / "same")) == weir.digest(dataset)


def test_write_after_transformations(one_node, tmp_path):
    dataset = weir.parse(document(3, inner="shuffle(50) | map(x -> {x, text: as_string(x), pair: (x, [x, x])})"))
    ray_dataset = weir.ray.read(dataset)

    def doubled(batch):
        del batch["pair"]
        return {**batch, "x": batch["x"] * 2, "image": np.ones((len(batch["x"]), 2, 3), np.float32)}

    weir.ray.write(ray_dataset.map_batches(doubled).sort(["_index", "_part"]), tmp_path / "changed", num_shards=2)
    written = weir.load(tmp_path / "changed")
    elements = list(written)
    assert [(e["x"], e["text"]) for e in elements] == [(e["x"] * 2, e["text"]) for e in dataset]
    assert elements[0]["image"].shape == (2, 3) and elements[0]["image"].dtype == np.float32


@pytest.mark.parametrize(
    ("column", "error", "message"),
    [
        (pa.array([1, None]), ValueError, "missing values"),
        (pa.array([1, 2], pa.timestamp("s")), TypeError, "no tensor of numbers"),
    ],
)
def test_columns_that_cannot_be_written(one_node, tmp_path, column, error, message):
    rows = ray.data.from_arrow(pa.table({"x": column}))
    with pytest.raises((error, weir.Error), match=message):
        weir.ray.write(rows, tmp_path / "out")


def test_write_keeps_the_folder_when_it_fails(one_node, tmp_path):
    weir.ray.write(weir.ray.read(weir.parse(document(2))), tmp_path / "out")
    before = weir.digest(weir.load(tmp_path / "out"))
    failing = weir.parse(document(2, inner="map(x -> 10 // (x - 7))", source="range(10)"))
    with pytest.raises(weir.Error, match="division by zero"):
        weir.ray.write(weir.ray.read(failing), tmp_path / "out")
    assert weir.digest(weir.load(tmp_path / "out")) == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("range(4)", "partition"),
        (document(2) + " | filter(e -> e.x > 1)", "filter is not inside the parts"),
        (document(2) + " | take(1)", "take is not inside the parts"),
        (
            "range(6) | partition(3, p -> p) | map(x -> x + random_uniform([], 0, 1000, dtype: int64, seed: 3))",
            "map draws by the number of the element in its rank, and a task reads one part alone; put it inside",
        ),
        (document(2, inner="map(x -> x, num_parallel_calls: 2, deterministic: false)"), "deterministic: false"),
        (document(2, inner="map(x -> {_part: x})"), "_part"),
    ],
)
def test_refused(text, message):
    with pytest.raises(ValueError, match=message):
        weir.ray.read(weir.parse(text))


def test_refused_by_the_iterator(one_node):
    ray_dataset = weir.ray.read(weir.parse(document(4)))
    with pytest.raises(ValueError, match="multiple of the number of ranks"):
        weir.ray.iterator(ray_dataset, 0, 3)
    with pytest.raises(ValueError, match=r'sort\(\["_index", "_part"\]\)'):
        weir.ray.iterator(ray_dataset.limit(3))


def test_behind_a_partition(one_node):
    dataset = weir.parse(document(2, inner="map(x -> x)") + " | map(x -> x + 1) | prefetch(4)")
    assert digest_of(weir.ray.iterator(weir.ray.read(dataset)), dataset.spec) == weir.digest(dataset)
