#include "convert.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "common.h"
#include "core/text.h"
#include "example_features.h"
#include "files.h"
#include "format/parse_number.h"
#include "place.h"
#include "progress.h"
#include "records_info.h"
#include "structure.h"
#include "table_sample.h"
#include "write_elements.h"

namespace weir::command {

namespace {

// A value of a row: a name, and entries of one kind. Those of float64 and uint64, which Examples lack, are
// apart from the other floats and ints.
struct RowValue : Feature {
  std::vector<double> doubles;
  std::vector<uint64_t> unsigneds;

  size_t count() const { return Feature::count() + doubles.size() + unsigneds.size(); }
};
using Row = std::vector<RowValue>;

// The column of records that are no Examples.
constexpr const char* kRecord = "record";

RowValue text_value(std::string name, std::string_view text) {
  RowValue out;
  out.name = std::move(name);
  out.kind = Feature::Kind::bytes;
  out.bytes = {text};
  return out;
}

std::vector<ColumnKind> look_at_values(const Runtime& runtime, const DataFile& file) {
  std::vector<ColumnKind> columns(file.columns.size());
  each_row(
      runtime, rows_of(runtime, file), -1,
      [&](const Element& element) {
        for (uint32_t i = 0; i < columns.size(); ++i) columns[i].add(element.get<std::string_view>(i));
        return true;
      },
      [](const Error& error) -> bool { throw error; });
  return columns;
}

std::vector<Feature::Kind> kinds_of_columns(const Runtime& runtime, const DataFile& file) {
  // What a float32 would change stays the text that it is.
  constexpr std::array<Feature::Kind, 4> kKinds = {Feature::Kind::ints, Feature::Kind::floats,
                                                   Feature::Kind::bytes, Feature::Kind::bytes};
  std::vector<Feature::Kind> out;
  for (const ColumnKind& column : look_at_values(runtime, file))
    out.push_back(kKinds[static_cast<size_t>(column.kind())]);
  return out;
}

RowValue column_value(const std::string& name, Feature::Kind kind, std::string_view text) {
  RowValue out = text_value(name, text);
  if (kind == Feature::Kind::bytes) return out;
  out.bytes.clear();
  out.kind = text.empty() ? Feature::Kind::none : kind;
  if (text.empty()) return out;
  if (kind == Feature::Kind::ints) parse_number(text, out.ints.emplace_back());
  if (kind == Feature::Kind::floats) parse_number(text, out.floats.emplace_back());
  return out;
}

template <class From, class To>
void append_numbers(const weir_view& view, size_t count, std::vector<To>& out) {
  const auto* values = static_cast<const From*>(view.data);
  for (size_t i = 0; i < count; ++i) out.push_back(static_cast<To>(values[i]));
}

// A tensor of saved elements, whose type the notation writes as `type`.
RowValue tensor_value(const std::string& name, const std::string& type, const weir_view& view) {
  RowValue out;
  out.name = name;
  size_t count = 1;
  for (int32_t i = 0; i < view.rank; ++i) count *= static_cast<size_t>(view.dims[i]);
  switch (view.dtype) {
    case WEIR_DTYPE_STRING:
      out.kind = Feature::Kind::bytes;
      for (size_t i = 0; i < count; ++i) {
        const auto& text = static_cast<const weir_string*>(view.data)[i];
        out.bytes.emplace_back(text.data, text.size);
      }
      return out;
    case WEIR_DTYPE_FLOAT32:
    case WEIR_DTYPE_FLOAT64:
      out.kind = Feature::Kind::floats;
      if (view.dtype == WEIR_DTYPE_FLOAT32) {
        append_numbers<float>(view, count, out.floats);
      } else {
        append_numbers<double>(view, count, out.doubles);
      }
      return out;
    default:
      break;
  }
  out.kind = Feature::Kind::ints;
  switch (view.dtype) {
    case WEIR_DTYPE_BOOL:
    case WEIR_DTYPE_UINT8:
      append_numbers<uint8_t>(view, count, out.ints);
      break;
    case WEIR_DTYPE_INT8:
      append_numbers<int8_t>(view, count, out.ints);
      break;
    case WEIR_DTYPE_INT16:
      append_numbers<int16_t>(view, count, out.ints);
      break;
    case WEIR_DTYPE_UINT16:
      append_numbers<uint16_t>(view, count, out.ints);
      break;
    case WEIR_DTYPE_INT32:
      append_numbers<int32_t>(view, count, out.ints);
      break;
    case WEIR_DTYPE_UINT32:
      append_numbers<uint32_t>(view, count, out.ints);
      break;
    case WEIR_DTYPE_INT64:
      append_numbers<int64_t>(view, count, out.ints);
      break;
    case WEIR_DTYPE_UINT64:
      append_numbers<uint64_t>(view, count, out.unsigneds);
      break;
    default:
      fail(WEIR_CODE_INVALID_ARGUMENT,
           concat("expected numbers that Examples and tables have, and strings, found ", type, " in ", name,
                  "; write a folder instead"));
  }
  return out;
}

// Rows have a value of each name.
void check_distinct(const DataFile& file, const std::vector<std::string>& names) {
  std::set<std::string_view> found;
  for (const std::string& name : names) {
    if (!found.insert(name).second)
      fail(WEIR_CODE_INVALID_ARGUMENT,
           concat("expected columns of different names in ", file.shown, ", found ", quoted(name, SIZE_MAX),
                  " twice; rename one of them"));
  }
}

// Gives the rows of a file of any kind as values with names.
class RowReader {
 public:
  RowReader(const Runtime& runtime, DataFile file)
      : runtime_(runtime), file_(std::move(file)), rows_(rows_of(runtime, file_)) {
    if (file_.kind == FileKind::csv) kinds_ = kinds_of_columns(runtime, file_);
    if (has_structure(file_.kind) || file_.kind == FileKind::objects || file_.kind == FileKind::elements) {
      const Spec spec = rows_.spec();
      const Structure root = structure_of(spec);
      for (const auto& part : detail::parts_of(spec)) {
        names_.push_back(part.path.empty() && !root.is_dict() ? "value" : part.path);
        types_.push_back(part.text);
      }
      add_values(root, -1);
      named_ = root.kind == WEIR_SPEC_DICT || root.kind == WEIR_SPEC_TUPLE;
      const Structure& only = named_ && root.members.size() == 1 ? root.members[0].second : root;
      one_string_ = only.kind == WEIR_SPEC_TENSOR && only.dtype == WEIR_DTYPE_STRING && only.dims.empty() &&
                    !only.any_rank;
    }
    check_distinct(file_, known_columns());
  }

  // In the order in which they appear first.
  std::vector<std::string> columns() {
    std::vector<std::string> out = known_columns();
    if (file_.kind != FileKind::records) return out;
    bool strings = false;
    each([&](const Row& row, const std::string_view* raw) {
      strings = strings || raw->empty();
      for (const RowValue& value : row) {
        if (std::find(out.begin(), out.end(), value.name) == out.end()) out.push_back(value.name);
      }
    });
    if (out.empty() && strings) out.emplace_back(kRecord);
    return out;
  }

  // Whether each value has a name in the file, which an Example keeps.
  bool named() const { return named_; }

  // `raw` is the record or line itself where all rows are one string by their type, else null.
  void each(const std::function<void(Row& row, const std::string_view* raw)>& take) {
    each_row(
        runtime_, rows_, -1,
        [&](const Element& element) {
          give(element, take);
          return true;
        },
        [](const Error& error) -> bool { throw error; });
  }

 private:
  // Those of all kinds of files but records, without reading them.
  std::vector<std::string> known_columns() const {
    if (file_.kind == FileKind::csv) return file_.columns;
    if (file_.kind == FileKind::text) return {"line"};
    std::vector<std::string> out;
    for (const Value& value : values_) out.push_back(names_[value.component]);
    return out;
  }

  void give(const Element& element, const std::function<void(Row&, const std::string_view*)>& take) {
    Row row;
    if (file_.kind == FileKind::records || file_.kind == FileKind::text) {
      const auto raw = element.get<std::string_view>(0);
      if (file_.kind == FileKind::text) {
        row.push_back(text_value("line", raw));
        return take(row, &raw);
      }
      Record record = read_record(raw);
      if (record.kind == Record::Kind::example) {
        for (Feature& feature : record.features) row.push_back({std::move(feature), {}, {}});
      } else if (!raw.empty()) {
        row.push_back(text_value(kRecord, raw));
      }
      return take(row, &raw);
    }
    if (file_.kind == FileKind::csv) {
      for (uint32_t i = 0; i < file_.columns.size(); ++i)
        row.push_back(column_value(file_.columns[i], kinds_[i], element.get<std::string_view>(i)));
      return take(row, nullptr);
    }
    for (const Value& value : values_) {
      if (value.present >= 0 && !element.get<bool>(static_cast<uint32_t>(value.present))) {
        row.emplace_back().name = names_[value.component];
      } else {
        row.push_back(
            tensor_value(names_[value.component], types_[value.component], element.view(value.component)));
      }
    }
    take(row, one_string_ ? &row[0].bytes[0] : nullptr);
  }

  // `present`: the component that tells whether it is there; -1: it always is.
  struct Value {
    uint32_t component;
    int64_t present;
  };
  void add_values(const Structure& value, int64_t present) {
    if (value.kind == WEIR_SPEC_OPTIONAL) return add_values(value.members[0].second, value.first);
    for (const auto& [key, member] : value.members) add_values(member, present);
    for (uint32_t i = 0; value.members.empty() && i < value.components; ++i)
      values_.push_back({value.first + i, present});
  }

  const Runtime& runtime_;
  const DataFile file_;
  const Dataset rows_;
  std::vector<Feature::Kind> kinds_;
  // Of the components.
  std::vector<std::string> names_;
  std::vector<std::string> types_;
  std::vector<Value> values_;
  bool named_ = false;
  bool one_string_ = false;
};

uint64_t bytes_of(const Row& row) {
  uint64_t out = kRecordBytes;
  for (const RowValue& value : row) {
    out +=
        value.floats.size() * 4 + value.doubles.size() * 8 + (value.ints.size() + value.unsigneds.size()) * 2;
    for (std::string_view text : value.bytes) out += text.size() + 1;
  }
  return out;
}

// As the dtypes that an Example has. Throws an Error of a number that would change.
void narrow(RowValue& value, uint64_t row) {
  const auto refuse = [&](const char* expected, const std::string& found, const char* dtype) {
    fail(WEIR_CODE_INVALID_ARGUMENT,
         concat("expected ", expected, ", found ", found, " in ", value.name, " of row ", row,
                "; write a .jsonl, a .parquet or a folder instead, or save() the column as ", dtype,
                " and convert that"));
  };
  for (const double number : value.doubles) {
    if (!is_single(number))
      refuse("numbers whose digits a float32 has, as Examples have no float64", float_text(number),
             "float32");
    value.floats.push_back(static_cast<float>(number));
  }
  for (const uint64_t number : value.unsigneds) {
    if (number > INT64_MAX)
      refuse("numbers up to 2^63 - 1, as Examples have no uint64", std::to_string(number), "string");
    value.ints.push_back(static_cast<int64_t>(number));
  }
}

Bytes example_of(Row& row, uint64_t number) {
  ExampleBuilder builder;
  for (RowValue& value : row) {
    narrow(value, number);
    if (value.kind == Feature::Kind::bytes) {
      builder.set(value.name, Span<const std::string_view>(value.bytes.data(), value.bytes.size()));
    } else if (value.kind == Feature::Kind::floats) {
      builder.set(value.name, Span<const float>(value.floats.data(), value.floats.size()));
    } else if (value.kind == Feature::Kind::ints) {
      builder.set(value.name, Span<const int64_t>(value.ints.data(), value.ints.size()));
    }
  }
  return builder.serialize();
}

std::string csv_value(const RowValue* value, char delim) {
  if (!value || value->count() == 0) return "";
  if (value->count() > 1) {
    const bool fits_example = value->doubles.empty() && value->unsigneds.empty();
    fail(WEIR_CODE_INVALID_ARGUMENT,
         concat("expected one value in each column, found ", value->count(), " of the feature ", value->name,
                "; write a ", fits_example ? ".tfrecord" : ".jsonl", " or a folder instead"));
  }
  if (!value->ints.empty()) return std::to_string(value->ints[0]);
  if (!value->unsigneds.empty()) return std::to_string(value->unsigneds[0]);
  if (!value->floats.empty()) return float_text(value->floats[0]);
  if (!value->doubles.empty()) return float_text(value->doubles[0]);
  return csv_field(value->bytes[0], delim);
}

uint64_t write_records(const Runtime& runtime, RowReader& reader, const std::string& to, Progress& progress) {
  NewFile out(runtime, to, 0);
  uint64_t count = 0;
  reader.each([&](Row& row, const std::string_view* raw) {
    if (raw && !reader.named()) {
      out.write(*raw);
    } else {
      const Bytes example = example_of(row, count);
      out.write(example.view());
    }
    ++count;
    progress.add(bytes_of(row));
  });
  out.finish();
  return count;
}

uint64_t write_table(const Runtime& runtime, RowReader& reader, const std::string& to, Progress& progress) {
  const char delim = bare(to).ends_with(".tsv") ? '\t' : ',';
  const std::vector<std::string> names = reader.columns();
  NewFile out(runtime, to, WEIR_RECORD_WRITER_PLAIN);
  std::string line;
  if (!names.empty()) out.write(header_row(names, delim) + "\n");
  uint64_t count = 0;
  reader.each([&](const Row& row, const std::string_view*) {
    if (names.empty())
      fail(WEIR_CODE_INVALID_ARGUMENT,
           "expected rows with columns, found none in any row; write a .tfrecord or a folder instead");
    line.clear();
    for (size_t i = 0; i < names.size(); ++i) {
      const auto found =
          std::find_if(row.begin(), row.end(), [&](const RowValue& value) { return value.name == names[i]; });
      if (i > 0) line += delim;
      line += csv_value(found == row.end() ? nullptr : &*found, delim);
    }
    // A line without anything would be none.
    if (names.size() == 1 && line.empty()) line = "\"\"";
    out.write(line + "\n");
    ++count;
    progress.add(bytes_of(row));
  });
  out.finish();
  return count;
}

uint64_t write_lines(const Runtime& runtime, RowReader& reader, const std::string& to, Progress& progress) {
  NewFile out(runtime, to, WEIR_RECORD_WRITER_PLAIN);
  uint64_t count = 0;
  reader.each([&](const Row& row, const std::string_view* raw) {
    if (!raw)
      fail(WEIR_CODE_INVALID_ARGUMENT,
           "expected rows of one string to write as lines, found other values; write a folder instead");
    if (raw->find('\n') != std::string_view::npos) {
      fail(WEIR_CODE_INVALID_ARGUMENT, "expected strings without line ends, found one in row " +
                                           std::to_string(count) + "; write a .csv or a .tfrecord instead");
    }
    out.write(*raw);
    out.write("\n");
    ++count;
    progress.add(bytes_of(row));
  });
  out.finish();
  return count;
}

// The elements of a file of named values: a dict of the columns or of the features, else as they are read.
Dataset elements_of(const Runtime& runtime, const DataFile& file, bool features) {
  if (file.kind == FileKind::records && features) {
    const std::string parser = parser_of(runtime, file);
    if (parser.empty()) return rows_of(runtime, file);
    return parse(runtime, "@rows | " + parser, {{"rows", rows_of(runtime, file)}});
  }
  if (file.kind == FileKind::csv && file.columns.empty())
    return parse(runtime, "@rows | map(_ -> {})", {{"rows", rows_of(runtime, file)}});
  if (file.kind != FileKind::csv) return rows_of(runtime, file);
  check_distinct(file, file.columns);
  constexpr std::array<const char*, 4> kTypes = {"int64", "float32", "float64", "string"};
  std::string columns;
  std::string names;
  std::string members;
  const std::vector<ColumnKind> kinds = look_at_values(runtime, file);
  for (size_t i = 0; i < kinds.size(); ++i) {
    const std::string comma = i == 0 ? "" : ", ";
    const std::string name = concat("c", i);
    const char* const type = kTypes[static_cast<size_t>(kinds[i].kind())];
    const bool numbers = kinds[i].kind() != ColumnKind::Kind::text;
    const bool optional = numbers && kinds[i].missing() > 0;
    columns += comma + (numbers && !optional ? type : "\"\"");
    names += comma + name;
    members += concat(comma, quoted(file.columns[i], SIZE_MAX), ": ");
    members += !optional ? name
                         : concat("if ", name, " == \"\" then nothing(", type, ") else some(to_number(", name,
                                  ", ", type, "))");
  }
  const std::string text = "csv(@file, [" + columns + "], compression: \"auto\", delim: @delim" +
                           (file.quotes ? "" : ", quote: false") + (file.header ? ", header: true)" : ")") +
                           " | map((" + names + (kinds.size() == 1 ? ",) -> {" : ") -> {") + members + "})";
  return parse(runtime, text, {{"file", file.name}, {"delim", file.delim}});
}

// What a list of objects with the vectors of a dict would be as a field; empty if it can be none.
std::string list_field(const Spec& spec) {
  const weir_spec_info info = spec.info();
  if (info.kind == WEIR_SPEC_OPTIONAL) return list_field(spec.child(0));
  if (info.kind != WEIR_SPEC_DICT) return "";
  constexpr std::string_view kVector = "[?]";
  std::string out;
  for (uint32_t i = 0; i < info.child_count; ++i) {
    const bool ragged = spec.child(i).info().kind == WEIR_SPEC_RAGGED;
    std::string type = spec.child(i).text();
    if (!ragged && !type.ends_with(kVector)) return "";
    if (ragged) {
      type.resize(type.find('>'));
      type.replace(type.find('<'), 1, "(");
      type += ')';
    } else {
      type.resize(type.size() - kVector.size());
    }
    out += concat(i == 0 ? "" : ", ", quote(spec.key(i)), ": ", type);
  }
  return out.empty() ? "" : concat("list({", out, "})");
}

bool builds(const Runtime& runtime, const std::string& text, const DataFile& file) {
  try {
    parse(runtime, text, {{"file", file.name}});
    return true;
  } catch (const Error& error) {
    if (error.code() != WEIR_CODE_INVALID_ARGUMENT) throw;
    return false;
  }
}

// Finds the dicts that are lists of objects in a file of Parquet or Arrow, whose reader takes them as such.
// `begin` and `end` are around a field of the dict at `place`.
void find_objects(const Runtime& runtime, const DataFile& file, const Spec& spec, const std::string& place,
                  const std::string& begin, const std::string& end, std::vector<std::string>& out) {
  const weir_spec_info info = spec.info();
  if (info.kind == WEIR_SPEC_OPTIONAL)
    return find_objects(runtime, file, spec.child(0), place, begin, end, out);
  for (uint32_t i = 0; info.kind == WEIR_SPEC_DICT && i < info.child_count; ++i) {
    const std::string key = spec.key(i);
    const std::string member = concat(begin, "{", quote(key), ": ");
    const std::string field = list_field(spec.child(i));
    const std::string text = concat(file.source, "(@file, ", member, field, "}", end, ")");
    if (!field.empty() && builds(runtime, text, file)) {
      out.push_back(place + kBelow + key);
    } else {
      find_objects(runtime, file, spec.child(i), place + kBelow + key, member, "}" + end, out);
    }
  }
}

uint64_t write_saved(const Runtime& runtime, const Dataset& rows, const std::string& to) {
  std::optional<Unfinished> folder;
  if (!is_elsewhere(to)) folder.emplace(to);
  const std::string& name = folder ? folder->name() : to;
  const Dataset saving = parse(runtime, "@rows | save(@name)", {{"rows", rows}, {"name", name}});
  each_row(
      runtime, saving, -1, [](const Element&) { return true; },
      [](const Error& error) -> bool { throw error; });
  if (folder) folder->publish();
  const Dataset written = parse(runtime, "load(@to)", {{"to", to}});
  return static_cast<uint64_t>(std::max<int64_t>(written.cardinality(), 0));
}

// What a file that is yet to be written is to be, by its name: .csv .tsv .txt .jsonl .tfrecord .tar, which
// may be followed by that of a compression, .npy, .npz, .parquet, .arrow, .feather or .arrows; a name without
// a suffix is a folder for saved elements. Throws invalid_argument for others.
FileKind kind_to_write(const std::string& name) {
  if (is_standard_input(name))
    fail(WEIR_CODE_INVALID_ARGUMENT,
         "expected a file to write, found `-`; its name says which format, so standard output is none");
  constexpr std::array<std::pair<std::string_view, FileKind>, 18> kSuffixes = {
      {{".csv", FileKind::csv},
       {".tsv", FileKind::csv},
       {".txt", FileKind::text},
       {".text", FileKind::text},
       {".jsonl", FileKind::objects},
       {".ndjson", FileKind::objects},
       {".tar", FileKind::elements},
       {".tfrecord", FileKind::records},
       {".tfrecords", FileKind::records},
       {".record", FileKind::records},
       {".records", FileKind::records},
       {".npy", FileKind::array},
       {".npz", FileKind::arrays},
       {".parquet", FileKind::columns},
       {".arrow", FileKind::columns},
       {".feather", FileKind::columns},
       {".arrows", FileKind::columns},
       {"/", FileKind::saved}}};
  for (const auto& [suffix, kind] : kSuffixes) {
    const bool plain = kind == FileKind::array || kind == FileKind::arrays || kind == FileKind::columns;
    if ((plain ? std::string_view(name) : bare(name)).ends_with(suffix)) return kind;
  }
  if (std::filesystem::path(name).extension().empty()) return FileKind::saved;
  throw Error(
      WEIR_CODE_INVALID_ARGUMENT,
      "expected a file to write that ends in .csv, .tsv, .txt, .jsonl, .tar, .tfrecord, which .gz, .zst and others may follow, .npy, .npz, .parquet or .arrow, or a folder, found " +
          name);
}

uint64_t write(const Runtime& runtime, const DataFile& file, const std::string& to, FileKind kind) {
  Progress progress(file.shown, file.compression == "none" && kind != FileKind::saved ? file.size : 0);
  if (kind == FileKind::saved) return write_saved(runtime, elements_of(runtime, file, false), to);
  if (kind == FileKind::records || kind == FileKind::csv || kind == FileKind::text) {
    RowReader reader(runtime, file);
    return kind == FileKind::records ? write_records(runtime, reader, to, progress)
           : kind == FileKind::csv   ? write_table(runtime, reader, to, progress)
                                     : write_lines(runtime, reader, to, progress);
  }
  const Elements elements{runtime, elements_of(runtime, file, true),
                          file.kind == FileKind::text ? "line" : "value", progress, file.source_paths};
  return kind == FileKind::objects    ? write_objects(elements, to)
         : kind == FileKind::elements ? write_archive(elements, to)
         : kind == FileKind::columns  ? write_columns(elements, to)
                                      : write_arrays(elements, to, kind == FileKind::array);
}

// Values that no type has are text in formats that have no JSON.
void tell_of_json(const DataFile& file, const std::string& to) {
  constexpr size_t kMostNames = 10;
  std::string names;
  const std::vector<std::string>& paths = file.source_paths.json;
  for (size_t i = 0; i < std::min(paths.size(), kMostNames); ++i) {
    std::string name = paths[i].substr(1);
    std::replace(name.begin(), name.end(), kBelow, '.');
    names += concat(i == 0 ? "" : ", ", escaped(name));
  }
  if (paths.size() > kMostNames) names += ", …";
  if (!names.empty())
    print(stderr, concat("note: fields without one type are JSON text in ", to, ": ", names, "\n"));
}

}  // namespace

void convert_file(const Arguments& arguments) {
  const Runtime runtime(runtime_options(arguments));
  const std::string& to = arguments.files[1];
  const FileKind kind = kind_to_write(to);
  DataFile file = look_at(runtime, arguments.files[0], arguments.header);
  if (file.title && !arguments.header)
    fail(WEIR_CODE_INVALID_ARGUMENT,
         concat("expected rows of ", file.columns.size(), " fields in ", file.shown,
                ", found another number in the first, which looks like a title; --header leaves it out"));
  check_absent(runtime, to);
  infer_fields(runtime, file, -1);
  if (file.source == "parquet" || file.source == "arrow")
    find_objects(runtime, file, rows_of(runtime, file).spec(), "", "", "", file.source_paths.objects);
  if (kind != FileKind::objects && kind != FileKind::elements) tell_of_json(file, to);
  const uint64_t count = write(runtime, file, to, kind);
  print(stdout, to + ": " + counted(count, "row") + "\n");
}

}  // namespace weir::command
