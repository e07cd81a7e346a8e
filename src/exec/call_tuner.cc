#include "exec/call_tuner.h"

#include <algorithm>
#include <cmath>

namespace weir {

namespace {

// A window has at least this length and so many ends of calls for each one in flight; in the first steps,
// each call ends once.
constexpr int64_t kWindowNs = 5'000'000;
constexpr int64_t kCallsPerFlight = 4;
// So much of what as many rows more as calls would be is enough for another step at once.
constexpr double kStepGain = 0.7;
// A short window that gained less is taken for one that gained nothing.
constexpr double kUnclearGain = 0.2;
// Less is not worth a thread, however quiet the machine.
constexpr double kLeastGain = 0.05;
constexpr int kLongestPause = 64;
// Windows without a waiting consumer before one step back.
constexpr int kIdleWindows = 8;
// A rate that is off by a quarter for a few windows, or by half for two, is another load.
constexpr double kDrift = 0.15;
constexpr double kAlarm = 0.5;
// Only calls of this length are worth a look at the thread's clock: the first four of them, and then one in
// five.
constexpr int64_t kLongNs = 100'000;
constexpr int kSampleEvery = 5;

}  // namespace

void CallTuner::begin_window(int64_t now_ns) {
  window_begin_ns_ = now_ns;
  calls_ = 0;
  rows_ = 0;
  starved_ = false;
  hungry_ = false;
}

bool CallTuner::done(int64_t rows, int64_t now_ns) {
  if (fixed()) return false;
  if (window_begin_ns_ < 0) {
    begin_window(now_ns);
    return false;
  }
  ++calls_;
  rows_ += rows;
  if (settling_) {
    if (calls_ < limit_) return false;
    settling_ = false;
    begin_window(now_ns);
    return false;
  }
  const int64_t length_ns = now_ns - window_begin_ns_;
  if (length_ns < kWindowNs || calls_ < least_calls()) return false;
  const bool raised = end_window(static_cast<double>(rows_) / static_cast<double>(length_ns));
  begin_window(now_ns);
  return raised;
}

// The calls bound the throughput if the consumer waits and the feed does not.
bool CallTuner::try_more(Phase phase) {
  if (!starved_ || hungry_ || limit_ >= options_.most) return false;
  settled_limit_ = limit_;
  limit_ = std::min(options_.most, limit_ * 2);
  phase_ = phase;
  settling_ = true;
  return true;
}

int64_t CallTuner::least_calls() const {
  const bool steps = phase_ == Phase::first_step || phase_ == Phase::step;
  return steps ? limit_ : kCallsPerFlight * limit_;
}

void CallTuner::rest(double rate) {
  phase_ = Phase::resting;
  rate_ = rate;
  cusum_ = 0;
}

bool CallTuner::has_changed(double rate) {
  cusum_ = std::max(0.0, cusum_ + std::fabs(rate - rate_) / rate_ - kDrift);
  return cusum_ > kAlarm;
}

bool CallTuner::end_step(double rate) {
  const double more = static_cast<double>(limit_) / settled_limit_ - 1;
  if (phase_ == Phase::step && rate < rate_ * (1 + kStepGain * more)) {
    // It is not as easy as that: a longer window says whether it pays.
    const bool unclear = rate > rate_ * (1 + kUnclearGain);
    noise_ = kUnclearGain / 2;
    phase_ = unclear ? Phase::trial : Phase::first_window;
    if (!unclear) limit_ = settled_limit_;
    settling_ = !unclear;
    return false;
  }
  rate_ = rate;
  if (try_more(Phase::step)) return true;
  rest(rate);
  return false;
}

bool CallTuner::end_trial(double rate) {
  if (rate > rate_ * (1 + std::max(kLeastGain, noise_))) {
    // A step that pays is followed by the next one at once.
    rate_ = rate;
    next_pause_ = 1;
    if (try_more(Phase::trial)) return true;
    rest(rate);
    return false;
  }
  limit_ = settled_limit_;
  pause_ = next_pause_;
  next_pause_ = std::min(next_pause_ * 2, kLongestPause);
  rest(rate_);
  return false;
}

bool CallTuner::end_window(double rate) {
  switch (phase_) {
    case Phase::first_step:
    case Phase::step:
      return end_step(rate);
    case Phase::first_window:
      rate_ = rate;
      phase_ = Phase::second_window;
      return false;
    case Phase::second_window:
      noise_ = std::fabs(rate - rate_) / std::max(rate, rate_);
      rate_ = std::max(rate, rate_);
      if (try_more(Phase::trial)) return true;
      rest(rate);
      return false;
    case Phase::trial:
      return end_trial(rate);
    case Phase::resting:
      break;
  }
  if (has_changed(rate)) {
    next_pause_ = 1;
    pause_ = 0;
    phase_ = first_phase();
    return false;
  }
  idle_windows_ = starved_ ? 0 : idle_windows_ + 1;
  if (idle_windows_ >= kIdleWindows) {
    idle_windows_ = 0;
    limit_ = std::max(options_.least, limit_ - std::max(1, limit_ / 4));
    return false;
  }
  if (!starved_ || --pause_ > 0) return false;
  phase_ = Phase::first_window;
  return false;
}

void CallTuner::widen(int calls, int most) {
  options_.most = std::max(options_.most, most);
  limit_ = std::clamp(calls, limit_, options_.most);
  phase_ = first_phase();
  settling_ = false;
  window_begin_ns_ = -1;
  pause_ = 0;
  next_pause_ = 1;
}

bool WaitDetector::add(int64_t wall_ns, int64_t computed_ns) {
  if (waits_ || wall_ns < kLongNs) return false;
  if (computed_ns < 0) {
    if (until_sample_ < 0) until_sample_ = 0;
    return false;
  }
  until_sample_ = kSampleEvery;
  wall_ns_ += wall_ns;
  computed_ns_ += computed_ns;
  if (++calls_ < kSampled) return false;
  waits_ = computed_ns_ < wall_ns_ / 2;
  if (waits_) until_sample_ = -1;
  wall_ns_ = 0;
  computed_ns_ = 0;
  calls_ = 0;
  return waits_;
}

}  // namespace weir
