"""One hash of the elements of a dataset, the same in every language."""

from __future__ import annotations

from . import _core
from ._core import Runtime
from ._dataset import Dataset
from ._iterator import Iterator

_NO_LIMIT = (1 << 63) - 1


class Digest(_core.Digest):
    """A hash that grows with the elements of one iterator after another."""

    def update(self, iterator: Iterator, n: int | None = None) -> int:
        """Takes up to `n` elements, or all that are left. Returns how many it took, failed ones included."""
        return self._update(iterator, _NO_LIMIT if n is None else n)[0]


def digest(dataset: Dataset, n: int | None = None, *, threads: int | None = None) -> str:
    """The digest of the first `n` elements of the first epoch, or of all: 16 hexadecimal digits.

    Equal elements (dtypes, shapes, bytes, errors by code) give equal digests, in every language and with any number of
    threads; `weir digest` prints the same.
    """
    runtime = dataset.runtime if threads is None else Runtime(threads=threads)
    made = Digest()
    made.update(dataset.iterator(runtime=runtime), n)
    return made.hexdigest()
