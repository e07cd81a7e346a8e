// BlockFolder: a local folder of blocks that several processes fill up to a limit together. A block is a file
// that is there whole or not at all, written under a temporary name; its own name says how large it is:
//
//   5d41402abc4b2a76b9719d911017c592-10002c.block         a block, its key and its size in hexadecimal digits
//   5d41402abc4b2a76b9719d911017c592-10002c.4f1c-0.tmp    one that is being written
//   total                                                 the sum of all sizes, as text
//   lock                                                  held for a moment when a block is added
//
// Reading takes no lock. `total` is raised before a block appears and lowered after one is gone, so a process
// that is killed leaves it too large, and open() puts it right. A temporary file is removed by the next
// open() once it is kAbandonedNs old. May be used on any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"
#include "fs/block_names.h"
#include "fs/file_system.h"

namespace weir {

class BlockFolder {
 public:
  static constexpr int64_t kAbandonedNs = int64_t{600} * 1'000'000'000;

  using Block = BlockFile;

  // `tag` differs from that of all other processes.
  BlockFolder(FileSystem& files, std::string folder, uint64_t limit_bytes, uint64_t tag);

  const std::string& folder() const { return folder_; }
  uint64_t limit_bytes() const { return limit_bytes_; }
  // Creates the folder and returns what is in it. `now_ns` becomes the time of the folder's file system.
  Result<std::vector<Block>> open(int64_t& now_ns);

  // Nothing if it isn't there, or isn't of that size.
  std::optional<std::string> read(const Block& block);
  // Says that it was used now.
  void touch(const Block& block) noexcept;
  // When it was used last; 0 if it isn't there.
  int64_t used_ns(const Block& block);
  void remove(const Block& block);

  // Whether a block of this size fits, as far as this process knows.
  bool has_room(uint64_t size);
  // Which block gives way to one that is added; none: that one is not added.
  using Victim = std::function<std::optional<Block>()>;
  // Whether it is there now. Errors say why nothing can be written.
  Result<bool> add(const Block& block, std::span<const uint8_t> bytes, const Victim& victim);

 private:
  std::string path(std::string_view name) const { return (folder_ + "/").append(name); }
  std::string path(const Block& block) const { return path(block.name()); }
  bool fits(uint64_t total, uint64_t size) const {
    return size <= limit_bytes_ && total <= limit_bytes_ - size;
  }
  std::unique_ptr<FileLock> lock();
  std::optional<uint64_t> read_total();
  Status write_total(uint64_t total);
  Result<uint64_t> scan(std::vector<Block>* blocks, int64_t now_ns);
  Result<bool> add_locked(const Block& block, const std::string& temporary, const Victim& victim);

  FileSystem& files_;
  const std::string folder_;
  const uint64_t limit_bytes_;
  const uint64_t tag_;
  std::atomic<uint64_t> written_{0};
  // As this process saw it last.
  std::atomic<uint64_t> total_{0};
  std::atomic<uint64_t> refused_{0};
};

}  // namespace weir
