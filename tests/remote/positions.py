"""Reads a document through libweir.so, in a process of its own, and saves and restores its position.

    positions.py read DOCUMENT [FROM]       prints the elements, from the position in the file FROM on
    positions.py save DOCUMENT COUNT FILE   prints COUNT elements, then saves the position
    positions.py keep DOCUMENT COUNT FOLDER the same, with a checkpoint manager of the folder
    positions.py last DOCUMENT FOLDER       prints the elements from the newest position in the folder on
"""

import ctypes
import os
import sys

weir = ctypes.CDLL(os.path.join(os.environ["WEIR_REMOTE_TEST_BUILD"], "libweir.so"))
SIZE = ctypes.c_uint64
LENGTH = SIZE(2**64 - 1)
END = 1


class Error(ctypes.Structure):
    """As much of weir_error as is read here."""

    _fields_ = [("struct_size", ctypes.c_uint32), ("code", ctypes.c_int32), ("message", ctypes.c_char_p),
                ("rest", ctypes.c_uint64 * 10)]


class Options(ctypes.Structure):
    """weir_iterator_options as the first version had it."""

    _fields_ = [("struct_size", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("params", ctypes.c_void_p),
                ("param_count", SIZE), ("checkpoint", ctypes.c_void_p), ("checkpoint_size", SIZE),
                ("file", ctypes.c_char_p), ("file_size", SIZE), ("rest", ctypes.c_uint64 * 8)]


class Bytes(ctypes.Structure):
    _fields_ = [("address", ctypes.c_void_p), ("size", SIZE), ("owner", SIZE)]


def call(function, *arguments):
    error = Error(struct_size=ctypes.sizeof(Error), rest=(0, 0, 0, 0, 0, 2**64 - 1, 2**64 - 1, 0, 0, 0))
    result = getattr(weir, function)(*arguments, ctypes.byref(error))
    if result not in (0, END):
        sys.exit(f"{function}: {error.message.decode()}")
    return result


def made(function, *arguments):
    out = SIZE()
    call(function, *arguments, ctypes.byref(out))
    return out


def text(word):
    return word.encode(), LENGTH


def main():
    what, document, *rest = sys.argv[1:]
    runtime = made("weir_runtime_create", None)
    dataset = made("weir_dataset_parse", runtime, *text(document), None, SIZE(0))
    element = made("weir_element_create")
    options = Options(struct_size=ctypes.sizeof(Options))
    manager = None
    if what in ("keep", "last"):
        manager = made("weir_checkpoint_manager_create", runtime, *text(rest[-1]), None)
    if what == "read" and rest:
        options.file, options.file_size = rest[0].encode(), len(rest[0].encode())
    if what == "last":
        position = Bytes()
        call("weir_checkpoint_manager_load", manager, ctypes.c_int64(-1), ctypes.byref(position), None, None)
        options.checkpoint, options.checkpoint_size = position.address, position.size
    iterator = made("weir_iterator_create", runtime, dataset, ctypes.byref(options))
    left = int(rest[0]) if what in ("save", "keep") else -1
    while left != 0 and call("weir_iterator_next", iterator, element) == 0:
        line = Bytes()
        call("weir_element_format", element, ctypes.c_uint32(1), ctypes.byref(line))
        print(ctypes.string_at(line.address, line.size).decode())
        left -= 1
    if what == "save":
        call("weir_iterator_save_file", iterator, *text(rest[1]))
    if what == "keep":
        call("weir_checkpoint_manager_save", manager, iterator, None, SIZE(0))


if __name__ == "__main__":
    main()
