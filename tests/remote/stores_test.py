"""What every store does: whole files, odd names, folders, writing, changes, and what errors say."""

import concurrent.futures
import os

import pytest

from weir_remote import Failed

ODD_NAMES = ["plain.bin", "sp ace +plus%41.bin", "ünï/日本.bin", "two//slashes", "a?x=1&y#z", "~t!*'()", "dots.../x",
             "semi;colon,=$@:"]


def read_only(store):
    return store.kind == "http"


def test_whole_files_of_many_sizes(store, extension):
    one = extension()
    for size in (0, 1, 1000, 256 << 10, (256 << 10) + 1, 3_000_000):
        data = os.urandom(size)
        store.put(one, f"sizes/{size}", data)
        assert one.read(store.base + f"sizes/{size}", 700_001) == data
        assert one.stat(store.base + f"sizes/{size}")["size"] == size


def agree(said, file):
    """Whether `stat` and `open` describe the same state of a file, as far as both know it."""
    return (said["size"] == file.size and (said["version"] in ("", file.version) or not file.version) and
            (said["modified"] in (0, file.modified) or not file.modified))


def test_stat_says_what_open_says(store, extension):
    one = extension()
    store.put(one, "same", b"x" * 1000)
    with one.open(store.base + "same") as file:
        assert agree(one.stat(store.base + "same"), file) and file.version


def test_ranges_of_an_open_file(store, extension):
    one = extension()
    data = os.urandom(2_000_000)
    store.put(one, "ranges", data)
    with one.open(store.base + "ranges") as file:
        ranges = [(0, 10), (262_000, 1000), (1_999_990, 100), (2_000_000, 5), (5_000_000, 5), (1_000_000, 500_000)]
        assert file.read_many(ranges) == [data[at:at + size] for at, size in ranges]


def test_a_small_file_takes_one_request(store, extension):
    one = extension()
    store.put(one, "small", b"x" * 1000)
    store.proxy.requests.clear()
    assert one.read(store.base + "small") == b"x" * 1000
    assert len(store.proxy.requests) == 1


@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names(store, extension, name):
    if read_only(store):
        pytest.skip("a name of http is a URL")
    one = extension()
    store.put(one, "odd/" + name, name.encode())
    assert one.read(store.base + "odd/" + name) == name.encode()
    assert one.stat(store.base + "odd/" + name)["size"] == len(name.encode())
    folder, _, last = ("odd/" + name).rpartition("/")
    if "//" not in name:
        assert last in one.list(store.base + folder + "/")
    one.remove(store.base + "odd/" + name)
    with pytest.raises(Failed, match="not_found"):
        one.open(store.base + "odd/" + name)


def test_folders(store, extension):
    one = extension()
    if read_only(store):
        with pytest.raises((Failed, OSError)):
            one.stat(store.base + "nothing/")
        return
    for name in ("tree/a1", "tree/a2", "tree/b", "tree/sub/c", "tree/sub2/d"):
        store.put(one, name, b"12345")
    entries = one.list(store.base + "tree/")
    assert {name: entry["folder"] for name, entry in entries.items()} == {
        "a1": False, "a2": False, "b": False, "sub": True, "sub2": True}
    assert entries["a1"]["size"] == 5 and entries["a1"]["modified"] > 1_700_000_000 * 10**9
    assert set(one.list(store.base + "tree/", "a")) == {"a1", "a2"}
    assert set(one.list(store.base + "tree/", "su")) == {"sub", "sub2"}
    assert one.list(store.base + "nowhere/") == {}
    assert one.stat(store.base + "tree")["folder"] and one.stat(store.base + "tree/")["folder"]
    assert one.stat(store.base)["folder"]


def test_long_listings_are_continued(store, extension):
    if store.kind not in ("s3", "gs"):
        pytest.skip("no listings, or pages of 5,000")
    one = extension()
    names = [f"{i:05}" for i in range(1100)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: store.put(one, "long/" + name, b""), names))
    assert sorted(one.list(store.base + "long/")) == names
    assert sorted(one.list(store.base + "long/", "0104")) == names[1040:1050]


def test_writing_in_parts(store, extension):
    if read_only(store):
        with pytest.raises(Failed, match="unimplemented"):
            extension().write(store.base + "x", b"x")
        return
    one = extension()
    data = os.urandom(20_000_001)
    one.write(store.base + "parts", data, step=3_333_333)
    assert one.read(store.base + "parts", 4 << 20) == data
    one.write(store.base + "parts", b"short")
    assert one.read(store.base + "parts") == b"short"


def test_nothing_is_seen_before_the_end_nor_left_after_a_failure(store, extension):
    if read_only(store):
        pytest.skip("read only")
    one = extension()
    one.write(store.base + "kept", b"old")
    for size in (10, 20_000_000):
        one.write(store.base + "kept", b"n" * size, publish=False)
        assert one.read(store.base + "kept") == b"old"
        one.write(store.base + "never", b"n" * size, publish=False)
        with pytest.raises(Failed, match="not_found"):
            one.stat(store.base + "never")


def test_a_file_that_changes_is_an_error(store, extension):
    one = extension()
    store.put(one, "changing", b"a" * 3_000_000)
    with one.open(store.base + "changing") as file:
        assert file.read(1_000_000, 10) == b"a" * 10
        store.put(one, "changing", b"b" * 3_000_001)
        with pytest.raises(Failed, match="failed_precondition.*(changed|replaced)"):
            file.read(1_000_000, 10)


def test_errors_say_what_and_where(store, extension):
    with pytest.raises(Failed) as caught:
        extension().open(store.base + "none/such")
    assert caught.value.code == "not_found"
    assert store.base + "none/such" in caught.value.message
    assert "404" in caught.value.message
    assert "gnature" not in caught.value.message


def test_connections_are_reused(store, extension):
    one = extension()
    store.put(one, "again", b"x" * 10)
    before = store.proxy.connections
    for _ in range(20):
        one.read(store.base + "again")
    assert store.proxy.connections - before <= 2
