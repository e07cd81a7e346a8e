// Where files are: here, or elsewhere, where a URL names them and the library's file systems read and write.
#pragma once

#include <cstdint>
#include <optional>
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

// A file or folder here that is being written: under a name of its own, so that it replaces nothing and no
// other run writes to it. It goes with this object, and a file also when a signal such as SIGINT ends the
// process.
class Unfinished {
 public:
  struct Entry;
  // `name`: the one that publish() gives it.
  explicit Unfinished(std::string name);
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  const std::string& name() const;
  // Throws invalid_argument if something has the name.
  void publish();

 private:
  std::string final_name_;
  Entry* entry_;
};

// A file that is there when finish() returns, whole, and not at all before.
class NewFile {
 public:
  // Compressed as the name says. `flags`: WEIR_RECORD_WRITER_...
  NewFile(const Runtime& runtime, std::string name, uint32_t flags);
  void write(std::string_view record) { writer_->write(record); }
  void finish();

 private:
  const Runtime& runtime_;
  const std::string name_;
  // Elsewhere only what is complete has a name.
  std::optional<Unfinished> unfinished_;
  std::optional<RecordWriter> writer_;
};

}  // namespace weir::command
