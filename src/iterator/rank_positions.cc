#include "iterator/rank_positions.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/text.h"

namespace weir {

namespace {

std::string name_of(const Checkpoint& rank) { return concat("rank ", rank.rank, " of ", rank.world_size); }

bool same_values(const std::vector<ParamDigest>& a, const std::vector<ParamDigest>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ParamDigest& x, const ParamDigest& y) { return x.hash == y.hash; });
}

// Of two ranks of which another one is to have something.
Status check_same_run(const Checkpoint& first, const Checkpoint& other) {
  if (other.positional != first.positional || other.names != first.names ||
      !same_values(other.params, first.params)) {
    return failed_precondition(
        expected_found("ranks of one pipeline with the same parameters and files",
                       concat("others in ", name_of(other), " than in ", name_of(first))));
  }
  if (other.seeds != first.seeds) {
    return failed_precondition(expected_found(
        "ranks that share their seeds", concat("other ones in ", name_of(other), " than in ", name_of(first)),
        "give each shuffle and random function a seed, or draw one for all ranks"));
  }
  if (other.opening != first.opening) {
    return failed_precondition(expected_found("all ranks in the same epoch",
                                              concat(name_of(first), " in epoch ", first.opening, " and ",
                                                     name_of(other), " in epoch ", other.opening),
                                              "save all ranks in the same epoch"));
  }
  if (!other.states.empty()) {
    return failed_precondition(expected_found("positions without states of callbacks",
                                              concat(other.states.size(), " in ", name_of(other)),
                                              "go on with as many ranks"));
  }
  if (!other.held.empty()) {
    return failed_precondition(expected_found("positions without elements that were pulled and not delivered",
                                              concat("some in ", name_of(other)), "take them before saving"));
  }
  return Status();
}

Result<std::vector<Checkpoint>> read_ranks(std::span<const std::string_view> saved) {
  std::vector<Checkpoint> ranks;
  for (const std::string_view bytes : saved) {
    WEIR_ASSIGN(Checkpoint rank, Checkpoint::from_bytes(bytes));
    if (rank.world_size == 0) {
      return failed_precondition(
          expected_found("checkpoints of a pipeline that is divided among ranks", "one of another pipeline"));
    }
    ranks.push_back(std::move(rank));
  }
  const auto place = [](const Checkpoint& rank) { return std::pair(rank.world_size, rank.rank); };
  std::ranges::sort(ranks, {}, place);
  const auto twice = std::ranges::adjacent_find(ranks, {}, place);
  if (twice == ranks.end()) return ranks;
  return failed_precondition(
      expected_found("one checkpoint of each rank", concat("two of ", name_of(*twice))));
}

}  // namespace

Result<Checkpoint> position_of_rank(std::span<const std::string_view> saved, const World& world) {
  if (!world.known())
    return failed_precondition(expected_found("a rank and a number of ranks to go on as", world.reason));
  WEIR_ASSIGN(std::vector<Checkpoint> ranks, read_ranks(saved));
  for (Checkpoint& rank : ranks) {
    if (rank.rank == world.rank && rank.world_size == world.size) return std::move(rank);
  }
  for (const Checkpoint& rank : ranks) WEIR_TRY(check_same_run(ranks[0], rank));
  return failed_precondition(expected_found("a partition to continue with another number of ranks",
                                            "a pipeline without one",
                                            "put the work inside partition(n, p -> ...)"));
}

}  // namespace weir
