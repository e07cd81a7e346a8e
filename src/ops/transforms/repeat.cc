// repeat(count): the input `count` times, one after the other; for ever if negative. Each epoch opens the input
// anew, so shuffles below draw a new order; after the last epoch it is opened once more, as in tf.data. Without
// a count it ends with the first epoch that gives no element. Checkpoint: the epoch and the position in it.
#include <algorithm>
#include <cstdint>

#include "dataset/operator.h"
#include "dataset/yield_timer.h"
#include "ops/list.h"
#include "ops/repeat_count.h"

namespace weir {

void RepeatParams::fields(Fields& f) { f("count", count, "How many times; negative repeats forever."); }

namespace {

using Params = RepeatParams;

class Repeat final : public Cursor {
 public:
  Repeat(Opening& opening, const Params& params)
      : key_(opening.key),
        count_(*params.count),
        input_(opening.ctx, first_epoch(opening), Port::Mode::pass,
               count_ == 0 ? Port::Opens::at_first_pull : Port::Opens::now) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    while (count_ < 0 || epoch_ < count_) {
      PullResult got = input_.pull(ctx, demand, out);
      if (got == PullResult::rows) yield_timer_.reset();
      if (got != PullResult::end) return got;
      if (gives_nothing()) return PullResult::end;
      ++epoch_;
      if (epoch_ == count_ && !input_.node().may_count_openings()) return PullResult::end;
      input_.reopen(ctx, derive_key(key_, static_cast<uint64_t>(epoch_)));
      if (yield_timer_.should_yield(ctx, 1)) return PullResult::pending;
    }
    return PullResult::end;
  }

  void state(Archive& archive) override {
    archive("epoch", epoch_, 0, INT64_MAX);
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
  int64_t epoch_ = 0;
  Port input_;
  YieldTimer yield_timer_;
};

int64_t cardinality(const Params& params, std::span<const DatasetRef> inputs) {
  return repeated_count(inputs[0]->cardinality(), *params.count);
}

int64_t epochs(const ParamsBase& base) {
  return std::max<int64_t>(-1, *static_cast<const Params&>(base).count);
}

}  // namespace

const OperatorDef& repeat_operator() {
  static const OperatorDef def = define<Params, Repeat>({
      .name = "repeat",
      .doc =
          "The input `count` times over, forever if `count` is negative. An endless repeat ends after an epoch without elements.",
      .cost = "Opens the input once per epoch.",
      .example = "range(2) | repeat(2)",
      .output = "0\n1\n0\n1",
      .bench = "range(1000) | repeat(1000)",
      .spec = same_spec,
      .cardinality = cardinality_of<Params, cardinality>,
      .epochs = epochs,
      .passes_positions = true,
  });
  return def;
}

}  // namespace weir
