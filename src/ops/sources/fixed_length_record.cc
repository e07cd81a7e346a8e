// fixed_length_record(files, record_bytes, header_bytes, footer_bytes, compression, num_parallel_reads): the
// records of files of one record length, file after file or in turns. A file that fails is one error; the
// next file follows. Read ahead on the blocking lane. Checkpoint: the file, the offset and the number of the
// next record.
#include "format/fixed_records.h"
#include "ops/files/file_source.h"
#include "ops/files/record_access.h"

namespace weir::fixed_length_record_op {

const OperatorDef& definition();

namespace {

struct FixedLengthParams : ParamsOf<FixedLengthParams> {
  FilesParam files;
  IntParam record_bytes;
  IntParam header_bytes{0};
  IntParam footer_bytes{0};
  StringParam compression{std::string()};
  IntParam num_parallel_reads{1};
  IntParam buffer_size{0};
  void fields(Fields& f) override {
    f("files", files, kFilesDoc);
    f("record_bytes", record_bytes, "The size of a record.", {1, kMaxFixedBytes});
    f("header_bytes", header_bytes, "The bytes of each file before its records.", {0, kMaxFixedBytes});
    f("footer_bytes", footer_bytes, "The bytes of each file after its records.", {0, kMaxFixedBytes});
    f("compression", compression, kCompressionDoc);
    f("num_parallel_reads", num_parallel_reads, kInTurnsDoc, {1, kMaxInTurns}, {.automatic = true});
    f("buffer_size", buffer_size, kBufferDoc, {0, kMaxBufferBytes}, {.any_position = true});
  }
};

FixedLayout layout_of(const FixedLengthParams& params) {
  return {.record_bytes = static_cast<uint64_t>(*params.record_bytes),
          .header_bytes = static_cast<uint64_t>(*params.header_bytes),
          .footer_bytes = static_cast<uint64_t>(*params.footer_bytes)};
}

// Where the records of a file are, which its size tells.
Result<RefPtr<RecordIndex>> places_in(Context& ctx, const FixedLengthParams& params,
                                      const std::string& name) {
  const FixedLayout layout = layout_of(params);
  WEIR_ASSIGN(const RefPtr<RandomAccessFile> file, ctx.session.files().open(name));
  WEIR_ASSIGN(FileInfo info, file->info());
  WEIR_ASSIGN(const std::unique_ptr<ByteStream> stream, open_stream(file, Compression::none));
  WEIR_ASSIGN(const int64_t count,
              count_fixed_records(*stream, layout, static_cast<uint64_t>(ctx.runtime().limits.record_bytes)));
  return RecordIndex::of_records(layout.header_bytes, layout.record_bytes, count, std::move(info));
}

struct Format {
  using Params = FixedLengthParams;
  using Reader = FixedReader;
  using Rows = RecordBatch;
  static constexpr const char* reader_name = "read_fixed";
  static const OperatorDef& op() { return definition(); }
  static Result<std::unique_ptr<Reader>> make(std::unique_ptr<ByteStream> stream, const Params& params,
                                              uint64_t limit) {
    return Reader::open(std::move(stream), layout_of(params), limit, block_bytes(params));
  }
  static Result<std::unique_ptr<Access>> access(Context& ctx, const Params& params,
                                                const std::vector<std::string>& files) {
    return record_access(ctx, files, Compression::none, fixed_rows(),
                         [&](FileSystem&, const std::string& name) { return places_in(ctx, params, name); });
  }
  static bool seeks(Context& ctx, const Params& params, const std::vector<std::string>& files) {
    return std::all_of(files.begin(), files.end(),
                       [&](const std::string& name) { return places_in(ctx, params, name).ok(); });
  }
  static const char* no_access(const Params& params) { return refuse_compressed(params.compression); }
};

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = FileSource<Format>::define_with({
      .name = "fixed_length_record",
      .page =
          {.doc =
               "Reads files of records that all have `record_bytes` bytes, as strings. The first `header_bytes` and the last `footer_bytes` of each file are left out. An uncompressed file whose size does not fit is one error (invalid_argument) and gives no record; a compressed one gives its whole records and then an error (data_loss). A file that fails gives one error in place of its remaining records, and the next file follows. Reads ahead of its consumer, on its own thread. Records of uncompressed files are also read by their position (`global_shuffle`, `weir_dataset_at`); then `skip` and `shard` directly after it go straight to their records.",
           .cost = "Reading and decompressing. Records are views of the read buffers, not copies.",
           .tf_names = "filenames=files compression_type=compression",
           .example = R"(fixed_length_record("tests/conformance/data/fixed.bin", 4) | take(2))",
           .output = R"("AAAA"
"BBBB")",
           .bench = R"(fixed_length_record("RECORDS", 1040))"},
  });
  return def;
}

}  // namespace weir::fixed_length_record_op
