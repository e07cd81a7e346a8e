"""Ray on several nodes: raylets of one machine."""

import itertools

import pytest
from conftest import begin, digest_of, document, places, places_of, started

import weir

ray = pytest.importorskip("ray")
from ray.cluster_utils import Cluster  # noqa: E402


@pytest.fixture
def cluster():
    head = {"num_cpus": 1, "object_store_memory": 100 << 20}
    made = started(lambda: Cluster(initialize_head=True, head_node_args=head), ray.shutdown)
    yield made
    ray.shutdown()
    made.shutdown()


def nodes_of(iterator):
    """The nodes of an iterator's readers."""
    readers = iterator._readers
    return {ray.get(r.__ray_call__.remote(lambda _: ray.get_runtime_context().get_node_id())) for r in readers}


def test_a_node_is_lost(cluster):
    """In the middle, with the chunks that it had ready."""
    added = [cluster.add_node(num_cpus=1, object_store_memory=100 << 20) for _ in range(2)]
    begin(address=cluster.address)
    cluster.wait_for_nodes()
    dataset = weir.parse(document(6))
    ray_dataset = weir.ray.read(dataset, concurrency=3)
    assert places(ray_dataset) == places_of(dataset, 6)
    iterator = weir.ray.iterator(ray_dataset, window_bytes=20_000)
    first = list(itertools.islice(iterator, 100))
    lost = next(node for node in added if node.node_id in nodes_of(iterator))
    cluster.remove_node(lost, allow_graceful=False)
    assert digest_of(itertools.chain(first, iterator), dataset.spec) == weir.digest(dataset)
