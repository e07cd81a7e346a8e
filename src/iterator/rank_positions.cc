#include "iterator/rank_positions.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "core/archive_fields.h"
#include "core/failed_reads.h"
#include "core/origins.h"
#include "core/part_positions.h"
#include "core/text.h"
#include "dataset/held_rows.h"
#include "graph/same_draws.h"
#include "iterator/checkpoint.h"

namespace weir {

namespace {

// What the saved state of a pipeline says of its partition.
struct Found {
  // An operator had reached its end, so there are no more elements.
  bool ended = false;
  // Rows were saved by value.
  bool holds_rows = false;
  // Null if the partition was not opened.
  std::optional<std::string_view> state;
  // States lie within states no deeper than that.
  static constexpr int kMostDeep = 200;
};

// Looks for what the Stage of the operator `name` wrote.
void find(std::string_view state, std::string_view name, int depth, Found& out) {
  if (depth == Found::kMostDeep || !is_archive(state)) return;
  ArchiveFields fields(state);
  ArchiveField field;
  for (bool more = fields.next(field); more && !out.state && !out.ended;) {
    const ArchiveField current = field;
    more = fields.next(field);
    if (const auto* text = std::get_if<std::string_view>(&current.value)) {
      find(*text, name, depth + 1, out);
      continue;
    }
    const auto* standing = std::get_if<int64_t>(&current.value);
    for (; standing && more && (field.key == "held" || field.key == "kept"); more = fields.next(field))
      out.holds_rows = true;
    const auto* inner = more && field.key == "state" ? std::get_if<std::string_view>(&field.value) : nullptr;
    if (!standing || !inner) continue;
    if (*standing > 0) {
      out.ended = true;
    } else if (current.key == name) {
      out.state = *inner;
    }
  }
}

const char* name_of_partition(const Dataset& node) {
  if (node.op().position.parts != nullptr) return node.op().name;
  for (const DatasetRef& input : node.inputs()) {
    if (input->sites().parts != 0) return name_of_partition(*input);
  }
  return "";
}

// The position of one rank.
struct Rank {
  Checkpoint checkpoint;
  bool ended = false;
  // With no parts if the partition was not opened.
  PartPositions positions;

  bool owns(int64_t part) const { return part % checkpoint.world_size == checkpoint.rank; }
  // Where a part of this rank is, to be asked for once.
  PartPosition take(int64_t number) {
    PartPosition out{number, 0, false, {}};
    const auto found = std::lower_bound(
        positions.parts.begin(), positions.parts.end(), number,
        [](const PartPosition& position, int64_t wanted) { return position.number < wanted; });
    if (found != positions.parts.end() && found->number == number) out = std::move(*found);
    const int64_t n = positions.n;
    const int64_t turn = checkpoint.turn;
    // A turn of damaged bytes may be any number.
    if (turn > number) out.given = std::max(out.given, (turn - number - 1) / n + 1);
    out.ended = out.ended || ended;
    return out;
  }
};

std::string name_of(const Checkpoint& rank) { return concat("rank ", rank.rank, " of ", rank.world_size); }

bool same_values(const std::vector<ParamDigest>& a, const std::vector<ParamDigest>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ParamDigest& x, const ParamDigest& y) { return x.hash == y.hash; });
}

// Whether both have the same seeds, of those that are used.
bool same_seeds(const Sites& sites, const Checkpoint& a, const Checkpoint& b) {
  if (a.seeds.size() != b.seeds.size() || a.seeds.size() != 2 * sites.seeds.size()) return false;
  for (size_t i = 0; i < a.seeds.size(); ++i) {
    if (a.seeds[i] != b.seeds[i] && !is_unused(*sites.seeds[i / 2])) return false;
  }
  return true;
}

Status check_same_run(const Sites& sites, const Checkpoint& first, const Checkpoint& other) {
  if (other.positional != first.positional || other.names != first.names ||
      !same_values(other.params, first.params)) {
    return failed_precondition(
        expected_found("ranks of one pipeline with the same parameters and files",
                       concat("others in ", name_of(other), " than in ", name_of(first))));
  }
  if (other.seeds != first.seeds && !same_seeds(sites, first, other)) {
    return failed_precondition(expected_found(
        "ranks that share their seeds", concat("other ones in ", name_of(other), " than in ", name_of(first)),
        "give each shuffle and random function a seed, or build the dataset once and send its serialized graph to all ranks"));
  }
  if (other.opening != first.opening) {
    return failed_precondition(expected_found("all ranks in the same epoch",
                                              concat(name_of(first), " in epoch ", first.opening, " and ",
                                                     name_of(other), " in epoch ", other.opening),
                                              "save all ranks in the same epoch"));
  }
  return Status();
}

// Reads what the rank says of the parts that `owner` will own, which may be none.
Result<Rank> parts_of(Checkpoint checkpoint, const Dataset& root, const World& owner) {
  Rank out{std::move(checkpoint), false, {}};
  const Checkpoint& rank = out.checkpoint;
  Found found;
  find(rank.stage, name_of_partition(root), 0, found);
  // By value, also if there are no such elements, no turn is known.
  const bool no_turn = rank.turn == Origins::kNoTurn;
  if (found.holds_rows || !rank.states.empty() || (no_turn && !root.not_replayable().empty())) {
    return failed_precondition(
        expected_found("positions that say how far each part has come",
                       concat("one of ", name_of(rank), " with elements or states of callbacks by value"),
                       "go on with as many ranks"));
  }
  if (no_turn) {
    return failed_precondition(expected_found(
        "positions that say how far each part has come",
        concat("one of ", name_of(rank), " that doesn't say which part its last element was of"),
        "go on with as many ranks, or save after the next element"));
  }
  out.ended = found.ended;
  if (!found.state) {
    if (rank.inherited) out.positions = *rank.inherited;
    return out;
  }
  if (found.state->empty()) return out;
  out.positions.owner = owner;
  const int64_t step = std::gcd(rank.world_size, owner.size);
  out.positions.leaves_out_all = rank.rank % step != owner.rank % step;
  Archive archive(*found.state);
  out.positions.state(archive);
  archive.finish();
  WEIR_TRY(archive.status());
  return out;
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

// Each of n parts must be in one position.
Status check_cover(const std::vector<Rank>& ranks, int64_t n) {
  std::vector<uint8_t> times(static_cast<size_t>(n));
  for (const Rank& rank : ranks) {
    for (int64_t part = rank.checkpoint.rank; part < n; part += rank.checkpoint.world_size) {
      uint8_t& count = times[static_cast<size_t>(part)];
      if (count < 2) ++count;
    }
  }
  const auto wrong = std::find_if(times.begin(), times.end(), [](uint8_t count) { return count != 1; });
  if (wrong == times.end()) return Status();
  return failed_precondition(expected_found(
      concat("positions that have each of ", n, " parts once"),
      concat("part ", wrong - times.begin(), *wrong == 0 ? " in none of them" : " in several of them"),
      "give the newest position of each rank of one run"));
}

// The rows that ranks had pulled and not delivered, of the parts of another one, by turn.
Result<std::string> held_rows(const std::vector<Rank>& ranks, const Spec& spec, int64_t n,
                              const World& world) {
  std::vector<std::pair<int64_t, Block>> rows;
  for (const Rank& rank : ranks) {
    if (rank.checkpoint.held.empty()) continue;
    HeldRows held;
    Archive archive(rank.checkpoint.held);
    held.state(archive, spec);
    archive.finish();
    WEIR_TRY(archive.status());
    while (!held.empty()) {
      Block row;
      held.take(1, row);
      const int64_t turn = row.origins.turn_of(0);
      if (turn == Origins::kNoTurn || n <= 0) {
        return failed_precondition(
            expected_found("elements whose parts are known",
                           concat("others that were pulled and not delivered in ", name_of(rank.checkpoint)),
                           "take them before saving, or go on with as many ranks"));
      }
      if (turn % n % world.size == world.rank) rows.emplace_back(turn, std::move(row));
    }
  }
  if (rows.empty()) return std::string();
  std::ranges::stable_sort(rows, {}, [](const auto& row) { return row.first; });
  HeldRows all;
  for (auto& [turn, row] : rows) all.add(std::move(row));
  Archive out;
  all.state(out, spec);
  WEIR_TRY(out.status());
  return out.take();
}

// The files that any rank could not read.
Result<std::string> all_failed_reads(const std::vector<Rank>& ranks) {
  const auto all = make_ref<FailedReads>();
  for (const Rank& rank : ranks) {
    Archive archive(rank.checkpoint.failed_reads);
    all->state(archive);
    archive.finish();
    WEIR_TRY(archive.status());
  }
  Archive out;
  all->state(out);
  return out.take();
}

Status check_document(const Document& document) {
  const Sites& sites = document.root()->sites();
  if (sites.parts == 0) {
    return failed_precondition(
        expected_found("a partition, to continue with another number of ranks", "a pipeline without one",
                       "write partition(n, part -> part | …), with all that holds elements back inside"));
  }
  if (sites.counts_rank.empty()) return Status();
  return failed_precondition(expected_found(
      "operators after the partition whose positions are those of any number of ranks",
      concat("that ", sites.counts_rank), "put it inside the parts, or go on with as many ranks"));
}

// The checkpoint of a rank that had none, with its parts as those of other ranks were.
Result<Checkpoint> joined(const Dataset& root, std::vector<Rank> ranks, const World& world) {
  // One that has counted the opening of the input, if any has.
  const auto opened =
      std::ranges::max_element(ranks, {}, [](const Rank& rank) { return !rank.positions.source.empty(); });
  const int64_t parts = root.sites().parts;
  const int64_t n = opened->positions.n > 0 ? opened->positions.n : parts;
  if (parts > 0 && n != parts) return data_loss("a position has another number of parts");
  if (n > 0) WEIR_TRY(check_cover(ranks, n));
  Checkpoint out = opened->checkpoint;
  WEIR_ASSIGN(out.failed_reads, all_failed_reads(ranks));
  out.rank = world.rank;
  out.world_size = world.size;
  out.turn = 0;
  WEIR_ASSIGN(out.held, held_rows(ranks, root.spec(), n, world));
  out.stage.clear();
  out.inherited = nullptr;
  // No rank has begun.
  if (opened->positions.source.empty()) return out;
  const auto positions = std::make_shared<PartPositions>();
  positions->n = n;
  positions->source = opened->positions.source;
  for (Rank& rank : ranks) rank.positions.n = n;
  for (int64_t part = world.rank; part < n; part += world.size) {
    const auto owner = std::ranges::find_if(ranks, [&](const Rank& rank) { return rank.owns(part); });
    positions->parts.push_back(owner->take(part));
    if (positions->parts.back().given > kMostGiven)
      return data_loss("a position has a turn that no part reaches");
  }
  out.inherited = positions;
  return out;
}

}  // namespace

Result<Checkpoint> position_of_rank(const Document& document, std::span<const std::string_view> saved,
                                    const World& world) {
  if (!world.known())
    return failed_precondition(
        expected_found("a rank and a larger number of ranks to go on as", world.reason));
  WEIR_ASSIGN(std::vector<Checkpoint> ranks, read_ranks(saved));
  for (Checkpoint& rank : ranks) {
    if (rank.rank == world.rank && rank.world_size == world.size) return std::move(rank);
  }
  for (const Checkpoint& rank : ranks) WEIR_TRY(check_same_run(document.root()->sites(), ranks[0], rank));
  WEIR_TRY(check_graph(document, ranks[0]));
  WEIR_TRY(check_document(document));
  std::vector<Rank> parts;
  for (Checkpoint& rank : ranks) {
    WEIR_ASSIGN(Rank read, parts_of(std::move(rank), *document.root(), world));
    parts.push_back(std::move(read));
  }
  return joined(*document.root(), std::move(parts), world);
}

void begin_parts(const Checkpoint& checkpoint, Session& session) {
  if (!checkpoint.inherited) return;
  if (checkpoint.inherited->parts.empty() && !checkpoint.stage.empty()) {
    session.note_parts(checkpoint.inherited);
  } else {
    session.use_part_positions(checkpoint.inherited);
  }
}

}  // namespace weir
