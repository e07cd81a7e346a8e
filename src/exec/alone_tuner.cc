#include "exec/alone_tuner.h"

#include <algorithm>
#include <cmath>

namespace weir {

namespace {

// A window has at least this length and so many elements that a consumer waited for; after a change, so much
// passes first, since what other threads had made is taken and what they make begins. Where the rate goes up
// and down, windows are longer.
constexpr int64_t kAloneWindowNs = 10'000'000;
constexpr int64_t kLongestWindowNs = 8 * kAloneWindowNs;
constexpr int kWindowAnswers = 16;
constexpr int64_t kSettlingNs = 2'000'000;
constexpr int kSettlingAnswers = 8;
// What to be alone must gain over all threads, and to stay so.
constexpr double kGain = 0.1;
constexpr double kStaysGain = 0.05;
// A consumer that waits for less of its time is not bound by what it waits for.
constexpr double kWaits = 0.8;
// A run goes on for a millisecond where there is more to do. Beside those that are longer, handing over costs
// little; those that compute less of their time gain from threads. Where there are more threads than
// processors, they wait for locks and for each other, too.
constexpr double kLongRunNs = 1'500'000;
constexpr double kComputes = 0.25;
constexpr int kForgottenSamples = 256;
// A window that takes so many times as long, for want of elements, would make a trial too dear.
constexpr int kMostLengths = 4;
// A trial at less than this part of the rate with all threads ends so soon.
constexpr double kHopeless = 0.8;
constexpr int64_t kHopelessNs = 3'000'000;
constexpr int kFirstPause = 4;
constexpr int kPause = 16;
constexpr int kAloneLongestPause = 1024;
// Where an earlier run has found out, nothing is tried before.
constexpr int kKnownPause = 64;
// Windows that are worse than it was with all threads before it is given up.
constexpr int kWorse = 3;
// A rate that is off by a third for some windows, or by more for two, is another load.
constexpr double kAloneDrift = 0.2;
constexpr double kAloneAlarm = 1;

}  // namespace

void AloneTuner::start(bool begins_alone, bool known, bool fixed) {
  if (phase_ != Phase::off) return;
  if (fixed) {
    if (begins_alone) phase_ = Phase::fixed_alone;
    return;
  }
  length_ns_ = kAloneWindowNs;
  pause_ = known ? kKnownPause : kFirstPause;
  next_pause_ = known ? 2 * kKnownPause : kPause;
  enter(begins_alone ? Phase::alone : Phase::together);
}

void AloneTuner::stop() { phase_ = Phase::off; }

void AloneTuner::ran(int64_t took_ns, int64_t computed_ns) {
  const auto took = static_cast<double>(took_ns);
  took_ns_ += took;
  squares_ += took * took;
  computed_ns_ += static_cast<double>(std::min(took_ns, computed_ns));
  if (++sampled_ < kForgottenSamples) return;
  sampled_ /= 2;
  took_ns_ /= 2;
  squares_ /= 2;
  computed_ns_ /= 2;
}

bool AloneTuner::runs_are_short() const {
  return took_ns_ > 0 && squares_ <= kLongRunNs * took_ns_ && computed_ns_ >= kComputes * took_ns_;
}

// Where the rate goes up and down, a part of a window says nothing.
int64_t AloneTuner::hopeless_ns() const { return length_ns_ == kAloneWindowNs ? kHopelessNs : length_ns_; }

int64_t AloneTuner::next_look_ns() const {
  if (!tunes()) return INT64_MAX;
  if (begin_ns_ < 0) return 0;
  if (settling_) return begin_ns_ + kSettlingNs;
  return begin_ns_ + (phase_ == Phase::alone_trial ? hopeless_ns() : length_ns_);
}

bool AloneTuner::answered(int64_t elements, int64_t waited_ns, int64_t now_ns, int answers) {
  if (!tunes()) return false;
  answers_ += answers;
  const auto begin = [&] {
    begin_ns_ = now_ns;
    begin_elements_ = elements;
    begin_waited_ns_ = waited_ns;
    answers_ = 0;
  };
  const int64_t passed_ns = now_ns - begin_ns_;
  // Another dataset begins.
  if (begin_ns_ < 0 || elements < begin_elements_) {
    begin();
    return false;
  }
  if (settling_) {
    if (passed_ns < kSettlingNs || (answers_ < kSettlingAnswers && passed_ns < length_ns_)) return false;
    settling_ = false;
    begin();
    return false;
  }
  const bool few = answers_ < kWindowAnswers;
  const auto length = static_cast<double>(passed_ns);
  const double rate = static_cast<double>(elements - begin_elements_) / length;
  const bool hopeless =
      phase_ == Phase::alone_trial && passed_ns >= hopeless_ns() && !few && rate < kHopeless * together_;
  const bool slow = passed_ns > kMostLengths * length_ns_;
  if (!hopeless && (passed_ns < length_ns_ || (few && !slow))) return false;
  const Window window{rate, static_cast<double>(waited_ns - begin_waited_ns_) / length, few};
  begin();
  return end_window(window);
}

// Returns true if alone() has changed.
bool AloneTuner::enter(Phase phase) {
  const bool before = alone();
  phase_ = phase;
  cusum_ = 0;
  worse_ = 0;
  if (alone() == before) return false;
  settling_ = true;
  begin_ns_ = -1;
  return true;
}

// The trial has changed nothing.
bool AloneTuner::rest(Phase phase) {
  pause_ = next_pause_;
  next_pause_ = std::min(next_pause_ * 2, kAloneLongestPause);
  return enter(phase);
}

// Looks at a rate beside the usual one, which it becomes if it is that of another load. The next trial then
// comes at once.
void AloneTuner::compare(double rate, double& usual) {
  if (usual <= 0) {
    usual = rate;
    return;
  }
  cusum_ = std::max(0.0, cusum_ + std::fabs(rate - usual) / usual - kAloneDrift);
  if (cusum_ <= kAloneAlarm) return;
  length_ns_ = std::min(2 * length_ns_, kLongestWindowNs);
  usual = rate;
  cusum_ = 0;
  pause_ = std::min(pause_, kFirstPause);
  next_pause_ = kPause;
}

bool AloneTuner::end_together(const Window& window) {
  compare(window.rate, together_);
  if (window.slow || --pause_ > 0 || window.waited < kWaits) return false;
  if (sampled_ < kLeastSamples || !runs_are_short()) return false;
  together_ = window.rate;
  return enter(Phase::alone_trial);
}

bool AloneTuner::end_alone(const Window& window) {
  // There is something to be done meanwhile.
  const bool runs_long = sampled_ >= kLeastSamples && !runs_are_short();
  if (window.slow || window.waited < kWaits || runs_long) {
    pause_ = kFirstPause;
    return enter(Phase::together);
  }
  worse_ = window.rate < together_ * (1 + kStaysGain) ? worse_ + 1 : 0;
  if (worse_ >= kWorse) return rest(Phase::together);
  compare(window.rate, alone_rate_);
  return --pause_ <= 0 && enter(Phase::together_trial);
}

bool AloneTuner::end_window(const Window& window) {
  switch (phase_) {
    case Phase::together:
      return end_together(window);
    case Phase::alone_trial:
      alone_rate_ = window.rate;
      if (window.slow || window.rate <= together_ * (1 + kGain) || window.waited < kWaits)
        return rest(Phase::together);
      return enter(Phase::together_again);
    case Phase::together_again: {
      const double noise = std::fabs(window.rate - together_) / std::max(window.rate, together_);
      together_ = std::max(window.rate, together_);
      if (alone_rate_ <= together_ * (1 + std::max(kGain, noise))) return rest(Phase::together);
      next_pause_ = kPause;
      return rest(Phase::alone);
    }
    case Phase::alone:
      return end_alone(window);
    case Phase::together_trial:
      together_ = window.rate;
      if (window.rate * (1 + kStaysGain) >= alone_rate_) return rest(Phase::together);
      return rest(Phase::alone);
    case Phase::off:
    case Phase::fixed_alone:
      break;
  }
  return false;
}

}  // namespace weir
