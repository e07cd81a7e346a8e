#include "place.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "core/text.h"
#include "format/signature.h"

namespace weir::command {

namespace {

namespace fs = std::filesystem;

constexpr size_t kFirstBytes = 4096;

// A file that is open for reading.
class OpenFile {
 public:
  OpenFile(const Runtime& runtime, const std::string& name) {
    detail::call(weir_file_open, runtime.handle(), name.data(), static_cast<uint64_t>(name.size()), &info_,
                 &file_);
  }
  ~OpenFile() { weir_file_release(file_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  uint64_t size() const { return info_.size; }
  std::string read(size_t most) const {
    std::string out(static_cast<size_t>(std::min<uint64_t>(most, info_.size)), '\0');
    uint64_t got = 0;
    detail::call(weir_file_read, file_, uint64_t{0}, static_cast<void*>(out.data()),
                 static_cast<uint64_t>(out.size()), &got);
    out.resize(static_cast<size_t>(got));
    return out;
  }

 private:
  weir_file_info info_ = WEIR_FILE_INFO_INIT;
  weir_file file_{};
};

// Throws if it isn't one of saved elements.
void check_folder(const Runtime& runtime, const std::string& name) {
  try {
    parse(runtime, "load(@file)", {{"file", name}});
  } catch (const Error& error) {
    if (error.code() != WEIR_CODE_NOT_FOUND) throw;
    throw Error(WEIR_CODE_NOT_FOUND,
                concat("expected a file, or a folder that save, snapshot or cache wrote, found the folder ",
                       name, " without their elements; name files in it"));
  }
}

uint64_t size_of_folder(const std::string& name) {
  uint64_t out = 0;
  std::error_code failed;
  for (const auto& entry : fs::recursive_directory_iterator(name, failed)) {
    if (entry.is_regular_file(failed)) out += entry.file_size(failed);
  }
  return out;
}

bool is_saved(const Runtime& runtime, const std::string& name) {
  try {
    parse(runtime, "load(@file)", {{"file", name}});
    return true;
  } catch (const Error&) {
    return false;
  }
}

RecordWriterOptions options_for(const std::string& name, uint32_t flags) {
  RecordWriterOptions options;
  if (const CodecMarks* marks = marks_of_file(name)) options.compression_name = marks->name;
  options.flags = flags;
  return options;
}

// Web servers have no lists, and `?` begins a query there.
bool is_pattern(std::string_view name) {
  return is_elsewhere(name) && !name.starts_with("http") && name.find_first_of("*?[") != name.npos;
}

}  // namespace

bool is_elsewhere(std::string_view name) {
  const size_t end = name.find("://");
  return end != name.npos && end > 0 && std::all_of(name.begin(), name.begin() + end, [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '-' || c == '.';
         });
}

Place look_under(const Runtime& runtime, const std::string& name) {
  Place out;
  std::error_code failed;
  if (!is_elsewhere(name)) {
    if (!fs::exists(name, failed))
      throw Error(WEIR_CODE_NOT_FOUND, "expected a file or folder, found none called " + name);
    out.folder = fs::is_directory(name, failed);
    if (out.folder) {
      check_folder(runtime, name);
      out.size = size_of_folder(name);
      return out;
    }
  }
  try {
    const OpenFile file(runtime, name);
    out.size = file.size();
    out.first_bytes = file.read(kFirstBytes);
  } catch (const Error& error) {
    out.folder = error.code() == WEIR_CODE_NOT_FOUND && is_saved(runtime, name);
    if (!out.folder) throw;
  }
  return out;
}

std::vector<std::string> matching_names(const Runtime& runtime, const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const std::string& name : names) {
    if (!is_pattern(name)) {
      out.push_back(name);
      continue;
    }
    Iterator found(runtime, parse(runtime, "list_files(@pattern, shuffle: false)", {{"pattern", name}}));
    Element element;
    while (found.next(element)) out.emplace_back(element.get<std::string_view>(0));
  }
  return out;
}

void check_absent(const Runtime& runtime, const std::string& name) {
  try {
    std::error_code ignored;
    if (is_elsewhere(name)) {
      look_under(runtime, name);
    } else if (!fs::exists(name, ignored)) {
      return;
    }
  } catch (const Error& error) {
    if (error.code() == WEIR_CODE_NOT_FOUND) return;
    throw;
  }
  throw Error(WEIR_CODE_INVALID_ARGUMENT,
              "expected a name that is free, found " + name + "; remove it, or choose another");
}

NewFile::NewFile(const Runtime& runtime, std::string name, uint32_t flags)
    : name_(std::move(name)),
      temporary_(is_elsewhere(name_) ? name_ : name_ + ".part"),
      writer_(runtime, temporary_, options_for(name_, flags)) {}

NewFile::~NewFile() {
  std::error_code ignored;
  if (!published_ && !is_elsewhere(name_)) fs::remove(temporary_, ignored);
}

void NewFile::finish() {
  writer_.close();
  std::error_code failed;
  if (!is_elsewhere(name_)) fs::rename(temporary_, name_, failed);
  if (failed)
    throw Error(WEIR_CODE_UNAVAILABLE, "expected to name " + name_ + ", found: " + failed.message());
  published_ = true;
}

}  // namespace weir::command
