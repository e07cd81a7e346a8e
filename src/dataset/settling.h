// Settling: finds the exact position of every shard by rank in a tree of cursors, so that positions of
// several ranks can be joined (iterator/resize.h).
//
// A saved position is exact only together with the rows that a restore drops, since a Port's anchor is before
// it. An archive with a Settling resumes the cursors between the root and the shards while it saves: it opens
// their inputs and drops rows there. It runs twice: first it lists the state of each stage and the positions
// of the shards; then it saves the tree with the joined positions in their place. Everything else is saved as
// usual. One thread; if a pull is pending, the run is repeated, and the cursors keep their progress.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/pull.h"
#include "core/runtime.h"
#include "dataset/shard_position.h"

namespace weir {

struct Settling {
  // What one stage saves, without its inputs.
  struct Part {
    std::string path;
    std::string own;
  };

  enum class Run : uint8_t { collect, rewrite };

  Settling(Context& context, Run which, std::span<const ShardPosition> joined_positions)
      : ctx(&context), run(which), joined(joined_positions) {}

  bool collects() const { return run == Run::collect; }
  bool goes_on() const { return answer == PullResult::rows; }
  void stop(PullResult with) { answer = with; }
  void fail(ErrorPtr why) {
    answer = PullResult::end;
    error = std::move(why);
  }

  Context* ctx;
  Run run;
  // First run.
  std::vector<Part> parts;
  std::vector<ShardPosition> shards;
  // The root, or a stage between it and a shard, is at its end.
  bool ended = false;
  // Second run: one for each shard in the order of `shards`.
  std::span<const ShardPosition> joined;
  size_t joined_count = 0;
  // rows: it continues; end: it failed; else the run must be repeated, or was cancelled.
  PullResult answer = PullResult::rows;
  ErrorPtr error;
};

}  // namespace weir
