"""What TFRecord files hold, damaged ones too: the records before the damage, and whether there is any."""

import functools
import os
import zlib

from values import Failed, Unknown

_POLYNOMIAL = 0x82F63B78


@functools.cache
def _table():
    out = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (_POLYNOMIAL if byte & 1 else 0)
        out.append(byte)
    return out


def _masked_crc(data):
    table, crc = _table(), 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def _inflate(data, compression):
    """The bytes up to the damage, and whether there is any."""
    out = b""
    while data:
        stream = zlib.decompressobj(31 if compression == "gzip" else 15)
        try:
            # Byte by byte, since what comes before the damage counts.
            for at in range(len(data)):
                out += stream.decompress(data[at:at + 1])
        except zlib.error:
            return out, True
        if not stream.eof:
            return out, True
        data = stream.unused_data if compression == "gzip" else b""
    return out, False


@functools.cache
def read(folder, file, compression):
    """(records, whether the file ends in damage); a file that is not there fails."""
    path = os.path.join(folder, file)
    if os.path.isdir(path):
        raise Unknown("a folder as a file")
    if not os.path.isfile(path):
        raise Failed("not_found")
    with open(path, "rb") as stream:
        data = stream.read()
    if compression == "auto":
        compression = "gzip" if data[:2] == b"\x1f\x8b" else "zlib" if _is_zlib(data) else ""
    damaged = False
    if compression not in ("", "gzip", "zlib"):
        raise Unknown("a compression that Python lacks")
    if compression:
        data, damaged = _inflate(data, compression)
    records, at = [], 0
    while at < len(data):
        header, check = data[at:at + 8], data[at + 8:at + 12]
        if len(check) < 4 or _masked_crc(header) != int.from_bytes(check, "little"):
            return tuple(records), True
        size = int.from_bytes(header, "little")
        body = data[at + 12:at + 12 + size]
        check = data[at + 12 + size:at + 16 + size]
        if len(body) < size or len(check) < 4 or _masked_crc(body) != int.from_bytes(check, "little"):
            return tuple(records), True
        records.append(body)
        at += 16 + size
    return tuple(records), damaged


def _is_zlib(data):
    return len(data) >= 2 and data[0] & 15 == 8 and data[0] >> 4 < 8 and int.from_bytes(data[:2]) % 31 == 0
