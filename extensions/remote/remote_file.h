// An open file: one version of an object. Its first bytes come with the answer that opens it.
#pragma once

#include <memory>
#include <string>

#include "remote/store.h"

namespace weir_remote {

class RemoteFile {
 public:
  // So many bytes are asked for when a file is opened; a smaller file takes one request.
  static constexpr uint64_t kHeadBytes = 256 << 10;
  // A server without ranges sends the whole file, which is kept if it is no longer than this.
  static constexpr uint64_t kWholeBytes = 32 << 20;

  RemoteFile(std::shared_ptr<Store> store, std::string name, Request get, FileInfo info)
      : store_(std::move(store)), name_(std::move(name)), get_(std::move(get)), info_(std::move(info)) {}

  const FileInfo& info() const { return info_; }
  // Begins to read; `call` ends on the thread of a loop or before this returns. May be called by several
  // threads at once.
  void read(uint64_t offset, char* out, uint64_t size, Call call) const;

 private:
  friend class Store;

  std::shared_ptr<Store> store_;
  std::string name_;
  Request get_;  // pinned
  FileInfo info_;
  std::string encoding_;          // of the first answer
  std::string head_;              // from offset 0 on
  std::string direct_;            // where it was redirected to
  std::string redirect_version_;  // what the redirect said of the version
};

}  // namespace weir_remote
