// Timed: runs a pipeline in a world with exact time, with functions `@name` that wait and compute in it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "exec/milliseconds.h"
#include "expr/types/callback.h"
#include "iterator/iterator.h"
#include "iterator/iterator_stats.h"
#include "support/sim_world.h"

namespace weir::sim {

struct TimedOptions {
  uint64_t seed = 0;
  // Processors, which are as many threads for computing.
  int processors = 2;
  int blocking_threads = 64;
  // What the windows of all iterators may hold; 0: no limit.
  int64_t ahead_bytes = 0;
  // Between the making of the iterator and its first element.
  int64_t pause_ns = 0;
};

// A world with exact time, for pipelines that run in it side by side.
SimWorld timed_world(const TimedOptions& options);

class Timed {
 public:
  using Body = std::function<void(SimWorld& world, int64_t row)>;
  // Called after each element; false ends the reading.
  using Consumer = std::function<bool(SimWorld& world, Iterator& iterator, int64_t row)>;

  explicit Timed(const TimedOptions& options) : options_(options) {}

  // `@name` in the text: gives its argument, an integer, after `body`.
  Timed& with(const std::string& name, CallbackFlags flags, Body body);
  Timed& consumed_by(Consumer consumer);
  // Returns how long it took to read all, in the world's time. Throws if the run failed.
  int64_t run(const std::string& text);
  // Reads in a world beside others, from `begin_ns` on, once the world runs. All times are counted from its
  // beginning.
  // REQUIRES: the world is of timed_world() and ends before this
  void read_in(SimWorld& world, const std::string& text, int64_t begin_ns = 0);

  // How many of its calls ran at once at most.
  int most_at_once(const std::string& name) const { return calls_.at(name)->most; }
  // When elements came, from the beginning.
  const std::vector<int64_t>& times() const { return times_; }
  // Elements per second between two moments.
  double rate(int64_t from_ns, int64_t until_ns) const;
  // As of the last element.
  const IteratorStats& stats() const { return stats_; }
  // What options(tuned: …) takes.
  std::string tuned() const;

 private:
  struct Calls {
    CallbackFlags flags;
    Body body;
    int now = 0;
    int most = 0;
  };
  class Function;

  const TimedOptions options_;
  std::map<std::string, std::shared_ptr<Calls>> calls_;
  Consumer consumer_;
  std::vector<int64_t> times_;
  int64_t took_ns_ = 0;
  IteratorStats stats_;
};

}  // namespace weir::sim
