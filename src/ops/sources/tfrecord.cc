// tfrecord(files, compression, num_parallel_reads, on_corrupt): the records of TFRecord files, file after
// file or in turns. A missing file is one error, as is a damaged one unless on_corrupt says otherwise. Read
// ahead on the blocking lane. Checkpoint: the file, the offset and the number of the next record.
#include "format/tfrecord.h"

#include "ops/files/file_source.h"
#include "ops/files/record_access.h"

namespace weir::tfrecord_op {

const OperatorDef& definition();

namespace {

struct TFRecordParams : ParamsOf<TFRecordParams> {
  FilesParam files;
  StringParam compression{std::string()};
  IntParam num_parallel_reads{1};
  StringParam on_corrupt{std::string("error")};
  IntParam buffer_size{0};
  void fields(Fields& f) override {
    f("files", files, kFilesDoc);
    f("compression", compression, kCompressionDoc);
    f("num_parallel_reads", num_parallel_reads, kInTurnsDoc, {1, kMaxInTurns}, {.automatic = true});
    f("on_corrupt", on_corrupt,
      "What to do at a damaged record: \"error\" gives one error in place of the file's remaining records; \"skip_file\" leaves them out and logs a warning; \"resync\" gives one error for each damaged stretch and continues at the next whole record.");
    f("buffer_size", buffer_size, kBufferDoc, {0, kMaxBufferBytes}, {.any_position = true});
  }
};

struct Format {
  using Params = TFRecordParams;
  using Reader = RecordReader;
  using Rows = RecordBatch;
  static constexpr const char* reader_name = "read";
  static const OperatorDef& op() { return definition(); }
  static Result<std::unique_ptr<Reader>> make(std::unique_ptr<ByteStream> stream, const Params& params,
                                              uint64_t limit) {
    WEIR_ASSIGN(OnCorrupt on_corrupt, parse_on_corrupt(*params.on_corrupt));
    return std::make_unique<Reader>(std::move(stream), limit, on_corrupt, block_bytes(params));
  }
  static Result<Spec> spec(const Params& params) {
    if (params.on_corrupt.is_constant()) WEIR_TRY(parse_on_corrupt(*params.on_corrupt).status());
    return Spec::tensor(DType::string);
  }
  static constexpr bool kNeedsIndex = true;
  static Result<std::unique_ptr<Access>> access(Context& ctx, const Params& params,
                                                const std::vector<std::string>& files) {
    WEIR_ASSIGN(const Compression compression, parse_compression(*params.compression));
    return indexed_access(ctx, files, {.compression = compression}, tfrecord_rows());
  }
  static bool seeks(Context& ctx, const Params& params, const std::vector<std::string>& files) {
    const auto compression = parse_compression(*params.compression);
    return compression.ok() && have_indices(ctx, files, {.compression = *compression});
  }
  static const char* no_access(const Params& params) {
    if (params.compression.is_constant()) {
      const auto compression = parse_compression(*params.compression);
      if (compression.ok() && !may_have_positions(*compression))
        return "compression: \"\" or \"zstd\", since only such files can be indexed";
    }
    if (params.on_corrupt.is_constant() && *params.on_corrupt != "error") return "on_corrupt: \"error\"";
    return nullptr;
  }
};

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = FileSource<Format>::define_with({
      .name = "tfrecord",
      .page =
          {.doc =
               "Reads the records of TFRecord files, as strings. Both checksums of every record are checked. A file that does not exist (not_found), is damaged (data_loss) or holds a record longer than the runtime's `record_bytes` (resource_exhausted) gives one error in place of its remaining records, and the next file follows; `on_corrupt` changes this for damaged files. With \"resync\" the next whole record is the next position where both checksums fit, the length lies within the file and `record_bytes`; the error names offset and length of the damaged stretch. A compressed stream that is itself damaged ends its file as before. Reads ahead of its consumer, on its own thread. Records of uncompressed files, and of zstd files that weir wrote, are also read by their position (`global_shuffle`, `weir_dataset_at`) through an index of each file, which `weir index` makes, or the first such reading; then a damaged record is one error in its place, and `skip` and `shard` directly after it go straight to their records.",
           .cost =
               "Reading, decompressing and two checksums per record. Records are views of the read buffers, not copies.",
           .tf_names = "filenames=files compression_type=compression",
           .example = R"(tfrecord("tests/data/records/five.tfrecord") | take(2))",
           .output = R"("record 0"
"record 1")",
           .bench = R"(tfrecord("RECORDS"))"},
  });
  return def;
}

}  // namespace weir::tfrecord_op
