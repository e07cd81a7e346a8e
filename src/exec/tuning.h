// Tuning: within which bounds an iterator runs ahead, and where its tuners begin, as options() says.
//
// A Scheduler has the one of its iterator, which is set before the first cursor opens and not changed afterwards.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/ref.h"
#include "exec/window_memory.h"

namespace weir {

// Numbers that tuners found, by what they are for and the operator's path: "prefetch/map calls".
using TunedNumbers = std::map<std::string, int64_t, std::less<>>;

// From "prefetch rows 64, prefetch/map calls 8". Empty if the text is no such list; `numbers` has what was read before that.
bool read_tuned(std::string_view text, TunedNumbers& numbers);

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

  int limit_threads(int count) const { return threads > 0 ? std::min(threads, count) : count; }
};

// How the tuner of one operator begins.
struct TunerStart {
  // 0: as it finds best.
  int64_t number = 0;
  bool tunes = true;
};

}  // namespace weir
