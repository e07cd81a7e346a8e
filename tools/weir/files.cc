#include "files.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "core/text.h"
#include "format/parse_number.h"
#include "format/signature.h"
#include "format/tar/tar_header.h"
#include "infer.h"
#include "place.h"
#include "table_sample.h"

namespace weir::command {

namespace {

namespace fs = std::filesystem;

bool ends_with(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

bool has_suffix(std::string_view name, std::initializer_list<std::string_view> suffixes) {
  const std::string_view plain = bare(name);
  return std::any_of(suffixes.begin(), suffixes.end(),
                     [&](std::string_view suffix) { return ends_with(plain, suffix); });
}

std::string compression_of(const std::string& bytes) {
  const std::string_view frames = after_skippable_frames(bytes);
  for (const CodecMarks* marks : kCodecMarks) {
    if (!marks->signature.bytes.empty() && has_signature(frames, marks->signature))
      return std::string(marks->name);
  }
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const bool zlib =
      bytes.size() >= 2 && (byte(0) & 0x0f) == 8 && byte(0) >> 4 <= 7 && (byte(0) * 256 + byte(1)) % 31 == 0;
  return zlib && !std::isprint(byte(1)) ? std::string(zlib_marks.name) : "none";
}

bool is_text(const std::string& bytes) {
  return std::none_of(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t' && byte != '\f';
  });
}

std::string list_of(const std::vector<std::string>& items) {
  std::string out = "[";
  for (const std::string& item : items) out += (out.size() > 1 ? ", " : "") + item;
  return out + "]";
}

// The first bytes of what is in the file, decompressed; as many as there are if it is damaged.
std::string first_contents(const Runtime& runtime, const std::string& name, size_t size) {
  std::string out;
  Iterator bytes(
      runtime,
      parse(runtime, concat("fixed_length_record(@file, 1, compression: \"auto\") | take(", size, ")"),
            {{"file", name}}));
  Element byte;
  try {
    while (bytes.next(byte)) out += byte.get<std::string_view>(0);
  } catch (const Error& error) {
    if (!error.element_failed()) throw;
  }
  return out;
}

const char* source_of(FileKind kind) { return kind == FileKind::objects ? "jsonl" : "webdataset"; }

// An element can't hold all of its columns or fields.
[[noreturn]] void refuse_parts(const DataFile& file) {
  fail(WEIR_CODE_INVALID_ARGUMENT,
       concat("expected columns of at most ", kMostParts,
              " parts in all, where one that some rows lack has two, found more in ", file.shown,
              file.kind == FileKind::csv ? "; read it by text_line"
                                         : concat("; name those to read, as in ", source_of(file.kind), "(",
                                                  quote(file.shown), ", {name: string})")));
}

void look_at_columns(const Runtime& runtime, DataFile& file, std::optional<bool> header) {
  const std::string contents = first_contents(runtime, file.name, kSampleBytes);
  if (sample_columns(contents, contents.size() < kSampleBytes, header, file) >= kMostParts)
    refuse_parts(file);
}

bool begins_like_records(const Runtime& runtime, const std::string& name) {
  Iterator records(runtime, parse(runtime, "tfrecord(@file, compression: \"auto\")", {{"file", name}}));
  Element record;
  try {
    return records.next(record);
  } catch (const Error& error) {
    return error.record() > 0;
  }
}

std::string string_literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : escaped(text)) out += (c == '"' ? "\\" : "") + std::string(1, c);
  return out + '"';
}

// ", header: true, …", as far as it is not the default.
std::string csv_options(const DataFile& file) {
  return std::string(file.header ? ", header: true" : "") +
         (file.delim == "," ? "" : ", delim: " + string_literal(file.delim)) +
         (file.quotes ? "" : ", quote: false");
}

// In names that TensorFlow's writers give.
constexpr std::array<std::string_view, 4> kRecordWords = {"tfrecord", "tfevents", "-of-", "part-"};

constexpr std::string_view kExpected =
    "expected TFRecords, a table, text, JSON lines, arrays, a tar archive or saved elements, found ";

// The arrays of NumPy that a file begins like; text if it doesn't.
FileKind kind_of_arrays(std::string_view contents) {
  const Signature* const found = find_signature(contents);
  if (found == nullptr || found->name.find("NumPy") == std::string_view::npos) return FileKind::text;
  return contents.starts_with("PK") ? FileKind::arrays : FileKind::array;
}

// Formats of tables, by what signatures call them. Sets what the file is if there is a source for it.
bool is_of_extension(const Runtime& runtime, DataFile& file, std::string_view contents) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kSources = {
      {{"an LMDB database", "lmdb"},
       {"an ArrayRecord file (Riegeli)", "array_record"},
       {"an HDF5 file", "hdf5"},
       {"a Parquet file", "parquet"},
       {"an Arrow file", "arrow"},
       {"an Arrow stream", "arrow"}}};
  const Signature* const found = find_signature(contents);
  const auto* const source = std::find_if(kSources.begin(), kSources.end(), [&](const auto& each) {
    return found != nullptr && found->name == each.first;
  });
  if (source == kSources.end()) return false;
  weir_bytes page = WEIR_BYTES_INIT;
  const int32_t result = weir_schema(source->second.data(), source->second.size(), 0, &page, nullptr);
  weir_bytes_release(&page);
  if (result != WEIR_OK) return false;
  try {
    parse(runtime, concat(source->second, "(@file)"), {{"file", file.name}});
  } catch (const Error& error) {
    // It is known and isn't there.
    if (error.code() != WEIR_CODE_FAILED_PRECONDITION) throw;
    return false;
  }
  file.kind = FileKind::columns;
  file.format = found->name.substr(found->name.find(' ') + 1);
  file.source = source->second;
  if (file.source == "parquet" || file.source == "arrow") file.nulls = ", nulls: \"optional\"";
  return true;
}

// Whatever is in such a file, it was meant for records: they may be damaged.
bool is_name_of_records(const std::string& name) {
  return has_suffix(name, {".tfrecord", ".tfrecords", ".record", ".records", ".recordio"}) ||
         std::any_of(kRecordWords.begin(), kRecordWords.end(), [&](std::string_view word) {
           return fs::path(name).filename().string().find(word) != std::string::npos;
         });
}

// Whether a file of this name begins with a signature, and is not empty.
bool names_signature(const std::string& name) {
  return has_suffix(name, {".parquet", ".arrow", ".arrows", ".feather", ".npy", ".npz", ".h5", ".hdf5"});
}

// Throws if the file is of a format that isn't read here, whatever its name says.
void check_format(const Runtime& runtime, const DataFile& file, std::string_view contents) {
  const Signature* const found = find_signature(contents);
  if (found == nullptr || begins_like_records(runtime, file.name)) return;
  if (found->text &&
      has_suffix(file.shown, {".txt", ".text", ".log", ".md", ".html", ".htm", ".xml", ".svg"}))
    return;
  throw Error(
      WEIR_CODE_INVALID_ARGUMENT,
      concat(kExpected, found->name, file.compression == "none" ? "" : " in " + file.compression, ": ",
             file.shown, "; ", file.compression == "none" ? "" : "decompress it, then ", found->hint));
}

// Like the header of a member, which a checksum tells.
bool begins_like_archive(std::string_view contents) {
  static_assert(kSignatureBytes >= kTarBlock);
  TarHeader header;
  return contents.size() >= kTarBlock && contents[0] != '\0' &&
         read_tar_header(std::span<const uint8_t, kTarBlock>(
                             reinterpret_cast<const uint8_t*>(contents.data()), kTarBlock),
                         header) == nullptr;
}

// One that has no members begins with the zeros of its end.
bool is_archive_of_nothing(std::string_view name, std::string_view contents) {
  return has_suffix(name, {".tar"}) && contents.find_first_not_of('\0') == std::string_view::npos;
}

// Like a line that is an object.
bool begins_like_objects(std::string_view contents) {
  const std::string_view line = contents.substr(0, contents.find('\n'));
  const size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos || line[first] != '{') return false;
  const size_t second = line.find_first_not_of(" \t", first + 1);
  if (second == std::string_view::npos || (line[second] != '"' && line[second] != '}')) return false;
  const bool cut = line.size() == contents.size() && contents.size() >= kSignatureBytes;
  return cut || line[line.find_last_not_of(" \t\r")] == '}';
}

// Whether some row of the columns lacks a value.
bool has_nulls(const Runtime& runtime, const DataFile& file, int64_t limit) {
  const Dataset rows = rows_of(runtime, file);
  const auto parts = detail::parts_of(rows.spec());
  std::vector<uint32_t> told;
  for (uint32_t i = 0; i < parts.size(); ++i) {
    if (ends_with(parts[i].path, ".has_value")) told.push_back(i);
  }
  bool found = false;
  each_row(
      runtime, rows, told.empty() ? 0 : limit,
      [&](const Element& element) {
        found = !std::all_of(told.begin(), told.end(), [&](uint32_t i) { return element.get<bool>(i); });
        return !found;
      },
      [](const Error&) { return true; });
  return found;
}

}  // namespace

std::string_view bare(std::string_view name) {
  const CodecMarks* const marks = marks_of_file(name);
  if (!marks) return name;
  for (std::string_view suffix : marks->suffixes) {
    if (!suffix.empty() && ends_with(name, suffix)) return name.substr(0, name.size() - suffix.size());
  }
  return name;
}

const char* kind_name(FileKind kind) {
  constexpr std::array<const char*, 9> kNames = {"TFRecord",       "CSV",         "text",
                                                 "saved elements", "NumPy array", "arrays of NumPy",
                                                 "JSON lines",     "tar archive", "columns"};
  return kNames[static_cast<size_t>(kind)];
}

bool is_standard_input(const std::string& name) { return name == "-"; }

fs::path temporary_folder() {
  std::error_code failed;
  fs::path folder = fs::temp_directory_path(failed);
  if (failed)
    throw Error(WEIR_CODE_NOT_FOUND,
                "expected TMPDIR to name a folder for temporary files, found: " + failed.message());
  return folder;
}

const std::string& standard_input_file() {
  // Removed when the command ends.
  struct Copy {
    Unfinished file{(temporary_folder() / "stdin").string()};
    Copy() {
      const std::string& name = file.name();
      const int number = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
      std::FILE* const out = number < 0 ? nullptr : ::fdopen(number, "wb");
      if (!out)
        throw Error(WEIR_CODE_PERMISSION_DENIED, "expected to create " + name + ", found that it can't be");
      char buffer[65536];
      size_t size = 0;
      bool good = true;
      while (good && (size = std::fread(buffer, 1, sizeof buffer, stdin)) > 0)
        good = std::fwrite(buffer, 1, size, out) == size;
      good = std::fclose(out) == 0 && good;
      if (good && !std::ferror(stdin)) return;
      throw Error(WEIR_CODE_RESOURCE_EXHAUSTED,
                  "expected to copy standard input to " + name + ", found that it can't be");
    }
  };
  static const Copy copy;
  return copy.file.name();
}

RuntimeOptions runtime_options(const Arguments& arguments) {
  RuntimeOptions out;
  out.record_bytes = arguments.record_bytes;
  return out;
}

namespace {

DataFile look_at_any(const Runtime& runtime, const std::string& name, std::optional<bool> header,
                     OtherFormat other) {
  DataFile out;
  out.name = is_standard_input(name) ? standard_input_file() : name;
  out.shown = is_standard_input(name) ? "standard input" : name;
  const Place place = look_under(runtime, out.name);
  out.size = place.size;
  if (place.folder) {
    out.kind = FileKind::saved;
    return out;
  }
  const std::string& bytes = place.first_bytes;
  out.compression = compression_of(bytes);
  if (has_suffix(name, {".weir-index"}))
    throw Error(WEIR_CODE_INVALID_ARGUMENT, "expected a file of data, found " + name + ", the index of one");
  if (is_of_extension(runtime, out, bytes)) return out;
  const FileKind arrays = kind_of_arrays(bytes);
  if (arrays != FileKind::text) {
    out.kind = arrays;
    return out;
  }
  if (out.compression == "none" && names_signature(name) && find_signature(bytes) == nullptr)
    throw Error(WEIR_CODE_DATA_LOSS, concat("expected a file of the format that its name says, found ",
                                            bytes.empty() ? "an empty one" : "one that does not begin so",
                                            ": ", out.shown, "; get the file again"));
  const std::string contents =
      out.compression == "none" ? bytes : first_contents(runtime, out.name, kSignatureBytes);
  if (begins_like_archive(contents) || is_archive_of_nothing(name, contents)) {
    out.kind = FileKind::elements;
    return out;
  }
  if (other == OtherFormat::refused) check_format(runtime, out, contents);
  if (has_suffix(name, {".csv", ".tsv"})) {
    out.kind = FileKind::csv;
    if (has_suffix(name, {".tsv"})) out.delim = "\t";
    look_at_columns(runtime, out, header);
    return out;
  }
  if (has_suffix(name, {".jsonl", ".ndjson"}) || begins_like_objects(contents)) {
    out.kind = FileKind::objects;
    return out;
  }
  if (has_suffix(name, {".txt", ".text", ".log", ".json", ".md"})) {
    out.kind = FileKind::text;
    return out;
  }
  const bool records = bytes.empty() || is_name_of_records(name) || begins_like_records(runtime, out.name);
  const bool text = is_text(contents);
  if (!records && !text && other == OtherFormat::refused) {
    throw Error(WEIR_CODE_INVALID_ARGUMENT, concat(kExpected, "binary data of an unknown format: ", out.shown,
                                                   "; fixed_length_record reads records of one length"));
  }
  out.kind = records || !text ? FileKind::records : FileKind::text;
  const char delim =
      out.kind == FileKind::text ? delimiter_of(contents, contents.size() < kSignatureBytes) : '\0';
  if (delim == '\0') return out;
  out.kind = FileKind::csv;
  out.delim = delim;
  look_at_columns(runtime, out, header);
  return out;
}

}  // namespace

DataFile look_at(const Runtime& runtime, const std::string& name, std::optional<bool> header,
                 OtherFormat other) {
  DataFile out = look_at_any(runtime, name, header, other);
  if (header && out.kind != FileKind::csv)
    fail(WEIR_CODE_INVALID_ARGUMENT, concat("expected a table after ", *header ? "--header" : "--no-header",
                                            ", found ", kind_name(out.kind), ": ", out.shown));
  return out;
}

bool is_single(double number) {
  const auto single = static_cast<float>(number);
  if (number != number) return true;
  std::array<char, 32> text;
  const auto end = std::to_chars(text.begin(), text.end(), single).ptr;
  double again = 0;
  return parse_number({text.data(), static_cast<size_t>(end - text.data())}, again) && again == number;
}

void ColumnKind::add(std::string_view text) {
  if (text.empty()) {
    ++missing_;
    return;
  }
  ++values_;
  int64_t whole = 0;
  double number = 0;
  // A whole number keeps its digits as int64, as a float if they are few enough, else as text only.
  const bool digits = text.find_first_not_of("+-0123456789 ") == std::string_view::npos;
  const bool is_whole = digits && parse_number(text, whole);
  ints_ = ints_ && is_whole;
  if (!floats_) return;
  if (is_whole) number = static_cast<double>(whole);
  // Hexadecimal is read as a float, but written by those who mean its digits.
  const bool hexadecimal = text.find_first_of("xX") != std::string_view::npos;
  floats_ = is_whole ? -kExactWhole <= whole && whole <= kExactWhole
                     : !digits && !hexadecimal && parse_number(text, number) && is_held(text, number);
  single_ = single_ && is_single(number);
}

ColumnKind::Kind ColumnKind::kind() const {
  if (values_ == 0 || (!ints_ && !floats_)) return Kind::text;
  return ints_ ? Kind::ints : single_ ? Kind::floats : Kind::doubles;
}

Dataset rows_of(const Runtime& runtime, const DataFile& file, std::string_view on_corrupt) {
  const weir::Arguments arguments = {{"file", file.name}, {"on_corrupt", on_corrupt}, {"delim", file.delim}};
  switch (file.kind) {
    case FileKind::records:
      return parse(runtime, "tfrecord(@file, compression: \"auto\", on_corrupt: @on_corrupt)", arguments);
    case FileKind::text:
      return parse(runtime, "text_line(@file, compression: \"auto\")", arguments);
    case FileKind::objects:
    case FileKind::elements:
      return parse(runtime, concat(source_of(file.kind), "(@file, ", file.fields, ", compression: \"auto\")"),
                   arguments);
    case FileKind::saved:
      return parse(runtime, "load(@file)", arguments);
    case FileKind::array:
      return parse(runtime, "npy(@file)", arguments);
    case FileKind::arrays:
      return parse(runtime, "npz(@file)", arguments);
    case FileKind::columns:
      return parse(runtime, concat(file.source, "(@file", file.nulls, ")"), arguments);
    default:
      if (file.columns.empty())
        return parse(runtime, "text_line(@file) | take(0) | map(x -> (x,))", arguments);
      return parse(runtime,
                   "csv(@file, " + list_of(std::vector<std::string>(file.columns.size(), "\"\"")) +
                       ", compression: \"auto\", delim: @delim" + (file.quotes ? "" : ", quote: false") +
                       (file.header ? ", header: true)" : ")"),
                   arguments);
  }
}

std::string document_of(const DataFile& file, const std::vector<std::string>& column_types) {
  // The name that it had for the command says nothing to another program.
  const bool named = file.name == file.shown;
  const std::string begin = named ? "" : "param file: string\n  ";
  const std::string name = named ? string_literal(file.name) : "$file";
  const std::string compression =
      file.compression == "none" ? "" : ", compression: \"" + file.compression + "\"";
  switch (file.kind) {
    case FileKind::records:
      return begin + "tfrecord(" + name + compression + ")";
    case FileKind::text:
      return begin + "text_line(" + name + compression + ")";
    case FileKind::saved:
      return begin + "load(" + name + ")";
    case FileKind::array:
      return begin + "npy(" + name + ")";
    case FileKind::arrays:
      return begin + "npz(" + name + ")";
    case FileKind::columns:
      return begin + file.source + "(" + name + file.nulls + ")";
    case FileKind::objects:
    case FileKind::elements:
      return begin + source_of(file.kind) + "(" + name + ", " + file.fields + compression + ")";
    default:
      if (column_types.empty()) return "";
      return begin + "csv(" + name + ", " + list_of(column_types) + csv_options(file) + compression + ")";
  }
}

void infer_fields(const Runtime& runtime, DataFile& file, int64_t limit) {
  if (file.kind == FileKind::objects) {
    FieldsOfObjects found;
    const Dataset lines = parse(runtime, "text_line(@file, compression: \"auto\")", {{"file", file.name}});
    const auto pass = [](const Error&) { return true; };
    each_row(
        runtime, lines, limit,
        [&](const Element& element) {
          found.add(element.get<std::string_view>(0));
          return true;
        },
        pass);
    file.fields = found.text();
    if (file.fields.empty()) refuse_parts(file);
    file.source_paths = found.source_paths();
  } else if (file.kind == FileKind::elements) {
    file.fields =
        fields_of_archive(runtime, file.name, file.compression == "none" ? file.size % kTarBlock : 0);
    if (file.fields.empty()) refuse_parts(file);
  } else if (!file.nulls.empty() && !has_nulls(runtime, file, limit)) {
    file.nulls.clear();
  }
}

void each_row(const Runtime& runtime, const Dataset& dataset, int64_t limit,
              const std::function<bool(const Element&)>& row,
              const std::function<bool(const Error&)>& failed) {
  Iterator iterator(runtime, dataset);
  Element element;
  for (int64_t i = 0; limit < 0 || i < limit; ++i) {
    try {
      if (!iterator.next(element)) return;
    } catch (const Error& error) {
      if (!error.element_failed()) throw;
      if (!failed(error)) return;
      continue;
    }
    if (!row(element)) return;
  }
}

std::string error_text(const Error& error) {
  const bool lines = error.message().find('\n') != std::string::npos;
  return lines ? error.message() : error.what();
}

std::string with_commas(uint64_t number) {
  std::string out = std::to_string(number);
  for (size_t i = out.size(); i > 3; i -= 3) out.insert(i - 3, ",");
  return out;
}

std::string counted(uint64_t number, const std::string& unit) {
  const char* plural = ends_with(unit, "ch") ? "es" : "s";
  return with_commas(number) + " " + unit + (number == 1 ? "" : plural);
}

}  // namespace weir::command
