"""What array_record(files) reads from files of array_record's own writer."""

import random
import re

import pytest
import riegeli
from tables import bytes_read, needs_parquet

import weir

module = pytest.importorskip("array_record.python.array_record_module")
pytestmark = needs_parquet

BLOCK = riegeli.BLOCK
LIES = [0, 1, 2, 63, 65_535, 1 << 20, (1 << 31) - 1, 1 << 32, (1 << 56) - 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]


def write(path, records, options):
    writer = module.ArrayRecordWriter(str(path), options)
    for record in records:
        writer.write(record)
    writer.close()
    return f'array_record("{path}")'


def compressible(draw, size):
    return draw.randbytes(size // 8) + bytes(size - size // 8)


RECORDS = {
    "none": lambda draw: [],
    "one": lambda draw: [b"a"],
    "empty ones": lambda draw: [b"", b"x", b"", b"", b"y"],
    "small": lambda draw: [b"%d" % i + b"v" * draw.randrange(90) for i in range(5003)],
    "at the edges of blocks": lambda draw: [draw.randbytes(n) for n in range(BLOCK - 130, BLOCK - 20)],
    "several blocks": lambda draw: [compressible(draw, draw.choice([0, 100, 300_000])) for _ in range(60)],
}
OPTIONS = ["group_size:1", "group_size:1,uncompressed", "group_size:7,brotli:4", "group_size:100,snappy", "default"]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("kind", RECORDS)
def test_all_records_in_order_and_by_position(runtime, tmp_path, kind, options):
    draw = random.Random(kind)
    records = RECORDS[kind](draw)
    text = write(tmp_path / "a", records, options)
    assert list(weir.parse(text, runtime=runtime)) == records
    dataset = weir.parse(text, runtime=runtime)
    assert dataset.cardinality() == len(records)
    assert len(list(weir.parse(f"{text} | map(x -> 1)", runtime=runtime))) == len(records)
    if not records:
        return
    for i in {0, len(records) // 2, len(records) - 1}:
        assert dataset[i] == records[i]
    shuffled = list(weir.parse(f"{text} | global_shuffle(seed: 1)", runtime=runtime))
    assert sorted(shuffled) == sorted(records)
    middle = len(records) // 3
    rest = weir.parse(f"{text} | skip({middle}) | take(40)", runtime=runtime)
    assert list(rest) == records[middle : middle + 40]


def test_files_in_turns_and_continuing(runtime, tmp_path):
    draw = random.Random(5)
    files = {name: [b"%s %d" % (name.encode(), i) for i in range(draw.randrange(200, 3000))] for name in "abc"}
    for name, records in files.items():
        write(tmp_path / name, records, "group_size:10")
    names = ", ".join(f'"{tmp_path / name}"' for name in files)
    text = f"array_record([{names}]) | shuffle(100, seed: 3) | batch(7)"
    whole = [list(batch) for batch in weir.parse(text, runtime=runtime)]
    assert sorted(sum(whole, [])) == sorted(sum(files.values(), []))
    iterator = iter(weir.parse(text, runtime=runtime))
    begin = [list(next(iterator)) for _ in range(100)]
    position = iterator.save()
    assert begin == whole[:100]
    again = weir.parse(text, runtime=runtime).iterator(checkpoint=position)
    assert [list(batch) for batch in again] == whole[100:]
    in_turns = list(weir.parse(f"array_record([{names}], num_parallel_reads: 3)", runtime=runtime))
    assert in_turns[:6] == [b"a 0", b"b 0", b"c 0", b"a 1", b"b 1", b"c 1"]
    assert sorted(in_turns) == sorted(sum(files.values(), []))
    parts = weir.parse(f"array_record([{names}]) | partition(4, p -> p | batch(9))", runtime=runtime)
    assert sorted(x for batch in parts for x in batch) == sorted(sum(files.values(), []))


def test_by_position_no_more_is_read(runtime, tmp_path):
    records = [random.Random(i).randbytes(3000) for i in range(2000)]
    text = write(tmp_path / "a", records, "group_size:1,uncompressed")
    whole = (tmp_path / "a").stat().st_size
    dataset = weir.parse(f"{text} | global_shuffle(seed: 1) | take(100)", runtime=runtime)
    before = bytes_read()
    assert set(dataset) < set(records)
    # The records, and what opening the file reads.
    assert bytes_read() - before < 100 * 3100 + whole - sum(map(len, records))


@pytest.mark.parametrize("options", ["group_size:3,uncompressed", "group_size:3"])
def test_no_changed_byte_changes_a_record(runtime, tmp_path, options):
    """Errors name the file. A header of a block, and padding, are not read."""
    records = [b"record %d" % i * 3 for i in range(10)]
    write(tmp_path / "whole", records, options)
    whole = (tmp_path / "whole").read_bytes()
    end = len(whole) - BLOCK
    tried = [i for i in [*range(end), *range(end, end + 200)] if whole[i] or i % 97 == 0]
    path, text = tmp_path / "damaged", f'array_record("{tmp_path / "damaged"}")'
    unseen = 0
    for at in tried:
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x21]) + whole[at + 1 :])
        found, errors = read_all(runtime, text)
        assert found == records[: len(found)]
        assert (found == records) == (not errors)
        assert all("damaged" in str(error) for error in errors), errors
        unseen += not errors and whole[at] != 0
    # The signature, the headers of blocks and those of chunks of padding are not read.
    assert unseen <= 64 + 24 * (len(whole) // BLOCK) + 40
    for size in [*range(0, 400), *range(end - 5, end + 300, 7), len(whole) - 1]:
        path.write_bytes(whole[:size])
        with pytest.raises(weir.Error, match=re.escape(str(path))):
            list(weir.parse(text, runtime=runtime))


def forged(draw, chance):
    """A file with the right checksums, in which each number is another one with this chance, and its records."""

    def lie(number):
        return draw.choice(LIES) if draw.random() < chance else number

    file = riegeli.File()
    records = [draw.randbytes(draw.randrange(40)) for _ in range(draw.randrange(1, 9))]
    group = draw.choice([1, 2, 5])
    listed = []
    for i in range(0, len(records), group):
        chunk = records[i : i + group]
        data = bytearray(riegeli.simple(chunk))
        if draw.random() < chance:
            data[draw.randrange(min(len(data), 4))] = draw.choice(b"\0zbs\x7f\xff")
        size = lie(len(data)) if draw.random() < chance else None
        at = file.chunk(b"r", lie(len(chunk)), lie(sum(map(len, chunk))), bytes(data), size)
        listed.append(riegeli.message((1, lie(at)), (2, 0), (3, lie(len(chunk)))))
    about = riegeli.message((1, lie(1)), (2, lie(len(listed))), (3, lie(len(records))))
    footer = [riegeli.message((1, about)), *listed]
    at = file.chunk(b"r", lie(len(footer)), lie(sum(map(len, footer))), riegeli.simple(footer))
    file.pad()
    postscript = [riegeli.message((1, lie(at)), (2, 0x71930E704FDAE05E))]
    file.chunk(b"r", 1, len(postscript[0]), riegeli.simple(postscript))
    file.pad()
    return bytes(file.bytes), records


def read_all(runtime, text):
    found, errors = [], []
    try:
        iterator = iter(weir.parse(text, runtime=runtime))
    except weir.Error as error:
        return [], [error]
    while len(found) + len(errors) < 1000:
        try:
            found.append(next(iterator))
        except StopIteration:
            break
        except weir.Error as error:
            errors.append(error)
    return found, errors


@pytest.mark.parametrize("chance", [0, 0.02, 0.2])
def test_numbers_that_lie_are_errors(runtime, tmp_path, chance):
    path = tmp_path / "forged"
    failed = 0
    for seed in range(150):
        content, records = forged(random.Random(seed), chance)
        path.write_bytes(content)
        for rest in ("", " | global_shuffle(seed: 1)"):
            found, errors = read_all(runtime, f'array_record("{path}"){rest}')
            assert len(found) + len(errors) <= max(len(records), 1), seed
            assert all(isinstance(error, weir.errors.DataLoss | weir.errors.Unimplemented) for error in errors), errors
            assert chance or sorted(found) == sorted(records)
            failed += bool(errors)
    assert (failed > 0) == (chance > 0)


def test_a_damaged_chunk_loses_its_own_records_only(runtime, tmp_path):
    records = [b"record %04d" % i for i in range(900)]
    text = write(tmp_path / "a", records, "group_size:10,uncompressed")
    content = (tmp_path / "a").read_bytes()
    at = content.index(b"0427")
    (tmp_path / "a").write_bytes(content[:at] + b"9" + content[at + 1 :])
    found, errors = read_all(runtime, f"{text} | global_shuffle(seed: 1)")
    assert len(errors) == 10
    assert sorted(found) == [record for i, record in enumerate(records) if i // 10 != 42]
    assert all("chunk 42, at byte" in str(error) and "checksum" in str(error) for error in errors)


def test_what_cannot_be_read(runtime, tmp_path):
    text = write(tmp_path / "t", [b"a", b"b"], "group_size:2,transpose")
    with pytest.raises(weir.Error, match="transposed.*transpose:false"):
        list(weir.parse(text, runtime=runtime))
    other = riegeli.File()
    other.pad()
    other.chunk(b"r", 1, 1, riegeli.simple([b"x"]))
    other.pad()
    (tmp_path / "other").write_bytes(other.bytes)
    with pytest.raises(weir.errors.DataLoss, match="another Riegeli file"):
        list(weir.parse(f'array_record("{tmp_path / "other"}")', runtime=runtime))
    (tmp_path / "text").write_text("hello\n" * 20_000)
    with pytest.raises(weir.Error, match="is no whole ArrayRecord file"):
        list(weir.parse(f'array_record("{tmp_path / "text"}")', runtime=runtime))
