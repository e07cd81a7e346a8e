// parquet(files, fields, where, nulls, num_parallel_reads): the rows of Parquet files, file after file or in
// turns, through the extension weir-parquet. A row with a null is one error, as is a file that fails. Read
// ahead on the blocking lane. Checkpoint: the file and the number of the next row.
#include "ops/files/table_source.h"

namespace weir::parquet_op {

const OperatorDef& definition();

namespace {

struct Parquet {
  static constexpr const char* reader_name = "read_parquet";
  static constexpr RefPtr<const TableFormat> (*format)() = nullptr;
  static constexpr const char* column = nullptr;
  static const OperatorDef& op() { return definition(); }
};

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = TableSource<Parquet>::define_with({
      .name = "parquet",
      .page =
          {.doc =
               "Reads Parquet files: each row is a dict of the columns in `fields`, by default of all columns of the first file. Booleans, integers and floats keep their dtypes; text, bytes, enumerations, JSON, BSON and UUIDs are strings; dates are days (int32), times and timestamps nanoseconds (int64); a decimal is float64 if it has at most 15 digits, else it needs a field of float64 or string; a list is `int64[?]`, a structure a dict, a list of structures a dict of vectors, and a map that of `key` and `value`. Columns that nothing uses are not read. A null without a default, a time that an int64 of nanoseconds doesn't hold and a list that doesn't fit its field are errors of the element (invalid_argument) that name file, record and field. The names must be known when the dataset is built, unless `fields` says the structure; it cannot be built if the first file cannot be read then (not_found, data_loss), or if a field does not fit its column. A file that is missing, damaged or, later in the list, of other types gives one error in place of its remaining rows, and the next file follows. Without `where`, elements are also read by their position (`global_shuffle`, `partition`, `weir_dataset_at`). Reads ahead of its consumer, on its own thread. Needs the extension weir-parquet (failed_precondition).",
           .cost =
               "Reading and decoding the pages of the columns that are used, and a copy of numbers; strings are views of what was decoded. At most two row groups of the columns that are used are in memory for each open file. By position, one page of each column per run of neighbours.",
           .elsewhere = "read_parquet ParquetDataset scan_parquet from_parquet: parquet(files)"},
  });
  return def;
}

}  // namespace weir::parquet_op
