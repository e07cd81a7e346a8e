// csv(files, columns, header, delim, quote, na_value, select, compression, num_parallel_reads, exclude): the
// rows of tables in text form, file after file or in turns. A row with a mistake is one error, as is a file
// that fails. Read ahead on the blocking lane. Checkpoint: the file, the offset and the number of the next
// row.
#include <map>

#include "format/csv_reader.h"
#include "ops/files/file_source.h"
#include "ops/files/find_index.h"
#include "ops/files/record_access.h"
#include "ops/integer_list.h"

namespace weir::csv_op {

const OperatorDef& definition();

namespace {

struct CsvParams : ParamsOf<CsvParams> {
  FilesParam files;
  ColumnsParam columns;
  BoolParam header{false};
  StringParam delim{std::string(",")};
  BoolParam quote{true};
  StringParam na_value{std::string()};
  ValueParam select;
  StringParam compression{std::string()};
  IntParam num_parallel_reads{1};
  ValueParam exclude;
  IntParam buffer_size{0};
  void fields(Fields& f) override {
    f("files", files, kFilesDoc);
    f("columns", columns,
      "Each column's dtype, if every row has a value for it, or the default for empty fields: `[int64, 0.5]`. int32, int64, float32, float64 or string. Of files with a header also as fields, `{id: int64, score: float32 = 0.5}`: the columns of these names, wherever each file has them, as a dict.");
    f("header", header,
      "The first row of each file holds names, and is left out. They are the same in all files unless `columns` are found by their names.");
    f("delim", delim, "The byte between fields.");
    f("quote", quote,
      "Fields may be in double quotes, with delimiters and line ends inside and quotes doubled.");
    f("na_value", na_value, "A field of exactly these bytes counts as empty.");
    f("select", select,
      "The indices of the fields to read, ascending from 0, one for each column; none: all.", {},
      {.none = true});
    f("compression", compression, kCompressionDoc);
    f("num_parallel_reads", num_parallel_reads, kInTurnsDoc, {1, kMaxInTurns}, {.automatic = true});
    f("exclude", exclude,
      "The indices of the fields to leave out, ascending from 0, if `select` is none; none: the others of `select`.",
      {}, {.none = true});
    f("buffer_size", buffer_size, kBufferDoc, {0, kMaxBufferBytes}, {.any_position = true});
  }
};

bool is_column(DType dtype) {
  return dtype == DType::int32 || dtype == DType::int64 || dtype == DType::float32 ||
         dtype == DType::float64 || dtype == DType::string;
}

Status check_delim(const CsvParams& params) {
  if (!params.delim.is_constant()) return Status();
  const std::string& delim = *params.delim;
  const bool fits = delim.size() == 1 && delim != "\n" && delim != "\r" &&
                    !(delim == "\"" && (!params.quote.is_constant() || *params.quote));
  if (fits) return Status();
  return with_parameter(
      invalid_argument(expected_found("one byte that ends no line and is no quote", quote(delim))), "delim");
}

// The numbers of fields that `param` lists; none while it is not evaluated.
Status field_numbers(const ValueParam& param, const char* name, std::vector<int64_t>& out) {
  out.clear();
  if (!param.set) return Status();
  WEIR_TRY(integer_list(param, name, out));
  int64_t least = 0;
  for (int64_t index : out) {
    // So that the number of fields is an int64.
    if (index < least || index == INT64_MAX) {
      return with_parameter(
          invalid_argument(expected_found("numbers of fields that rise from 0 or more", concat(index))),
          name);
    }
    least = index + 1;
  }
  return Status();
}

Status check_fields(const CsvParams& params, std::vector<int64_t>& select, std::vector<int64_t>& exclude) {
  WEIR_TRY(field_numbers(params.exclude, "exclude", exclude));
  WEIR_TRY(field_numbers(params.select, "select", select));
  if (params.columns.by_name) {
    if (params.header.is_constant() && !*params.header)
      return with_parameter(
          invalid_argument({"columns are found by the names of a header", "write header: true"}), "columns");
    const char* const other = params.select.set ? "select" : params.exclude.set ? "exclude" : nullptr;
    if (other == nullptr) return Status();
    return with_parameter(invalid_argument(expected_found("columns by their names alone", other)), other);
  }
  if (!params.select.set) return Status();
  if (params.exclude.set) {
    return with_parameter(invalid_argument(expected_found("either select or exclude", "both")), "exclude");
  }
  if (params.select.expression) return Status();
  if (select.size() == params.columns.columns.size()) return Status();
  return with_parameter(
      invalid_argument(expected_found(concat(params.columns.columns.size(), " numbers, one for each column"),
                                      concat(select.size()))),
      "select");
}

struct Format {
  using Params = CsvParams;
  using Reader = CsvReader;
  using Rows = Block;
  static constexpr const char* reader_name = "read_rows";
  static const OperatorDef& op() { return definition(); }

  static Result<Spec> spec(const Params& params) {
    WEIR_TRY(check_delim(params));
    std::vector<int64_t> select;
    std::vector<int64_t> exclude;
    WEIR_TRY(check_fields(params, select, exclude));
    std::vector<std::string> names;
    std::vector<Spec> types;
    for (const ColumnsParam::Column& column : params.columns.columns) {
      if (!is_column(column.dtype)) {
        return with_parameter(
            invalid_argument(expected_found("int32, int64, float32, float64 or string",
                                            std::string(dtype_name(column.dtype)), "cast it in a map")),
            "columns");
      }
      names.push_back(column.name);
      types.push_back(Spec::tensor(column.dtype));
    }
    if (!params.columns.by_name) return Spec::tuple(std::move(types));
    return Spec::dict(std::move(names), std::move(types));
  }

  using Memory = CsvNames;
  static Result<std::unique_ptr<Reader>> make(std::unique_ptr<ByteStream> stream, const Params& params,
                                              uint64_t limit, Memory& first) {
    WEIR_ASSIGN(CsvFormat format, format_of(params));
    return std::make_unique<Reader>(std::move(stream), std::move(format), limit, block_bytes(params), &first);
  }
  static constexpr bool kNeedsIndex = true;
  static Result<std::unique_ptr<Access>> access(Context& ctx, const Params& params,
                                                const std::vector<std::string>& files) {
    WEIR_ASSIGN(CsvFormat format, format_of(params));
    std::map<std::string, CsvPicks> picks;
    const std::map<std::string, Status> failed = check_headers(ctx, params, files, picks);
    const IndexedFormat indexed = indexed_format(format);
    return record_access(ctx, files, indexed.compression, csv_rows(std::move(format), std::move(picks)),
                         [&](FileSystem& few, const std::string& name) -> Result<RefPtr<RecordIndex>> {
                           const auto found = failed.find(name);
                           return found != failed.end() ? found->second : index_of(ctx, few, name, indexed);
                         });
  }
  static const char* no_access(const Params& params) { return refuse_compressed(params.compression); }

 private:
  // Of files that are read by positions, which fail; `picks` gets where they have the columns that are found
  // by names.
  static std::map<std::string, Status> check_headers(Context& ctx, const Params& params,
                                                     const std::vector<std::string>& files,
                                                     std::map<std::string, CsvPicks>& picks) {
    std::map<std::string, Status> failed;
    const bool by_name = params.columns.by_name;
    if (!*params.header || (files.size() < 2 && !by_name)) return failed;
    Memory first;
    for (const std::string& name : files) {
      const Status status = check_header(ctx, params, name, first, by_name ? &picks[name] : nullptr);
      if (!status.ok()) failed.emplace(name, status);
    }
    return failed;
  }
  static Status check_header(Context& ctx, const Params& params, const std::string& name, Memory& first,
                             CsvPicks* picks) {
    WEIR_ASSIGN(std::unique_ptr<ByteStream> stream,
                open_stream(ctx.session.files(), name, Compression::none));
    const auto limit = static_cast<uint64_t>(ctx.runtime().limits.record_bytes);
    WEIR_ASSIGN(const std::unique_ptr<Reader> reader, make(std::move(stream), params, limit, first));
    Block row;
    if (!picks) return reader->next_batch(1, 1, row);
    WEIR_ASSIGN(*picks, reader->read_header());
    return Status();
  }
  static Result<CsvFormat> format_of(const Params& params) {
    CsvFormat format;
    WEIR_TRY(check_delim(params));
    WEIR_TRY(check_fields(params, format.select, format.exclude));
    for (const ColumnsParam::Column& column : params.columns.columns)
      format.columns.push_back({column.dtype, column.fallback, column.name});
    format.by_name = params.columns.by_name;
    format.header = *params.header;
    format.delimiter = (*params.delim)[0];
    format.quotes = *params.quote;
    format.na_value = *params.na_value;
    return format;
  }
  // The options that tell where rows begin.
  static IndexedFormat indexed_format(const CsvFormat& format) {
    return {.kind = IndexedFormat::Kind::rows,
            .header = format.header,
            .quotes = format.quotes,
            .delimiter = format.delimiter};
  }
};

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = FileSource<Format>::define_with({
      .name = "csv",
      .page =
          {.doc =
               "Reads CSV files: each row is a tuple of typed columns. Rows end with `\\n`, `\\r`, both, or the file. Numbers may have spaces around them; strings stay as they are. A byte-order mark at the start of a file is left out. A row with the wrong number of fields, a missing value, a malformed number or a stray quote, in the header too, is one error (invalid_argument) with the file and the number of the row, and the next row follows. A file that does not exist (not_found), is empty where a header is expected or has a header with other names than the first file (invalid_argument), begins like gzip or another binary format (invalid_argument), is damaged (data_loss) or has a row longer than the runtime's `record_bytes` (resource_exhausted) gives one error in place of its remaining rows, and the next file follows. Reads ahead of its consumer, on its own thread. Rows of uncompressed files are also read by their position (`global_shuffle`, `weir_dataset_at`) through an index of each file, which the first such reading makes, of files whose header has no mistake; then a row that is too long is one error in its place.",
           .cost =
               "Reading, decompressing, finding the ends of fields and parsing the numbers of the selected columns. Strings are views of the read buffers; only those with doubled quotes are copied.",
           .tf_names =
               "filenames=files record_defaults=columns compression_type=compression field_delim=delim use_quote_delim=quote select_cols=select exclude_cols=exclude",
           .example = R"(csv("tests/conformance/data/header.csv", [int64, 0.5, string], header: true))",
           .output = R"((1, 2.5, "x")
(2, 3.5, "y"))",
           .bench =
               R"(csv("TABLE", [int64, int64, int64, int64, int64, float32, float32, float32, float32, float32]))",
           .elsewhere = "read_csv: csv(files, …)"},
  });
  return def;
}

}  // namespace weir::csv_op
