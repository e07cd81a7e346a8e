"""Datasets of Hugging Face in weir, and back."""

import datetime
import decimal
import itertools
import os
import subprocess
import sys

import datasets
import numpy as np
import PIL.Image
import pytest
import torch

import weir


@pytest.fixture
def rows(tmp_path):
    made = datasets.Dataset.from_dict(
        {
            "text": [f"row {i}" for i in range(40)],
            "x": np.arange(320, dtype=np.float32).reshape(40, 8),
            "label": list(range(40)),
            "tokens": [list(range(i % 3)) for i in range(40)],
            "meta": [{"id": i, "on": i % 2 == 0} for i in range(40)],
        }
    )
    made.save_to_disk(tmp_path / "rows", max_shard_size="2KB")  # several pieces of each column
    return datasets.load_from_disk(tmp_path / "rows")


def test_rows_and_positions(rows):
    made = weir.from_huggingface(rows)
    assert str(made.spec) == (
        "{text: string, x: float32[8], label: int64, tokens: int64[?], meta: {id: int64, on: bool}}"
    )
    assert len(made) == 40 and int(made[17]["meta"]["id"]) == 17 and made[17]["text"] == b"row 17"
    for found, expected in zip(made, rows.with_format("numpy"), strict=True):
        assert found["text"] == expected["text"].encode() and found["label"] == expected["label"]
        np.testing.assert_array_equal(found["x"], expected["x"])
        np.testing.assert_array_equal(found["tokens"], expected["tokens"])
        assert found["meta"]["on"] == expected["meta"]["on"]
    shuffled = [int(row["label"]) for row in made.global_shuffle(seed=1)]
    assert shuffled != list(range(40)) and sorted(shuffled) == list(range(40))
    assert [int(row["label"]) for row in made.skip(38)] == [38, 39]


def test_an_order_is_kept(rows):
    chosen = rows.shuffle(seed=3).select(range(10))
    for one in (chosen, chosen.remove_columns("tokens")):
        made = weir.from_huggingface(one)
        assert [int(row["label"]) for row in made] == one["label"][:]
        assert [row["text"].decode() for row in made] == one["text"][:] and int(made[4]["meta"]["id"]) == one[4][
            "label"
        ]


DAYS = [datetime.date(2020, 1, 1 + i) for i in range(5)]
TIMES = [datetime.time(1, 2, i) for i in range(5)]
MOMENTS = [datetime.datetime(2020, 1, 1, i, tzinfo=datetime.timezone.utc) for i in range(5)]
PRICES = [decimal.Decimal("1.25") + i for i in range(5)]
BYTES = [b"a", b"\xff" * 30, b"", b"d", b"e"]
COLUMNS = {
    "date32": DAYS,
    "date64": DAYS,
    "time32[ms]": TIMES,
    "time64[us]": TIMES,
    "duration[s]": [datetime.timedelta(seconds=i) for i in range(5)],
    "timestamp[s]": MOMENTS,
    "timestamp[us, tz=UTC]": MOMENTS,
    "decimal128(10, 2)": PRICES,
    "string_view": ["a", "b" * 30, "", "d", "e"],
    "binary_view": BYTES,
    "large_binary": BYTES,
    "float16": [0.5, 1.5, 2.5, 3.5, 4.5],
    "bool": [True, False, False, True, True],
}


def described(rows):
    made = weir.from_huggingface(rows)
    assert [repr(row) for row in made] == [repr(made[i]) for i in range(len(made))]
    return str(made.spec), [repr(row) for row in made]


@pytest.mark.parametrize("form", ["plain", "list", "fixed", "ragged", "struct"])
@pytest.mark.parametrize("name", COLUMNS)
def test_an_order_changes_no_value(name, form):
    kind, values = datasets.Value(name), COLUMNS[name]
    features = {
        "plain": kind,
        "list": datasets.List(kind),
        "fixed": datasets.List(kind, length=2),
        "ragged": datasets.List(kind),
        "struct": {"q": kind},
    }
    made = {
        "plain": values,
        "list": [[one, one] for one in values],
        "fixed": [[one, values[0]] for one in values],
        "ragged": [values[:i] for i in range(1, 6)],
        "struct": [{"q": one} for one in values],
    }
    columns = datasets.Features({"c": features[form], "number": datasets.Value("int16"), "none": datasets.List(kind)})
    rows = datasets.Dataset.from_dict({"c": made[form], "number": range(5), "none": [[]] * 5}, features=columns)
    spec, expected = described(rows)
    order = [3, 0, 4, 1, 2]
    assert described(rows.select(order)) == (spec, [expected[at] for at in order])
    assert described(datasets.concatenate_datasets([rows.select([3, 0]), rows.select([4, 1, 2])])) == (
        spec,
        [expected[at] for at in order],
    )
    only = rows.select_columns("c")
    assert described(only.select([4, 3, 2, 1, 0])) == (described(only)[0], described(only)[1][::-1])


def test_numbers_in_one_piece_are_not_copied():
    column = np.arange(100_000, dtype=np.int64)
    rows = datasets.Dataset.from_dict({"x": column}).with_format("numpy")
    table = rows.data.table.combine_chunks()
    whole = datasets.Dataset(table)
    address = whole.data.table.column("x").chunk(0).buffers()[1].address
    block = next(iter(weir.from_huggingface(whole).batch(100_000)))["x"]
    assert block[0] == 0 and len(block) == 100_000
    tensor = weir._intake.to_tensor(weir.huggingface._gathered(whole.data.table.column("x")))
    assert tensor.address == address


def test_what_has_no_tensor():
    rows = datasets.Dataset.from_dict({"a": [1, None]})
    for one in (rows, rows.select([1, 0])):
        with pytest.raises(weir.errors.InvalidArgument, match="the column a has 1 missing values"):
            weir.from_huggingface(one)


def test_what_is_no_dataset_of_rows():
    rows = datasets.Dataset.from_dict({"label": [3, 4]})
    with pytest.raises(TypeError, match=r'found DatasetDict; choose a split, such as ds\["train"\]'):
        weir.from_huggingface(datasets.DatasetDict({"train": rows}))
    with pytest.raises(TypeError, match=r"found IterableDataset; load it without streaming, or .* weir\.from_torch"):
        weir.from_huggingface(rows.to_iterable_dataset())
    assert labels(weir.from_torch(rows.to_iterable_dataset())) == [3, 4]


def test_lists_of_lists():
    rows = datasets.Dataset.from_dict({"a": [[[1], [2, 3]], [[4]]]})
    for one in (rows, rows.select([0, 1])):
        made = weir.from_huggingface(one)
        assert str(made.spec) == "{a: ragged<int64>[?, ?]}" and made[0]["a"].row_splits.tolist() == [0, 1, 3]


@pytest.mark.parametrize("lists", [[[[1, 2], [3]], [[4]]], [[[5, 6]], [[7, 8]]]])
def test_lists_of_lists_of_dicts_go_back(lists):
    nested = datasets.List(datasets.List({"a": datasets.Value("int64"), "b": datasets.Value("string")}))
    values = [[[{"a": x, "b": f"text {x}"} for x in inner] for inner in row] for row in lists]
    rows = datasets.Dataset.from_dict({"q": values}, features=datasets.Features({"q": nested}))
    assert list(weir.huggingface.dataset(weir.from_huggingface(rows), features=rows.features)) == list(rows)


def test_arrays_without_rows():
    features = datasets.Features(
        {
            "m": datasets.Array3D((2, 1, 3), "int16"),
            "n": datasets.Array2D((None, 3), "float32"),
            "s": datasets.Array2D((2, 1), "string"),
        }
    )
    values = {"m": [[[[1, 2, 3]], [[4, 5, 6]]]], "n": [[[1, 2, 3]]], "s": [[["a"], ["b"]]]}
    rows = datasets.Dataset.from_dict(values, features=features)
    for none in (rows.select([]), rows.filter(lambda row: False), rows.select([0]).select([])):
        made = weir.from_huggingface(none)
        assert str(made.spec) in (
            "{m: int16[2, 1, 3], n: float32[?, 3], s: string[2, 1]}",
            "{m: int16[2, 1, 3], n: float32[1, 3], s: string[2, 1]}",
        )
        assert list(made) == []


def test_files_are_bytes():
    features = datasets.Features({"image": datasets.Image()})
    rows = datasets.Dataset.from_dict({"image": [{"bytes": b"jpeg", "path": None}]}, features=features)
    assert [row["image"] for row in weir.from_huggingface(rows)] == [b"jpeg"]


def test_binary_columns_and_images_go_back():
    pixels = [np.arange(48, dtype=np.uint8).reshape(4, 4, 3) + i for i in range(3)]
    binary, text = datasets.Value("binary"), datasets.Value("string")
    values = {
        "image": [PIL.Image.fromarray(one) for one in pixels],
        "images": [[PIL.Image.fromarray(pixels[0])] * 2] * 3,
        "data": [b"text", b"\xff", b""],
        "many": [[b"text"], [b"\xff", b"x"], []],
        "pair": [[b"a", b"\xfc"]] * 3,
        "text": ["a", "\xe9", ""],
        "words": [["a"], ["\xe9", "b"], []],
        "dict": [{"data": b"text", "text": "x"}] * 3,
        "dicts": [[{"data": b"\xfe", "text": "z"}] * i for i in range(3)],
    }
    features = datasets.Features(
        {
            "image": datasets.Image(),
            "images": datasets.List(datasets.Image()),
            "data": binary,
            "many": datasets.List(datasets.Value("large_binary")),
            "pair": datasets.List(binary, length=2),
            "text": text,
            "words": datasets.List(text),
            "dict": {"data": binary, "text": text},
            "dicts": datasets.List({"data": binary, "text": text}),
        }
    )
    rows = datasets.Dataset.from_dict(values, features=features)
    made = weir.from_huggingface(rows)
    back = weir.huggingface.dataset(made, features=features)
    assert back.features == features
    for found, expected in zip(back, rows, strict=True):
        for name in ("image", "images"):
            np.testing.assert_array_equal(found.pop(name), expected.pop(name))
        assert found == expected
    # What is text does not depend on the data.
    named = rows.select_columns(["data", "text"])
    one = next(iter(weir.huggingface.dataset(weir.from_huggingface(named), features=named.features)))
    assert one == {"data": b"text", "text": "a"}
    plain = iter(weir.huggingface.dataset(weir.from_huggingface(named)))
    assert next(plain) == {"data": "text", "text": "a"}
    with pytest.raises(ValueError, match=r'text in the column data, found other bytes; pass features= with .*"binary"'):
        next(plain)
    with pytest.raises(ValueError, match=r"features of the columns \['data', 'text'\], found \['image'"):
        weir.huggingface.dataset(weir.from_huggingface(named), features=features)


@pytest.mark.parametrize("name", ["date32", "timestamp[ms]", "time32[s]", "decimal128(5, 2)"])
def test_features_that_are_numbers_in_weir(name):
    rows = weir.range(3).map(lambda x: {"x": x})
    for feature in (datasets.Value(name), datasets.List({"y": datasets.Value(name)})):
        with pytest.raises(ValueError, match=r'in the column x; give datasets\.Value\("int64"\)'):
            weir.huggingface.dataset(rows, features=datasets.Features({"x": feature}))


def test_back_with_its_state(rows):
    def made():
        chosen = weir.from_huggingface(rows.select_columns(["text", "label", "x"]))
        return weir.huggingface.dataset(chosen.shuffle(40, seed=2))

    stream = made()
    assert isinstance(stream, datasets.IterableDataset)
    whole = list(stream)
    assert isinstance(whole[0]["text"], str) and sorted(row["label"] for row in whole) == list(range(40))
    stream, seen = made(), []
    for number, row in enumerate(stream):
        seen.append(int(row["label"]))
        if number == 13:
            state = stream.state_dict()
            break
    assert seen == [int(row["label"]) for row in whole[:14]]
    resumed = made()
    resumed.load_state_dict(state)
    assert [int(row["label"]) for row in resumed] == [int(row["label"]) for row in whole[14:]]
    torch_rows = made().with_format("torch")
    loader = torch.utils.data.DataLoader(torch_rows, batch_size=8)
    assert sum(len(batch["label"]) for batch in loader) == 40
    with pytest.raises(TypeError, match="elements that are dicts"):
        weir.huggingface.dataset(weir.range(3))
    with pytest.raises(ValueError, match="at least 1 for num_shards, found 0"):
        weir.huggingface.dataset(weir.range(3).map(lambda x: {"x": x}), num_shards=0)


@pytest.mark.parametrize("mapped", [False, True])
@pytest.mark.parametrize("fails", ["in weir", "as text"])
def test_an_error_that_was_raised_does_not_come_again(fails, mapped):
    def made():
        if fails == "in weir":
            rows = weir.range(9).map(lambda x: {"label": x, "rest": 12 // ((x - 3) * (x - 4) * (x - 7))})
        else:
            words = np.array([b"\xff" if at in (3, 4, 7) else b"word" for at in range(9)], object)
            rows = weir.from_tensor_slices({"label": np.arange(9), "word": words})
        stream = weir.huggingface.dataset(rows)
        return stream.map(lambda row: row) if mapped else stream

    def outcomes(iterator, most=20):
        found = []
        while len(found) < most:
            try:
                found.append(int(next(iterator)["label"]))
            except StopIteration:
                break
            except (weir.Error, ValueError):
                found.append("error")
        return found

    whole = [0, 1, 2, "error", "error", 5, 6, "error", 8]
    for count in range(len(whole) + 1):
        seen, stream = [], made()
        # A loop ends with an error, and the next one resumes.
        for until in (count, len(whole)):
            while len(seen) < until:
                seen += outcomes(iter(stream), until - len(seen))
                state = stream.state_dict()
                stream = made()
                stream.load_state_dict(state)
            assert seen == whole[:until]
        assert outcomes(iter(stream)) == []


def labels(stream):
    return [int(row["label"]) for row in stream]


@pytest.mark.parametrize("shards", [1, 3])
def test_workers_share_the_rows(shards):
    stream = weir.huggingface.dataset(weir.range(12).map(lambda x: {"label": x}), num_shards=shards)
    loader = torch.utils.data.DataLoader(stream, batch_size=2, num_workers=2, multiprocessing_context="spawn")
    batches = [batch["label"].tolist() for batch in loader]
    assert sorted(itertools.chain(*batches)) == list(range(12))
    assert batches[:2] == ([[0, 1], [2, 3]] if shards == 1 else [[0, 2], [1, 3]])
    shares = (labels(stream.shard(shards, i)) for i in range(shards))
    assert sorted(itertools.chain(*shares)) == list(range(12))


def test_forked_workers_are_refused():
    stream = weir.huggingface.dataset(weir.from_tensor_slices({"label": np.arange(8)}), num_shards=2)
    loader = torch.utils.data.DataLoader(stream, num_workers=2, multiprocessing_context="fork")
    with pytest.raises(ValueError, match=r"this worker was forked.*dataloader_multiprocessing_context"):
        list(loader)


@pytest.mark.parametrize("shards", [1, 4])
def test_methods_of_streams(shards):
    def made(count):
        source = weir.range(count).map(lambda x: {"label": x}).shuffle(count, seed=2)
        return weir.huggingface.dataset(source, num_shards=shards)

    for _ in range(2):
        assert sorted(labels(made(12).shuffle(seed=1, buffer_size=5))) == list(range(12))
    both = labels(datasets.interleave_datasets([made(6), made(6)]))
    assert both[:-1:2] == both[1::2] and sorted(both[::2]) == list(range(6))
    joined = datasets.concatenate_datasets([made(6), made(6)])
    assert sorted(labels(joined.map(lambda row: {"label": row["label"]}))) == sorted([*range(6)] * 2)


def test_epochs():
    source = weir.range(12).map(lambda x: {"label": x}).shuffle(12, seed=2)
    expected = [labels(source) for _ in range(3)]
    assert expected[0] != expected[1]
    stream = weir.huggingface.dataset(source)
    assert [labels(stream), labels(stream)] == expected[:2]
    derived = weir.huggingface.dataset(source, num_shards=2).select_columns(["label"])
    for epoch in (2, 1):
        derived.set_epoch(epoch)
        assert labels(derived) == labels(derived) == expected[epoch]
    loader = torch.utils.data.DataLoader(derived, None, num_workers=2, multiprocessing_context="spawn")
    assert labels(loader) == expected[1]


def test_a_state_of_the_beginning_has_its_epoch():
    source = weir.range(12).map(lambda x: {"label": x}).shuffle(12, seed=2)
    expected = [labels(source) for _ in range(3)]
    for derived in (False, True):
        stream = weir.huggingface.dataset(source)
        stream = stream.map(lambda row: row) if derived else stream
        first = stream.state_dict()
        assert [labels(stream), labels(stream)] == expected[:2]
        stream.load_state_dict(first)
        assert labels(stream) == labels(stream) == expected[0]


def test_epoch_0_is_set_like_others():
    source = weir.range(12).map(lambda x: {"label": x}).shuffle(12, seed=2)
    expected = [labels(source) for _ in range(3)]
    stream = weir.huggingface.dataset(source, num_shards=2)
    assert [labels(stream), labels(stream)] == expected[:2]
    stream.set_epoch(0)
    assert labels(stream) == labels(stream) == expected[0]
    loader = torch.utils.data.DataLoader(stream, None, num_workers=1, multiprocessing_context="spawn")
    assert labels(loader) == labels(loader) == expected[0]
    derived = weir.huggingface.dataset(source).select_columns(["label"])
    for epoch in (2, 0, 1, 0):
        derived.set_epoch(epoch)
        assert labels(derived) == labels(derived) == expected[epoch]
    derived.set_epoch(0)
    rows = iter(derived)
    taken = [int(next(rows)["label"]) for _ in range(5)]
    state = derived.state_dict()
    derived.load_state_dict(state)
    assert taken + labels(derived) == expected[0]


@pytest.mark.parametrize("text", ["partition(4, part -> part)", "shard(auto, auto)", "shuffle(4, seed: 1)"])
@pytest.mark.parametrize("shards", [1, 4])
def test_nodes_share_the_rows(tmp_path, text, shards):
    made = f"weir.huggingface.dataset(weir.parse('range(16) | map(x -> {{label: x}}) | {text}'), num_shards={shards})"
    script = f"""
import sys, weir, weir.huggingface
from datasets.distributed import split_dataset_by_node
whole = {made}
rows = split_dataset_by_node(whole, rank=int(sys.argv[1]), world_size=2)
print(*(int(row["label"]) for row in rows))
rows.load_state_dict(rows.state_dict())
assert [*rows] == [] and len([*whole]) == 16
"""
    found = []
    for rank in range(2):
        environment = {**os.environ, "RANK": str(rank), "WORLD_SIZE": "2"}
        found += map(int, subprocess.check_output([sys.executable, "-c", script, str(rank)], env=environment).split())
    assert sorted(found) == list(range(16))


def test_a_loop_over_a_shard_is_none_of_workers():
    source = weir.range(12).map(lambda x: {"label": x}).shuffle(4, seed=1)
    stream = weir.huggingface.dataset(source, num_shards=4)
    part = stream.shard(2, 1)
    assert labels(part) != labels(part)
    loader = torch.utils.data.DataLoader(
        stream, None, num_workers=2, multiprocessing_context="spawn", persistent_workers=True
    )
    first, second = labels(loader), labels(loader)
    assert sorted(first) == sorted(second) == list(range(12)) and first != second
