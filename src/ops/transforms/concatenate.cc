// concatenate(other): the input, then the other dataset, of the same structure. Checkpoint: which
// one, and its position.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/checked.h"
#include "dataset/access.h"
#include "dataset/operator.h"

namespace weir::concatenate_op {
namespace {

struct Params : ParamsOf<Params> {
  InputParam other;
  void fields(Fields& f) override {
    f("other", other, "The dataset to append; its structure and dtypes are the same.");
  }
};

class Concatenate final : public Cursor {
 public:
  Concatenate(Opening& opening, const Params& params)
      : first_(opening, 0, Port::Mode::pass),
        other_(opening.input(params.other.index)),
        order_(component_order(other_.node->spec(), opening.node->spec())) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    if (!second_) {
      PullResult got = first_.pull(ctx, demand, out);
      if (got != PullResult::end) return got;
      // Not earlier: an epoch that the first one counts comes before those of the second.
      second_.emplace(ctx, other_, Port::Mode::pass, Port::Opens::at_first_pull);
    }
    in_.rows = 0;
    PullResult got = second_->pull(ctx, demand, in_);
    if (got != PullResult::rows) return got;
    out.reset(in_.columns.size());
    for (size_t i = 0; i < in_.columns.size(); ++i) {
      std::swap(out.columns[i], in_.columns[static_cast<size_t>(order_[i])]);
    }
    std::swap(out.errors, in_.errors);
    out.origins.swap(in_.origins);
    out.rows = in_.rows;
    return PullResult::rows;
  }

  int64_t lose(const ErrorPtr&) noexcept override { return std::max(in_.rows, 1); }

  void state(Archive& archive) override {
    first_.state(archive);
    Archive second(archive.holding());
    if (second_) second_->state(second);
    if (!archive.loading()) second_state_ = second.take();
    archive("second", second_state_);
  }

  Step resume(Context& ctx) override {
    if (second_state_.empty()) return PullResult::rows;
    WEIR_ASSIGN(Port second, Port::open_at(ctx, other_, Port::Mode::pass, second_state_));
    second_ = std::move(second);
    second_state_.clear();
    return PullResult::rows;
  }

 private:
  Port first_;
  Instance other_;
  std::optional<Port> second_;
  // Where each component stands in the second dataset, whose dict keys may be in another order.
  std::vector<int> order_;
  Block in_;
  // The second one's position, until resume has opened it.
  std::string second_state_;
};

class ConcatenateAccess final : public Access {
 public:
  ConcatenateAccess(Opening& opening, const Params& params, std::unique_ptr<Access> first,
                    std::unique_ptr<Access> second, EpochCounts second_opened)
      : first_(std::move(first)),
        second_(std::move(second)),
        second_opened_(std::move(second_opened)),
        split_(first_->count().positions),
        count_(count_of(first_->count(), second_->count())),
        order_(component_order(opening.input(params.other.index).node->spec(), opening.node->spec())) {}

  AccessCount count() const override { return count_; }
  void count_pass(EpochScope& epochs, int64_t rows) override {
    first_->count_pass(epochs, rows);
    if (rows <= split_ || first_->count().more) return;
    epochs.add(second_opened_);
    second_->count_pass(epochs, rows == kToTheEnd ? rows : rows - split_);
  }
  void read(Context& ctx, std::span<const int64_t> positions, Block& out) override {
    AccessParts parts;
    for (const bool of_second : {false, true}) {
      positions_.clear();
      for (size_t i = 0; i < positions.size(); ++i) {
        if ((positions[i] >= split_) != of_second) continue;
        positions_.push_back(of_second ? positions[i] - split_ : positions[i]);
        parts.expect(static_cast<int>(i));
      }
      if (positions_.empty()) continue;
      Block part;
      (of_second ? second_ : first_)->read(ctx, positions_, part);
      if (of_second && !part.columns.empty()) {
        std::vector<Column> columns;
        for (int from : order_) columns.push_back(std::move(part.columns[static_cast<size_t>(from)]));
        part.columns = std::move(columns);
      }
      parts.add(part);
    }
    parts.finish(out);
  }

 private:
  static AccessCount count_of(const AccessCount& first, const AccessCount& second) {
    if (first.more) return first;
    const auto sum = checked_add(first.positions, second.positions);
    return {sum.value_or(AccessCount::kMost), second.more || !sum};
  }

  const std::unique_ptr<Access> first_;
  const std::unique_ptr<Access> second_;
  // What opening the second one counts, which a cursor does after the first.
  const EpochCounts second_opened_;
  // The position of the second one's first element.
  const int64_t split_;
  const AccessCount count_;
  // Where each component stands in the second one.
  const std::vector<int> order_;
  std::vector<int64_t> positions_;
};

Result<std::unique_ptr<Access>> access(Opening& opening, const ParamsBase& base) {
  const auto& params = static_cast<const Params&>(base);
  WEIR_ASSIGN(std::unique_ptr<Access> first, open_access(opening.ctx, opening.input(0)));
  EpochScope passed(opening.ctx.epochs->table());
  first->count_pass(passed, Access::kToTheEnd);
  const EpochTableRef before = passed.table();
  Context after = opening.ctx;
  after.epochs = &passed;
  WEIR_ASSIGN(std::unique_ptr<Access> second, open_access(after, opening.input(params.other.index)));
  return std::unique_ptr<Access>(std::make_unique<ConcatenateAccess>(
      opening, params, std::move(first), std::move(second), passed.since(before)));
}

Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
  const Spec& first = inputs[0]->spec();
  const Spec& second = inputs[static_cast<size_t>(params.other.index)]->spec();
  WEIR_TRY(first.check_same_structure(second));
  return Spec::relax(first, second);
}

int64_t cardinality(const Params& params, std::span<const DatasetRef> inputs) {
  int64_t a = inputs[0]->cardinality();
  int64_t b = inputs[static_cast<size_t>(params.other.index)]->cardinality();
  if (a == kInfinite || b == kInfinite) return kInfinite;
  if (a == kUnknown || b == kUnknown) return kUnknown;
  return checked_add(a, b).value_or(kUnknown);
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Concatenate>({
      .name = "concatenate",
      .page =
          {.doc =
               "Appends another dataset to the input. Both must have the same structure and dtypes; dimensions that differ become unknown.",
           .cost = "No copy.",
           .tf_names = "dataset=other",
           .example = "range(2) | concatenate(range(10, 12))",
           .output = "0\n1\n10\n11",
           .bench = "range(500000) | concatenate(range(500000))",
           .elsewhere = "union chain append extend concat: concatenate(other)"},
      .typing = {.spec = spec_of<Params, spec>,
                 .cardinality = cardinality_of<Params, cardinality>,
                 .needs =
                     [](const Dataset& node, const Marks& used, std::vector<Marks>& needed) {
                       for (size_t i = 0; i < needed.size(); ++i) needs_of_elements(node, used, i, needed);
                     }},
      .position = {.opens_late_from = 1, .passes_positions = true},
      .access = {.open = access},
  });
  return def;
}

}  // namespace weir::concatenate_op
