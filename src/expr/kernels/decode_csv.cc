// decode_csv(s, columns, delim: ",", quote: true, na_value: ""): the fields of a row of a table in text form
// as a tuple, read as the source csv reads them. Strings are views of the row; only those with doubled quotes
// are copied.
#include <cstring>

#include "expr/kernels/shared/check.h"
#include "expr/kernels/shared/map_strings.h"
#include "format/csv_parser.h"
#include "format/parse_number.h"
#include "syntax/tree.h"

namespace weir {

namespace {

// The most bytes of a field in an error.
constexpr size_t kShownBytes = 60;

struct CsvColumn {
  DType dtype = DType::invalid;
  // What an empty field stands for: 8 bytes, or a string of CsvTable::strings. Without it an empty field is a
  // mistake.
  bool has_fallback = false;
  uint64_t number = 0;
  Str string;
};

struct CsvTable : KernelState {
  CsvTable(char delimiter, bool quoted) : quotes(quoted), parser(delimiter, quoted), delim(delimiter) {}

  std::vector<CsvColumn> columns;
  // The strings that empty fields stand for; they lie in one buffer.
  Tensor strings;
  const bool quotes;
  const CsvParser parser;
  const char delim;
  std::string na_value;
};

// One row on its way to entry `index` of each column.
class RowParser {
 public:
  RowParser(KernelRun& run, uint8_t* const* columns)
      : run_(run), table_(run.state<CsvTable>()), out_(columns) {}

  Status parse(std::string_view text, int64_t index);

 private:
  // Reads the field at `at` and steps over what ends it.
  Status next(const char*& at, const char* end);
  Status take(std::string_view text);
  template <class T>
  Status take_number(std::string_view text);
  Status missing(std::string_view text) const;
  std::string where() const { return concat(" in field ", field_, " of decode_csv"); }
  template <class T>
  void put(const T& value) {
    std::memcpy(out_[field_] + static_cast<size_t>(index_) * sizeof value, &value, sizeof value);
  }

  KernelRun& run_;
  const CsvTable& table_;
  uint8_t* const* const out_;
  int64_t index_ = 0;
  size_t field_ = 0;
};

std::string shown(std::string_view text) { return quote(text.substr(0, kShownBytes)); }

Status RowParser::parse(std::string_view text, int64_t index) {
  index_ = index;
  field_ = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    // As TensorFlow does.
    if (*at == '\n' || *at == '\r') {
      ++at;
      continue;
    }
    WEIR_TRY(next(at, end));
    ++field_;
  }
  // The last field is empty.
  if (!text.empty() && text.back() == table_.delim) {
    WEIR_TRY(take({}));
    ++field_;
  }
  if (field_ == table_.columns.size()) return Status();
  return invalid_argument(expected_found(
      concat(table_.columns.size(), table_.columns.size() == 1 ? " field" : " fields", " for decode_csv"),
      concat(field_)));
}

// Reads the field at `at` and steps over the delimiter that ends it.
Status RowParser::next(const char*& at, const char* end) {
  const bool quoted = table_.quotes && *at == '"';
  CsvField field;
  const CsvEnd ended = table_.parser.next(at, end, true, field);
  const char* const stop = field.bytes.data() + field.bytes.size() + (quoted ? 1 : 0);
  if (field.mistake == nullptr && ended == CsvEnd::row && stop != end) {
    field.mistake = "a line end inside a field must stand in quotes, and none follows the last field";
  }
  if (field.mistake != nullptr) {
    return invalid_argument(expected_found(concat("a field", where(), " that RFC 4180 allows"),
                                           shown(field.bytes), field.mistake));
  }
  if (!field.doubled) return take(field.bytes);
  char* const copy = run_.bytes(field.bytes.size());
  return take({copy, CsvParser::undouble(field.bytes, copy)});
}

Status RowParser::take(std::string_view text) {
  // A field too many; its number is an error anyway.
  if (field_ >= table_.columns.size()) return Status();
  const CsvColumn& column = table_.columns[field_];
  if (text.empty() || text == table_.na_value) {
    if (!column.has_fallback) return missing(text);
    if (column.dtype == DType::string) {
      put(column.string);
    } else if (dtype_size(column.dtype) == sizeof(uint32_t)) {
      put(static_cast<uint32_t>(column.number));
    } else {
      put(column.number);
    }
    return Status();
  }
  switch (column.dtype) {
    case DType::string:
      put(Str(text));
      return Status();
    case DType::int32:
      return take_number<int32_t>(text);
    case DType::int64:
      return take_number<int64_t>(text);
    case DType::float32:
      return take_number<float>(text);
    default:
      return take_number<double>(text);
  }
}

template <class T>
Status RowParser::take_number(std::string_view text) {
  T value{};
  if (!parse_number(text, value)) {
    return invalid_argument(expected_found(
        concat(std::is_integral_v<T> ? "an " : "a ", dtype_name(dtype_of<T>), where()), shown(text)));
  }
  put(value);
  return Status();
}

Status RowParser::missing(std::string_view text) const {
  return invalid_argument(expected_found(concat("a value", where()), text.empty() ? "nothing" : shown(text),
                                         "write a default in place of the column's dtype"));
}

void decode_csv_body(KernelRun& run) {
  const Arg& rows = run.arg(0);
  const auto& table = run.state<CsvTable>();
  std::vector<uint8_t*> out(table.columns.size());
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = run.make(static_cast<int>(i), rows.shape);
    if (out[i] == nullptr) return;
  }
  if (table.strings.buffer) run.keep(table.strings.buffer);
  RowParser parser(run, out.data());
  const int64_t count = rows.shape.count();
  for (int row = 0; row < run.rows(); ++row) {
    const Str* texts = rows.row<Str>(row);
    for (int64_t k = 0; k < count; ++k) {
      const Status status = parser.parse(texts[k].view(), row * count + k);
      if (status.ok()) continue;
      run.fail(row, at_string(status, k, count));
      break;
    }
  }
}

bool is_column(DType dtype) {
  return dtype == DType::int32 || dtype == DType::int64 || dtype == DType::float32 ||
         dtype == DType::float64 || dtype == DType::string;
}

// Adds the columns and, to `strings`, what stands for empty fields of those that are strings.
Status read_columns(KernelCall& call, CsvTable& table, std::vector<Tensor>& strings) {
  const syntax::Node& list = call.node(1);
  if (list.kind != syntax::Kind::list || list.items.empty()) {
    return call.error(1, "expected a list of columns, such as [int64, 0.5, string]");
  }
  for (const syntax::Item& item : list.items) {
    CsvColumn& column = table.columns.emplace_back();
    column.dtype = item.value->dtype;
    if (item.value->kind != syntax::Kind::dtype) {
      WEIR_ASSIGN(Tensor value, call.constant_of(*item.value, DType::invalid));
      column.dtype = value.dtype;
      column.has_fallback = true;
      if (!(value.shape == Shape())) {
        return call.error(1, expected_found("a scalar for a column's empty fields",
                                            concat("the shape ", value.shape.to_string())));
      }
      if (value.dtype == DType::string) {
        strings.push_back(std::move(value));
      } else if (is_column(value.dtype)) {
        std::memcpy(&column.number, value.data, dtype_size(value.dtype));
      }
    }
    if (!is_column(column.dtype)) {
      return call.error(1, expected_found("columns of int32, int64, float32, float64 or string",
                                          dtype_name(column.dtype), "cast the result"));
    }
  }
  return Status();
}

// Puts the strings of empty fields into one buffer.
void set_strings(CsvTable& table, const std::vector<Tensor>& strings) {
  if (strings.empty()) return;
  std::vector<std::string_view> views;
  for (const Tensor& each : strings) views.push_back(each.as<const Str>()->view());
  table.strings = Tensor::strings(views, Shape{static_cast<int64_t>(views.size())});
  const Str* next = table.strings.as<const Str>();
  for (CsvColumn& column : table.columns) {
    if (column.dtype == DType::string && column.has_fallback) column.string = *next++;
  }
}

Status decode_csv_infer(KernelCall& call) {
  if (call.dtype(0) != DType::string) return wrong_dtype(call, 0, "string");
  WEIR_ASSIGN(const std::string delim, call.text(2));
  WEIR_ASSIGN(const bool quotes, call.flag(3));
  if (delim.size() != 1 || delim == "\n" || delim == "\r" || (quotes && delim == "\"")) {
    return call.error(2, expected_found("one byte that ends no line and is no quote", quote(delim)));
  }
  auto table = std::make_shared<CsvTable>(delim[0], quotes);
  WEIR_ASSIGN(table->na_value, call.text(4));
  std::vector<Tensor> strings;
  WEIR_TRY(read_columns(call, *table, strings));
  set_strings(*table, strings);
  std::vector<Spec> members;
  for (const CsvColumn& column : table->columns) members.push_back(Spec::tensor(column.dtype, call.shape(0)));
  call.result(Spec::tuple(std::move(members)));
  call.body(decode_csv_body, std::move(table));
  return Status();
}

}  // namespace

extern constinit const Kernel decode_csv_kernel{
    .name = "decode_csv",
    .params =
        {{.name = "s", .doc = "A row as a string, or a tensor of rows."},
         {.name = "columns",
          .kind = ParamKind::syntax,
          .doc =
              "Each field's dtype, if every row has a value for it, or the default for empty fields. int32, int64, float32, float64 or string."},
         {.name = "delim",
          .kind = ParamKind::constant,
          .type = "string",
          .fallback = "\",\"",
          .doc = "The byte between fields."},
         {.name = "quote",
          .kind = ParamKind::constant,
          .type = "bool",
          .fallback = "true",
          .doc = "Fields may be in double quotes, with delimiters and line ends inside and quotes doubled."},
         {.name = "na_value",
          .kind = ParamKind::constant,
          .type = "string",
          .fallback = "\"\"",
          .doc = "A field of exactly these bytes counts as empty."}},
    .infer = decode_csv_infer,
    .doc =
        "Splits a CSV row into a tuple of typed fields, as tf.io.decode_csv. Numbers may have spaces around them; strings stay as they are. The wrong number of fields, a missing value, a malformed number, a stray quote or a line end outside quotes is an error of the element.",
    .result = "A tuple of the columns' dtypes, each with the shape of `s`.",
    .cost = "One pass over the bytes; strings are views of the row, those with doubled quotes copies.",
    .example = R"(from_tensor_slices(["1,a", ",\"b,c\""]) | map(s -> decode_csv(s, [-1, string])))",
    .output = "(1, \"a\")\n(-1, \"b,c\")",
    .bench = "decode_csv(s, [string])",
    .can_fail = true};

}  // namespace weir
