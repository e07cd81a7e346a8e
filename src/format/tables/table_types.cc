#include "format/tables/table_types.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <utility>

#include "core/text.h"

namespace weir {

namespace {

using Form = FieldType::Form;
using Kind = TableType::Kind;

// Precisions up to this are float64 by themselves: they come back from it.
constexpr int kMostFloatDigits = 15;
constexpr int kMostNesting = 64;
// Of the names in an error, about.
constexpr size_t kMostNamesBytes = 100;

// What a map is a list of has a mark, since its members may have any names.
bool is_entry_of_map(const ArrowSchema& table) {
  return table.n_children == 2 && table.name && std::string_view(table.name) == kMapEntry;
}

int64_t number_at(std::string_view& text) {
  int64_t out = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc()) return -1;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  if (text.starts_with(',')) text.remove_prefix(1);
  return out;
}

TableType decimal_of(std::string_view text) {
  TableType out{.kind = Kind::decimal, .size = 16};
  text.remove_prefix(2);
  out.precision = static_cast<int>(number_at(text));
  out.scale = static_cast<int>(number_at(text));
  if (!text.empty()) out.size = number_at(text) / 8;
  const bool known = out.size == 4 || out.size == 8 || out.size == 16 || out.size == 32;
  if (!known || out.precision <= 0 || out.scale < 0) return {};
  return out;
}

int64_t unit_of(char letter) {
  switch (letter) {
    case 's':
      return 1'000'000'000;
    case 'm':
      return 1'000'000;
    case 'u':
      return 1'000;
    default:
      return 1;
  }
}

TableType time_of(std::string_view text) {
  if (text == "tdD") return {.kind = Kind::number, .dtype = DType::int32};
  if (text == "tdm") return {.kind = Kind::time, .dtype = DType::int64, .unit = unit_of('m')};
  if (text.size() < 3 || (text[1] != 't' && text[1] != 's' && text[1] != 'D')) return {};
  const bool narrow = text == "tts" || text == "ttm";
  return {.kind = Kind::time, .dtype = narrow ? DType::int32 : DType::int64, .unit = unit_of(text[2])};
}

DType number_of(char letter) {
  constexpr std::string_view kLetters = "cCsSiIlLefg";
  constexpr DType kTypes[] = {DType::int8,    DType::uint8,   DType::int16,  DType::uint16,
                              DType::int32,   DType::uint32,  DType::int64,  DType::uint64,
                              DType::float16, DType::float32, DType::float64};
  const size_t at = kLetters.find(letter);
  return at == kLetters.npos ? DType::invalid : kTypes[at];
}

// The value of a key in a schema's metadata: numbers of 4 bytes before keys and values, and how many there
// are.
std::string_view metadata_of(const ArrowSchema& column, std::string_view wanted) {
  const char* at = column.metadata;
  if (!at) return {};
  const auto number = [&at] {
    int32_t out = 0;
    std::memcpy(&out, at, sizeof out);
    at += sizeof out;
    return out;
  };
  const auto text = [&] {
    const int32_t size = number();
    const std::string_view out(at, static_cast<size_t>(std::max(size, 0)));
    at += out.size();
    return out;
  };
  for (int32_t left = number(); left > 0; --left) {
    const std::string_view key = text();
    const std::string_view value = text();
    if (key == wanted) return value;
  }
  return {};
}

TableType fixed_of(const ArrowSchema& column, int64_t size) {
  if (size == 16 && metadata_of(column, "ARROW:extension:name") == "weir.nanoseconds")
    return {.kind = Kind::wide_time, .dtype = DType::int64, .size = size};
  return {.kind = Kind::fixed_text, .dtype = DType::string, .size = size};
}

// Whether entries of a column become those of a field: the same dtype or a wider one.
bool widens(DType from, DType to) {
  if (from == to) return true;
  const auto size = [](DType dtype) { return dtype_size(dtype); };
  const auto is_unsigned = [](DType dtype) {
    return dtype == DType::uint8 || dtype == DType::uint16 || dtype == DType::uint32 ||
           dtype == DType::uint64;
  };
  const auto is_signed = [](DType dtype) {
    return dtype == DType::int8 || dtype == DType::int16 || dtype == DType::int32 || dtype == DType::int64;
  };
  const auto is_float = [](DType dtype) {
    return dtype == DType::float16 || dtype == DType::float32 || dtype == DType::float64;
  };
  const bool alike = (is_signed(from) && is_signed(to)) ||
                     (is_unsigned(from) && (is_unsigned(to) || is_signed(to))) ||
                     (is_float(from) && is_float(to));
  return alike && size(to) > size(from);
}

bool fits_entry(const ArrowSchema& column, DType dtype) {
  const TableType type = table_type(column);
  if (type.kind == Kind::number) return widens(type.dtype, dtype);
  if (type.kind == Kind::decimal) return dtype == DType::float64 || dtype == DType::string;
  return dtype == type.natural();
}

// `depth` lists of them.
bool fits_lists(const ArrowSchema& column, int depth, DType dtype) {
  const ArrowSchema* inner = &column;
  for (; depth > 0; --depth) {
    if (!table_type(*inner).is_list()) return false;
    inner = inner->children[0];
  }
  return fits_entry(*inner, dtype);
}

Status refused(const std::string& path, std::string_view what, std::string hint) {
  return invalid_argument({concat("the column ", quote(path), " ", what), std::move(hint)});
}

constexpr const char* kRepeated = "is there more than once";

int64_t count_columns(const ArrowSchema& table, std::string_view name) {
  if (is_entry_of_map(table)) return 1;
  return std::count_if(table.children, table.children + table.n_children,
                       [&](const ArrowSchema* column) { return column->name && name == column->name; });
}

std::string path_in(const std::string& parent, std::string_view name) {
  return concat(parent, std::string_view("\0", 1), name);
}

// A leaf that is read to learn where a column is null and how long its lists are, and how much its entries
// take, about.
struct Witness {
  std::string path;
  int64_t bytes;
};

// Of what is not read, at least.
constexpr int64_t kUnreadBytes = INT64_MAX / 2;

// The smallest leaf in a column. A map is read as a whole, and so is a structure of which no leaf is read.
Witness witness_of(const ArrowSchema& column, std::string path) {
  constexpr int64_t kListBytes = 64;
  const TableType type = table_type(column);
  if (type.is_list()) {
    Witness out = witness_of(*column.children[0], std::move(path));
    out.bytes += kListBytes;
    return out;
  }
  if (type.kind == Kind::other) return {std::move(path), kUnreadBytes};
  if (type.kind != Kind::object)
    return {std::move(path), std::max(type.size, static_cast<int64_t>(dtype_size(type.dtype)))};
  const bool map = is_entry_of_map(column);
  Witness out{path, map ? 0 : kUnreadBytes};
  for (int64_t i = 0; i < column.n_children; ++i) {
    const ArrowSchema& member = *column.children[i];
    Witness inner = witness_of(member, path_in(path, member.name ? member.name : ""));
    if (map && table_type(member).kind != Kind::object) out.bytes = std::max(out.bytes, inner.bytes);
    if (!map && inner.bytes < out.bytes) out = std::move(inner);
  }
  return out;
}

Status check_all(const std::vector<FieldType>& fields, const ArrowSchema& table, const std::string& parent,
                 bool in_list);

Status check_read(const ArrowSchema& column, const std::string& path) {
  const std::string_view why = metadata_of(column, kNotReadKey);
  if (why.empty()) return {};
  return {Code::unimplemented, concat("the column ", path, " ", why)};
}

Status check_field(const FieldType& field, const ArrowSchema& column, const std::string& path, bool in_list) {
  WEIR_TRY(check_read(column, path));
  const TableType type = table_type(column);
  bool fits = false;
  if (field.form == Form::object) {
    if (type.kind == Kind::object) return check_all(field.members, column, path, in_list);
  } else if (field.form == Form::list) {
    const ArrowSchema* const each = type.is_list() ? column.children[0] : nullptr;
    if (each && table_type(*each).kind == Kind::object) {
      if (witness_of(*each, path).bytes >= kUnreadBytes)
        return refused(path, "is a list of structures that are not read", "leave out the field");
      return check_all(field.members, *each, path, true);
    }
  } else {
    const int depth = field.form == Form::ragged ? (in_list ? 1 : 2) : field.shape.rank();
    fits = fits_lists(column, depth, field.dtype);
  }
  if (fits) return {};
  return invalid_argument(
      expected_found(concat("a column that fits the field ", path, ", ", field.spec(in_list).to_string()),
                     described(column), "integers and floats may become wider, and nothing else"));
}

Status check_all(const std::vector<FieldType>& fields, const ArrowSchema& table, const std::string& parent,
                 bool in_list) {
  for (const FieldType& field : fields) {
    const std::string key = key_text(field.name);
    const int64_t at = field.unread ? -1 : column_in(table, field.name);
    if (at < 0) continue;
    const std::string path = parent.empty() ? key : concat(parent, ".", key);
    if (count_columns(table, field.name) > 1) return refused(path, kRepeated, "rename one of them");
    WEIR_TRY(check_field(field, *table.children[at], path, in_list));
  }
  return {};
}

constexpr const char* kLeaveOut = "say which columns to read by `fields`";

class Natural {
 public:
  explicit Natural(bool nullable) : nullable_(nullable) {}

  Result<FieldType> field(const ArrowSchema& column, const std::string& parent, bool in_list) {
    FieldType out;
    out.name = column.name ? column.name : "";
    const std::string path = parent.empty() ? out.name : concat(parent, ".", out.name);
    if (++depth_ > kMostNesting) return refused(path, "is nested too deep", kLeaveOut);
    WEIR_TRY(take(column, path, in_list, out));
    --depth_;
    if (nullable_ && !in_list && (column.flags & kArrowNullable) != 0) out.optional = true;
    return out;
  }

  Status members(const ArrowSchema& table, const std::string& path, bool in_list,
                 std::vector<FieldType>& out) {
    if (table.n_children > kMaxParts) {
      const std::string which = path.empty() ? "the table" : concat("the column ", quote(path));
      return invalid_argument({concat("an element has at most ", kMaxParts, " parts, and ", which, " has ",
                                      table.n_children, " columns"),
                               kLeaveOut});
    }
    for (int64_t i = 0; i < table.n_children; ++i) {
      if (!metadata_of(*table.children[i], kNotReadKey).empty()) continue;
      WEIR_ASSIGN(FieldType member, field(*table.children[i], path, in_list));
      if (is_entry_of_map(table)) member.name = i == 0 ? "key" : "value";
      if (count_columns(table, member.name) > 1)
        return refused(path.empty() ? member.name : concat(path, ".", member.name), kRepeated, kLeaveOut);
      out.push_back(std::move(member));
    }
    return {};
  }

 private:
  Status entry(const ArrowSchema& column, const std::string& path, FieldType& out) const {
    const TableType type = table_type(column);
    out.dtype = type.natural();
    if (out.dtype != DType::invalid) return {};
    if (type.kind == Kind::decimal) {
      return refused(path, concat("is a decimal of ", type.precision, " digits, which float64 doesn't have"),
                     "give it a field of float64, which rounds, or string");
    }
    return refused(path, concat("is ", described(column), ", which is not read"), kLeaveOut);
  }

  // What lists of fixed sizes are of, if their sizes are a shape.
  static const ArrowSchema* fixed_shape(const ArrowSchema& column, Shape& shape) {
    if (metadata_of(column, kShapeKey).empty()) return nullptr;
    std::vector<int64_t> sizes;
    const ArrowSchema* inner = &column;
    TableType type = table_type(column);
    for (; type.kind == Kind::fixed_list; type = table_type(*inner)) {
      if (type.size < 0 || sizes.size() == kMaxRank - 1) return nullptr;
      sizes.push_back(type.size);
      inner = inner->children[0];
    }
    if (sizes.empty() || type.is_list() || type.kind == Kind::object) return nullptr;
    shape = Shape(sizes);
    return inner;
  }

  Status take(const ArrowSchema& column, const std::string& path, bool in_list, FieldType& out) {
    const TableType type = table_type(column);
    if (type.kind == Kind::object) {
      out.form = Form::object;
      return members(column, path, in_list, out.members);
    }
    if (!type.is_list()) return entry(column, path, out);
    if (const ArrowSchema* const entries = in_list ? nullptr : fixed_shape(column, out.shape))
      return entry(*entries, path, out);
    const ArrowSchema& each = *column.children[0];
    if (table_type(each).kind == Kind::object) {
      if (in_list)
        return refused(path, "is a list of structures inside another one, which is not read", kLeaveOut);
      out.form = Form::list;
      return members(each, path, true, out.members);
    }
    const bool twice = table_type(each).is_list();
    if (twice && in_list)
      return refused(path, "is a list of lists inside a list, which is not read", kLeaveOut);
    if (twice || in_list) {
      out.form = Form::ragged;
    } else {
      out.shape = Shape{kUnknownDim};
    }
    return entry(twice ? *each.children[0] : each, path, out);
  }

  const bool nullable_;
  int depth_ = 0;
};

// `parent` is null for the columns of the table, since a column's name may be empty.
void add_columns(const std::vector<FieldType>& fields, const ArrowSchema& table, const std::string* parent,
                 std::vector<std::string>& out) {
  for (const FieldType& field : fields) {
    const int64_t at = field.unread ? -1 : column_in(table, field.name);
    if (at < 0) continue;
    const ArrowSchema& column = *table.children[at];
    const std::string path = parent ? path_in(*parent, field.name) : field.name;
    if (field.members.empty()) {
      out.push_back(path);
      continue;
    }
    const bool list = field.form == Form::list;
    const ArrowSchema& inner = list ? *column.children[0] : column;
    const size_t before = out.size();
    add_columns(field.members, inner, &path, out);
    if (list && is_entry_of_map(inner)) {
      for (const int64_t part : {0, 1}) {
        const std::string name = path_in(path, part == 0 ? "key" : "value");
        const auto is_inside = [&](const std::string& known) { return known.starts_with(name); };
        if (std::none_of(out.begin() + static_cast<ptrdiff_t>(before), out.end(), is_inside))
          out.push_back(witness_of(*inner.children[part], name).path);
      }
    } else if ((list || field.optional) && out.size() == before) {
      out.push_back(witness_of(inner, path).path);
    }
  }
}

}  // namespace

DType TableType::natural() const {
  if (kind == Kind::time) return DType::int64;
  if (kind == Kind::decimal) return precision <= kMostFloatDigits ? DType::float64 : DType::invalid;
  return dtype;
}

TableType table_type(const ArrowSchema& column) {
  const std::string_view text = column.format ? column.format : "";
  if (text.empty() || column.dictionary) return {};
  if (text.size() == 1) {
    if (text == "b") return {.kind = Kind::boolean, .dtype = DType::boolean};
    if (text == "u" || text == "z") return {.kind = Kind::text, .dtype = DType::string};
    if (text == "U" || text == "Z") return {.kind = Kind::long_text, .dtype = DType::string};
    const DType dtype = number_of(text[0]);
    if (dtype == DType::invalid) return {};
    return {.kind = Kind::number, .dtype = dtype};
  }
  if (text == "vu" || text == "vz") return {.kind = Kind::viewed_text, .dtype = DType::string};
  std::string_view rest = text.substr(2);
  if (text.starts_with("d:")) return decimal_of(text);
  if (text.starts_with("w:")) return fixed_of(column, number_at(rest));
  if (text.starts_with('t')) return time_of(text);
  if (text == "+s") return {.kind = Kind::object};
  if (column.n_children != 1) return {};
  if (text == "+l" || text == "+m") return {.kind = Kind::list};
  if (text == "+L") return {.kind = Kind::long_list};
  rest.remove_prefix(std::min<size_t>(rest.size(), 1));
  if (text.starts_with("+w:")) return {.kind = Kind::fixed_list, .size = number_at(rest)};
  return {};
}

std::string described(const ArrowSchema& column) {
  const TableType type = table_type(column);
  if (type.kind == Kind::decimal) return concat("a decimal of ", type.precision, " digits");
  if (type.kind == Kind::object) return "a structure";
  if (type.is_list()) return concat("a list of ", described(*column.children[0]));
  if (column.dictionary) return concat("a dictionary of ", described(*column.dictionary));
  const DType natural = type.natural();
  if (natural != DType::invalid) return std::string(dtype_name(natural));
  return concat("the Arrow type ", quote(column.format));
}

int64_t column_in(const ArrowSchema& table, std::string_view name) {
  if (is_entry_of_map(table)) return name == "key" ? 0 : name == "value" ? 1 : -1;
  for (int64_t i = 0; i < table.n_children; ++i) {
    const char* const known = table.children[i]->name;
    if (known && name == known) return i;
  }
  return -1;
}

Result<FieldType> natural_field(const ArrowSchema& column, bool nullable) {
  return Natural(nullable).field(column, "", false);
}

Result<std::vector<FieldType>> natural_fields(const ArrowSchema& table, bool nullable) {
  std::vector<FieldType> out;
  WEIR_TRY(Natural(nullable).members(table, "", false, out));
  WEIR_TRY(rows_of_fields(out, table, 0).status());
  for (int64_t i = 0; i < table.n_children && out.empty(); ++i) {
    // Nothing is left.
    const ArrowSchema& column = *table.children[i];
    WEIR_TRY(check_read(column, key_text(column.name ? column.name : "")));
  }
  return out;
}

int64_t rows_of_column(const ArrowSchema& column, int64_t rows) {
  std::string_view text = metadata_of(column, kRowsKey);
  return text.empty() ? rows : number_at(text);
}

Result<int64_t> rows_of_fields(const std::vector<FieldType>& fields, const ArrowSchema& table, int64_t rows) {
  std::map<int64_t, std::string> counts;
  for (const FieldType& field : fields) {
    const int64_t at = column_in(table, field.name);
    if (at < 0) continue;
    std::string& names = counts[rows_of_column(*table.children[at], rows)];
    if (names.size() < kMostNamesBytes) names += concat(names.empty() ? "" : ", ", key_text(field.name));
  }
  if (counts.empty()) return rows;
  if (counts.size() == 1) return counts.begin()->first;
  std::string found;
  for (const auto& [count, names] : counts) {
    if (found.size() < kMostNamesBytes) found += concat(found.empty() ? "" : ", ", count, " (", names, ")");
  }
  return invalid_argument(expected_found("columns with the same number of rows", found, kLeaveOut));
}

std::optional<Mistake> refuse_table_field(const FieldType& field) {
  if (field.form == Form::json) return Mistake{"is json, which columns don't have", "read it as a string"};
  if (field.form == Form::member) return Mistake{"is a member of an archive, which columns don't have", ""};
  return std::nullopt;
}

Status check_fields_of(const std::vector<FieldType>& fields, const ArrowSchema& table) {
  return check_all(fields, table, "", false);
}

std::vector<std::string> columns_of(const std::vector<FieldType>& fields, const ArrowSchema& table) {
  std::vector<std::string> out;
  add_columns(fields, table, nullptr, out);
  return out;
}

}  // namespace weir
