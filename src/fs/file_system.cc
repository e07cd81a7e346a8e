#include "fs/file_system.h"

#include <algorithm>

#include "core/text.h"
#include "exec/scheduler.h"

namespace weir {

namespace {

// The size of a larger file is trusted only as far as it has been read.
constexpr size_t kFirstReadBytes = size_t{64} << 10;

Error error_of_file(Code code, Mistake mistake, std::string file, int64_t offset, int64_t record) {
  Error error;
  error.code = code;
  error.message = mistake.sentence();
  error.parts.mistake = std::move(mistake);
  error.file = std::move(file);
  error.offset = offset;
  error.record = record;
  return error;
}

}  // namespace

Status file_error(Code code, Mistake mistake, std::string file, int64_t offset, int64_t record) {
  return Status(error_of_file(code, std::move(mistake), std::move(file), offset, record));
}

Status read_error(Code code, Mistake mistake, std::string file, int64_t offset, int64_t record) {
  Error error = error_of_file(code, std::move(mistake), std::move(file), offset, record);
  error.read_failed = true;
  return Status(std::move(error));
}

Status check_unchanged(const std::string& name, const FileInfo& now, const FileInfo& seen) {
  const bool knows_time = now.modified_ns != 0 && seen.modified_ns != 0;
  const bool knows_version = !now.version.empty() && !seen.version.empty();
  if (now.size == seen.size && (!knows_time || now.modified_ns == seen.modified_ns) &&
      (!knows_version || now.version == seen.version))
    return Status();
  return read_error(Code::failed_precondition,
                    expected_found("the file as it was when it was first opened", "another state of it",
                                   "leave files alone while they are read, and make a new iterator"),
                    name);
}

Result<size_t> RandomAccessFile::read_at(uint64_t offset, std::span<uint8_t> out) {
  const BlockingRead read;
  return do_read_at(offset, out);
}

Result<SharedBytes> RandomAccessFile::share(uint64_t offset) {
  const BlockingRead read;
  return do_share(offset);
}

Result<uint64_t> RandomAccessFile::size() {
  const BlockingRead read;
  return do_size();
}

Result<FileInfo> RandomAccessFile::info() {
  const BlockingRead read;
  return do_info();
}

Result<FileInfo> RandomAccessFile::do_info() {
  FileInfo out;
  WEIR_ASSIGN(out.size, do_size());
  return out;
}

Result<RefPtr<RandomAccessFile>> FileSystem::open(const std::string& name) {
  const BlockingRead read;
  return do_open(name);
}

Result<std::unique_ptr<FileLock>> FileSystem::lock(const std::string& name) {
  const BlockingRead read;
  return do_lock(name);
}

Result<std::unique_ptr<FileLock>> FileSystem::do_lock(const std::string& name) {
  WEIR_ASSIGN(std::unique_ptr<FileLock> lock, try_lock(name));
  if (lock) return lock;
  return file_error(Code::unavailable, concat("cannot lock ", quote(name), ": it is locked"), name);
}

Result<bool> FileSystem::exists(const std::string& name) {
  const Result<FileInfo> info = stat(name);
  if (info.ok()) return true;
  if (info.status().code() == Code::not_found) return false;
  return info.status();
}

Result<std::string> read_up_to(RandomAccessFile& file, uint64_t offset, uint64_t limit_bytes) {
  std::string bytes;
  size_t used = 0;
  while (used < limit_bytes) {
    const size_t room = std::max(kFirstReadBytes, 2 * used);
    bytes.resize(static_cast<size_t>(std::min<uint64_t>(limit_bytes, room)));
    WEIR_ASSIGN(const size_t got,
                file.read_at(offset + used, {reinterpret_cast<uint8_t*>(&bytes[used]), bytes.size() - used}));
    if (got == 0) break;
    used += got;
  }
  bytes.resize(used);
  return bytes;
}

Result<std::string> FileSystem::read_file(const std::string& name, uint64_t limit_bytes) {
  WEIR_ASSIGN(const RefPtr<RandomAccessFile> file, open(name));
  WEIR_ASSIGN(std::string bytes, read_up_to(*file, 0, std::max(limit_bytes, limit_bytes + 1)));
  if (bytes.size() <= limit_bytes) return bytes;
  return file_error(Code::resource_exhausted,
                    expected_found(concat("a file of at most ", limit_bytes, " bytes"), "more"), name);
}

}  // namespace weir
