// shuffle(buffer_size, seed, reshuffle_each_iteration): the elements in random order, each drawn from a
// buffer of buffer_size elements that the next one of the input fills up again; the same order as tf.data's
// for the same seed. Errors pass at once. Checkpoint: the seeds, how many draws were made, and the input's
// position at the oldest element in the buffer; restoring reads the input again from there, about
// shuffle_reread_rows(buffer_size) rows.
#include <algorithm>
#include <deque>
#include <memory>
#include <numeric>

#include "core/philox.h"
#include "core/rowstore.h"
#include "dataset/operator.h"
#include "dataset/patience.h"
#include "ops/shuffle_order.h"

namespace weir {
namespace {

struct Params : ParamsOf<Params> {
  IntParam buffer_size;
  SeedParam seed;
  BoolParam reshuffle_each_iteration{true};
  void fields(Fields& f) override {
    f("buffer_size", buffer_size, "How many elements wait to be drawn from; larger mixes better.",
      at_least(1));
    f("seed", seed, "Fixes the order: n, or the pair (a, b); none draws a seed when the dataset is built.");
    f("reshuffle_each_iteration", reshuffle_each_iteration, "Each epoch has an order of its own.");
  }
};

// Steps of a rewind between two looks at the clock.
constexpr int kRewindSteps = 16 * 1024;
// Gaps between needed rows that are worth a pull of their own, which drops them.
constexpr int64_t kDroppedGap = 16;

// Which rows of the input the buffer still needs, by runs of 2^bits elements.
class LiveRuns {
 public:
  explicit LiveRuns(int64_t capacity) {
    while (bits_ < 12 && (int64_t{64} << bits_) < capacity) ++bits_;
  }
  // Elements from `element` on stand at `ordinal` and the following ones.
  void begin(int64_t element, int64_t ordinal, int64_t count) {
    if (runs_.empty() && count > 0) {
      first_ = element >> bits_;
      runs_.push_back({element, ordinal, 0});
    }
    for (int64_t run = first_ + static_cast<int64_t>(runs_.size()); run << bits_ < element + count; ++run) {
      runs_.push_back({run << bits_, ordinal + (run << bits_) - element, 0});
    }
  }
  void add(int64_t element) { ++runs_[static_cast<size_t>((element >> bits_) - first_)].live; }
  void remove(int64_t element) { --runs_[static_cast<size_t>((element >> bits_) - first_)].live; }
  void drop_dead() {
    for (; runs_.size() > 1 && runs_.front().live == 0; ++first_) runs_.pop_front();
  }
  int64_t oldest_element() const { return runs_.empty() ? 0 : runs_.front().element; }
  int64_t oldest_ordinal() const { return runs_.empty() ? 0 : runs_.front().ordinal; }

 private:
  struct Run {
    int64_t element;
    int64_t ordinal;
    int64_t live;
  };
  int bits_ = 0;
  int64_t first_ = 0;
  std::deque<Run> runs_;
};

// What a restored cursor has to do before its first row.
struct Refill {
  ShuffleRewind rewind;
  bool rewound = false;
  // Rows and elements that the saved cursor had taken.
  int64_t rows;
  int64_t values;
  // The next of the rewind's elements to be read.
  int64_t next = 0;
};

class Shuffle final : public Cursor {
 public:
  Shuffle(Opening& opening, const Params& params)
      : input_(opening, 0, Port::Mode::keep, Port::Opens::at_first_pull),
        store_(opening.node.components()),
        components_(opening.node.components().size()),
        capacity_(*params.buffer_size),
        live_(capacity_) {
    const Opened opened = count_opening(opening.ctx, opening.node);
    epoch_ = opened.number;
    seeds_ = {static_cast<uint64_t>(params.seed.first), static_cast<uint64_t>(params.seed.second)};
    if (params.seed.site) seeds_ = opening.ctx.session.seed(*params.seed.site);
    // An order that nobody fixed, or that no epoch of the iterator counts, is the call's own.
    const bool drawn = params.seed.site && params.seed.site->origin == SeedSite::Origin::drawn;
    const bool borrowed = opened.borrowed && *params.reshuffle_each_iteration;
    if (opened.scope_key != 0 && (drawn || borrowed)) {
      seeds_ = {derive_key(opened.scope_key, seeds_.first), derive_key(opened.scope_key, seeds_.second)};
    }
    if (*params.reshuffle_each_iteration) seeds_ = epoch_seeds(seeds_, epoch_);
    order_ = ShuffleDraws(seeds_.first, seeds_.second);
  }

  Step next(Context& ctx, const Want& want, Block& out) override {
    while (true) {
      if (!ended_ && input_.buffered() == 0) {
        Pull got = input_.fill(ctx, pull_width(want));
        if (got == Pull::end) {
          ended_ = true;
        } else if (got != Pull::rows) {
          return got;
        }
      }
      const int64_t before = input_.position();
      const int given = advance(want.rows);
      live_.drop_dead();
      input_.consume_to(live_.oldest_ordinal());
      if (given > 0) {
        patience_.reset();
        give(given, want.drop, out);
        return Pull::rows;
      }
      if (ended_) return Pull::end;
      if (patience_.exhausted(ctx, static_cast<int>(input_.position() - before))) return Pull::pending;
    }
  }

  void state(Archive& archive) override {
    int64_t rows = input_.position();
    int64_t oldest = live_.oldest_element();
    archive("epoch", epoch_);
    archive("seed", seeds_.first);
    archive("seed2", seeds_.second);
    archive("draws", draws_, 0, INT64_MAX);
    archive("values", values_, draws_, INT64_MAX);
    archive("rows", rows, values_, INT64_MAX);
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

  Step resume(Context& ctx) override {
    Refill& refill = *refill_;
    while (!refill.rewound) {
      refill.rewound = refill.rewind.run(kRewindSteps);
      if (!refill.rewound && patience_.exhausted(ctx, kRewindSteps)) return Pull::pending;
    }
    while (input_.position() < refill.rows) {
      Pull got = input_.pull(ctx, refill_width(), block_);
      if (got == Pull::end) return misfit();
      if (got != Pull::rows) return got;
      Status status = take_again();
      if (!status.ok()) return status;
      if (patience_.exhausted(ctx, block_.rows)) return Pull::pending;
    }
    const bool complete = values_ == refill.values && refill.next == refill.rewind.size();
    if (!complete) return misfit();
    front_ = draws_ % capacity_;
    back_ = values_ % capacity_;
    refill_.reset();
    return Pull::rows;
  }

 private:
  int64_t held() const { return values_ - draws_; }

  // Filling, as wide as the house allows; then a row of the input for each row wanted.
  Want pull_width(const Want& want) const {
    Want pull;
    const int64_t filling = capacity_ - held() - 1;
    pull.rows = filling > 0 ? static_cast<int>(std::min<int64_t>(filling, kMaxBlockRows)) : want.rows;
    if (filling == 0) pull.bytes = want.bytes;
    return pull;
  }

  // Takes buffered rows and draws until `limit` rows are lifted or the input has to be pulled.
  int advance(int limit) {
    int given = 0;
    errors_.clear();
    store_.begin_lift(limit);
    while (given < limit && input_.buffered() > 0) {
      const int run = values_ahead();
      if (run == 0) {
        fail_row(given++, *input_.block().error_of(input_.begin()));
        input_.take(1);
        continue;
      }
      const int64_t filling = capacity_ - held() - 1;
      const int taken = static_cast<int>(std::min<int64_t>(run, filling > 0 ? filling : limit - given));
      Status status = stage(taken);
      if (!status.ok()) {
        fail_row(given++, status.pointer());
      } else if (filling > 0) {
        for (int i = 0; i < taken; ++i) put(i);
      } else {
        // Each of the draws finds a full buffer.
        choose(taken, capacity_, 0);
        for (int i = 0; i < taken; ++i) {
          put(i);
          draw(i, given++);
        }
      }
      input_.take(taken);
    }
    if (ended_ && given < limit) {
      const int draws = static_cast<int>(std::min<int64_t>(limit - given, held()));
      choose(draws, held(), 1);
      for (int i = 0; i < draws; ++i) draw(i, given++);
    }
    return given;
  }

  // Buffered elements before the next buffered error.
  int values_ahead() const {
    const std::vector<RowError>& errors = input_.block().errors;
    auto next = std::find_if(errors.begin(), errors.end(),
                             [this](const RowError& error) { return error.row >= input_.begin(); });
    return next == errors.end() ? input_.buffered() : next->row - input_.begin();
  }

  Status stage(int count) {
    rows_.resize(static_cast<size_t>(count));
    std::iota(rows_.begin(), rows_.end(), input_.begin());
    WEIR_TRY(store_.stage(input_.block(), rows_));
    live_.begin(values_, input_.position(), count);
    return Status();
  }

  void put(int staged) {
    store_.place(staged, back_, values_);
    live_.add(values_++);
    if (++back_ == capacity_) back_ = 0;
  }

  // Chooses the slots of the next draws ahead of time, so that memory is on its way when they are made.
  // `shrinks` is how many elements fewer each next draw finds.
  void choose(int count, int64_t found, int64_t shrinks) {
    chosen_.resize(static_cast<size_t>(count));
    int64_t front = front_;
    for (int i = 0; i < count; ++i, found -= shrinks) {
      const int64_t offset = order_.offset(draws_ + i, found);
      const int64_t slot = offset < capacity_ - front ? front + offset : front + offset - capacity_;
      chosen_[static_cast<size_t>(i)] = slot;
      store_.prefetch(slot);
      if (++front == capacity_) front = 0;
    }
  }

  // Lifts the element of a chosen slot, and moves the front's into the hole.
  void draw(int chosen, int lifted) {
    const int64_t slot = chosen_[static_cast<size_t>(chosen)];
    live_.remove(store_.tag(slot));
    store_.lift(slot, lifted);
    if (slot != front_) store_.move(front_, slot);
    ++draws_;
    if (++front_ == capacity_) front_ = 0;
  }

  void fail_row(int lifted, ErrorPtr error) {
    store_.lift_nothing(lifted);
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
  }

  // Drops rows where none is needed for a while, else reads up to the next such gap.
  Want refill_width() const {
    const Refill& refill = *refill_;
    Want pull;
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

  // Puts those rows of block_ back that the buffer held.
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
        // Only a damaged state asks for an element that has gone by.
        if (ahead < 0) return misfit();
        rows_.push_back(row + static_cast<int32_t>(ahead));
      }
      if (!rows_.empty()) WEIR_TRY(store_.stage(block_, rows_));
      for (size_t i = 0; i < rows_.size(); ++i) {
        const ShuffleRewind::Held held = refill.rewind[first + static_cast<int64_t>(i)];
        store_.place(static_cast<int>(i), held.slot, held.element);
        live_.add(held.element);
      }
      values_ += end - row;
      row = end + 1;
      ++error;
    }
    return Status();
  }

  static Status misfit() {
    return data_loss(
        "the input of shuffle gave other rows than when the checkpoint was written; restore it with the data "
        "that it "
        "was written with");
  }

  Port input_;
  RowStore store_;
  const size_t components_;
  const int64_t capacity_;
  LiveRuns live_;
  uint64_t epoch_;
  SeedSite::Pair seeds_;
  ShuffleDraws order_;
  // Elements put into the buffer and drawn from it, and the slots that come next.
  int64_t values_ = 0;
  int64_t draws_ = 0;
  int64_t back_ = 0;
  int64_t front_ = 0;
  bool ended_ = false;
  Patience patience_;
  std::unique_ptr<Refill> refill_;

  // Scratch of one call.
  std::vector<int32_t> rows_;
  std::vector<int64_t> chosen_;
  std::vector<RowError> errors_;
  Block block_;
};

}  // namespace

const OperatorDef& shuffle_operator() {
  static const OperatorDef def = define<Params, Shuffle>({
      .name = "shuffle",
      .doc =
          "The elements in random order, each drawn from a buffer of `buffer_size` elements that is filled "
          "before "
          "the first one comes; the order of tf.data for the same seed. Errors pass at once. Cost: some ten "
          "nanoseconds an element; restoring reads about buffer_size * (ln(buffer_size) + 0.6) elements "
          "again, "
          "8 times the buffer at a thousand and 14 times at a million.",
      .spec = same_spec,
      .cardinality = same_cardinality,
      .counts_openings = true,
  });
  return def;
}

}  // namespace weir
