"""A proxy between weir-remote and a server, which does to answers what a plan says: late, cut, wrong, refused, changed.

A plan is a function of the request that returns a Fault or None. What was asked is in `requests`."""

import asyncio
import dataclasses
import gzip
import random
import socket
import struct
import threading
import time


@dataclasses.dataclass
class Request:
    method: str
    path: str
    headers: dict
    body: bytes
    index: int


@dataclasses.dataclass
class Fault:
    kind: str
    seconds: float = 0.0  # of "late" and "stall"
    at: float = 0.5  # where in the body, as a fraction
    status: int = 503
    headers: dict = dataclasses.field(default_factory=dict)
    body: bytes = b""


def reset(writer):
    """Ends the connection with a reset."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def head_of(data):
    first, *lines = data.decode("latin-1").split("\r\n")
    return first, [line.split(":", 1) for line in lines if ":" in line]


async def read_chunked(reader):
    body = b""
    while True:
        size = int((await reader.readline()).split(b";")[0], 16)
        body += await reader.readexactly(size)
        await reader.readline()
        if size == 0:
            return body


async def read_message(reader, is_answer_to=None):
    """The first line, the headers and the body of a request or an answer."""
    first, headers = head_of((await reader.readuntil(b"\r\n\r\n"))[:-4])
    values = {name.strip().lower(): value.strip() for name, value in headers}
    if is_answer_to == "HEAD" or first.split(" ")[1] in ("204", "304"):
        return first, headers, b""
    if values.get("transfer-encoding", "").lower() == "chunked":
        return first, headers, await read_chunked(reader)
    if "content-length" in values:
        return first, headers, await reader.readexactly(int(values["content-length"]))
    return first, headers, await reader.read() if is_answer_to else b""


class Proxy:
    """Listens on its own port of 127.0.0.1 while it is entered. `delay` is before every answer."""

    def __init__(self, upstream=None, plan=None, delay=0.0, tls=None):
        self.upstream, self.plan, self.delay, self.tls = upstream, plan, delay, tls
        self.requests = []
        self.connections = 0
        self.under_way = 0
        self.open = 0
        self.changed = threading.Condition()
        self.loop = asyncio.new_event_loop()

    def __enter__(self):
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        start = asyncio.start_server(self.serve, "127.0.0.1", 0, limit=1 << 20, ssl=self.tls)
        self.server = asyncio.run_coroutine_threadsafe(start, self.loop).result()
        self.port = self.server.sockets[0].getsockname()[1]
        self.url = f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}"
        return self

    def __exit__(self, *_):
        asyncio.run_coroutine_threadsafe(self.end(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()

    def count(self, change):
        with self.changed:
            self.under_way += change
            self.changed.notify_all()

    def add_open(self, change):
        with self.changed:
            self.open += change
            self.changed.notify_all()

    def reaches(self, count, within):
        """After how many seconds so many requests are delayed at once; None if they aren't `within` so many."""
        began = time.monotonic()
        with self.changed:
            if self.changed.wait_for(lambda: self.under_way >= count, within):
                return max(time.monotonic() - began, 1e-9)
        return None

    def falls_to(self, count, within):
        """Whether no more connections are open, with what came through them done, at last `within` so many seconds."""
        with self.changed:
            return self.changed.wait_for(lambda: self.open <= count, within)

    async def end(self):
        self.server.close()
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def serve(self, reader, writer):
        self.connections += 1
        self.add_open(1)
        try:
            while await self.serve_one(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError, OSError):
            pass
        finally:
            writer.close()
            self.add_open(-1)

    async def serve_one(self, reader, writer):
        first, headers, body = await read_message(reader)
        method, path = first.split(" ")[:2]
        values = {name.strip().lower(): value.strip() for name, value in headers}
        request = Request(method, path, values, body, len(self.requests))
        self.requests.append(request)
        fault = self.plan(request) if self.plan else None
        if self.delay:
            self.count(1)
            await asyncio.sleep(self.delay)
            self.count(-1)
        kind = fault.kind if fault else "none"
        if kind == "late":
            await asyncio.sleep(fault.seconds)
        elif kind == "reset":
            reset(writer)
            return False
        elif kind == "garbage":
            writer.write(b"\x00\x01 this is no answer\r\n\r\n")
            await writer.drain()
            return False
        if kind == "status":
            return await self.answer(writer, f"HTTP/1.1 {fault.status} Fault", list(fault.headers.items()), fault.body,
                                     method)
        if kind == "ignore_range":
            headers = [(name, value) for name, value in headers if name.lower() != "range"]
        line, answer_headers, answer_body = await self.ask(first, headers, body, method)
        if kind in ("none", "late", "ignore_range"):
            return await self.answer(writer, line, answer_headers, answer_body, method)
        return await self.spoil(writer, fault, line, answer_headers, answer_body, method)

    async def ask(self, first, headers, body, method):
        host, port = self.upstream
        reader, writer = await asyncio.open_connection(host, port, limit=1 << 26)
        kept = [(name, value) for name, value in headers if name.lower() not in ("connection", "expect")]
        lines = [first] + [f"{name}:{value}" for name, value in kept] + ["Connection: close", "", ""]
        writer.write("\r\n".join(lines).encode("latin-1") + body)
        try:
            await writer.drain()
            return await read_message(reader, method)
        finally:
            writer.close()

    async def answer(self, writer, line, headers, body, method, length=None):
        kept = [(name, value) for name, value in headers
                if name.lower() not in ("content-length", "transfer-encoding", "connection")]
        if method == "HEAD":
            kept += [(name, value) for name, value in headers if name.lower() == "content-length"]
        elif length != "none":
            kept.append(("Content-Length", str(len(body) if length is None else length)))
        else:
            kept.append(("Connection", "close"))
        lines = [line] + [f"{name}: {str(value).strip()}" for name, value in kept] + ["", ""]
        writer.write("\r\n".join(lines).encode("latin-1") + (b"" if method == "HEAD" else body))
        await writer.drain()
        return length is None

    async def spoil(self, writer, fault, line, headers, body, method):
        size = len(body)
        cut = int(size * fault.at)
        if fault.kind in ("cut", "short", "stall"):
            await self.answer(writer, line, headers, body[:cut], method, length=size)
            if fault.kind == "stall":
                await asyncio.sleep(fault.seconds)
            if fault.kind == "cut":
                reset(writer)
            return False
        if fault.kind == "long":  # more than was asked for, and no length
            return await self.answer(writer, line, headers, body + body[:1000] + b"x", method, length="none")
        if fault.kind == "endless":
            await self.answer(writer, line, headers, body, method, length="none")
            while True:
                writer.write(b"x" * 65536)
                await writer.drain()
        if fault.kind == "compressed":
            return await self.answer(writer, line, headers + [("Content-Encoding", "gzip")], gzip.compress(body, 1), method)
        if fault.kind == "wrong_length":
            await self.answer(writer, line, headers, body, method, length=cut)
            return False
        changed = []
        for name, value in headers:
            if fault.kind == "wrong_range" and name.lower() == "content-range":
                value = value.replace("bytes ", "bytes 1")
            if fault.kind == "changed" and name.lower() in ("etag", "last-modified", "x-goog-generation"):
                value = {"etag": '"another"', "last-modified": "Thu, 01 Jan 1970 00:00:07 GMT"}.get(name.lower(), "7")
            changed.append((name, value))
        return await self.answer(writer, line, changed, body, method)


def random_plan(seed, rate):
    """Spoils about `rate` of the answers in every way that a server or a network might."""
    generator = random.Random(seed)

    def plan(_):
        if generator.random() >= rate:
            return None
        kind = generator.choice(["late", "reset", "cut", "short", "garbage", "wrong_length", "wrong_range", "long",
                                 "ignore_range", "status", "status", "status", "status", "changed"])
        if kind == "changed" and generator.random() < 0.7:
            return None
        return Fault(kind, seconds=generator.random() * 0.05, at=generator.random(),
                     status=generator.choice([500, 502, 503, 503, 429, 408, 404, 403]))

    return plan
