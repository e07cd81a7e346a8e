"""What lmdb(files) reads from databases of LMDB's own library, compared with what its cursors read."""

import random

import pytest

import weir

lmdb = pytest.importorskip("lmdb")


def write(folder, transactions, **options):
    """Puts, and deletes where the value is None, in transactions of their own; returns the file and its entries."""
    with lmdb.open(str(folder), map_size=1 << 30, **options) as environment:
        for entries in transactions:
            with environment.begin(write=True) as transaction:
                for key, value in entries:
                    if value is None:
                        transaction.delete(key)
                    else:
                        transaction.put(key, value)
        with environment.begin() as transaction:
            expected = list(transaction.cursor())
    return f"{folder}/data.mdb" if options.get("subdir", True) else str(folder), expected


def entries_of(runtime, text):
    return [(e["key"], e["value"]) for e in weir.parse(text, runtime=runtime)]


def small(draw, count):
    return [(b"%d" % draw.randrange(10 * count), b"v" * draw.randrange(40)) for _ in range(count)]


DATABASES = {
    "one entry": lambda draw: [[(b"k", b"")]],
    "several levels": lambda draw: [small(draw, 60_000)],
    "long keys": lambda draw: [[(draw.randbytes(draw.randrange(1, 512)), b"x") for _ in range(3000)]],
    "large values": lambda draw: [
        [(b"%05d" % i, draw.randbytes(draw.choice([0, 1, 1900, 2100, 4080, 4081, 300_000]))) for i in range(120)]
    ],
    "one value of many pages": lambda draw: [[(b"a", draw.randbytes(5_000_000)), (b"b", b"2")]],
    "many transactions": lambda draw: [
        [(b"%d" % draw.randrange(900), draw.choice([None, draw.randbytes(draw.randrange(5000))])) for _ in range(50)]
        for _ in range(60)
    ],
    "emptied": lambda draw: [small(draw, 100), [(b"%d" % i, None) for i in range(1000)]],
}


@pytest.mark.parametrize("kind", DATABASES)
def test_all_entries_in_order_and_by_position(runtime, tmp_path, kind):
    draw = random.Random(kind)
    path, expected = write(tmp_path / "db", DATABASES[kind](draw))
    text = f'lmdb("{path}")'
    assert entries_of(runtime, text) == expected
    dataset = weir.parse(text, runtime=runtime)
    assert dataset.cardinality() == len(expected)
    if not expected:
        return
    assert list(weir.parse(text + " | map(e -> e.key)", runtime=runtime)) == [key for key, _ in expected]
    for row in {0, len(expected) - 1, draw.randrange(len(expected))}:
        assert entries_of(runtime, text + f" | skip({row}) | take(3)") == expected[row : row + 3]
        iterator = dataset.iterator()
        for _ in range(row):
            next(iterator)
        rest = dataset.iterator(checkpoint=iterator.save())
        assert [(e["key"], e["value"]) for e in rest] == expected[row:]
    if len(expected) > 2000:
        expected = expected[::17]
    parts = entries_of(runtime, text + ' | partition(3, p -> p, by: "index")')
    assert len(parts) == dataset.cardinality() and set(expected) <= set(parts)


def test_files_of_other_names_and_folders(runtime, tmp_path):
    first, expected = write(tmp_path / "one.mdb", [[(b"a", b"1")]], subdir=False)
    second, more = write(tmp_path / "two", [[(b"b", b"2")]])
    assert entries_of(runtime, f'lmdb(["{first}", "{second}"])') == expected + more
    with pytest.raises(weir.Error, match="two"):
        weir.parse(f'lmdb("{tmp_path}/two")', runtime=runtime)


def test_what_is_not_supported_is_said(runtime, tmp_path):
    with lmdb.open(str(tmp_path / "named"), max_dbs=2) as environment:
        with environment.begin(write=True) as transaction:
            transaction.put(b"k", b"v", db=environment.open_db(b"inner", txn=transaction))
    with pytest.raises(weir.Error, match='"inner" is a database of its own'):
        list(weir.parse(f'lmdb("{tmp_path}/named/data.mdb")', runtime=runtime))


def test_rows_chosen_by_a_function(tmp_path):
    path, expected = write(tmp_path / "db", [small(random.Random(1), 500)])
    chosen = [key for key, value in expected if value and key < b"3"]
    assert 0 < len(chosen) < len(expected)
    keys = weir.lmdb(path, {"key": str}, where=lambda row: (row.key < "3") & (row.value != ""))
    assert [row["key"] for row in keys] == chosen
    read = weir.from_tensors(path).flat_map(lambda name: weir.lmdb(path, where=lambda row: row.key < "3"))
    assert [row["key"] for row in read] == [key for key, _ in expected if key < b"3"]
