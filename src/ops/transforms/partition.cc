// partition(n, part -> pipeline, by, even): cuts the input into n parts (ops/access/part_source.h) and gives
// an element of each part's pipeline in turn; a rank gives those of the parts s with s mod W = r. The next
// element is one of the part that has given fewest, the first of equals, so parts that are ahead after a
// change of the number of ranks wait for the others. A part opens when its turn comes, and runs ahead on a
// Window of its own, which all share a Credit. What a part has made beyond its turn waits in its Port. Small
// rows of many parts lie far apart there, so several rounds of them are put together at once, before they are
// due; a position has them as rows that the parts have yet to give.
//
// Checkpoint: the source's, and for each part that was opened how many elements it has given, the counts of
// its openings and its Port's position. Positions of all ranks continue as those of another number
// (iterator/rank_positions.h): a part is then loaded from the rank that had it.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "core/exception.h"
#include "core/part_positions.h"
#include "core/text.h"
#include "dataset/cardinality.h"
#include "dataset/port.h"
#include "dataset/tuner_start.h"
#include "ops/access/joined_rounds.h"
#include "ops/access/part.h"
#include "ops/access/part_counts.h"
#include "ops/access/part_source.h"
#include "ops/access/scattered_rows.h"
#include "ops/functions/inner.h"
#include "ops/list.h"

namespace weir::partition_op {
namespace {

struct Params : ParamsOf<Params> {
  IntParam n;
  FunctionParam f{FunctionParam::Takes::dataset, FunctionParam::Gives::dataset};
  StringParam by = StringParam::automatic();
  BoolParam even{false};
  void fields(Fields& fields) override {
    fields("n", n, "How many parts there are, whatever the number of ranks, which must divide it.",
           {1, kMostParts});
    fields("f", f, "Returns the pipeline of a part, which is a dataset of elements of the input.");
    fields(
        "by", by,
        "\"index\": part s has the rows ⌊s·N/n⌋ to ⌊(s+1)·N/n⌋ − 1 of N, read by their positions; \"files\": it has the files s, s + n … of the list that the input reads; auto: by index where the elements are in memory or computed, else by files if there are n of them, else by index.",
        {}, {.automatic = true});
    fields(
        "even", even,
        "Ends for all ranks with the last round in which each part has an element; the number of elements of each part must be known.");
  }
};

// What a part may have ready, and what all together may.
constexpr int64_t kPartRows = 2 * kMaxBlockRows;
constexpr int64_t kPartBytes = int64_t{8} << 20;
constexpr int64_t kAllBytes = int64_t{32} << 20;
constexpr int64_t kMostAtOnce = 4096;
// A single row of so many bytes is copied sooner than shared.
constexpr int64_t kCopiedBytes = 4096;

RunsAhead part_ahead(int64_t parts) {
  return {.rows = kPartRows,
          .bytes = std::clamp<int64_t>(kAllBytes / std::max<int64_t>(parts, 1), 1, kPartBytes),
          .at_once = RunsAhead::kEachThread,
          .windows = parts};
}

class Partition final : public Cursor {
 public:
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    WEIR_ASSIGN(const Slice ranks, Slice{.by_rank = true}.of(opening.ctx.session.world()));
    WEIR_TRY(check_parts(*params.n, opening.ctx.session.world()));
    WEIR_ASSIGN(PartsBy by, parts_by(params.by));
    WEIR_ASSIGN(by, parts_by(*opening.node->inputs()[0], by, *params.n));
    return std::unique_ptr<Cursor>(std::make_unique<Partition>(opening, params, by, ranks));
  }

  Partition(Opening& opening, const Params& params, PartsBy by, const Slice& ranks)
      : instance_(opening),
        n_(*params.n),
        even_(*params.even),
        source_(opening, by, n_),
        opener_(opening, params.f),
        width_(opening.node->components().size()),
        scattered_(opening.node->components()),
        ranks_(ranks),
        joined_(opening.node->components()) {
    parts_.reserve(static_cast<size_t>(ranks.among(n_)));
    for (int64_t s = ranks.first; s < n_; s += ranks.step) parts_.emplace_back(s);
    list_live();
    run_ahead(opening);
    // Another number of ranks had the parts before.
    const std::shared_ptr<const PartPositions> before = opening.ctx.session.part_positions();
    if (!before) return;
    const Status loaded = load(*before);
    if (!loaded.ok()) throw StatusException(loaded);
  }

  Step next(Context& ctx, const Demand& demand, Block& out) override;
  int64_t lose(const ErrorPtr& error) noexcept override;
  void state(Archive& archive) override;

 private:
  void run_ahead(Opening& opening);
  Status load(PartPositions saved);
  void list_live();
  std::string saved_source();
  Step begin(Context& ctx);
  Result<int64_t> count_of(Context& ctx, int64_t s);
  ErrorPtr make(Session& session, int64_t s, Closure& out);
  Status open_part(Context& ctx, Part& part) noexcept;
  void open_ahead(Context& ctx);
  bool next_turn();
  void end_turn();
  PullResult ready(Context& ctx, Part& part);
  Step gather(Context& ctx, const Demand& demand, Block& out);
  int64_t append(Part& part, int rows, Block& out);
  Step scatter(Context& ctx, int wanted, Block& out);
  int rounds_at_hand(int64_t most) const;
  bool scatter_rounds(int wanted);
  bool join_rounds(int wanted);
  bool give_joined(int wanted);
  void note_turns(int64_t round, int first, int rows);
  void put(Part& part, int rows, ScatteredRows::Targets targets);

  const Instance instance_;
  const int64_t n_;
  const bool even_;
  PartSource source_;
  InnerOpener opener_;
  const size_t width_;
  ScatteredRows scattered_;
  const Slice ranks_;
  std::vector<Part> parts_;
  // Those that have not ended, in their order, and whose turn is next; all before it have given more than
  // round_ rows, and no other has given fewer. Those that ended in this round are null, as many as gone_
  // says.
  std::vector<Part*> live_;
  size_t gone_ = 0;
  size_t turn_ = 0;
  int64_t round_ = 0;
  // How many rounds there are.
  int64_t rounds_ = INT64_MAX;
  bool begun_ = false;
  // The first of live_ that may not have been opened before its turn.
  size_t opened_ = 0;
  // Null: nothing runs ahead.
  RefPtr<Credit> credit_;
  std::unique_ptr<ShownCredit> shown_;
  // Of the parts of live_.
  JoinedRounds joined_;
  // Rows in the block that is being made, and their turns.
  int rows_in_call_ = 0;
  Origins turns_;
};

void Partition::run_ahead(Opening& opening) {
  const auto count = static_cast<int64_t>(parts_.size());
  if (count == 0) return;
  const int most_at_once = static_cast<int>(std::min(count, kMostAtOnce));
  credit_ = make_ref<Credit>(opening.ctx.session, 0, most_at_once, tuner_start(opening, "calls"));
  AheadSlots slots = ahead_slots(opening.ctx, credit_, part_ahead(count), Part::kTakenRows);
  slots.window.block_rows = static_cast<int>(Part::kTakenRows);
  opener_.run_ahead(std::move(slots));
  if (StageStats* stats = opening.path->stats.load(std::memory_order_relaxed))
    shown_ = std::make_unique<ShownCredit>(credit_, *stats);
}

void Partition::list_live() {
  live_.clear();
  gone_ = 0;
  round_ = INT64_MAX;
  for (Part& part : parts_) {
    if (part.ended()) continue;
    live_.push_back(&part);
    round_ = std::min(round_, part.given());
  }
  turn_ = opened_ = 0;
}

std::string Partition::saved_source() {
  Archive archive;
  source_.state(archive);
  return archive.take();
}

// Finds out where the parts begin, and how many rounds there are.
Step Partition::begin(Context& ctx) {
  Step opened = source_.open(ctx);
  if (opened.error() || opened.answer() != PullResult::rows) return opened;
  begun_ = true;
  const std::shared_ptr<const PartPositions>& before = ctx.session.part_positions();
  const auto noted = before ? std::make_shared<PartPositions>(*before) : std::make_shared<PartPositions>();
  noted->n = n_;
  noted->source = saved_source();
  ctx.session.note_parts(noted);
  if (!even_) return PullResult::rows;
  // By index, all parts have the size of the first or of the last.
  const int64_t step = source_.by_index() ? std::max<int64_t>(n_ - 1, 1) : 1;
  for (int64_t s = 0; s < n_; s += step) {
    WEIR_ASSIGN(const int64_t count, count_of(ctx, s));
    if (count == kUnknown) {
      return invalid_argument(expected_found("parts of known cardinality for even: true",
                                             concat("an unknown one in part ", s),
                                             "put assert_cardinality(n) at the end of the part"));
    }
    if (count != kInfinite) rounds_ = std::min(rounds_, count);
  }
  return PullResult::rows;
}

Result<int64_t> Partition::count_of(Context& ctx, int64_t s) {
  Closure made;
  if (const ErrorPtr error = make(ctx.session, s, made)) return Status(error);
  return cardinality_at(ctx.session, {std::move(made.node), std::move(made.env),
                                      derive_key(opener_.key(), static_cast<uint64_t>(s)), instance_.path});
}

// Calls the function for a part; returns its error.
ErrorPtr Partition::make(Session& session, int64_t s, Closure& out) {
  Result<DatasetRef> node = source_.part(session.runtime, s);
  if (!node.ok()) return node.status().pointer();
  Block in;
  in.set_row({dataset_tensor(make_ref<NestedDataset>(*std::move(node), instance_.env))});
  return opener_.close_over(session, in, 0, s, out);
}

Status Partition::open_part(Context& ctx, Part& part) noexcept try {
  Closure made;
  if (const ErrorPtr error = make(ctx.session, part.number(), made)) return Status(error);
  if (credit_) {
    WEIR_ASSIGN(made.node, opener_.ahead_of(std::move(made.node)));
  }
  const uint64_t key = derive_key(opener_.key(), static_cast<uint64_t>(part.number()));
  return part.open(ctx, {std::move(made.node), std::move(made.env), key, instance_.path}, source_.before(),
                   instance_.node->depth());
} catch (...) {
  return Status(error_of_exception());
}

// Opens the parts whose turns come next, for them to run ahead.
void Partition::open_ahead(Context& ctx) {
  if (!credit_) return;
  const size_t most = std::min(live_.size(), turn_ + static_cast<size_t>(credit_->limit()));
  for (opened_ = std::max(opened_, turn_); opened_ < most; ++opened_) {
    Part& part = *live_[opened_];
    if (part.is_open() || part.error()) continue;
    const Status opened = open_part(ctx, part);
    if (!opened.ok()) part.fail(opened.pointer());
    part.warm_start();
  }
}

// Goes to the part whose turn is next. Returns false if there is none any more.
bool Partition::next_turn() {
  while (live_.size() > gone_) {
    while (turn_ < live_.size() && live_[turn_]->given() > round_) ++turn_;
    if (turn_ < live_.size()) return round_ < rounds_;
    std::erase(live_, nullptr);
    gone_ = turn_ = opened_ = 0;
    round_ = INT64_MAX;
    for (const Part* part : live_) round_ = std::min(round_, part->given());
  }
  return false;
}

// Answers rows if the part has one to give, or an error.
PullResult Partition::ready(Context& ctx, Part& part) {
  if (part.buffered() > 0 || part.error()) return PullResult::rows;
  if (!part.is_open()) {
    open_ahead(ctx);
    if (!part.is_open() && !part.error()) {
      const Status opened = open_part(ctx, part);
      if (!opened.ok()) part.fail(opened.pointer());
    }
    if (part.error()) return PullResult::rows;
  }
  const PullResult got = part.fill(ctx);
  if (got == PullResult::pending && credit_) credit_->starved();
  return got;
}

Step Partition::next(Context& ctx, const Demand& demand, Block& out) {
  rows_in_call_ = 0;
  if (!begun_) {
    Step begun = begin(ctx);
    if (begun.error()) {
      // Where the parts cannot be found there are none, and the error is not given again after a restore.
      const bool given = live_.empty();
      for (Part& part : parts_) part.end();
      live_.clear();
      begun_ = true;
      return given ? PullResult::end : std::move(begun);
    }
    if (begun.answer() != PullResult::rows) return begun;
  }
  const Demand limited =
      demand.at_most(std::max<int64_t>((demand.bytes - 1) / scattered_.row_bytes() + 1, 1));
  const bool copies = limited.rows > 1 || scattered_.row_bytes() <= kCopiedBytes;
  if (scattered_.fits() && copies && (!joined_.empty() || live_.size() > 1) &&
      scattered_.begin(out, limited.rows, demand.drop))
    return scatter(ctx, limited.rows, out);
  if (!joined_.empty()) throw std::bad_alloc();
  return gather(ctx, demand, out);
}

// One row after the other.
Step Partition::gather(Context& ctx, const Demand& demand, Block& out) {
  int64_t bytes = 0;
  while (rows_in_call_ == 0 || (rows_in_call_ < demand.rows && bytes < demand.bytes)) {
    if (!next_turn()) return rows_in_call_ > 0 ? PullResult::rows : PullResult::end;
    Part& part = *live_[turn_];
    const PullResult got = ready(ctx, part);
    if (got == PullResult::end) {
      end_turn();
      continue;
    }
    if (got != PullResult::rows) return rows_in_call_ > 0 ? PullResult::rows : got;
    if (rows_in_call_ == 0) out.reset(width_);
    // The last part that is left gives all that it has.
    const bool last = live_.size() == gone_ + 1 && !even_ && !part.error();
    const int rows = last ? std::min(demand.rows - rows_in_call_, part.buffered()) : 1;
    const int64_t turn = part.turn(n_);
    bytes += append(part, rows, out);
    out.origins.add_turns(rows_in_call_, turn, last ? n_ : ranks_.step);
    rows_in_call_ += rows;
    if (part.ended()) {
      end_turn();
    } else {
      ++turn_;
    }
  }
  if (demand.drop) out.columns.clear();
  return PullResult::rows;
}

// Returns how many bytes the rows take.
int64_t Partition::append(Part& part, int rows, Block& out) {
  if (part.error()) {
    Block failed;
    failed.set_error(part.error(), width_);
    out.append(failed, 0, 1);
    part.give_error();
    return 0;
  }
  const int64_t bytes = part.row_bytes() * rows;
  if (rows_in_call_ == 0) {
    out.rows = rows;
    part.give_into(out, rows);
  } else {
    out.append(part.rows().block(), part.rows().begin(), rows);
    part.give(rows);
  }
  return bytes;
}

// The same where the place of each row is known before it comes: as many rounds at once as all parts have at
// hand.
Step Partition::scatter(Context& ctx, int wanted, Block& out) {
  turns_.clear();
  PullResult got = PullResult::rows;
  while (rows_in_call_ < wanted && got == PullResult::rows) {
    if (give_joined(wanted)) continue;
    if (!next_turn()) break;
    if (turn_ == 0 && (join_rounds(wanted) || scatter_rounds(wanted))) continue;
    Part& part = *live_[turn_];
    got = ready(ctx, part);
    if (got == PullResult::end) {
      end_turn();
      got = PullResult::rows;
    } else if (got == PullResult::rows) {
      put(part, 1, {.first = rows_in_call_});
      turns_.add_turns(rows_in_call_++, part.turn(n_) - n_, ranks_.step);
      if (part.ended()) {
        end_turn();
      } else {
        ++turn_;
      }
    }
  }
  if (rows_in_call_ == 0) return got == PullResult::rows ? PullResult::end : got;
  scattered_.finish(rows_in_call_);
  if (rows_in_call_ == 1) {
    out.origins.add_turns(0, turns_.turn_of(0), ranks_.step);
  } else {
    out.origins.append_turns(turns_, 0, rows_in_call_, 0);
  }
  return PullResult::rows;
}

// How many whole rounds all parts have at hand, at most `most`; 0 if some part has given more than others.
int Partition::rounds_at_hand(int64_t most) const {
  int64_t rounds = std::min(most, rounds_ - round_);
  for (const Part* part : live_) {
    if (rounds < 1 || part->given() != round_ || part->error()) return 0;
    rounds = std::min<int64_t>(rounds, part->buffered());
  }
  return static_cast<int>(rounds);
}

// Gives whole rounds of all parts. Returns false if there are none.
bool Partition::scatter_rounds(int wanted) {
  const auto count = static_cast<int>(live_.size());
  const int rounds = rounds_at_hand((wanted - rows_in_call_) / count);
  if (rounds < 1) return false;
  note_turns(round_, 0, rounds * count);
  for (int i = 0; i < count; ++i)
    put(*live_[static_cast<size_t>(i)], rounds, {.first = rows_in_call_ + i, .gap = count - 1});
  rows_in_call_ += rounds * count;
  return true;
}

// Puts rounds together before they are due. Returns false if that is not worth it.
bool Partition::join_rounds(int wanted) {
  const auto count = static_cast<int64_t>(live_.size());
  const int64_t most = joined_.most(count);
  if (wanted - rows_in_call_ >= most * count) return false;
  return joined_.join(live_, rounds_at_hand(most), round_);
}

// Gives rows of the rounds that were put together. Returns false if there are none.
bool Partition::give_joined(int wanted) {
  const int rows = std::min(wanted - rows_in_call_, joined_.left());
  if (rows == 0) return false;
  note_turns(joined_.round(), joined_.begin(), rows);
  joined_.give(rows, scattered_, rows_in_call_);
  rows_in_call_ += rows;
  return true;
}

// Notes the turns of the next rows: of `rows` of whole rounds from `round` on, the first of which is `first`.
void Partition::note_turns(int64_t round, int first, int rows) {
  const auto count = static_cast<int>(live_.size());
  // Of all parts, each turn follows from the one before.
  const bool all = live_.size() == parts_.size();
  for (int i = 0; i < (all ? 1 : rows); ++i) {
    const int64_t number = live_[static_cast<size_t>((first + i) % count)]->number();
    turns_.add_turns(rows_in_call_ + i, (round + (first + i) / count) * n_ + number, ranks_.step);
  }
}

// Puts rows of a part, or its error, to their places.
void Partition::put(Part& part, int rows, ScatteredRows::Targets targets) {
  if (part.error()) {
    Block failed;
    failed.set_error(part.error(), width_);
    scattered_.put(failed, targets);
    part.give_error();
    return;
  }
  scattered_.put(part.rows().block(), part.rows().begin(), rows, targets);
  part.give(rows);
}

void Partition::end_turn() {
  live_[turn_++] = nullptr;
  ++gone_;
}

// Loses the rows of the block, or the one whose turn it is.
int64_t Partition::lose(const ErrorPtr&) noexcept {
  if (!begun_) {
    begun_ = true;
    live_.clear();
  }
  if (rows_in_call_ > 0) return rows_in_call_;
  if (!joined_.empty()) {
    joined_.lose_one();
    return 1;
  }
  if (turn_ >= live_.size()) return 1;
  Part& part = *live_[turn_];
  if (part.error()) {
    part.give_error();
    end_turn();
  } else if (part.buffered() > 0) {
    part.give(1);
  }
  return 1;
}

void Partition::state(Archive& archive) {
  PartPositions saved;
  saved.n = n_;
  if (!archive.loading()) {
    saved.source = saved_source();
    int live = 0;
    for (Part& part : parts_) {
      const int joined = part.ended() ? 0 : joined_.left_of(live++);
      if (part.given() > 0 || part.ended() || part.is_open())
        saved.parts.push_back(part.save(archive.holding(), joined));
    }
  }
  saved.state(archive);
  if (!archive.loading() || !archive.status().ok()) return;
  const Status loaded = load(std::move(saved));
  if (!loaded.ok()) archive.fail(loaded.error().message);
}

Status Partition::load(PartPositions saved) {
  if (saved.n != n_) return data_loss("a position has another number of parts");
  for (Part& part : parts_) part.load({part.number(), 0, false, {}});
  for (PartPosition& position : saved.parts) {
    if (position.number >= n_ || position.number % ranks_.step != ranks_.first)
      return data_loss("a position has a part that the rank does not own");
    parts_[static_cast<size_t>((position.number - ranks_.first) / ranks_.step)].load(std::move(position));
  }
  begun_ = false;
  joined_.clear();
  list_live();
  if (saved.source.empty()) return Status();
  Archive archive(saved.source);
  source_.state(archive);
  archive.finish();
  return archive.status();
}

std::vector<PartFacts> facts(const ParamsBase& base, const Dataset& input) {
  const auto& params = static_cast<const Params&>(base);
  if (!params.n.is_constant()) return {};
  Result<PartsBy> by = parts_by(params.by);
  if (by.ok()) by = parts_by(input, *by, *params.n);
  if (!by.ok()) return {};
  std::vector<PartFacts> parts = part_facts(DatasetRef(&input), *by, *params.n);
  int64_t fewest = kInfinite;
  for (PartFacts& part : parts) {
    part.count = count_after(function_of(params.f), part.count);
    if (fewest == kInfinite || (part.count != kInfinite && part.count < fewest)) fewest = part.count;
  }
  if (!params.even.value_or(true)) return parts;
  for (PartFacts& part : parts) part.count = params.even.is_constant() ? fewest : kUnknown;
  return parts;
}

Status check_even(const Params& params, PartsBy by) {
  // By position, the number of rows is known when the dataset is opened at the latest.
  const int64_t rows = by == PartsBy::index ? 1 : kUnknown;
  if (count_after(function_of(params.f), rows) != kUnknown) return Status();
  return invalid_argument(expected_found("parts of known cardinality for even: true", "unknown ones",
                                         "put assert_cardinality(n) at the end of the part"));
}

Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
  const Dataset& input = *inputs[0];
  if (input.cardinality() == kInfinite)
    return invalid_argument(expected_found("a finite dataset", "an infinite one", "put take(n) before it"));
  // Parts go from rank to rank, so each rank must find the same in them.
  Sites sites = input.sites();
  function_of(params.f).add_sites(sites);
  if (sites.by_rank)
    return invalid_argument(expected_found("an input and parts that are the same for all ranks",
                                           "shard(auto, auto)",
                                           "leave shard out; a partition gives each rank its parts"));
  WEIR_ASSIGN(PartsBy by, parts_by(params.by));
  WEIR_ASSIGN(by, parts_by(input, by, params.n.value_or(0)));
  if (params.even.is_constant() && *params.even) WEIR_TRY(check_even(params, by));
  return function_of(params.f).result().children[0];
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Partition>({
      .name = "partition",
      .page =
          {.doc =
               "Divides the input into `n` parts, applies `f` to each, and yields one element from each part in turn. Parts that have ended are skipped. With W ranks, rank r yields only the parts s with s mod W = r. Rank and W come from the iterator's options, else from the environment. W must divide `n`, otherwise failed_precondition. Operators inside a part are independent of other parts: shuffles, batches and random draws depend on the part and not on the number of ranks. So checkpoints of all ranks can be restored on another number of ranks, and each part resumes where it stopped; the part that has yielded the fewest elements comes next. An error in a part takes its turn. Only operators that hold no elements back may follow, such as map, filter, prefetch and options; those that count, such as take and enumerate, do so per rank.",
           .cost =
               "A part opens when its turn comes and runs ahead on other threads; each element is copied once. All parts together have 32 MiB ready; a source inside a part reads ahead as much as the part may have ready, and 64 KiB at least. Each rank reads what its parts need. A checkpoint has a compact position of each part.",
           .example = "range(10) | partition(3, p -> p | batch(2))",
           .output = "[0, 1]\n[3, 4]\n[6, 7]\n[2]\n[5]\n[8, 9]",
           .bench = "range(1000000) | partition(16, p -> p)",
           .elsewhere = "split_by_node distribute shard_files: partition(n, part -> part | …)"},
      .typing = {.spec = spec_of<Params, spec>, .columns = Columns::inner},
      .position = {.keeps_rows = true,
                   .kept =
                       [](const ParamsBase& base) {
                         const IntParam& n = static_cast<const Params&>(base).n;
                         const int64_t rows = n.is_constant() ? *n * Part::kTakenRows : kUnknown;
                         return Kept{rows, rows};
                       },
                   .parts =
                       [](const ParamsBase& base) {
                         const IntParam& n = static_cast<const Params&>(base).n;
                         return n.is_constant() ? *n : int64_t{-1};
                       },
                   .part_facts = facts},
      .ahead = {.limits = [](const ParamsBase& base,
                             std::span<const DatasetRef>) -> std::optional<RunsAhead> {
        return part_ahead(static_cast<const Params&>(base).n.value_or(1));
      }},
  });
  return def;
}

}  // namespace weir::partition_op
