"""Damaged headers of pages and page indexes of Parquet files: each row is as it was written, or an error."""

import io
import itertools
import os

import pytest

import weir

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

from tables import needs_parquet, plain  # noqa: E402

pytestmark = needs_parquet
ROWS, PAGE_ROWS = 12, 3
# A sanitizer takes ten times as long, and finds nothing in the extension, which is compiled without.
STEP = 7 if "libasan" in os.environ.get("LD_PRELOAD", "") else 1
COLUMNS = {
    "flat": (pyarrow.array(range(200, 200 + ROWS)), False),
    "optional": (pyarrow.array([None if i % 5 == 2 else 300 + i for i in range(ROWS)]), True),
    "list": (pyarrow.array([[10 * i + j for j in range(i * 7 % 4)] for i in range(ROWS)]), True),
    "text": (pyarrow.array([f"{'x' * (i % 4)}{i}" for i in range(ROWS)]), False),
}


def written(column, with_index, **options):
    """A file of row numbers and another column, and where its pages and its offset indexes lie."""
    array, nullable = COLUMNS[column]
    schema = pyarrow.schema([pyarrow.field("x", pyarrow.int64(), False), pyarrow.field("c", array.type, nullable)])
    table = pyarrow.table({"x": range(ROWS), "c": array}, schema=schema)

    def write(statistics):
        file = io.BytesIO()
        parquet.write_table(
            table, file, compression="none", data_page_size=1, write_batch_size=PAGE_ROWS, write_page_checksum=True,
            write_page_index=with_index, write_statistics=statistics, store_schema=False, **options,
        )  # fmt: skip
        data = file.getvalue()
        chunk = parquet.read_metadata(io.BytesIO(data)).row_group(0).column(1)
        begin = chunk.dictionary_page_offset or chunk.data_page_offset
        footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
        return data, range(begin, begin + chunk.total_compressed_size), footer

    # Without statistics, only offsets are in the index.
    data, pages, footer = write(with_index)
    _, other_pages, other_footer = write(False)
    return data, pages, range(footer - (other_footer - other_pages.stop), footer)


def read(runtime, document):
    """What is read, with None for an error."""
    out = []
    try:
        iterator = iter(weir.parse(document, runtime=runtime))
    except weir.Error:
        return [None]
    while len(out) < 3 * ROWS:
        try:
            out.append(plain(next(iterator)))
        except StopIteration:
            return out
        except weir.errors.DataLoss:
            out.append(None)
    raise AssertionError("it doesn't end")


IN_ORDER = [") | take(5)", ") | shard(3, 1)", ", where: {x} -> x >= 4 and x < 8)", ", where: {x} -> x == 5)"]
BY_POSITION = [") | global_shuffle(seed: 4)"]


def check(found, expected, suffix, said):
    values = [row for row in found if row is not None]
    if len(values) == len(found):
        assert found == expected, said
    elif suffix in BY_POSITION and len(found) > 1:
        assert len(found) == len(expected), said
        assert all(row in (None, wanted) for row, wanted in zip(found, expected, strict=True)), said
    else:
        rest = iter(expected)
        assert all(row in rest for row in values), said


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("column", COLUMNS)
def test_each_row_is_right_or_an_error(runtime, tmp_path, column, version):
    path = tmp_path / "p"
    for with_index, dictionary in itertools.product([False, True], [False, True]):
        data, pages, index = written(column, with_index, data_page_version=version, use_dictionary=dictionary)
        suffixes = [")", *IN_ORDER, *BY_POSITION]
        documents = {suffix: f'parquet("{path}", nulls: "optional"{suffix}' for suffix in suffixes}
        path.write_bytes(data)
        expected = {suffix: read(runtime, document) for suffix, document in documents.items()}
        assert [row["x"] for row in expected[")"]] == list(range(ROWS))
        errors = 0
        for at in [*pages, *index][::STEP]:
            path.unlink()
            path.write_bytes(data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :])
            for suffix, document in documents.items():
                found = read(runtime, document)
                errors += None in found
                check(found, expected[suffix], suffix, (column, version, with_index, dictionary, at, suffix))
        assert errors > 0


@pytest.mark.parametrize("with_index", [False, True])
def test_rows_before_a_damaged_header(runtime, tmp_path, with_index):
    """The second of four pages says that it has two values. With an index its rows alone are errors by position."""
    path = tmp_path / "p"
    data, pages, _ = written("flat", with_index, use_dictionary=False)
    header = [at for at in pages if data[at + 1 : at + 3] == b"\x15\x06" and data[at] in (0x1C, 0x2C)][1]
    path.write_bytes(data[: header + 2] + b"\x04" + data[header + 3 :])
    assert [row and row["x"] for row in read(runtime, f'parquet("{path}")')] == [0, 1, 2, None]
    found = read(runtime, f'parquet("{path}") | partition(3, p -> p)')
    assert sum(row is None for row in found) == (3 if with_index else 9)
    assert all(row["c"] == row["x"] + 200 for row in found if row)


def test_an_index_that_the_pages_contradict(runtime, tmp_path):
    """In the index, the second page begins two rows later than it does."""
    path = tmp_path / "p"
    data, _, index = written("flat", True, use_dictionary=False)
    at = data.index(b"\x16\x06\x00", data.index(b"\x16\x06\x00", index.start) + 1)
    path.write_bytes(data[: at + 1] + b"\x0a" + data[at + 2 :])
    assert [row["c"] for row in read(runtime, f'parquet("{path}")')] == list(range(200, 200 + ROWS))
    assert None in read(runtime, f'parquet("{path}", where: {{c}} -> c == 204)')
    found = read(runtime, f'parquet("{path}") | global_shuffle(seed: 1)')
    assert sum(row is None for row in found) == 6
    assert all(row["c"] == row["x"] + 200 for row in found if row)
