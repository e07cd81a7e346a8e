#!/usr/bin/env python3
"""Processes that come from one which uses weir's package for Python. Prints one JSON object per scenario: its name, and
how it ended.

    package_processes.py [SCENARIO]

Run it with a Python that has the package. The child reads handwritten digits, the parent goes on with its iterator, and
what a child of fork sees of its parent's datasets and iterators is an error, at once. Any other end, or none within the
limit, fails.
"""

import hashlib
import json
import multiprocessing
import os
import pathlib
import signal
import sys
import threading

FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent / "examples" / "digits" / "data"
LIMIT_SECONDS = 120
READ = "reads all elements"
REFUSED = "the parent's iterators and datasets are errors in the child"
GOES_ON = f"the parent {READ}"


def digits():
    """Batches of images and labels, by several threads."""
    import weir

    def decoded(record):
        example = weir.fn.parse_example(record, {"image": "string", "label": "int64"})
        return {"image": weir.fn.decode_raw(example.image, "uint8"), "label": example.label}

    files = weir.list_files(str(FOLDER / "*.tfrecord.gz"), shuffle=False)
    records = files.flat_map(lambda file: weir.tfrecord(file, compression="gzip"))
    return records.map(decoded, num_parallel_calls=4).shuffle(50, seed=3).batch(32).prefetch(2)


def read(elements):
    """The hash of what is left."""
    hashed = hashlib.sha256()
    for element in elements:
        hashed.update(element["image"].tobytes() + element["label"].tobytes())
    return hashed.hexdigest()[:16]


def read_all(dataset=None):
    """In a child: the hash of the parent's dataset, or of one of its own."""
    return read((dataset if dataset is not None else digits()).iterator(epoch=0))


def read_own(_):
    return read_all()


class Parent:
    """The parent's iterator, on its way."""

    def __init__(self):
        self.dataset = digits()
        self.iterator = self.dataset.iterator(epoch=0)
        self.first = next(self.iterator)

    def finish(self):
        """The hash of all elements."""
        yet = self.first

        def elements():
            yield yet
            yield from self.iterator

        return read(elements())

    def refused(self):
        """In a child of fork: what happens to what the parent has."""
        import weir
        for attempt in (lambda: next(self.iterator), lambda: self.dataset.iterator(), lambda: self.dataset.spec,
                        lambda: self.dataset.batch(2)):
            try:
                found = attempt()
            except weir.errors.InvalidArgument as error:
                if "another process" not in str(error):
                    raise RuntimeError(f"the error does not tell of another process: {error}") from error
            else:
                raise RuntimeError(f"the parent's handle gave {found}")


def body(pipe, parent, dataset):
    """Of a child process. A fork does not inherit the alarm, which ends what hangs."""
    signal.alarm(LIMIT_SECONDS)
    if parent:
        parent.refused()
    pipe.send(read_all(dataset))
    pipe.close()


def in_process(method, parent=None, dataset=None):
    """What a child process found."""
    context = multiprocessing.get_context(method)
    receive, send = context.Pipe(duplex=False)
    process = context.Process(target=body, args=(send, parent, dataset))
    process.start()
    send.close()
    found = receive.recv()
    process.join()
    if process.exitcode != 0:
        raise RuntimeError(f"the child ended with {process.exitcode}")
    return found


def before():
    found = in_process("fork")
    return [found, Parent().finish()], [f"the child {READ}", GOES_ON]


def after():
    parent = Parent()
    found = in_process("fork", parent)
    return [found, parent.finish()], [f"the child {READ}", REFUSED, GOES_ON]


def while_waiting():
    """Another thread of the parent is inside of a call that ends only after the child."""
    import weir
    parent, inside, go = Parent(), threading.Event(), threading.Event()

    def wait(x):
        inside.set()
        go.wait()
        return x

    waiting = weir.range(3).map(weir.py_function(wait, spec="int64")).prefetch(1).iterator()
    taken = []
    thread = threading.Thread(target=lambda: taken.extend(waiting))
    thread.start()
    inside.wait()
    found = in_process("fork", parent)
    go.set()
    thread.join()
    if taken != [0, 1, 2]:
        raise RuntimeError(f"the parent's thread found {taken}")
    return [found, parent.finish()], [f"the child {READ}", REFUSED, "the parent's thread goes on", GOES_ON]


def by_exit():
    """The child of os.fork ends as a program does, with the parent's objects, in Python's own order."""
    parent = Parent()
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(LIMIT_SECONDS)
        os.write(send, read_all().encode())
        sys.exit(0)
    os.close(send)
    with os.fdopen(receive) as output:
        found = output.read()
    _, status = os.waitpid(child, 0)
    if status != 0:
        raise RuntimeError(f"the child ended with {status}")
    return [found, parent.finish()], [f"the child {READ} and exits", GOES_ON]


def handed(method):
    """The child gets the parent's dataset, pickled."""
    parent = Parent()
    found = in_process(method, dataset=parent.dataset)
    return [found, parent.finish()], [f"the child {READ} of the parent's dataset", GOES_ON]


def in_pool(method):
    parent = Parent()
    with multiprocessing.get_context(method).Pool(4, maxtasksperchild=2) as pool:
        found = pool.map(read_own, range(12), chunksize=1)
        pool.close()
        pool.join()
    return [*found, parent.finish()], [f"the children {READ}".replace("reads", "read"), GOES_ON]


SCENARIOS = {
    "fork, before the parent uses weir": before,
    "fork, after": after,
    "fork, while a thread of the parent waits for an element": while_waiting,
    "os.fork and sys.exit": by_exit,
    "spawn, with the parent's dataset": lambda: handed("spawn"),
    "forkserver, with the parent's dataset": lambda: handed("forkserver"),
    "a pool of 4, fork": lambda: in_pool("fork"),
    "a pool of 4, spawn": lambda: in_pool("spawn"),
}


def main():
    if len(sys.argv) == 1:
        from processes import run_scenarios
        return run_scenarios(__file__, SCENARIOS)
    signal.alarm(LIMIT_SECONDS)
    hashes, ends = SCENARIOS[sys.argv[1]]()
    # Alone, and last: the parent of the first scenario has used nothing of weir before.
    if set(hashes) != {read_all()}:
        raise RuntimeError(f"found {hashes}, expected {read_all()}")
    print(json.dumps({"scenario": sys.argv[1], "end": "; ".join(ends)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
