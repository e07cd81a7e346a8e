#include "ops/functions/key_set.h"

#include <algorithm>
#include <cstring>
#include <string>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace weir {

namespace {

constexpr size_t kFirstSlots = 64;
// The longest run of bytes that is its own key. Its length stands in the last byte.
constexpr size_t kExact = sizeof(Key) - 1;
constexpr int kLengthShift = 56;

}  // namespace

Key key_of(std::string_view bytes) {
  if (bytes.size() > kExact) {
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    // No length is that large.
    return {hash.low64, hash.high64 | uint64_t{0xf0} << kLengthShift};
  }
  Key key;
  if (!bytes.empty()) std::memcpy(&key, bytes.data(), bytes.size());
  key.high |= static_cast<uint64_t>(bytes.size()) << kLengthShift;
  return key;
}

KeySet::KeySet(bool numbers, int64_t max_bytes)
    : width_(numbers ? sizeof(uint64_t) : sizeof(Key)),
      max_count_(std::min<int64_t>(max_bytes / static_cast<int64_t>(width_), UINT32_MAX - 1)),
      entries_(width_) {}

uint64_t KeySet::hash(const Key& key) { return XXH3_64bits(&key, sizeof key); }

Key KeySet::entry(int64_t index) const {
  Key out;
  std::memcpy(&out, entries_.at(index), width_);
  return out;
}

KeySet::Found KeySet::insert(const Key& key) {
  const uint64_t full_hash = hash(key);
  const auto tag = static_cast<uint32_t>(full_hash >> 32);
  if (!slots_.empty()) {
    for (size_t at = place(full_hash); slots_[at].entry != 0; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].hash == tag && entry(slots_[at].entry - 1) == key) return Found::known;
    }
  }
  if (count_ >= max_count_) return Found::full;
  entries_.grow_to(count_ + 1);
  if (static_cast<size_t>(count_ + 1) * 4 > slots_.size() * 3) widen();
  std::memcpy(entries_.at(count_), &key, width_);
  size_t at = place(full_hash);
  while (slots_[at].entry != 0) at = (at + 1) & (slots_.size() - 1);
  slots_[at] = {static_cast<uint32_t>(++count_), tag};
  return Found::added;
}

void KeySet::widen() {
  std::vector<Slot> wider(std::max(kFirstSlots, slots_.size() * 2));
  slots_.swap(wider);
  for (int64_t i = 0; i < count_; ++i) {
    const uint64_t full_hash = hash(entry(i));
    size_t at = place(full_hash);
    while (slots_[at].entry != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = {static_cast<uint32_t>(i + 1), static_cast<uint32_t>(full_hash >> 32)};
  }
}

void KeySet::state(Archive& archive) {
  std::string bytes;
  if (!archive.loading()) {
    bytes.resize(static_cast<size_t>(count_) * width_);
    for (int64_t i = 0; i < count_; ++i)
      std::memcpy(bytes.data() + static_cast<size_t>(i) * width_, entries_.at(i), width_);
  }
  archive("keys", bytes);
  if (!archive.loading() || !archive.status().ok()) return;
  count_ = 0;
  slots_.clear();
  if (bytes.size() % width_ != 0) return archive.fail("a set has part of a key");
  for (size_t at = 0; at < bytes.size(); at += width_) {
    Key key;
    std::memcpy(&key, bytes.data() + at, width_);
    const Found found = insert(key);
    if (found == Found::known) return archive.fail("a set has a key twice");
    if (found == Found::full) return archive.fail("a set has more keys than a checkpoint holds");
  }
}

}  // namespace weir
