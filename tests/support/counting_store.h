// CountingStore: remote files in memory, for tests. Answers reads at once, and counts what was fetched and
// used.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/text.h"
#include "fs/remote_store.h"

namespace weir::test {

class CountingStore final : public RemoteStore {
 public:
  struct Stored {
    std::string bytes;
    std::string version;
  };
  std::map<std::string, Stored> files;
  std::atomic<uint64_t> fetched_bytes{0};
  std::atomic<uint64_t> used_bytes{0};
  // How many parts were first used when a later one of their file had been asked for, and how many were not.
  std::atomic<int> used_ahead{0};
  std::atomic<int> used_last{0};
  // How much had been used of all files when one was opened for the first time. For one thread at a time.
  std::map<std::string, uint64_t> used_before;
  std::atomic<int> openings{0};
  // How often that thread read, or opened a file.
  const std::thread::id made_by = std::this_thread::get_id();
  std::atomic<int> calls_of_maker{0};

  Result<FileInfo> stat(const std::string& name) override {
    const auto found = files.find(name);
    if (found == files.end()) return read_error(Code::not_found, concat("no ", name), name);
    return FileInfo{.size = found->second.bytes.size(), .version = found->second.version};
  }
  Result<std::vector<std::string>> list(const std::string& folder, const std::string& prefix, bool) override {
    std::vector<std::string> out;
    for (const auto& [name, stored] : files) {
      if (name.starts_with(folder + prefix)) out.push_back(name.substr(folder.size()));
    }
    return out;
  }
  Result<OpenedRemote> open(const std::string& name) override {
    ++openings;
    count_maker();
    used_before.emplace(name, used_bytes);
    WEIR_ASSIGN(FileInfo info, stat(name));
    return OpenedRemote{make_ref<File>(RefPtr<CountingStore>(this), files[name].bytes), std::move(info)};
  }
  Result<std::unique_ptr<WritableFile>> create(const std::string& name) override {
    return file_error(Code::unimplemented, concat("cannot write ", name), name);
  }
  Status remove(const std::string& name) override {
    files.erase(name);
    return {};
  }

 private:
  class File final : public RemoteFile {
   public:
    File(RefPtr<CountingStore> store, std::string bytes)
        : store_(std::move(store)), bytes_(std::move(bytes)) {}
    void give_up() noexcept override {}
    void used(uint64_t offset, std::span<const uint8_t> bytes, size_t size) override {
      store_->used_bytes += size;
      if (!bytes.empty()) ++(offset + bytes.size() < asked_ ? store_->used_ahead : store_->used_last);
    }
    void read(uint64_t offset, std::span<uint8_t> out, Done done) override {
      store_->fetched_bytes += out.size();
      store_->count_maker();
      asked_ = std::max(asked_, offset + out.size());
      std::memcpy(out.data(), bytes_.data() + offset, out.size());
      done(out.size());
    }

   private:
    const RefPtr<CountingStore> store_;
    const std::string bytes_;
    uint64_t asked_ = 0;
  };

  void count_maker() {
    if (std::this_thread::get_id() == made_by) ++calls_of_maker;
  }
};

}  // namespace weir::test
