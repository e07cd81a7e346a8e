#include "files.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <filesystem>

namespace weir::command {

namespace {

namespace fs = std::filesystem;

bool ends_with(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

// The name without the suffix of a compression.
std::string_view bare(std::string_view name) {
  for (std::string_view suffix : {".gz", ".gzip", ".zlib", ".z"}) {
    if (ends_with(name, suffix)) return name.substr(0, name.size() - suffix.size());
  }
  return name;
}

bool has_suffix(std::string_view name, std::initializer_list<std::string_view> suffixes) {
  const std::string_view plain = bare(name);
  return std::any_of(suffixes.begin(), suffixes.end(),
                     [&](std::string_view suffix) { return ends_with(plain, suffix); });
}

std::string first_bytes(const std::string& name) {
  std::string out(4096, '\0');
  std::FILE* file = std::fopen(name.c_str(), "rb");
  if (!file) return "";
  out.resize(std::fread(out.data(), 1, out.size(), file));
  std::fclose(file);
  return out;
}

std::string compression_of(const std::string& bytes) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  if (bytes.size() >= 2 && byte(0) == 0x1f && byte(1) == 0x8b) return "gzip";
  const bool zlib =
      bytes.size() >= 2 && (byte(0) & 0x0f) == 8 && byte(0) >> 4 <= 7 && (byte(0) * 256 + byte(1)) % 31 == 0;
  return zlib && !std::isprint(byte(1)) ? "zlib" : "none";
}

bool is_text(const std::string& bytes) {
  return std::none_of(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t' && byte != '\f';
  });
}

bool is_number(const std::string& text) {
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failed == std::errc() && end == text.data() + text.size();
}

// The first line of a table, cut at its delimiters, to count and to name the columns.
std::vector<std::string> fields_of(std::string_view line, char delim) {
  std::vector<std::string> out(1);
  bool inside = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      if (inside && i + 1 < line.size() && line[i + 1] == '"') {
        out.back() += line[++i];
      } else {
        inside = !inside;
      }
    } else if (line[i] == delim && !inside) {
      out.emplace_back();
    } else {
      out.back() += line[i];
    }
  }
  return out;
}

void look_at_columns(const Runtime& runtime, DataFile& file) {
  Iterator lines(runtime, parse(runtime, "text_line(@file, compression: \"auto\")", {{"file", file.name}}));
  Element line;
  if (!lines.next(line)) return;
  std::string_view text = line.get<std::string_view>(0);
  // The byte-order mark that some programs write is part of no name.
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  file.columns = fields_of(text, file.delim[0]);
  file.header = std::none_of(file.columns.begin(), file.columns.end(), is_number) &&
                std::none_of(file.columns.begin(), file.columns.end(),
                             [](const std::string& name) { return name.empty(); });
  if (file.header) return;
  for (size_t i = 0; i < file.columns.size(); ++i) file.columns[i] = "column_" + std::to_string(i);
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

std::string list_of(const std::vector<std::string>& items) {
  std::string out = "[";
  for (const std::string& item : items) out += (out.size() > 1 ? ", " : "") + item;
  return out + "]";
}

std::string string_literal(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '\t') {
      out += "\\t";
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

// ", header: true, …", as far as it is not the default.
std::string csv_options(const DataFile& file) {
  return std::string(file.header ? ", header: true" : "") +
         (file.delim == "," ? "" : ", delim: " + string_literal(file.delim));
}

}  // namespace

const char* kind_name(FileKind kind) {
  constexpr std::array<const char*, 4> kNames = {"TFRecord", "CSV", "text", "saved elements"};
  return kNames[static_cast<size_t>(kind)];
}

DataFile look_at(const Runtime& runtime, const std::string& name) {
  DataFile out;
  out.name = name;
  std::error_code failed;
  if (!fs::exists(name, failed))
    throw Error(WEIR_CODE_NOT_FOUND, "expected a file or folder, found none called " + name);
  if (fs::is_directory(name, failed)) {
    out.kind = FileKind::saved;
    for (const auto& entry : fs::recursive_directory_iterator(name, failed)) {
      if (entry.is_regular_file(failed)) out.size += entry.file_size(failed);
    }
    return out;
  }
  out.size = fs::file_size(name, failed);
  const std::string bytes = first_bytes(name);
  out.compression = compression_of(bytes);
  if (has_suffix(name, {".weir-index"}))
    throw Error(WEIR_CODE_INVALID_ARGUMENT, "expected a file of data, found " + name + ", the index of one");
  if (has_suffix(name, {".csv", ".tsv"})) {
    out.kind = FileKind::csv;
    if (has_suffix(name, {".tsv"})) out.delim = "\t";
    look_at_columns(runtime, out);
    return out;
  }
  if (has_suffix(name, {".txt", ".text", ".log", ".json", ".jsonl", ".md"})) {
    out.kind = FileKind::text;
    return out;
  }
  const bool records = bytes.empty() || begins_like_records(runtime, name) ||
                       has_suffix(name, {".tfrecord", ".tfrecords", ".record", ".records"}) ||
                       !is_text(bytes);
  out.kind = records ? FileKind::records : FileKind::text;
  return out;
}

FileKind kind_to_write(const std::string& name) {
  if (has_suffix(name, {".csv", ".tsv"}) && bare(name) == name) return FileKind::csv;
  if (has_suffix(name, {".txt", ".text"}) && bare(name) == name) return FileKind::text;
  if (has_suffix(name, {".tfrecord", ".tfrecords", ".record", ".records"})) return FileKind::records;
  if (ends_with(name, "/") || fs::path(name).extension().empty()) return FileKind::saved;
  throw Error(
      WEIR_CODE_INVALID_ARGUMENT,
      "expected a file to write that ends in .csv, .tsv, .txt, .tfrecord or .tfrecord.gz, or a folder, found " +
          name);
}

Dataset rows_of(const Runtime& runtime, const DataFile& file, std::string_view on_corrupt) {
  const Arguments arguments = {{"file", file.name}, {"on_corrupt", on_corrupt}, {"delim", file.delim}};
  switch (file.kind) {
    case FileKind::records:
      return parse(runtime, "tfrecord(@file, compression: \"auto\", on_corrupt: @on_corrupt)", arguments);
    case FileKind::text:
      return parse(runtime, "text_line(@file, compression: \"auto\")", arguments);
    case FileKind::saved:
      return parse(runtime, "load(@file)", arguments);
    default:
      if (file.columns.empty())
        return parse(runtime, "text_line(@file) | take(0) | map(x -> (x,))", arguments);
      return parse(runtime,
                   "csv(@file, " + list_of(std::vector<std::string>(file.columns.size(), "\"\"")) +
                       ", compression: \"auto\", delim: @delim" + (file.header ? ", header: true)" : ")"),
                   arguments);
  }
}

std::string document_of(const DataFile& file, const std::vector<std::string>& column_types) {
  const std::string name = string_literal(file.name);
  const std::string compression =
      file.compression == "none" ? "" : ", compression: \"" + file.compression + "\"";
  switch (file.kind) {
    case FileKind::records:
      return "tfrecord(" + name + compression + ")";
    case FileKind::text:
      return "text_line(" + name + compression + ")";
    case FileKind::saved:
      return "load(" + name + ")";
    default:
      return "csv(" + name + ", " + list_of(column_types) + csv_options(file) + compression + ")";
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
