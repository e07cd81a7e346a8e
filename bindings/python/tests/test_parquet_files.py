"""What parquet(files) reads from files of pyarrow, fastparquet and DuckDB, compared with what pyarrow reads."""

import datetime
import http.server
import os
import random
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import EXTENSIONS, sanitizer_bytes

import weir

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

from tables import LARGE_ROWS, bytes_read, large_groups, most_memory, needs_parquet, plain, value_of  # noqa: E402

pytestmark = needs_parquet
ROWS, GROUP_ROWS = 700, 300


def values(make, seed, nulls=0.0):
    draw = random.Random(seed)
    return [None if draw.random() < nulls else make(draw, i) for i in range(ROWS)]


def word(draw, i):
    return "".join(draw.choices("abcé ", k=draw.choice([0, 3, 12, 13, 40])))


def check(runtime, path, encoding=None, codec=None, rows=ROWS):
    """Compares a file with what pyarrow reads from it: all of it, each column alone, and rows by their positions."""
    about = parquet.read_metadata(path)
    assert about.num_row_groups == 3
    chunks = [about.row_group(1).column(i) for i in range(about.num_columns)]
    assert encoding is None or any(encoding in chunk.encodings for chunk in chunks)
    assert codec is None or {chunk.compression for chunk in chunks} == {codec}
    wanted = parquet.read_table(path)
    document = f'parquet("{path}", nulls: "optional")'
    read = weir.parse(document, runtime=runtime)
    found = list(read)
    assert len(read) == len(found) == rows
    for name in wanted.column_names:
        expected = [value_of(entry) for entry in wanted[name]]
        assert [plain(row[name]) for row in found] == expected, name
        alone = weir.parse(f"{document} | map(row -> row.{name})", runtime=runtime)
        assert [plain(entry) for entry in alone] == expected, name
    for i in random.Random(1).sample(range(rows), 20):
        assert str(read[i]) == str(found[i])


def columns_for(encoding):
    """Columns that can be written so, with and without nulls, and in lists."""
    numbers = np.random.default_rng(3)
    floats = numbers.normal(size=2 * ROWS)
    out = {}
    if encoding in ("PLAIN", "RLE"):
        out["flag"] = pyarrow.array(values(lambda draw, i: draw.random() < 0.1, 1))
        out["flags"] = pyarrow.array(values(lambda draw, i: [True] * draw.randrange(9), 2, 0.2))
        out["flag_or_null"] = pyarrow.array(values(lambda draw, i: draw.random() < 0.5, 3, 0.3))
    if encoding in ("PLAIN", "RLE_DICTIONARY", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"):
        for kind, low, high in (("int32", -9, 9), ("int64", -(2**63), 2**63 - 1), ("uint32", 0, 2**32 - 1)):
            column = numbers.integers(low, high, ROWS, kind, endpoint=True)
            out[kind] = pyarrow.array(column)
            out[kind + "_or_null"] = pyarrow.array(column, mask=numbers.random(ROWS) < 0.4)
        out["steps"] = pyarrow.array(np.cumsum(numbers.integers(0, 5, ROWS)))
        out["numbers"] = pyarrow.array(values(lambda draw, i: [i] * draw.randrange(5), 4, 0.2))
        nests = values(lambda draw, i: [[i + k] * draw.randrange(3) for k in range(draw.randrange(3))], 5, 0.1)
        out["nests"] = pyarrow.array(nests, pyarrow.list_(pyarrow.list_(pyarrow.int32())))
    if encoding in ("PLAIN", "RLE_DICTIONARY", "BYTE_STREAM_SPLIT"):
        out["float32"] = pyarrow.array(floats[:ROWS].astype("float32"))
        out["float64"] = pyarrow.array(floats[ROWS:], mask=numbers.random(ROWS) < 0.4)
        out["float16"] = pyarrow.array(floats[:ROWS].astype("float16"))
        out["floats"] = pyarrow.array(values(lambda draw, i: list(floats[i : i + i % 4]), 6, 0.2))
    if encoding in ("PLAIN", "RLE_DICTIONARY", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"):
        out["words"] = pyarrow.array(values(word, 7, 0.3))
        out["sorted"] = pyarrow.array([f"prefix {i // 3:05}" for i in range(ROWS)])
        out["bytes"] = pyarrow.array(values(lambda draw, i: draw.randbytes(i % 7), 8))
        out["lists"] = pyarrow.array(values(lambda draw, i: [word(draw, i)] * draw.randrange(4), 9, 0.2))
    if encoding in ("PLAIN", "RLE_DICTIONARY", "DELTA_BYTE_ARRAY", "BYTE_STREAM_SPLIT"):
        fixed = values(lambda draw, i: draw.randbytes(1) * 6, 10, 0.3)
        out["fixed"] = pyarrow.array(fixed, pyarrow.binary(6))
    return out


ENCODINGS = (
    "PLAIN RLE RLE_DICTIONARY DELTA_BINARY_PACKED DELTA_LENGTH_BYTE_ARRAY DELTA_BYTE_ARRAY BYTE_STREAM_SPLIT".split()
)


@pytest.mark.parametrize("codec", ["NONE", "SNAPPY", "GZIP", "BROTLI", "LZ4", "ZSTD"])
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("page", ["1.0", "2.0"])
def test_pyarrow(runtime, tmp_path, page, encoding, codec):
    path = tmp_path / "pyarrow.parquet"
    table = pyarrow.table(columns_for(encoding))
    with_dictionary = encoding == "RLE_DICTIONARY"
    options = {"use_dictionary": True} if with_dictionary else {"use_dictionary": False, "column_encoding": encoding}
    parquet.write_table(
        table,
        path,
        compression=codec,
        row_group_size=GROUP_ROWS,
        data_page_size=500,
        write_batch_size=50,
        data_page_version=page,
        write_page_index=page == "2.0",
        **options,
    )
    check(runtime, path, encoding, {"NONE": "UNCOMPRESSED"}.get(codec, codec))


def test_pyarrow_types(runtime, tmp_path):
    path = tmp_path / "types.parquet"
    day = datetime.datetime(2001, 2, 3)
    time = lambda draw, i: day + datetime.timedelta(hours=i, microseconds=i)  # noqa: E731
    table = pyarrow.table(
        {
            "date": pyarrow.array(values(lambda draw, i: (day + datetime.timedelta(i)).date(), 1, 0.3)),
            "millis": pyarrow.array(values(lambda draw, i: i * 1001, 2, 0.1), pyarrow.timestamp("ms")),
            "micros": pyarrow.array(values(time, 3), pyarrow.timestamp("us", "UTC")),
            "decimal": pyarrow.array(values(lambda draw, i: i * 3, 4, 0.3), pyarrow.decimal128(12, 0)),
            "struct": pyarrow.array(values(lambda draw, i: {"n": i, "w": word(draw, i) if i % 3 else None}, 5, 0.2)),
            "structs": pyarrow.array(values(lambda draw, i: [{"n": i, "w": str(i)}] * draw.randrange(4), 6, 0.1)),
            "map": pyarrow.array(
                values(lambda draw, i: [(word(draw, i), i + k) for k in range(draw.randrange(3))], 7),
                pyarrow.map_(pyarrow.string(), pyarrow.int64()),
            ),
        }
    )
    parquet.write_table(table, path, row_group_size=GROUP_ROWS, data_page_size=500)
    check(runtime, path)
    parquet.write_table(table.select(["millis"]), path, row_group_size=GROUP_ROWS, use_deprecated_int96_timestamps=True)
    check(runtime, path)


@pytest.mark.parametrize("codec", ["UNCOMPRESSED", "SNAPPY", "GZIP", "BROTLI", "LZ4", "LZ4_RAW", "ZSTD"])
@pytest.mark.parametrize("page", [1, 2])
@pytest.mark.parametrize("times", ["int64", "int96"])
def test_fastparquet(runtime, tmp_path, monkeypatch, times, page, codec):
    fastparquet = pytest.importorskip("fastparquet", reason="fastparquet is not installed")
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    monkeypatch.setattr(fastparquet.writer, "DATAPAGE_VERSION", page)
    numbers = np.random.default_rng(4)
    frame = pandas.DataFrame(
        {
            "int64": numbers.integers(-(2**63), 2**63 - 1, ROWS, endpoint=True),
            "uint8": numbers.integers(0, 255, ROWS, "uint8"),
            "int_or_null": pandas.array(values(lambda draw, i: i * i, 1, 0.3), "Int64"),
            "float32": numbers.normal(size=ROWS).astype("float32"),
            "flag": numbers.random(ROWS) < 0.2,
            "flag_or_null": pandas.array(values(lambda draw, i: i % 3 == 0, 2, 0.3), "boolean"),
            "words": values(word, 3),
            "words_or_null": values(word, 4, 0.3),
            "bytes": values(lambda draw, i: draw.randbytes(i % 5), 5),
            "kind": pandas.Categorical(values(lambda draw, i: draw.choice("pqrstu") * 3, 6)),
            "time": pandas.to_datetime(np.arange(ROWS) * 10**12 + 10**18),
        }
    )
    path = tmp_path / "fastparquet.parquet"
    text = {"words": "utf8", "words_or_null": "utf8", "bytes": "bytes"}
    fastparquet.write(path, frame, [0, 300, 450], codec, times=times, object_encoding=text)
    check(runtime, path, "RLE_DICTIONARY")


@pytest.mark.parametrize("codec", ["uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4_raw"])
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_duckdb(runtime, tmp_path, version, codec):
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    path = tmp_path / "duckdb.parquet"
    # Row groups have a multiple of 2,048 rows.
    rows = 5000
    duckdb.connect().execute(
        f"""copy (select i::int as i, case when i % 3 = 0 then null else i * i end as n, (i % 300)::smallint as small,
              i / 7.0::double as d, case when i % 5 > 1 then (i / 3.0)::float end as f, i % 11 = 0 as flag,
              (i % 5)::varchar as few, 'x' || i as word, case when i % 4 > 0 then repeat('é', i % 20) end as or_null,
              ('z' || i)::blob as bytes, date '2020-01-01' + i::int as day, timestamp '2020-01-01' as time,
              range(i % 4) as list, case when i % 6 > 0 then [['a' || i], ['b', 'c']][: i % 3] end as nests,
              {{'x': i, 'y': case when i % 2 = 0 then 'y' || i end}} as struct, map([i], ['v' || i]) as map
            from range({rows}) r(i))
            to '{path}' (format parquet, compression {codec}, parquet_version {version}, row_group_size 2048)"""
    )
    check(runtime, path, "DELTA_BINARY_PACKED" if version == "v2" else "PLAIN", rows=rows)


def test_bytes_read(runtime, tmp_path):
    """The footer is read once, and nothing of row groups in which `where` holds for no row."""
    path = tmp_path / "wide.parquet"
    table = pyarrow.table({f"c{i}": np.arange(ROWS) * i for i in range(50)})
    parquet.write_table(table, path, row_group_size=GROUP_ROWS)
    read = weir.parse(f'parquet("{path}", {{c7: int64}}, where: {{c2}} -> c2 < 0)', runtime=runtime)
    footer = 8 + int.from_bytes(path.read_bytes()[-8:-4], "little")
    before = bytes_read()
    assert list(read) == []
    assert footer <= bytes_read() - before < footer + 1000


@pytest.mark.parametrize("page", [1 << 13, 1 << 20, 3 << 20])
def test_chunks_of_several_pieces(runtime, tmp_path, page):
    """A piece has 1 MiB. What lies across two, or in a page that is larger, is read once as well."""
    path = tmp_path / "pieces.parquet"
    numbers = np.random.default_rng(4)
    wanted = {"a": numbers.normal(size=500_000), "b": numbers.integers(0, 1 << 30, 500_000)}
    texts = [f"{'x' * (i % 17)}{i}" for i in range(500_000)]
    times = np.arange(500_000) * 1_000_003
    table = pyarrow.table({**wanted, "s": texts, "t": pyarrow.array(times, "timestamp[ns]")})
    options = {"use_dictionary": False, "compression": "NONE", "use_deprecated_int96_timestamps": True}
    parquet.write_table(table, path, data_page_size=page, **options)
    about = parquet.read_metadata(path)
    size = {name: about.row_group(0).column(i).total_compressed_size for i, name in enumerate(table.column_names)}
    assert about.num_row_groups == 1 and min(size.values()) > 3 << 20
    read = weir.parse(f'parquet("{path}", {{a: float64, b: int64, s: string}}) | batch(8192)', runtime=runtime)
    before = bytes_read()
    found = list(read)
    used = size["a"] + size["b"] + size["s"]
    assert used <= bytes_read() - before < 1.01 * used
    for name, column in wanted.items():
        assert np.array_equal(np.concatenate([batch[name] for batch in found]), column)
    assert [text for batch in found for text in batch["s"]] == [text.encode() for text in texts]
    # Times are read twice at once, as nanoseconds and as seconds.
    read = weir.parse(f'parquet("{path}", {{t: int64}}) | batch(8192)', runtime=runtime)
    before = bytes_read()
    assert np.array_equal(np.concatenate([batch["t"] for batch in read]), times)
    assert bytes_read() - before < 2.1 * size["t"]


class Far(http.server.BaseHTTPRequestHandler):
    """Serves the bytes `data` from far away, and notes in `asked` which are asked for."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        first, last = map(int, self.headers["Range"].removeprefix("bytes=").split("-"))
        last = min(last, len(self.data) - 1)
        self.asked.append((first, last))
        time.sleep(0.02)
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {first}-{last}/{len(self.data)}")
        self.send_header("Content-Length", str(last + 1 - first))
        self.send_header("ETag", '"1"')
        self.end_headers()
        self.wfile.write(self.data[first : last + 1])

    def log_message(self, *_):
        pass


def test_chunks_of_a_far_file_are_read_as_a_whole(runtime, tmp_path):
    if not (EXTENSIONS / "libweir-remote.so").exists():
        pytest.skip("without weir-remote")
    path = tmp_path / "far.parquet"
    wanted = np.random.default_rng(5).normal(size=(3, 1_000_000))
    table = pyarrow.table({f"c{i}": column for i, column in enumerate(wanted)})
    parquet.write_table(table, path, use_dictionary=False, compression="NONE")
    handler = type("Handler", (Far,), {"data": path.read_bytes(), "asked": []})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        name = f"http://127.0.0.1:{server.server_address[1]}/far.parquet"
        read = weir.parse(
            f'parquet("{name}", {{c0: float64, c1: float64, c2: float64}}) | batch(8192)', runtime=runtime
        )
        found = list(read)
        server.shutdown()
    for i, column in enumerate(wanted):
        assert np.array_equal(np.concatenate([batch[f"c{i}"] for batch in found]), column)
    # After the first piece a column takes one read of up to four requests, where pieces take one each.
    assert sum(last - first > 1 << 19 for first, last in handler.asked) <= 16


@pytest.mark.parametrize("codec", ["NONE", "ZSTD"])
@pytest.mark.parametrize("page", [1 << 16, 1 << 20])
def test_memory(runtime, tmp_path, page, codec):
    """At most two row groups of the used columns are in memory, and 8 MiB of what is read ahead."""
    path = tmp_path / "large.parquet"
    options = {"use_dictionary": False, "data_page_size": page, "write_page_index": page < 1 << 20}
    parquet.write_table(large_groups(6), path, row_group_size=LARGE_ROWS, compression=codec, **options)
    group = parquet.read_metadata(path).row_group(0)
    used = sum(group.column(i).total_uncompressed_size for i in range(2))
    read = weir.parse(f'parquet("{path}", {{a: float64, s: string}}) | batch(8192)', runtime=runtime)
    assert most_memory(read) <= 2 * used + (8 << 20)


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_checksums_of_pages(runtime, tmp_path, version):
    path = tmp_path / "p"
    options = {"use_dictionary": False, "compression": "none", "data_page_version": version, "data_page_size": 800}
    table = pyarrow.table({"n": pyarrow.array(range(1000), pyarrow.int64())})
    parquet.write_table(table, path, write_page_checksum=True, write_batch_size=100, **options)
    read = weir.parse(f'parquet("{path}") | map(row -> row.n)', runtime=runtime)
    assert [int(n) for n in read] == list(range(1000))
    damaged = bytearray(path.read_bytes())
    damaged[damaged.index((550).to_bytes(8, "little"))] ^= 1
    path.write_bytes(damaged)
    iterator, found = iter(read), []
    with pytest.raises(weir.errors.DataLoss, match="(?i)checksum.*p, record"):
        while True:
            found.append(int(next(iterator)))
    assert found == list(range(len(found))) and 400 < len(found) <= 550


def test_a_read_costs_its_rows_and_not_all_row_groups(tmp_path, runtime):
    path, count = tmp_path / "groups.parquet", 12_000
    parquet.write_table(pyarrow.table({"a": np.arange(count) * 3}), path, row_group_size=1)
    began = time.monotonic()
    found = list(weir.parse(f'parquet("{path}") | global_shuffle(seed: 5) | map(x -> x.a)', runtime=runtime))
    # Ten times as long as it takes.
    assert time.monotonic() - began < 5
    assert sorted(found) == list(range(0, 3 * count, 3)) != found


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_some_columns_of_a_table_of_many(tmp_path, runtime, kind):
    path, count = tmp_path / "wide", 5000
    table = pyarrow.table({f"k{i}": [i, i + 2, i * 3] for i in range(count)})
    if kind == "parquet":
        parquet.write_table(table, path)
    else:
        with pyarrow.ipc.new_file(path, table.schema) as file:
            file.write_table(table)
    read = weir.parse(f'{kind}("{path}", {{k4999: int64, k7: int64}}, where: x -> x.k7 > 7)', runtime=runtime)
    begun = read.iterator()
    assert next(begun) == {"k4999": 5001, "k7": 9}
    last = {"k4999": 14997, "k7": 21}
    restored = read.iterator()
    restored.load_state_dict(begun.state_dict())
    assert list(begun) == list(restored) == [last]
    assert weir.parse(f'{kind}("{path}", {{k4999: int64, k7: int64}})', runtime=runtime).at(2) == last
    said = 'at most 4096 parts, and the table has 5000 columns in ".*wide"; say which columns to read by `fields`'
    with pytest.raises(weir.errors.InvalidArgument, match=said):
        weir.parse(f'{kind}("{path}")', runtime=runtime)
    with pytest.raises(weir.errors.InvalidArgument, match="has 5000 columns, and an element at most 4096 parts"):
        weir.from_arrow(table)


WITHOUT_MEMORY = """
import resource, sys, weir
rows = weir.parse(f'parquet("{sys.argv[1]}") | batch(50000)').iterator()
next(rows)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[2]), -1))
count = 50000
try:
    for row in rows:
        assert int(row["a"][1]) == 3 * count + 3
        count += 50000
    assert count == 400000
except (MemoryError, weir.errors.ResourceExhausted):
    pass
"""


@pytest.mark.skipif(sanitizer_bytes() is not None, reason="a sanitizer takes addresses as it likes")
def test_a_process_without_memory_goes_on(tmp_path):
    path, draw = tmp_path / "a.parquet", random.Random(2)
    numbers = np.arange(400000) * 3
    table = pyarrow.table({"a": numbers, "s": [draw.randbytes(9).hex() for _ in numbers]})
    parquet.write_table(table, path, compression="zstd", row_group_size=100000)
    for left in range(0, 4 << 20, 200 << 10):
        command = [sys.executable, "-c", WITHOUT_MEMORY, str(path), str(left)]
        environment = {**os.environ, "WEIR_EXTENSIONS": str(EXTENSIONS)}
        done = subprocess.run(command, env=environment, stderr=subprocess.PIPE, check=False)
        assert done.returncode == 0, (left, done.stderr)
