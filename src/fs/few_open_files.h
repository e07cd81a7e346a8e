// FewOpenFiles: a file system of whose files so many are open at once at most, however many are in use: the
// ones that were read longest ago are closed, and opened again for their next read.
//
// A file that was replaced or changed meanwhile is failed_precondition from then on. May be used on any
// thread; its files may outlive it, not the file system below.
#pragma once

#include <memory>
#include <string>

#include "core/ref.h"
#include "fs/wrapped_files.h"

namespace weir {

class OpenFiles;

class FewOpenFiles final : public WrappedFiles {
 public:
  // `owner` keeps the file system below, may be null.
  FewOpenFiles(FileSystem& files, size_t most, std::shared_ptr<FileSystem> owner = nullptr);
  ~FewOpenFiles() override;
  Result<RefPtr<RandomAccessFile>> do_open(const std::string& name) override;
  FileSystem& below() const { return files_; }

 private:
  const RefPtr<OpenFiles> open_;
};

}  // namespace weir
