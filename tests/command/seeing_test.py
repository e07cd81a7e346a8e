#!/usr/bin/env python3
"""What shows a pipeline: `weir explain`, `bench`, `top`, `run --stats` and `run --trace`.

    seeing_test.py WEIR

No check depends on how long anything takes.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

WEIR = sys.argv[1]
PIPELINE = "range(1000) | map(x -> x + 1, num_parallel_calls: 2) | batch(10) | prefetch(4)"
failures = 0


def call(*arguments, environment=None):
    return subprocess.run([WEIR, *arguments], capture_output=True, text=True, check=False,
                          env={**os.environ, **(environment or {})})


def expect(what, good, found):
    global failures
    if not good:
        failures += 1
        print(f"{what}: found {found}")


def explain():
    found = call("explain", "-e", "range(10) | map(x -> x * x) | prefetch(n: 4)")
    expect("explain", found.returncode == 0 and found.stderr == "" and found.stdout ==
           "prefetch(4)  int64  10\n"
           "    runs ahead on the lane compute, up to 4 rows\n"
           "  map(x -> x * x)  int64  10\n"
           "    range(10)  int64  10\n"
           "windows: 1; they are not limited in bytes\n"
           "checkpoint: a position\n"
           "  prefetch: position only\n"
           "  prefetch/map: position only\n"
           "  prefetch/map/range: position only\n", found)
    graph = json.loads(call("explain", "--json", "-e", PIPELINE).stdout)
    root = graph["graph"]
    expect("window of prefetch", root["window"] == {"lane": "compute", "windows": 1, "at_once": 0, "max_rows": 4,
                                                    "max_bytes": None}, root)
    calls = root["inputs"][0]["inputs"][0]
    expect("calls of map", calls["parameters"] == {"f": "x -> x + 1", "num_parallel_calls": "2"} and
           calls["window"]["at_once"] == 2 and calls["window"]["max_bytes"] == 64 << 20, calls)
    expect("the sum", graph["windows"] == 2 and graph["lanes"] == ["compute"] and graph["max_bytes"] is None, graph)
    expect("the checkpoint", graph["checkpoint"]["needs_policy"] is False, graph)
    auto = json.loads(call("explain", "--json", "-e", "range(9) | map(x -> x, num_parallel_calls: auto) | prefetch(auto)")
                      .stdout)
    expect("auto", auto["graph"]["window"]["max_rows"] == 1024 and
           auto["graph"]["inputs"][0]["window"]["at_once"] == "auto" and
           auto["max_bytes"] == (8 << 20) + (64 << 20), auto)
    files = json.loads(call("explain", "--json", "-e", 'tfrecord("a*", num_parallel_reads: 3)').stdout)
    expect("reads", files["graph"]["window"]["windows"] == 3 and files["lanes"] == ["blocking"] and
           files["graph"]["inputs"][0]["operator"] != "interleave", files)
    maps = "range(9) | map(x -> x + 1) | map(x -> x * 2)"
    both = json.loads(call("explain", "--json", "-e", maps).stdout)
    expect("rewrites", both["graph"]["inputs"][0]["operator"] == "map" and
           both["rewrites"] == [{"rules": ["fuse_maps"], "operators": ["map(x -> x + 1)", "map(x -> x * 2)"]}] and
           both["rewritten"]["inputs"][0]["path"] == "map/map/range", both)
    off = json.loads(call("explain", "--json", "-e", maps + " | options(rewrites: false)").stdout)
    expect("no rewrites", off["rewrites"] == [] and off["rewritten"] is None, off)
    # What a restore reads again, once for each operator as written.
    for text, lines in (
            ('text_line("a") | cache() | batch(1)',
             ["batch: a restore reads about 1 element again",
              "batch/cache: a restore reads its input again from the beginning"]),
            ("range(100) | cache()", ["cache: a restore reads its input again from the beginning, at most 100 elements"]),
            ("range(9) | reduce(0, (s, x) -> s + x)",
             ["reduce: a restore reads its input again from the beginning, at most 9 elements"]),
            ('text_line("a") | group_by_window(x -> 1, (k, d) -> d | batch(2), 2)',
             ["group_by_window: a restore reads again from the oldest element that it holds"]),
            ("range(5) | bucket_by_sequence_length(x -> 1, [3], [2, 2])",
             ["bucket_by_sequence_length: a restore reads again from the oldest element that it holds, at most 5 elements",
              "bucket_by_sequence_length/range: position only"])):
        found = call("explain", "-e", text).stdout.split("checkpoint: a position\n")[1].splitlines()
        expect(f"{text}: {lines}", [line.strip() for line in found[:len(lines)]] == lines and
               len(found) == len(set(found)), found)
    expect("a mistake", call("explain", "-e", "range(").returncode == 2, "another status")


def stats():
    found = call("run", "--stats", "-e", PIPELINE)
    expect("elements as usual", found.returncode == 0 and found.stdout.count("\n") == 100, found)
    lines = found.stderr.splitlines()
    expect("the heading", re.fullmatch(r"stage +elements +failed +bytes +busy +cpu +empty +full +window +calls", lines[0]),
           found.stderr)
    expect("the stages", [line.split()[:2] for line in lines[1:5]] ==
           [["prefetch", "100"], ["batch", "100"], ["map", "1000"], ["range", "1000"]], found.stderr)
    expect("the sum", re.match(r"100 elements in [0-9.]+ s, [0-9.]+ per second; next waited ", lines[5]), found.stderr)
    expect("a verdict", len(lines) == 7 and lines[6].endswith("."), found.stderr)
    failed = call("run", "--stats", "-e", "range(3) | map(x -> 6 // (x - 1))")
    expect("a failed element is counted", failed.returncode == 1 and
           re.search(r"^map +2 +1 ", failed.stderr, re.M), failed.stderr)


def check_schema(trace):
    """Of Chrome's trace events, what viewers need."""
    expect("the top", set(trace) == {"displayTimeUnit", "otherData", "traceEvents"} and
           trace["displayTimeUnit"] == "ms" and isinstance(trace["otherData"]["dropped"], int), list(trace))
    named = set()
    for event in trace["traceEvents"]:
        good = isinstance(event["name"], str) and isinstance(event["pid"], int) and isinstance(event["tid"], int)
        if event["ph"] == "M":
            named.add(event["tid"])
            good = good and event["name"] == "thread_name" and isinstance(event["args"]["name"], str)
        else:
            good = good and event["ph"] == "X" and event["tid"] in named and event["ts"] >= 0 and event["dur"] >= 0 \
                and event["cat"] in ("pull", "call", "read", "wait") and isinstance(event["args"]["stage"], str)
        expect("an event", good, event)


def trace():
    with tempfile.TemporaryDirectory() as name:
        file = pathlib.Path(name) / "run.json"
        found = call("run", "--trace", str(file), "-e", PIPELINE)
        expect("a run", found.returncode == 0 and found.stderr == "", found)
        trace = json.loads(file.read_text())
        check_schema(trace)
        categories = {event["cat"] for event in trace["traceEvents"] if event["ph"] == "X"}
        expect("pulls and calls", {"pull", "call"} <= categories, categories)
        records = pathlib.Path(__file__).parent.parent / "data" / "records" / "five.tfrecord"
        call("run", "--trace", str(file), "-e", f'tfrecord("{records}")')
        trace = json.loads(file.read_text())
        check_schema(trace)
        expect("reads", any(event.get("cat") == "read" for event in trace["traceEvents"]), trace)
        lost = call("run", "--trace", str(pathlib.Path(name) / "absent" / "run.json"), "-e", "range(1)")
        expect("a trace that can't be written", lost.returncode == 2 and lost.stdout == "" and
               "error: not_found: expected a file to write after --trace" in lost.stderr, lost)
        expect("nothing beside it", [path.name for path in pathlib.Path(name).iterdir()] == ["run.json"], name)
        expect("a folder", "Is a directory" in call("run", "--trace", name, "-e", "range(1)").stderr, name)


def bench():
    found = call("bench", "--json", "-n", "50", "--repeats", "3", "-e", "range(20) | map(x -> 6 // (x - 1))")
    result = json.loads(found.stdout)
    expect("repeats of so many elements, over the end of the dataset", found.returncode == 0 and
           [(one["elements"], one["failed"]) for one in result["repeats"]] == [(47, 3)] * 3, found)
    rates = result["elements_per_second"]
    expect("the median lies between", 0 < rates["min"] <= rates["median"] <= rates["max"], rates)
    times = result["next_ns"]
    expect("percentiles rise", 0 < times["p50"] <= times["p90"] <= times["p99"] <= times["max"], times)
    stats = result["stats"]
    expect("stats of a whole pass, which the rate speaks of, too", stats["elements"] == 19 and
           stats["stages"][0]["failed"] == 1 and [one["passes"] for one in result["repeats"]] == [3] * 3, result)
    expect("stats of the last pass", result["stats"]["stages"][0]["operator"] == "map", result)
    short = call("bench", "--seconds", "0.01", "--repeats", "2", "-e", "range(10) | repeat()")
    expect("text", short.returncode == 0 and
           re.match(r"[0-9.e+]+ elements per second, median of 2 repeats \(.*spread .*\)\n.* per element\nnext:  p50 ",
                    short.stdout), short)
    param = call("bench", "--json", "-p", "n=4", "-n", "4", "-e", "param n: int64 range($n)")
    expect("params", json.loads(param.stdout)["repeats"][0]["elements"] == 4, param)
    empty = call("bench", "-e", "range(0)")
    expect("nothing to read", empty.returncode == 0 and empty.stdout.startswith("the dataset has no elements"), empty)
    passes = call("bench", "-n", "7", "--repeats", "1", "-e", "range(3)")
    expect("which pass it is", "the longest pass of the last repeat, which began 3 times:\n" in passes.stdout and
           re.search(r"^range +3 ", passes.stdout, re.M), passes)
    expect("one pass", "\nthe last repeat:\n" in short.stdout, short)
    for arguments in (["--seconds", "0"], ["--seconds", "x"], ["--repeats", "0"], ["--repeats", "1001"]):
        refused = call("bench", *arguments, "-e", "range(1)")
        expect(arguments, refused.returncode == 2 and "expected --" in refused.stderr, refused)


def top():
    # It writes more than the pipe takes, and stops there until it is read.
    with subprocess.Popen([WEIR, "run", "-e", "range(10000000)"], stdout=subprocess.PIPE,
                          env={**os.environ, "WEIR_TOP": "1"}) as shown:
        shown.stdout.readline()
        while True:
            found = call("top", str(shown.pid))
            expect("a page", found.returncode == 0 and
                   found.stdout.startswith("weir ") and f"process {shown.pid}\n" in found.stdout, found)
            if found.returncode != 0 or re.search(r"^range +[0-9]+ ", found.stdout, re.M):
                break
        shown.kill()
    gone = call("top", str(shown.pid))
    expect("a process that has ended", gone.returncode == 2 and "found none of that number" in gone.stderr, gone)
    for page in pathlib.Path("/dev/shm").glob(f"weir-{shown.pid}-*"):
        page.unlink()
    mute = call("top", str(os.getpid()))
    expect("a process that shows nothing", mute.returncode == 2 and "WEIR_TOP=1" in mute.stderr, mute)
    for arguments in ([], ["x"], ["1", "2"], ["-n", "1", "1"], ["-5"]):
        refused = call("top", *arguments)
        expect(["top", *arguments], refused.returncode == 2 and refused.stderr.startswith("error: "), refused)
    quiet = call("run", "-e", "range(1)", environment={"WEIR_TOP": "0"})
    expect("0 is no", quiet.returncode == 0, quiet)


def foreign_pages():
    """What others put into the folder of pages is not written to, shown or waited for."""
    with subprocess.Popen(["sleep", "1000"]) as shown:
        page = pathlib.Path(f"/dev/shm/weir-{shown.pid}-1")
        try:
            os.mkfifo(page)
            found = call("top", str(shown.pid))
            expect("a pipe", found.returncode == 2 and "shows nothing" in found.stderr, found)
            page.unlink()
            page.symlink_to(__file__)
            found = call("top", str(shown.pid))
            expect("a link", found.returncode == 2 and found.stdout == "", found)
            page.unlink()
            page.write_bytes("weir \x1b]0;title\x07 caf\u00e9 \u009b31m\r\n".encode())
            found = call("top", str(shown.pid))
            expect("escapes", found.stdout == "weir ?]0;title? caf\u00e9 ??31m?\n", found)
            if os.geteuid() == 0:
                os.chown(page, 12345, 12345)
                found = call("top", str(shown.pid))
                expect("another's", found.returncode == 2 and found.stdout == "", found)
        finally:
            page.unlink()
            shown.kill()


def private_page():
    # The shell's process becomes weir's after the traps are there.
    with tempfile.TemporaryDirectory() as folder:
        victim = pathlib.Path(folder, "victim")
        victim.write_text("precious")
        setting = ("import fcntl, os, sys; at = f'/dev/shm/weir-{os.getpid()}-1'; os.symlink(sys.argv[1], at); "
                   "os.link(sys.argv[1], at + '.tmp') if os.stat('/dev/shm').st_dev == os.stat(sys.argv[1]).st_dev "
                   "else os.symlink(sys.argv[1], at + '.tmp'); os.environ['WEIR_TOP'] = '1'; "
                   "os.execv(sys.argv[2], sys.argv[2:])")
        with subprocess.Popen([sys.executable, "-c", setting, str(victim), WEIR, "run", "-e", "range(10000000)"],
                              stdout=subprocess.PIPE) as shown:
            shown.stdout.readline()
            page = pathlib.Path(f"/dev/shm/weir-{shown.pid}-1")
            expect("a file", page.is_file() and not page.is_symlink(), str(page))
            expect("private", page.lstat().st_mode & 0o777 == 0o600, oct(page.lstat().st_mode))
            expect("the victim's", victim.read_text() == "precious", victim.read_text())
            shown.kill()
        page.unlink()


def misplaced():
    for arguments in (["check", "--stats"], ["spec", "--trace", "x"], ["run", "--seconds", "1"]):
        refused = call(*arguments, "-e", "range(1)")
        expect(arguments, refused.returncode == 2 and " only after " in refused.stderr, refused)


def main():
    for test in (explain, stats, trace, bench, top, foreign_pages, private_page, misplaced):
        test()
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
