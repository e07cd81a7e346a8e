"""What the tests share."""

import ctypes
import gc
import os
import pathlib

import pytest

import weir

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXTENSIONS = pathlib.Path(os.environ.get("WEIR_EXTENSIONS", ROOT / "build/release/extensions"))


@pytest.fixture
def digits():
    """The folder of handwritten digits."""
    return ROOT / "examples/digits/data"


@pytest.fixture(scope="module")
def runtime():
    """One thread, and the extensions that were built."""
    return weir.Runtime(threads=1, extensions=[str(EXTENSIONS)])


@pytest.fixture(autouse=True)
def in_root(monkeypatch):
    """Documents name files relative to the root of the source tree."""
    monkeypatch.chdir(ROOT)


class Mallinfo(ctypes.Structure):
    """What malloc says of itself."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    ]


def sanitizer_bytes():
    """What is allocated under the address sanitizer, which keeps what was freed for a while; else None."""
    count = getattr(ctypes.CDLL(None), "__sanitizer_get_current_allocated_bytes", None)
    if count is None:
        return None
    count.restype = ctypes.c_size_t
    return count()


def allocated_bytes():
    """What malloc has given out."""
    found = sanitizer_bytes()
    if found is not None:
        return found
    mallinfo2 = ctypes.CDLL(None).mallinfo2
    mallinfo2.restype = Mallinfo
    info = mallinfo2()
    return info.uordblks + info.hblkhd


def resident_bytes():
    """The memory of the process."""
    gc.collect()
    found = sanitizer_bytes()
    if found is not None:
        return found
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
