// The moves of a shuffle's draws, many at a time: the size of a slot's entry is spelled out, so that each is
// a few instructions.
#include "core/rowstore.h"

namespace weir {

template <size_t Bytes, bool Puts>
void RowStore::draw_entries(std::span<const int64_t> slots, Ring& ring, int64_t tag, int lifted) {
  const auto at = [this](int64_t slot) { return slots_.at<Bytes>(slot); };
  const uint8_t* in = in_.data();
  uint8_t* out = out_.data() + static_cast<size_t>(lifted) * Bytes;
  for (const int64_t slot : slots) {
    if constexpr (Puts) {
      uint8_t* back = at(ring.back);
      std::memcpy(back, in, Bytes);
      std::memcpy(back, &tag, sizeof(tag));
      in += Bytes;
      ++tag;
      if (++ring.back == ring.size) ring.back = 0;
    }
    uint8_t* drawn = at(slot);
    const uint8_t* front = at(ring.front);
    std::memcpy(out, drawn, Bytes);
    out += Bytes;
    // The entry itself, if it was the front one.
    std::memmove(drawn, front, Bytes);
    if (++ring.front == ring.size) ring.front = 0;
  }
}

template <bool Puts>
void RowStore::draw_many(std::span<const int64_t> slots, Ring& ring, int64_t tag, int lifted) {
  switch (entry_bytes_) {
    case 16:
      return draw_entries<16, Puts>(slots, ring, tag, lifted);
    case 24:
      return draw_entries<24, Puts>(slots, ring, tag, lifted);
    case 32:
      return draw_entries<32, Puts>(slots, ring, tag, lifted);
    case 40:
      return draw_entries<40, Puts>(slots, ring, tag, lifted);
    case 48:
      return draw_entries<48, Puts>(slots, ring, tag, lifted);
    case 56:
      return draw_entries<56, Puts>(slots, ring, tag, lifted);
    case 64:
      return draw_entries<64, Puts>(slots, ring, tag, lifted);
    case 72:
      return draw_entries<72, Puts>(slots, ring, tag, lifted);
    default:
      // A row without bytes.
      return draw_entries<8, Puts>(slots, ring, tag, lifted);
  }
}

void RowStore::exchange(std::span<const int64_t> slots, Ring& ring, int64_t tag, int lifted) {
  draw_many<true>(slots, ring, tag, lifted);
}

void RowStore::draw(std::span<const int64_t> slots, Ring& ring, int lifted) {
  draw_many<false>(slots, ring, 0, lifted);
}

void RowStore::place_run(int count, int64_t slot, int64_t tag) {
  if (count <= 0) return;
  slots_.grow_to(slot + count);
  const auto last = static_cast<size_t>(count - 1) * entry_bytes_;
  uint8_t* at = slots_.at(slot);
  if (slots_.at(slot + count - 1) != at + last) {
    for (int i = 0; i < count; ++i) place(i, slot + i, tag + i);
    return;
  }
  // In one piece of memory.
  std::memcpy(at, in_.data(), last + entry_bytes_);
  for (int i = 0; i < count; ++i, ++tag, at += entry_bytes_) std::memcpy(at, &tag, sizeof(tag));
}

}  // namespace weir
