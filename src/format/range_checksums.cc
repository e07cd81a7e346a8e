#include "format/range_checksums.h"

#include "format/crc32c.h"

namespace weir {

namespace {

constexpr uint64_t kStep = 256;

}  // namespace

uint32_t RangeChecksums::hash(const uint8_t* bytes, size_t size, uint32_t crc) {
  hashed_bytes_ += size;
  return crc32c(bytes, size, crc);
}

void RangeChecksums::drop_before(uint64_t offset) {
  const uint64_t first = end_ - (marks_.size() - 1) * kStep;
  if (offset <= first) return;
  const uint64_t unused = (offset - first) / kStep;
  // Seldom, so that moving the others costs little.
  if (unused > marks_.size() / 2)
    marks_.erase(marks_.begin(), marks_.begin() + static_cast<ptrdiff_t>(unused));
}

uint32_t RangeChecksums::of(std::span<const uint8_t> bytes, uint64_t begin, uint64_t from, size_t size) {
  const auto at = [&](uint64_t offset) { return bytes.data() + (offset - begin); };
  if (marks_.empty() || begin < begin_ || end_ < begin) {
    marks_.assign(1, 0);
    end_ = begin;
  }
  begin_ = begin;
  drop_before(begin);
  const uint64_t last = from + size;
  while (last - end_ >= kStep && end_ < last) {
    marks_.push_back(hash(at(end_), kStep, marks_.back()));
    end_ += kStep;
  }
  if (size < 2 * kStep) return hash(at(from), size, 0);
  const uint64_t first_mark = end_ - (marks_.size() - 1) * kStep;
  const auto step_at = [&](uint64_t offset) { return static_cast<size_t>((offset - first_mark) / kStep); };
  const size_t low = step_at(from + kStep - 1);
  const size_t high = step_at(last);
  const uint64_t low_offset = first_mark + low * kStep;
  const uint64_t high_offset = first_mark + high * kStep;
  const uint32_t front = hash(at(from), static_cast<size_t>(low_offset - from), 0);
  const uint32_t middle = crc32c_without(marks_[high], marks_[low], high_offset - low_offset);
  const uint32_t both = crc32c_joined(front, middle, high_offset - low_offset);
  return hash(at(high_offset), static_cast<size_t>(last - high_offset), both);
}

}  // namespace weir
