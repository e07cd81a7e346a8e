// IteratorFiles: a runtime's files as one iterator reads them: through a ReadThrough.
//
// May be used on any thread; its files may outlive it, not the file system below.
#pragma once

#include <string>
#include <utility>

#include "fs/read_through.h"
#include "fs/wrapped_files.h"

namespace weir {

class IteratorFiles final : public WrappedFiles {
 public:
  IteratorFiles(FileSystem& files, RefPtr<ReadThrough> through)
      : WrappedFiles(files), through_(std::move(through)) {}

  Result<RefPtr<RandomAccessFile>> do_open(const std::string& name) override {
    return files_.do_open_through(name, *through_);
  }
  RefPtr<ReadPlan> plan_reads() override { return through_->blocks ? through_->blocks->plan() : nullptr; }

 private:
  const RefPtr<ReadThrough> through_;
};

}  // namespace weir
