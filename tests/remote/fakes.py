"""Small servers that no package brings: token endpoints, metadata servers, a hub. Each checks what it is asked."""

import http.server
import json
import threading


class Fake:
    """Answers with what `handle(method, path, headers, body)` returns: a status, headers, and a body."""

    def __init__(self, handle):
        self.requests = []
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                fake.requests.append((self.command, self.path, dict(self.headers), body))
                status, headers, answer = handle(self.command, self.path, self.headers, body)
                if not isinstance(answer, bytes):
                    answer = json.dumps(answer).encode()
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if "Content-Length" not in headers and headers.get("Connection") != "close":
                    self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(answer)

            do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.host = f"127.0.0.1:{self.server.server_address[1]}"
        self.url = "http://" + self.host

    def __enter__(self):
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def ranged(data, headers, extra):
    """An answer with the bytes that a Range header asks for."""
    if "Range" not in headers:
        return 200, extra, data
    first, last = headers["Range"].removeprefix("bytes=").split("-")
    first, last = int(first), min(int(last), len(data) - 1)
    if first >= len(data):
        return 416, {"Content-Range": f"bytes */{len(data)}"}, b""
    return 206, {**extra, "Content-Range": f"bytes {first}-{last}/{len(data)}"}, data[first:last + 1]
