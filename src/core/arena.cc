#include "core/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

namespace weir {

namespace {

constexpr size_t kOwnSegmentFrom = 8 * 1024;
constexpr size_t kFirstSegment = 1024;
constexpr size_t kLargestSegment = 256 * 1024;
// This many bytes of gaps are left alone.
constexpr int64_t kGapShare = 13;
constexpr int64_t kGapPerImage = 20;
constexpr int64_t kGapAlways = 256 * 1024;

// The places of small images have sizes in steps of 8 bytes, those of 1 KiB and more 128 sizes from one
// power of two to the next. A place that is larger by a sixteenth is still used again.
constexpr uint32_t kPlaceStep = 8;
constexpr uint32_t kClassesPerDoubling = 128;
constexpr uint32_t kDoublingPlacesFrom = kPlaceStep * kClassesPerDoubling;
constexpr uint32_t kPlaceWaste = 16;
constexpr size_t kPlaceClasses =
    kClassesPerDoubling * (1 + std::bit_width(kOwnSegmentFrom) - std::bit_width(kDoublingPlacesFrom)) + 1;

// REQUIRES: size < kOwnSegmentFrom
uint32_t place_size(size_t size) {
  const auto wanted = std::max(kPlaceStep, static_cast<uint32_t>(size));
  const uint32_t step = std::max(kPlaceStep, std::bit_floor(wanted) / kClassesPerDoubling);
  return (wanted + step - 1) / step * step;
}

// REQUIRES: place_size(size) == size
size_t place_class(uint32_t size) {
  if (size < kDoublingPlacesFrom) return size / kPlaceStep;
  const uint32_t power = std::bit_floor(size);
  const auto doublings = static_cast<size_t>(std::bit_width(power) - std::bit_width(kDoublingPlacesFrom));
  return kClassesPerDoubling * (1 + doublings) + (size - power) / (power / kClassesPerDoubling);
}

constexpr size_t kHugePage = size_t{2} << 20;
// Entries of this size or more lie in huge pages, where the kernel has them.
constexpr size_t kHugeChunksFrom = 2 * kHugePage;

uint8_t* allocate_huge_page() {
  void* page = nullptr;
  if (posix_memalign(&page, kHugePage, kHugePage) != 0) throw std::bad_alloc();
  madvise(page, kHugePage, MADV_HUGEPAGE);
  return static_cast<uint8_t*>(page);
}

uint8_t* allocate_bytes(size_t size) {
  void* bytes = std::malloc(size);
  if (bytes == nullptr) throw std::bad_alloc();
  return static_cast<uint8_t*>(bytes);
}

}  // namespace

void ChunkedEntries::clear() {
  for (uint8_t* piece : pieces_) std::free(piece);
  pieces_.clear();
  chunks_.clear();
  capacity_ = 0;
}

void ChunkedEntries::grow(int64_t count) {
  if (capacity_ < kChunkEntries) {
    // The first chunk doubles, so that small stores pay for few entries.
    int64_t first = std::max(kFirstEntries, capacity_);
    while (first < std::min(count, kChunkEntries)) first *= 2;
    if (pieces_.empty()) {
      chunks_.reserve(1);
      pieces_.push_back(nullptr);
      chunks_.push_back(nullptr);
    }
    void* grown = std::realloc(pieces_[0], static_cast<size_t>(first) * entry_bytes_);
    if (grown == nullptr) throw std::bad_alloc();
    pieces_[0] = chunks_[0] = static_cast<uint8_t*>(grown);
    capacity_ = first;
  }
  while (capacity_ < count) add_chunks();
}

void ChunkedEntries::add_chunks() {
  const size_t chunk_bytes = kChunkEntries * entry_bytes_;
  const bool huge = static_cast<size_t>(capacity_) * entry_bytes_ >= kHugeChunksFrom;
  const size_t chunks = huge ? kHugePage / chunk_bytes : 1;
  chunks_.reserve(chunks_.size() + chunks);
  pieces_.reserve(pieces_.size() + 1);
  uint8_t* piece = huge ? allocate_huge_page() : allocate_bytes(chunk_bytes);
  pieces_.push_back(piece);
  for (size_t i = 0; i < chunks; ++i) chunks_.push_back(piece + i * chunk_bytes);
  capacity_ += static_cast<int64_t>(chunks) * kChunkEntries;
}

Arena::~Arena() { clear(); }

void Arena::clear() {
  for (Id id = 1; id < next_id_; ++id) {
    Segment* segment = place(id).segment;
    if (segment && segment->own) delete_segment(segment);
  }
  for (Segment* segment : log_) delete_segment(segment);
  log_.clear();
  places_.clear();
  next_id_ = 1;
  free_id_ = 0;
  images_ = used_bytes_ = live_bytes_ = 0;
  reusable_.clear();
}

Arena::Id Arena::take_id() {
  if (free_id_ != 0) {
    Id id = free_id_;
    free_id_ = static_cast<Id>(reinterpret_cast<uintptr_t>(place(id).data));
    return id;
  }
  if (next_id_ == UINT32_MAX) throw std::bad_alloc();
  places_.grow_to(int64_t{next_id_} + 1);
  return next_id_++;
}

void Arena::give_id(Id id) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a number stored in the pointer, never followed
  place(id) = {reinterpret_cast<uint8_t*>(uintptr_t{free_id_}), nullptr};
  free_id_ = id;
}

Arena::Segment* Arena::new_segment(size_t capacity) {
  auto segment = std::make_unique<Segment>();
  segment->bytes = allocate_bytes(capacity);
  segment->capacity = capacity;
  segment_bytes_ += static_cast<int64_t>(capacity);
  return segment.release();
}

void Arena::delete_segment(Segment* segment) {
  segment_bytes_ -= static_cast<int64_t>(segment->capacity);
  std::free(segment->bytes);
  delete segment;
}

Arena::Segment* Arena::room_for(size_t bytes) {
  if (!log_.empty() && log_.back()->capacity - log_.back()->used >= bytes) return log_.back();
  size_t capacity = kFirstSegment;
  while (capacity < bytes || (capacity < kLargestSegment && static_cast<int64_t>(capacity) < used_bytes_)) {
    capacity *= 2;
  }
  Segment* segment = new_segment(capacity);
  try {
    log_.push_back(segment);
  } catch (...) {
    delete_segment(segment);
    throw;
  }
  return segment;
}

void Arena::append(Id id, uint32_t size) {
  const size_t bytes = size + sizeof(Header);
  Segment* segment = room_for(bytes);
  uint8_t* image = segment->bytes + segment->used + sizeof(Header);
  header(image) = {id, size};
  segment->used += bytes;
  ++segment->live;
  used_bytes_ += static_cast<int64_t>(bytes);
  place(id) = {image, segment};
}

Arena::Id Arena::allocate(size_t size) {
  if (size >= kOwnSegmentFrom) {
    Id id = take_id();
    Segment* segment = nullptr;
    try {
      segment = new_segment(size);
    } catch (...) {
      give_id(id);
      throw;
    }
    segment->own = true;
    place(id) = {segment->bytes, segment};
    return id;
  }
  const uint32_t wanted = place_size(size);
  Id id = take_reusable(wanted);
  if (id == 0) {
    room_for(wanted + sizeof(Header));
    id = take_id();
    append(id, wanted);
  }
  live_bytes_ += static_cast<int64_t>(header(place(id).data).size + sizeof(Header));
  ++images_;
  return id;
}

// A freed place of that size, or one that is little larger; 0: none.
Arena::Id Arena::take_reusable(uint32_t size) {
  if (reusable_.empty()) return 0;
  const size_t last = std::min(place_class(place_size(size + size / kPlaceWaste)), kPlaceClasses - 1);
  for (size_t i = place_class(size); i <= last; ++i) {
    const Id id = reusable_[i];
    if (id == 0) continue;
    std::memcpy(&reusable_[i], place(id).data, sizeof(Id));
    return id;
  }
  return 0;
}

void Arena::free(Id id) noexcept {
  Place& where = place(id);
  if (where.segment->own) {
    delete_segment(where.segment);
    return give_id(id);
  }
  const uint32_t size = header(where.data).size;
  live_bytes_ -= static_cast<int64_t>(size + sizeof(Header));
  --images_;
  try {
    if (reusable_.empty()) reusable_.resize(kPlaceClasses);
    Id& first = reusable_[place_class(size)];
    std::memcpy(where.data, &first, sizeof(Id));
    first = id;
  } catch (...) {
    make_gap(id);
  }
  compact_if_due();
}

void Arena::make_gap(Id id) noexcept {
  Place& where = place(id);
  header(where.data).id = 0;
  --where.segment->live;
  give_id(id);
}

void Arena::forget_reusable() {
  for (Id& first : reusable_) {
    while (first != 0) {
      const Id id = first;
      std::memcpy(&first, place(id).data, sizeof(Id));
      make_gap(id);
    }
  }
}

// Gaps stay if there is no memory to close them.
void Arena::compact_if_due() noexcept try {
  const int64_t allowed = live_bytes_ / kGapShare + images_ * kGapPerImage + kGapAlways;
  if (used_bytes_ - live_bytes_ <= allowed) return;
  forget_reusable();
  // The oldest segments have had the longest time to get gaps.
  while (log_.size() > 1 && used_bytes_ - live_bytes_ > allowed) compact_oldest();
} catch (...) {
}

void Arena::compact_oldest() {
  Segment* segment = log_.front();
  for (size_t at = 0; at < segment->used && segment->live > 0;) {
    uint8_t* image = segment->bytes + at + sizeof(Header);
    const Header head = header(image);
    at += sizeof(Header) + head.size;
    if (head.id == 0) continue;
    append(head.id, head.size);
    std::memcpy(place(head.id).data, image, head.size);
    header(image).id = 0;
    --segment->live;
  }
  log_.pop_front();
  used_bytes_ -= static_cast<int64_t>(segment->used);
  delete_segment(segment);
}

}  // namespace weir
