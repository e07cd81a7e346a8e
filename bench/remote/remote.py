#!/usr/bin/env python3
"""Measures reading over http from an nginx of its own on loopback, compared with what libcurl alone does in the same run.

    bench/remote/remote.py [--build FOLDER] [--rounds N] [--peers PYTHON]

Rows: 16 TFRecords of 64 MB without delay, by weir-remote alone and by a pipeline, as ratios to curl_ranges with requests of
4 MiB, 8 at once; the same with 50 ms before each answer and 40 MB/s per connection, as the rate; and how long the first
element takes then. What the process of weir takes for range(1) is not counted, as that of curl_ranges is not. Builds
weir_curl_ranges. Needs the packages of tests/remote.

--peers, a Python that has tensorflow, s3fs and webdataset, adds how much longer these take for the same objects of s3://,
TFRecords and tar shards with members of 100 KB, each in a process of its own that has imported all.
"""

import argparse
import asyncio
import contextlib
import ctypes
import io
import os
import pathlib
import statistics
import struct
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).parent.parent.parent
STEP, AT_ONCE, FILES = 4 << 20, 8, 16


def crc_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


def masked_crc(data, table=crc_table()):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ table[(crc ^ byte) & 255]
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def write_records(path):
    """64 MB: one record of 64 KB again and again."""
    data = os.urandom(65_520)
    length = struct.pack("<Q", len(data))
    record = length + struct.pack("<I", masked_crc(length)) + data + struct.pack("<I", masked_crc(data))
    path.write_bytes(record * 1024)


def write_shard(path):
    """64 MB: 640 samples of 100 KB."""
    with tarfile.open(path, "w") as shard:
        for i in range(640):
            member = tarfile.TarInfo(f"{i:04}.bin")
            member.size = 100_000
            shard.addfile(member, io.BytesIO(os.urandom(member.size)))


class Gate:
    """Answers 204 after 50 ms: nginx asks it before it answers itself."""

    async def serve(self, reader, writer):
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while await reader.readuntil(b"\r\n\r\n"):
                await asyncio.sleep(0.05)
                writer.write(b"HTTP/1.1 204 Open\r\n\r\n")

    def __enter__(self):
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        start = asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.server = asyncio.run_coroutine_threadsafe(start, self.loop).result()
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    def __exit__(self, *_):
        asyncio.run_coroutine_threadsafe(self.end(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)

    async def end(self):
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)


def nginx(folder, gate, fast, slow):
    temporary = " ".join(f"{name}_temp_path {folder};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/pid; error_log {folder}/error.log; {'user root;' if os.getuid() == 0 else ''}\n"
        f"events {{ }} http {{ access_log off; sendfile on; keepalive_requests 1000000; {temporary}\n"
        f"upstream gate {{ server 127.0.0.1:{gate}; keepalive 64; }}\n"
        f"server {{ listen 127.0.0.1:{fast}; root {folder}; }}\n"
        f"server {{ listen 127.0.0.1:{slow}; root {folder}; limit_rate 40m;\n"
        "location / { auth_request /gate; } location = /gate { internal; proxy_pass http://gate; proxy_http_version 1.1;\n"
        'proxy_set_header Connection ""; proxy_pass_request_body off; proxy_set_header Content-Length ""; } } }\n')
    return ["nginx", "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log"), "-p", str(folder)]


def curl_rate(build, urls):
    return float(subprocess.run([build / "weir_curl_ranges", str(STEP), str(AT_ONCE), *urls], capture_output=True,
                                check=True).stdout)


def document(urls, parallel):
    names = ", ".join(f'"{url}"' for url in urls)
    if parallel:
        read = f"from_tensor_slices([{names}]) | interleave(f -> tfrecord(f), cycle_length: 16, num_parallel_calls: auto)"
    else:
        read = f"tfrecord([{names}])"
    return read + " | filter(x -> string_length(x) < 0)"


def weir_seconds(build, text, count=None):
    began = time.monotonic()
    subprocess.run([build / "weir", "run", *(["-n", str(count)] if count else []), "-e", text], check=True,
                   stdout=subprocess.DEVNULL)
    return time.monotonic() - began


def weir_rate(build, text, size):
    return size / (weir_seconds(build, text) - weir_seconds(build, "range(1)", 1))


def report(what, values, unit):
    print(f"{what}: {statistics.median(values):.2f} {unit} ({min(values):.2f} to {max(values):.2f})", flush=True)


def measure(build, rounds, base, slow, extension):
    urls = [f"{base}/{i}.tfrecord" for i in range(FILES)]
    slow_urls = [url.replace(base, slow) for url in urls]
    size = FILES * (64 << 20)
    names = (ctypes.c_char_p * FILES)(*(url.encode() for url in urls))
    alone, sequence, parallel = [], [], []
    for _ in range(rounds):
        limit = curl_rate(build, urls)
        alone.append(extension.host.host_rate(FILES, names, ctypes.c_uint64(STEP), AT_ONCE) / limit)
        sequence.append(weir_rate(build, document(urls, False), size) / limit)
        parallel.append(weir_rate(build, document(urls, True), size) / limit)
    report("weir-remote alone, no delay", alone, "of curl")
    report("tfrecord, no delay", sequence, "of curl")
    report("interleave auto, no delay", parallel, "of curl")
    limit, delayed = [], []
    for _ in range(rounds):
        limit.append(curl_rate(build, slow_urls) / 1e6)
        delayed.append(weir_rate(build, document(slow_urls, True), size) / 1e6)
    report(f"curl, {AT_ONCE} connections, 50 ms and 40 MB/s each", limit, "MB/s")
    report("interleave auto, 50 ms and 40 MB/s per connection", delayed, "MB/s")
    first = [weir_seconds(build, f'tfrecord("{slow_urls[0]}")', 1) for _ in range(rounds)]
    none = [weir_seconds(build, "range(1)", 1) for _ in range(rounds)]
    report("first element, 50 ms", [(a - b) / 0.05 for a, b in zip(first, none)], "round trips")


def compare(build, rounds, peers, base):
    os.environ.update(AWS_ENDPOINT_URL_S3=base, AWS_EC2_METADATA_DISABLED="true", AWS_REGION="us-east-1")
    for peer, source, name, count in (("tf_data", "tfrecord(%s)", "{}.tfrecord", FILES),
                                      ("webdataset", "webdataset(%s, {bin: string})", "{}.tar", 4)):
        urls = [f"s3://bucket/{name.format(i)}" for i in range(count)]
        names = ", ".join(f'"{url}"' for url in urls)
        ratios = []
        for _ in range(rounds):
            ours = weir_seconds(build, source % f"[{names}]" + " | reduce(0, (n, x) -> n + 1)")
            theirs = subprocess.run([peers, pathlib.Path(__file__).parent / "s3_peers.py", peer, base, *urls],
                                    capture_output=True, check=True, text=True).stdout.split()
            ratios.append(float(theirs[1]) / ours)
        report(f"{peer} with s3fs, {count} objects of 64 MB", ratios, "times weir's time, which begins with its process")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--peers", type=pathlib.Path)
    arguments = parser.parse_args()
    subprocess.run(["cmake", "--build", arguments.build, "--target", "weir_curl_ranges"], check=True,
                   stdout=subprocess.DEVNULL)
    os.environ["WEIR_EXTENSIONS"] = str(arguments.build / "extensions")
    os.environ["WEIR_REMOTE_TEST_BUILD"] = str(arguments.build)
    sys.path.insert(0, str(ROOT / "tests" / "remote"))
    import servers
    import weir_remote

    with tempfile.TemporaryDirectory() as name, Gate() as gate, weir_remote.Extension() as extension:
        folder = pathlib.Path(name)
        os.chmod(folder, 0o755)
        extension.host.host_rate.restype = ctypes.c_double
        write_records(folder / "0.tfrecord")
        for i in range(1, FILES):
            os.link(folder / "0.tfrecord", folder / f"{i}.tfrecord")
        fast, slow = servers.free_port(), servers.free_port()
        with servers.running(nginx(folder, gate.port, fast, slow), f"http://127.0.0.1:{fast}/", folder / "log"):
            measure(arguments.build, arguments.rounds, f"http://127.0.0.1:{fast}", f"http://127.0.0.1:{slow}", extension)
            if arguments.peers:
                (folder / "bucket").mkdir()
                for i in range(FILES):
                    os.link(folder / "0.tfrecord", folder / "bucket" / f"{i}.tfrecord")
                for i in range(4):
                    write_shard(folder / "bucket" / f"{i}.tar")
                compare(arguments.build, arguments.rounds, arguments.peers, f"http://127.0.0.1:{fast}")


if __name__ == "__main__":
    main()
