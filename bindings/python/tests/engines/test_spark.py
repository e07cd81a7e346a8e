import collections

import pytest
from conftest import document

import weir

pytest.importorskip("pyspark")
from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def spark():
    made = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    made.sparkContext.setLogLevel("OFF")
    weir.spark.register(made)
    yield made
    made.stop()


def read(spark, text):
    return spark.read.format("weir").option("document", text).load()


def plain(value):
    """A value of weir's or of Spark's as one that can be counted."""
    if hasattr(value, "asDict"):
        value = value.asDict()
    if isinstance(value, dict):
        return tuple((str(name), plain(part)) for name, part in value.items())
    if isinstance(value, tuple):
        return plain({str(i): part for i, part in enumerate(value)})
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, list):
        return tuple(plain(part) for part in value)
    return bytes(value) if isinstance(value, bytearray) else value


def test_rows_are_the_elements(spark):
    text = document(3)
    found = read(spark, text)
    assert found.columns == [*weir.parse(text).spec.keys, "_part", "_index"]
    assert found.rdd.getNumPartitions() == 3
    rows = [plain(row) for row in found.drop("_part", "_index").collect()]
    assert collections.Counter(rows) == collections.Counter(plain(element) for element in weir.parse(text))


def test_the_order_comes_back(spark):
    text = document(3, inner="shuffle(50, seed: 7) | map(x -> {x, small: uint8(x % 200)})")
    rows = read(spark, text).orderBy("_index", "_part").collect()
    assert [(row.x, row.small) for row in rows] == [(int(e["x"]), int(e["small"])) for e in weir.parse(text)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (document(2) + " | take(1)", "take is not inside the parts"),
        (document(2) + " | map(e -> {...e, r: random_uniform([])})", "map draws by the number of the element"),
        (document(2, inner="map(x -> uint64(x))"), "uint64"),
        (
            "let k = 2 param n: int64 " + document(3, source="range($n + k)"),
            r"parameter \$n has no value .* in the document",
        ),
    ],
)
def test_refused(spark, text, message):
    with pytest.raises(Exception, match=message):
        read(spark, text)


def test_the_document_is_needed(spark):
    with pytest.raises(Exception, match="say what to read"):
        spark.read.format("weir").load()


def test_an_element_that_fails_fails_its_task(spark):
    found = read(spark, document(2, inner="map(x -> 10 // (x - 7))", source="range(10)"))
    with pytest.raises(Exception, match="division by zero"):
        found.collect()
