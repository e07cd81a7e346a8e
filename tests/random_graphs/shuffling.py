"""The order of shuffles: Philox 4x32-10 as TensorFlow's PhiloxRandom gives it through a SingleSampleAdapter.

Written from the published algorithm and from what TensorFlow gives, not from the library's source.
"""

_MASK = 0xFFFFFFFF


def philox(key, upper, block):
    """Four 32-bit samples: those of the 128-bit counter (block, upper) under the 64-bit key."""
    c0, c1, c2, c3 = block & _MASK, block >> 32 & _MASK, upper & _MASK, upper >> 32 & _MASK
    k0, k1 = key & _MASK, key >> 32 & _MASK
    for _ in range(10):
        product0, product1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = product1 >> 32 ^ c1 ^ k0, product1 & _MASK, product0 >> 32 ^ c3 ^ k1, product0 & _MASK
        k0, k1 = k0 + 0x9E3779B9 & _MASK, k1 + 0xBB67AE85 & _MASK
    return c0, c1, c2, c3


class Samples:
    """32-bit samples, one at a time."""

    def __init__(self, seeds):
        self.seeds = seeds
        self.block = 0
        self.ready = []

    def __next__(self):
        if not self.ready:
            self.ready = list(philox(*self.seeds, self.block))[::-1]
            self.block += 1
        return self.ready.pop()


def seeds_of(seed):
    """The pair that `seed: n` stands for; a pair stands for itself."""
    return seed if isinstance(seed, tuple) else (87654321, seed % (2**31 - 1))


class SeedGenerator:
    """Hands out a pair of seeds for each opening of a shuffle."""

    def __init__(self, seeds, reshuffle):
        self.seeds = seeds
        self.samples = Samples(seeds) if reshuffle else None

    def __next__(self):
        return (next(self.samples), next(self.samples)) if self.samples else self.seeds

    def anew(self):
        """The same pairs from the first one on."""
        return SeedGenerator(self.seeds, self.samples is not None)
