// IteratorStats: what an iterator and its stages have done, what bounds its throughput, and how to show that.
//
//   IteratorStats stats = iterator.stats();
//   std::puts(stats_table(stats).c_str());
//
// A value; everything here is pure. Times are those of the runtime's clock, estimated from samples
// (core/stage_stats.h), so the verdict is right only for longer runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/stage_stats.h"

namespace weir {

// How many bytes of remote files came from where (fs/read_through.h).
struct ReadsNow {
  uint64_t memory_bytes = 0;
  uint64_t disk_bytes = 0;
  uint64_t store_bytes = 0;
  uint64_t damaged_blocks = 0;
};

struct IteratorStats {
  // Since it was initialised, until its end if it has come.
  int64_t elapsed_ns = 0;
  // How long its consumers waited inside next. Together with what they computed there and between two calls
  // of it, it is the elapsed time.
  int64_t waited_ns = 0;
  // How many jobs of the compute lane may run at once.
  int parallelism = 1;
  // Only its consumers' threads make elements, since that is faster.
  bool alone = false;
  ReadsNow reads;
  // Parents before their inputs; the root first. Empty before the iterator is initialised.
  std::vector<StageSnapshot> stages;
};

// "batch/zip[1]/map" for each stage, without those that serve others. A path that was there before gets a
// number: a flat_map over a range that opens ranges has "flat_map/range" and "flat_map/range#2".
std::vector<std::string> paths_of(const std::vector<StageSnapshot>& stages);
// The nearest operator of the text at or above a stage.
size_t shown_stage(const std::vector<StageSnapshot>& stages, size_t stage);

// What happened between two looks at the same iterator; counters of now are those of `later`.
IteratorStats difference(const IteratorStats& earlier, IteratorStats later);

struct Verdict {
  enum class Bound : uint8_t {
    none,        // too little was measured
    stage,       // a stage
    consumer,    // who calls next
    processors,  // all of them are busy
  };
  Bound bound = Bound::none;
  // Of `stage` and `processors`: the one that takes most there, by its number.
  int stage = -1;
  // How much of the elapsed time the bound is busy, from 0 to 1.
  double busy = 0;
  // By how much the throughput rises at most if that stage, or the consumer, takes no time at all.
  double gain = 1;
  // True if that stage mostly waits, rather than computes.
  bool waits = false;
};

// Finds the bound by arithmetic. What one thread does after the other adds up: the consumer with the stages
// that it pulls itself, and each Window's input; calls that run at once share their time. The part with the
// largest sum bounds the throughput, since the others wait for it.
Verdict verdict(const IteratorStats& stats);
// One or two sentences.
std::string verdict_text(const IteratorStats& stats, const Verdict& verdict);

std::string stats_json(const IteratorStats& stats);
// A table of the stages, then the verdict.
std::string stats_table(const IteratorStats& stats);
// Prometheus' text exposition format, version 0.0.4. `iterator` labels all samples.
std::string stats_prometheus(const IteratorStats& stats, const std::string& iterator);

}  // namespace weir
