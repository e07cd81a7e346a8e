"""weir-remote as the tests call it, through host.cc."""

import ctypes
import os

CODES = {
    1: "cancelled", 2: "unknown", 3: "invalid_argument", 4: "deadline_exceeded", 5: "not_found", 6: "already_exists",
    7: "permission_denied", 8: "resource_exhausted", 9: "failed_precondition", 10: "aborted", 11: "out_of_range",
    12: "unimplemented", 13: "internal", 14: "unavailable", 15: "data_loss",
}

BUILD = os.environ["WEIR_REMOTE_TEST_BUILD"]
LIBRARY = os.path.join(BUILD, "extensions", "libweir-remote.so")


class Failed(Exception):
    def __init__(self, code, message):
        super().__init__(f"{CODES.get(code, code)}: {message}")
        self.code = CODES.get(code, code)
        self.message = message


class Extension:
    """The extension, loaded with the environment as it is then."""

    def __init__(self):
        self.host = ctypes.CDLL(os.path.join(BUILD, "tests", "libweir_remote_host.so"), mode=ctypes.RTLD_GLOBAL)
        for name in ("host_open", "host_create"):
            getattr(self.host, name).restype = ctypes.c_void_p
        self.host.host_message.restype = ctypes.c_char_p
        result = self.host.host_load(LIBRARY.encode())
        if result != 0:
            raise Failed(result, self.host.host_message().decode())

    def close(self):
        self.host.host_unload()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def check(self, code):
        if code != 0:
            raise Failed(code, self.host.host_message().decode("utf-8", "replace"))

    def stat(self, name):
        size, folder, modified = ctypes.c_uint64(), ctypes.c_int32(), ctypes.c_int64()
        version = ctypes.create_string_buffer(256)
        self.check(self.host.host_stat(name.encode(), ctypes.byref(size), ctypes.byref(folder), ctypes.byref(modified),
                                       version))
        return {"size": size.value, "folder": bool(folder.value), "modified": modified.value,
                "version": version.value.decode()}

    def list(self, folder, prefix=""):
        self.check(self.host.host_list(folder.encode(), prefix.encode()))
        lines = self.host.host_message().decode().split("\n")[:-1]
        return {name: {"folder": is_folder == "1", "size": int(size), "modified": int(modified), "version": version}
                for name, is_folder, size, modified, version in (line.split("\t") for line in lines)}

    def open(self, name):
        return File(self, name)

    def read(self, name, step=1 << 20):
        """The whole file, `step` bytes per request, four requests at once."""
        with self.open(name) as file:
            ranges = [(at, min(step, file.size - at)) for at in range(0, file.size, step)]
            parts = []
            for first in range(0, len(ranges), 4):
                parts += file.read_many(ranges[first:first + 4])
            return b"".join(parts)

    def write(self, name, data, step=1 << 20, publish=True):
        writer = self.host.host_create(name.encode())
        if not writer:
            self.check(self.host.host_code())
        code = 0
        for at in range(0, len(data), step):
            piece = data[at:at + step]
            code = self.host.host_write(ctypes.c_void_p(writer), piece, ctypes.c_uint64(len(piece)))
            if code != 0:
                break
        message = self.host.host_message().decode("utf-8", "replace")
        ended = self.host.host_finish(ctypes.c_void_p(writer), int(publish and code == 0))
        if code != 0:
            raise Failed(code, message)
        self.check(ended)

    def remove(self, name):
        self.check(self.host.host_remove(name.encode()))


class File:
    def __init__(self, extension, name):
        self.extension = extension
        size, modified, version = ctypes.c_uint64(), ctypes.c_int64(), ctypes.create_string_buffer(256)
        self.handle = extension.host.host_open(name.encode(), ctypes.byref(size), ctypes.byref(modified), version)
        if not self.handle:
            extension.check(extension.host.host_code())
        self.size, self.modified, self.version = size.value, modified.value, version.value.decode()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.extension.host.host_close(ctypes.c_void_p(self.handle))

    def read(self, offset, size, cancel_ms=0):
        return self.read_many([(offset, size)], cancel_ms)[0]

    def read_many(self, ranges, cancel_ms=0):
        count = len(ranges)
        buffers = [ctypes.create_string_buffer(max(size, 1)) for _, size in ranges]
        offsets = (ctypes.c_uint64 * count)(*(offset for offset, _ in ranges))
        sizes = (ctypes.c_uint64 * count)(*(size for _, size in ranges))
        outs = (ctypes.c_char_p * count)(*(ctypes.addressof(buffer) for buffer in buffers))
        self.extension.check(self.extension.host.host_read(ctypes.c_void_p(self.handle), count, offsets, sizes, outs,
                                                           cancel_ms))
        return [buffer.raw[:size] for buffer, size in zip(buffers, sizes)]
