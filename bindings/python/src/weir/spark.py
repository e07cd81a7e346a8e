"""weir in Spark 4: `spark.read.format("weir").option("document", text).load()`, one partition for each part.

Call `weir.spark.register(spark)` first. The document has a `partition`; each row has the columns of its element,
`_part` and `_index`, its place among the elements of its part. weir's order is that of (`_index`, `_part`).
"""

from __future__ import annotations

from collections.abc import Iterator as Elements
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructType

from ._dataset import parse
from ._parts import Parts

# Spark has no unsigned and no short floats, so they become the next larger ones.
_WIDER = {
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.float16(): pa.float32(),
    pa.large_binary(): pa.binary(),
}


def _type_of(column: pa.DataType) -> pa.DataType:
    """The type of a column that Spark has."""
    if pa.types.is_struct(column):
        return pa.struct([field.with_type(_type_of(field.type)) for field in column])
    if pa.types.is_fixed_size_list(column) or pa.types.is_large_list(column):
        return pa.list_(column.value_field.with_type(_type_of(column.value_type)))
    if column == pa.uint64():
        raise TypeError("Spark has no uint64; cast it in the document")
    return _WIDER.get(column, column)


class WeirReader(DataSourceReader):
    """Reads the parts of a dataset."""

    def __init__(self, parts: Parts, schema: StructType) -> None:
        self._parts = parts
        self._schema = schema

    def partitions(self) -> list[InputPartition]:
        """One for each part."""
        return [InputPartition(part) for part in range(self._parts.number)]

    def read(self, partition: InputPartition) -> Elements[pa.RecordBatch]:
        """The rows of a part."""
        schema = to_arrow_schema(self._schema, timezone="UTC")
        for table in self._parts.blocks(partition.value):
            columns = [table.column(field.name).combine_chunks().cast(field.type) for field in schema]
            yield pa.RecordBatch.from_arrays(columns, schema=schema)


class WeirDataSource(DataSource):
    """The format "weir". Its option is `document`, the text of a dataset with a `partition`."""

    @classmethod
    def name(cls) -> str:
        """What `format` takes."""
        return "weir"

    def _parts(self) -> Parts:
        if "document" not in self.options:
            raise ValueError('say what to read: .option("document", text)')
        return Parts.of(parse(self.options["document"]))

    def schema(self) -> StructType:
        """The columns of an element, then `_part` and `_index`."""
        columns = self._parts().schema
        return from_arrow_schema(pa.schema([field.with_type(_type_of(field.type)) for field in columns]))

    def reader(self, schema: StructType) -> WeirReader:
        """Reads the columns of `schema`."""
        return WeirReader(self._parts(), schema)


def register(spark: Any) -> None:
    """Makes the format "weir" known to a Spark session."""
    spark.dataSource.register(WeirDataSource)


__all__ = ["WeirDataSource", "WeirReader", "register"]
