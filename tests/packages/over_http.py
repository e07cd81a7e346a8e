#!/usr/bin/env python3
"""Runs a command in whose arguments URL stands for a folder, which is served meanwhile: over_http.py FOLDER COMMAND..."""

import functools
import http.server
import subprocess
import sys
import threading


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


folder, *command = sys.argv[1:]
handler = functools.partial(Quiet, directory=folder)
with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    done = subprocess.run([argument.replace("URL", url) for argument in command], check=False)
    server.shutdown()
sys.exit(done.returncode)
