#include "ops/shuffling/mix_places.h"

#include <algorithm>
#include <utility>

namespace weir {

namespace {

// How many turns are taken between two questions whether to give up.
constexpr int64_t kTurnsPerAnswer = 1 << 16;

}  // namespace

MixPlaces::MixPlaces(MixTurns turns, std::vector<int64_t> counts) : counts_(std::move(counts)) {
  begin_round(std::move(turns), 0, std::vector<int64_t>(counts_.size()));
}

void MixPlaces::begin_round(MixTurns turns, int64_t begin, std::vector<int64_t> before) {
  Round round;
  round.turns = std::move(turns);
  round.begin = begin;
  round.before = std::move(before);
  ahead_ = {rounds_.size(), 0, round.turns, std::vector<int64_t>(counts_.size())};
  rounds_.push_back(std::move(round));
}

// Whether the turn of a dataset, after `taken` of its elements in this round, finds it at its end.
bool MixPlaces::is_end(const Round& round, int64_t source, int64_t taken) const {
  const auto at = static_cast<size_t>(source);
  return counts_[at] != kEndless && taken >= counts_[at] - round.before[at];
}

void MixPlaces::finish(Round& round, int64_t source, int64_t turn, const std::vector<int64_t>& taken) const {
  round.end = turn;
  round.ended = source;
  round.after = round.before;
  for (size_t i = 0; i < taken.size(); ++i) round.after[i] += taken[i];
}

// Takes the next turn of the last round. Returns false if the round ends before it.
bool MixPlaces::step() {
  Round& round = rounds_.back();
  if (ahead_.turn % kStride == 0) {
    const auto& scores = ahead_.turns.scores();
    round.scores.insert(round.scores.end(), scores.begin(), scores.end());
    round.taken.insert(round.taken.end(), ahead_.taken.begin(), ahead_.taken.end());
  }
  const int64_t source = ahead_.turns.take();
  int64_t& taken = ahead_.taken[static_cast<size_t>(source)];
  if (is_end(round, source, taken)) {
    finish(round, source, ahead_.turn, ahead_.taken);
    return false;
  }
  ++taken;
  ++ahead_.turn;
  return true;
}

// At the end of the first period: finds the end of the round without the periods between.
void MixPlaces::skip_periods() {
  Round& round = rounds_.back();
  round.period = ahead_.turn;
  round.in_period = ahead_.taken;
  int64_t periods = kEndless;
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] != kEndless && round.in_period[i] > 0)
      periods = std::min(periods, (counts_[i] - round.before[i]) / round.in_period[i]);
  }
  round.end = kEndless;
  if (periods == kEndless) return;
  MixTurns turns = round.turns;
  std::vector<int64_t> taken = round.in_period;
  for (int64_t& count : taken) count *= periods;
  for (int64_t turn = round.period * periods;; ++turn) {
    const int64_t source = turns.take();
    if (is_end(round, source, taken[static_cast<size_t>(source)])) return finish(round, source, turn, taken);
    ++taken[static_cast<size_t>(source)];
  }
}

// Follows a round up to that turn, or as far as need be to know all its turns.
bool MixPlaces::advance(size_t round, int64_t turn, const Stops& stops) {
  while (rounds_[round].end < 0 && ahead_.turn <= turn) {
    if (ahead_.turn % kTurnsPerAnswer == 0 && stops()) return false;
    if (step() && ahead_.turns.even()) skip_periods();
  }
  return true;
}

MixPlaces::Place MixPlaces::look_up(size_t number, int64_t turn) {
  const Round& round = rounds_[number];
  const int64_t periods = round.period > 0 ? turn / round.period : 0;
  turn -= periods * round.period;
  const bool follows = found_.round == number && !found_.taken.empty() && found_.turn <= turn;
  if (!follows || turn - found_.turn >= kStride) {
    const size_t width = counts_.size();
    const size_t from = static_cast<size_t>(turn / kStride) * width;
    const auto taken = round.taken.begin() + static_cast<ptrdiff_t>(from);
    if (found_.taken.empty() || found_.round != number) found_.turns = round.turns;
    found_.round = number;
    found_.turn = turn - turn % kStride;
    found_.turns.set_scores({round.scores.data() + from, width});
    found_.taken.assign(taken, taken + static_cast<ptrdiff_t>(width));
  }
  for (;; ++found_.turn) {
    const int64_t source = found_.turns.take();
    const auto at = static_cast<size_t>(source);
    const int64_t position = found_.taken[at]++;
    if (found_.turn < turn) continue;
    ++found_.turn;
    const int64_t in_periods = periods > 0 ? periods * round.in_period[at] : 0;
    return {source, round.before[at] + in_periods + position};
  }
}

bool MixPlaces::find(int64_t position, const Stops& stops, Place& place) {
  for (size_t number = 0;; ++number) {
    const int64_t turn = position - rounds_[number].begin;
    if (!advance(number, turn, stops)) return false;
    const Round& round = rounds_[number];
    if (round.end < 0 || turn < round.end) {
      place = look_up(number, turn);
      return true;
    }
    if (number + 1 < rounds_.size()) continue;
    MixTurns turns = round.turns;
    turns.close(round.ended);
    begin_round(std::move(turns), round.begin + round.end, round.after);
  }
}

int64_t MixPlaces::first_end(const Stops& stops) {
  const auto endless = [](int64_t count) { return count == kEndless; };
  if (std::all_of(counts_.begin(), counts_.end(), endless)) return kEndless;
  return advance(0, kEndless - 1, stops) ? rounds_[0].end : 0;
}

}  // namespace weir
