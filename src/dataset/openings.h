// Openings: the numbers under which a Port's input opened the nodes that count their openings, so that a
// replay opens them under the same numbers and leaves the live counts alone.
//
// Counts alone would do where one use opens a node. Where several uses share it, they take numbers in turns,
// and each Port remembers its own. Numbers of one node mostly grow by a fixed step, so a list is a few runs.
// Ownership: values; an OpeningLog lies on the stack of the pull that it serves. Threads: the Port's driver.
// Cost: nothing per row; per opening a search among the runs of each Port around it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dataset/dataset.h"

namespace weir {

class Openings {
 public:
  bool empty() const { return runs_.empty(); }
  size_t run_count() const { return runs_.size(); }
  // Grows with every number added or taken.
  uint64_t change_count() const { return changes_; }
  void add(uint64_t what, uint64_t number);
  // Takes out the first number that was added for `what`. False if there is none.
  bool take(uint64_t what, uint64_t& number);
  // Adds those of `later` after its own.
  void append(const Openings& later);

  // As numbers to write down, and back. False if they are not what written() gives.
  std::vector<uint64_t> written() const;
  bool assign(std::span<const uint64_t> numbers);

 private:
  struct Run {
    uint64_t what;
    uint64_t first;
    uint64_t step;
    uint64_t count;
  };
  std::vector<Run> runs_;
  uint64_t changes_ = 0;
};

// One Port's part in a pull; the Context leads to the innermost.
struct OpeningLog {
  // Of a Port at that depth: openings counted in scopes inside it make themselves again.
  int depth;
  // Openings since the last anchor.
  Openings& openings;
  // Openings that a replay has yet to make again.
  Openings& due;
  OpeningLog* outer;
};

struct Opened {
  // The number of the opening, from 0.
  uint64_t number;
  // What tells the scope apart in which it was counted; 0 for an iterator's root.
  uint64_t scope_key;
  // A function drains a dataset from outside, whose order is then the row's own.
  bool borrowed;
};

// Counts an opening of the node, or takes the number that it had before a restore.
Opened count_opening(Context& ctx, const Dataset& node);

// Something below the node is opened in turns with other uses of it.
bool shares_openings(const Session& session, const Dataset& node);

// The counts that a Window over `input` begins with; after a restore, those that it began with then.
EpochTableRef counts_for_window(Context& ctx, const Dataset& input);

// A Context for opening what a loaded position is about to replace: it counts nothing outside.
class QuietContext {
 public:
  explicit QuietContext(const Context& ctx) : epochs_(*ctx.epochs), context_(ctx) {
    context_.epochs = &epochs_;
    context_.openings = nullptr;
  }
  QuietContext(const QuietContext&) = delete;
  QuietContext& operator=(const QuietContext&) = delete;
  Context& operator*() { return context_; }

 private:
  EpochScope epochs_;
  Context context_;
};

}  // namespace weir
