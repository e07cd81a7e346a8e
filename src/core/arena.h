// Arena: images (runs of bytes of any size) that come and go in any order, packed without gaps.
//
// Small images are appended to segments. The place of a freed one is used again by an image of its size, or
// of little less, so that images whose sizes stay alike are never copied. When the places that wait for that
// exceed a thirteenth of the live bytes (plus 20 bytes per image and 256 KiB), the oldest segments are copied
// together. Images of 8 KiB or more have their own memory. Images move, so they are identified by number.
//
// Not thread-safe. allocate and free take some ten nanoseconds; a byte is copied at most five times, usually
// never.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace weir {

// Entries of one size, numbered from 0; grows by chunks, so that entries beyond the first chunk never move.
class ChunkedEntries {
 public:
  ChunkedEntries() = default;
  explicit ChunkedEntries(size_t entry_bytes) : entry_bytes_(entry_bytes) {}
  ChunkedEntries(const ChunkedEntries&) = delete;
  ChunkedEntries& operator=(const ChunkedEntries&) = delete;
  ~ChunkedEntries() { clear(); }

  uint8_t* at(int64_t index) const {
    return chunks_[static_cast<size_t>(index >> kChunkBits)] +
           static_cast<size_t>(index & (kChunkEntries - 1)) * entry_bytes_;
  }
  // The same where the size of an entry is known.
  template <size_t Bytes>
  uint8_t* at(int64_t index) const {
    return chunks_[static_cast<size_t>(index >> kChunkBits)] +
           static_cast<size_t>(index & (kChunkEntries - 1)) * Bytes;
  }
  // REQUIRES: no entries.
  void set_entry_bytes(size_t bytes) { entry_bytes_ = bytes; }
  // Makes room for entries [0, count), uninitialised.
  void grow_to(int64_t count) {
    if (count > capacity_) [[unlikely]]
      grow(count);
  }
  void clear();
  int64_t capacity() const { return capacity_; }
  int64_t byte_size() const {
    return capacity_ * static_cast<int64_t>(entry_bytes_) +
           static_cast<int64_t>(chunks_.capacity() * sizeof(uint8_t*));
  }

 private:
  static constexpr int kChunkBits = 12;
  static constexpr int64_t kChunkEntries = int64_t{1} << kChunkBits;
  static constexpr int64_t kFirstEntries = 16;

  void grow(int64_t count);
  void add_chunks();

  size_t entry_bytes_ = 0;
  int64_t capacity_ = 0;
  std::vector<uint8_t*> chunks_;
  // The memory that chunks lie in: one piece each at first, then huge pages full of them, since the page
  // tables of scattered slots cost more than the slots.
  std::vector<uint8_t*> pieces_;
};

class Arena {
 public:
  // Never 0.
  using Id = uint32_t;

  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Returns uninitialised bytes. Throws std::bad_alloc, also beyond 2^32 images.
  Id allocate(size_t size);
  // Aligned to 8; valid until the next allocate or free.
  uint8_t* data(Id id) const { return place(id).data; }
  void free(Id id) noexcept;
  void clear();
  // Turns the places that wait for reuse into gaps. REQUIRED before calling live().
  void forget_reusable();
  // Numbers in use lie in [1, id_limit()).
  Id id_limit() const { return next_id_; }
  bool live(Id id) const { return place(id).segment != nullptr; }
  // The memory taken from the system.
  int64_t byte_size() const { return segment_bytes_ + places_.byte_size(); }

 private:
  struct Segment {
    uint8_t* bytes = nullptr;
    size_t capacity = 0;
    size_t used = 0;
    int64_t live = 0;
    bool own = false;
  };
  struct Place {
    uint8_t* data;
    // Null if the number is free; `data` is then the next free number.
    Segment* segment;
  };
  // In front of every image in a shared segment; `id` 0 for a gap.
  struct Header {
    Id id;
    uint32_t size;
  };

  Place& place(Id id) const { return *reinterpret_cast<Place*>(places_.at(id)); }
  static Header& header(uint8_t* image) { return *reinterpret_cast<Header*>(image - sizeof(Header)); }
  Id take_id();
  void give_id(Id id);
  Id take_reusable(uint32_t size);
  void make_gap(Id id) noexcept;
  Segment* new_segment(size_t capacity);
  void delete_segment(Segment* segment);
  Segment* room_for(size_t bytes);
  void append(Id id, uint32_t size);
  void compact_if_due() noexcept;
  void compact_oldest();

  ChunkedEntries places_{sizeof(Place)};
  Id next_id_ = 1;
  Id free_id_ = 0;
  int64_t images_ = 0;
  // Shared segments, oldest first; the last is being filled.
  std::deque<Segment*> log_;
  int64_t segment_bytes_ = 0;
  // Of shared segments, headers included.
  int64_t used_bytes_ = 0;
  int64_t live_bytes_ = 0;
  // The first of the freed places of each size; each has the number of the next in its bytes.
  std::vector<Id> reusable_;
};

}  // namespace weir
