#!/usr/bin/env python3
"""Processes that come from one which uses weir: fork, spawn, forkserver, and fork with exec, each before and after the
parent has a runtime. Prints one JSON object per scenario: its name, and how it ended.

    processes.py [SCENARIO]

In each scenario the child reads the pipeline with a runtime of its own, and the parent goes on with its iterator. What
a child can see of the parent's handles it tries as well: it must get an error, at once. Pools do the same with four
workers. Any other end, or none within the limit, fails. tools/test-embedding sets the environment that probe.py reads.
"""

import json
import multiprocessing
import os
import signal
import subprocess
import sys

import probe

LIMIT_SECONDS = 120
THREADS = 2
INVALID_ARGUMENT = -3
READ = "reads all elements"
REFUSED = "the parent's iterator is an error in the child"


def read_all(_=None):
    """In a child: the hash by a runtime of its own."""
    probe.load()
    return probe.run(THREADS)


def use_parents_iterator():
    """In a child of fork: what happens to the parent's iterator."""
    result, line = probe.next()
    if result != INVALID_ARGUMENT or not line:
        raise RuntimeError(f"the parent's iterator gave {result}: {line}")


def child(inherited, pipe):
    """The body of a child process. A fork does not inherit the alarm, which ends what hangs."""
    signal.alarm(LIMIT_SECONDS)
    if inherited:
        use_parents_iterator()
    pipe.send(read_all())
    pipe.close()


def in_process(method, inherited):
    context = multiprocessing.get_context(method)
    receive, send = context.Pipe(duplex=False)
    process = context.Process(target=child, args=(inherited, send))
    process.start()
    send.close()
    found = receive.recv()
    process.join()
    if process.exitcode != 0:
        raise RuntimeError(f"the child ended with {process.exitcode}")
    return found


def by_exec(inherited):
    """os.fork, and in the child exec of a new program that uses weir."""
    receive, send = os.pipe()
    child_id = os.fork()
    if child_id == 0:
        try:
            signal.alarm(LIMIT_SECONDS)
            if inherited:
                use_parents_iterator()
            os.dup2(send, 1)
            os.execv(sys.executable, [sys.executable, __file__, "--read"])
        finally:
            os._exit(1)
    os.close(send)
    with os.fdopen(receive) as output:
        found = output.read().strip()
    _, status = os.waitpid(child_id, 0)
    if status != 0:
        raise RuntimeError(f"the child ended with {status}")
    return found


def in_pool(method):
    with multiprocessing.get_context(method).Pool(4, maxtasksperchild=2) as pool:
        hashes = set(pool.map(read_all, range(12), chunksize=1))
        pool.close()
        pool.join()
    if len(hashes) != 1:
        raise RuntimeError(f"the workers found {hashes}")
    return hashes.pop()


def scenario(start, after, inherits):
    """Runs a way to start a process, and returns how it ended."""
    expected = read_in_new_program()
    ends = []
    if after:
        probe.load()
        probe.begin(THREADS)
    found = start(after and inherits)
    if found != expected:
        raise RuntimeError(f"the child found {found}, expected {expected}")
    ends.append(f"the child {READ}")
    if after and inherits:
        ends.append(REFUSED)
    if not after:
        probe.load()
        probe.begin(THREADS)
    if probe.finish() != expected:
        raise RuntimeError("the parent found other elements")
    ends.append(f"the parent {READ}")
    return "; ".join(ends)


def read_in_new_program():
    return subprocess.run([sys.executable, __file__, "--read"], check=True, capture_output=True,
                          text=True).stdout.strip()


STARTS = {
    "fork": (lambda inherited: in_process("fork", inherited), True),
    "spawn": (lambda inherited: in_process("spawn", inherited), False),
    "forkserver": (lambda inherited: in_process("forkserver", inherited), False),
    "os.fork and exec": (by_exec, True),
    "a pool of 4, fork": (lambda _: in_pool("fork"), False),
    "a pool of 4, spawn": (lambda _: in_pool("spawn"), False),
    "a pool of 4, forkserver": (lambda _: in_pool("forkserver"), False),
}
SCENARIOS = {f"{name}, {when} the parent has a runtime": (start, when == "after", inherits)
             for name, (start, inherits) in STARTS.items() for when in ("before", "after")}


def run_scenarios(script, scenarios):
    """Runs each in a process of its own, so that none finds what another has left, with a watchdog over it and its
    children. Returns 1 if one failed."""
    failed = 0
    for name in scenarios:
        process = subprocess.Popen([sys.executable, script, name], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, start_new_session=True)
        try:
            output, errors = process.communicate(timeout=2 * LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            output, errors = process.communicate()
            errors += f"no end within {2 * LIMIT_SECONDS} s"
        if process.returncode != 0 or not output:
            failed += 1
            output = json.dumps({"scenario": name, "failed": errors[-800:]})
        print(output.strip(), flush=True)
    return 1 if failed else 0


def main():
    if sys.argv[1:] == ["--read"]:
        print(read_all())
        return 0
    if len(sys.argv) > 1:
        signal.alarm(LIMIT_SECONDS)
        print(json.dumps({"scenario": sys.argv[1], "end": scenario(*SCENARIOS[sys.argv[1]])}))
        return 0
    return run_scenarios(__file__, SCENARIOS)


if __name__ == "__main__":
    sys.exit(main())
