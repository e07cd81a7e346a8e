// arrow(files, fields, where, nulls, num_parallel_reads): the rows of Arrow files and streams, as parquet
// gives those of Parquet files. A row with a null is one error, as is a file that fails. Read ahead on the
// blocking lane. Checkpoint: the file and the number of the next row.
#include "ops/files/table_source.h"

namespace weir::arrow_op {

const OperatorDef& definition();

namespace {

struct Arrow {
  static constexpr const char* reader_name = "read_arrow";
  static constexpr RefPtr<const TableFormat> (*format)() = nullptr;
  static constexpr const char* column = nullptr;
  static const OperatorDef& op() { return definition(); }
};

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = TableSource<Arrow>::define_with({
      .name = "arrow",
      .page =
          {.doc =
               "Reads Arrow IPC files, including Feather version 2, and Arrow streams: each row is a dict of the columns in `fields`, by default of all columns of the first file. Buffers may be compressed with lz4 or zstd. Columns become fields as in `parquet`: booleans, integers and floats keep their dtypes, text and bytes are strings, also as views; dates of 32 bits are days (int32), other dates, times, timestamps and durations nanoseconds (int64); dictionary-encoded columns have their values; columns of type null are ignored. Unions, run-end encoding, list views and intervals are not supported. Columns that nothing uses are not read. `where` is asked about each row, since the format has no statistics. Nulls, fields that don't fit, and files that are missing or damaged are errors as in `parquet`; the error of a damaged file names the batch and the byte where it begins. A stream that ends without its mark is whole; of one that was cut the batches before the cut are given. Without `where`, elements are also read by their position (`global_shuffle`, `partition`, `weir_dataset_at`). Reads ahead of its consumer, on its own thread. Needs the extension weir-parquet (failed_precondition).",
           .cost =
               "Opening a file reads the header of each batch, since nothing else says how many rows it has. Then reading what is used of each batch, decompressing it, and a copy of numbers; strings are views of what was read. At most two batches of the columns that are used are in memory for each open file. By position, a few small reads for each column and run of neighbours; the whole batch if it is compressed or has text as views.",
           .elsewhere = "read_feather scan_ipc read_ipc read_ipc_stream open_stream: arrow(files)"},
  });
  return def;
}

}  // namespace weir::arrow_op
