// Credentials that are fetched when they are first needed, and again before they expire. Any thread.
#pragma once

#include <ctime>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "remote/failure.h"

namespace weir_remote {

// `Found` has `expires` (0: never) and renewable().
template <class Found>
class CredentialsHolder {
 public:
  explicit CredentialsHolder(std::function<Found()> fetch) : fetch_(std::move(fetch)) {}

  // Nothing if they have to be fetched first. Shortly before they expire, that is told to one caller at a
  // time, and the others use what is there.
  std::optional<Found> valid() {
    std::lock_guard<std::mutex> lock(mutex_);
    const std::time_t now = std::time(nullptr);
    if (now >= expires_) return std::nullopt;
    if (now < due_ || now < asked_ + kAgain) return found_;
    asked_ = now;
    return std::nullopt;
  }
  // Fetches them if they are due; may wait. If that fails, what is there is used until it expires, and
  // afterwards the failure is thrown, also to those who come within a second.
  void refresh() {
    std::lock_guard<std::mutex> fetching(fetch_mutex_);
    {
      std::lock_guard<std::mutex> lock(mutex_);
      const std::time_t now = std::time(nullptr);
      if (now < due_) return;
      if (now >= expires_ && failure_ && now <= failed_ + 1) throw *failure_;
    }
    std::optional<Failure> failure;
    Found found;
    try {
      found = fetch_();
    } catch (const Failure& caught) {
      failure = caught;
    }
    std::lock_guard<std::mutex> lock(mutex_);
    const std::time_t now = std::time(nullptr);
    failure_ = std::move(failure);
    failed_ = now;
    if (failure_ && now >= expires_) throw *failure_;
    if (failure_) return;
    expires_ = found.expires == 0 ? std::numeric_limits<std::time_t>::max() : found.expires;
    due_ = expires_ - now > 2 * kEarly ? expires_ - kEarly : expires_;
    found_ = std::move(found);
  }
  // A server refuses them. Returns whether others can be fetched.
  bool refused() {
    std::lock_guard<std::mutex> lock(mutex_);
    const bool again = std::time(nullptr) < expires_ && found_.renewable();
    if (again) expires_ = due_ = 0;
    return again;
  }
  // Those that were used last.
  Found last() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return found_;
  }

 private:
  static constexpr std::time_t kEarly = 120;
  static constexpr std::time_t kAgain = 30;

  std::function<Found()> fetch_;
  std::mutex fetch_mutex_;
  mutable std::mutex mutex_;
  Found found_;
  std::time_t expires_ = 0;  // 0: there are none
  std::time_t due_ = 0;      // when they are fetched again
  std::time_t asked_ = 0;    // when a caller was last told to
  std::optional<Failure> failure_;
  std::time_t failed_ = 0;
};

}  // namespace weir_remote
