#include "iterator/resize.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/exception.h"
#include "core/failed_reads.h"
#include "core/text.h"
#include "dataset/settling.h"
#include "dataset/stage.h"
#include "iterator/iterator.h"

namespace weir {

namespace {

// What settling the position of one rank gives.
struct Settled {
  std::vector<Settling::Part> parts;
  std::vector<ShardPosition> shards;
  bool at_end = false;
};

Status check_same_run(const Checkpoint& first, const Checkpoint& other) {
  if (other.seeds != first.seeds) {
    return failed_precondition(
        expected_found("ranks that share their seeds",
                       concat("other ones in rank ", other.rank, " than in rank ", first.rank),
                       "give each shuffle and random function a seed, or draw one for all ranks"));
  }
  if (other.opening != first.opening) {
    return failed_precondition(
        expected_found("all ranks in the same epoch",
                       concat("rank ", first.rank, " in epoch ", first.opening, " and rank ", other.rank,
                              " in epoch ", other.opening),
                       "put repeat before the shard, or save all ranks in the same epoch"));
  }
  if (!other.states.empty()) {
    return failed_precondition(expected_found("positions without states of callbacks",
                                              concat(other.states.size(), " in rank ", other.rank),
                                              "go on with as many ranks"));
  }
  if (!other.held.empty()) {
    return failed_precondition(expected_found("positions without elements that were pulled and not delivered",
                                              concat("some in rank ", other.rank),
                                              "take them before saving"));
  }
  return Status();
}

// The checkpoints by rank.
Result<std::vector<Checkpoint>> by_rank(std::span<const std::string> checkpoints) {
  std::vector<std::optional<Checkpoint>> found(checkpoints.size());
  for (const std::string& bytes : checkpoints) {
    WEIR_ASSIGN(Checkpoint checkpoint, Checkpoint::from_bytes(bytes));
    if (checkpoint.world_size == 0) {
      return failed_precondition(
          expected_found("checkpoints of a pipeline with shard(auto, auto)", "one of another pipeline"));
    }
    if (checkpoint.world_size != static_cast<int64_t>(checkpoints.size())) {
      return failed_precondition(expected_found(
          concat("the checkpoints of all ", checkpoint.world_size, " ranks"), concat(checkpoints.size())));
    }
    if (checkpoint.rank >= checkpoint.world_size) return data_loss("the rank of a checkpoint is damaged");
    auto& place = found[static_cast<size_t>(checkpoint.rank)];
    if (place) {
      return failed_precondition(
          expected_found("one checkpoint of each rank", concat("two of rank ", checkpoint.rank)));
    }
    place = std::move(checkpoint);
  }
  std::vector<Checkpoint> out;
  for (auto& checkpoint : found) out.push_back(*std::move(checkpoint));
  for (const Checkpoint& checkpoint : out) WEIR_TRY(check_same_run(out[0], checkpoint));
  return out;
}

class Resizer {
 public:
  Resizer(const Resizing& resizing, const World& world, std::vector<Checkpoint> checkpoints)
      : resizing_(resizing), world_(world), checkpoints_(std::move(checkpoints)) {}

  Result<std::string> run() {
    WEIR_TRY(settle_all());
    const auto going_on =
        std::find_if(settled_.begin(), settled_.end(), [](const auto& s) { return !s.at_end; });
    const bool none_goes_on = going_on == settled_.end();
    const Settled& first = none_goes_on ? settled_[0] : *going_on;
    for (const Settled& other : settled_) WEIR_TRY(check_together(first, other));
    // All shards at their end: so are those of another number of ranks.
    if (none_goes_on) return rewritten(0, {});
    if (first.shards.empty()) {
      return failed_precondition(
          "expected a position in an input with shard(auto, auto), found one where none is open");
    }
    for (const Settled& rank : settled_) {
      if (!rank.at_end && rank.shards.size() != first.shards.size())
        return data_loss("expected checkpoints of one pipeline, found others");
    }
    std::vector<ShardPosition> joined;
    size_t base = 0;
    for (size_t shard = 0; shard < first.shards.size(); ++shard) {
      std::vector<std::optional<ShardPosition>> ranks;
      for (const Settled& rank : settled_)
        ranks.push_back(rank.at_end ? std::nullopt : std::optional(rank.shards[shard]));
      const size_t behind = ShardPosition::least_advanced(ranks);
      if (shard > 0 && behind != base) {
        return failed_precondition(
            "expected shards of which one rank is behind in each, found several shards whose ranks are not in step");
      }
      base = behind;
      WEIR_ASSIGN(ShardPosition position, ShardPosition::joined(ranks));
      joined.push_back(std::move(position));
    }
    return rewritten(base, joined);
  }

 private:
  // Restores the position of a rank, settles it and passes the outcome to `take(settling, archive)`.
  template <class Take>
  Status settle(size_t rank, Settling::Run run, std::span<const ShardPosition> joined, Take&& take) {
    const World own{checkpoints_[rank].rank, checkpoints_[rank].world_size, {}};
    const std::string bytes = checkpoints_[rank].to_bytes();
    Iterator iterator(resizing_.runtime, resizing_.owner, resizing_.document->spec(), resizing_.document);
    struct Closing {
      ~Closing() { iterator.close(); }
      Iterator& iterator;
    } closing{iterator};
    // The states of the operators are compared one by one, by all who join these positions and in both runs
    // alike.
    WEIR_TRY(iterator.initialize(nullptr, {.params = resizing_.params,
                                           .checkpoint = &bytes,
                                           .world = &own,
                                           .rewrites = false,
                                           .steady = true}));
    Status status;
    const Status driven = iterator.settle([&](Context& ctx, Stage& stage) noexcept {
      try {
        Settling settling(ctx, run, joined);
        Archive archive(&settling);
        stage.state(archive);
        if (settling.answer == PullResult::rows) take(settling, archive);
        if (settling.error) status = Status(settling.error);
        return settling.answer;
      } catch (...) {
        status = Status(error_of_exception());
      }
      return PullResult::end;
    });
    return status.ok() ? driven : status;
  }

  Status settle_all() {
    for (size_t rank = 0; rank < checkpoints_.size(); ++rank) {
      Settled& settled = settled_.emplace_back();
      WEIR_TRY(settle(rank, Settling::Run::collect, {}, [&](Settling& settling, Archive&) {
        settled.at_end = settling.ended;
        settled.parts = std::move(settling.parts);
        settled.shards = std::move(settling.shards);
      }));
    }
    return Status();
  }

  // What stands above the shards must be the same in both, as far down as neither has ended.
  Status check_together(const Settled& first, const Settled& other) const {
    const size_t count = std::min(going_on(first), going_on(other));
    for (size_t i = 0; i < count; ++i) {
      const auto& [path, own] = first.parts[i];
      if (path == other.parts[i].path && own == other.parts[i].own) continue;
      return failed_precondition(
          expected_found("operators above shard(auto, auto) that are at the same state in all ranks",
                         concat(path, " at different states"),
                         "put it before the shard, or save all ranks after the same number of elements"));
    }
    const bool alike = first.parts.size() == other.parts.size() && first.at_end == other.at_end;
    if (alike && first.shards.size() != other.shards.size())
      return data_loss("expected checkpoints of one pipeline, found others");
    if (alike) return Status();
    // One ended, and the other did not, or ended at a lower operator. That says what the first has delivered
    // only if every operator from there on ends when its input does, and for good.
    const char* ending = ends_otherwise(*resizing_.document->root(), count);
    if (!ending) return Status();
    return failed_precondition(
        expected_found("ranks that all go on, or have all ended",
                       "some that ended, in a pipeline that may end before its shard does, or go on after it",
                       concat("put ", ending, " before the shard")));
  }

  // How many stages come before the one that has ended.
  static size_t going_on(const Settled& rank) { return rank.parts.size() - (rank.at_end ? 1 : 0); }

  // The first operator above a shard by rank that may end before its input, or outlast it; from the level
  // `from` on.
  static const char* ends_otherwise(const Dataset& node, size_t from) {
    for (const DatasetRef& input : node.inputs()) {
      if (!input->sites().by_rank) continue;
      const OperatorDef& op = node.op();
      const bool otherwise =
          ends_early(op, node.params()) || op.position.epochs != nullptr || node.inputs().size() > 1;
      if (from == 0 && otherwise) return op.name;
      if (const char* below = ends_otherwise(*input, from > 0 ? from - 1 : 0)) return below;
    }
    return nullptr;
  }

  // The position of a rank, with the joined ones in place of those of its shards, as that of the new rank.
  Result<std::string> rewritten(size_t rank, std::span<const ShardPosition> joined) {
    Checkpoint checkpoint = checkpoints_[rank];
    size_t written = 0;
    WEIR_TRY(settle(rank, Settling::Run::rewrite, joined, [&](Settling& settling, Archive& archive) {
      checkpoint.stage = archive.take();
      written = settling.joined_count;
    }));
    if (written != joined.size())
      return internal_error("a position had other shards when it was settled again");
    checkpoint.rank = world_.rank;
    checkpoint.world_size = world_.size;
    WEIR_ASSIGN(checkpoint.failed_reads, all_failed_reads(rank));
    return checkpoint.to_bytes();
  }

  // The files that any rank could not read. Those of `first` count where several name the same read.
  Result<std::string> all_failed_reads(size_t first) const {
    const auto all = make_ref<FailedReads>();
    for (size_t i = 0; i < checkpoints_.size(); ++i) {
      Archive archive(checkpoints_[(first + i) % checkpoints_.size()].failed_reads);
      all->state(archive);
      archive.finish();
      WEIR_TRY(archive.status());
    }
    Archive out;
    all->state(out);
    return out.take();
  }

  const Resizing& resizing_;
  const World& world_;
  std::vector<Checkpoint> checkpoints_;
  std::vector<Settled> settled_;
};

}  // namespace

Result<std::string> resize(const Resizing& resizing, std::span<const std::string> checkpoints) {
  if (checkpoints.empty()) return invalid_argument("expected the checkpoints of all ranks, found none");
  if (!resizing.document) return failed_precondition("expected a dataset to go on with, found none");
  const World& world = resizing.world ? *resizing.world : resizing.runtime.world;
  if (!world.known())
    return failed_precondition(expected_found("a rank and a number of ranks to go on as", world.reason));
  WEIR_ASSIGN(std::vector<Checkpoint> ranks, by_rank(checkpoints));
  return Resizer(resizing, world, std::move(ranks)).run();
}

}  // namespace weir
