#!/usr/bin/env python3
"""Measures sources of files against their usual readers, on one processor: parquet, arrow, array_record, hdf5, jsonl,
lmdb, webdataset, npy and tokens.

    bench/tables.py [--rounds N] [--rows N] [--extensions FOLDER]

Needs the package weir, the extension weir-parquet, pyarrow and fastparquet, which finds the bytes of pages; the rows of HF
datasets need datasets, those of ArrayRecord, HDF5 (h5py), LMDB and webdataset these packages. Each side gives batches of
8,192 rows as NumPy arrays, of JSON lines Arrow batches, of windows batches of 64, and of ArrayRecord, LMDB and tar archives
the bytes of each record, value or member. A ratio is the processor time of the peer over that of weir, all threads counted,
in turns. The row of bytes counts what the process reads (/proc/self/io).
"""

import argparse
import io
import os
import pathlib
import statistics
import tarfile
import tempfile
import time

import numpy as np
import pyarrow
import pyarrow.ipc
import pyarrow.parquet

import weir

ROOT = pathlib.Path(__file__).resolve().parent.parent
BATCH = 8192


def seconds(work):
    began = time.process_time()
    rows = work()
    return time.process_time() - began, rows


def compare(what, rounds, rows, ours, peers):
    for name, peer in peers.items():
        ratios = []
        for round in range(rounds + 1):
            (mine, found), (theirs, others) = seconds(ours), seconds(peer)
            assert found == others == rows, f"{rows} rows are expected, found {found} and {others}"
            if round > 0:
                ratios.append(theirs / mine)
        bounds = f"{min(ratios):.2f} to {max(ratios):.2f}"
        print(f"{what}, over {name}: {statistics.median(ratios):.2f} ({bounds}, {rounds} rounds)", flush=True)


def of_weir(runtime, source):
    dataset = weir.parse(f"{source} | batch({BATCH})", runtime=runtime)
    return lambda: sum(len(next(iter(batch.values()))) for batch in dataset)


def of_pyarrow(batches):
    def work():
        rows = 0
        for batch in batches():
            arrays = [column.to_numpy(zero_copy_only=False) for column in batch.columns]
            rows += len(arrays[0])
        return rows

    return work


def of_datasets(path):
    import datasets

    streamed = datasets.load_dataset("parquet", data_files=str(path), split="train", streaming=True)
    streamed = streamed.with_format("numpy")
    return lambda: sum(len(next(iter(batch.values()))) for batch in streamed.iter(BATCH))


def tables(count):
    numbers = np.random.default_rng(1)
    words = np.array([f"word{i}" * (1 + i % 3) for i in range(1000)])
    numeric = {f"f{i}": numbers.normal(size=count).astype("float32") for i in range(4)}
    numeric.update({f"i{i}": numbers.integers(0, 2**40, count) for i in range(4)})
    few = words[numbers.integers(0, 1000, count)]
    texts = {"few": few, "many": [f"{word} {i}" for i, word in enumerate(few)]}
    return {"numbers": pyarrow.table(numeric), "texts": pyarrow.table(texts)}


def measure_rates(folder, runtime, rounds, count):
    for name, table in tables(count).items():
        path = folder / f"{name}.parquet"
        pyarrow.parquet.write_table(table, path)
        file = lambda path=path: pyarrow.parquet.ParquetFile(path).iter_batches(BATCH, use_threads=False)  # noqa: E731
        peers = {"pyarrow's iter_batches": of_pyarrow(file)}
        try:
            peers["HF datasets, streaming"] = of_datasets(path)
        except ImportError:
            print("datasets is not installed")
        compare(f"Parquet, {name}", rounds, count, of_weir(runtime, f'parquet("{path}")'), peers)
        path = folder / f"{name}.arrow"
        with pyarrow.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table, BATCH)

        def batches(path=path):
            reader = pyarrow.ipc.open_file(path)
            return (reader.get_batch(i) for i in range(reader.num_record_batches))

        peers = {"pyarrow.ipc": of_pyarrow(batches)}
        compare(f"Arrow, {name}", rounds, count, of_weir(runtime, f'arrow("{path}")'), peers)


def measure_lmdb(folder, runtime, rounds):
    try:
        import lmdb
    except ImportError:
        print("lmdb is not installed")
        return
    for size, count in ((1000, 200_000), (100_000, 4000)):
        environment = lmdb.open(str(folder / f"values-{size}"), map_size=1 << 30)
        with environment.begin(write=True) as transaction:
            for i in range(count):
                transaction.put(b"%08d" % i, os.urandom(size))

        def of_cursor(environment=environment):
            with environment.begin() as transaction:
                return sum(1 for _ in transaction.cursor().iternext(keys=False))

        dataset = weir.parse(f'lmdb("{folder}/values-{size}/data.mdb") | map(e -> e.value)', runtime=runtime)
        ours = lambda dataset=dataset: sum(1 for _ in dataset)  # noqa: E731
        compare(f"LMDB, values of {size} bytes", rounds, count, ours, {"py-lmdb's cursor": of_cursor})


def measure_array_record(folder, runtime, rounds):
    try:
        from array_record.python import array_record_module
    except ImportError:
        print("array_record is not installed")
        return
    for options, size, count in (
        ("group_size:1,uncompressed", 1000, 200_000),
        ("group_size:1", 1000, 200_000),
        ("group_size:1,uncompressed", 100_000, 4000),
        ("group_size:512", 1000, 200_000),
    ):
        path = str(folder / "records")
        writer = array_record_module.ArrayRecordWriter(path, options)
        for _ in range(count):
            writer.write(os.urandom(size // 2) + bytes(size - size // 2))
        writer.close()

        def of_reader(count=count):
            # It has no iterator; blocks of so many are read at once, by threads of its own.
            reader = array_record_module.ArrayRecordReader(path)
            return sum(len(reader.read(i, min(i + BATCH, count))) for i in range(0, count, BATCH))

        dataset = weir.parse(f'array_record("{path}")', runtime=runtime)
        ours = lambda dataset=dataset: sum(1 for _ in dataset)  # noqa: E731
        peers = {"array_record's reader": of_reader}
        compare(f"ArrayRecord, {options}, records of {size} bytes", rounds, count, ours, peers)


def write_tar(path, size, count):
    with tarfile.open(path, "w") as archive:
        for i in range(count):
            member = tarfile.TarInfo(f"{i:06}.bin")
            member.size = size
            archive.addfile(member, io.BytesIO(os.urandom(size)))


def measure_tar(folder, runtime, rounds):
    for size, count in ((100_000, 4000), (1000, 100_000)):
        path = str(folder / f"members-{size}.tar")
        write_tar(path, size, count)

        def of_pread(path=path, count=count):
            # The bytes only, into memory that is used again.
            piece = bytearray(1 << 18)
            with open(path, "rb", buffering=0) as file:
                while file.readinto(piece):
                    pass
            return count

        peers = {"reads of the file": of_pread}
        try:
            import webdataset

            peers["webdataset"] = lambda path=path: sum(1 for _ in webdataset.WebDataset(path, shardshuffle=False))
        except ImportError:
            print("webdataset is not installed")
        dataset = weir.parse(f'webdataset("{path}", {{bin: string}}) | batch(64)', runtime=runtime)
        ours = lambda dataset=dataset: sum(len(batch["bin"]) for batch in dataset)  # noqa: E731
        compare(f"tar, members of {size} bytes", rounds, count, ours, peers)


def measure_windows(folder, runtime, rounds):
    """Windows at random of 4 GiB, as batches of 64."""
    path, rows = folder / "rows.npy", 1 << 20
    mapped = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(rows, 1024))
    for begin in range(0, rows, 1 << 14):
        mapped[begin : begin + (1 << 14)] = np.arange(begin, begin + (1 << 14), dtype=np.float32)[:, None]
    mapped.flush()
    count = 64 * 2000
    for what, source, shape in (
        ("rows of 1,024 float32", f'npy("{path}")', (rows, 1024)),
        ("tokens in windows of 4,096", f'tokens("{path}", 4096, uint16)', (rows // 2, 4096)),
    ):
        dtype = np.float32 if shape[0] == rows else np.uint16
        entries = np.memmap(path, dtype=dtype, mode="r", offset=128, shape=shape)

        def of_memmap(entries=entries, draw=np.random.default_rng(1)):
            for _ in range(count // 64):
                np.stack([entries[i] for i in draw.integers(0, len(entries), 64)])
            return count

        text = f"{source} | global_shuffle(seed: 1) | repeat() | batch(64) | take({count // 64})"
        slices = weir.parse("from_tensor_slices(@mapped)" + text[text.index(" | ") :], runtime=runtime, mapped=entries)
        for how, dataset in (("read", weir.parse(text, runtime=runtime)), ("mapped by the caller", slices)):
            ours = lambda dataset=dataset: sum(len(batch) for batch in dataset)  # noqa: E731
            compare(f"windows at random, {what}, {how}", rounds, count, ours, {"NumPy's memmap": of_memmap})


def measure_hdf5(folder, runtime, rounds):
    try:
        import h5py
    except ImportError:
        print("h5py is not installed")
        return
    draw = np.random.default_rng(4)
    for name, values, chunk in (
        ("8 floats a row", draw.normal(size=(1_000_000, 8)).astype("float32"), BATCH),
        ("28 × 28 bytes a row", draw.integers(0, 16, (60_000, 28, 28), dtype="uint8"), 256),
    ):
        for kind, stored in (("gzip", {"chunks": (chunk, *values.shape[1:]), "compression": "gzip"}), ("contiguous", {})):
            path = str(folder / "datasets.h5")
            with h5py.File(path, "w") as file:
                file.create_dataset("x", data=values, **stored)

            def of_h5py(count=len(values)):
                with h5py.File(path) as file:
                    return sum(len(file["x"][i : i + BATCH]) for i in range(0, count, BATCH))

            ours = of_weir(runtime, f'hdf5("{path}")')
            compare(f"HDF5, {name}, {kind}", rounds, len(values), ours, {"h5py": of_h5py})


def measure_json(folder, runtime, rounds, count):
    import json

    import pyarrow.json

    draw = np.random.default_rng(2)
    path = folder / "objects.jsonl"
    with open(path, "w") as file:
        for i in range(count):
            words = " ".join(f"word{k}" for k in draw.integers(0, 10_000, draw.integers(4, 20)))
            row = {"id": i, "name": f"user {i * 7919 % 10**6}", "score": round(draw.random(), 6), "kind": "train"}
            row |= {"on": i % 3 == 0, "x": draw.normal(), "y": draw.normal(), "row": i % 1000, "column": i % 77}
            row |= {"size": int(draw.integers(10**9)), "url": f"https://example.org/{i}.png", "text": words}
            file.write(json.dumps(row) + "\n")
    kinds = {"id": "int64", "name": "string", "score": "float64", "kind": "string", "on": "bool", "x": "float64"}
    kinds |= {"y": "float64", "row": "int64", "column": "int64", "size": "int64", "url": "string", "text": "string"}
    schema = pyarrow.schema([(name, getattr(pyarrow, kind + "_" * (kind == "bool"))()) for name, kind in kinds.items()])
    parse = pyarrow.json.ParseOptions(explicit_schema=schema)
    read = pyarrow.json.ReadOptions(use_threads=False)
    of_arrow = lambda: pyarrow.json.read_json(path, read, parse).num_rows  # noqa: E731

    def of_json():
        with open(path, "rb") as file:
            return sum(1 for _ in map(json.loads, file))

    fields = ", ".join(f"{name}: {kind}" for name, kind in kinds.items())
    dataset = weir.parse(f'jsonl("{path}", {{{fields}}})', runtime=runtime)
    ours = lambda: sum(batch.num_rows for batch in pyarrow.RecordBatchReader.from_stream(dataset))  # noqa: E731
    took = min(seconds(ours)[0] for _ in range(rounds))
    size = path.stat().st_size
    print(f"JSON lines of 12 fields, {size // count} bytes each: {size / took / 1e9:.2f} GB/s")
    compare("JSON lines of 12 fields", rounds, count, ours, {"pyarrow.json": of_arrow, "json.loads": of_json})


def bytes_read():
    with open("/proc/self/io") as file:
        return int(file.readline().split()[1])


def pages_of(path, columns, first, last):
    """The bytes of the pages of some columns that have a row of [first, last), with their dictionaries."""
    import fastparquet
    from fastparquet.cencoding import from_buffer

    size = 0
    with open(path, "rb") as file:
        begin = 0
        for group in fastparquet.ParquetFile(path).fmd.row_groups:
            end = begin + group.num_rows
            for chunk in group.columns:
                if chunk.meta_data.path_in_schema[0] not in columns or end <= first or begin >= last:
                    continue
                file.seek(chunk.offset_index_offset)
                index = from_buffer(file.read(chunk.offset_index_length), "OffsetIndex")
                pages = index.page_locations
                begins = [begin + page.first_row_index for page in pages] + [end]
                for i, page in enumerate(pages):
                    if begins[i] < last and begins[i + 1] > first:
                        size += page.compressed_page_size
            begin = end
    return size


def measure_bytes(folder, runtime):
    count = 400_000
    numbers = np.random.default_rng(2)
    columns = {f"c{i}": numbers.normal(size=count).astype("float32") for i in range(99)}
    path = folder / "wide.parquet"
    table = pyarrow.table({"day": np.arange(count, dtype="int64") // 100, **columns})
    pyarrow.parquet.write_table(
        table,
        path,
        row_group_size=count // 2,
        use_dictionary=False,
        write_page_index=True,
        compression="NONE",
    )
    before = bytes_read()
    wanted = "{c7: float32, c70: float32}, where: {day} -> day >= 1000 and day < 1040"
    dataset = weir.parse(f'parquet("{path}", {wanted})', runtime=runtime)
    opened = bytes_read()
    found = sum(1 for _ in dataset)
    assert found == count // 100, found
    read, needed = bytes_read() - opened, pages_of(path, {"day", "c7", "c70"}, 100_000, 104_000)
    with open(path, "rb") as file:
        file.seek(-8, os.SEEK_END)
        footer = 8 + int.from_bytes(file.read(4), "little")
    print(f"Parquet, 3 of 100 columns, where keeps 1 %: the pages have {needed} bytes, the footer {footer}")
    ratio = (read - footer) / needed
    print(f"  read when it is built: {opened - before}; then {read}; without a footer {ratio:.3f} of the pages", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--extensions", default=ROOT / "build/release/extensions")
    options = parser.parse_args()
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    pyarrow.set_cpu_count(1)
    runtime = weir.Runtime(threads=1, extensions=[str(options.extensions)])
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HF_HOME"] = folder
        measure_bytes(pathlib.Path(folder), runtime)
        measure_json(pathlib.Path(folder), runtime, options.rounds, options.rows // 5)
        measure_tar(pathlib.Path(folder), runtime, options.rounds)
        measure_windows(pathlib.Path(folder), runtime, options.rounds)
        measure_array_record(pathlib.Path(folder), runtime, options.rounds)
        measure_hdf5(pathlib.Path(folder), runtime, options.rounds)
        measure_lmdb(pathlib.Path(folder), runtime, options.rounds)
        measure_rates(pathlib.Path(folder), runtime, options.rounds, options.rows)


if __name__ == "__main__":
    main()
