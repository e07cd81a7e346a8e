// The files that the file tools read: what kind each is, and the dataset that reads it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.h"
#include "common.h"
#include "structure.h"
#include "weir/weir.hpp"

namespace weir::command {

// `columns` are those that an extension reads.
enum class FileKind { records, csv, text, saved, array, arrays, objects, elements, columns };
const char* kind_name(FileKind kind);
// Whether its elements have the structure that the files say.
inline bool has_structure(FileKind kind) {
  return kind == FileKind::saved || kind == FileKind::array || kind == FileKind::arrays ||
         kind == FileKind::columns;
}

// A file's name without the suffix of a compression.
std::string_view bare(std::string_view name);

// `-` on the command line: what comes from standard input, in a file that goes when the command ends.
bool is_standard_input(const std::string& name);
const std::string& standard_input_file();

struct DataFile {
  std::string name;
  // As it was given; what comes from standard input has another name.
  std::string shown;
  FileKind kind = FileKind::text;
  // "none", or as in the notation.
  std::string compression = "none";
  // Bytes of the file, or of all files of a folder.
  uint64_t size = 0;
  // Of a table: the names of its columns and whether its first row is left out; the byte between fields, and
  // whether they may stand in quotes.
  std::vector<std::string> columns;
  bool header = false;
  // Whether that is a title, which has another number of fields and no names.
  bool title = false;
  std::string delim = ",";
  bool quotes = true;
  // Of JSON lines and archives: what infer_fields() found, as the notation writes it.
  std::string fields = "{}";
  // What it has in another form than `fields`.
  SourcePaths source_paths;
  // Of columns: what the format and its source are called.
  std::string format;
  std::string source;
  // `, nulls: "optional"`; nothing if infer_fields() found that there are none.
  std::string nulls;
};

// The options of the command's own runtime.
RuntimeOptions runtime_options(const Arguments& arguments);

// By the name, else by the first bytes. Throws an Error of the file, such as not_found. A file of another
// format is invalid_argument, which names it, or records that are damaged. `header` says whether the first
// row of a table is one, where that isn't to be guessed; then other files are invalid_argument.
enum class OtherFormat { refused, damaged };
DataFile look_at(const Runtime& runtime, const std::string& name, std::optional<bool> header,
                 OtherFormat other = OtherFormat::refused);

// Finds what the objects of JSON lines have, or the elements of an archive, or whether columns have nulls, by
// looking at up to `limit` lines or rows, or all members; negative: all.
void infer_fields(const Runtime& runtime, DataFile& file, int64_t limit);

// Whether a float32 is written with the same digits.
bool is_single(double number);

// The narrowest kind that all values of a column have, as the reader of tables takes them. Empty fields fit
// each.
class ColumnKind {
 public:
  // `doubles`: float32 would change the digits of one of them.
  enum class Kind { ints, floats, doubles, text };
  void add(std::string_view text);
  Kind kind() const;
  uint64_t missing() const { return missing_; }

 private:
  bool ints_ = true;
  bool floats_ = true;
  bool single_ = true;
  uint64_t values_ = 0;
  uint64_t missing_ = 0;
};

// The rows of the file: its records or lines as strings, the fields of a table as a tuple of strings, dicts
// of `fields`, or elements of their own structure. `on_corrupt` is that of tfrecord.
Dataset rows_of(const Runtime& runtime, const DataFile& file, std::string_view on_corrupt = "error");

// The document that reads it, as somebody would write it; empty if there is nothing to read.
std::string document_of(const DataFile& file, const std::vector<std::string>& column_types);

// Calls `row` for each element that has not failed, `failed` for each other one, up to `limit` of both;
// negative: all. Stops where they return false.
void each_row(const Runtime& runtime, const Dataset& dataset, int64_t limit,
              const std::function<bool(const Element&)>& row,
              const std::function<bool(const Error&)>& failed);

// Of a record with its checksums and length, beside its bytes.
inline constexpr uint64_t kRecordBytes = 16;

[[noreturn]] inline void fail(int32_t code, const std::string& message) { throw Error(code, message); }

// What an Error says, in one line but for a document that didn't build.
std::string error_text(const Error& error);

// What `work` returns, or after an Error, which is reported, kExitNotBuilt.
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

// "1,234".
std::string with_commas(uint64_t number);
// "1,234 records", "1 record"; "2 stretches".
std::string counted(uint64_t number, const std::string& unit);

}  // namespace weir::command
