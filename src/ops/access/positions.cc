#include "ops/access/positions.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/exception.h"
#include "core/failed_reads.h"
#include "core/text.h"
#include "dataset/access.h"
#include "dataset/ahead_cursor.h"
#include "dataset/compose.h"
#include "dataset/openings.h"
#include "dataset/port.h"
#include "dataset/yield_timer.h"
#include "ops/access/read_ahead.h"

namespace weir {

namespace {

const OperatorDef& positions_operator();
const OperatorDef& positions_ahead_operator();

struct PositionsParams : ParamsOf<PositionsParams> {
  Slice slice;
  int64_t rows = kUnknown;
  int64_t whole = kUnknown;
  std::optional<EpochTableRef> before;
  void fields(Fields&) override {}
  static const OperatorDef& op() { return positions_operator(); }
};

// Where a function drains a part, or a cache fills with it, nodes outside are counted by themselves, and draw
// orders of their own. Those of the part's input go on from where they were before the partition.
std::unique_ptr<EpochScope> scope_of_part(Opening& opening, const PositionsParams& params) {
  EpochScope& here = *opening.ctx.epochs;
  const Dataset& node = *opening.node;
  if (!params.before || !here.home(node.depth()).borrowed) return nullptr;
  auto out = std::make_unique<EpochScope>(*params.before);
  const Session& session = opening.ctx.session;
  const uint64_t number = here.open(session.epoch_key(node.epoch_id()), node.depth());
  count_passes(session, *node.inputs()[0], number, *out);
  return out;
}

// Of a file that can't be read the elements are not counted, so that those after it have no positions either.
// Unless the rows were counted before, the input is then read in order, and every slice passes its errors on.
class Positions final : public Cursor {
 public:
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const PositionsParams& params) {
    std::unique_ptr<EpochScope> scope = scope_of_part(opening, params);
    Context inside = in_scope(opening.ctx, scope.get());
    const EpochScope before(*inside.epochs);
    WEIR_ASSIGN(RestorableAccess input,
                RestorableAccess::open(inside, opening.input(0), params.slice, params.whole));
    std::unique_ptr<Port> in_order;
    // A restored position repeats the errors of files that could not be read before, which only that can.
    const bool all_counted = input.uncounted().ok() && inside.session.failed_reads().empty();
    if (params.whole == kUnknown && !all_counted) {
      *inside.epochs = before;
      in_order = std::make_unique<Port>(inside, opening.input(0), Port::Mode::pass);
    }
    return std::unique_ptr<Cursor>(std::make_unique<Positions>(
        std::move(input), std::move(scope), opening.input(0), params.slice, std::move(in_order)));
  }
  Positions(RestorableAccess input, std::unique_ptr<EpochScope> scope, Instance instance, const Slice& slice,
            std::unique_ptr<Port> in_order)
      : scope_(std::move(scope)),
        input_(std::move(input)),
        instance_(std::move(instance)),
        step_(slice.step),
        in_order_(std::move(in_order)),
        before_(slice.first) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    if (in_order_) return next_in_order(ctx, demand, out);
    const int64_t left = input_->count().positions - given_;
    if (left == 0) return PullResult::end;
    Context inside = in_scope(ctx, scope_.get());
    WEIR_TRY(input_.resume(inside));
    const int rows = width_.rows(demand, left);
    positions_.resize(static_cast<size_t>(rows));
    std::iota(positions_.begin(), positions_.end(), given_);
    input_->read(inside, positions_, out);
    width_.learn(demand, out);
    given_ += rows;
    return PullResult::rows;
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    if (in_order_) return std::max<int64_t>(static_cast<int64_t>(rows_.size()), 1);
    ++given_;
    return 1;
  }

  void state(Archive& archive) override {
    bool in_order = in_order_ || !saved_.empty();
    if (archive.loading()) {
      in_order = archive.next_is("in_order");
      if (in_order_ && !in_order && !input_.uncounted().ok()) return archive.fail(input_.uncounted());
      if (!in_order) in_order_.reset();
    }
    if (in_order) return state_in_order(archive);
    const int64_t count = input_->count().positions;
    int64_t before = count;
    archive("given", given_, 0, INT64_MAX);
    if (!archive.loading() || archive.next_is("count")) archive("count", before, 0, INT64_MAX);
    // A file may have grown; of one that can't be read now the elements are missing.
    if (before != count && !input_.uncounted().ok()) return archive.fail(input_.uncounted());
    if (given_ > count)
      return archive.fail(expected_found(
          concat("at least ", given_, " elements, as when the position was saved"), concat(count)));
    input_.state(archive);
  }

  Step resume(Context& ctx) override {
    if (saved_.empty()) return PullResult::rows;
    Context inside = in_scope(ctx, scope_.get());
    WEIR_ASSIGN(Port port, Port::open_at(inside, instance_, Port::Mode::pass, saved_));
    in_order_ = std::make_unique<Port>(std::move(port));
    saved_.clear();
    return PullResult::rows;
  }

 private:
  static Context in_scope(const Context& ctx, EpochScope* scope) {
    Context inside = ctx;
    if (scope) inside.epochs = scope;
    return inside;
  }

  Step next_in_order(Context& ctx, const Demand& demand, Block& out) {
    Context inside = in_scope(ctx, scope_.get());
    for (;;) {
      in_.rows = 0;
      rows_.clear();
      const PullResult got = in_order_->pull(inside, demand, in_);
      if (got != PullResult::rows) return got;
      for (int row = 0; row < in_.rows; ++row) {
        const ErrorPtr* const error = in_.error_of(row);
        if ((error && !is_out_of_memory(**error)) || before_-- == 0) rows_.push_back(row);
        if (before_ < 0) before_ = step_ - 1;
      }
      if (!rows_.empty()) {
        out.gather_thinned(in_, rows_);
        yield_timer_.reset();
        return PullResult::rows;
      }
      if (yield_timer_.should_yield(ctx, in_.rows)) return PullResult::pending;
    }
  }

  void state_in_order(Archive& archive) {
    bool in_order = true;
    archive("in_order", in_order);
    archive("before", before_, 0, INT64_MAX);
    if (archive.loading()) {
      archive.rest(saved_);
    } else if (saved_.empty()) {
      in_order_->state(archive);
    } else {
      archive.append(saved_);
    }
  }

  // Null: that of who reads.
  const std::unique_ptr<EpochScope> scope_;
  RestorableAccess input_;
  int64_t given_ = 0;
  AccessWidth width_;
  std::vector<int64_t> positions_;
  const Instance instance_;
  const int64_t step_;
  // The input, where it is read in order.
  std::unique_ptr<Port> in_order_;
  // How many elements come before the next one of the slice.
  int64_t before_;
  // A loaded position of it, until resume().
  std::string saved_;
  Block in_;
  // Those of `in_` to give.
  std::vector<int32_t> rows_;
  YieldTimer yield_timer_;
};

const OperatorDef& positions_operator() {
  static const OperatorDef def = define<PositionsParams, Positions>({
      .name = "positions",
      .internal = true,
      .page = {.doc = "Elements by their positions."},
      .typing = {.cardinality =
                     [](const ParamsBase& base, std::span<const DatasetRef>) {
                       return static_cast<const PositionsParams&>(base).rows;
                     }},
      .access = {.reads_by_position = true},
  });
  return def;
}

struct AheadParams : ParamsOf<AheadParams> {
  void fields(Fields&) override {}
  static const OperatorDef& op() { return positions_ahead_operator(); }
};

struct PositionsAhead {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const AheadParams&) {
    const DatasetRef& input = opening.node->inputs()[0];
    return std::unique_ptr<Cursor>(
        std::make_unique<WindowCursor>(opening, input, MakeWindow{read_ahead(opening.ctx, input->lane())}));
  }
};

const OperatorDef& positions_ahead_operator() {
  static const OperatorDef def = define<AheadParams, PositionsAhead>({
      .name = "positions_ahead",
      .internal = true,
      .page = {.doc = "Elements by their positions, read ahead."},
      .typing = {.cardinality = same_cardinality},
      .ahead = {.is_window = always},
  });
  return def;
}

}  // namespace

Result<DatasetRef> positions_of(DatasetRef input, const Slice& slice, int64_t rows, int64_t whole,
                                std::optional<EpochTableRef> before) {
  const BuildSite site{.depth = input->depth(), .at_opening = true};
  const bool blocks = input->deepest_lane() != Lane::compute;
  PositionsParams params;
  params.slice = slice;
  params.rows = rows;
  params.whole = whole;
  params.before = std::move(before);
  WEIR_ASSIGN(DatasetRef positions, compose(std::move(params), {std::move(input)}, site));
  if (!blocks) return positions;
  return compose(AheadParams(), {std::move(positions)}, site);
}

}  // namespace weir
