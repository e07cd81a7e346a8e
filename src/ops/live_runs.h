// LiveRuns: which rows of its input a shuffle's buffer still needs, by runs of 2^bits elements, so that a position can
// say from which row on the input has to be read again.
#pragma once

#include <cstdint>
#include <deque>

namespace weir {

class LiveRuns {
 public:
  explicit LiveRuns(int64_t capacity) : runs_(1) {
    while (bits_ < 12 && (int64_t{64} << bits_) < capacity) ++bits_;
  }
  // Elements from `element` on are at `ordinal` and the following rows.
  void begin(int64_t element, int64_t ordinal, int64_t count) noexcept try {
    if (!begun_ && count > 0) begin_first(element, ordinal);
    for (int64_t run = first_ + static_cast<int64_t>(runs_.size()); run << bits_ < element + count; ++run) {
      runs_.push_back({run << bits_, ordinal + (run << bits_) - element, 0});
    }
  } catch (...) {
    keep_all(element, ordinal);
  }
  // It is no longer known which elements are live: all from the oldest on form one run, which stays for good.
  void keep_all(int64_t element, int64_t ordinal) noexcept {
    if (!begun_) begin_first(element, ordinal);
    runs_.resize(1);
    runs_.front().live = kForGood;
    bits_ = kAllBits;
    first_ = 0;
  }
  void add(int64_t element) { ++run_of(element).live; }
  void remove(int64_t element) { --run_of(element).live; }
  void drop_dead() {
    for (; runs_.size() > 1 && runs_.front().live == 0; ++first_) runs_.pop_front();
  }
  int64_t oldest_element() const { return runs_.front().element; }
  int64_t oldest_ordinal() const { return runs_.front().ordinal; }

 private:
  // More than there are elements.
  static constexpr int kAllBits = 62;
  static constexpr int64_t kForGood = int64_t{1} << kAllBits;
  struct Run {
    int64_t element = 0;
    int64_t ordinal = 0;
    int64_t live = 0;
  };
  void begin_first(int64_t element, int64_t ordinal) noexcept {
    begun_ = true;
    first_ = element >> bits_;
    runs_.front() = {element, ordinal, 0};
  }
  Run& run_of(int64_t element) { return runs_[static_cast<size_t>((element >> bits_) - first_)]; }
  int bits_ = 0;
  int64_t first_ = 0;
  // Never empty; the first is unused before begin().
  std::deque<Run> runs_;
  bool begun_ = false;
};

}  // namespace weir
