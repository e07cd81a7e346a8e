#include "ops/shuffling/shuffle_order.h"

#include <algorithm>
#include <cmath>

#include "core/float_mode.h"

namespace weir {

double shuffle_reread_rows(double buffer_size) {
  return in_float_mode(
      [&] { return buffer_size < 2 ? buffer_size : buffer_size * (std::log(buffer_size) + 0.5772156649); });
}

ShuffleRewind::ShuffleRewind(int64_t capacity, int64_t draws, int64_t values, ShuffleDraws order)
    : capacity_(capacity),
      draws_(draws),
      values_(values),
      order_(order),
      full_(capacity),
      step_(draws),
      unresolved_(values - draws) {
  // Before the first draw element e lies in slot e, so a saved state alone never causes an allocation.
  if (draws == 0) unresolved_ = 0;
  if (unresolved_ == 0) return;
  destination_.assign(static_cast<size_t>(std::min(capacity, values)), -1);
  for (int64_t element = draws; element < values; ++element) {
    const int64_t slot = element % capacity;
    destination_[static_cast<size_t>(slot)] = slot;
  }
  held_.reserve(static_cast<size_t>(unresolved_));
}

bool ShuffleRewind::run(int64_t steps) {
  for (; unresolved_ > 0 && step_ > 0; --steps) {
    if (steps == 0) return false;
    --step_;
    const int64_t front = step_ % capacity_;
    int64_t& at_front = destination_[static_cast<size_t>(front)];
    if (capacity_ < values_ - step_ && at_front >= 0) {
      held_.push_back({capacity_ + step_, at_front});
      at_front = -1;
      --unresolved_;
    }
    // The draw moved the front element into the hole.
    const int64_t found = values_ - step_;
    const int64_t offset = found >= capacity_ ? order_.offset(step_, full_) : order_.offset(step_, found);
    if (offset == 0) continue;
    const int64_t hole = offset < capacity_ - front ? front + offset : front + offset - capacity_;
    std::swap(at_front, destination_[static_cast<size_t>(hole)]);
  }
  for (auto slot = static_cast<int64_t>(destination_.size()); slot-- > 0 && unresolved_ > 0;) {
    const int64_t ended_in = destination_[static_cast<size_t>(slot)];
    if (ended_in < 0) continue;
    held_.push_back({slot, ended_in});
    --unresolved_;
  }
  std::vector<int64_t>().swap(destination_);
  return true;
}

ShuffleRewind::Held ShuffleRewind::operator[](int64_t i) const {
  if (draws_ == 0) return {i, i};
  return held_[held_.size() - 1 - static_cast<size_t>(i)];
}

}  // namespace weir
