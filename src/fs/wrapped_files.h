// WrappedFiles: a file system that passes every call on, for those that change one of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fs/file_system.h"
#include "fs/read_through.h"

namespace weir {

class WrappedFiles : public FileSystem {
 public:
  explicit WrappedFiles(FileSystem& files) : files_(files) {}

  Result<RefPtr<RandomAccessFile>> do_open(const std::string& name) override { return files_.do_open(name); }
  RefPtr<ReadPlan> plan_reads() override { return files_.plan_reads(); }
  Result<std::unique_ptr<WritableFile>> create(const std::string& name) override {
    return files_.create(name);
  }
  Result<FileInfo> stat(const std::string& name) override { return files_.stat(name); }
  Result<std::vector<std::string>> list_folder(const std::string& folder) override {
    return files_.list_folder(folder);
  }
  Result<std::vector<std::string>> list_beginning(const std::string& folder, const std::string& prefix,
                                                  bool only_folders) override {
    return files_.list_beginning(folder, prefix, only_folders);
  }
  Status remove(const std::string& name) override { return files_.remove(name); }
  Status remove_folder(const std::string& folder) override { return files_.remove_folder(folder); }
  Status create_folders(const std::string& folder) override { return files_.create_folders(folder); }
  Status sync_folder(const std::string& folder) override { return files_.sync_folder(folder); }
  Result<std::unique_ptr<FileLock>> try_lock(const std::string& name) override {
    return files_.try_lock(name);
  }
  Result<std::unique_ptr<FileLock>> do_lock(const std::string& name) override { return files_.do_lock(name); }
  Result<std::string> absolute(const std::string& name) override { return files_.absolute(name); }
  std::string cache_folder() override { return files_.cache_folder(); }
  Status write_file_atomically(const std::string& name, std::span<const uint8_t> bytes) override {
    return files_.write_file_atomically(name, bytes);
  }

 protected:
  FileSystem& files_;
};

}  // namespace weir
