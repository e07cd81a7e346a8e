#include "fs/block_folder.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <utility>

#include "core/text.h"
#include "fs/local_files.h"

namespace weir {

namespace {

// A process that has the lock needs it for some microseconds, unless it was stopped.
constexpr int kMostTries = 1000;
// After so many blocks without room, look what the others have done.
constexpr uint64_t kRefusedBeforeLooking = 64;

}  // namespace

BlockFolder::BlockFolder(FileSystem& files, std::string folder, uint64_t limit_bytes, uint64_t tag)
    : files_(files), folder_(std::move(folder)), limit_bytes_(limit_bytes), tag_(tag) {}

std::unique_ptr<FileLock> BlockFolder::lock() {
  for (int tries = 0; tries < kMostTries; ++tries) {
    auto lock = files_.try_lock(path(BlockFile::kLock));
    if (!lock.ok()) return nullptr;
    if (*lock) return *std::move(lock);
    ::sched_yield();
  }
  return nullptr;
}

std::optional<uint64_t> BlockFolder::read_total() {
  std::array<char, 32> text{};
  auto file = files_.do_open(path(BlockFile::kTotal));
  if (!file.ok()) return std::nullopt;
  const auto got = (*file)->do_read_at(0, {reinterpret_cast<uint8_t*>(text.data()), text.size()});
  if (!got.ok()) return std::nullopt;
  uint64_t total = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + *got, total);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + *got) return std::nullopt;
  return total;
}

Status BlockFolder::write_total(uint64_t total) {
  total_.store(total, std::memory_order_relaxed);
  const std::string text = concat(total);
  return write_private_file(path(BlockFile::kTotal),
                            {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

// The sum of what is there, temporary files included; those that were abandoned are removed.
// REQUIRES: the lock
Result<uint64_t> BlockFolder::scan(std::vector<Block>* blocks, int64_t now_ns) {
  WEIR_ASSIGN(const std::vector<std::string> names, files_.list_folder(folder_));
  uint64_t total = 0;
  for (const std::string& name : names) {
    if (auto block = BlockFile::of(name)) {
      total += block->size;
      if (blocks) blocks->push_back(*std::move(block));
    } else if (BlockFile::is_temporary(name)) {
      const auto info = files_.stat(path(name));
      if (!info.ok()) continue;
      if (now_ns - info->modified_ns >= kAbandonedNs) {
        static_cast<void>(files_.remove(path(name)));
      } else {
        total += info->size;
      }
    }
  }
  return total;
}

Result<std::vector<BlockFolder::Block>> BlockFolder::open(int64_t& now_ns) {
  WEIR_TRY(files_.create_folders(folder_));
  const std::unique_ptr<FileLock> held = lock();
  std::vector<Block> blocks;
  if (held) {
    // Tells what time it is there.
    const std::optional<uint64_t> before = read_total();
    WEIR_TRY(write_total(before.value_or(0)));
  }
  const auto info = files_.stat(path(BlockFile::kTotal));
  now_ns = info.ok() ? info->modified_ns : 0;
  WEIR_ASSIGN(const uint64_t total, scan(&blocks, held ? now_ns : 0));
  if (held) {
    WEIR_TRY(write_total(total));
  } else {
    total_.store(total, std::memory_order_relaxed);
  }
  return blocks;
}

std::optional<std::string> BlockFolder::read(const Block& block) {
  auto file = files_.do_open(path(block));
  if (!file.ok()) return std::nullopt;
  std::string out(static_cast<size_t>(block.size), 0);
  const auto got = (*file)->do_read_at(0, {reinterpret_cast<uint8_t*>(out.data()), out.size()});
  out.resize(got.ok() ? *got : 0);
  return out;
}

void BlockFolder::touch(const Block& block) noexcept try {
  touch_local_file(path(block));
} catch (const std::bad_alloc&) {
  // It counts as unused.
}

int64_t BlockFolder::used_ns(const Block& block) {
  const auto info = files_.stat(path(block));
  return info.ok() ? info->modified_ns : 0;
}

void BlockFolder::remove(const Block& block) {
  const std::unique_ptr<FileLock> held = lock();
  if (!files_.remove(path(block)).ok() || !held) return;
  const uint64_t total = read_total().value_or(block.size);
  static_cast<void>(write_total(total - std::min(total, block.size)));
}

bool BlockFolder::has_room(uint64_t size) {
  if (fits(total_.load(std::memory_order_relaxed), size)) return true;
  if (refused_.fetch_add(1, std::memory_order_relaxed) % kRefusedBeforeLooking != 0) return false;
  if (const auto total = read_total()) total_.store(*total, std::memory_order_relaxed);
  return fits(total_.load(std::memory_order_relaxed), size);
}

Result<bool> BlockFolder::add(const Block& block, std::span<const uint8_t> bytes, const Victim& victim) {
  const std::string temporary = path(block.temporary(concat(hexadecimal(tag_), "-", written_.fetch_add(1))));
  WEIR_TRY(create_private_file(temporary, bytes));
  auto added = add_locked(block, temporary, victim);
  if (!added.ok() || !*added) static_cast<void>(files_.remove(temporary));
  return added;
}

Result<bool> BlockFolder::add_locked(const Block& block, const std::string& temporary, const Victim& victim) {
  const std::unique_ptr<FileLock> held = lock();
  if (!held) return false;
  if (files_.stat(path(block)).ok()) {
    // Another process was first.
    static_cast<void>(files_.remove(temporary));
    return true;
  }
  std::optional<uint64_t> total = read_total();
  if (!total) {
    WEIR_ASSIGN(const uint64_t found, scan(nullptr, 0));
    total = found;
  }
  while (!fits(*total, block.size)) {
    const std::optional<Block> least = victim();
    if (!least) break;
    if (files_.remove(path(*least)).ok()) *total -= std::min(*total, least->size);
  }
  const bool added = fits(*total, block.size);
  WEIR_TRY(write_total(added ? *total + block.size : *total));
  if (!added) return false;
  WEIR_TRY(rename_local_file(temporary, path(block)));
  return true;
}

}  // namespace weir
