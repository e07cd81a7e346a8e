// counter(start, step): the numbers from `start` on, `step` apart, without end. Where the next would be no
// int64, it is an error, and then the sequence ends. Checkpoint: the next number, and whether the last was
// given.
#include <cstdint>

#include "core/checked.h"
#include "core/text.h"
#include "dataset/operator.h"

namespace weir::counter_op {
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
  CounterCursor(Opening&, const Params& params) : next_(*params.start), step_(*params.step) {}

  int64_t assured() const noexcept override {
    return spent_ ? 0 : numbers_before_overflow(next_, step_, INT64_MAX);
  }

  Step next(Context&, const Demand& demand, Block& out) override {
    if (ended_) return PullResult::end;
    if (spent_) {
      ended_ = true;
      return no_number();
    }
    const auto rows = static_cast<int>(numbers_before_overflow(next_, step_, demand.rows));
    out.reset(demand.drop ? 0 : 1);
    if (!demand.drop) {
      int64_t* numbers = out.columns[0].make_scalars<int64_t>(rows);
      for (int i = 0; i < rows; ++i) numbers[i] = after(i);
    }
    out.rows = rows;
    next_ = after(rows - 1);
    go_on();
    return PullResult::rows;
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    if (spent_) ended_ = true;
    go_on();
    return 1;
  }

  void state(Archive& archive) override {
    archive("next", next_, INT64_MIN, INT64_MAX);
    if (archive.loading()) spent_ = archive.next_is("ended");
    if (spent_) archive("ended", ended_);
  }

 private:
  // The number `steps` after the next one. Unsigned, since the product alone may be no int64.
  int64_t after(int steps) const {
    return static_cast<int64_t>(static_cast<uint64_t>(next_) +
                                static_cast<uint64_t>(steps) * static_cast<uint64_t>(step_));
  }
  // Steps over the number at hand.
  void go_on() noexcept {
    const auto next = checked_add(next_, step_);
    spent_ = spent_ || !next;
    if (!spent_) next_ = *next;
  }
  Status no_number() const {
    return Status(Code::out_of_range,
                  expected_found("numbers of 64 bits", concat("a step of ", step_, " from ", next_, " on"),
                                 "put take(n) after it, or choose another start or step"));
  }

  int64_t next_;
  const int64_t step_;
  // There is no next number.
  bool spent_ = false;
  // And that was said.
  bool ended_ = false;
};

Result<Spec> spec(const Params&, std::span<const DatasetRef>) { return Spec::tensor(DType::int64); }
int64_t cardinality(const Params&, std::span<const DatasetRef>) { return kInfinite; }

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, CounterCursor>({
      .name = "counter",
      .kind = OperatorKind::source,
      .page =
          {.doc =
               "Counts from `start` in steps of `step`, without end. Elements are int64. If the next number does not fit int64, it is an error (out_of_range), and the sequence ends.",
           .cost = "One store per number.",
           .example = "counter(start: 7, step: -2) | take(3)",
           .output = "7\n5\n3",
           .bench = "counter() | take(1000000)"},
      .typing = {.spec = spec_of<Params, spec>, .cardinality = cardinality_of<Params, cardinality>},
  });
  return def;
}

}  // namespace weir::counter_op
