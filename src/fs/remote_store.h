// RemoteStore: files that are elsewhere, as the file systems of extensions provide them. RemoteFiles
// (fs/remote_files.h) makes a FileSystem of one.
//
// May be used by many threads at once. All functions may block, except reading. What they return may outlive
// the store.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/ref.h"
#include "core/status.h"
#include "fs/file_system.h"

namespace weir {

// A file that is open for reading, in the version that it had then. Closed with its last owner.
class RemoteFile : public RefCounted {
 public:
  // What a read gives: how many bytes are there.
  using Done = std::function<void(Result<size_t>)>;

  // Begins to read into `out`, which lives until `done` was called: once, on any thread, perhaps before this
  // returns.
  virtual void read(uint64_t offset, std::span<uint8_t> out, Done done) = 0;
  // A reader was given `size` bytes of an extent. If it is the first, `bytes` are those of the extent, which
  // were read at `offset`. May block.
  virtual void used(uint64_t offset, std::span<const uint8_t> bytes, size_t size) {
    static_cast<void>(offset), static_cast<void>(bytes), static_cast<void>(size);
  }
  // Its reads are no longer needed.
  virtual void give_up() noexcept = 0;
};

struct OpenedRemote {
  RefPtr<RemoteFile> file;
  FileInfo info;
};

class RemoteStore : public RefCounted {
 public:
  virtual Result<FileInfo> stat(const std::string& name) = 0;
  // The names in `folder`, which ends with a slash, that begin with `prefix`; with `only_folders` without
  // those that are known to be files.
  virtual Result<std::vector<std::string>> list(const std::string& folder, const std::string& prefix,
                                                bool only_folders) = 0;
  virtual Result<OpenedRemote> open(const std::string& name) = 0;
  // Closing it puts it in place of what was there; if it is destroyed before, nothing changes.
  virtual Result<std::unique_ptr<WritableFile>> create(const std::string& name) = 0;
  virtual Status remove(const std::string& name) = 0;
};

}  // namespace weir
