"""Each store through the library: files of others, what is written there, positions across copies, faults, and memory."""

import os
import pathlib
import random
import re
import subprocess
import sys
import urllib.parse

import pytest

import proxy as proxies
from fakes import Fake, ranged
from faults_test import CLEAR, PLANS
from weir_remote import BUILD

ROOT = pathlib.Path(__file__).parent.parent.parent
FOREIGN = ROOT.parent / "shared/foreign/files"
MIB = 1 << 20


def run(*command):
    environment = {**os.environ, "WEIR_EXTENSIONS": os.path.join(BUILD, "extensions")}
    return subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", timeout=300, check=False)


def weir(*words):
    return run(os.path.join(BUILD, "weir"), *words)


def elements(document):
    """All elements and errors, and the exit status."""
    done = weir("run", "-e", document)
    return done.returncode, done.stdout + done.stderr


def positions(*words):
    done = run(sys.executable, os.path.join(os.path.dirname(__file__), "positions.py"), *words)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture
def writable(store):
    if store.kind == "http":
        pytest.skip("read only")
    return store


def test_files_of_others_are_equal(store, extension):
    if not FOREIGN.exists():
        pytest.skip(f"{FOREIGN} is not there")
    one = extension()
    for file in sorted(FOREIGN.iterdir()):
        name = f"foreign/{file.name}"
        store.put(one, name, file.read_bytes())
        for document in ('tfrecord("{}", compression: "auto")', 'tfrecord("{}", compression: "auto", on_corrupt: "resync")'):
            here, there = (elements(document.format(at)) for at in (file, store.base + name))
            assert there == (here[0], here[1].replace(str(file), store.base + name)), file.name


def test_saved_elements(writable):
    name = writable.base + "saved"
    source = 'range(20000) | map(i -> {i: i, s: as_string(i * i)})'
    assert elements(f'{source} | save("{name}")')[0] == 0
    assert elements(f'load("{name}") | skip(19990)') == elements(f"{source} | skip(19990)")
    assert weir("validate", name).stdout == f"{name}: 20,000 elements, no damage\n"


def test_snapshots(writable):
    name = writable.base + "snapshot"
    written = elements(f'range(5000) | map(i -> i * 3) | snapshot("{name}")')
    assert written == elements("range(5000) | map(i -> i * 3)")
    writable.proxy.requests.clear()
    assert elements(f'range(5000) | map(i -> i * 3) | snapshot("{name}")') == written
    assert not [request for request in writable.proxy.requests if request.method in ("PUT", "POST", "PATCH")]


def test_record_writers(writable, tmp_path):
    (tmp_path / "lines.txt").write_text("".join(f"{i}\n" for i in range(50_000)))
    for suffix in (".tfrecord", ".tfrecord.zst", ".jsonl", ".npz"):
        name = f"{writable.base}written/lines{suffix}"
        if suffix == ".npz":
            assert weir("convert", str(tmp_path / "lines.txt"), name).returncode == 0
        else:
            assert weir("convert", str(tmp_path / "lines.txt"), name).stdout == f"{name}: 50,000 rows\n"
        assert "50,000" in weir("validate", name).stdout
    assert weir("convert", str(tmp_path / "lines.txt"), name).returncode == 2
    assert len(weir("head", "-n", "1", writable.base + "written/*").stdout.splitlines()) == 4 * 3 - 1


@pytest.mark.parametrize("source, count, name", [
    ("lmdb", 254, "tests/golden/data/words.mdb"),
    ("array_record", 3, "tests/conformance/data/own/array_record/three.array_record"),
    ("hdf5", 3, "tests/conformance/data/own/hdf5/three.h5"),
])
def test_tables_read_by_position(store, extension, source, count, name):
    if source != "lmdb" and not os.path.exists(os.path.join(BUILD, "extensions", "libweir-parquet.so")):
        pytest.skip("weir-parquet was not built")
    store.put(extension(), "table", (ROOT / name).read_bytes())
    for rest in ("", f" | skip({count - 2})", " | global_shuffle(seed: 1)", ' | partition(3, p -> p, by: "index")'):
        code, lines = elements(f'{source}("{store.base}table"){rest}')
        assert code == 0 and lines.count("\n") == (2 if "skip" in rest else count)
        assert (code, lines) == elements(f'{source}("{ROOT / name}"){rest}')


def test_a_pattern_lists_no_files_as_folders(monkeypatch):
    pages = {"": {"items": [{"name": f"part-{i}"} for i in range(300)], "prefixes": ["dir0/", "part-7/"]},
             "dir0/x": {"items": [{"name": "dir0/x1"}]}, "part-7/x": {"items": [{"name": "part-7/x2"}]}}

    def handle(method, path, headers, body):
        return 200, {}, pages[urllib.parse.parse_qs(urllib.parse.urlsplit(path).query).get("prefix", [""])[0]]

    with Fake(handle) as fake:
        monkeypatch.setenv("STORAGE_EMULATOR_HOST", fake.url)
        found = elements('list_files("gs://b/*/x*", shuffle: false)')
        assert found == (0, '"gs://b/dir0/x1"\n"gs://b/part-7/x2"\n')
        assert len(fake.requests) == 3


@pytest.mark.parametrize("scheme", ["s3", "gs", "az", "hf"])
def test_two_places_share_a_folder_of_blocks(monkeypatch, tmp_path, scheme):
    """The same name, tag and size, but other bytes."""
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT", "account")
    lines = {}
    for letter in ("a", "b"):
        data = (letter * 39 + "\n").encode() * 20_000

        def handle(method, path, headers, body, data=data):
            if "/revision/" in path:
                return 200, {}, {"sha": "0123456789" * 4}
            return ranged(data, headers, {"ETag": '"same"', "x-goog-generation": "7"})

        with Fake(handle) as fake:
            for name in ("AWS_ENDPOINT_URL_S3", "STORAGE_EMULATOR_HOST", "AZURE_STORAGE_BLOB_ENDPOINT", "HF_ENDPOINT"):
                monkeypatch.setenv(name, fake.url)
            document = f'text_line("{scheme}://one/two/three") | skip(19999) | options(cache: "{tmp_path}/blocks")'
            for _ in range(2):
                lines[letter] = elements(document)
    assert lines == {letter: (0, f'"{letter * 39}"\n') for letter in ("a", "b")}


def test_positions_of_files_and_in_files(store, extension, tmp_path):
    one = extension()
    data = "".join(f"line {i}\n" for i in range(3000)).encode()
    document = 'text_line("{}") | shuffle(100, seed: 5) | batch(7)'
    (tmp_path / "copy.txt").write_bytes(data)
    store.put(one, "copy.txt", data)
    here, there = document.format(tmp_path / "copy.txt"), document.format(store.base + "copy.txt")
    whole = positions("read", here)
    assert positions("read", there) == whole
    places = [str(tmp_path / "position")] + ([] if store.kind == "http" else [store.base + "position"])
    for place in places:
        for read in (here, there):
            assert positions("save", read, "100", place) == whole[:100]
            assert positions("read", read, place) == whole[100:]
    for folder in [str(tmp_path / "kept")] + ([] if store.kind == "http" else [store.base + "kept"]):
        positions("keep", there, "50", folder)
        positions("keep", there, "200", folder)
        assert positions("last", there, folder) == whole[200:]


MOVED = [
    'text_line(["BASEcopies/x/a", "BASEcopies/y/a"]) | shuffle(100, seed: 5) | batch(7)',
    'text_line(["BASEcopies/x/a", "BASEcopies/x/b", "BASEcopies/y/a"], num_parallel_reads: 3) | batch(2)',
    'from_list(["BASEcopies/x/b", "BASEcopies/y/a"]) | shuffle(2, seed: 3) | interleave(f -> text_line(f), cycle_length: 2)',
    'text_line(["BASEcopies/x/a", "BASEcopies/x/b", "BASEcopies/y/a"])'
    ' | partition(3, p -> p | shuffle(9, seed: 1) | batch(3))',
    'text_line(["BASEcopies/x/a", "BASEcopies/x/b"]) | partition(2, p -> p | shuffle(9, seed: 1), by: "index")',
    'text_line(["BASEcopies/x/a", "BASEcopies/x/b"]) | global_shuffle(seed: 2)',
    'list_files("BASEcopies/*/*", seed: 4) | flat_map(f -> text_line(f)) | shuffle(50, seed: 1)',
    'list_files("BASEcopies/x/?", shuffle: false) | map(f -> read_file(f)) | repeat(200)',
]


def test_positions_continue_over_copies_elsewhere(store, extension, tmp_path):
    one = extension()
    for name in ("x/a", "x/b", "y/a"):
        data = "".join(f"{name}, line {i}\n" for i in range(300)).encode()
        path = tmp_path / "here/copies" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        store.put(one, f"copies/{name}", data)
    place = str(tmp_path / "position")
    for document in MOVED:
        if store.kind == "http" and "list_files" in document:
            continue
        here, there = (document.replace("BASE", base) for base in (f"{tmp_path}/here/", store.base))
        whole = positions("read", here)
        assert len(whole) > 60, document
        assert positions("read", there) == whole, document
        for first, then in ((here, there), (there, here)):
            positions("save", first, "50", place)
            assert positions("read", then, place) == whole[50:], document


def test_a_position_in_a_file_that_is_no_copy_is_an_error(store, extension, tmp_path):
    lines = "".join(f"line {i}\n" for i in range(20000))
    (tmp_path / "other.txt").write_text(lines)
    store.put(extension(), "other.txt", (lines + "more").encode())
    place = str(tmp_path / "position")
    positions("save", f'text_line("{tmp_path}/other.txt") | batch(100)', "150", place)
    done = run(sys.executable, os.path.join(os.path.dirname(__file__), "positions.py"), "read",
               f'text_line("{store.base}other.txt") | batch(100)', place)
    assert done.returncode != 0
    assert "expected a copy of the file that the position is in" in done.stderr


def test_random_faults_through_the_library(store, extension):
    """Equal elements, or errors that say which file: nothing is lost, doubled or torn."""
    one = extension()
    lines = [f"{i:07}" for i in range(60_000)]
    names = [f"plans/{part}.txt" for part in range(3)]
    for part, name in enumerate(names):
        store.put(one, name, "".join(line + "\n" for line in lines[part::3]).encode())
    files = ", ".join(f'"{store.base}{name}"' for name in names)
    wanted = [f'"{line}"' for part in range(3) for line in lines[part::3]]
    ends = {"equal": 0}
    for seed in range(PLANS):
        store.proxy.plan = proxies.random_plan(seed, random.Random(seed).choice([0.05, 0.2, 0.4]))
        _, text = elements(f"text_line([{files}])")
        found = [line for line in text.splitlines() if line.startswith('"')]
        errors = [line for line in text.splitlines() if line.startswith("error: ")]
        if not errors:
            assert found == wanted, f"plan {seed}"
            ends["equal"] += 1
            continue
        code = errors[0].split(": ")[1]
        ends[code] = ends.get(code, 0) + 1
        assert code in CLEAR and len(errors) <= 3 and all(store.base + "plans/" in error for error in errors), text[-2000:]
        # What is there is the beginning of each file.
        at = 0
        for part in range(3):
            own = [f'"{line}"' for line in lines[part::3]]
            given = 0
            while at < len(found) and given < len(own) and found[at] == own[given]:
                at, given = at + 1, given + 1
        assert at == len(found), f"plan {seed}"
    print(f"{store.kind}: {ends}")
    assert ends["equal"] > PLANS / 4


def peak(document):
    """The most memory that a run had resident, in bytes, and what it printed."""
    script = ("import resource, subprocess, sys; "
              "print(subprocess.run(sys.argv[1:], capture_output=True, text=True, check=True).stdout, end=''); "
              "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)")
    done = run(sys.executable, "-c", script, os.path.join(BUILD, "weir"), "digest", "-e", document)
    assert done.returncode == 0, done.stderr
    digest, memory = done.stdout.split()
    return int(memory), digest


def test_memory_is_bounded(store):
    """64 MiB and 8 MiB for each open stream, beside what a local file takes and the code of the extension."""
    if store.kind != "http":
        pytest.skip("of nginx")
    streams, size = 4, 40 * MIB
    (store.www / "memory").mkdir()
    for i in range(streams):
        (store.www / f"memory/{i}").write_bytes(random.Random(i).randbytes(MIB) * (size // MIB))
    (store.www / "memory/small").write_bytes(b"12345")
    base = "http://{}:{}/memory/".format(*store.proxy.upstream)
    small = 'fixed_length_record("{}memory/small", 5)'
    code = peak(small.format(base.removesuffix("memory/")))[0] - peak(small.format(f"{store.www}/"))[0]
    for count in (1, streams):
        document = (f'range({streams}) | interleave(i -> fixed_length_record("FOLDER" + as_string(i), 65536), cycle_length: '
                    f"{count}, num_parallel_calls: {count}) | map(r -> string_length(r))")
        local, expected = peak(document.replace("FOLDER", f"{store.www}/memory/"))
        remote, found = peak(document.replace("FOLDER", base))
        print(f"{count} streams: {(remote - local - code) / MIB:.0f} MiB, and {code / MIB:.0f} MiB of the extension")
        assert found == expected
        assert remote - local - code <= (64 + 8 * count) * MIB


def test_memory_without_ranges(extension):
    """A server that sends whole files: each of up to 32 MiB is there once."""
    data = b"0123456789abcdef" * (30 * MIB // 16)
    with Fake(lambda method, path, headers, body: (200, {"ETag": '"1"'}, data)) as fake:
        document = 'fixed_length_record("{}", 65536) | map(r -> string_length(r))'
        remote, _ = peak(document.format(fake.url + "/whole"))
        small, _ = peak("range(10)")
    print(f"{(remote - small) / MIB:.0f} MiB for a file of 30 MiB")
    assert remote - small <= (64 + 8 + 32) * MIB
