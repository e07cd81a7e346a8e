"""Large and many: 100,000 objects, 5 GB, 10,000 files, writers that are killed, and how few requests a first element takes."""

import os
import random
import signal
import subprocess
import sys
import threading
import time

import pytest

from fakes import Fake
from weir_remote import BUILD, Failed


def weir(*arguments):
    environment = {**os.environ, "WEIR_EXTENSIONS": os.path.join(BUILD, "extensions")}
    return subprocess.run([os.path.join(BUILD, "weir"), *arguments], env=environment, capture_output=True, text=True,
                          timeout=300, check=True).stdout


def test_a_hundred_thousand_objects_are_listed(extension, monkeypatch):
    def handle(method, path, headers, body):
        first = int(path.partition("continuation-token=")[2].partition("&")[0] or 0)
        keys = "".join(f"<Contents><Key>many/{i:06}</Key><Size>{i}</Size></Contents>" for i in range(first, first + 1000))
        last = first + 1000 == 100_000
        return 200, {}, (f"<ListBucketResult><IsTruncated>{'false' if last else 'true'}</IsTruncated>{keys}"
                         f"<NextContinuationToken>{first + 1000}</NextContinuationToken></ListBucketResult>").encode()

    with Fake(handle) as fake:
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", fake.url)
        entries = extension().list("s3://bucket/many/")
        assert len(entries) == 100_000 and entries["099999"]["size"] == 99_999
        # One whose answer is late is asked for twice.
        assert len({path for _, path, _, _ in fake.requests}) == 100


@pytest.fixture
def http(store):
    if store.kind != "http":
        pytest.skip("of nginx")
    return store


def test_a_near_server_is_asked_for_more_when_its_answers_are_late(http, extension):
    data = random.Random(5).randbytes(1_000_000)  # the first 256 KiB come when it is opened
    (http.www / "near").write_bytes(data)
    one = extension()
    with one.open(http.base + "near") as file:
        one.host.host_threads()
        for at in range(300_000, 400_000, 5000):  # it answers at once, so that it is near
            assert file.read(at, 5000) == data[at:at + 5000]
        assert one.host.host_threads() == 1  # and one connection
        http.proxy.delay = 3.0
        ranges = [(at, 10_000) for at in range(500_000, 660_000, 20_000)]
        parts = []
        reader = threading.Thread(target=lambda: parts.extend(file.read_many(ranges)))
        reader.start()
        assert http.proxy.reaches(8, within=20)
        reader.join()
        assert one.host.host_threads() == 2
        assert parts == [data[at:at + size] for at, size in ranges]


def test_five_gigabytes(http, extension):
    with open(http.www / "huge", "wb") as file:
        file.truncate(5 << 30)
        file.seek((5 << 30) - 5)
        file.write(b"last!")
    with extension().open(http.base + "huge") as file:
        assert file.size == 5 << 30
        assert file.read_many([((5 << 30) - 5, 100), (3 << 30, 4)]) == [b"last!", b"\0" * 4]


def test_ten_thousand_files(http, extension):
    folder = http.www / "thousands"
    folder.mkdir()
    for i in range(10_000):
        (folder / str(i)).write_text(f"{i}\n")
    # Past the proxy, which would take most of the time.
    base = "http://{}:{}/thousands/".format(*http.proxy.upstream)
    document = (f'range(10000) | interleave(i -> text_line("{base}" + as_string(i)), cycle_length: 16, '
                "num_parallel_calls: auto) | map(x -> to_number(x, int64)) | reduce(0, (s, x) -> s + x)")
    assert weir("run", "-e", document).strip() == str(sum(range(10_000)))


def test_a_first_element_takes_three_requests(store, extension):
    one = extension()
    for i in range(3):
        store.put(one, f"first/{i}.txt", b"line\n" * 100_000)
    store.proxy.requests.clear()
    # http has no listing, the others list first.
    name = "first/0.txt" if store.kind == "http" else "first/*.txt"
    assert weir("run", "-n", "1", "-e", f'text_line(list_files("{store.base}{name}", shuffle: false))') == '"line"\n'
    before = [request for request in store.proxy.requests if "/1.txt" not in request.path and "/2.txt" not in request.path]
    first_reads = [request for request in before if "range" not in request.headers
                   or request.headers["range"].startswith("bytes=0-")]
    assert len(first_reads) <= 3, [(request.method, request.path, request.headers.get("range")) for request in before]


WRITER = """
import sys
sys.path.insert(0, sys.argv[1])
import weir_remote
data = open(sys.argv[3], "rb").read()
with weir_remote.Extension() as extension:
    print("begun", flush=True)
    extension.write(sys.argv[2], data)
print("written", flush=True)
"""


def test_a_writer_that_is_killed_leaves_all_or_nothing(store, extension, tmp_path):
    if store.kind == "http":
        pytest.skip("read only")
    one = extension()
    draw = random.Random(5)
    old = b"old" * 1000
    store.put(one, "killed", old)
    written = 0
    for _ in range(int(os.environ.get("WEIR_REMOTE_TEST_KILLS", "34"))):
        new = draw.randbytes(draw.choice([1000, 17_000_000]))
        (tmp_path / "new").write_bytes(new)
        before = store.proxy.open
        writer = subprocess.Popen([sys.executable, "-c", WRITER, os.path.dirname(__file__), store.base + "killed",
                                   str(tmp_path / "new")], stdout=subprocess.PIPE, text=True)
        writer.stdout.readline()
        time.sleep(draw.random() * 0.6)  # the moment is what is random here
        writer.send_signal(signal.SIGKILL)
        is_written = "written" in writer.communicate()[0]
        # Its last request may be on its way.
        assert store.proxy.falls_to(before, within=60)
        try:
            found = one.read(store.base + "killed", 4 << 20)
        except Failed as failure:
            assert failure.code == "failed_precondition"  # it was replaced just now
            found = one.read(store.base + "killed", 4 << 20)
        assert found in (old, new) and (found == new or not is_written)
        written += found == new
        old = found
    print(f"{store.kind}: {written} were complete")
