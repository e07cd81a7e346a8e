// KeySet: which keys were inserted, for operators that must recognise elements.
//
// A key is a run of bytes: up to 15 bytes exactly, longer runs by a hash of 124 bits (XXH3). So a set takes
// 27 to 38 bytes per key of any size, or 19 to 30 if all keys are numbers. Not thread-safe.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/archive.h"
#include "core/arena.h"

namespace weir {

struct Key {
  uint64_t low = 0;
  uint64_t high = 0;
  bool operator==(const Key&) const = default;
};

// The key of these bytes. A few nanoseconds for short ones.
Key key_of(std::string_view bytes);
// The key of a number, for a set of numbers.
inline Key key_of(uint64_t number) { return {number, 0}; }

class KeySet {
 public:
  enum class Found : uint8_t { added, known, full };

  // Holds keys of numbers, or of bytes. What it saves has at most `max_bytes` bytes.
  KeySet(bool numbers, int64_t max_bytes);

  // Throws std::bad_alloc and then is as before.
  Found insert(const Key& key);
  int64_t size() const { return count_; }
  int64_t max_size() const { return max_count_; }
  void state(Archive& archive);

 private:
  // The number of an entry, plus one, and the upper half of its hash. 0 and 0: empty.
  struct Slot {
    uint32_t entry;
    uint32_t hash;
  };
  static uint64_t hash(const Key& key);
  size_t place(uint64_t hash) const { return static_cast<size_t>(hash) & (slots_.size() - 1); }
  Key entry(int64_t index) const;
  void widen();

  const size_t width_;
  const int64_t max_count_;
  int64_t count_ = 0;
  ChunkedEntries entries_;
  // A power of two of them, at most three quarters in use.
  std::vector<Slot> slots_;
};

}  // namespace weir
