// Instance: a dataset at one place in a tree of cursors, with everything but the Context that its cursor is
// made from. Keep one to open a dataset later, or again.
#pragma once

#include <atomic>
#include <string>
#include <utility>

#include "core/runtime.h"
#include "core/value.h"
#include "dataset/dataset.h"

namespace weir {

class StageStats;  // core/stage_stats.h

// The path of a stage in the tree of open cursors; turned into text only for an error.
class PathNode : public RefCounted {
 public:
  PathNode(RefPtr<const PathNode> up, const char* op, int position, bool alike = false)
      : parent(std::move(up)),
        operator_name(op),
        input(position),
        reads_alike(alike || (parent && parent->reads_alike)) {}
  // "batch/zip[1]/map": from the root, with the input's number below operators that have several.
  std::string to_string() const;

  const RefPtr<const PathNode> parent;
  const char* const operator_name;
  // The number of this input of the parent, or -1 if it has only one.
  const int input;
  // This operator, or one above, has reads_alike (OperatorPosition).
  const bool reads_alike;
  // What the stage here counts; null if nothing is counted. Set when it opens, to the same at each opening.
  mutable std::atomic<StageStats*> stats{nullptr};
};
using PathRef = RefPtr<const PathNode>;

// The key of a cursor opened for row (or epoch) `index` by an operator with key `key`.
uint64_t derive_key(uint64_t key, uint64_t index);

struct Instance {
  // `parent` opens it as its input `input`; -1 if it has only one. A root has no parent.
  Instance(DatasetRef node, EnvRef env, uint64_t key, PathRef parent = nullptr, int input = -1);

  DatasetRef node;
  EnvRef env;
  // Keys the random draws of this cursor's functions; derived from seeds, epochs and rows, never from time.
  uint64_t key;
  PathRef path;
};

// What a cursor is made from.
struct Opening : Instance {
  Opening(Context& context, Instance instance) : Instance(std::move(instance)), ctx(context) {}

  // Input `index` of the operator.
  Instance input(int index) const;
  // A dataset that the operator reads as if it were its only input.
  Instance inner(DatasetRef dataset) const { return {std::move(dataset), env, key, path}; }

  Context& ctx;
};

}  // namespace weir
