// The local files. Read with pread, not mapped: a mapped file that shrinks would kill the process.
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/sync.h"
#include "core/text.h"
#include "fs/durable_steps.h"
#include "fs/file_system.h"
#include "fs/local_files.h"

namespace weir {

namespace {

Code code_of(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ELOOP:
      return Code::not_found;
    case EACCES:
    case EPERM:
    case EROFS:
      return Code::permission_denied;
    case EISDIR:
    case EINVAL:
    case ENAMETOOLONG:
    case ESPIPE:
    case ENOTEMPTY:
      return Code::invalid_argument;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return Code::resource_exhausted;
    case EEXIST:
      return Code::already_exists;
    case EIO:
      return Code::data_loss;
    case ENXIO:
    case ENODEV:
    case ESTALE:
    case ETIMEDOUT:
    case EAGAIN:
      return Code::unavailable;
    default:
      return Code::unknown;
  }
}

const char* advice_for(int error, std::string_view name) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      if (name.find_first_of("*?[{") != std::string_view::npos)
        return "; names are taken as they are: list_files finds files by a pattern, as in list_files(\"a-*.tar\")";
      return "; names are taken as they are and from the working folder: check the path";
    case EACCES:
    case EPERM:
      return "; check the permissions of the file and its folders";
    case EROFS:
      return "; choose a place that can be written";
    case EISDIR:
      return "; name a file in the folder instead";
    case EMFILE:
    case ENFILE:
      return "; read fewer files at once or raise the limit of open files";
    case ENOSPC:
    case EDQUOT:
      return "; make room";
    case EIO:
      return "; the device reports damage";
    default:
      return "";
  }
}

// "cannot open "a/b" for reading: No such file or directory; check the path"
Status failure_of(int error, std::string_view action, const std::string& name,
                  std::string_view purpose = "") {
  const char* text = strerrordesc_np(error);  // strerror() speaks the host's language
  return read_error(code_of(error),
                    concat("cannot ", action, " ", quote(name), purpose, ": ", text ? text : "unknown error",
                           advice_for(error, name)),
                    name);
}

FileInfo info_of(const struct stat& info) {
  return {.size = static_cast<uint64_t>(info.st_size),
          .modified_ns = info.st_mtim.tv_sec * int64_t{1'000'000'000} + info.st_mtim.tv_nsec,
          .is_folder = S_ISDIR(info.st_mode)};
}

// The system ends a name at its first NUL and would open another file. `empty` is the code for an empty name.
Status check_name(const std::string& name, Code empty = Code::invalid_argument) {
  if (!name.empty() && name.find('\0') == std::string::npos) return {};
  return file_error(
      name.empty() ? empty : Code::invalid_argument,
      expected_found("the name of a file",
                     concat(quote(name), ": ", name.empty() ? "it is empty" : "it holds a zero byte")),
      name);
}

template <class Call>
auto retried(Call call) {
  auto result = call();
  while (result == -1 && errno == EINTR) result = call();
  return result;
}

// A descriptor that is closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ < 0) return;
    ::close(number_);
  }
  int number() const { return number_; }
  bool valid() const { return number_ >= 0; }
  // On Linux the descriptor is closed even if this fails; an interruption is not a failure.
  int close() {
    const int result = ::close(std::exchange(number_, -1));
    return result == -1 && errno == EINTR ? 0 : result;
  }

 private:
  int number_;
};

Descriptor open_descriptor(const std::string& name, int flags) {
  return Descriptor(retried([&] { return ::open(name.c_str(), flags | O_CLOEXEC, 0666); }));
}

Status write_all(int descriptor, const std::string& name, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = retried([&] { return ::write(descriptor, bytes.data(), bytes.size()); });
    if (written < 0) return failure_of(errno, "write", name);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return {};
}

Status sync_descriptor(int descriptor, const std::string& name) {
  if (retried([&] { return ::fsync(descriptor); }) == 0) return {};
  // Some things (a pipe, folders of a few file systems) have nothing to sync.
  return errno == EINVAL || errno == ENOTSUP ? Status() : failure_of(errno, "sync", name);
}

class LocalFile final : public RandomAccessFile {
 public:
  LocalFile(std::string name, Descriptor descriptor)
      : RandomAccessFile(std::move(name)), descriptor_(std::move(descriptor)) {}

  Result<size_t> do_read_at(uint64_t offset, std::span<uint8_t> out) override {
    size_t total = 0;
    while (total < out.size()) {
      if (offset + total > static_cast<uint64_t>(INT64_MAX)) break;
      const ssize_t got = retried([&] {
        return ::pread(descriptor_.number(), out.data() + total, out.size() - total,
                       static_cast<off_t>(offset + total));
      });
      if (got < 0 && total == 0) return failure_of(errno, "read", name());
      // What was read comes first; the next call will fail again.
      if (got <= 0) break;
      total += static_cast<size_t>(got);
    }
    return total;
  }

  Result<uint64_t> do_size() override {
    WEIR_ASSIGN(const FileInfo info, do_info());
    return info.size;
  }
  Result<FileInfo> do_info() override {
    struct stat info;
    if (::fstat(descriptor_.number(), &info) != 0) return failure_of(errno, "look at", name());
    return info_of(info);
  }

 private:
  Descriptor descriptor_;
};

class LocalWritableFile final : public WritableFile {
 public:
  LocalWritableFile(std::string name, Descriptor descriptor)
      : name_(std::move(name)), descriptor_(std::move(descriptor)) {}

  Status append(std::span<const uint8_t> bytes) override {
    return write_all(descriptor_.number(), name_, bytes);
  }
  Status sync() override { return sync_descriptor(descriptor_.number(), name_); }
  Status close() override { return descriptor_.close() == 0 ? Status() : failure_of(errno, "close", name_); }

 private:
  const std::string name_;
  Descriptor descriptor_;
};

std::string folder_of(const std::string& name) {
  const size_t slash = name.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : name.substr(0, slash);
}

Status sync_folder(const std::string& folder) {
  const Descriptor opened = open_descriptor(folder, O_RDONLY | O_DIRECTORY);
  if (!opened.valid()) return failure_of(errno, "open", folder, " to sync it");
  return sync_descriptor(opened.number(), folder);
}

// "cannot write "a/b": expected a regular file, found a named pipe; …"
Status check_regular(const struct stat& info, const std::string& name) {
  if (S_ISREG(info.st_mode)) return {};
  const char* found = S_ISDIR(info.st_mode)    ? "a folder"
                      : S_ISFIFO(info.st_mode) ? "a named pipe"
                      : S_ISSOCK(info.st_mode) ? "a socket"
                      : S_ISLNK(info.st_mode)  ? "a symbolic link"
                                               : "a device";
  return file_error(Code::invalid_argument,
                    concat("cannot write ", quote(name), ": expected a regular file or none, found ", found,
                           "; choose another name"),
                    name);
}

// The system follows as many when it opens a file.
constexpr int kMaxLinks = 40;

Status check_readable(const struct stat& info, const std::string& name) {
  if (S_ISDIR(info.st_mode)) return failure_of(EISDIR, "open", name, " for reading");
  if (S_ISREG(info.st_mode) || S_ISBLK(info.st_mode)) return {};
  return file_error(
      Code::invalid_argument,
      concat("cannot read ", quote(name),
             ": expected a regular file, found a pipe, socket or device; copy it to a file first"),
      name);
}

// Replaces the name of a link by its target.
Status follow_link(std::string& path) {
  std::string text(256, '\0');
  for (;;) {
    const ssize_t size = ::readlink(path.c_str(), text.data(), text.size());
    if (size < 0) return failure_of(errno, "follow the link", path);
    if (static_cast<size_t>(size) == text.size()) {
      text.resize(2 * text.size());
      continue;
    }
    text.resize(static_cast<size_t>(size));
    path = text.starts_with('/') ? text : folder_of(path) + "/" + text;
    return {};
  }
}

// The file that `name` refers to: itself, or the target of its links, which need not exist.
Result<std::string> target_of(const std::string& name) {
  struct stat info;
  const bool exists = ::stat(name.c_str(), &info) == 0;
  if (!exists && errno != ENOENT) return failure_of(errno, "look at", name);
  if (exists) WEIR_TRY(check_regular(info, name));
  std::string path = name;
  for (int links = 0; links <= kMaxLinks; ++links) {
    if (::lstat(path.c_str(), &info) != 0) {
      // The links of /proc lead to open files, whose names may be gone.
      if (errno != ENOENT || exists) return failure_of(errno, "look at", path);
      return path;
    }
    if (!S_ISLNK(info.st_mode)) return path;
    WEIR_TRY(follow_link(path));
  }
  return failure_of(ELOOP, "follow the link", name);
}

// Opens a file that is there already, without a change to it: a killed writer left it, or one is at work.
Result<Descriptor> open_left_temporary(const std::string& name) {
  // Without O_NONBLOCK, opening a named pipe waits for a reader.
  Descriptor file = open_descriptor(name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat info;
  const int error = errno;
  if (!file.valid()) {
    if (::lstat(name.c_str(), &info) == 0) WEIR_TRY(check_regular(info, name));
    // Gone meanwhile.
    if (error == ENOENT) return file;
    return failure_of(error, "open", name, " for writing");
  }
  if (::fstat(file.number(), &info) != 0) return failure_of(errno, "look at", name);
  WEIR_TRY(check_regular(info, name));
  return file;
}

// Waits for the lock of an open file. Returns whether the file still has the name.
Result<bool> lock_named(const Descriptor& file, const std::string& name) {
  struct stat locked, named;
  if (retried([&] { return ::flock(file.number(), LOCK_EX); }) != 0) return failure_of(errno, "lock", name);
  if (::fstat(file.number(), &locked) != 0) return failure_of(errno, "look at", name);
  return ::lstat(name.c_str(), &named) == 0 && locked.st_ino == named.st_ino && locked.st_dev == named.st_dev;
}

// Creates the file beside the target that the bytes go to first: exclusively locked, and a new one always,
// since one that is there may be a link to a file of somebody else. Other writers wait for the lock; one that
// gets it while the file has its name removes the file, since its writer was killed.
Result<Descriptor> open_temporary(const std::string& name) {
  for (;;) {
    Descriptor file = open_descriptor(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
    if (file.valid()) {
      WEIR_ASSIGN(const bool named, lock_named(file, name));
      if (named) return file;
      continue;
    }
    if (errno != EEXIST) return failure_of(errno, "open", name, " for writing");
    WEIR_ASSIGN(const Descriptor left, open_left_temporary(name));
    if (!left.valid()) continue;
    WEIR_ASSIGN(const bool named, lock_named(left, name));
    if (named && ::unlink(name.c_str()) != 0 && errno != ENOENT) return failure_of(errno, "remove", name);
  }
}

// How a file is replaced (fs/durable_steps.h).
struct ReplaceSteps {
  const std::string& target;
  const std::string& temporary;
  const Descriptor& file;

  Status write(std::span<const uint8_t> bytes) const { return write_all(file.number(), temporary, bytes); }
  Status sync() const { return sync_descriptor(file.number(), temporary); }
  Status rename() const {
    if (::rename(temporary.c_str(), target.c_str()) == 0) return {};
    return failure_of(errno, "replace", target);
  }
  void discard() const { ::unlink(temporary.c_str()); }
  Status sync_folder() const { return weir::sync_folder(folder_of(target)); }
};

struct FolderSteps {
  static Result<bool> make(const std::string& folder) {
    if (::mkdir(folder.c_str(), 0777) == 0) return true;
    const int error = errno;
    struct stat info;
    if (::stat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return false;
    return failure_of(error, "create the folder", folder);
  }
  static Status sync(const std::string& folder) { return sync_folder(folder); }
};

class LocalLock final : public FileLock {
 public:
  LocalLock(std::string name, Descriptor descriptor)
      : name_(std::move(name)), descriptor_(std::move(descriptor)) {}
  // A child after fork has the descriptor, too, so closing it would not be enough.
  ~LocalLock() override {
    ::unlink(name_.c_str());
    retried([&] { return ::flock(descriptor_.number(), LOCK_UN); });
  }

 private:
  const std::string name_;
  Descriptor descriptor_;
};

// Null if another has it and `how` doesn't wait.
Result<std::unique_ptr<FileLock>> take_lock(const std::string& name, int how) {
  WEIR_TRY(check_name(name));
  for (;;) {
    Descriptor file = open_descriptor(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK);
    if (!file.valid()) return failure_of(errno, "open", name, " to lock it");
    if (retried([&] { return ::flock(file.number(), how); }) != 0) {
      if (errno == EWOULDBLOCK) return std::unique_ptr<FileLock>();
      return failure_of(errno, "lock", name);
    }
    // The last holder may have removed the file after it was opened here.
    struct stat locked, named;
    if (::fstat(file.number(), &locked) != 0) return failure_of(errno, "look at", name);
    if (::stat(name.c_str(), &named) != 0 || locked.st_ino != named.st_ino || locked.st_dev != named.st_dev)
      continue;
    return std::unique_ptr<FileLock>(std::make_unique<LocalLock>(name, std::move(file)));
  }
}

class LocalFileSystem final : public FileSystem {
 public:
  Result<RefPtr<RandomAccessFile>> do_open(const std::string& name) override {
    // An element of a pipeline may be empty; there is no such file.
    WEIR_TRY(check_name(name, Code::not_found));
    // Without O_NONBLOCK, opening a named pipe waits for a writer.
    Descriptor file = open_descriptor(name, O_RDONLY | O_NONBLOCK);
    if (!file.valid()) return failure_of(errno, "open", name, " for reading");
    struct stat info;
    if (::fstat(file.number(), &info) != 0) return failure_of(errno, "look at", name);
    WEIR_TRY(check_readable(info, name));
    return RefPtr<RandomAccessFile>(make_ref<LocalFile>(name, std::move(file)));
  }

  Result<std::unique_ptr<WritableFile>> create(const std::string& name) override {
    WEIR_TRY(check_name(name));
    Descriptor file = open_descriptor(name, O_WRONLY | O_CREAT | O_TRUNC);
    if (!file.valid()) return failure_of(errno, "open", name, " for writing");
    return std::unique_ptr<WritableFile>(std::make_unique<LocalWritableFile>(name, std::move(file)));
  }

  Result<FileInfo> stat(const std::string& name) override {
    WEIR_TRY(check_name(name));
    struct stat info;
    if (::stat(name.c_str(), &info) != 0) return failure_of(errno, "look at", name);
    return info_of(info);
  }

  Result<std::vector<std::string>> list_folder(const std::string& folder) override {
    WEIR_TRY(check_name(folder));
    DIR* opened = ::opendir(folder.c_str());
    while (opened == nullptr && errno == EINTR) opened = ::opendir(folder.c_str());
    if (opened == nullptr) return failure_of(errno, "list", folder);
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(opened, ::closedir);
    std::vector<std::string> names;
    do {
      errno = 0;
      while (const dirent* entry = ::readdir(stream.get())) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") names.emplace_back(name);
        errno = 0;
      }
    } while (errno == EINTR);
    if (errno != 0) return failure_of(errno, "list", folder);
    return names;
  }

  Status remove(const std::string& name) override {
    WEIR_TRY(check_name(name));
    return ::unlink(name.c_str()) == 0 ? Status() : failure_of(errno, "remove", name);
  }

  Status remove_folder(const std::string& folder) override {
    WEIR_TRY(check_name(folder));
    return ::rmdir(folder.c_str()) == 0 ? Status() : failure_of(errno, "remove", folder);
  }

  Status create_folders(const std::string& folder) override {
    WEIR_TRY(check_name(folder));
    FolderSteps steps;
    return create_folders_in_order(steps, folder);
  }

  Status sync_folder(const std::string& folder) override {
    WEIR_TRY(check_name(folder));
    return weir::sync_folder(folder);
  }

  Result<std::unique_ptr<FileLock>> try_lock(const std::string& name) override {
    return take_lock(name, LOCK_EX | LOCK_NB);
  }
  Result<std::unique_ptr<FileLock>> do_lock(const std::string& name) override {
    return take_lock(name, LOCK_EX);
  }

  Result<std::string> absolute(const std::string& name) override {
    WEIR_TRY(check_name(name));
    if (name.starts_with('/')) return name;
    const std::unique_ptr<char, void (*)(void*)> folder(::get_current_dir_name(), ::free);
    if (!folder) return failure_of(errno, "find the folder of", name);
    return concat(folder.get(), "/", name);
  }

  std::string cache_folder() override {
    const MutexLock lock(mutex_);
    return cache_folder_;
  }
  void set_cache_folder(std::string folder) {
    const MutexLock lock(mutex_);
    cache_folder_ = std::move(folder);
  }

  Status write_file_atomically(const std::string& name, std::span<const uint8_t> bytes) override {
    WEIR_TRY(check_name(name));
    WEIR_ASSIGN(const std::string target, target_of(name));
    const std::string temporary = target + ".tmp";
    WEIR_ASSIGN(const Descriptor file, open_temporary(temporary));
    ReplaceSteps steps{target, temporary, file};
    return replace_in_order(steps, bytes);
  }

 private:
  Mutex mutex_;
  std::string cache_folder_;
};

// Never destroyed: remaining threads may still read while the process ends.
LocalFileSystem& local_files = *new LocalFileSystem;

}  // namespace

Status check_local_file(const std::string& name) {
  WEIR_TRY(check_name(name, Code::not_found));
  struct stat info;
  if (::stat(name.c_str(), &info) != 0 || ::access(name.c_str(), R_OK) != 0)
    return failure_of(errno, "open", name, " for reading");
  return check_readable(info, name);
}

Status write_private_file(const std::string& name, std::span<const uint8_t> bytes) {
  WEIR_TRY(check_name(name));
  const std::string temporary = name + ".tmp";
  // Another user's stays, and is an error here.
  ::unlink(temporary.c_str());
  WEIR_TRY(create_private_file(temporary, bytes));
  // Takes the place of a link, not of what it leads to.
  Status renamed = rename_local_file(temporary, name);
  if (!renamed.ok()) ::unlink(temporary.c_str());
  return renamed;
}

Status create_private_file(const std::string& name, std::span<const uint8_t> bytes) {
  WEIR_TRY(check_name(name));
  const Descriptor file(retried(
      [&] { return ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600); }));
  if (!file.valid()) return failure_of(errno, "create", name);
  Status written = write_all(file.number(), name, bytes);
  if (!written.ok()) ::unlink(name.c_str());
  return written;
}

Status rename_local_file(const std::string& from, const std::string& to) {
  return ::rename(from.c_str(), to.c_str()) == 0 ? Status() : failure_of(errno, "replace", to);
}

void touch_local_file(const std::string& name) noexcept {
  static_cast<void>(::utimensat(AT_FDCWD, name.c_str(), nullptr, 0));
}

void set_cache_folder(const std::function<const char*(const char*)>& variable) {
  // As the XDG Base Directory Specification says, names that are not absolute are ignored.
  const auto is_absolute = [](const char* folder) { return folder && *folder == '/'; };
  std::string folder;
  if (const char* cache = variable("XDG_CACHE_HOME"); is_absolute(cache)) {
    folder = concat(cache, "/weir");
  } else if (const char* home = variable("HOME"); is_absolute(home)) {
    folder = concat(home, "/.cache/weir");
  }
  local_files.set_cache_folder(std::move(folder));
}

FileSystem& local_file_system() { return local_files; }

}  // namespace weir
