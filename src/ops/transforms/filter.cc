// filter(f): the elements for which f is true. Errors of the input and of f keep their places. While nothing
// passes it pulls more and more rows at a time. A row that memory runs out for is an error whether it would
// have passed or not, so positions counted after it may be one too far on. Checkpoint: the input's position;
// rows that were pulled and not given come again.
#include <algorithm>
#include <span>
#include <vector>

#include "dataset/yield_timer.h"
#include "ops/apply.h"
#include "ops/list.h"

namespace weir {

void FilterParams::fields(Fields& fields) { fields("f", f, "The condition: returns a bool."); }

namespace {

using Params = FilterParams;

class Filter final : public RestartableCursor {
 public:
  Filter(Opening& opening, const Params& params)
      : input_(opening, 0, Port::Mode::keep), apply_(opening, params.f) {}

  bool restart(Opening& opening, const ParamsBase& params) override {
    input_.restart(opening, 0, Port::Mode::keep);
    apply_ = Apply(opening, static_cast<const Params&>(params).f);
    passing_.clear();
    next_passing_ = 0;
    width_ = 0;
    yield_timer_.reset();
    return true;
  }

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    for (;;) {
      if (input_.buffered() == 0) {
        // That many rows of output take at least as many of input, and more if none has passed for long.
        Demand wanted = demand;
        wanted.rows = std::max(demand.rows, width_);
        wanted.drop = false;
        PullResult got = input_.fill(ctx, wanted);
        if (got != PullResult::rows) return got;
        judge(ctx);
      }
      if (next_passing_ < passing_.size()) break;
      const int rows = input_.buffered();
      input_.take(rows);
      input_.consume_all();
      width_ = std::min(2 * std::max(demand.rows, width_), kMaxBlockRows);
      if (yield_timer_.should_yield(ctx, rows)) return PullResult::pending;
    }
    yield_timer_.reset();
    width_ = 0;
    give(demand, out);
    input_.consume_all();
    return PullResult::rows;
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    // The rows that pass, or all if there is no verdict.
    const int64_t passing = static_cast<int64_t>(passing_.size() - next_passing_);
    const int64_t lost = passing > 0 ? passing : input_.buffered();
    passing_.clear();
    next_passing_ = 0;
    input_.take(input_.buffered());
    input_.consume_all();
    return std::max<int64_t>(lost, 1);
  }

  void state(Archive& archive) override { input_.state(archive); }

 private:
  // Lists the buffered rows to keep: those for which f is true or fails, and errors.
  void judge(Context& ctx) {
    const Block& block = input_.block();
    passing_.clear();
    next_passing_ = 0;
    apply_(ctx.session, input_.position(), block, verdict_);
    const Column& column = verdict_.columns[0];
    size_t count = 0;
    passing_.resize(static_cast<size_t>(block.rows));
    if (column.dense() && verdict_.errors.empty()) {
      const bool* verdict = column.tensor().as<const bool>();
      for (int i = 0; i < block.rows; ++i) {
        passing_[count] = i;
        count += verdict[i] ? 1 : 0;
      }
    } else {
      for (int i = 0; i < block.rows; ++i) {
        if (verdict_.failed(i) || *column.row(i).as<const bool>()) passing_[count++] = i;
      }
    }
    passing_.resize(count);
  }

  // Moves the next passing rows to `out`. Further ones stay in the Port.
  void give(const Demand& demand, Block& out) {
    const Block& block = input_.block();
    const size_t count = std::min(passing_.size() - next_passing_, static_cast<size_t>(demand.rows));
    const std::span<const int32_t> rows(passing_.data() + next_passing_, count);
    const int end = next_passing_ + count < passing_.size() ? rows.back() + 1 : block.rows;
    out.reset(demand.drop ? 0 : block.columns.size());
    if (static_cast<int>(count) == block.rows) {
      input_.take_into(out, 0, block.rows);
    } else {
      for (size_t i = 0; i < out.columns.size(); ++i) out.columns[i].gather_from(block.columns[i], rows);
      out.origins.gather(block.origins, rows);
      input_.take(end - input_.begin());
    }
    out.rows = static_cast<int>(count);
    out.errors.clear();
    for (int i = 0; i < out.rows && !verdict_.errors.empty(); ++i) {
      if (const ErrorPtr* error = verdict_.error_of(rows[static_cast<size_t>(i)]))
        out.errors.push_back({i, *error});
    }
    next_passing_ += count;
  }

  Port input_;
  Apply apply_;
  // What f returns for the Port's rows.
  Block verdict_;
  // The Port's rows to keep, and how many of them were given.
  std::vector<int32_t> passing_;
  size_t next_passing_ = 0;
  // The least number of rows of the next pull: doubled as long as none passes.
  int width_ = 0;
  YieldTimer yield_timer_;
};

}  // namespace

const OperatorDef& filter_operator() {
  static const OperatorDef def = define<Params, Filter>({
      .name = "filter",
      .doc =
          "Keeps the elements for which `f` is true, in their order. An element for which `f` fails is an error.",
      .cost = "One call of `f` per block of elements, and a copy of the elements that stay.",
      .example = "range(6) | filter(x -> x % 2 == 0)",
      .output = "0\n2\n4",
      .bench = "range(1000000) | filter(x -> x % 2 == 0)",
      .spec = same_spec,
      .cardinality = unknown_cardinality,
      .kept =
          [](const ParamsBase&) {
            return Kept{kMaxBlockRows, 0};
          },
  });
  return def;
}

}  // namespace weir
