"""Writes Riegeli files of any content with the right checksums, in which numbers may lie."""

import struct

BLOCK = 65_536
MASK = 2**64 - 1
KEY = struct.unpack("<4Q", b"Riegeli/records\n" * 2)
# The first digits of pi, with which the hash begins.
MUL0 = (0xDBE6D5D5FE4CCE2F, 0xA4093822299F31D0, 0x13198A2E03707344, 0x243F6A8885A308D3)
MUL1 = (0x3BD39E10CB0EF593, 0xC0ACF169B5F18A8C, 0xBE5466CF34E90C6C, 0x452821E638D01377)


def _turned(x):
    return (x >> 32 | x << 32) & MASK


# Where each byte of a pair of sums goes.
ZIPPER = (3, 12, 2, 5, 14, 1, 15, 0, 11, 4, 10, 13, 9, 6, 8, 7)


def _zipped(pair):
    data = struct.pack("<2Q", *pair)
    return struct.unpack("<2Q", bytes(data[i] for i in ZIPPER))


def highway_hash(data):
    """HighwayHash of 64 bits (Alakuijala, Cox and Wassenberg, https://arxiv.org/abs/1612.06257)."""
    mul0, mul1 = list(MUL0), list(MUL1)
    v0 = [m ^ k for m, k in zip(mul0, KEY, strict=True)]
    v1 = [m ^ _turned(k) for m, k in zip(mul1, KEY, strict=True)]

    def update(lanes):
        for i, lane in enumerate(lanes):
            v1[i] = (v1[i] + mul0[i] + lane) & MASK
            mul0[i] ^= (v1[i] & 0xFFFFFFFF) * (v0[i] >> 32)
            v0[i] = (v0[i] + mul1[i]) & MASK
            mul1[i] ^= (v0[i] & 0xFFFFFFFF) * (v1[i] >> 32)
        for to, of in ((v0, v1), (v1, v0)):
            for i in (0, 2):
                for j, added in enumerate(_zipped(of[i : i + 2])):
                    to[i + j] = (to[i + j] + added) & MASK

    whole = len(data) // 32 * 32
    for at in range(0, whole, 32):
        update(struct.unpack_from("<4Q", data, at))
    rest = data[whole:]
    if rest:
        size, odd = len(rest), len(rest) % 4
        for i in range(4):
            v0[i] = (v0[i] + (size << 32) + size) & MASK
            halves = (v1[i] & 0xFFFFFFFF, v1[i] >> 32)
            low, high = ((half << size | half >> 32 - size) & 0xFFFFFFFF for half in halves)
            v1[i] = high << 32 | low
        packet = bytearray(32)
        packet[: size - odd] = rest[: size - odd]
        if size & 16:
            packet[28:] = rest[size - 4 :]
        elif odd:
            packet[16:19] = rest[size - odd], rest[size - odd + odd // 2], rest[size - 1]
        update(struct.unpack("<4Q", packet))
    for _ in range(4):
        update([_turned(v0[i]) for i in (2, 3, 0, 1)])
    return v0[0] + v1[0] + mul0[0] + mul1[0] & MASK


def varint(number):
    out = bytearray()
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])


def message(*fields):
    """A protobuf message of numbers and strings."""
    out = b""
    for number, value in fields:
        out += (
            varint(number << 3 | 2) + varint(len(value)) + value
            if isinstance(value, bytes)
            else varint(number << 3) + varint(value)
        )
    return out


def simple(records):
    """The data of a chunk that is not compressed."""
    sizes = b"".join(varint(len(record)) for record in records)
    return b"\0" + varint(len(sizes)) + sizes + b"".join(records)


class File:
    def __init__(self):
        self.bytes = bytearray()
        self.chunk(b"s", 0, 0, b"")

    def chunk(self, kind, count, decoded, data, size=None):
        """Adds a chunk that says that of itself, and returns where it begins."""
        header = struct.pack("<2Q", len(data) if size is None else size, highway_hash(data))
        header += struct.pack("<2Q", (count << 8 | kind[0]) & MASK, decoded)
        begin, left = len(self.bytes), struct.pack("<Q", highway_hash(header)) + header + data
        while left:
            if len(self.bytes) % BLOCK == 0:
                self.bytes += bytes(24)
            room = BLOCK - len(self.bytes) % BLOCK
            self.bytes += left[:room]
            left = left[room:]
        return begin

    def pad(self):
        self.bytes += bytes(-len(self.bytes) % BLOCK)
