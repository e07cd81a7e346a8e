#include "place.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <random>
#include <utility>

#include "common.h"
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

[[noreturn]] void refuse_taken(const std::string& name) {
  throw Error(WEIR_CODE_INVALID_ARGUMENT,
              "expected a name that is free, found " + name + ", which exists; remove it, or choose another");
}

bool is_taken(const std::string& name) {
  struct stat info;
  return ::lstat(name.c_str(), &info) == 0;
}

// Returns 0, or an errno: EEXIST if something has the second name, were it a link without a target.
int rename_to_free(const char* from, const char* to) {
  if (::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // The file system can't refuse. Links of folders are none, and some have no links.
  if (::link(from, to) == 0) return ::unlink(from) == 0 ? 0 : errno;
  if (errno == EEXIST || is_taken(to)) return EEXIST;
  return ::rename(from, to) == 0 ? 0 : errno;
}

}  // namespace

// Never freed, since a signal may come at any time.
struct Unfinished::Entry {
  const std::string name;
  std::atomic<bool> there{true};
  Entry* next;
};

namespace {

std::atomic<Unfinished::Entry*> unfinished{nullptr};

extern "C" void remove_unfinished(int number) {
  for (const Unfinished::Entry* each = unfinished; each != nullptr; each = each->next) {
    if (each->there) ::unlink(each->name.c_str());
  }
  // Ends the process, since the action was reset.
  ::raise(number);
}

void handle_signals() {
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM}) {
    struct sigaction action;
    if (::sigaction(number, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action.sa_handler = remove_unfinished;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(number, &action, nullptr);
  }
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
  if (!is_elsewhere(name)) {
    if (is_taken(name)) refuse_taken(name);
    return;
  }
  try {
    look_under(runtime, name);
  } catch (const Error& error) {
    if (error.code() == WEIR_CODE_NOT_FOUND) return;
    throw;
  }
  refuse_taken(name);
}

Unfinished::Unfinished(std::string name) : final_name_(std::move(name)) {
  while (final_name_.size() > 1 && final_name_.ends_with('/')) final_name_.pop_back();
  if (unfinished == nullptr) handle_signals();
  std::random_device draw;
  // Beside the final name, which may be as long as names can be.
  const fs::path own = fs::path(final_name_).replace_filename(concat(".weir-", draw(), draw(), ".part"));
  entry_ = new Entry{own.string(), true, unfinished};
  unfinished = entry_;
}

Unfinished::~Unfinished() {
  std::error_code ignored;
  if (entry_->there) fs::remove_all(entry_->name, ignored);
  entry_->there = false;
}

const std::string& Unfinished::name() const { return entry_->name; }

void Unfinished::publish() {
  const int failure = rename_to_free(entry_->name.c_str(), final_name_.c_str());
  if (failure == EEXIST) refuse_taken(final_name_);
  if (failure != 0)
    throw Error(code_of(failure),
                concat("cannot rename the finished file to ", final_name_, ": ", std::strerror(failure)));
  entry_->there = false;
}

NewFile::NewFile(const Runtime& runtime, std::string name, uint32_t flags)
    : runtime_(runtime), name_(std::move(name)) {
  if (!is_elsewhere(name_)) unfinished_.emplace(name_);
  writer_.emplace(runtime, unfinished_ ? unfinished_->name() : name_, options_for(name_, flags));
}

void NewFile::finish() {
  if (!unfinished_) check_absent(runtime_, name_);
  writer_->close();
  if (unfinished_) unfinished_->publish();
}

}  // namespace weir::command
