// repeat(count): the input again and again, `count` times; for ever if negative.
// For ever over an input that gives no element ends. Each epoch opens the input anew: shuffles below draw a
// new order. Checkpoint: the epoch and the position in it.
#include <cstdint>

#include "dataset/operator.h"

namespace weir {
namespace {

struct Params : ParamsOf<Params> {
  IntParam count{-1};
  void fields(Fields& f) override { f("count", count, "How many times; negative repeats for ever."); }
};

class Repeat final : public Cursor {
 public:
  Repeat(Opening& opening, const Params& params)
      : key_(opening.key),
        count_(*params.count),
        input_(opening.ctx, opening.node.inputs()[0], opening.env, derive_key(key_, 0), opening.path, -1,
               Port::Mode::pass) {}

  Step next(Context& ctx, const Want& want, Block& out) override {
    while (count_ < 0 || epoch_ < count_) {
      Pull got = input_.pull(ctx, want, out);
      if (got != Pull::end) return got;
      // Without this an input that is empty, or only fails, would be opened for ever.
      bool gave_nothing = count_ < 0 ? input_.values() == 0 : input_.position() == 0;
      if (gave_nothing || ++epoch_ == count_) return Pull::end;
      input_.reopen(ctx, derive_key(key_, static_cast<uint64_t>(epoch_)));
    }
    return Pull::end;
  }

  void state(Archive& archive) override {
    archive("epoch", epoch_, 0, INT64_MAX);
    input_.state(archive);
  }

  Step resume(Context& ctx) override {
    if (epoch_ > 0) input_.restore_under(ctx, derive_key(key_, static_cast<uint64_t>(epoch_)));
    return Pull::rows;
  }

 private:
  uint64_t key_;
  int64_t count_;
  int64_t epoch_ = 0;
  Port input_;
};

int64_t cardinality(const Params& params, std::span<const DatasetRef> inputs) {
  int64_t n = inputs[0]->cardinality();
  int64_t count = *params.count;
  if (count < 0) return n == 0 ? 0 : kInfinite;
  if (count == 0) return 0;
  if (n < 0) return n;
  int64_t total;
  return __builtin_mul_overflow(n, count, &total) ? INT64_MAX : total;
}

}  // namespace

const OperatorDef& repeat_operator() {
  static const OperatorDef def = define<Params, Repeat>({
      .name = "repeat",
      .doc = "The input `count` times over, for ever if negative. For ever over an input that gives no "
             "element ends. "
             "Cost: opening the input once an epoch.",
      .spec = same_spec,
      .cardinality = cardinality_of<Params, cardinality>,
  });
  return def;
}

}  // namespace weir
