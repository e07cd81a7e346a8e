#include "format/disk_blocks.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "core/digest.h"
#include "core/text.h"
#include "format/crc32c.h"

namespace weir {

namespace {

// A block begins with this, the bytes of its key, and the masked checksum of the key and what follows.
constexpr std::string_view kBlockMagic = "weirblk1";
constexpr size_t kBlockKeyBytes = 32;
constexpr size_t kBlockHeaderBytes = kBlockMagic.size() + kBlockKeyBytes + 4;

constexpr int64_t kNever = INT64_MAX;
// What a plan holds at most, and how much of it is of use: what is needed after so many others is not kept.
constexpr size_t kMostPlanned = size_t{1} << 19;
constexpr uint64_t kPlannedPerBlock = 4;

BlockFolder::Block block_of(const BlockStore::Key& key, uint64_t block, size_t size) {
  const std::string name = concat(key.file, '\0', key.version, '\0', key.file_size, '\0', block);
  return {fingerprint_of(name).to_string(), kBlockHeaderBytes + size};
}

uint64_t number_of(const std::string& file, uint64_t block) { return hash_of(file, block); }

uint32_t checksum_of(const std::string& key, std::span<const uint8_t> bytes) {
  return mask_crc32c(crc32c(bytes.data(), bytes.size(), crc32c(key.data(), key.size())));
}

std::string with_header(const std::string& key, std::span<const uint8_t> bytes) {
  std::string out;
  out.reserve(kBlockHeaderBytes + bytes.size());
  out.append(kBlockMagic).append(key);
  const uint32_t checksum = checksum_of(key, bytes);
  for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(checksum >> shift));
  out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return out;
}

// The bytes after the header; empty if something is wrong.
std::span<const uint8_t> checked(const std::string& file, const BlockFolder::Block& block) {
  if (file.size() != block.size || !file.starts_with(kBlockMagic)) return {};
  if (file.compare(kBlockMagic.size(), kBlockKeyBytes, block.key) != 0) return {};
  const auto* bytes = reinterpret_cast<const uint8_t*>(file.data());
  uint32_t stored = 0;
  for (size_t i = 0; i < 4; ++i)
    stored |= uint32_t{bytes[kBlockMagic.size() + kBlockKeyBytes + i]} << (8 * i);
  const std::span<const uint8_t> out(bytes + kBlockHeaderBytes, file.size() - kBlockHeaderBytes);
  return stored == checksum_of(block.key, out) ? out : std::span<const uint8_t>();
}

}  // namespace

class DiskBlocks::Plan final : public ReadPlan {
 public:
  explicit Plan(RefPtr<DiskBlocks> blocks) : blocks_(std::move(blocks)) {}
  ~Plan() override { blocks_->end_plan(); }

  bool wants_more() const override {
    const uint64_t most = kPlannedPerBlock * (blocks_->folder_.limit_bytes() / kBlockBytes + 1);
    MutexLock lock(blocks_->mutex_);
    return blocks_->line_.size() < std::min<uint64_t>(kMostPlanned, most);
  }
  void add(const std::string& file, uint64_t begin, uint64_t end, int64_t time) override {
    MutexLock lock(blocks_->mutex_);
    for (uint64_t block = begin / kBlockBytes; block * kBlockBytes < end; ++block)
      blocks_->add_planned(number_of(file, block), time);
  }
  void reached(int64_t time) override {
    MutexLock lock(blocks_->mutex_);
    blocks_->reached(time);
  }

 private:
  const RefPtr<DiskBlocks> blocks_;
};

DiskBlocks::DiskBlocks(Runtime& runtime, std::string folder, uint64_t limit_bytes, RefPtr<ReadCounts> counts)
    : runtime_(runtime),
      folder_(*runtime.files, std::move(folder), limit_bytes == 0 ? kDefaultBytes : limit_bytes,
              runtime.random ? runtime.random->draw() : 0),
      counts_(std::move(counts)) {}

RefPtr<ReadPlan> DiskBlocks::plan() {
  {
    MutexLock lock(mutex_);
    if (planned_) return nullptr;
    planned_ = true;
  }
  return make_ref<Plan>(RefPtr<DiskBlocks>(this));
}

// Looks at the folder when the first block is asked for: many iterators read no remote file.
// REQUIRES: mutex_
void DiskBlocks::begin() {
  if (begun_) return;
  begun_ = true;
  auto found = folder_.open(began_ns_);
  if (!found.ok()) return give_up(found.status());
  shrink(*found);
  for (BlockFolder::Block& block : *found) {
    std::string key = block.key;
    known_.emplace(std::move(key), Known{std::move(block)});
  }
}

// Removes what was used longest ago until the others fit, as they may not where the limit was larger before.
// REQUIRES: mutex_
void DiskBlocks::shrink(std::vector<BlockFolder::Block>& found) {
  uint64_t total = 0;
  for (const BlockFolder::Block& block : found) total += block.size;
  if (total <= folder_.limit_bytes()) return;
  std::vector<std::pair<int64_t, BlockFolder::Block>> by_use;
  for (BlockFolder::Block& block : found) by_use.emplace_back(folder_.used_ns(block), std::move(block));
  std::sort(by_use.begin(), by_use.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (; total > folder_.limit_bytes(); by_use.pop_back()) {
    total -= by_use.back().second.size;
    folder_.remove(by_use.back().second);
  }
  found.clear();
  for (auto& [used_ns, block] : by_use) found.push_back(std::move(block));
}

// REQUIRES: mutex_
void DiskBlocks::give_up(const Status& why) {
  if (!writes_) return;
  writes_ = false;
  if (!runtime_.logger) return;
  runtime_.logger->log(Logger::Level::warning,
                       concat("options: the cache in ", quote(folder_.folder()),
                              " takes no more blocks for this iterator; remote files are read without it: ",
                              why.error().describe()));
}

int64_t DiskBlocks::next_use(uint64_t number) const {
  const auto found = uses_.find(number);
  return found == uses_.end() ? kNever : found->second.front();
}

// The use of a block of its own is another one than before.
void DiskBlocks::change_next(uint64_t number, int64_t before) {
  if (own_.erase({before, number}) > 0) own_.emplace(next_use(number), number);
}

void DiskBlocks::add_planned(uint64_t number, int64_t time) {
  const int64_t before = next_use(number);
  uses_[number].push_back(time);
  line_.emplace_back(time, number);
  if (before == kNever) change_next(number, before);
}

void DiskBlocks::reached(int64_t time) {
  while (!line_.empty() && line_.front().first < time) {
    const auto [before, number] = line_.front();
    line_.pop_front();
    const auto found = uses_.find(number);
    found->second.erase(found->second.begin());
    if (found->second.empty()) uses_.erase(found);
    change_next(number, before);
  }
}

void DiskBlocks::end_plan() {
  MutexLock lock(mutex_);
  reached(kNever);
  planned_ = false;
}

// REQUIRES: mutex_
void DiskBlocks::note_used(const BlockFolder::Block& block, uint64_t number) {
  const auto found = known_.try_emplace(block.key, Known{block}).first;
  if (found->second.used) return;
  found->second.used = true;
  found->second.number = number;
  own_.emplace(next_use(number), number);
  own_keys_.insert_or_assign(number, block.key);
}

// REQUIRES: mutex_
void DiskBlocks::forget(const std::string& key) {
  const auto found = known_.find(key);
  if (found == known_.end()) return;
  if (found->second.used) {
    own_.erase({next_use(found->second.number), found->second.number});
    own_keys_.erase(found->second.number);
  }
  known_.erase(found);
}

// REQUIRES: mutex_
std::optional<BlockFolder::Block> DiskBlocks::old_victim() {
  if (missed_bytes_ < folder_.limit_bytes()) return std::nullopt;
  if (!old_) {
    old_.emplace();
    for (const auto& [key, known] : known_) {
      if (!known.used) old_->emplace_back(folder_.used_ns(known.block), known.block);
    }
    std::sort(old_->begin(), old_->end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  }
  while (!old_->empty()) {
    const BlockFolder::Block block = std::move(old_->back().second);
    old_->pop_back();
    const auto found = known_.find(block.key);
    if (found == known_.end() || found->second.used) continue;
    // Another process may have used it.
    if (folder_.used_ns(block) > began_ns_) continue;
    known_.erase(found);
    return block;
  }
  return std::nullopt;
}

// What gives way to a block that is needed at `next`.
// REQUIRES: mutex_
std::optional<BlockFolder::Block> DiskBlocks::victim(int64_t next) {
  if (auto old = old_victim()) return old;
  if (!planned_ || own_.empty() || own_.rbegin()->first <= next) return std::nullopt;
  const std::string key = own_keys_.at(own_.rbegin()->second);
  BlockFolder::Block block = known_.at(key).block;
  forget(key);
  return block;
}

bool DiskBlocks::get(const Key& key, uint64_t block, std::span<uint8_t> out) {
  const BlockFolder::Block wanted = block_of(key, block, out.size());
  {
    MutexLock lock(mutex_);
    begin();
  }
  const std::optional<std::string> file = folder_.read(wanted);
  const std::span<const uint8_t> bytes = file ? checked(*file, wanted) : std::span<const uint8_t>();
  if (bytes.size() == out.size()) {
    std::memcpy(out.data(), bytes.data(), bytes.size());
    folder_.touch(wanted);
    MutexLock lock(mutex_);
    const auto known = known_.find(wanted.key);
    if (known != known_.end() && !known->second.used) missed_bytes_ = 0;
    note_used(wanted, number_of(key.file, block));
    return true;
  }
  if (file) {
    counts_->damaged_blocks.fetch_add(1, std::memory_order_relaxed);
    folder_.remove(wanted);
  }
  MutexLock lock(mutex_);
  missed_bytes_ += out.size();
  forget(wanted.key);
  return false;
}

void DiskBlocks::put(const Key& key, uint64_t block, std::span<const uint8_t> bytes) {
  const BlockFolder::Block added = block_of(key, block, bytes.size());
  const uint64_t number = number_of(key.file, block);
  {
    MutexLock lock(mutex_);
    begin();
    if (!writes_ || added.size > folder_.limit_bytes()) return;
    if (const auto known = known_.find(added.key); known != known_.end() && known->second.used) return;
    const bool gives_way = missed_bytes_ >= folder_.limit_bytes() && !(old_ && old_->empty());
    const bool worth = planned_ && !own_.empty() && own_.rbegin()->first > next_use(number);
    if (!gives_way && !worth && !folder_.has_room(added.size)) return;
  }
  const std::string file = with_header(added.key, bytes);
  const auto is_there = folder_.add(added, {reinterpret_cast<const uint8_t*>(file.data()), file.size()}, [&] {
    MutexLock lock(mutex_);
    return victim(next_use(number));
  });
  MutexLock lock(mutex_);
  if (!is_there.ok()) return give_up(is_there.status());
  if (*is_there) note_used(added, number);
}

}  // namespace weir
