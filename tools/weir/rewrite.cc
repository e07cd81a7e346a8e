#include "rewrite.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

#include "common.h"
#include "example_features.h"
#include "files.h"
#include "format/parse_number.h"
#include "format/signature.h"
#include "progress.h"

namespace weir::command {

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kWrittenRecordBytes = 16;

bool ends_with(const std::string& text, const std::string& suffix) {
  return text.size() >= suffix.size() &&
         text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
}

[[noreturn]] void fail(int32_t code, const std::string& message) { throw Error(code, message); }

// Reports what was thrown; 0 for nothing.
template <class Work>
int reported(Work&& work) {
  try {
    return work();
  } catch (const Error& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "error: %s: %s\n", error.code_name(), error_text(error).c_str());
    return kExitNotBuilt;
  }
}

// A file under a temporary name, which gets its own when it is complete, and goes if it never is.
class NewFile {
 public:
  explicit NewFile(std::string name) : name_(std::move(name)), temporary_(name_ + ".part") {}
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    std::error_code ignored;
    if (!published_) fs::remove(temporary_, ignored);
  }
  const std::string& temporary() const { return temporary_; }
  void publish() {
    std::error_code failed;
    fs::rename(temporary_, name_, failed);
    if (failed) fail(WEIR_CODE_UNAVAILABLE, "expected to name " + name_ + ", found: " + failed.message());
    published_ = true;
  }

 private:
  const std::string name_;
  const std::string temporary_;
  bool published_ = false;
};

// Refuses to write over something, so that a slip of the hand loses nothing.
void check_absent(const std::string& name) {
  std::error_code ignored;
  if (!fs::exists(name, ignored)) return;
  fail(WEIR_CODE_INVALID_ARGUMENT,
       "expected a name that is free, found " + name + "; remove it, or choose another");
}

RecordWriterOptions options_for(const std::string& name) {
  RecordWriterOptions options;
  if (const CodecMarks* marks = marks_of_file(name)) options.compression_name = marks->name;
  return options;
}

class RecordFile {
 public:
  RecordFile(const Runtime& runtime, const std::string& name)
      : file_(name), writer_(runtime, file_.temporary(), options_for(name)) {}
  void write(std::string_view record) { writer_.write(record); }
  void finish() {
    writer_.close();
    file_.publish();
  }

 private:
  NewFile file_;
  RecordWriter writer_;
};

class TextFile {
 public:
  explicit TextFile(const std::string& name)
      : file_(name), out_(std::fopen(file_.temporary().c_str(), "wb")) {
    if (!out_) fail(WEIR_CODE_PERMISSION_DENIED, "expected to create " + name + ", found that it can't be");
  }
  ~TextFile() {
    if (out_) std::fclose(out_);
  }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  void write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), out_) != text.size()) fail_to_write();
  }
  void finish() {
    const bool failed = std::fclose(out_) != 0;
    out_ = nullptr;
    if (failed) fail_to_write();
    file_.publish();
  }

 private:
  [[noreturn]] void fail_to_write() {
    fail(WEIR_CODE_RESOURCE_EXHAUSTED, "expected to write to " + file_.temporary() + ", found no space");
  }
  NewFile file_;
  std::FILE* out_;
};

// ---- index

constexpr const char* kIndexed = "expected a TFRecord or text file, JSON lines or a tar archive";

bool make_index(const Runtime& runtime, const std::string& name) {
  std::error_code failed;
  if (fs::is_directory(name, failed))
    fail(WEIR_CODE_INVALID_ARGUMENT, std::string(kIndexed) + ", found the folder " + name);
  if (is_standard_input(name))
    fail(WEIR_CODE_INVALID_ARGUMENT,
         std::string(kIndexed) + ", whose index is written next to it, found standard input");
  const DataFile file = look_at(runtime, name);
  const bool text = file.kind == FileKind::text;
  if (has_structure(file.kind)) {
    const int64_t count = rows_of(runtime, file).cardinality();
    print(stdout, name + ": " + counted(static_cast<uint64_t>(count), "row") + ", which need no index\n");
    return false;
  }
  if (file.kind == FileKind::csv)
    fail(WEIR_CODE_INVALID_ARGUMENT,
         std::string(kIndexed) + ", found " + name + ", which is " + kind_name(file.kind));
  const bool frames = file.compression == zstd_marks.name && file.kind == FileKind::records;
  if (file.compression != "none" && !frames) {
    fail(WEIR_CODE_INVALID_ARGUMENT, "expected a file without compression, found " + name + " in " +
                                         file.compression +
                                         ", which has no index: its records have no places of their own; "
                                         "decompress it, or write it again by weir shard or convert");
  }
  const char* const source = text                              ? "text_line(@file)"
                             : file.kind == FileKind::objects  ? "jsonl(@file, {})"
                             : file.kind == FileKind::elements ? "webdataset(@file, {})"
                             : frames                          ? "tfrecord(@file, compression: \"zstd\")"
                                                               : "tfrecord(@file)";
  const Dataset records = parse(runtime, source, {{"file", name}});
  Element record;
  // Reading any record by its position makes the index.
  try {
    detail::call(weir_dataset_at, runtime.handle(), records.handle(), int64_t{0}, record.handle());
  } catch (const Error& error) {
    // There is no first record in an empty file.
    if (error.code() != WEIR_CODE_OUT_OF_RANGE && !error.element_failed()) throw;
  }
  const std::string index = name + ".weir-index";
  if (!fs::exists(index, failed))
    fail(WEIR_CODE_PERMISSION_DENIED, "expected to write " + index + ", found that it can't be");
  const uint64_t count = (fs::file_size(index, failed) - 40) / 8 - 1;
  print(stdout, name + ": " +
                    counted(count, text                              ? "line"
                                   : file.kind == FileKind::objects  ? "object"
                                   : file.kind == FileKind::elements ? "element"
                                                                     : "record") +
                    "\n");
  return false;
}

// ---- shard

std::string shard_name(const std::string& prefix, size_t shard, size_t count, const std::string& suffix) {
  char number[32];
  std::snprintf(number, sizeof number, "-%05zu-of-%05zu", shard, count);
  return prefix + number + suffix;
}

int shard_files(const Arguments& arguments) {
  const Runtime runtime(runtime_options(arguments));
  const auto count = static_cast<size_t>(arguments.count);
  std::string prefix = arguments.output;
  std::string suffix;
  const std::string plain(bare(prefix));
  for (const std::string ending : {".tfrecord", ".tfrecords"}) {
    if (!ends_with(plain, ending)) continue;
    suffix = prefix.substr(plain.size() - ending.size());
    prefix.resize(prefix.size() - suffix.size());
    break;
  }
  std::vector<DataFile> files;
  uint64_t total = 0;
  for (const std::string& name : arguments.files) {
    files.push_back(look_at(runtime, name));
    if (files.back().kind != FileKind::records)
      fail(WEIR_CODE_INVALID_ARGUMENT, "expected TFRecord files, found " + name + ", which is " +
                                           kind_name(files.back().kind) + "; weir convert makes one of it");
    total += files.back().size;
  }
  std::vector<std::unique_ptr<RecordFile>> shards;
  for (size_t i = 0; i < count; ++i) check_absent(shard_name(prefix, i, count, suffix));
  for (size_t i = 0; i < count; ++i)
    shards.push_back(std::make_unique<RecordFile>(runtime, shard_name(prefix, i, count, suffix)));
  uint64_t records = 0;
  Progress progress("sharding", total);
  for (const DataFile& file : files) {
    each_row(
        runtime, rows_of(runtime, file), -1,
        [&](const Element& element) {
          const auto bytes = element.get<std::string_view>(0);
          shards[records++ % count]->write(bytes);
          progress.add(bytes.size() + kWrittenRecordBytes);
          return true;
        },
        [](const Error& error) -> bool { throw error; });
  }
  for (auto& shard : shards) shard->finish();
  progress.finish();
  print(stdout, counted(records, "record") + " in " + counted(count, "file") + ", " +
                    shard_name(prefix, 0, count, suffix) + " to " +
                    shard_name(prefix, count - 1, count, suffix) + "\n");
  return 0;
}

// ---- convert

// A value of a row: a name, and entries of one kind.
using Row = std::vector<Feature>;

// Owns what the features of a row view.
struct OwnedRow {
  Row row;
  std::vector<std::string> texts;
};

Feature text_feature(std::string name, std::string_view text) {
  Feature out;
  out.name = std::move(name);
  out.kind = Feature::Kind::bytes;
  out.bytes = {text};
  return out;
}

std::vector<Feature::Kind> kinds_of_columns(const Runtime& runtime, const DataFile& file) {
  constexpr std::array<Feature::Kind, 3> kKinds = {Feature::Kind::ints, Feature::Kind::floats,
                                                   Feature::Kind::bytes};
  std::vector<ColumnKind> columns(file.columns.size());
  each_row(
      runtime, rows_of(runtime, file), -1,
      [&](const Element& element) {
        for (uint32_t i = 0; i < columns.size(); ++i) columns[i].add(element.get<std::string_view>(i));
        return true;
      },
      [](const Error& error) -> bool { throw error; });
  std::vector<Feature::Kind> out;
  for (const ColumnKind& column : columns) out.push_back(kKinds[static_cast<size_t>(column.kind())]);
  return out;
}

Feature column_feature(const std::string& name, Feature::Kind kind, std::string_view text) {
  Feature out = text_feature(name, text);
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

// A tensor of saved elements. float64 becomes float32, which is what an Example has.
Feature tensor_feature(const std::string& name, const weir_view& view) {
  Feature out;
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
        append_numbers<double>(view, count, out.floats);
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
    case WEIR_DTYPE_UINT64:
      append_numbers<int64_t>(view, count, out.ints);
      break;
    default:
      fail(WEIR_CODE_INVALID_ARGUMENT,
           "expected numbers of at most 64 bits and strings, found another dtype in " + name);
  }
  return out;
}

// Gives the rows of a file of any kind as features.
class RowReader {
 public:
  RowReader(const Runtime& runtime, DataFile file)
      : runtime_(runtime), file_(std::move(file)), rows_(rows_of(runtime, file_)) {
    if (file_.kind == FileKind::csv) kinds_ = kinds_of_columns(runtime, file_);
    if (has_structure(file_.kind) || file_.kind == FileKind::objects || file_.kind == FileKind::elements) {
      const Spec spec = rows_.spec();
      for (const auto& part : detail::parts_of(spec))
        names_.push_back(part.path.empty() ? "value" : part.path);
    }
  }

  const DataFile& file() const { return file_; }

  // `raw` is the record or line itself where the row is one string, else null.
  void each(const std::function<void(const Row& row, const std::string_view* raw)>& take) {
    each_row(
        runtime_, rows_, -1,
        [&](const Element& element) {
          give(element, take);
          return true;
        },
        [](const Error& error) -> bool { throw error; });
  }

 private:
  void give(const Element& element, const std::function<void(const Row&, const std::string_view*)>& take) {
    Row row;
    if (file_.kind == FileKind::records || file_.kind == FileKind::text) {
      const auto raw = element.get<std::string_view>(0);
      if (file_.kind == FileKind::records) {
        Record record = read_record(raw);
        if (record.kind == Record::Kind::example) row = std::move(record.features);
      }
      if (row.empty()) row.push_back(text_feature(file_.kind == FileKind::text ? "line" : "record", raw));
      return take(row, &raw);
    }
    if (file_.kind == FileKind::csv) {
      for (uint32_t i = 0; i < file_.columns.size(); ++i)
        row.push_back(column_feature(file_.columns[i], kinds_[i], element.get<std::string_view>(i)));
      return take(row, nullptr);
    }
    for (uint32_t i = 0; i < names_.size(); ++i) row.push_back(tensor_feature(names_[i], element.view(i)));
    const bool one_string = names_.size() == 1 && row[0].kind == Feature::Kind::bytes && row[0].count() == 1;
    take(row, one_string ? &row[0].bytes[0] : nullptr);
  }

  const Runtime& runtime_;
  const DataFile file_;
  const Dataset rows_;
  std::vector<Feature::Kind> kinds_;
  std::vector<std::string> names_;
};

uint64_t bytes_of(const Row& row) {
  uint64_t out = kWrittenRecordBytes;
  for (const Feature& feature : row) {
    out += feature.floats.size() * 4 + feature.ints.size() * 2;
    for (std::string_view text : feature.bytes) out += text.size() + 1;
  }
  return out;
}

Bytes example_of(const Row& row) {
  ExampleBuilder builder;
  for (const Feature& feature : row) {
    if (feature.kind == Feature::Kind::bytes) {
      builder.set(feature.name, Span<const std::string_view>(feature.bytes.data(), feature.bytes.size()));
    } else if (feature.kind == Feature::Kind::floats) {
      builder.set(feature.name, Span<const float>(feature.floats.data(), feature.floats.size()));
    } else if (feature.kind == Feature::Kind::ints) {
      builder.set(feature.name, Span<const int64_t>(feature.ints.data(), feature.ints.size()));
    }
  }
  return builder.serialize();
}

std::string csv_field(std::string_view text, char delim) {
  const bool plain = std::none_of(text.begin(), text.end(),
                                  [&](char c) { return c == delim || c == '"' || c == '\n' || c == '\r'; });
  if (plain) return std::string(text);
  std::string out = "\"";
  for (char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

std::string csv_value(const Feature* feature, char delim) {
  if (!feature || feature->kind == Feature::Kind::none || feature->count() == 0) return "";
  if (feature->count() > 1) {
    fail(WEIR_CODE_INVALID_ARGUMENT, "expected one value in each column, found " +
                                         std::to_string(feature->count()) + " of the feature " +
                                         feature->name + "; write a .tfrecord or a folder instead");
  }
  if (feature->kind == Feature::Kind::ints) return std::to_string(feature->ints[0]);
  if (feature->kind == Feature::Kind::floats) return float_text(feature->floats[0]);
  return csv_field(feature->bytes[0], delim);
}

// The columns in the order in which features appear first.
std::vector<std::string> column_names(RowReader& reader) {
  std::vector<std::string> out;
  reader.each([&](const Row& row, const std::string_view*) {
    for (const Feature& feature : row) {
      if (std::find(out.begin(), out.end(), feature.name) == out.end()) out.push_back(feature.name);
    }
  });
  return out;
}

uint64_t write_records(const Runtime& runtime, RowReader& reader, const std::string& to, Progress& progress) {
  RecordFile out(runtime, to);
  uint64_t count = 0;
  reader.each([&](const Row& row, const std::string_view* raw) {
    if (raw) {
      out.write(*raw);
    } else {
      const Bytes example = example_of(row);
      out.write(example.view());
    }
    ++count;
    progress.add(bytes_of(row));
  });
  out.finish();
  return count;
}

uint64_t write_table(RowReader& reader, const std::string& to, Progress& progress) {
  const char delim = ends_with(to, ".tsv") ? '\t' : ',';
  const std::vector<std::string> names = column_names(reader);
  TextFile out(to);
  std::string line;
  for (const std::string& name : names)
    line += (line.empty() ? "" : std::string(1, delim)) + csv_field(name, delim);
  if (!names.empty()) out.write(line + "\n");
  uint64_t count = 0;
  reader.each([&](const Row& row, const std::string_view*) {
    line.clear();
    for (size_t i = 0; i < names.size(); ++i) {
      const auto found = std::find_if(row.begin(), row.end(),
                                      [&](const Feature& feature) { return feature.name == names[i]; });
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

uint64_t write_lines(RowReader& reader, const std::string& to, Progress& progress) {
  TextFile out(to);
  uint64_t count = 0;
  reader.each([&](const Row& row, const std::string_view* raw) {
    if (!raw)
      fail(
          WEIR_CODE_INVALID_ARGUMENT,
          "expected rows of one string to write as lines, found several values; write a .csv or a .tfrecord instead");
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

std::string dtype_of(Feature::Kind kind) {
  return kind == Feature::Kind::ints ? "0" : kind == Feature::Kind::floats ? "0.0" : "\"\"";
}

// Saved elements have the structure that the library reads: a dict of the columns, or strings.
uint64_t write_saved(const Runtime& runtime, const DataFile& file, const std::string& to,
                     Progress& progress) {
  std::string text;
  if (file.kind == FileKind::csv) {
    std::string columns;
    std::string names;
    std::string members;
    const std::vector<Feature::Kind> kinds = kinds_of_columns(runtime, file);
    for (size_t i = 0; i < file.columns.size(); ++i) {
      const std::string comma = i == 0 ? "" : ", ";
      columns += comma + dtype_of(kinds[i]);
      names += comma + "c" + std::to_string(i);
      members += comma + quoted(file.columns[i], SIZE_MAX) + ": c" + std::to_string(i);
    }
    text = "csv(@file, [" + columns + "], compression: \"auto\", delim: @delim" +
           (file.quotes ? "" : ", quote: false") + (file.header ? ", header: true)" : ")") + " | map((" +
           names + (kinds.size() == 1 ? ",) -> {" : ") -> {") + members + "})";
  }
  const weir::Arguments handed = {{"file", file.name}, {"delim", file.delim}};
  const Dataset rows = text.empty() ? rows_of(runtime, file) : parse(runtime, text, handed);
  const Dataset saving = parse(runtime, "@rows | save(@to)", {{"rows", rows}, {"to", to}});
  each_row(
      runtime, saving, -1, [](const Element&) { return true; },
      [](const Error& error) -> bool { throw error; });
  progress.finish();
  const Dataset written = parse(runtime, "load(@to)", {{"to", to}});
  return static_cast<uint64_t>(std::max<int64_t>(written.cardinality(), 0));
}

int convert_file(const Arguments& arguments) {
  const Runtime runtime(runtime_options(arguments));
  const std::string& to = arguments.files[1];
  const FileKind kind = kind_to_write(to);
  DataFile file = look_at(runtime, arguments.files[0]);
  check_absent(to);
  infer_fields(runtime, file, -1);
  Progress progress(file.shown, file.compression == "none" && kind != FileKind::saved ? file.size : 0);
  uint64_t count = 0;
  if (kind == FileKind::saved) {
    count = write_saved(runtime, file, to, progress);
  } else {
    RowReader reader(runtime, file);
    count = kind == FileKind::records ? write_records(runtime, reader, to, progress)
            : kind == FileKind::csv   ? write_table(reader, to, progress)
                                      : write_lines(reader, to, progress);
  }
  progress.finish();
  print(stdout, to + ": " + counted(count, "row") + "\n");
  return 0;
}

}  // namespace

int make_indices(const Arguments& arguments) {
  const Runtime runtime(runtime_options(arguments));
  int status = 0;
  for (const std::string& name : arguments.files)
    status = std::max(status, reported([&] { return make_index(runtime, name) ? kExitElementFailed : 0; }));
  return status;
}

int shard(const Arguments& arguments) {
  return reported([&] { return shard_files(arguments); });
}

int convert(const Arguments& arguments) {
  return reported([&] { return convert_file(arguments); });
}

}  // namespace weir::command
