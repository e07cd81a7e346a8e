#include "inspect.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "common.h"
#include "example_features.h"
#include "files.h"
#include "place.h"
#include "progress.h"
#include "records_info.h"
#include "table.h"

namespace weir::command {

namespace {

constexpr int64_t kHeadRows = 10;
// So many lines tell what objects have.
constexpr int64_t kInferredLines = 1000;
// Characters of a value in a table.
constexpr size_t kCellWidth = 32;
constexpr size_t kLineWidth = 120;

// A name takes one line, whatever is in it.
std::string on_one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return text;
}

bool print_error(const Error& error) {
  print(stdout, std::string("error: ") + error.code_name() + ": " + error.what() + "\n");
  return true;
}

// A header of names and dtypes, and a row for each record; a column for each feature that some record has.
class ExampleTable {
 public:
  void add(const Record& record) {
    rows_.emplace_back();
    for (const Feature& feature : record.features) {
      if (feature.kind != Feature::Kind::none || kinds_.find(feature.name) == kinds_.end()) {
        auto& kind = kinds_[feature.name];
        if (kind.empty() || kind == "none") kind = command::kind_name(feature.kind);
      }
      rows_.back()[feature.name] = values_text(feature, kCellWidth);
    }
    for (const FeatureList& list : record.lists) {
      const char* kind = list.steps.empty() ? "none" : command::kind_name(list.steps[0].kind);
      kinds_[list.name] = std::string("list of ") + kind;
      std::string text = "[";
      for (const Feature& step : list.steps) {
        if (text.size() > kCellWidth) {
          text += ", …";
          break;
        }
        text += (text.size() > 1 ? ", " : "") + values_text(step, kCellWidth / 2);
      }
      rows_.back()[list.name] = text + "]";
    }
  }

  void print() const {
    Table table;
    std::vector<std::string> header;
    for (const auto& [name, kind] : kinds_) header.push_back(escaped(name) + ": " + kind);
    table.add(header);
    for (const auto& row : rows_) {
      std::vector<std::string> cells;
      for (const auto& [name, kind] : kinds_) {
        const auto found = row.find(name);
        cells.push_back(found == row.end() ? "-" : found->second);
      }
      table.add(cells);
    }
    table.print(0);
  }

 private:
  std::map<std::string, std::string> kinds_;
  std::vector<std::map<std::string, std::string>> rows_;
};

bool head_records(const Runtime& runtime, const DataFile& file, int64_t count) {
  bool failed = false;
  ExampleTable table;
  std::vector<std::string> others;
  std::vector<std::string> errors;
  bool examples = false;
  bool bytes = false;
  each_row(
      runtime, rows_of(runtime, file), count,
      [&](const Element& element) {
        const auto text = element.get<std::string_view>(0);
        const Record record = read_record(text);
        // One without bytes is an Example that lacks all features, if there are others.
        examples = examples || record.kind != Record::Kind::bytes;
        bytes = bytes || (record.kind == Record::Kind::bytes && !text.empty());
        table.add(record);
        others.push_back(quoted(text, kLineWidth));
        return true;
      },
      [&](const Error& error) {
        failed = true;
        errors.push_back(std::string("error: ") + error.code_name() + ": " + error.what());
        return true;
      });
  if (examples && !bytes) {
    table.print();
  } else {
    for (const std::string& line : others) print(stdout, line + "\n");
  }
  for (const std::string& line : errors) print(stdout, line + "\n");
  return failed;
}

bool head_table(const Runtime& runtime, const DataFile& file, int64_t count) {
  bool failed = false;
  Table table;
  std::vector<std::string> names;
  for (const std::string& name : file.columns) names.push_back(on_one_line(name));
  table.add(names);
  each_row(
      runtime, rows_of(runtime, file), count,
      [&](const Element& element) {
        std::vector<std::string> cells;
        for (uint32_t i = 0; i < file.columns.size(); ++i) {
          const auto text = element.get<std::string_view>(i);
          cells.push_back(text.empty() ? "-" : quoted(text, kCellWidth));
        }
        table.add(cells);
        return true;
      },
      [&](const Error& error) {
        failed = true;
        table.add({std::string("error: ") + error.what()});
        return true;
      });
  table.print(0);
  return failed;
}

bool head_lines(const Runtime& runtime, const DataFile& seen, int64_t count) {
  DataFile file = seen;
  infer_fields(runtime, file, count < kInferredLines ? kInferredLines : count);
  bool failed = false;
  each_row(
      runtime, rows_of(runtime, file), count,
      [&](const Element& element) {
        print(stdout, (file.kind == FileKind::text ? quoted(element.get<std::string_view>(0), kLineWidth)
                                                   : element.text()) +
                          "\n");
        return true;
      },
      [&](const Error& error) { return failed = print_error(error); });
  return failed;
}

// Runs `work(runtime, file, several)` for each file, which returns whether something failed; `several` says
// whether there are more. An Error is reported and the next file follows.
template <class Work>
int each_file(const Arguments& arguments, OtherFormat other, Work&& work) {
  const Runtime runtime(runtime_options(arguments));
  std::vector<std::string> names;
  int status = reported([&] {
    names = matching_names(runtime, arguments.files);
    return 0;
  });
  for (const std::string& name : names) {
    status =
        std::max(status, reported([&] {
                   return work(runtime, look_at(runtime, name, arguments.header, other), names.size() > 1)
                              ? kExitElementFailed
                              : 0;
                 }));
  }
  return status;
}

void print_line(const char* name, const std::string& value) {
  std::printf("  %-12s %s\n", name, value.c_str());
}

void print_begin(const DataFile& file, const std::string& kind) {
  print(stdout, file.shown + "\n");
  print_line("kind", kind);
  if (!has_structure(file.kind)) print_line("compression", file.compression);
  if (file.kind != FileKind::saved || !is_elsewhere(file.name)) print_line("bytes", with_commas(file.size));
}

void print_damage(uint64_t errors, const std::string& first) {
  if (errors == 0) return;
  print_line("errors", with_commas(errors) + ", the first: " + first);
}

bool info_of_records(const Runtime& runtime, const DataFile& file) {
  RecordsInfo info;
  uint64_t errors = 0;
  std::string first;
  Progress progress(file.shown, file.compression == "none" ? file.size : 0);
  each_row(
      runtime, rows_of(runtime, file, "resync"), -1,
      [&](const Element& element) {
        const auto bytes = element.get<std::string_view>(0);
        info.add(bytes);
        progress.add(bytes.size() + kRecordBytes);
        return true;
      },
      [&](const Error& error) {
        if (errors++ == 0) first = error.what();
        return true;
      });
  progress.finish();
  print_begin(file, "TFRecord of " + info.contents());
  print_line("records", with_commas(info.count()));
  print_damage(errors, first);
  info.print();
  std::string left_out;
  const std::string parse = info.parser(left_out);
  if (!left_out.empty())
    print_line("left out", left_out + ", whose values are not of one dtype in all records");
  print(stdout, "\n  " + document_of(file, {}) + (parse.empty() ? "" : "\n    | " + parse) + "\n");
  return errors > 0;
}

const char* dtype_of(const ColumnKind& column) {
  constexpr std::array<const char*, 4> kDtypes = {"int64", "float32", "float64", "string"};
  return kDtypes[static_cast<size_t>(column.kind())];
}

// A column as a document writes it: its dtype, or what stands for an empty field.
std::string column_text(const ColumnKind& column) {
  constexpr std::array<const char*, 4> kDefaults = {"0", "0.0", "float64(0.0)", "\"\""};
  return column.missing() == 0 ? dtype_of(column) : kDefaults[static_cast<size_t>(column.kind())];
}

void print_document(const std::string& document, const char* nothing) {
  if (document.empty()) return print_line("document", std::string("none, since ") + nothing);
  print(stdout, "\n  " + document + "\n");
}

// Short, and how to say otherwise.
const char* header_text(const DataFile& file) {
  if (file.title) return "a title, which is left out; --no-header reads it";
  return file.header ? "the first row; --no-header reads it as values"
                     : "none; --header takes the names from the first row";
}

bool info_of_table(const Runtime& runtime, const DataFile& file) {
  std::vector<ColumnKind> types(file.columns.size());
  uint64_t rows = 0;
  uint64_t errors = 0;
  std::string first;
  Progress progress(file.shown, file.compression == "none" ? file.size : 0);
  each_row(
      runtime, rows_of(runtime, file), -1,
      [&](const Element& element) {
        ++rows;
        uint64_t bytes = 0;
        for (uint32_t i = 0; i < types.size(); ++i) {
          const auto text = element.get<std::string_view>(i);
          types[i].add(text);
          bytes += text.size() + 1;
        }
        progress.add(bytes);
        return true;
      },
      [&](const Error& error) {
        if (errors++ == 0) first = error.what();
        return true;
      });
  progress.finish();
  print_begin(file, "CSV");
  print_line("rows", with_commas(rows));
  if (!types.empty()) print_line("header", header_text(file));
  print_damage(errors, first);
  Table table;
  table.add({"column", "dtype", "empty"});
  std::vector<std::string> columns;
  for (size_t i = 0; i < types.size(); ++i) {
    table.add({on_one_line(file.columns[i]), dtype_of(types[i]), with_commas(types[i].missing())});
    columns.push_back(column_text(types[i]));
  }
  if (!columns.empty()) table.print(2);
  print_document(document_of(file, columns), "the file has no rows");
  return errors > 0;
}

bool info_of_rows(const Runtime& runtime, const DataFile& seen) {
  DataFile file = seen;
  infer_fields(runtime, file, -1);
  const Dataset dataset = rows_of(runtime, file);
  uint64_t rows = 0;
  uint64_t errors = 0;
  std::string first;
  Progress progress(file.shown, 0);
  each_row(
      runtime, dataset, -1,
      [&](const Element&) {
        ++rows;
        progress.add(0);
        return true;
      },
      [&](const Error& error) {
        if (errors++ == 0) first = error.what();
        return true;
      });
  progress.finish();
  print_begin(file, file.kind == FileKind::columns ? file.format : command::kind_name(file.kind));
  print_line(file.kind == FileKind::text      ? "lines"
             : file.kind == FileKind::objects ? "objects"
                                              : "elements",
             with_commas(rows));
  if (file.kind != FileKind::text) print_line("structure", dataset.spec().text());
  print_damage(errors, first);
  print(stdout, "\n  " + document_of(file, {}) + "\n");
  return errors > 0;
}

// Where the damage is: "offset 1,024, 37 bytes: …".
bool validate_file(const Runtime& runtime, const DataFile& file, bool) {
  uint64_t rows = 0;
  uint64_t errors = 0;
  Progress progress(file.shown, file.compression == "none" ? file.size : 0);
  each_row(
      runtime, rows_of(runtime, file, "resync"), -1,
      [&](const Element& element) {
        ++rows;
        progress.add(file.kind == FileKind::records ? element.get<std::string_view>(0).size() + kRecordBytes
                                                    : 0);
        return true;
      },
      [&](const Error& error) {
        progress.finish();
        ++errors;
        return print_error(error);
      });
  progress.finish();
  const std::string unit = file.kind == FileKind::records                                    ? "record"
                           : file.kind == FileKind::objects                                  ? "object"
                           : file.kind == FileKind::saved || file.kind == FileKind::elements ? "element"
                                                                                             : "row";
  print(stdout, file.shown + ": " + counted(rows, unit) + ", " +
                    (errors == 0 ? "no damage" : counted(errors, "damaged stretch")) + "\n");
  return errors > 0;
}

}  // namespace

int head(const Arguments& arguments) {
  const int64_t count = arguments.count < 0 ? kHeadRows : arguments.count;
  bool first = true;
  return each_file(arguments, OtherFormat::refused,
                   [&](const Runtime& runtime, const DataFile& file, bool several) {
                     if (several) print(stdout, (first ? "" : "\n") + file.shown + ":\n");
                     first = false;
                     switch (file.kind) {
                       case FileKind::records:
                         return head_records(runtime, file, count);
                       case FileKind::csv:
                         return head_table(runtime, file, count);
                       default:
                         return head_lines(runtime, file, count);
                     }
                   });
}

int info(const Arguments& arguments) {
  bool first = true;
  return each_file(arguments, OtherFormat::refused, [&](const Runtime& runtime, const DataFile& file, bool) {
    if (!first) print(stdout, "\n");
    first = false;
    switch (file.kind) {
      case FileKind::records:
        return info_of_records(runtime, file);
      case FileKind::csv:
        return info_of_table(runtime, file);
      default:
        return info_of_rows(runtime, file);
    }
  });
}

int validate(const Arguments& arguments) { return each_file(arguments, OtherFormat::damaged, validate_file); }

}  // namespace weir::command
