// ignore_errors(log): the elements that did not fail. Checkpoint: the input's position.
#include <algorithm>
#include <vector>

#include "core/failed_reads.h"
#include "core/text.h"
#include "dataset/operator.h"
#include "dataset/yield_timer.h"
#include "ops/list.h"

namespace weir {

void IgnoreErrorsParams::fields(Fields& f) { f("log", log, "Log a warning for each error that is dropped."); }
namespace ignore_errors_op {
namespace {

using Params = IgnoreErrorsParams;

class IgnoreErrors final : public Cursor {
 public:
  IgnoreErrors(Opening& opening, const Params& params)
      : input_(opening, 0, Port::Mode::pass), log_(*params.log) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    for (;;) {
      in_.rows = 0;
      in_.errors.clear();
      PullResult got = input_.pull(ctx, demand, in_);
      if (got != PullResult::rows) return got;
      if (log_) warn(ctx);
      if (!in_.errors.empty()) ctx.session.failed_reads().add(in_);
      // That a position can't be taken up is the error of no element.
      const bool lost = std::any_of(in_.errors.begin(), in_.errors.end(),
                                    [](const RowError& error) { return error.error->position_lost; });
      if (lost) {
        std::swap(out, in_);
        return PullResult::rows;
      }
      if (in_.value_rows() > 0) break;
      if (yield_timer_.should_yield(ctx, in_.rows)) return PullResult::pending;
    }
    yield_timer_.reset();
    if (in_.errors.empty()) {
      std::swap(out, in_);
      return PullResult::rows;
    }
    if (demand.drop || in_.columns.empty()) {
      out.reset(0);
      out.rows = in_.value_rows();
      return PullResult::rows;
    }
    keep_.clear();
    for (int i = 0; i < in_.rows; ++i) {
      if (!in_.failed(i)) keep_.push_back(i);
    }
    out.gather_from(in_, keep_);
    return PullResult::rows;
  }

  int64_t lose(const ErrorPtr&) noexcept override { return std::max(in_.value_rows(), 1); }
  void state(Archive& archive) override { input_.state(archive); }

 private:
  // A line that there is no memory for is left out.
  void warn(Context& ctx) const noexcept try {
    Logger* logger = ctx.runtime().logger;
    for (const RowError& error : in_.errors) {
      if (logger) logger->log(Logger::Level::warning, concat("ignored: ", error.error->describe()));
    }
  } catch (...) {
  }

  Port input_;
  bool log_;
  Block in_;
  std::vector<int32_t> keep_;
  YieldTimer yield_timer_;
};

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, IgnoreErrors>({
      .name = "ignore_errors",
      .page =
          {.doc =
               "Drops the elements that failed. The error that a saved position cannot be resumed belongs to no element, and is kept.",
           .cost = "None without errors, else a copy of the block.",
           .tf_names = "log_warning=log",
           .example = "range(3) | map(x -> 6 // (x - 1)) | ignore_errors()",
           .output = "-6\n6",
           .bench = "range(1000000) | ignore_errors()"},
      .typing = {.columns = Columns::passed},
      .position = {.passes_positions = true},
  });
  return def;
}

}  // namespace ignore_errors_op
}  // namespace weir
