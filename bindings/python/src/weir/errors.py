"""Exceptions: one class for each code, all under Error.

An Error says what was expected, what was found and what to do, and where it happened: the operator (`path`), and for
data from files the `file`, the `offset` in bytes and the number of the `record`.
"""

from __future__ import annotations

import sys

FORKED = (
    "this worker was forked, and weir's threads do not survive a fork; pass "
    'multiprocessing_context="spawn" (or "forkserver") to the DataLoader, dataloader_multiprocessing_context to a '
    "Trainer, or use weir.torch.DataLoader, whose workers are threads, or num_workers=0: weir has threads of its own"
)


class Error(Exception):
    """What went wrong in weir.

    `goes_on` is true for an element that failed: the next call of the iterator continues after it. Raised inside a
    function of `weir.py_function`, an Error of a class keeps its code.
    """

    weir_code: int = 2

    def __init__(
        self,
        message: str = "",
        *,
        path: str = "",
        file: str = "",
        offset: int | None = None,
        record: int | None = None,
        line: str = "",
        goes_on: bool = False,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.file = file
        self.offset = offset
        self.record = record
        self.line = line
        self.goes_on = goes_on

    @property
    def code(self) -> int:
        """The number of the code, as gRPC numbers them."""
        return self.weir_code

    def __str__(self) -> str:
        place = [f"in {self.path}"] if self.path else []
        place += [f"file {self.file}"] if self.file else []
        place += [f"record {self.record}"] if self.record is not None else []
        place += [f"offset {self.offset}"] if self.offset is not None else []
        return f"{self.message} ({', '.join(place)})" if place else self.message


class Cancelled(Error):
    """The iterator was cancelled."""

    weir_code = 1


class Unknown(Error):
    """A function of the caller's failed and gave no code."""

    weir_code = 2


class InvalidArgument(Error, ValueError):
    """A document or an argument is wrong, or an element doesn't fit."""

    weir_code = 3


class DeadlineExceeded(Error, TimeoutError):
    """Something took too long."""

    weir_code = 4


class NotFound(Error, LookupError):
    """There is no such file, name or checkpoint."""

    weir_code = 5


class AlreadyExists(Error):
    """The name is taken."""

    weir_code = 6


class PermissionDenied(Error):
    """The file system refuses."""

    weir_code = 7


class ResourceExhausted(Error):
    """Memory, or another limit, was reached."""

    weir_code = 8


class FailedPrecondition(Error):
    """Something has to be done, or to be otherwise, first."""

    weir_code = 9


class Aborted(Error):
    """The work was given up."""

    weir_code = 10


class OutOfRange(Error, IndexError):
    """There is no such position."""

    weir_code = 11


class Unimplemented(Error, NotImplementedError):
    """The library cannot do that."""

    weir_code = 12


class Internal(Error):
    """A fault of the library."""

    weir_code = 13


class Unavailable(Error):
    """Something is missing now and may come back."""

    weir_code = 14


class DataLoss(Error):
    """Data is damaged."""

    weir_code = 15


class TraceError(TypeError):
    """A Python function does what cannot become an expression. The message names the line and says what to do."""


class TraceAttributeError(TraceError, AttributeError):
    """The same for an attribute that values of expressions do not have."""


class TraceKeyError(TraceAttributeError, KeyError):
    """The same for a key that a dict does not have."""

    __str__ = Exception.__str__


_CLASSES = {made.weir_code: made for made in Error.__subclasses__()}


def in_worker() -> bool:
    """Whether this is a worker of a torch DataLoader."""
    data = sys.modules.get("torch.utils.data")
    return data is not None and data.get_worker_info() is not None


def make_error(
    code: int, message: str, path: str, file: str, offset: int, record: int, line: str, goes_on: bool
) -> Error:
    """The exception of an error of the library."""
    if code == InvalidArgument.weir_code and message.endswith("or to another process") and in_worker():
        message = line = FORKED
    return _CLASSES.get(code, Unknown)(
        message,
        path=path,
        file=file,
        offset=offset if offset >= 0 else None,
        record=record if record >= 0 else None,
        line=line,
        goes_on=goes_on,
    )
