// RoutedFiles: the files of a runtime: those of file systems that were added for a scheme, such as
// "s3://bucket/key", and for all other names local ones.
//
// May be used on any thread. A file system that was added stays.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/sync.h"
#include "fs/file_system.h"

namespace weir {

// "s3" of "s3://bucket/key", as it is written; empty if the name has none. Capitals mean the same.
std::string_view scheme_of(std::string_view name);

class RoutedFiles final : public FileSystem {
 public:
  // Called without a lock for a scheme that is unknown; may add it. Unless it does, its error is that of the
  // file; without one, the name is a local one.
  using Finder = std::function<Status(const std::string& scheme)>;

  RoutedFiles(FileSystem& local, Finder find) : local_(local), find_(std::move(find)) {}

  // Returns already_exists, and adds nothing, if one of the schemes is taken.
  Status add(const std::vector<std::string>& schemes, std::shared_ptr<FileSystem> files);

  Result<RefPtr<RandomAccessFile>> do_open(const std::string& name) override;
  Result<RefPtr<RandomAccessFile>> do_open_through(const std::string& name, ReadThrough& through) override;
  Result<std::unique_ptr<WritableFile>> create(const std::string& name) override;
  Result<FileInfo> stat(const std::string& name) override;
  Result<std::vector<std::string>> list_folder(const std::string& folder) override;
  Result<std::vector<std::string>> list_beginning(const std::string& folder, const std::string& prefix,
                                                  bool only_folders) override;
  Status remove(const std::string& name) override;
  Status remove_folder(const std::string& folder) override;
  Status create_folders(const std::string& folder) override;
  Status sync_folder(const std::string& folder) override;
  Result<std::unique_ptr<FileLock>> try_lock(const std::string& name) override;
  Result<std::unique_ptr<FileLock>> do_lock(const std::string& name) override;
  Status write_file_atomically(const std::string& name, std::span<const uint8_t> bytes) override;
  Result<std::string> absolute(const std::string& name) override;
  std::string cache_folder() override { return local_.cache_folder(); }

 private:
  Result<FileSystem*> route(const std::string& name);
  template <class Call>
  auto routed(const std::string& name, Call call) -> decltype(call(std::declval<FileSystem&>()));
  FileSystem* known(const std::string& scheme) const;

  FileSystem& local_;
  const Finder find_;
  mutable Mutex mutex_;
  std::map<std::string, std::shared_ptr<FileSystem>> added_;
};

}  // namespace weir
