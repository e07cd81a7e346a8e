"""Text files."""

from __future__ import annotations

from typing import Any

from peers import data
from peers.row import Rows, call, inside, ns_per

LINES, TABLE = 500_000, 50_000


def tf_lines(tf: Any, n: int) -> Any:
    made = tf.data.TextLineDataset(data.lines(LINES)).repeat(n // LINES)
    return made.apply(tf.data.experimental.assert_cardinality(n))


def tf_table(tf: Any, n: int) -> Any:
    made = tf.data.experimental.CsvDataset(data.table(TABLE), [tf.float32] * 10).repeat(n // TABLE)
    return made.apply(tf.data.experimental.assert_cardinality(n))


def loaded(np: Any, n: int) -> Any:
    def run() -> None:
        for _ in range(n // TABLE):
            np.loadtxt(data.table(TABLE), np.float32, delimiter=",")

    return run


def mlx_table(mlx: Any, n: int) -> Any:
    return mlx.stream_csv_reader(data.table(TABLE)).repeat(n // TABLE)


def add_to(rows: Rows) -> None:
    rows.add(
        "lines",
        "text lines of 100 bytes",
        ns_per("line"),
        {
            "weir": inside(lambda n: f'text_line("{data.lines(LINES)}") | repeat({n // LINES})'),
            "tf.data": inside(tf_lines),
        },
        least=LINES,
        step=LINES,
        ratios={"tf.data": 15},
        why="the kernel's copying of the file (`pread`) is the largest part of the 38 ns, then looking for the ends of "
        "lines (`memchr`); tf.data does both as well.",
    )
    columns = "[" + ", ".join(["float32"] * 10) + "]"
    rows.add(
        "csv",
        "CSV of ten floats",
        ns_per("row"),
        {
            "weir": inside(lambda n: f'csv("{data.table(TABLE)}", {columns}) | repeat({n // TABLE})'),
            "tf.data": inside(tf_table, "`tf.data.experimental.CsvDataset`"),
            "by hand": call(loaded, "`numpy.loadtxt`"),
        },
        least=TABLE,
        step=TABLE,
        ratios={"by hand": 1},
    )
