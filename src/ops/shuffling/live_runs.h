// LiveRuns: which rows of its input a shuffle's buffer still needs, by runs of 2^bits elements, so that a
// position can say from which row on the input has to be read again.
#pragma once

#include <cstdint>
#include <vector>

namespace weir {

class LiveRuns {
 public:
  explicit LiveRuns(int64_t capacity) : ring_(kFirstRuns) {
    while (bits_ < 12 && (int64_t{64} << bits_) < capacity) ++bits_;
  }
  // Elements from `element` on are at `ordinal` and the following rows.
  void begin(int64_t element, int64_t ordinal, int64_t count) noexcept try {
    if (!begun_ && count > 0) begin_first(element, ordinal);
    for (; end_ << bits_ < element + count; ++end_) {
      if (end_ - first_ == static_cast<int64_t>(ring_.size())) grow();
      at(end_) = {end_ << bits_, ordinal + (end_ << bits_) - element, 0};
    }
  } catch (...) {
    keep_all(element, ordinal);
  }
  // It is no longer known which elements are live: all from the oldest on form one run, which stays for good.
  void keep_all(int64_t element, int64_t ordinal) noexcept {
    if (!begun_) begin_first(element, ordinal);
    Run all = at(first_);
    all.live = kForGood;
    bits_ = kAllBits;
    first_ = 0;
    end_ = 1;
    at(0) = all;
  }
  void add(int64_t element) { ++at(element >> bits_).live; }
  // Elements from `element` on.
  void add(int64_t element, int64_t count) {
    for (const int64_t end = element + count; element < end;) {
      const int64_t run = element >> bits_;
      const int64_t left = ((run + 1) << bits_) - element;
      const int64_t here = left < end - element ? left : end - element;
      at(run).live += here;
      element += here;
    }
  }
  void remove(int64_t element) { --at(element >> bits_).live; }
  void drop_dead() {
    while (end_ - first_ > 1 && at(first_).live == 0) ++first_;
  }
  int64_t oldest_element() const { return at(first_).element; }
  int64_t oldest_ordinal() const { return at(first_).ordinal; }

 private:
  // More than there are elements.
  static constexpr int kAllBits = 62;
  static constexpr int64_t kForGood = int64_t{1} << kAllBits;
  // A power of two.
  static constexpr size_t kFirstRuns = 64;
  struct Run {
    int64_t element = 0;
    int64_t ordinal = 0;
    int64_t live = 0;
  };
  void begin_first(int64_t element, int64_t ordinal) noexcept {
    begun_ = true;
    first_ = element >> bits_;
    end_ = first_ + 1;
    at(first_) = {element, ordinal, 0};
  }
  void grow() {
    std::vector<Run> wider(2 * ring_.size());
    for (int64_t run = first_; run < end_; ++run)
      wider[static_cast<size_t>(run) & (wider.size() - 1)] = at(run);
    ring_.swap(wider);
  }
  Run& at(int64_t run) { return ring_[static_cast<size_t>(run) & (ring_.size() - 1)]; }
  const Run& at(int64_t run) const { return ring_[static_cast<size_t>(run) & (ring_.size() - 1)]; }

  int bits_ = 0;
  // The runs [first_, end_), each at its number modulo the size of the ring. Never none; before begin() the
  // first is unused.
  std::vector<Run> ring_;
  int64_t first_ = 0;
  int64_t end_ = 1;
  bool begun_ = false;
};

}  // namespace weir
