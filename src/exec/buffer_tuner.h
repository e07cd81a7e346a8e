// BufferTuner: sets the number of rows in a Window to those that its consumer takes while the feed stalls.
//
// When the consumer finds no row although the window was full before, the feed has stalled for longer than
// the rows last. The window then grows by the rows that the consumer, at its former rate, would have taken
// until the next row came. It grows only if the full window had stopped the feed for long enough to make that
// many rows; otherwise the feed is slower than the consumer, and no window helps. Room that is never used is
// given back, except for two milliseconds' worth, since threads take that long to wake; the more often it had
// to grow again, the later it is given back.
//
// It never changes a row, their order or a position. Guarded by its owner's lock, but for rows().
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/stage_stats.h"

namespace weir {

class BufferTuner {
 public:
  // Between `first` and `most` rows; the number stays if both are the same.
  // REQUIRES: 1 <= first <= most
  // `begin`: the number to begin with, if it is positive.
  BufferTuner(int64_t first, int64_t most, int64_t begin = 0)
      : first_(first), most_(most), rows_(begin > 0 ? std::clamp(begin, first, most) : first) {}

  int64_t rows() const { return rows_.load(std::memory_order_relaxed); }
  bool fixed() const { return first_ == most_; }

  // The consumer found nothing, after `taken` rows in all. `was_full`: there was no room at some time since
  // the last time that it found nothing, for `full_ns` in all.
  void found_empty(int64_t taken, bool was_full, int64_t full_ns, int64_t now_ns);
  // There are rows again. Returns true if rows() has risen.
  bool has_rows(int64_t now_ns);
  // The consumer has taken some, `taken` in all, and left `left`. Returns true if it is time for check().
  bool took(int64_t taken, int64_t left) {
    if (left < least_left_) least_left_ = left;
    return taken - checked_taken_ >= patience_ * rows() && !fixed();
  }
  // Gives back what was not used since the last time.
  void check(int64_t taken, int64_t now_ns);

 private:
  void set(int64_t rows) { rows_.store(rows, std::memory_order_relaxed); }

  const int64_t first_;
  const int64_t most_;
  Counter rows_;
  // When the consumer last had rows, and how many it had taken by then; negative: never.
  int64_t refilled_ns_ = -1;
  int64_t refilled_taken_ = 0;
  // Rows per nanosecond while it had rows.
  double rate_ = 0;
  // 0: it has rows.
  int64_t empty_since_ns_ = 0;
  int64_t empty_taken_ = 0;
  bool grows_ = false;
  int64_t full_ns_ = 0;
  bool gave_back_ = false;
  int64_t patience_ = 16;
  int64_t checked_taken_ = 0;
  int64_t checked_ns_ = -1;
  int64_t least_left_ = INT64_MAX;
};

}  // namespace weir
