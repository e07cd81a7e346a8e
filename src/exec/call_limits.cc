#include "exec/call_limits.h"

#include <algorithm>

namespace weir {

namespace {

// With `auto`, for a function that is known to wait.
constexpr int kFirstWaitingCalls = 8;

}  // namespace

CallTunerOptions limits_of_calls(int calls, Lane lane, const Executor& executor, const Tuning& tuning,
                                 const TunerStart& start) {
  if (calls > 0) return {calls, calls};
  const int cores = tuning.limit_threads(executor.parallelism());
  if (lane != Lane::blocking) return {cores, cores};
  const int most = most_waiting_calls(executor, tuning);
  const int usual = std::min(std::max(cores, kFirstWaitingCalls), most);
  const int first = start.number > 0 ? static_cast<int>(std::min<int64_t>(start.number, most)) : usual;
  if (!start.tunes) return {first, first};
  return {first, most, std::min(usual, first)};
}

int most_waiting_calls(const Executor& executor, const Tuning& tuning) {
  return tuning.limit_threads(std::max(executor.parallelism(), executor.blocking_parallelism() * 3 / 4));
}

}  // namespace weir
