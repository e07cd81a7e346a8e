// Resizing: joins the checkpoints of all ranks of a run into one, from which a rank of a run with another
// number of ranks continues.
//
// Each element that no rank had delivered is delivered by exactly one of the new ranks. The old ranks may
// have different progress. Operators after shard(auto, auto) must be in the same state in all of them: maps,
// filters, batches and prefetches are; a shuffle, an interleave or an enumerate is not, and belongs before
// the shard.
#pragma once

#include <span>
#include <string>

#include "core/runtime.h"
#include "graph/document.h"

namespace weir {

struct Resizing {
  Runtime& runtime;
  // Keeps the runtime.
  RefPtr<RefCounted> owner;
  // failed_precondition if null.
  DocumentRef document;
  const std::vector<ParamValue>& params;
  // The new rank and number of ranks; null: the runtime's.
  const World* world;
};

// Returns a checkpoint for the new rank. `checkpoints` has those of ranks 0 to n - 1 in any order.
// failed_precondition, with what to do, if they do not go together or operators above the shard keep
// elements; else as restoring fails. Restores each of them, one after the other, and the least advanced
// twice; the elements from an anchor up to a position are made one at a time, so that every rank that joins
// these positions finds the same.
Result<std::string> resize(const Resizing& resizing, std::span<const std::string> checkpoints);

}  // namespace weir
