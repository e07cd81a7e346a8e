#include "exec/buffer_tuner.h"

#include <algorithm>

namespace weir {

namespace {

// Estimates are off by as much.
constexpr double kMargin = 1.25;
constexpr int64_t kShortestStallNs = 2'000'000;
// A feed that stood still for less than such a part of a stall would not have filled what the stall takes.
constexpr int64_t kFullPart = 4;
constexpr int64_t kMostPatience = 1024;

int64_t whole(double rows, int64_t most) {
  return rows >= static_cast<double>(most) ? most : static_cast<int64_t>(rows);
}

}  // namespace

void BufferTuner::found_empty(int64_t taken, bool was_full, int64_t full_ns, int64_t now_ns) {
  if (fixed() || empty_since_ns_ != 0) return;
  if (refilled_ns_ >= 0 && taken > refilled_taken_) {
    const auto passed_ns = static_cast<double>(std::max<int64_t>(1, now_ns - refilled_ns_));
    rate_ = static_cast<double>(taken - refilled_taken_) / passed_ns;
  }
  empty_since_ns_ = now_ns;
  empty_taken_ = taken;
  grows_ = was_full;
  full_ns_ = full_ns;
  least_left_ = 0;
}

bool BufferTuner::has_rows(int64_t now_ns) {
  if (fixed()) return false;
  const bool was_empty = empty_since_ns_ != 0;
  if (!was_empty) return false;
  refilled_ns_ = now_ns;
  refilled_taken_ = empty_taken_;
  const auto stalled_ns = static_cast<double>(now_ns - empty_since_ns_);
  if (full_ns_ < (now_ns - empty_since_ns_) / kFullPart) grows_ = false;
  empty_since_ns_ = 0;
  const int64_t before = rows();
  if (!grows_ || before == most_) return false;
  if (gave_back_) patience_ = std::min(patience_ * 2, kMostPatience);
  gave_back_ = false;
  const int64_t missing = whole(rate_ * stalled_ns * kMargin, most_);
  // A stall may end at once by chance.
  set(std::min(most_, before + std::max(missing, before / 4 + 1)));
  return true;
}

void BufferTuner::check(int64_t taken, int64_t now_ns) {
  const int64_t unused = least_left_ == INT64_MAX ? 0 : least_left_;
  if (checked_ns_ >= 0 && unused > rows() / 2) {
    const auto passed_ns = static_cast<double>(std::max<int64_t>(1, now_ns - checked_ns_));
    const double rate = static_cast<double>(taken - checked_taken_) / passed_ns;
    const int64_t kept = whole(rate * static_cast<double>(kShortestStallNs), most_);
    const int64_t fewer = std::max({first_, rows() - unused / 2, kept});
    if (fewer < rows()) {
      set(fewer);
      gave_back_ = true;
    }
  }
  checked_taken_ = taken;
  checked_ns_ = now_ns;
  least_left_ = INT64_MAX;
}

}  // namespace weir
