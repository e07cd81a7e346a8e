// IteratorFiles: a runtime's files as one iterator reads them: through a ReadThrough, until it gives up.
//
// May be used on any thread; its files may outlive it, not the file system below.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fs/given_up.h"
#include "fs/read_through.h"
#include "fs/wrapped_files.h"

namespace weir {

class IteratorFiles final : public WrappedFiles {
 public:
  IteratorFiles(FileSystem& files, RefPtr<ReadThrough> through)
      : WrappedFiles(files), through_(std::move(through)) {}

  Result<RefPtr<RandomAccessFile>> do_open(const std::string& name) override {
    const GivenUp::Scope scope(*given_up_);
    return files_.do_open_through(name, *through_);
  }
  Result<FileInfo> stat(const std::string& name) override {
    const GivenUp::Scope scope(*given_up_);
    return files_.stat(name);
  }
  Result<std::vector<std::string>> list_folder(const std::string& folder) override {
    const GivenUp::Scope scope(*given_up_);
    return files_.list_folder(folder);
  }
  Result<std::vector<std::string>> list_beginning(const std::string& folder, const std::string& prefix,
                                                  bool only_folders) override {
    const GivenUp::Scope scope(*given_up_);
    return files_.list_beginning(folder, prefix, only_folders);
  }
  RefPtr<ReadPlan> plan_reads() override { return through_->blocks ? through_->blocks->plan() : nullptr; }
  // Ends what waits for a remote file. Waits for nothing.
  void give_up() noexcept { given_up_->give_up(); }

 private:
  const RefPtr<ReadThrough> through_;
  const RefPtr<GivenUp> given_up_ = make_ref<GivenUp>();
};

}  // namespace weir
