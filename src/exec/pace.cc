#include "exec/pace.h"

#include <cmath>
#include <utility>

namespace weir {

namespace {

// A probe judges so many pieces at first; those before the last 64 count half.
constexpr int kJudged = 4;
constexpr int kRemembered = 64;
// Less is not worth a thread.
constexpr int64_t kLeastWaitedNs = 100'000;

// A period of calls has at least this length and so many ends of calls for each one in flight.
constexpr int64_t kPeriodNs = 5'000'000;
constexpr int64_t kCallsPerFlight = 4;
constexpr double kCallsGain = 0.1;
constexpr int kLongestPause = 16;

// Estimates are off by as much.
constexpr double kMargin = 1.25;
// A feed that stood still for less than such a part of a stall would not have filled what the stall takes.
constexpr int64_t kFullPart = 4;

// A turn has at least this length and so many elements, and ends without them after eight times as long. What
// threads had made, or have not made yet, is gone after kSettlingNs.
constexpr int64_t kTurnNs = 10'000'000;
constexpr int64_t kLongestTurnNs = 8 * kTurnNs;
constexpr int64_t kTurnElements = 4;
// Beside a piece of work of this length, handing over costs nothing.
constexpr int64_t kLongPieceNs = 2'500'000;
constexpr int64_t kSettlingNs = 5'000'000;
constexpr double kGain = 0.05;
// Where two turns with the same setting differ by more, the consumer takes some at once and then does
// something else, for which there are threads.
constexpr double kBursts = 0.3;
constexpr int64_t kFirstPauseNs = 50'000'000;
constexpr int64_t kLongestPauseNs = 3'200'000'000;

int64_t whole(double rows, int64_t most) {
  return rows >= static_cast<double>(most) ? most : static_cast<int64_t>(rows);
}

}  // namespace

void WaitProbe::add(int stands_for, int64_t took_ns, int64_t computed_ns) {
  pieces_ += stands_for;
  took_ns_ += stands_for * took_ns;
  waited_ns_ += stands_for * std::max<int64_t>(0, took_ns - computed_ns);
  if (++added_ < kJudged) return;
  waits_ = waited_ns_ > took_ns_ / 2 && waited_ns_ >= kLeastWaitedNs * pieces_;
  if (added_ < kRemembered) return;
  added_ /= 2;
  pieces_ /= 2;
  took_ns_ /= 2;
  waited_ns_ /= 2;
}

void CallPace::begin(int64_t now_ns) {
  begin_ns_ = now_ns;
  calls_ = 0;
  rows_ = 0;
  starved_ = false;
  hungry_ = false;
}

bool CallPace::done(int64_t rows, int64_t now_ns) {
  if (fixed_) return false;
  ++calls_;
  rows_ += rows;
  const bool settled = settling_ && calls_ >= limit_;
  if (begin_ns_ < 0 || settled) {
    settling_ = settling_ && !settled;
    begin(now_ns);
    return false;
  }
  const int64_t length_ns = now_ns - begin_ns_;
  const int64_t least = quick_ ? limit_ : kCallsPerFlight * limit_;
  if (settling_ || length_ns < kPeriodNs || calls_ < least) return false;
  const bool raised = end_period(static_cast<double>(rows_) / static_cast<double>(length_ns));
  begin(now_ns);
  return raised;
}

bool CallPace::end_period(double rate) {
  if (tries_ && rate <= rate_ * (1 + kCallsGain)) {
    tries_ = false;
    limit_ = kept_;
    settling_ = true;
    // A short period that fails is made up for by a longer one at once.
    if (std::exchange(quick_, false)) return false;
    pause_ = next_pause_;
    next_pause_ = std::min(next_pause_ * 2, kLongestPause);
    return false;
  }
  if (tries_) next_pause_ = 1;
  tries_ = false;
  rate_ = rate;
  if (!starved_ || hungry_ || limit_ >= most_ || --pause_ > 0) return false;
  kept_ = limit_;
  limit_ = std::min(most_, limit_ * 2);
  tries_ = settling_ = true;
  return true;
}

void CallPace::widen(int calls, int most) {
  most_ = std::max(most_, most);
  limit_ = std::clamp(calls, limit_, most_);
  fixed_ = limit_ == most_;
  quick_ = true;
  tries_ = settling_ = false;
  begin_ns_ = -1;
  pause_ = 0;
  next_pause_ = 1;
}

void RowPace::found_empty(int64_t taken, bool was_full, int64_t full_ns, int64_t now_ns) {
  if (fixed_ || empty_since_ns_ != 0) return;
  if (refilled_ns_ >= 0 && taken > refilled_taken_) {
    const auto passed_ns = static_cast<double>(std::max<int64_t>(1, now_ns - refilled_ns_));
    rate_ = static_cast<double>(taken - refilled_taken_) / passed_ns;
  }
  empty_since_ns_ = now_ns;
  empty_taken_ = taken;
  grows_ = was_full;
  full_ns_ = full_ns;
}

bool RowPace::has_rows(int64_t now_ns) {
  if (fixed_ || empty_since_ns_ == 0) return false;
  refilled_ns_ = now_ns;
  refilled_taken_ = empty_taken_;
  const int64_t stalled_ns = now_ns - std::exchange(empty_since_ns_, 0);
  const int64_t before = rows();
  if (!grows_ || full_ns_ < stalled_ns / kFullPart || before == most_) return false;
  const int64_t missing = whole(rate_ * static_cast<double>(stalled_ns) * kMargin, most_);
  // A stall may end at once by chance.
  rows_.store(std::min(most_, before + std::max(missing, before / 4 + 1)), std::memory_order_relaxed);
  return true;
}

void Pace::start(bool alone, bool known, bool fixed, int64_t now_ns) {
  if (phase_ != Phase::off) return;
  alone_ = alone;
  begin(now_ns, INT64_MAX);
  pause_ns_ = kFirstPauseNs;
  next_ns_ = now_ns + pause_ns_;
  phase_ = fixed ? Phase::fixed : known ? Phase::rests : Phase::before;
}

void Pace::stop() {
  phase_ = Phase::off;
  alone_ = false;
}

void Pace::begin(int64_t now_ns, int64_t elements) {
  begin_ns_ = now_ns;
  begin_elements_ = elements;
  elements_ = 0;
}

// The comparison ends. Returns true if alone() has changed. `changes`: it has found the other setting better.
bool Pace::rest(bool alone, bool changes, int64_t now_ns) {
  pause_ns_ = changes ? kFirstPauseNs : std::min(2 * pause_ns_, kLongestPauseNs);
  next_ns_ = now_ns + pause_ns_;
  phase_ = Phase::rests;
  return std::exchange(alone_, alone) != alone;
}

bool Pace::ran(int64_t took_ns, int64_t computed_ns, int64_t now_ns) {
  if (!tunes()) return false;
  probe_.add(1, took_ns, std::min(took_ns, computed_ns));
  // Nobody else runs meanwhile, so the consumer may be waiting for many such runs.
  const bool too_long = compares() && elements_ < kTurnElements && now_ns - begin_ns_ > kLongestTurnNs;
  const bool ends = alone_ && (too_long || took_ns >= kLongPieceNs);
  if (ends || ((alone_ || compares()) && probe_.waits())) return rest(false, settled_alone(), now_ns);
  if (phase_ != Phase::rests || now_ns < next_ns_ || took_ns >= kLongPieceNs || probe_.waits()) return false;
  phase_ = Phase::before;
  begin(now_ns, INT64_MAX);
  return false;
}

bool Pace::answered(int64_t elements, int64_t now_ns) {
  if (!compares()) return false;
  const int64_t passed_ns = now_ns - begin_ns_;
  // The first one of this turn, or another dataset begins.
  const bool first = elements < begin_elements_;
  if (first || (settling_ && passed_ns >= kSettlingNs)) {
    settling_ = settling_ && first;
    begin(now_ns, elements);
    return false;
  }
  elements_ = elements - begin_elements_;
  const bool few = elements_ < kTurnElements;
  if (settling_ || passed_ns < kTurnNs || (few && passed_ns < kLongestTurnNs)) return false;
  return end_turn(static_cast<double>(elements_) / static_cast<double>(passed_ns), few, now_ns);
}

bool Pace::take_turn(Phase phase, int64_t now_ns) {
  phase_ = phase;
  alone_ = !alone_;
  settling_ = true;
  begin(now_ns, INT64_MAX);
  return true;
}

bool Pace::end_turn(double rate, bool slow, int64_t now_ns) {
  // Where elements come slowly, threads do no harm, unless that is due to them.
  if (slow && phase_ == Phase::trial && !alone_) return rest(true, false, now_ns);
  if (slow) return rest(false, settled_alone(), now_ns);
  switch (phase_) {
    case Phase::before:
      rate_ = rate;
      return take_turn(Phase::trial, now_ns);
    case Phase::trial:
      other_rate_ = rate;
      return take_turn(Phase::again, now_ns);
    default:
      break;
  }
  if (std::fabs(rate - rate_) > kBursts * std::max(rate, rate_)) return rest(false, alone_, now_ns);
  const bool better = other_rate_ > std::max(rate, rate_) * (1 + kGain);
  return rest(better ? !alone_ : alone_, better, now_ns);
}

}  // namespace weir
