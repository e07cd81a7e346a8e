// repeat(count): the input `count` times, one after the other; for ever if negative. Each epoch opens the
// input anew, so shuffles below draw a new order; after the last epoch it is opened once more, as in tf.data.
// Without a count it ends with the first epoch that gives no element. Checkpoint: the epoch and the position
// in it.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/checked.h"
#include "dataset/access.h"
#include "dataset/operator.h"
#include "dataset/yield_timer.h"
#include "ops/list.h"
#include "ops/repeat_count.h"

namespace weir {
void RepeatParams::fields(Fields& f) { f("count", count, "How many times; negative repeats forever."); }
namespace repeat_op {
namespace {

using Params = RepeatParams;

class Repeat final : public Cursor {
 public:
  Repeat(Opening& opening, const Params& params)
      : key_(opening.key),
        count_(*params.count),
        opens_once_more_(params.opens_once_more),
        input_(opening.ctx, first_epoch(opening), Port::Mode::pass,
               count_ == 0 ? Port::Opens::at_first_pull : Port::Opens::now) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    while (count_ < 0 || epoch_ < count_) {
      PullResult got = input_.pull(ctx, demand, out);
      if (got == PullResult::rows) yield_timer_.reset();
      if (got != PullResult::end) return got;
      if (gives_nothing()) return PullResult::end;
      ++epoch_;
      if (epoch_ == count_ && !(opens_once_more_ && input_.node().may_count_openings()))
        return PullResult::end;
      input_.reopen(ctx, derive_key(key_, static_cast<uint64_t>(epoch_)));
      if (yield_timer_.should_yield(ctx, 1)) return PullResult::pending;
    }
    return PullResult::end;
  }

  void state(Archive& archive) override {
    archive("epoch", epoch_, 0, kMostCounted);
    input_.state(archive);
  }

  Step resume(Context& ctx) override {
    if (epoch_ > 0) input_.restore_under(ctx, derive_key(key_, static_cast<uint64_t>(epoch_)));
    return PullResult::rows;
  }

 private:
  static Instance first_epoch(const Opening& opening) {
    Instance input = opening.input(0);
    input.key = derive_key(opening.key, 0);
    return input;
  }
  // True if no later epoch can give a row either.
  bool gives_nothing() const {
    if (count_ < 0) return input_.values() == 0;
    return input_.position() == 0 && input_.node().cardinality() == 0 && !input_.node().may_count_openings();
  }

  uint64_t key_;
  int64_t count_;
  bool opens_once_more_;
  int64_t epoch_ = 0;
  Port input_;
  YieldTimer yield_timer_;
};

// Each epoch has a key of its own, under which its functions draw, and the counts of openings that follow
// from its number; a few epochs are kept open.
class RepeatAccess final : public Access {
 public:
  RepeatAccess(Opening& opening, const Params& params)
      : key_(opening.key),
        input_(opening.input(0)),
        repeats_(*params.count),
        opens_once_more_(params.opens_once_more && input_.node->may_count_openings()) {}

  Status open(Context& ctx) {
    // One that repeats nothing opens nothing.
    QuietContext quiet(ctx);
    Context& counting = repeats_ == 0 ? *quiet : ctx;
    const BeginCounts begin = counts_for_access(counting, *input_.node);
    begin_ = begin.table;
    EpochScope first(begin_);
    WEIR_TRY(open_epoch(ctx, 0, first));
    opened_ = first.since(begin_);
    const EpochTableRef opened = first.table();
    epochs_[0].access->count_pass(first, kToTheEnd);
    followed_ = first.since(opened);
    counts_ = !begin.replayed && repeats_ != 0;
    if (counts_) counting.epochs->add(opened_);
    const AccessCount each = epochs_[0].access->count();
    each_ = each.positions;
    if (each_ == 0 || repeats_ == 0) return Status();
    // The first epoch has no end, or all of them have none, or are too many.
    const auto all = repeats_ < 0 ? std::nullopt : checked_multiply(each_, repeats_);
    count_ = each.more ? each : AccessCount{all.value_or(AccessCount::kMost), !all};
    return Status();
  }

  AccessCount count() const override { return count_; }
  void count_pass(EpochScope& epochs, int64_t rows) override {
    if (!counts_ || rows <= 0) return;
    const bool ends = !count_.more && rows > count_.positions;
    const int64_t before = ends ? std::max<int64_t>(repeats_, 1) - 1 : (rows - 1) / each_;
    epochs.add(opened_, static_cast<uint64_t>(before));
    epochs.add(followed_, static_cast<uint64_t>(before));
    epochs_[0].access->count_pass(epochs, ends ? kToTheEnd : (rows - 1) % each_ + 1);
    if (ends && repeats_ > 0 && opens_once_more_) epochs.add(opened_);
  }
  void read(Context& ctx, std::span<const int64_t> positions, Block& out) override {
    AccessParts parts;
    // The positions, by epoch.
    std::map<int64_t, std::vector<int>> rows;
    for (size_t i = 0; i < positions.size(); ++i) rows[positions[i] / each_].push_back(static_cast<int>(i));
    for (const auto& [epoch, places] : rows) {
      positions_.clear();
      for (int place : places) {
        positions_.push_back(positions[static_cast<size_t>(place)] % each_);
        parts.expect(place);
      }
      Block part;
      if (const Status opened = reopen_epoch(ctx, epoch); opened.ok()) {
        epochs_[slot_of(epoch)].access->read(ctx, positions_, part);
      } else {
        RowErrors errors;
        for (size_t i = 0; i < places.size(); ++i) errors.push_back({static_cast<int>(i), opened.pointer()});
        part.set_failed(errors, input_.node->components().size());
      }
      parts.add(part);
    }
    parts.finish(out);
  }

 private:
  struct Epoch {
    int64_t number = -1;
    std::unique_ptr<Access> access;
  };
  static constexpr size_t kOpen = 64;

  static size_t slot_of(int64_t epoch) { return static_cast<size_t>(epoch) % kOpen; }
  // With the counts that an iterator has there.
  Status reopen_epoch(Context& ctx, int64_t epoch) {
    if (epochs_[slot_of(epoch)].number == epoch) return Status();
    EpochScope scope(begin_);
    scope.add(opened_, static_cast<uint64_t>(epoch));
    scope.add(followed_, static_cast<uint64_t>(epoch));
    WEIR_TRY(open_epoch(ctx, epoch, scope));
    Epoch& slot = epochs_[slot_of(epoch)];
    const Status same = check_count(*slot.access, each_);
    if (!same.ok()) slot.number = -1;
    return same;
  }
  Status open_epoch(Context& ctx, int64_t epoch, EpochScope& scope) {
    Epoch& slot = epochs_[slot_of(epoch)];
    Openings openings;
    Openings due;
    OpeningLog log{.depth = ctx.epochs->depth(),
                   .openings = openings,
                   .due = due,
                   .outer = ctx.openings,
                   .lists = OpeningLog::Lists::names};
    Context apart = ctx;
    apart.epochs = &scope;
    apart.openings = &log;
    Instance input = input_;
    input.key = derive_key(key_, static_cast<uint64_t>(epoch));
    slot.number = -1;
    WEIR_ASSIGN(slot.access, open_access(apart, std::move(input)));
    slot.number = epoch;
    return Status();
  }

  const uint64_t key_;
  const Instance input_;
  const int64_t repeats_;
  const bool opens_once_more_;
  // The counts before the first epoch; what opening an epoch counts, and what follows to its end.
  EpochTableRef begin_;
  EpochCounts opened_;
  EpochCounts followed_;
  // Openings are counted outside, which those before a restore aren't.
  bool counts_ = false;
  int64_t each_ = 0;
  AccessCount count_;
  std::array<Epoch, kOpen> epochs_;
  std::vector<int64_t> positions_;
};

Result<std::unique_ptr<Access>> access(Opening& opening, const ParamsBase& params) {
  auto out = std::make_unique<RepeatAccess>(opening, static_cast<const Params&>(params));
  WEIR_TRY(out->open(opening.ctx));
  return std::unique_ptr<Access>(std::move(out));
}

int64_t cardinality(const Params& params, std::span<const DatasetRef> inputs) {
  return repeated_count(inputs[0]->cardinality(), *params.count);
}

int64_t epochs(const ParamsBase& base) {
  return std::max<int64_t>(-1, *static_cast<const Params&>(base).count);
}

bool opens_once_more(const ParamsBase& base) { return static_cast<const Params&>(base).opens_once_more; }

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Repeat>({
      .name = "repeat",
      .page =
          {.doc =
               "Repeats the input `count` times, or forever if `count` is negative. An endless repeat ends after an epoch without elements.",
           .cost = "Opens the input once per epoch.",
           .example = "range(2) | repeat(2)",
           .output = "0\n1\n0\n1",
           .bench = "range(1000) | repeat(1000)",
           .elsewhere = "cycle loop: repeat()"},
      .typing = {.cardinality = cardinality_of<Params, cardinality>, .columns = Columns::passed},
      .position = {.epochs = epochs, .opens_once_more = opens_once_more, .passes_positions = true},
      .access = {.open = access},
  });
  return def;
}

}  // namespace repeat_op
}  // namespace weir
