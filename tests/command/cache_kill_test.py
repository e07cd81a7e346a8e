#!/usr/bin/env python3
"""Processes that share a cache on disk, and are killed while they use it, read what is there.

    cache_kill_test.py WEIR EXTENSIONS [KILLS]

Eight processes at a time read the same files of the extension weir-dir through one folder that holds less than the
files have, and are killed with SIGKILL after pseudo-random moments, which may fall into the writing of a block. What
those print that end is what a run without a cache prints; no block is damaged and the folder stays below its limit.
Blocks that the test damages itself are fetched again. WEIR_KILLS in the environment sets another default than 20.
"""

import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile

MIB = 1 << 20
FILES, FILE_BYTES, RECORD_BYTES = 3, 4 * MIB + 12345 * 16, 16
LIMIT = 8 * MIB
PROCESSES = 8
MAX_MOMENT = 300000  # turns of an empty loop


class Cache:
    def __init__(self, weir, extensions, folder, draw):
        self.weir, self.draw, self.folder = weir, draw, folder / "cache"
        self.environment = os.environ | {"WEIR_EXTENSIONS": extensions}
        names = []
        for number in range(FILES):
            path = folder / f"file{number}"
            path.write_bytes(draw.randbytes(FILE_BYTES))
            names.append(f'"dir://{path}"')
        self.source = f"fixed_length_record([{', '.join(names)}], {RECORD_BYTES}) | batch(4096)"
        self.options = f' | options(cache: "{self.folder}", cache_bytes: {LIMIT})'

    def command(self, *words):
        return subprocess.run([self.weir, *words], env=self.environment, text=True, check=False, capture_output=True)

    def digest(self, text):
        """The hash of all elements."""
        done = self.command("digest", "-e", text)
        if done.returncode != 0 or done.stderr:
            sys.exit(f"expected a digest, found {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def reads(self):
        """What a run says of its reads."""
        done = self.command("run", "--stats", "-e", f"{self.source}{self.options} | map(x -> 0)")
        found = re.search("remote files: .*", done.stderr)
        if done.returncode != 0 or not found:
            sys.exit(f"expected what was read, found {done.returncode}: {done.stderr}")
        return found.group()

    def start(self):
        text = self.source + self.options
        return subprocess.Popen([self.weir, "digest", "-e", text], env=self.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)

    def check_limit(self):
        total = sum(path.stat().st_size for path in self.folder.glob("*.block"))
        if total > LIMIT:
            sys.exit(f"expected at most {LIMIT} bytes of blocks, found {total}")
        return total

    def round(self, expected):
        """Runs all processes and kills some. Returns how many were killed."""
        processes = [self.start() for _ in range(PROCESSES)]
        victims = processes[: self.draw.randrange(1, PROCESSES)]
        for process in victims:
            for _ in range(self.draw.randrange(MAX_MOMENT)):
                pass
            process.send_signal(signal.SIGKILL)
        killed = 0
        for process in processes:
            out, _ = process.communicate()
            if process.returncode == -signal.SIGKILL:
                killed += 1
            elif process.returncode != 0 or out != expected:
                sys.exit(f"expected {expected}, found {process.returncode}: {out}")
        return killed


def main():
    weir, extensions = sys.argv[1:3]
    wanted = int(sys.argv[3] if len(sys.argv) > 3 else os.environ.get("WEIR_KILLS", "20"))
    with tempfile.TemporaryDirectory() as name:
        cache = Cache(weir, extensions, pathlib.Path(name), random.Random(33))
        expected = cache.digest(cache.source)
        kills = 0
        while kills < wanted:
            if cache.draw.randrange(4) == 0:
                shutil.rmtree(cache.folder, ignore_errors=True)
            kills += cache.round(expected)
            cache.check_limit()
        if "damaged" in (said := cache.reads()) or not cache.check_limit():
            sys.exit(f"expected whole blocks, found {said}")
        # A whole run without kills leaves the folder full, and later ones find blocks there.
        if " 0 B from the cache" in (said := cache.reads()):
            sys.exit(f"expected blocks from the cache, found {said}")
        damaged = sorted(cache.folder.glob("*.block"))[::2]
        for path in damaged:
            with path.open("r+b") as file:
                file.seek(cache.draw.randrange(path.stat().st_size))
                file.write(b"damage")
        if cache.digest(cache.source + cache.options) != expected or "damaged" in cache.reads():
            sys.exit("expected damaged blocks to be replaced")
        shown = json.loads(cache.command("cache", "show", "--json", str(cache.folder)).stdout)
        if shown["bytes"] != cache.check_limit() or shown["blocks"] == 0:
            sys.exit(f"expected {cache.check_limit()} bytes, found {shown}")
        done = cache.command("cache", "clear", str(cache.folder))
        if done.returncode != 0 or any(cache.folder.glob("*.block")):
            sys.exit(f"expected no blocks after clear: {done.stdout}{done.stderr}")
        print(f"{kills} kills")


main()
