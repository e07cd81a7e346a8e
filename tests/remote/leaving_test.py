"""A program that ends its runtime while parts of a file are on the way."""

import http.server
import os
import pathlib
import subprocess
import threading

from weir_remote import BUILD

DATA = os.urandom(1 << 20) * 24
HELD_FROM = 2 << 20
HERE = pathlib.Path(__file__).resolve().parent


class Holding(http.server.BaseHTTPRequestHandler):
    """Answers ranges, those far from the beginning only when it may."""

    protocol_version = "HTTP/1.1"
    asked, may_answer, held = threading.Event(), threading.Event(), threading.Semaphore(0)

    def log_message(self, *_):
        pass

    def do_GET(self):
        first, last = self.headers["Range"].removeprefix("bytes=").split("-")
        first, last = int(first), min(int(last), len(DATA) - 1)
        if first >= HELD_FROM:
            self.is_held = True
            self.asked.set()
            self.may_answer.wait(60)
        self.send_response(206)
        self.send_header("Content-Length", str(last - first + 1))
        self.send_header("Content-Range", f"bytes {first}-{last}/{len(DATA)}")
        self.send_header("ETag", '"1"')
        self.end_headers()
        self.wfile.write(DATA[first:last + 1])

    def handle(self):
        self.is_held = False
        try:
            super().handle()
        except OSError:
            pass
        if self.is_held:
            self.held.release()  # its connection is closed


def test_what_comes_late_is_taken_in(tmp_path):
    build = pathlib.Path(BUILD)
    program = tmp_path / "leaving"
    subprocess.run(["cc", "-std=c11", HERE / "leaving.c", "-o", program, "-I", HERE.parents[1] / "include",
                    "-L", build, "-lweir"], check=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Holding)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}/data"
    environment = {**os.environ, "LD_LIBRARY_PATH": str(build)}
    with subprocess.Popen([program, url, build / "extensions"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          env=environment) as running:
        assert running.stdout.readline() == b"left\n"
        assert Holding.asked.wait(60), "nothing was asked for ahead"
        Holding.may_answer.set()
        assert Holding.held.acquire(timeout=60), "the connection stays open"
        running.stdin.close()
        assert running.wait(60) == 0
    server.shutdown()
