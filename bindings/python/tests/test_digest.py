"""The digest is that of tests/digest, whatever the threads and wherever the position is saved."""

import pytest
from conftest import ROOT

import weir

FOLDER = ROOT / "tests/digest"
HASHES = dict(line.split() for line in (FOLDER / "hashes.txt").read_text().splitlines())


@pytest.mark.parametrize("name", sorted(HASHES))
def test_digest(name):
    text = (FOLDER / name).read_text()
    for threads in (1, 4):
        runtime = weir.Runtime(threads=threads)
        dataset = weir.parse(text, runtime=runtime)
        assert weir.digest(dataset) == HASHES[name]
        assert weir.digest(dataset, threads=threads) == HASHES[name]
        for taken in (0, 1, 17, 100):
            digest = weir.Digest()
            first = dataset.iterator()
            if digest.update(first, taken) < taken:
                continue
            other = weir.parse(text, runtime=weir.Runtime(threads=5 - threads))
            digest.update(other.iterator(checkpoint=first.save()))
            assert digest.hexdigest() == HASHES[name], (name, threads, taken)


def test_a_limit_leaves_the_end_out():
    three = weir.digest(weir.range(5), 3)
    assert three == weir.digest(weir.range(4), 3)
    assert three not in {weir.digest(weir.range(count)) for count in (3, 4, 5)}
