// text_line(files, compression, buffer_size, num_parallel_reads): the lines of text files, file after file or
// in turns. A file that fails is one error; the next file follows. Read ahead on the blocking lane.
// Checkpoint: the file, the offset and the number of the next line.
#include "format/text_lines.h"
#include "ops/files/file_source.h"
#include "ops/files/record_access.h"

namespace weir::text_line_op {

const OperatorDef& definition();

namespace {

struct TextLineParams : ParamsOf<TextLineParams> {
  FilesParam files;
  StringParam compression{std::string()};
  IntParam buffer_size{0};
  IntParam num_parallel_reads{1};
  void fields(Fields& f) override {
    f("files", files, kFilesDoc);
    f("compression", compression, kCompressionDoc);
    f("buffer_size", buffer_size, kBufferDoc, {0, kMaxBufferBytes}, {.any_position = true});
    f("num_parallel_reads", num_parallel_reads, kInTurnsDoc, {1, kMaxInTurns}, {.automatic = true});
  }
};

struct Format {
  using Params = TextLineParams;
  using Reader = LineReader;
  using Rows = RecordBatch;
  static constexpr const char* reader_name = "read_lines";
  static const OperatorDef& op() { return definition(); }
  static Result<std::unique_ptr<Reader>> make(std::unique_ptr<ByteStream> stream, const Params& params,
                                              uint64_t limit) {
    return std::make_unique<Reader>(std::move(stream), limit, block_bytes(params));
  }
  static constexpr IndexedFormat kIndexed{.kind = IndexedFormat::Kind::lines};
  static constexpr bool kNeedsIndex = true;
  static Result<std::unique_ptr<Access>> access(Context& ctx, const Params&,
                                                const std::vector<std::string>& files) {
    return indexed_access(ctx, files, kIndexed, line_rows());
  }
  static bool seeks(Context& ctx, const Params&, const std::vector<std::string>& files) {
    return have_indices(ctx, files, kIndexed);
  }
  static const char* no_access(const Params& params) { return refuse_compressed(params.compression); }
};

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = FileSource<Format>::define_with({
      .name = "text_line",
      .page =
          {.doc =
               "Reads text files line by line, as strings without their `\\n` and without any `\\r`. A last line needs no `\\n`. Bytes stay as they are, but a byte-order mark at the start of a file is left out. A file that begins like gzip or another binary format is refused with an error (invalid_argument) that names the format. A file that does not exist (not_found), is damaged (data_loss) or holds a line longer than the runtime's `record_bytes` (resource_exhausted) gives one error in place of its remaining lines, and the next file follows. Reads ahead of its consumer, on its own thread. Lines of uncompressed files are also read by their position (`global_shuffle`, `weir_dataset_at`) through an index of each file, which `weir index` makes, or the first such reading; then a line that is too long is one error in its place, and `skip` and `shard` directly after it go straight to their lines.",
           .cost =
               "Reading, decompressing and finding the ends of lines. Lines are views of the read buffers; only one with a `\\r` inside is copied.",
           .tf_names = "filenames=files compression_type=compression",
           .example = R"(text_line("tests/conformance/data/more.txt") | take(2))",
           .output = R"("one"
"two")",
           .bench = R"(text_line("RECORDS"))",
           .elsewhere = "read_text lines: text_line(files)"},
  });
  return def;
}

}  // namespace weir::text_line_op
