// tokens(files, length, dtype, stride, header_bytes, buffer_size): runs of numbers of files that hold nothing
// else, as language models are trained on, file after file. A file that fails is one error; the next file
// follows. Read ahead on the blocking lane. Checkpoint: the file, the offset and the number of the next row.
#include "core/text.h"
#include "format/array_reader.h"
#include "format/signature.h"
#include "ops/files/array_access.h"
#include "ops/files/file_source.h"

namespace weir::tokens_op {

const OperatorDef& definition();

namespace {

// So that no product of these overflows.
constexpr int64_t kMost = int64_t{1} << 48;

struct TokensParams : ParamsOf<TokensParams> {
  FilesParam files;
  IntParam length;
  DTypeParam dtype;
  IntParam stride = IntParam::none();
  IntParam header_bytes{0};
  IntParam buffer_size{0};
  void fields(Fields& f) override {
    f("files", files, kFilesDoc);
    f("length", length, "How many numbers an element has.", {1, kMost});
    f("dtype", dtype, "Of the numbers, which are little-endian in the files; neither bool nor string.");
    f("stride", stride,
      "How many numbers lie from the first of an element to that of the next; none: `length`.", {1, kMost},
      {.none = true});
    f("header_bytes", header_bytes, "The bytes of each file before its numbers.", {0, kMost});
    f("buffer_size", buffer_size, kBufferDoc, {0, kMaxBufferBytes}, {.any_position = true});
  }
};

// Of a file of so many bytes. What is left at its end is passed over.
ArrayLayout layout_of(const TokensParams& params, uint64_t size) {
  const uint64_t entry = dtype_size(params.dtype.dtype);
  ArrayLayout out;
  out.type = {.dtype = params.dtype.dtype, .entry_bytes = entry};
  out.row = Shape({*params.length});
  out.begin = static_cast<uint64_t>(*params.header_bytes);
  out.stride = static_cast<uint64_t>(params.stride.value_or(*params.length)) * entry;
  out.row_bytes = static_cast<uint64_t>(*params.length) * entry;
  if (size >= out.begin + out.row_bytes)
    out.rows = static_cast<int64_t>((size - out.begin - out.row_bytes) / out.stride) + 1;
  return out;
}

Result<ArrayLayout> layout_in(ByteStream& stream, const TokensParams& params) {
  if (stream.file().ends_with(".npy") && *params.header_bytes == 0) {
    uint8_t first[6];
    WEIR_ASSIGN(const size_t got, stream.read(first));
    WEIR_TRY(stream.seek(0));
    const std::string_view text(reinterpret_cast<const char*>(first), got);
    if (text == "\x93NUMPY") return invalid_argument({"expected nothing but numbers", signature_hint(text)});
  }
  WEIR_ASSIGN(const int64_t size, stream.size());
  return layout_of(params, static_cast<uint64_t>(size));
}

struct Format {
  using Params = TokensParams;
  using Reader = ArrayReader;
  using Rows = Block;
  static constexpr const char* reader_name = "read_tokens";
  static const OperatorDef& op() { return definition(); }

  static Result<Spec> spec(const Params& params) {
    const DType dtype = params.dtype.dtype;
    if (!is_number(dtype)) {
      return with_parameter(invalid_argument(expected_found("a dtype of numbers", dtype_name(dtype))),
                            "dtype");
    }
    return Spec::tensor(dtype, Shape({params.length.value_or(kUnknownDim)}));
  }
  static Result<std::unique_ptr<Reader>> make(std::unique_ptr<ByteStream> stream, const Params& params,
                                              uint64_t) {
    WEIR_ASSIGN(const ArrayLayout layout, layout_in(*stream, params));
    return std::make_unique<Reader>(std::move(stream), layout, read_bytes(params));
  }
  static Result<std::unique_ptr<Access>> access(Context& ctx, const Params& params,
                                                const std::vector<std::string>& files) {
    auto column =
        std::make_unique<ArrayColumn>(ctx.session.files(), params.dtype.dtype, Shape({*params.length}));
    for (const std::string& name : files) {
      WEIR_TRY(column->add(ctx, name, [&](ByteStream& stream) { return layout_in(stream, params); }));
    }
    return array_access(std::move(column));
  }
  static bool seeks(Context& ctx, const Params&, const std::vector<std::string>& files) {
    return std::all_of(files.begin(), files.end(), [&](const std::string& name) {
      return open_stream(ctx.session.files(), name, Compression::none).ok();
    });
  }
  static const char* no_access(const Params&) { return nullptr; }
};

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = FileSource<Format>::define_with({
      .name = "tokens",
      .page =
          {.doc =
               "Reads flat binary files of little-endian numbers, such as token ids: element i of a file is a vector of `length` numbers, starting at number `i * stride`. An incomplete vector at the end of a file is skipped, so a file shorter than `length` yields nothing. With `length: n + 1, stride: n` each element has the inputs and the targets of a language model. A file that cannot be read (not_found and others) gives one error in place of its remaining elements, and the next file follows. Reads ahead of its consumer, on its own thread. Elements are also read by their position (`global_shuffle`, `partition`, `weir_dataset_at`); then `skip` and `shard` directly after it go straight to their elements.",
           .cost =
               "Reading into the elements; those that overlap are copied from there. By position, one read per run of neighbours that do not overlap, else one per element.",
           .example = R"(tokens("tests/conformance/data/ints.bin", 3, int32, stride: 2))",
           .output = "[0, 1, 2]\n[2, 3, 4]\n[4, 5, 6]\n[6, 7, 8]\n[8, 9, 10]",
           .bench = R"(tokens("RECORDS", 512, uint16))",
           .elsewhere = "memmap: npy(files), or tokens(files, length, dtype) for a file without a header"},
  });
  return def;
}

}  // namespace weir::tokens_op
