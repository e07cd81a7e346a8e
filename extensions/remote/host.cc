#include "remote/host.h"

#include <algorithm>

namespace weir_remote {

using std::chrono::milliseconds;
using std::chrono::seconds;

// With fewer of them, waits tell nothing.
constexpr size_t kFewWaits = 8;

void Host::throttled(Clock::time_point now) {
  // The answers to requests that were under way together count once.
  if (last_cut_ == Clock::time_point{} || now - last_cut_ >= milliseconds(200)) {
    limit_ = std::max(1.0, std::min<double>(limit_, in_flight_) * 0.6);
  }
  last_cut_ = now;
}

void Host::succeeded(Clock::time_point now) {
  retries_ = std::min(kMostRetries, retries_ + 0.3);
  hedges_ = std::min(2.0, hedges_ + 0.03);
  if (limit_ < kMostRequests && now - last_cut_ >= seconds(1) && now - last_growth_ >= milliseconds(100)) {
    limit_ = std::min(kMostRequests, limit_ * 1.25);
    last_growth_ = now;
  }
}

bool Host::take_retry() {
  if (retries_ < 1) return false;
  retries_ -= 1;
  return true;
}

std::vector<Clock::duration> Host::sorted_waits() const {
  const auto known = static_cast<std::ptrdiff_t>(std::min(wait_count_, waits_.size()));
  std::vector<Clock::duration> sorted(waits_.begin(), waits_.begin() + known);
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

bool Host::is_near() const {
  const auto sorted = sorted_waits();
  return sorted.size() >= kFewWaits && sorted[sorted.size() / 2] < milliseconds(15);
}

std::optional<Clock::duration> Host::hedge_after(Clock::time_point now) const {
  bool throttles = last_cut_ != Clock::time_point{} && now - last_cut_ < seconds(5);
  if (wait_count_ < kFewWaits || throttles) return std::nullopt;
  auto sorted = sorted_waits();
  return std::max<Clock::duration>(
      {milliseconds(50), sorted[sorted.size() / 2] * 3, sorted[sorted.size() * 9 / 10] * 2});
}

bool Host::take_hedge() {
  if (hedges_ < 1) return false;
  hedges_ -= 1;
  return true;
}

void Host::saw_first_byte(Clock::duration waited) { waits_[wait_count_++ % waits_.size()] = waited; }

}  // namespace weir_remote
