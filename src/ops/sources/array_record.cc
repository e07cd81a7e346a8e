// array_record(files, num_parallel_reads): the records of ArrayRecord files. A file that fails is one error.
// Read ahead on the blocking lane. Checkpoint: the file and the number of the next record.
#include "ops/files/table_source.h"

namespace weir::array_record_op {

const OperatorDef& definition();

namespace {

struct ArrayRecord {
  static constexpr const char* reader_name = "read_array_record";
  static constexpr RefPtr<const TableFormat> (*format)() = nullptr;
  static constexpr const char* column = "record";
  static const OperatorDef& op() { return definition(); }
};

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = TableSource<ArrayRecord>::define_with({
      .name = "array_record",
      .page =
          {.doc =
               "Reads ArrayRecord files, as TensorFlow Datasets and Grain write them: each element is a record, a string of its bytes. Records may be compressed with zstd, brotli or snappy; chunks written with `transpose` are not supported (unimplemented), nor are other Riegeli files (data_loss). Checksums are compared. A file that is missing or damaged gives one error in place of its remaining records, with the chunk and the byte where it begins, and the next file follows; by position, a damaged chunk fails its own records only. Elements are also read by their position (`global_shuffle`, `partition`, `weir_dataset_at`). Reads ahead of its consumer, on its own thread. Needs the extension weir-parquet (failed_precondition).",
           .cost =
               "Opening a file reads its footer, and keeps 8 bytes for each chunk. Then reads of 1 MiB or of one chunk if that is larger, and decompressing or copying each record once. By position, a read of each run of neighbouring chunks, all of whose records are decompressed: write files that are read at random with `group_size:1`.",
           .elsewhere = "ArrayRecordDataSource ArrayRecordReader: array_record(files)"},
  });
  return def;
}

}  // namespace weir::array_record_op
