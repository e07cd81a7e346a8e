// tfrecord(files, compression, num_parallel_reads): the records of TFRecord files, file after file or in
// turns. A damaged or missing file is one error; the next file follows. Read ahead on the blocking lane.
// Checkpoint: the file, the offset and the number of the next record.
#include "format/tfrecord.h"

#include "ops/file_source.h"

namespace weir {

const OperatorDef& tfrecord_operator();

namespace {

struct TFRecordParams : ParamsOf<TFRecordParams> {
  FilesParam files;
  StringParam compression{std::string()};
  IntParam num_parallel_reads{1};
  void fields(Fields& f) override {
    f("files", files, kFilesDoc);
    f("compression", compression, kCompressionDoc);
    f("num_parallel_reads", num_parallel_reads, kInTurnsDoc, {1, kMaxInTurns}, {.automatic = true});
  }
};

struct Format {
  using Params = TFRecordParams;
  using Reader = RecordReader;
  using Rows = RecordBatch;
  static constexpr const char* reader_name = "read";
  static const OperatorDef& op() { return tfrecord_operator(); }
  static Result<std::unique_ptr<Reader>> make(std::unique_ptr<ByteStream> stream, const Params&,
                                              uint64_t limit) {
    return std::make_unique<Reader>(std::move(stream), limit);
  }
};

}  // namespace

const OperatorDef& tfrecord_operator() {
  static const OperatorDef def = FileSource<Format>::define_with({
      .name = "tfrecord",
      .doc =
          "The records of TFRecord files, as strings. Both checksums of every record are checked. A file that does not exist (not_found), is damaged (data_loss) or holds a record longer than the runtime's `record_bytes` (resource_exhausted) gives one error in place of its remaining records, and the next file follows. Runs ahead of its consumer on a thread of its own.",
      .cost =
          "Reading, decompressing and two checksums per record. Records are views of the read buffers, not copies.",
      .example = R"(tfrecord("tests/data/records/five.tfrecord") | take(2))",
      .output = R"("record 0"
"record 1")",
      .bench = R"(tfrecord("RECORDS"))",
  });
  return def;
}

}  // namespace weir
