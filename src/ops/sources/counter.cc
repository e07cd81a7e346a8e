// counter(start, step): the numbers from `start` on, `step` apart, without end; they wrap. Checkpoint: the next one.
#include <cstdint>

#include "dataset/operator.h"

namespace weir {
namespace {

struct Params : ParamsOf<Params> {
  IntParam start{0};
  IntParam step{1};
  void fields(Fields& f) override {
    f("start", start, "The first number.");
    f("step", step, "The distance between numbers; negative counts down, 0 repeats the first.");
  }
};

class CounterCursor final : public Cursor {
 public:
  CounterCursor(Opening&, const Params& params)
      : next_(*params.start), step_(static_cast<uint64_t>(*params.step)) {}

  int64_t assured() const noexcept override { return INT64_MAX; }

  Step next(Context&, const Demand& demand, Block& out) override {
    out.reset(demand.drop ? 0 : 1);
    // Unsigned, so that sums wrap.
    const auto first = static_cast<uint64_t>(next_);
    if (!demand.drop) {
      int64_t* numbers = out.columns[0].make_scalars<int64_t>(demand.rows);
      for (int i = 0; i < demand.rows; ++i)
        numbers[i] = static_cast<int64_t>(first + static_cast<uint64_t>(i) * step_);
    }
    out.rows = demand.rows;
    next_ = static_cast<int64_t>(first + static_cast<uint64_t>(demand.rows) * step_);
    return PullResult::rows;
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    next_ = static_cast<int64_t>(static_cast<uint64_t>(next_) + step_);
    return 1;
  }

  void state(Archive& archive) override { archive("next", next_, INT64_MIN, INT64_MAX); }

 private:
  int64_t next_;
  const uint64_t step_;
};

Result<Spec> spec(const Params&, std::span<const DatasetRef>) { return Spec::tensor(DType::int64); }
int64_t cardinality(const Params&, std::span<const DatasetRef>) { return kInfinite; }

}  // namespace

const OperatorDef& counter_operator() {
  static const OperatorDef def = define<Params, CounterCursor>({
      .name = "counter",
      .kind = OperatorKind::source,
      .doc = "The numbers from `start` on, `step` apart, without end. Sums wrap.",
      .cost = "One store per number.",
      .example = "counter(start: 7, step: -2) | take(3)",
      .output = "7\n5\n3",
      .bench = "counter() | take(1000000)",
      .spec = spec_of<Params, spec>,
      .cardinality = cardinality_of<Params, cardinality>,
  });
  return def;
}

}  // namespace weir
