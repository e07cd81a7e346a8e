// Tuning: within which bounds an iterator runs ahead, and where its tuners begin, as options() says.
//
// A Scheduler has the one of its iterator, which is set before the first cursor opens and not changed
// afterwards.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/ref.h"
#include "core/sync.h"
#include "exec/executor.h"
#include "exec/pace.h"
#include "exec/window_memory.h"

namespace weir {

// Numbers that tuners found, by what they are for and the operator's path: "prefetch/map calls".
using TunedNumbers = std::map<std::string, int64_t, std::less<>>;

// The name of the number 1 among them if only the consumer ran pumps (exec/pace.h).
inline constexpr std::string_view kAlone = "alone";

// Reads "prefetch rows 64, prefetch/map calls 8, alone 1". False if the text is no such list; `numbers` has
// what was read before that.
bool read_tuned(std::string_view text, TunedNumbers& numbers);

// The tuned settings of one operator of the graph so far: a dataset that a function makes, or that is
// repeated, starts with those at the end of the one before. Used on any thread.
class TunerPlace : public RefCounted {
 public:
  struct Found {
    CallPace tuner;
    // A function that did not say so waits.
    bool waits = false;
  };
  // What was left last; nothing at first.
  std::optional<Found> found(int64_t now_ns) const;
  void leave(const Found& found, int64_t now_ns);

 private:
  mutable Mutex mutex_;
  std::optional<Found> found_;
  int64_t left_ns_ = 0;
};

class TunerPlaces : public RefCounted {
 public:
  // The one of that name, which is made if there is none.
  RefPtr<TunerPlace> at(const std::string& name);

 private:
  Mutex mutex_;
  std::map<std::string, RefPtr<TunerPlace>> places_;
};

struct Tuning : RefCounted {
  // false: every number stays as it begins.
  bool tunes = true;
  // Threads of the runtime at work for the iterator at once; 0: as many as there are.
  int threads = 0;
  // Windows begin when they are opened, rather than when they are pulled; not where a position is restored.
  bool warm_start = false;
  // What the iterator's windows may hold together; null: no limit.
  RefPtr<WindowMemory> memory;
  TunedNumbers begin;
  // Null: every window starts with the defaults.
  RefPtr<TunerPlaces> places;

  int limit_threads(int count) const { return threads > 0 ? std::min(threads, count) : count; }
};

// How the tuner of one operator begins.
struct TunerStart {
  // 0: as it finds best.
  int64_t number = 0;
  bool tunes = true;
  // The settings that it starts with and updates; may be null.
  RefPtr<TunerPlace> place;
};

// `calls` if it is positive. Else there is a range to find the best in where functions wait; those that
// compute take all cores.
CallRange limits_of_calls(int calls, Lane lane, const Executor& executor, const Tuning& tuning,
                          const TunerStart& start);
// How many calls that wait may be in flight: most of the threads of the blocking lane, since reads need some,
// too.
int most_waiting_calls(const Executor& executor, const Tuning& tuning);

}  // namespace weir
