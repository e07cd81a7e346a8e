// The files that the file tools read: what kind each is, and the dataset that reads it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/weir.hpp"

namespace weir::command {

enum class FileKind { records, csv, text, saved };
const char* kind_name(FileKind kind);

struct DataFile {
  std::string name;
  FileKind kind = FileKind::text;
  // "none", "gzip" or "zlib".
  std::string compression = "none";
  // Bytes of the file, or of all files of a folder.
  uint64_t size = 0;
  // Of a table: the names of its columns and whether they are its first row; the byte between fields.
  std::vector<std::string> columns;
  bool header = false;
  std::string delim = ",";
};

// By the name, else by the first bytes. Throws an Error of the file, such as not_found.
DataFile look_at(const Runtime& runtime, const std::string& name);

// What a file that is yet to be written is to be, by its name: .csv .tsv .txt, with .gz or .tfrecord.gz; a name without a
// suffix is a folder for saved elements. Throws invalid_argument for others.
FileKind kind_to_write(const std::string& name);

// The rows of the file: its records or lines as strings, the fields of a table as a tuple of strings, or saved elements.
// `on_corrupt` is that of tfrecord.
Dataset rows_of(const Runtime& runtime, const DataFile& file, std::string_view on_corrupt = "error");

// The document that reads it, as somebody would write it.
std::string document_of(const DataFile& file, const std::vector<std::string>& column_types);

// Calls `row` for each element that has not failed, `failed` for each other one, up to `limit` of both; negative: all.
// Stops where they return false.
void each_row(const Runtime& runtime, const Dataset& dataset, int64_t limit,
              const std::function<bool(const Element&)>& row,
              const std::function<bool(const Error&)>& failed);

// "1,234".
std::string with_commas(uint64_t number);
// "1,234 records", "1 record"; "2 stretches".
std::string counted(uint64_t number, const std::string& unit);

}  // namespace weir::command
