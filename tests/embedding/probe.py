"""The probe (probe.h) from Python."""

import ctypes
import os
import time

PROBE = os.environ["WEIR_PROBE"]
LIBRARY = os.environ["WEIR_LIBRARY"]
# Far more than it takes.
SETTLE_SECONDS = 30
FOLDER = os.environ["WEIR_FOLDER"].encode()

_probe = None


def _loaded():
    global _probe
    if _probe is None:
        _probe = ctypes.CDLL(PROBE)
        _probe.probe_run.restype = ctypes.c_uint64
        _probe.probe_finish.restype = ctypes.c_uint64
        _probe.probe_document.restype = ctypes.c_char_p
    return _probe


def prepare():
    """Loads what the library needs before its own effects can be told: nothing."""


def document():
    """The pipeline's text, whose arguments are digits, people, photo, drawing and moving."""
    return _loaded().probe_document().decode()


def load(is_global=False):
    """Loads weir as ctypes does, and only then tells the probe."""
    ctypes.CDLL(LIBRARY, mode=os.RTLD_NOW | (ctypes.RTLD_GLOBAL if is_global else ctypes.RTLD_LOCAL))
    if _loaded().probe_load(LIBRARY.encode(), int(is_global)) != 0:
        raise RuntimeError("weir cannot be loaded")


def run(threads):
    """The hash of the pipeline's elements, on so many threads of weir and of the host."""
    found = _loaded().probe_run(FOLDER, threads)
    if found == 0:
        raise RuntimeError("the pipeline failed; standard error says how")
    return f"{found:016x}"


def begin(threads):
    if _loaded().probe_begin(FOLDER, threads) != 0:
        raise RuntimeError(f"the pipeline cannot begin: {error()}")


def finish():
    return f"{_loaded().probe_finish():016x}"


def next():
    """What weir_iterator_next returns for the iterator that was begun, and the error's line."""
    result = _loaded().probe_next()
    return result, error()


def error():
    text = ctypes.create_string_buffer(4096)
    _loaded().probe_error(text, len(text))
    return text.value.decode()


def state():
    """What of the process belongs to the host: a dict of names and values."""
    text = ctypes.create_string_buffer(1 << 18)
    _loaded().probe_state(text, len(text))
    return dict(line.split(":", 1) for line in text.value.decode(errors="replace").splitlines() if ":" in line)


def threads():
    return _loaded().probe_threads()


def threads_settle(count):
    """Whether there are, at some moment before long, at most so many: oneTBB's threads end by themselves after the last
    runtime."""
    deadline = time.monotonic() + SETTLE_SECONDS
    while threads() > count:
        if time.monotonic() > deadline:
            return False
        os.sched_yield()
    return True
