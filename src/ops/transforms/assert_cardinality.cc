// assert_cardinality(n): passes the elements on and says that there are n of them. If there are fewer or
// more, an error takes the place of the first that is missing or too much, and then the sequence ends.
// Checkpoint: how many were counted, and the input's position.
#include <cstdint>

#include "core/checked.h"
#include "core/text.h"
#include "dataset/counted.h"
#include "dataset/operator.h"

namespace weir::assert_cardinality_op {
namespace {

struct Params : ParamsOf<Params> {
  IntParam n;
  void fields(Fields& f) override {
    f("n", n, "The number of elements; -1: infinite, -2: unknown.", at_least(kUnknown));
  }
};

class AssertCardinality final : public Cursor {
 public:
  AssertCardinality(Opening& opening, const Params& params)
      : input_(opening, 0, Port::Mode::pass), n_(*params.n) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    if (done_) return PullResult::end;
    const bool full = n_ >= 0 && counted_ == n_;
    PullResult got = input_.pull(
        ctx, n_ >= 0 && !full ? demand.at_most(n_ - counted_) : demand.at_most(full ? 1 : demand.rows), out);
    if (got == PullResult::rows) {
      const int counted = counted_rows(out);
      // Beyond the last one, only errors may come.
      if (full && counted > 0) return contradict("more");
      counted_ += counted;
      return got;
    }
    if (got != PullResult::end || n_ == kUnknown || full) return got;
    return contradict(concat(counted_));
  }

  void state(Archive& archive) override {
    archive("counted", counted_, 0, n_ >= 0 ? n_ : kMostCounted);
    archive("done", done_);
    input_.state(archive);
  }

 private:
  Status contradict(const std::string& found) {
    done_ = true;
    return failed_precondition(
        expected_found(n_ == kInfinite ? "elements without end" : concat(n_, " elements"), found));
  }

  Port input_;
  const int64_t n_;
  int64_t counted_ = 0;
  bool done_ = false;
};

int64_t cardinality(const Params& params, std::span<const DatasetRef>) { return *params.n; }

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, AssertCardinality>({
      .name = "assert_cardinality",
      .page =
          {.doc =
               "Declares that the input has `n` elements, and checks it. If there are fewer or more, the sequence ends with an error (failed_precondition), after `n` elements if there are more. Errors among them are passed on and not counted.",
           .cost = "One comparison per block.",
           .tf_names = "expected_cardinality=n",
           .example = "range(4) | filter(x -> x > 1) | assert_cardinality(2)",
           .output = "2\n3",
           .bench = "range(1000000) | assert_cardinality(1000000)"},
      .typing = {.cardinality = cardinality_of<Params, cardinality>, .needs = needs_of_first},
      .position = {.ends_early = true, .passes_positions = true},
  });
  return def;
}

}  // namespace weir::assert_cardinality_op
