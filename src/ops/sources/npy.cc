// npy(files, buffer_size): the slices along the first dimension of NumPy's arrays, file after file. The
// structure is that of the first file, read when the dataset is built. A file that fails is one error; the
// next file follows. Read ahead on the blocking lane. Checkpoint: the file, the offset and the number of the
// next row.
#include "format/npy.h"

#include <optional>

#include "core/checked.h"
#include "core/text.h"
#include "format/array_reader.h"
#include "ops/files/array_access.h"
#include "ops/files/file_source.h"
#include "ops/files/known_names.h"

namespace weir::npy_op {

const OperatorDef& definition();

namespace {

struct NpyParams : ParamsOf<NpyParams> {
  FilesParam files;
  IntParam buffer_size{0};
  // What learn() finds out while the node is built. A copy that reads other files has the structure already.
  mutable std::optional<Spec> row;
  mutable int64_t rows = kUnknown;
  void fields(Fields& f) override {
    f("files", files, kFilesDoc);
    f("buffer_size", buffer_size, kBufferDoc, {0, kMaxBufferBytes}, {.any_position = true});
  }
};

Spec row_of(const ArrayLayout& layout) { return Spec::tensor(layout.type.dtype, layout.row); }

Result<ArrayLayout> layout_in(ByteStream& stream) {
  WEIR_ASSIGN(const NpyHeader header, read_npy(stream));
  WEIR_ASSIGN(const int64_t size, stream.size());
  Result<ArrayLayout> layout = npy_rows(header, static_cast<uint64_t>(size));
  if (!layout.ok()) return in_file(layout.status(), stream.file());
  return layout;
}

// That of a file which must have rows of this structure.
Result<ArrayLayout> layout_in(ByteStream& stream, const Spec& row) {
  WEIR_ASSIGN(ArrayLayout layout, layout_in(stream));
  if (row_of(layout) == row) return layout;
  return file_error(Code::invalid_argument,
                    expected_found(concat("rows of ", row.to_string(), ", as in the first file"),
                                   row_of(layout).to_string(), "read files of other rows by another npy"),
                    stream.file());
}

Result<ArrayLayout> layout_of(FileSystem& files, const std::string& name, const Spec* row) {
  WEIR_ASSIGN(const std::unique_ptr<ByteStream> stream, open_stream(files, name, Compression::none));
  return row ? layout_in(*stream, *row) : layout_in(*stream);
}

struct Format {
  using Params = NpyParams;
  using Reader = ArrayReader;
  using Rows = Block;
  static constexpr const char* reader_name = "read_npy";
  // A thousand numbers are soon read.
  static constexpr int kBlockRows = 65536;
  static const OperatorDef& op() { return definition(); }

  static Result<Spec> spec(const Params& params) { return *params.row; }
  static int64_t cardinality(const Params& params) { return params.rows; }

  // A later file that is missing or damaged gives an error in its place.
  static Status learn(Runtime& runtime, const DatasetRef& names, const Params& params) {
    params.rows = kUnknown;
    if (params.row) return Status();
    WEIR_ASSIGN(const std::vector<std::string> files, known_names(runtime, names));
    std::optional<int64_t> rows = 0;
    for (const std::string& name : files) {
      const Result<ArrayLayout> layout = layout_of(*runtime.files, name, params.row ? &*params.row : nullptr);
      if (layout.ok()) {
        params.row = row_of(*layout);
        rows = checked_add(rows, layout->rows);
      } else {
        if (!params.row || layout.status().code() == Code::invalid_argument)
          return naming_file(layout.status());
        rows.reset();
      }
    }
    params.rows = rows.value_or(kUnknown);
    return Status();
  }

  static Result<std::unique_ptr<Reader>> make(std::unique_ptr<ByteStream> stream, const Params& params,
                                              uint64_t) {
    WEIR_ASSIGN(ArrayLayout layout, layout_in(*stream, *params.row));
    return std::make_unique<Reader>(std::move(stream), std::move(layout), read_bytes(params));
  }
  static Result<std::unique_ptr<Access>> access(Context& ctx, const Params& params,
                                                const std::vector<std::string>& files) {
    auto column = std::make_unique<ArrayColumn>(ctx.session.files(), params.row->dtype, params.row->shape);
    for (const std::string& name : files) {
      WEIR_TRY(column->add(ctx, name, [&](ByteStream& stream) { return layout_in(stream, *params.row); }));
    }
    return array_access(std::move(column));
  }
  static bool seeks(Context& ctx, const Params& params, const std::vector<std::string>& files) {
    return std::all_of(files.begin(), files.end(), [&](const std::string& name) {
      const Result<ArrayLayout> layout = layout_of(ctx.session.files(), name, &*params.row);
      // Of UTF-32 a row may be no text.
      return layout.ok() && !layout->type.utf32;
    });
  }
  static const char* no_access(const Params&) { return nullptr; }
};

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = FileSource<Format>::define_with({
      .name = "npy",
      .page =
          {.doc =
               "Reads NumPy .npy files: one element per slice of the array along its first dimension. Their dtype and shape are read when the dataset is built, when the names must be known, and are the same for all files; it cannot be built if the first file does not exist (not_found), is no such file, is damaged or shorter than its shape says (data_loss), or if one has another dtype or shape or none that is read (invalid_argument): arrays without a dimension, of more than 8, in Fortran order, of objects, dates or structures. Both byte orders are read. `S` and `U` arrays give strings without the zeros at their end, `U` as UTF-8; a surrogate in one is an error of that element. Bytes after the last row are passed over. A later file that is missing or damaged gives one error in place of its remaining rows, and the next file follows. Reads ahead of its consumer, on its own thread. Elements are also read by their position (`global_shuffle`, `partition`, `weir_dataset_at`); then `skip` and `shard` directly after it go straight to their elements.",
           .cost =
               "Reading into the elements, and reversing the bytes of numbers that are big-endian. By position, one read per run of neighbours. Rows of an array that the caller has mapped (`from_tensor_slices`) are not copied by the system first; but a file that is cut while it is mapped ends the process.",
           .example = R"(npy("tests/conformance/data/new/npy/several-files-0.npy"))",
           .output = "[-32768, 32767]\n[29054, 31345]",
           .bench = R"(npy("ARRAY"))",
           .elsewhere = "load_npy: npy(files)"},
  });
  return def;
}

}  // namespace weir::npy_op
