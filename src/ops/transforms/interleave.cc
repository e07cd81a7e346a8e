// interleave(f, cycle_length, block_length): takes turns among cycle_length open datasets, with block_length
// elements of each. A slot whose dataset ends takes the next element of the input on its next turn. Errors do
// not count as elements. With num_parallel_calls, open datasets run ahead on Windows, as do the next ones,
// which wait in `ahead_` for a slot; where opening one, or reading on in the input, would count openings that
// others see, each is opened in its turn all the same. Checkpoint: for each open slot, the number of the
// element that opened it and the position in its dataset.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <list>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/checked.h"
#include "core/exception.h"
#include "core/text.h"
#include "dataset/counted.h"
#include "dataset/tuner_start.h"
#include "dataset/yield_timer.h"
#include "ops/access/scattered_rows.h"
#include "ops/access/turns.h"
#include "ops/functions/inner.h"
#include "ops/functions/open_places.h"
#include "ops/list.h"

namespace weir {
void InterleaveParams::fields(Fields& fields) {
  constexpr int64_t kMaxCycle = int64_t{1} << 20;
  fields("f", f, "Returns a dataset for each element.");
  fields("cycle_length", cycle_length, "The number of datasets open at a time; auto is 8.", {1, kMaxCycle},
         {.automatic = true});
  fields("block_length", block_length, "The number of successive elements from one dataset.", at_least(1));
  fields(
      "num_parallel_calls", num_parallel_calls,
      "How many datasets run ahead at once, at most cycle_length. auto: one per core, or, for datasets that wait, as many as raise the throughput. As many more are opened before their turn, unless their elements cannot be made again. The order is the same for any number.",
      at_least(1), {.automatic = true, .any_position = true});
  fields(
      "deterministic", deterministic,
      "false: where several run ahead, a dataset that has no element yet gives up its turn; none: as options() says, else true.",
      {}, {.none = true, .any_position = true});
}
namespace interleave_op {
namespace {

using Params = InterleaveParams;
constexpr int64_t kAutoCycle = Params::kAutoCycle;

// What a slot may run ahead: begins with 16 rows.
constexpr int64_t kSlotRows = 256;
constexpr int64_t kSlotShare = 16;
constexpr int64_t kSlotBytes = int64_t{8} << 20;
constexpr int64_t kAllSlotsBytes = int64_t{64} << 20;
constexpr int64_t kMostAtOnce = 4096;

bool sequential(const Params& params) { return params.num_parallel_calls.value_or(0) == 1; }
bool unordered(const Params& params) {
  return !sequential(params) && params.deterministic.is_constant() && !*params.deterministic;
}

// Of one slot. Fewer may fit.
RunsAhead slot_ahead(const Params& params) {
  const int64_t cycle = params.cycle_length.value_or(kAutoCycle);
  const int64_t block = std::min<int64_t>(params.block_length.value_or(1), kMaxBlockRows) * 2;
  return {.rows = std::max(kSlotRows, block),
          .bytes = std::clamp<int64_t>(kAllSlotsBytes / cycle, 1, kSlotBytes),
          .at_once = std::min(params.num_parallel_calls.value_or(RunsAhead::kEachThread), cycle),
          .windows = cycle};
}

class Interleave final : public Cursor {
 public:
  Interleave(Opening& opening, const Params& params)
      : outer_(opening, params.f),
        width_(opening.node->components().size()),
        cycle_length_(params.cycle_length.value_or(kAutoCycle)),
        block_length_(*params.block_length),
        scattered_(opening.node->components()),
        one_turn_(shares_openings(opening.ctx.session, *opening.node)) {
    if (sequential(params) || one_turn_ || !outer_.opens_apart()) return;
    const int most_at_once = static_cast<int>(std::min(cycle_length_, kMostAtOnce));
    const int calls =
        static_cast<int>(std::clamp<int64_t>(params.num_parallel_calls.value_or(0), 0, most_at_once));
    credit_ = make_ref<Credit>(opening.ctx.session, calls, most_at_once, tuner_start(opening, "calls"));
    // A position has the openings below as of the last element given, and by value rows of slots only.
    opens_ahead_ = reads_apart(outer_.input().node()) && outer_.repeats();
    takes_ready_ = unordered(params);
    const RunsAhead most = slot_ahead(params);
    outer_.run_ahead(ahead_slots(opening.ctx, credit_, most, most.rows / kSlotShare));
    if (StageStats* stats = opening.path->stats.load(std::memory_order_relaxed))
      shown_ = std::make_unique<ShownCredit>(credit_, *stats);
  }

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    rows_in_call_ = 0;
    open_ahead(ctx);
    const Demand limited =
        demand.at_most(std::max<int64_t>((demand.bytes - 1) / scattered_.row_bytes() + 1, 1));
    // A turn that serves the whole call gives its block as it is.
    const bool places = scattered_.fits() && !one_turn_ && block_length_ <= kMaxBlockRows &&
                        limited.rows > block_length_ - block_index_;
    if (places && scattered_.begin(out, limited.rows, demand.drop)) return place_turns(ctx, limited);
    return append_turns(ctx, demand, out);
  }

  int64_t lose(const ErrorPtr& error) noexcept override;
  void state(Archive& archive) override;
  Step resume(Context& ctx) override;

 private:
  struct Slot {
    int64_t index = 0;
    int64_t ordinal = 0;
    Inner::Saved saved;
  };

  // A dataset that was opened before there is a slot for it, or why it could not be.
  struct Waiting {
    int64_t ordinal = 0;
    Origin origin;
    std::unique_ptr<Inner> inner;
    ErrorPtr error;
  };

  Step append_turns(Context& ctx, const Demand& demand, Block& out);
  Step place_turns(Context& ctx, const Demand& demand);
  PullResult take_turn(Context& ctx, const Demand& demand, int& waiting);
  PullResult place_assured(Context& ctx, const Demand& demand);
  bool list_turns(int64_t wanted);
  PullResult place_slot(Context& ctx, size_t turn, int64_t rows, int64_t round, const Demand& demand);
  PullResult open_ahead(Context& ctx) noexcept;
  // How many datasets are opened before their turn.
  size_t most_ahead() const {
    if (!opens_ahead_ || is_brief_) return 0;
    return static_cast<size_t>(std::min<int64_t>(credit_->limit(), cycle_length_));
  }
  Step open_next(Context& ctx, std::unique_ptr<Inner>& out);
  Step take_next(Context& ctx, std::unique_ptr<Inner>& out, Origin& origin);
  bool gives_up_turn(int& waiting);
  // The number of the first row of the input that has had no slot.
  int64_t position() { return ahead_.empty() ? outer_.input().position() : ahead_.front().ordinal; }
  PullResult pull_slot(Context& ctx, const Demand& demand);
  PullResult fill_slot(Context& ctx);
  // Once nothing more is opened, only open slots take turns.
  int64_t slot_after(int64_t index) {
    if (outer_ended_) return static_cast<int64_t>(open_.after(static_cast<size_t>(index)));
    return index + 1 < cycle_length_ ? index + 1 : 0;
  }
  void advance() {
    block_index_ = 0;
    cycle_index_ = slot_after(cycle_index_);
  }
  void consume();
  bool has_slot(int64_t index) const {
    return static_cast<size_t>(index) < slots_.size() && slots_[static_cast<size_t>(index)];
  }
  std::unique_ptr<Inner> close_slot() noexcept;
  void end_outer() noexcept {
    open_.begin([this](size_t i) { return has_slot(static_cast<int64_t>(i)); });
    outer_ended_ = true;
  }
  std::unique_ptr<Inner>& slot(int64_t index) {
    // Slots are made as inputs come, so a large cycle_length alone costs nothing.
    if (static_cast<int64_t>(slots_.size()) <= index) {
      open_.add_up_to(static_cast<size_t>(index) + 1);
      slots_.resize(static_cast<size_t>(index) + 1);
    }
    return slots_[static_cast<size_t>(index)];
  }

  InnerSource outer_;
  size_t width_;
  int64_t cycle_length_;
  int64_t block_length_;
  ScatteredRows scattered_;
  std::vector<Turn> turns_;
  // A turn may open what other uses open as well, in the order in which rows are wanted: never one row early.
  const bool one_turn_;
  // Null: no slot runs ahead.
  RefPtr<Credit> credit_;
  // Closes after the slots: the numbers of the last to close stay.
  std::unique_ptr<ShownCredit> shown_;
  // Datasets are opened before their turn.
  bool opens_ahead_ = false;
  // A slot that has nothing yet gives up its turn.
  bool takes_ready_ = false;
  // Whether a dataset that opens now has a Window.
  BriefOpenings openings_;
  bool is_brief_ = false;
  std::list<Waiting> ahead_;
  bool input_ended_ = false;
  int64_t cycle_index_ = 0;
  int64_t block_index_ = 0;
  int64_t open_count_ = 0;
  bool outer_ended_ = false;
  std::vector<std::unique_ptr<Inner>> slots_;
  OpenPlaces open_;  // among the slots, once nothing more is opened
  // The numbers of the rows that the open slots were opened for.
  std::set<int64_t> open_rows_;
  Block part_;
  // Rows of the current block, and whether a turn is being taken for more.
  int rows_in_call_ = 0;
  bool in_turn_ = false;
  YieldTimer yield_timer_;
  // A loaded position, until resume has opened its slots, the first of them last.
  std::vector<Slot> saved_slots_;
  int64_t saved_position_ = 0;
};

// Pulls from the current slot. Answers rows, perhaps none, unless nothing is to be had now.
PullResult Interleave::take_turn(Context& ctx, const Demand& demand, int& waiting) {
  for (;;) {
    in_turn_ = true;
    const PullResult got = pull_slot(ctx, demand);
    in_turn_ = false;
    if (got == PullResult::pending && credit_) credit_->starved();
    if (got == PullResult::pending && gives_up_turn(waiting)) continue;
    if (got != PullResult::rows) return got;
    waiting = 0;
    if (part_.rows > 0) {
      rows_in_call_ += part_.rows;
      yield_timer_.reset();
    } else if (rows_in_call_ == 0 && yield_timer_.should_yield(ctx, 1)) {
      return PullResult::pending;
    }
    return PullResult::rows;
  }
}

// One turn after the other.
Step Interleave::append_turns(Context& ctx, const Demand& demand, Block& out) {
  out.reset(0);
  int waiting = 0;
  Demand part = demand;
  while (out.rows == 0 || (out.rows < demand.rows && part.bytes > 0)) {
    part.rows = demand.rows - out.rows;
    const PullResult got = take_turn(ctx, part, waiting);
    if (got != PullResult::rows) return out.rows > 0 ? PullResult::rows : got;
    if (part_.rows == 0) continue;
    part.bytes -= part_.byte_size();
    out.append(part_, 0, part_.rows);
    if (one_turn_) break;
  }
  return PullResult::rows;
}

// The same where the place of each row is known before it comes: several turns of a slot are one pull as far
// as their rows are assured.
Step Interleave::place_turns(Context& ctx, const Demand& demand) {
  int waiting = 0;
  while (rows_in_call_ < demand.rows) {
    Demand rest = demand;
    rest.rows = demand.rows - rows_in_call_;
    const int place = rows_in_call_;
    PullResult got = place_assured(ctx, rest);
    if (got == PullResult::cancelled) return got;
    if (got == PullResult::rows) {
      waiting = 0;
      yield_timer_.reset();
      continue;
    }
    got = take_turn(ctx, rest, waiting);
    if (got != PullResult::rows && place == 0) return got;
    if (got != PullResult::rows) break;
    if (part_.rows == 0) continue;
    scattered_.put(part_, {.first = place, .left = part_.rows, .run = part_.rows});
  }
  scattered_.finish(rows_in_call_);
  return PullResult::rows;
}

// Lists the slots that take the next turns, in their order, up to one whose rows are not assured. Returns
// true if all of them are listed, so that the first one comes again after the last.
bool Interleave::list_turns(int64_t wanted) {
  turns_.clear();
  if (!has_slot(cycle_index_)) return false;
  int64_t rows = -block_index_;
  int64_t index = cycle_index_;
  do {
    if (has_slot(index)) {
      const int64_t first = turns_.empty() ? block_index_ : 0;
      const int64_t assured = slots_[static_cast<size_t>(index)]->assured();
      if (assured < std::min(block_length_ - first, wanted - rows - first)) return false;
      turns_.push_back({index, assured});
      rows += block_length_;
      if (rows >= wanted) return false;
    } else if (!outer_ended_) {
      return false;
    }
    index = slot_after(index);
  } while (index != cycle_index_);
  return true;
}

// Places as many of the next rows as are assured, with one pull for each slot. Answers end if a turn must be
// taken instead.
PullResult Interleave::place_assured(Context& ctx, const Demand& demand) {
  const bool round_again = list_turns(demand.rows);
  // Of a longer block no call gives more than a part, and places in several rounds would not fit an int.
  if (turns_.size() < 2 || block_length_ > kMaxBlockRows) return PullResult::end;
  const int64_t round = static_cast<int64_t>(turns_.size()) * block_length_;
  const int64_t wanted = std::min<int64_t>(demand.rows, round_again ? demand.rows : round - block_index_);
  const int64_t rows = round_again ? assured_rows(turns_, block_length_, block_index_, wanted) : wanted;
  if (rows <= block_length_ - block_index_) return PullResult::end;
  const int64_t end = block_index_ + rows;
  const int64_t whole_rounds = end / round * block_length_;
  int64_t in_last = end % round;
  for (size_t i = 0; i < turns_.size(); ++i, in_last -= block_length_) {
    const int64_t given = whole_rounds + std::clamp<int64_t>(in_last, 0, block_length_);
    const PullResult got = place_slot(ctx, i, given - (i == 0 ? block_index_ : 0), round, demand);
    if (got != PullResult::rows) return got;
  }
  rows_in_call_ += static_cast<int>(rows);
  // The position after the last row, as if its turn had been taken alone.
  cycle_index_ = turns_[static_cast<size_t>((end - 1) % round / block_length_)].slot;
  block_index_ = (end - 1) % block_length_ + 1;
  if (block_index_ == block_length_) advance();
  return PullResult::rows;
}

// Pulls `rows` rows of a listed slot to their places; `round` rows are between those of two rounds.
PullResult Interleave::place_slot(Context& ctx, size_t turn, int64_t rows, int64_t round,
                                  const Demand& demand) {
  Inner& inner = *slots_[static_cast<size_t>(turns_[turn].slot)];
  // Where in its turn the next row is, and the place of that turn.
  int64_t in_turn = turn == 0 ? block_index_ : 0;
  int64_t place = rows_in_call_ - block_index_ + static_cast<int64_t>(turn) * block_length_;
  while (rows > 0) {
    part_.rows = 0;
    const PullResult got = inner.next(ctx, demand.at_most(rows), part_);
    if (got == PullResult::cancelled) return got;
    if (got != PullResult::rows) throw std::logic_error("a dataset has fewer elements than it had assured");
    scattered_.put(part_, {.first = static_cast<int>(place + in_turn),
                           .left = static_cast<int>(block_length_ - in_turn),
                           .run = static_cast<int>(block_length_),
                           .gap = static_cast<int>(round - block_length_)});
    rows -= part_.rows;
    if (rows == 0) break;
    in_turn += part_.rows;
    place += in_turn / block_length_ * round;
    in_turn %= block_length_;
  }
  return PullResult::rows;
}

// Puts rows of the current slot, or an error, into part_; possibly none if a slot was opened, closed or
// skipped.
PullResult Interleave::pull_slot(Context& ctx, const Demand& demand) {
  part_.reset(part_.columns.size());
  if (outer_ended_ && open_count_ == 0) return PullResult::end;
  if (!has_slot(cycle_index_)) {
    if (!outer_ended_) return fill_slot(ctx);
    advance();
    return PullResult::rows;
  }
  PullResult got = slot(cycle_index_)->next(ctx, demand.at_most(block_length_ - block_index_), part_);
  if (got == PullResult::rows) {
    block_index_ += counted_rows(part_);
    if (block_index_ == block_length_) advance();
    return got;
  }
  part_.rows = 0;
  if (got != PullResult::end) return got;
  outer_.recycle(close_slot());
  return PullResult::rows;
}

std::unique_ptr<Inner> Interleave::close_slot() noexcept {
  std::unique_ptr<Inner> closed = std::move(slot(cycle_index_));
  open_.close(static_cast<size_t>(cycle_index_));
  open_rows_.erase(closed->ordinal());
  --open_count_;
  consume();
  advance();
  return closed;
}

// Loses the rows gathered for the block and, if a turn was being taken, the rest of that slot's dataset or
// the row for which one was being opened.
int64_t Interleave::lose(const ErrorPtr&) noexcept {
  if (!in_turn_) return std::max(rows_in_call_, 1);
  in_turn_ = false;
  if (has_slot(cycle_index_))
    close_slot();
  else
    consume();
  return rows_in_call_ + 1;
}

// Opens what may be opened before its turn. Answers rows if there is nothing more to open now, or no memory
// for it.
PullResult Interleave::open_ahead(Context& ctx) noexcept {
  while (ahead_.size() < most_ahead()) {
    if (input_ended_ || outer_ended_) return PullResult::end;
    const int64_t ordinal = outer_.input().position();
    std::list<Waiting> next;
    try {
      next.emplace_back();
      Step step = open_next(ctx, next.back().inner);
      if (!step.error() && step.answer() != PullResult::rows) {
        input_ended_ = step.answer() == PullResult::end;
        if (step.answer() == PullResult::pending) credit_->hungry();
        return step.answer();
      }
      next.back().error = step.error();
    } catch (...) {
      if (outer_.input().position() == ordinal) return PullResult::rows;
      // The row that was taken is lost in its own place.
      next.back().error = error_of_exception();
    }
    next.back().ordinal = ordinal;
    next.back().origin = outer_.origin();
    ahead_.splice(ahead_.end(), next);
  }
  return PullResult::rows;
}

// Opens the dataset of the next row of the input.
Step Interleave::open_next(Context& ctx, std::unique_ptr<Inner>& out) {
  if (!credit_) return outer_.open_next(ctx, out);
  is_brief_ = openings_.brief() && ctx.session.scheduler->alone();
  Step opened = outer_.open_next(ctx, out, !is_brief_);
  if (out) openings_.opened(*ctx.runtime().clock, cycle_length_);
  if (out && !is_brief_) out->warm_start();
  return opened;
}

// The next dataset: the first of those that were opened ahead, if any may be.
Step Interleave::take_next(Context& ctx, std::unique_ptr<Inner>& out, Origin& origin) {
  const PullResult answer = open_ahead(ctx);
  if (ahead_.empty()) {
    if (opens_ahead_ && answer != PullResult::rows) return answer;
    Step opened = open_next(ctx, out);
    origin = outer_.origin();
    return opened;
  }
  Waiting next = std::move(ahead_.front());
  ahead_.pop_front();
  out = std::move(next.inner);
  origin = next.origin;
  if (next.error) return next.error;
  return PullResult::rows;
}

// Moves on from a slot that has nothing yet. Returns false if that is asked too much of the order, or all
// were asked.
bool Interleave::gives_up_turn(int& waiting) {
  if (!takes_ready_ || waiting > static_cast<int>(slots_.size())) return false;
  ++waiting;
  advance();
  return true;
}

PullResult Interleave::fill_slot(Context& ctx) {
  std::unique_ptr<Inner> inner;
  Origin origin;
  Step opened = take_next(ctx, inner, origin);
  if (opened.error()) {
    part_.set_error(opened.error(), width_);
    part_.origins.clear();
    part_.origins.add(0, origin);
    consume();
    return PullResult::rows;
  }
  if (opened.answer() == PullResult::rows) {
    std::unique_ptr<Inner>& target = slot(cycle_index_);
    open_rows_.insert(open_rows_.end(), inner->ordinal());
    target = std::move(inner);
    ++open_count_;
  }
  if (opened.answer() == PullResult::end) end_outer();
  return outer_ended_ ? PullResult::rows : opened.answer();
}

// The oldest row needed is the oldest with an open slot.
void Interleave::consume() {
  outer_.input().consume_to(open_rows_.empty() ? position() : *open_rows_.begin());
}

void Interleave::state(Archive& archive) {
  outer_.input().state(archive);
  int64_t position = this->position();
  archive("position", position, 0, kMostCounted);
  archive("ended", outer_ended_);
  archive("cycle_index", cycle_index_, 0, cycle_length_ - 1);
  archive("block_index", block_index_, 0, block_length_ - 1);
  archive("open", open_count_, 0, cycle_length_);
  saved_position_ = position;
  saved_slots_.clear();
  if (archive.loading()) {
    ahead_.clear();
    input_ended_ = false;
  }
  size_t next_slot = 0;
  for (int64_t i = 0; i < open_count_ && archive.status().ok(); ++i) {
    Slot saved;
    if (!archive.loading()) {
      while (!slots_[next_slot]) ++next_slot;
      saved = {static_cast<int64_t>(next_slot), slots_[next_slot]->ordinal(),
               slots_[next_slot]->save(archive.holding())};
      ++next_slot;
    }
    archive("slot", saved.index, 0, cycle_length_ - 1);
    archive("ordinal", saved.ordinal, 0, position);
    saved.saved.state(archive);
    if (archive.loading()) saved_slots_.push_back(std::move(saved));
  }
  std::ranges::sort(saved_slots_, std::greater(), &Slot::ordinal);
}

Step Interleave::resume(Context& ctx) {
  while (!saved_slots_.empty() || outer_.input().position() < saved_position_) {
    PullResult got = outer_.input().fill(ctx, Demand{});
    if (got != PullResult::rows) return got;
    int64_t ordinal = outer_.input().position();
    if (saved_slots_.empty() || saved_slots_.back().ordinal != ordinal) {
      if (ErrorPtr lost = outer_.input().lost()) return lost;
      outer_.input().take(1);
      continue;
    }
    const Slot& wanted = saved_slots_.back();
    std::unique_ptr<Inner>& target = slot(wanted.index);
    if (target || ordinal >= saved_position_)
      return data_loss("the slots of an interleave contradict each other");
    open_rows_.insert(ordinal);
    Step opened = outer_.open_again(ctx, target, wanted.saved);
    if (opened.error() || opened.answer() != PullResult::rows) return opened;
    saved_slots_.pop_back();
  }
  if (outer_ended_) end_outer();
  return PullResult::rows;
}

Result<Spec> spec(const Params& params, std::span<const DatasetRef>) {
  int64_t cycle = params.cycle_length.value_or(kAutoCycle);
  bool known = params.num_parallel_calls.is_constant() && !params.cycle_length.expression;
  if (known && *params.num_parallel_calls > cycle) {
    return invalid_argument(
        expected_found(concat("num_parallel_calls of at most cycle_length, which is ", cycle),
                       concat(*params.num_parallel_calls)));
  }
  return function_of(params.f).result().children[0];
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Interleave>({
      .name = "interleave",
      .page =
          {.doc =
               "Maps each element to a dataset and interleaves their elements. `cycle_length` of these datasets are open at a time, and each yields `block_length` elements per turn. With `num_parallel_calls`, the open ones and the next ones run ahead on other threads; the order stays the same unless `deterministic` is false.",
           .cost = "Opens one dataset per input element, and copies each element once.",
           .tf_names = "map_func=f",
           .example = "range(2) | interleave(x -> from_tensors(x) | repeat(3), cycle_length: 2)",
           .output = "0\n1\n0\n1\n0\n1",
           .bench = "range(5000) | interleave(x -> range(100), cycle_length: 8, block_length: 16)"},
      .typing = {.spec = spec_of<Params, spec>,
                 .cardinality = cardinality_of_inners,
                 .columns = Columns::inner},
      .position = {.keeps_rows = true,
                   .kept =
                       [](const ParamsBase& base) {
                         const IntParam& cycle = static_cast<const Params&>(base).cycle_length;
                         const int64_t rows = cycle.expression ? kUnknown : cycle.value_or(kAutoCycle);
                         return Kept{rows, rows};
                       },
                   .not_replayable = [](const ParamsBase& base) -> const char* {
                     return unordered(static_cast<const Params&>(base))
                                ? "gives its elements in any order (deterministic: false)"
                                : nullptr;
                   }},
      .ahead = {
          .limits = [](const ParamsBase& base, std::span<const DatasetRef>) -> std::optional<RunsAhead> {
            const auto& params = static_cast<const Params&>(base);
            if (sequential(params)) return std::nullopt;
            return slot_ahead(params);
          },
          .set_order =
              [](ParamsBase& base, bool deterministic) {
                auto& params = static_cast<Params&>(base);
                if (sequential(params) || params.deterministic.state != BoolParam::State::none) return false;
                params.deterministic = deterministic;
                return !deterministic;
              }},
  });
  return def;
}

}  // namespace interleave_op
}  // namespace weir
