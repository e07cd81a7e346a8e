// Where files are: here, or elsewhere, where a URL names them and the library's file systems read and write.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/weir.hpp"

namespace weir::command {

bool is_elsewhere(std::string_view name);

// What is under a name.
struct Place {
  bool folder = false;
  // Of a folder elsewhere nobody knows it: 0.
  uint64_t size = 0;
  // The first 4 KiB of a file.
  std::string first_bytes;
};

// Throws an Error of the file, such as not_found. Elsewhere a folder is one of saved elements.
Place look_under(const Runtime& runtime, const std::string& name);

// Names elsewhere that are patterns stand for the files that match, sorted: no shell knows those. Others
// stay.
std::vector<std::string> matching_names(const Runtime& runtime, const std::vector<std::string>& names);

// Refuses to write over something, so that a slip of the hand loses nothing.
void check_absent(const Runtime& runtime, const std::string& name);

// A file that is there when finish() returns, whole, and not at all before.
class NewFile {
 public:
  // Compressed as the name says. `flags`: WEIR_RECORD_WRITER_...
  NewFile(const Runtime& runtime, std::string name, uint32_t flags);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  void write(std::string_view record) { writer_.write(record); }
  void finish();

 private:
  const std::string name_;
  // Under which it is written; elsewhere only what is complete has a name.
  const std::string temporary_;
  RecordWriter writer_;
  bool published_ = false;
};

}  // namespace weir::command
