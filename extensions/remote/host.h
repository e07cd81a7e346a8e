// What one event loop knows of one server: how many requests it takes at once, how long it usually needs, and
// what may still be asked of it twice. Used by that loop alone; time is passed in, so that a test is a table.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace weir_remote {

using Clock = std::chrono::steady_clock;
struct Exchange;

class Host {
 public:
  static constexpr double kMostRequests = 64;
  // So many keep the loop's thread at work if the server is near.
  static constexpr double kNearRequests = 3;

  // Requests at once. A throttled one lowers the limit; a second after the last of them, it grows by a
  // quarter per 100 ms.
  bool has_room() const { return in_flight_ < limit_; }
  // Of a near server, more than a few are started one by one, when there is nothing else to do: many that
  // start together end together, and then there is nothing to do until others are asked for.
  bool starts_more() const { return has_room() && (in_flight_ < kNearRequests || !is_near()); }
  // Whether one waits that could be started.
  bool holds() const { return has_room() && !waiting.empty(); }
  void started() { ++in_flight_; }
  void ended() { --in_flight_; }
  void throttled(Clock::time_point now);
  void succeeded(Clock::time_point now);
  double limit() const { return limit_; }

  // Whether a failed request may be sent again. Answers earn more retries, so that a server that is down is
  // soon left alone.
  bool take_retry();

  // How long to wait for the first byte before asking again; nothing while too little is known or the server
  // throttles.
  std::optional<Clock::duration> hedge_after(Clock::time_point now) const;
  // Whether a second request may be sent: for about one in thirty.
  bool take_hedge();
  void saw_first_byte(Clock::duration waited);

  std::deque<std::shared_ptr<Exchange>> waiting;  // for room

 private:
  static constexpr double kMostRetries = 30;

  // The waits for first bytes that are known, the shortest first.
  std::vector<Clock::duration> sorted_waits() const;
  bool is_near() const;

  int in_flight_ = 0;
  double limit_ = kMostRequests;
  Clock::time_point last_cut_{};
  Clock::time_point last_growth_{};
  double retries_ = kMostRetries;
  double hedges_ = 1;
  std::array<Clock::duration, 32> waits_{};
  size_t wait_count_ = 0;
};

}  // namespace weir_remote
