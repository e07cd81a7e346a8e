#include "exec/tuning.h"

#include <charconv>

namespace weir {

namespace {

std::string_view take_word(std::string_view& text, char end) {
  const size_t at = std::min(text.find(end), text.size());
  const std::string_view word = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return word;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// What was counted before a longer pause says nothing of what comes after it.
constexpr int64_t kPauseNs = 5'000'000;

// With `auto`, for a function that is known to wait.
constexpr int kFirstWaitingCalls = 8;

}  // namespace

std::optional<TunerPlace::Found> TunerPlace::found(int64_t now_ns) const {
  MutexLock lock(mutex_);
  std::optional<Found> out = found_;
  if (out) out->tuner.go_on(now_ns - left_ns_ > kPauseNs);
  return out;
}

void TunerPlace::leave(const Found& found, int64_t now_ns) {
  MutexLock lock(mutex_);
  found_ = found;
  left_ns_ = now_ns;
}

RefPtr<TunerPlace> TunerPlaces::at(const std::string& name) {
  MutexLock lock(mutex_);
  RefPtr<TunerPlace>& place = places_[name];
  if (!place) place = make_ref<TunerPlace>();
  return place;
}

bool read_tuned(std::string_view text, TunedNumbers& numbers) {
  while (!text.empty()) {
    std::string_view one = trimmed(take_word(text, ','));
    const std::string_view path = take_word(one, ' ');
    const std::string_view what = take_word(one, ' ');
    if (path == kAlone && what == "1" && one.empty()) {
      numbers[std::string(path)] = 1;
      continue;
    }
    int64_t number = 0;
    const auto [end, error] = std::from_chars(one.data(), one.data() + one.size(), number);
    const bool whole = error == std::errc() && end == one.data() + one.size();
    if (path.empty() || !whole || number < 1 || number > INT32_MAX) return false;
    if (what != "calls" && what != "rows") return false;
    numbers[std::string(path) + " " + std::string(what)] = number;
  }
  return true;
}

CallRange limits_of_calls(int calls, Lane lane, const Executor& executor, const Tuning& tuning,
                          const TunerStart& start) {
  if (calls > 0) return {calls, calls};
  const int cores = tuning.limit_threads(executor.parallelism());
  if (lane != Lane::blocking) return {cores, cores};
  const int most = most_waiting_calls(executor, tuning);
  int first = std::min(std::max(cores, kFirstWaitingCalls), most);
  if (start.number > 0) first = static_cast<int>(std::min<int64_t>(start.number, most));
  return {first, start.tunes ? most : first};
}

int most_waiting_calls(const Executor& executor, const Tuning& tuning) {
  return tuning.limit_threads(std::max(executor.parallelism(), executor.blocking_parallelism() * 3 / 4));
}

}  // namespace weir
