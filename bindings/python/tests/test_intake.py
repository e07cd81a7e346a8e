"""Arrays of others that go in."""

import array
import ctypes
import gc
import pathlib
import sys

import numpy as np
import pytest

import weir
from weir._intake import to_tensor


def shares(value, memory):
    """Whether a tensor of the value lies where the memory does."""
    return to_tensor(value).address == memory.__array_interface__["data"][0]


def test_without_a_copy():
    memory = np.arange(12, dtype=np.int32)
    assert shares(memory, memory)
    assert shares(memory.reshape(3, 4), memory)
    assert shares(memoryview(memory), memory)
    python = array.array("d", [1.0, 2.0])
    assert shares(python, np.frombuffer(python))

    class Exporter:
        def __dlpack__(self, **options):
            return memory.__dlpack__(**options)

        def __dlpack_device__(self):
            return memory.__dlpack_device__()

    assert shares(Exporter(), memory)

    class Array:
        def __array__(self, dtype=None, copy=None):
            return memory

    assert shares(Array(), memory)


def test_what_has_to_be_copied():
    memory = np.arange(12).reshape(3, 4)
    assert not shares(memory[:, ::2], memory)
    assert to_tensor(memory[:, ::2]).numpy().tolist() == memory[:, ::2].tolist()
    assert to_tensor(memory[::-1]).numpy().tolist() == memory[::-1].tolist()
    assert to_tensor(memory.astype(">i4")).numpy().tolist() == memory.tolist()
    assert to_tensor(np.asfortranarray(memory)).numpy().tolist() == memory.tolist()


@pytest.mark.parametrize("dtype", ["float32", "int16", "complex128", "bool"])
@pytest.mark.parametrize("shape", [(0,), (2, 0)])
def test_empty_arrays_lie_anywhere(dtype, shape):
    empty = np.ndarray(shape, dtype, buffer=bytearray(9), offset=1)

    class Exporter:
        def __dlpack__(self, **options):
            return empty.__dlpack__(**options)

        def __dlpack_device__(self):
            return empty.__dlpack_device__()

    for one in (empty, memoryview(empty), Exporter()):
        assert to_tensor(one).numpy().shape == shape and to_tensor(one).numpy().dtype == dtype
        assert [element.shape for element in weir.from_tensors(one)] == [shape]
    assert weir.fn.shape(empty).tolist() == list(shape) == weir.fn.shape(memoryview(empty)).tolist()


NEW_YEAR = 1_767_225_600_000_000_000  # the first nanosecond of 2026


def test_dates_are_nanoseconds():
    for unit in ("Y", "D", "s", "ms", "ns"):
        dates = np.array(["2026-01-01"], f"datetime64[{unit}]")
        assert to_tensor(dates).numpy().tolist() == [NEW_YEAR]
        assert list(weir.from_tensor_slices({"when": dates})) == [{"when": NEW_YEAR}]
    assert to_tensor(np.array([3], "timedelta64[ms]")).numpy().tolist() == [3_000_000]
    assert next(iter(weir.from_tensors(np.datetime64("2026-01-01", "s")))) == NEW_YEAR
    with pytest.raises(ValueError, match="NaT"):
        to_tensor(np.array(["NaT", "2026-01-01"], "datetime64[D]"))
    with pytest.raises(ValueError, match="1678 to 2261"):
        to_tensor(np.array(["9999-01-01"], "datetime64[D]"))


def test_dates_of_arrow_are_nanoseconds():
    pyarrow = pytest.importorskip("pyarrow")
    for unit in ("s", "ms", "us", "ns"):
        column = pyarrow.array(np.array(["2026-01-01"], f"datetime64[{unit}]"))
        assert to_tensor(column).numpy().tolist() == [NEW_YEAR]


def test_times_of_arrow_are_nanoseconds():
    pyarrow = pytest.importorskip("pyarrow")
    for kind, unit in (("time32[s]", 10**9), ("time32[ms]", 10**6), ("time64[us]", 10**3), ("duration[s]", 10**9)):
        rows = list(weir.from_arrow(pyarrow.table({"t": pyarrow.array(range(1000), kind)})))
        assert rows == [{"t": i * unit} for i in range(1000)] and rows[0]["t"].dtype == np.int64


def test_masks_are_refused():
    masked = np.ma.array([1, 2, 3], mask=[False, True, False])
    for make in (weir.from_tensors, weir.from_tensor_slices, to_tensor, lambda x: weir.from_tensors({"a": (x,)})):
        with pytest.raises(TypeError, match=r"masked array.*filled"):
            make(masked)
    assert to_tensor(masked.filled(0)).numpy().tolist() == [1, 0, 3]


WHAT_DOES_NOT_FIT = [
    (2.5, "int64"),
    (float("nan"), "int64"),
    (float("inf"), "int32"),
    (2**63, "int64"),
    (-1, "uint64"),
    (300, "uint8"),
    (-129, "int8"),
    (2**31, "int32"),
    (10**30, "int64"),
    (2, "bool"),
    (1e300, "float32"),
    (70_000, "float16"),
    ([1, 300], "uint8[2]"),
    ([1, 2.5], "int64[2]"),
    (np.float64(2.5), "int64"),
    (np.array([300]), "int8[1]"),
    (np.array([1e300]), "float32[1]"),
    ([2**53 + 1, 0.5], "int64[2]"),
    (None, "int64"),
    (np.longdouble("1e400"), "float64"),
    (complex(0.0, 1e50), "complex64"),
]


@pytest.mark.parametrize(("value", "spec"), WHAT_DOES_NOT_FIT)
def test_numbers_that_do_not_fit_are_errors(value, spec):
    dtype = spec.split("[")[0]
    for dataset in (
        weir.from_generator(lambda: [value], spec),
        weir.range(1).map(weir.py_function(lambda x: value, spec=spec)),
        weir.range(1).map(weir.py_function(lambda x: (x, value), spec=f"(int64, {spec})")),
    ):
        with pytest.raises(weir.Error, match=rf"expected a value of dtype {dtype}, found"):
            next(iter(dataset))


def test_numbers_that_fit():
    for value, spec, expected in [
        (2.0, "int64", 2),
        (True, "int64", 1),
        (255, "uint8", 255),
        (2**64 - 1, "uint64", 2**64 - 1),
        (-(2**63), "int64", -(2**63)),
        (3, "float32", 3.0),
        (0.5, "float16", 0.5),
        (1, "bool", True),
        ([1, 2], "uint8[2]", [1, 2]),
        (np.array([1, 2]), "int32[2]", [1, 2]),
        (np.float64(0.25), "float32", 0.25),
        # As floats, these would lose their last bits.
        ([2**53 + 1, 1.0], "int64[2]", [2**53 + 1, 1]),
        ([2**63 + 1, 1], "uint64[2]", [2**63 + 1, 1]),
        ([[2**53 + 1], (1.0,)], "int64[2, 1]", [[2**53 + 1], [1]]),
        (np.array([]), "int64[?]", []),
        (np.float64(np.inf), "float32", np.inf),
    ]:
        made = next(iter(weir.from_generator(lambda value=value: [value], spec)))
        assert np.asarray(made).tolist() == expected, (value, spec)
    assert np.isnan(next(iter(weir.from_generator(lambda: [float("nan")], "float32"))))
    assert np.isinf(next(iter(weir.from_generator(lambda: [float("inf")], "float32"))))


def test_functions_give_dates_as_nanoseconds_and_no_masks():
    def one(value, spec="int64"):
        return next(iter(weir.range(1).map(weir.py_function(lambda x: value, spec=spec))))

    assert one(np.datetime64("2026-01-01")) == NEW_YEAR
    assert one(np.array(["2026-01-01"], "datetime64[s]"), "int64[1]").tolist() == [NEW_YEAR]
    with pytest.raises(weir.errors.Unknown, match="masked array"):
        one(np.ma.array([1, 2], mask=[True, False]), "int64[2]")


def test_refused():
    with pytest.raises(TypeError, match="float128|longdouble"):
        to_tensor(np.zeros(2, np.longdouble))
    with pytest.raises(TypeError, match="str or bytes"):
        to_tensor(np.array([1, None], object))
    with pytest.raises(TypeError, match="expected a number"):
        weir.from_tensors(object())


def test_structures_of_arrays():
    data = {"x": np.arange(6.0).reshape(3, 2), "y": (np.array(["a", "b", "c"]), [1, 2, 3])}
    rows = list(weir.from_tensor_slices(data))
    assert [row["y"] for row in rows] == [(b"a", 1), (b"b", 2), (b"c", 3)]
    assert rows[2]["x"].tolist() == [4.0, 5.0]


def test_memory_is_released_when_nothing_needs_it():
    held = np.arange(10_000.0)
    before = sys.getrefcount(held)
    dataset = weir.from_tensor_slices(held)
    iterator = iter(dataset)
    del dataset
    assert sys.getrefcount(held) > before
    assert next(iterator) == 0.0
    del iterator
    gc.collect()
    assert sys.getrefcount(held) == before


def test_ctypes_memory():
    memory = (ctypes.c_int16 * 4)(1, 2, 3, 4)
    assert [int(x) for x in weir.from_tensor_slices(memory)] == [1, 2, 3, 4]


def test_arrow_columns():
    pyarrow = pytest.importorskip("pyarrow")
    numbers = pyarrow.array([1, 2, 3, 4])
    tensor = to_tensor(numbers.slice(1, 2))
    assert tensor.address == numbers.buffers()[1].address + 8
    assert tensor.numpy().tolist() == [2, 3]
    assert to_tensor(pyarrow.chunked_array([[1.5], [2.5, 3.5]])).numpy().tolist() == [1.5, 2.5, 3.5]
    assert to_tensor(pyarrow.array(["a", "bc", ""])).numpy().tolist() == [b"a", b"bc", b""]
    assert to_tensor(pyarrow.array([True, False, True]).slice(1)).numpy().tolist() == [False, True]
    pairs = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array([1, 2, 3, 4, 5, 6]), 2)
    assert to_tensor(pairs.slice(1)).numpy().tolist() == [[3, 4], [5, 6]]
    with pytest.raises(ValueError, match="missing values"):
        to_tensor(pyarrow.array([1, None]))
    table = pyarrow.table({"n": [1, 2], "s": ["x", "y"]})
    assert list(weir.from_tensor_slices(table)) == [{"n": 1, "s": b"x"}, {"n": 2, "s": b"y"}]


def test_pandas():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"n": [1, 2], "x": [0.5, 1.5], "s": ["a", "b"]})
    rows = list(weir.from_tensor_slices(frame))
    assert rows == [{"n": 1, "x": 0.5, "s": b"a"}, {"n": 2, "x": 1.5, "s": b"b"}]
    assert [int(x) for x in weir.from_tensor_slices(frame["n"])] == [1, 2]


def test_polars():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"n": [1, 2], "s": ["a", "b"]})
    assert list(weir.from_tensor_slices(frame)) == [{"n": 1, "s": b"a"}, {"n": 2, "s": b"b"}]


def test_tables_of_arrow():
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table(
        {
            "n": [1, 2, 3],
            "s": ["a", "bc", "0123456789abcdef"],
            "when": pyarrow.array(np.array(["2026-01-01"] * 3, "datetime64[s]")),
            "color": pyarrow.array(["red", "blue", "red"]).dictionary_encode(),
            "view": pyarrow.array(["x", "0123456789abcdef", ""], pyarrow.string_view()),
            "tokens": [[1], [], [2, 3]],
            "words": [[["a"], []], [], [["b", "c"]]],
            "pair": [[1.5, 2.5]] * 3,
            "boxes": [[{"x": 1, "tags": ["p"]}], [], [{"x": 2, "tags": []}, {"x": 3, "tags": ["q", "r"]}]],
            "price": pyarrow.array([1, 2, 3], pyarrow.decimal128(10, 2)),
        }
    )
    for one in (table, pyarrow.concat_tables([table.slice(0, 1), table.slice(1)]), table.to_reader(2)):
        rows = weir.from_arrow(one)
        assert str(rows.spec) == (
            "{n: int64, s: string, when: int64, color: string, view: string, tokens: int64[?], "
            "words: ragged<string>[?, ?], pair: float64[2], boxes: {x: int64[?], tags: ragged<string>[?, ?]}, "
            "price: float64}"
        )
        assert len(rows) == 3
        last = rows[2]
        assert (last["n"], last["s"], last["when"], last["color"]) == (3, b"0123456789abcdef", NEW_YEAR, b"red")
        assert last["tokens"].tolist() == [2, 3] and last["pair"].tolist() == [1.5, 2.5] and last["price"] == 3
        assert last["words"].row_splits.tolist() == [0, 2] and last["words"].values.tolist() == [b"b", b"c"]
        assert last["boxes"]["x"].tolist() == [2, 3] and last["boxes"]["tags"].row_splits.tolist() == [0, 0, 2]
        assert [row["view"] for row in rows] == [b"x", b"0123456789abcdef", b""]
        assert sorted(int(row["n"]) for row in rows.global_shuffle(seed=1)) == [1, 2, 3]
        again = weir.deserialize(rows.serialize())
        assert [str(row) for row in again] == [str(row) for row in rows] and again.fingerprint == rows.fingerprint


def test_a_null_of_a_dictionary_counts_where_a_row_refers_to_it():
    pyarrow = pytest.importorskip("pyarrow")
    values = pyarrow.array(["a", None, "b"])
    unused = pyarrow.DictionaryArray.from_arrays(pyarrow.array([2, 0, 2]), values)
    assert list(weir.from_arrow(pyarrow.table({"s": unused}))) == [{"s": b"b"}, {"s": b"a"}, {"s": b"b"}]
    used = pyarrow.DictionaryArray.from_arrays(pyarrow.array([1, 0, 1]), values)
    with pytest.raises(weir.errors.InvalidArgument, match="the column s has 2 missing values"):
        weir.from_arrow(pyarrow.table({"s": used}))


def test_tables_of_arrow_that_cannot_be_read():
    pyarrow = pytest.importorskip("pyarrow")
    with pytest.raises(weir.errors.InvalidArgument, match="the column b has 2 missing values"):
        weir.from_arrow(pyarrow.table({"a": [1, 2, 3], "b": ["x", None, None]}))
    with pytest.raises(weir.errors.InvalidArgument, match="the column a is the Arrow type"):
        weir.from_arrow(pyarrow.table({"a": pyarrow.array([[1]], pyarrow.list_view(pyarrow.int64()))}))
    with pytest.raises(TypeError, match="__arrow_c_stream__, found list"):
        weir.from_arrow([1, 2])

    def batches():
        yield pyarrow.record_batch({"a": [1]})
        raise ValueError("no more of them")

    reader = pyarrow.RecordBatchReader.from_batches(pyarrow.schema({"a": pyarrow.int64()}), batches())
    with pytest.raises(weir.Error, match="the Arrow stream failed: .*no more of them"):
        weir.from_arrow(reader)


def test_tables_of_others():
    for name, make in [
        ("pandas", lambda pandas: pandas.DataFrame({"n": [1, 2], "s": ["a", "b"]})),
        ("polars", lambda polars: polars.DataFrame({"n": [1, 2], "s": ["a", "b"]})),
        ("duckdb", lambda duckdb: duckdb.sql("select unnest([1, 2]) as n, unnest(['a', 'b']) as s")),
    ]:
        try:
            table = make(__import__(name))
        except ImportError:
            continue
        assert list(weir.from_arrow(table)) == [{"n": 1, "s": b"a"}, {"n": 2, "s": b"b"}], name


def test_arrow_streams_come_out():
    pyarrow = pytest.importorskip("pyarrow")
    dataset = weir.range(2500).map(
        lambda x: {
            "n": x,
            "pair": weir.fn.stack([x, x * 2]),
            "even": x % 2 == 0,
            "text": weir.fn.as_string(x),
            "deep": (x, {"y": x}),
        }
    )
    table = pyarrow.table(dataset)
    assert table.num_rows == 2500
    assert table["n"].to_pylist() == list(range(2500))
    assert table["pair"].to_pylist()[7] == [7, 14]
    assert table["even"].to_pylist()[:3] == [True, False, True]
    assert table["text"].to_pylist()[10] == b"10"
    assert table["deep"].to_pylist()[3] == {"0": 3, "1": {"y": 3}}
    assert pyarrow.table(weir.range(3))["value"].to_pylist() == [0, 1, 2]
    ragged = pyarrow.table(weir.range(4).map(lambda x: {"v": weir.fn.arange(x)}))
    assert ragged["v"].to_pylist() == [[], [0], [0, 1], [0, 1, 2]]
    with pytest.raises(TypeError, match="cannot be an Arrow column"):
        pyarrow.table(weir.range(4).window(2))
    with pytest.raises(OSError, match="division"):
        pyarrow.table(weir.range(4).map(lambda x: 6 // x))


@pytest.mark.parametrize("value", ["ab", b"ab", {"x": "a", "y": "b"}, {"a", "b"}])
def test_what_is_no_tuple_is_not_taken_apart(value):
    dataset = weir.from_generator(lambda: [value], "(string, string)")
    with pytest.raises(weir.Error, match="expected a tuple as the result, found"):
        next(iter(dataset))


def test_a_missing_key_is_named():
    dataset = weir.from_generator(lambda: [{"x": 1}], "{x: int64, y: int64}")
    with pytest.raises(weir.Error, match="expected a result with the key 'y'"):
        next(iter(dataset))


def test_masks_of_strings_are_refused():
    array = np.ma.masked_array(np.array(["a", "b"]), [False, True])
    with pytest.raises(weir.Error, match="without a mask"):
        next(iter(weir.from_generator(lambda: [array], "string[2]")))


# A call takes 65,536 arguments.
MANY = 70_000


def test_long_lists_go_in():
    numbers = [*range(MANY - 2), 2**62, -5]
    assert list(weir.from_tensor_slices(numbers).skip(MANY - 3)) == [MANY - 3, 2**62, -5]
    pairs = [[0.5, float(i)] for i in range(MANY)]
    texts = [f"é{i}" for i in range(MANY)]
    dataset = weir.from_tensor_slices({"pair": pairs, "more": (texts, [True, False] * (MANY // 2))})
    assert str(dataset.spec) == "{pair: float32[2], more: (string, bool)}"
    (row,) = dataset.skip(MANY - 1)
    assert row["pair"].tolist() == [0.5, MANY - 1]
    assert row["more"] == (f"é{MANY - 1}".encode(), False)
    names = ["/none/a", pathlib.Path("/none/b"), b"/none/c"]
    assert str(weir.text_line(names * MANY).spec) == "string"
    assert str(weir.text_line(names)) == 'text_line(["/none/a", "/none/b", "/none/c"])'
    with pytest.raises(weir.errors.InvalidArgument, match=f"at most 65536 members, found {MANY}; give a NumPy array"):
        weir.from_tensor_slices([1, 0.5] * (MANY // 2))
    with pytest.raises(weir.errors.InvalidArgument, match="at most 65536 arguments.*found 655.. or more; pass values"):
        weir.from_tensor_slices([[1, 0.5, 2, 3]] * (MANY // 4))


def test_lists_have_the_dtypes_of_literals():
    def made(values):
        dataset = weir.from_tensors(values)
        return str(dataset.spec), next(iter(dataset)).tolist()

    assert made([3, 0.5]) == ("float32[2]", [3.0, 0.5])
    assert made([np.int8(3), 5]) == ("int8[2]", [3, 5])
    assert made([0.5, np.float64(0.5)]) == ("float64[2]", [0.5, 0.5])
    assert made([[], []]) == ("float32[2, 0]", [[], []])
    assert made([[True], [False]]) == ("bool[2, 1]", [[True], [False]])
    assert made([b"a", "é"]) == ("string[2]", [b"a", "é".encode()])
    for refused in ([2**63], [-1e39], [1, "a"], [[1], [2, 3]], [[1], 2], [(1, 2), (3, 4)]):
        with pytest.raises(weir.errors.InvalidArgument):
            made(refused)
    # In a call with others literals adapt.
    assert str(weir.range(0, 2, 1, dtype="int8").map(lambda x: [1, 2] * x).spec) == "int8[2]"


def test_floats_of_lists_are_rounded_once():
    below = np.linspace(1, 2, 2000, dtype=np.float32)
    halfway = (below.astype(float) + np.nextafter(below, np.float32(4)).astype(float)) / 2
    values = [*(halfway * 1e-3).tolist(), *(halfway * 2.0**-9).tolist(), float("nan"), -0.0, float("-inf"), 1e-46]
    # With an integer in it a list is written out.
    written = [next(iter(weir.from_tensors([value, 0])))[0] for value in values]
    (found,) = weir.from_tensors(values)
    assert found.tobytes() == np.array(written, np.float32).tobytes()
