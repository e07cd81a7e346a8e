#include "iterator/ahead_alike.h"

#include <algorithm>

namespace weir {

namespace {

// Whether a dataset that comes as a value may open a node that counts its openings: one that a function makes
// or, so that several uses share it, holds.
bool values_may_count(const Dataset& root) {
  const std::vector<EpochNode>& counted = root.epoch_nodes();
  return root.opens_variables() && std::any_of(counted.begin(), counted.end(), [](const EpochNode& node) {
           return node.openings != node.openings_at_once && (node.depth > 0 || node.shared);
         });
}

}  // namespace

std::vector<uint64_t> windows_of(const Dataset& root) {
  std::vector<uint64_t> out;
  for (const EpochNode& node : root.epoch_nodes()) out.push_back(node.windows);
  return out;
}

Status check_runs_ahead(const Dataset& root, std::span<const uint64_t> saved, bool made_alike) {
  const std::vector<EpochNode>& nodes = root.epoch_nodes();
  // Of a node that is opened once it does not matter.
  const auto alike = [](uint64_t windows, const EpochNode& node) {
    return windows == node.windows || node.openings == node.openings_at_once;
  };
  if (!std::equal(saved.begin(), saved.end(), nodes.begin(), nodes.end(), alike)) {
    return failed_precondition(expected_found(
        "a pipeline that runs ahead at the same operators as when the checkpoint was saved", "another one",
        "a shuffle or a cache below is opened more than once; write num_parallel_calls and prefetch as they were, or change only numbers above 1"));
  }
  if (made_alike || !values_may_count(root)) return Status();
  return failed_precondition(expected_found(
      "a pipeline with the numbers, weights and options that the checkpoint was saved with", "others",
      "it opens datasets that come as values, and a shuffle, a cache or the like may be in them; write num_parallel_calls, prefetch, weights and options as they were"));
}

}  // namespace weir
