// RemoteFiles: a FileSystem of a RemoteStore, whose files are read through a BlockCache.
//
// A store has no folders and no locks of its own: folders need not be made or removed, and a lock is one
// within this process. What is written appears when it is closed, whole, which is as durable as the store.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fs/block_cache.h"
#include "fs/file_system.h"
#include "fs/remote_store.h"

namespace weir {

class HeldLocks;

class RemoteFiles final : public FileSystem {
 public:
  RemoteFiles(RefPtr<RemoteStore> store, RefPtr<BlockCache> cache);
  ~RemoteFiles() override;

  Result<RefPtr<RandomAccessFile>> do_open(const std::string& name) override;
  Result<RefPtr<RandomAccessFile>> do_open_through(const std::string& name, ReadThrough& through) override;
  Result<std::unique_ptr<WritableFile>> create(const std::string& name) override;
  Result<FileInfo> stat(const std::string& name) override { return store_->stat(name); }
  Result<std::vector<std::string>> list_folder(const std::string& folder) override {
    return list_beginning(folder, {}, false);
  }
  Result<std::vector<std::string>> list_beginning(const std::string& folder, const std::string& prefix,
                                                  bool only_folders) override;
  Status remove(const std::string& name) override { return store_->remove(name); }
  Status remove_folder(const std::string&) override { return {}; }
  Status create_folders(const std::string&) override { return {}; }
  Status sync_folder(const std::string&) override { return {}; }
  Result<std::unique_ptr<FileLock>> try_lock(const std::string& name) override;
  Status write_file_atomically(const std::string& name, std::span<const uint8_t> bytes) override;

 private:
  const RefPtr<RemoteStore> store_;
  const RefPtr<BlockCache> cache_;
  const RefPtr<HeldLocks> locks_;
};

}  // namespace weir
