// FileSystem: the only access to files: open, create, glob, stat, and writing a whole file atomically.
//
// Every call may block; keep them off the compute lane. Opening and reading a file are inside a BlockingRead
// (exec/scheduler.h), so closing an iterator doesn't wait for them. A FileSystem and a RandomAccessFile may
// be used by many threads at once, a WritableFile by one at a time. Files may outlive the FileSystem that
// opened them. Errors are not_found, permission_denied, invalid_argument, resource_exhausted, data_loss or
// unavailable, with Error.file set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/buffer.h"
#include "core/ref.h"
#include "core/status.h"

namespace weir {

class ReadPlan;      // fs/read_through.h
struct ReadThrough;  // fs/read_through.h

struct FileInfo {
  uint64_t size = 0;
  int64_t modified_ns = 0;
  bool is_folder = false;
  // Another one for other contents; empty if unknown.
  std::string version{};
};

// Bytes of a file in memory that others have too: those of `buffer` from `begin` to `end`.
struct SharedBytes {
  BufferRef buffer;
  size_t begin = 0;
  size_t end = 0;
};

// A file open for reading at any position.
class RandomAccessFile : public RefCounted {
 public:
  explicit RandomAccessFile(std::string name) : name_(std::move(name)) {}
  const std::string& name() const { return name_; }

  // Reads from `offset` on and returns the number of bytes. Fewer than asked for mean nothing; none means the
  // end.
  Result<size_t> read_at(uint64_t offset, std::span<uint8_t> out);
  // Some bytes from `offset` on, where it has them in memory for others as well. No buffer where it does not,
  // and at the end.
  Result<SharedBytes> share(uint64_t offset);
  // The current size; the next read may see another one.
  Result<uint64_t> size();

  // What is known of the file that was opened; at least its size.
  Result<FileInfo> info();

  // Once all that is left has been asked for ahead of reads in order: how far ahead that goes. The next file
  // may be asked for, too. Before, and where nothing is read ahead, 0.
  virtual uint64_t ahead_to_end() const { return 0; }
  // Asks for so many bytes of its beginning, or fewer, and does not wait for them.
  virtual void ask_ahead(uint64_t bytes) { static_cast<void>(bytes); }

  // The same without a BlockingRead, which must not lie in another: for a file that reads another.
  virtual Result<size_t> do_read_at(uint64_t offset, std::span<uint8_t> out) = 0;
  virtual Result<SharedBytes> do_share(uint64_t) { return SharedBytes{}; }
  virtual Result<uint64_t> do_size() = 0;
  virtual Result<FileInfo> do_info();

 private:
  const std::string name_;
};

// Reads up to `limit_bytes` bytes from `offset` on; fewer only at the end. Memory grows with what is read,
// whatever the file's size says.
Result<std::string> read_up_to(RandomAccessFile& file, uint64_t offset, uint64_t limit_bytes);

// A file written from its beginning. If destroyed without close(), it is closed and errors are lost.
class WritableFile {
 public:
  virtual ~WritableFile() = default;
  virtual Status append(std::span<const uint8_t> bytes) = 0;
  // Makes what was appended survive a power failure.
  virtual Status sync() = 0;
  // REQUIRES: nothing is called afterwards.
  virtual Status close() = 0;
};

// Held until it is destroyed.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  Result<RefPtr<RandomAccessFile>> open(const std::string& name);
  // Creates an empty file for writing, replacing any that was there.
  virtual Result<std::unique_ptr<WritableFile>> create(const std::string& name) = 0;
  virtual Result<FileInfo> stat(const std::string& name) = 0;
  // The names in a folder without "." and "..", in no particular order.
  virtual Result<std::vector<std::string>> list_folder(const std::string& folder) = 0;
  // The same; may leave out names that don't begin with `prefix` and, with `only_folders`, those of files.
  virtual Result<std::vector<std::string>> list_beginning(const std::string& folder,
                                                          const std::string& prefix, bool only_folders) {
    static_cast<void>(prefix), static_cast<void>(only_folders);
    return list_folder(folder);
  }
  virtual Status remove(const std::string& name) = 0;
  // An empty one.
  virtual Status remove_folder(const std::string& folder) = 0;
  // Missing ones are created and survive a power failure.
  virtual Status create_folders(const std::string& folder) = 0;
  // Makes the names that were added, replaced and removed in a folder survive a power failure.
  virtual Status sync_folder(const std::string& folder) = 0;
  // Takes a lock: a file that is created for it and removed with it. Null if it is taken, in this process or
  // another. A process's locks end with it, so a killed process leaves only an unlocked file.
  virtual Result<std::unique_ptr<FileLock>> try_lock(const std::string& name) = 0;
  // Waits for the lock, inside a BlockingRead. Never null.
  Result<std::unique_ptr<FileLock>> lock(const std::string& name);
  // Whatever happens, a power failure included, the file holds either its old contents or all of `bytes`;
  // after success the latter. Links are followed: their target is replaced, or created if missing. Anything
  // else but a regular file is refused. Writers of one file take turns. If the process is killed, a file with
  // ".tmp" appended to the name is left; the next writer replaces it, and never writes into a file that is
  // there.
  virtual Status write_file_atomically(const std::string& name, std::span<const uint8_t> bytes) = 0;

  // Returns false if nothing is there; an error if that can't be found out.
  Result<bool> exists(const std::string& name);
  // Returns all bytes of a file; resource_exhausted if there are more than `limit_bytes`.
  Result<std::string> read_file(const std::string& name, uint64_t limit_bytes);
  // The names of matching files and folders, sorted bytewise. `*` `?` `[a-z]` `[!x]` match characters of
  // UTF-8 in one part of a path, a leading dot included; `\` quotes the next one. No match gives an empty
  // list.
  Result<std::vector<std::string>> glob(std::string_view pattern);

  // The name from the root folder on, so that it means the same file in every process.
  virtual Result<std::string> absolute(const std::string& name) { return name; }
  // A folder of this user's for what can be made again; it need not exist. Empty: none.
  virtual std::string cache_folder() { return {}; }

  // open() and lock() without a BlockingRead, which must not lie in another: for a file system over another.
  virtual Result<RefPtr<RandomAccessFile>> do_open(const std::string& name) = 0;
  // do_open() for one iterator. Only remote files are read through it.
  virtual Result<RefPtr<RandomAccessFile>> do_open_through(const std::string& name, ReadThrough&) {
    return do_open(name);
  }
  // Takes what will be read; null if that is of no use.
  virtual RefPtr<ReadPlan> plan_reads();
  // unavailable in place of waiting, unless the file system can wait.
  virtual Result<std::unique_ptr<FileLock>> do_lock(const std::string& name);
};

// The machine's own files. Lives as long as the process.
FileSystem& local_file_system();

// An error of a file, with Error.file and, where known, offset and record set.
Status file_error(Code code, Mistake mistake, std::string file, int64_t offset = -1, int64_t record = -1);
// The same where opening or reading the file failed and may succeed the next time (Error.read_failed).
Status read_error(Code code, Mistake mistake, std::string file, int64_t offset = -1, int64_t record = -1);

// failed_precondition if a file is known to be in another state than the one that was seen.
Status check_unchanged(const std::string& name, const FileInfo& now, const FileInfo& seen);

// True if `name`, one part of a path, matches `pattern`, in glob's notation.
bool matches_pattern(std::string_view pattern, std::string_view name);

}  // namespace weir
