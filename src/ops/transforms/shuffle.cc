// shuffle(buffer_size, seed, reshuffle_each_iteration): the elements in random order, each drawn from a
// buffer of buffer_size elements (-2: of all) that the input refills; the same order as tf.data's for the
// same seed. Errors pass at once. Checkpoint: the seeds, how many draws were made, and the input's position
// at the oldest element in the buffer; restoring rereads the input from there, about
// shuffle_reread_rows(buffer_size) rows. An element that memory runs out for is drawn like any other, and is
// an error then, so that the order of the others is kept and a restored shuffle has it, too. Where the input
// cannot be read again, a position has the buffer's elements by value.
#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "core/checked.h"
#include "core/exception.h"
#include "dataset/yield_timer.h"
#include "ops/list.h"
#include "ops/shuffling/opening_seeds.h"
#include "ops/shuffling/shuffle_slots.h"

namespace weir {
void ShuffleParams::fields(Fields& f) {
  f("buffer_size", buffer_size,
    "How many elements to draw from; a larger buffer mixes better. -2: the whole input, which then must end.",
    at_least_or(1, kUnknown));
  f("seed", seed, "Fixes the order: n, or the pair (a, b); none draws a seed when the dataset is built.");
  f("reshuffle_each_iteration", reshuffle_each_iteration, "Use another order in each epoch.");
}
namespace shuffle_op {
namespace {

using Params = ShuffleParams;

// Steps of a rewind between two checks of the clock.
constexpr int kRewindSteps = 16 * 1024;
// What is pulled at once to fill the buffer: its rows are copied while they are still in the cache.
constexpr int64_t kFillBytes = 256 * 1024;
// Stands for a buffer that holds all elements, whose slots are never used twice.
constexpr int64_t kWhole = int64_t{1} << 62;

// Gaps between needed rows that are worth a separate pull, which drops them.
constexpr int64_t kDroppedGap = 16;

// What a restored cursor has to do before its first row.
struct Refill {
  ShuffleRewind rewind;
  bool rewound = false;
  // Rows and elements that the saved cursor had taken.
  int64_t rows;
  int64_t values;
  // The index of the next of the rewind's elements to be read.
  int64_t next = 0;
};

// How often to ask for memory where there is none: an answer costs more than an element. After a few refusals
// in a row it is asked for every so many elements, which pass without.
class Refusals {
 public:
  // The next element passes without memory.
  bool passes_over() { return left_ > 0 && left_-- > 0; }
  void asked(bool granted) {
    in_a_row_ = granted ? 0 : in_a_row_ + 1;
    if (in_a_row_ > kAlwaysAsked) left_ = int64_t{1} << std::min(in_a_row_ - kAlwaysAsked, kMostBits);
  }

 private:
  static constexpr int kAlwaysAsked = 16;
  static constexpr int kMostBits = 14;
  int in_a_row_ = 0;
  int64_t left_ = 0;
};

class Shuffle final : public RowKeeper, private ShuffleSlots {
 public:
  Shuffle(Opening& opening, const Params& params)
      : ShuffleSlots(opening.node->components(),
                     *params.buffer_size == kUnknown ? kWhole : *params.buffer_size),
        input_(opening, 0, Port::Mode::keep, Port::Opens::at_first_pull),
        spec_(opening.node->spec()),
        by_value_(opening.ctx.session.holds_rows() && !opening.node->inputs()[0]->not_replayable().empty() &&
                  !spec_.has_dataset()),
        held_(opening.ctx.runtime().budget),
        components_(opening.node->components().size()) {
    const OpeningSeeds opened = seeds_of(opening, params.seed, *params.reshuffle_each_iteration, true);
    epoch_ = opened.number;
    seeds_ = opened.seeds;
    order_ = ShuffleDraws(seeds_.first, seeds_.second);
    make_ready(1);
  }

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    while (true) {
      if (!ended_ && input_.buffered() == 0) {
        PullResult got = input_.fill(ctx, pull_width(demand));
        if (got == PullResult::end) {
          ended_ = true;
        } else if (got != PullResult::rows) {
          return got;
        }
      }
      const int64_t before = input_.position();
      const int given = advance(demand.rows);
      live_.drop_dead();
      input_.consume_to(by_value_ ? input_.position() : live_.oldest_ordinal());
      if (given > 0) {
        yield_timer_.reset();
        rows_in_hand_ = given;
        give(given, demand.drop, out);
        rows_in_hand_ = 0;
        return PullResult::rows;
      }
      if (ended_) return PullResult::end;
      if (yield_timer_.should_yield(ctx, static_cast<int>(input_.position() - before)))
        return PullResult::pending;
    }
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    const int lost = std::exchange(rows_in_hand_, 0);
    store_.discard(lost);
    return std::max(lost, 1);
  }

  void state(Archive& archive) override {
    int64_t rows = input_.position();
    int64_t oldest = by_value_ ? values_ : live_.oldest_element();
    archive("epoch", epoch_);
    archive("seed", seeds_.first);
    archive("seed2", seeds_.second);
    archive("draws", draws_, 0, kMostCounted);
    archive("values", values_, draws_, kMostCounted);
    archive("rows", rows, values_, kMostCounted);
    archive("oldest", oldest, 0, values_);
    input_.state(archive);
    if (!archive.loading() || !archive.status().ok()) return;
    if (values_ - draws_ > capacity_)
      return archive.fail("a shuffle holds more elements than its buffer_size");
    if (input_.position() > rows) return archive.fail("a shuffle stands before the oldest row that it holds");
    order_ = ShuffleDraws(seeds_.first, seeds_.second);
    refill_.reset(new Refill{{capacity_, draws_, values_, order_}, false, rows, values_});
    values_ = oldest;
  }

  // The buffered elements by value, from the front slot on.
  void hold(HeldRows& rows) override {
    std::vector<int64_t> slots;
    for (int64_t i = 0; by_value_ && i < held(); ++i) {
      const int64_t slot = (front_ + i) % capacity_;
      const bool has_value = tag(slot) >= 0;
      if (has_value) slots.push_back(slot);
      if (!slots.empty() && (!has_value || slots.size() == kMaxBlockRows || i + 1 == held())) {
        Block block;
        store_.copy(slots, block);
        rows.add(std::move(block));
        slots.clear();
      }
      if (!has_value) {
        Block block;
        block.set_error(lack_, components_);
        rows.add(std::move(block));
      }
    }
  }

  Status take_back(HeldRows rows) override {
    if (rows.rows() != refill_->values - draws_)
      return data_loss("a shuffle has not as many elements in its buffer as it counts");
    buffer_ = std::make_unique<HeldRows>(std::move(rows));
    by_value_ = true;
    values_ = draws_;
    // Where the ring begins does not matter to the draws.
    front_ = back_ = 0;
    return Status();
  }

  Step resume(Context& ctx) override {
    if (buffer_) return refill_by_value(ctx);
    Refill& refill = *refill_;
    while (!refill.rewound) {
      refill.rewound = refill.rewind.run(kRewindSteps);
      if (!refill.rewound && yield_timer_.should_yield(ctx, kRewindSteps)) return PullResult::pending;
    }
    while (input_.position() < refill.rows) {
      PullResult got = input_.pull(ctx, refill_width(), block_);
      if (got == PullResult::end) return misfit();
      if (got != PullResult::rows) return got;
      if (ErrorPtr lost = input_.lost(block_)) return lost;
      Status status = take_again();
      if (!status.ok()) return status;
      if (yield_timer_.should_yield(ctx, block_.rows)) return PullResult::pending;
    }
    const bool complete = values_ == refill.values && refill.next == refill.rewind.size();
    if (!complete) return misfit();
    front_ = draws_ % capacity_;
    back_ = values_ % capacity_;
    refill_.reset();
    return PullResult::rows;
  }

 private:
  // While filling, as wide as allowed; then a row of the input for each row wanted.
  Demand pull_width(const Demand& demand) const {
    Demand pull;
    const int64_t filling = capacity_ - held() - 1;
    pull.rows = filling > 0 ? static_cast<int>(std::min<int64_t>(filling, kMaxBlockRows)) : demand.rows;
    pull.bytes = filling > 0 ? kFillBytes : demand.bytes;
    return pull;
  }

  // Marks an element without a slot.
  static constexpr int64_t kNoElement = INT64_MIN;

  // Makes room for lifting that many rows.
  void make_ready(int rows) {
    chosen_.reserve(static_cast<size_t>(rows));
    store_.begin_lift(rows);
  }

  // How many of the next `count` draws can be made: the errors among them need memory, except the first.
  int drawable(int count) noexcept {
    if (error_slots_ == 0) return count;
    return room_for_errors(count) ? count : room_for_errors(1) ? 1 : 0;
  }
  bool room_for_errors(int count) noexcept try {
    errors_.reserve(errors_.size() + static_cast<size_t>(count));
    return true;
  } catch (...) {
    return false;
  }

  // Takes buffered rows and draws until `limit` rows are lifted, the input has to be pulled, or there is no
  // memory for further errors. Does not throw.
  int advance(int limit) noexcept {
    int given = 0;
    errors_.clear();
    try {
      make_ready(limit);
    } catch (...) {
      // There is always memory for one row.
      limit = 1;
      make_ready(limit);
    }
    while (given < limit && input_.buffered() > 0) {
      int run = values_ahead();
      const ErrorPtr* failed = run == 0 ? input_.block().error_of(input_.begin()) : nullptr;
      if (failed && !is_out_of_memory(**failed)) {
        if (!room_for_errors(1)) break;
        fail_row(given++, *failed);
        input_.take(1);
        continue;
      }
      run = std::max(run, 1);
      const int64_t filling = capacity_ - held() - 1;
      int taken = static_cast<int>(std::min<int64_t>(run, filling > 0 ? filling : limit - given));
      if (filling <= 0) taken = drawable(taken);
      if (taken == 0) break;
      ErrorPtr error;
      const bool tries = !failed && !refusals_.passes_over();
      if (!tries || !stage(taken, error)) {
        if (!tries) stage_nothing();
        taken = 1;
      }
      if (!in_staging_ && !room_for_errors(1)) break;
      if (error) {
        fail_row(given++, std::move(error));
      } else if (filling > 0 && in_staging_) {
        put_many(taken);
      } else if (filling > 0) {
        put(0);
      } else {
        // Each draw finds a full buffer.
        choose(taken, capacity_, 0);
        if (in_staging_ && error_slots_ == 0) [[likely]] {
          exchange(taken, given);
          given += taken;
        } else {
          for (int i = 0; i < taken; ++i) {
            put(i);
            draw(i, given++);
          }
        }
      }
      input_.take(taken);
    }
    if (ended_ && given < limit) {
      const int draws = drawable(static_cast<int>(std::min<int64_t>(limit - given, held())));
      choose(draws, held(), 1);
      if (error_slots_ == 0 && !has_origins_) {
        draw_many(draws, given, false);
        given += draws;
      } else {
        for (int i = 0; i < draws; ++i) draw(i, given++);
      }
    }
    return given;
  }

  // Buffered elements before the next buffered error.
  int values_ahead() const {
    const RowErrors& errors = input_.block().errors;
    const RowError* next = std::find_if(
        errors.begin(), errors.end(), [this](const RowError& error) { return error.row >= input_.begin(); });
    return next == errors.end() ? input_.buffered() : next->row - input_.begin();
  }

  // Makes room for `count` more elements.
  void grow(int count) {
    const int64_t slots = store_.capacity();
    try {
      store_.grow_to(std::min(capacity_, back_ + count));
    } catch (...) {
      tag_slots_from(slots);
      throw;
    }
    tag_slots_from(slots);
  }
  // Elements may have been put without a slot.
  void tag_slots_from(int64_t slots) {
    for (int64_t slot = slots; error_slots_ > 0 && slot < store_.capacity(); ++slot)
      store_.set_tag(slot, kNoElement);
  }

  // Stages the next elements of the input. Returns false if there is no memory; the first of them must then
  // be put without its values. `error` is set if they are not elements of the dataset.
  bool stage(int count, ErrorPtr& error) noexcept {
    in_staging_ = false;
    try {
      if (held_.set(store_.byte_size())) {
        rows_.resize(static_cast<size_t>(count));
        std::iota(rows_.begin(), rows_.end(), input_.begin());
        store_.choose_layout(input_.block());
        grow(count);
        const Status status = store_.stage(input_.block(), rows_);
        stage_origins(input_.block());
        error = status.pointer();
        in_staging_ = status.ok();
      } else {
        lack_ = held_.exceeded().pointer();
        count = 1;
        // A slot without a row is small, and spares the rows that would be moved into it.
        if (!store_.inlined()) grow(count);
      }
    } catch (...) {
      lack_ = out_of_memory();
      count = 1;
    }
    refusals_.asked(in_staging_ || error);
    if (!error) live_.begin(values_, input_.position(), count);
    return in_staging_ || error;
  }

  void stage_origins(const Block& block) noexcept {
    has_origins_ = has_origins_ || !block.origins.empty();
    origins_.stage(block.origins, rows_);
  }

  // The next element has no values.
  void stage_nothing() {
    in_staging_ = false;
    live_.begin(values_, input_.position(), 1);
  }

  void put(int staged) {
    if (in_staging_) return put_staged(staged);
    put_nothing();
    end_put();
  }
  // Puts an element without memory: its slot has only the number, as its complement, or there is no slot at
  // all.
  void put_nothing() {
    ++error_slots_;
    if (back_ < store_.capacity()) {
      store_.set_tag(back_, ~values_);
      live_.add(values_);
    } else {
      live_.keep_all(values_, input_.position());
    }
  }
  int64_t tag(int64_t slot) const { return slot < store_.capacity() ? store_.tag(slot) : kNoElement; }

  // Lifts the element of a chosen slot, and moves the front element into the hole.
  void draw(int chosen, int lifted) {
    if (error_slots_ == 0) return draw_value(chosen, lifted);
    draw_among_failed(chosen_[static_cast<size_t>(chosen)], lifted);
    end_draw();
  }
  void draw_among_failed(int64_t slot, int lifted) {
    const int64_t element = tag(slot);
    if (element >= 0) {
      live_.remove(element);
      store_.lift(slot, lifted);
      origins_.lift(slot, lifted);
    } else {
      --error_slots_;
      if (element != kNoElement) live_.remove(~element);
      fail_row(lifted, lack_);
    }
    if (slot == front_) return;
    if (slot < store_.capacity()) {
      origins_.move(front_, slot);
      if (front_ < store_.capacity())
        store_.move(front_, slot);
      else
        store_.set_tag(slot, kNoElement);
    } else if (tag(front_) >= 0) {
      // It must not go into the hole.
      ++error_slots_;
      store_.forget(front_);
    }
  }

  void fail_row(int lifted, ErrorPtr error) {
    store_.lift_nothing(lifted);
    origins_.lift_nothing(lifted);
    errors_.push_back({lifted, std::move(error)});
  }

  void give(int given, bool drop, Block& out) {
    if (drop) {
      store_.discard(given);
      out.reset(0);
    } else {
      out.reset(components_);
      store_.give(given, out);
    }
    out.rows = given;
    out.errors.swap(errors_);
    origins_.give(out.origins);
  }

  // Drops rows where none is needed for a while, else reads up to the next such gap.
  Demand refill_width() const {
    const Refill& refill = *refill_;
    Demand pull;
    int64_t rows = std::min<int64_t>(kMaxBlockRows, refill.rows - input_.position());
    int64_t i = refill.next;
    const int64_t gap = i < refill.rewind.size() ? refill.rewind[i].element - values_ : INT64_MAX;
    pull.drop = gap >= kDroppedGap;
    if (!pull.drop) {
      int64_t last = values_ + gap;
      while (++i < refill.rewind.size() && last - values_ < rows &&
             refill.rewind[i].element - last < kDroppedGap) {
        last = refill.rewind[i].element;
      }
      rows = std::min(rows, last - values_ + 1);
    }
    pull.rows = static_cast<int>(pull.drop ? std::min(rows, gap) : rows);
    return pull;
  }

  // Puts back the rows of block_ that the buffer held.
  Status take_again() {
    Refill& refill = *refill_;
    const int64_t ordinal = input_.position() - block_.rows;
    for (int row = 0, error = 0; row < block_.rows;) {
      const bool more_errors = error < static_cast<int>(block_.errors.size());
      const int end = more_errors ? block_.errors[static_cast<size_t>(error)].row : block_.rows;
      live_.begin(values_, ordinal + row, end - row);
      rows_.clear();
      const int64_t first = refill.next;
      for (; refill.next < refill.rewind.size(); ++refill.next) {
        const int64_t ahead = refill.rewind[refill.next].element - values_;
        if (ahead >= end - row) break;
        // Only a damaged state asks for an element that has already passed.
        if (ahead < 0) return misfit();
        rows_.push_back(row + static_cast<int32_t>(ahead));
      }
      if (!rows_.empty()) {
        store_.choose_layout(block_);
        WEIR_TRY(store_.stage(block_, rows_));
      }
      stage_origins(block_);
      for (size_t i = 0; i < rows_.size(); ++i) {
        const ShuffleRewind::Held held = refill.rewind[first + static_cast<int64_t>(i)];
        store_.place(static_cast<int>(i), held.slot, held.element);
        origins_.place(static_cast<int>(i), held.slot);
        live_.add(held.element);
      }
      values_ += end - row;
      row = end + 1;
      ++error;
    }
    return Status();
  }

  // Puts the loaded elements back into the buffer.
  Step refill_by_value(Context& ctx) {
    while (!buffer_->empty()) {
      buffer_->take(kMaxBlockRows, block_);
      in_staging_ = block_.errors.empty();
      rows_.resize(static_cast<size_t>(block_.rows));
      std::iota(rows_.begin(), rows_.end(), 0);
      grow(block_.rows);
      if (in_staging_) WEIR_TRY(store_.stage(block_, rows_));
      stage_origins(block_);
      live_.begin(values_, values_, block_.rows);
      for (int i = 0; i < block_.rows; ++i) put(i);
      if (yield_timer_.should_yield(ctx, block_.rows)) return PullResult::pending;
    }
    buffer_.reset();
    refill_.reset();
    return PullResult::rows;
  }

  static Status misfit() {
    return data_loss(
        "the input of shuffle gave other rows than when the checkpoint was written; restore it with the data that it was written with");
  }

  Port input_;
  const Spec& spec_;
  // The buffer's elements cannot be made again, and positions hold them.
  bool by_value_;
  HeldBytes held_;
  // Why elements were last put into the buffer without their values.
  ErrorPtr lack_ = out_of_memory();
  const size_t components_;
  uint64_t epoch_;
  SeedSite::Pair seeds_;
  // Buffered elements without values.
  int64_t error_slots_ = 0;
  // Rows on the store's bench.
  int rows_in_hand_ = 0;
  bool ended_ = false;
  YieldTimer yield_timer_;
  std::unique_ptr<Refill> refill_;
  // The buffer that was loaded by value, until resume() has put it back.
  std::unique_ptr<HeldRows> buffer_;

  // Scratch memory of one call.
  std::vector<int32_t> rows_;
  RowErrors errors_;
  Block block_;
  // stage() has found memory.
  bool in_staging_ = false;
  Refusals refusals_;
};

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Shuffle>({
      .name = "shuffle",
      .page =
          {.doc =
               "Shuffles the elements: each is drawn at random from a buffer of `buffer_size` elements. The buffer is filled first. With -2 it takes the whole input, and an input that is known to be infinite is refused. For the same seed the order is tf.data's. Errors pass at once.",
           .cost =
               "One draw and one copy per element. A checkpoint is small; restoring it reads about buffer_size * (ln(buffer_size) + 0.6) elements again: 8 times the buffer at a thousand, 14 times at a million.",
           .example = "range(5) | shuffle(5, seed: 42)",
           .output = "0\n4\n1\n3\n2",
           .bench = "range(1000000) | shuffle(10000, seed: 1)",
           .elsewhere =
               "shuffle_buffer shuffled buffered_shuffle random_shuffle: shuffle(n)\npermute: shuffle(n), or global_shuffle() where elements have positions"},
      .typing = {.cardinality = same_cardinality, .columns = Columns::passed},
      .position = {
          .counts_openings = always,
          .uses_seed =
              [](const ParamsBase& base) {
                return may_reorder(static_cast<const Params&>(base).buffer_size);
              },
          .opens_late_from = 0,
          .keeps_rows = true,
          .kept =
              [](const ParamsBase& base) {
                const IntParam& size = static_cast<const Params&>(base).buffer_size;
                if (!size.is_constant() || *size == kUnknown)
                  return Kept{kUnknown, kUnknown, size.is_constant()};
                return Kept{*size, static_cast<int64_t>(shuffle_reread_rows(static_cast<double>(*size)))};
              }},
  });
  return def;
}

}  // namespace shuffle_op
}  // namespace weir
