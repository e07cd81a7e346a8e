// zip(a, b, …), also of a structure of datasets: one element of each, in that structure; ends with the
// shortest. A position at which an input failed gives one error. Checkpoint: every input's position.
#include <algorithm>
#include <vector>

#include "dataset/access.h"
#include "dataset/operator.h"
#include "ops/list.h"

namespace weir {
void ZipParams::fields(Fields& f) {
  f("datasets", datasets, "One or more datasets, or a tuple or dict of them.");
}
namespace zip_op {
namespace {

using Params = ZipParams;

class Zip final : public Cursor {
 public:
  Zip(Opening& opening, const Params& params)
      : width_(opening.node->components().size()),
        in_turns_(shares_openings(opening.ctx.session, *opening.node)) {
    for (int index : params.datasets.indices) inputs_.emplace_back(opening, index, Port::Mode::keep);
  }

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    bool waits = false;
    bool ended = false;
    int rows = demand.rows;
    for (Port& input : inputs_) {
      // As in tf.data, the inputs after one that ends still advance by a row. Only epochs show it.
      if (ended && !input.node().may_count_openings()) continue;
      // Asking the later inputs for as many rows as the earlier ones have usually leaves nothing over.
      PullResult got = input.fill(ctx, ended ? Demand{} : demand.at_most(rows));
      if (got == PullResult::cancelled) return got;
      if (got == PullResult::pending && in_turns_) return got;
      if (got == PullResult::end) ended = true;
      if (got == PullResult::pending) waits = true;
      if (got == PullResult::rows) rows = std::min(rows, input.buffered());
    }
    if (waits) return PullResult::pending;
    if (ended) return PullResult::end;
    end_ = inputs_[0].position() + rows;
    out.reset(demand.drop ? 0 : width_);
    out.rows = rows;
    size_t column = 0;
    for (Port& input : inputs_) {
      input.take_into(out, column, rows);
      input.consume_all();
      column += input.node().components().size();
    }
    return PullResult::rows;
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    const int64_t lost = std::max<int64_t>(1, end_ - inputs_.back().position());
    for (Port& input : inputs_) {
      // Some inputs may already have given their rows.
      if (input.position() < end_) input.take(static_cast<int>(end_ - input.position()));
      input.consume_all();
    }
    return lost;
  }

  void state(Archive& archive) override {
    for (Port& input : inputs_) input.state(archive);
  }

 private:
  size_t width_;
  // The inputs open the same shuffle, in the order in which rows need it: none is pulled before an
  // earlier one has answered.
  const bool in_turns_;
  std::vector<Port> inputs_;
  // The position after the rows that are being joined.
  int64_t end_ = 0;
};

class ZipAccess final : public Access {
 public:
  explicit ZipAccess(std::vector<std::unique_ptr<Access>> inputs) : inputs_(std::move(inputs)) {
    // Of two with as many positions, the one that has no more ends it.
    for (const auto& input : inputs_) count_ = std::min(count_, input->count());
  }

  AccessCount count() const override { return count_; }
  // At the end of one, the others advance by a row, too.
  void count_pass(EpochScope& epochs, int64_t rows) override {
    if (!count_.more && rows > count_.positions) rows = count_.positions + 1;
    for (const auto& input : inputs_) input->count_pass(epochs, rows);
  }
  void read(Context& ctx, std::span<const int64_t> positions, Block& out) override {
    out.reset(0);
    out.rows = static_cast<int>(positions.size());
    for (const auto& input : inputs_) {
      Block part;
      input->read(ctx, positions, part);
      for (Column& column : part.columns) out.columns.push_back(std::move(column));
      for (const RowError& error : part.errors) out.fail_row(error.row, error.error);
      if (out.origins.empty()) out.origins.swap(part.origins);
    }
    // Rows that all failed may have none.
    if (out.value_rows() == 0) out.columns.clear();
  }

 private:
  const std::vector<std::unique_ptr<Access>> inputs_;
  AccessCount count_{AccessCount::kMost, true};
};

Result<std::unique_ptr<Access>> access(Opening& opening, const ParamsBase& params) {
  std::vector<Instance> instances;
  for (int index : static_cast<const Params&>(params).datasets.indices)
    instances.push_back(opening.input(index));
  WEIR_ASSIGN(std::vector<std::unique_ptr<Access>> inputs,
              open_side_by_side(opening.ctx, std::move(instances)));
  return std::unique_ptr<Access>(std::make_unique<ZipAccess>(std::move(inputs)));
}

// The structure with each leaf replaced by the spec of its dataset.
Spec substitute(const Spec& structure, const Params& params, std::span<const DatasetRef> inputs,
                size_t& leaf) {
  if (structure.is_dataset()) return inputs[static_cast<size_t>(params.datasets.indices[leaf++])]->spec();
  Spec out = structure;
  for (Spec& child : out.children) child = substitute(child, params, inputs, leaf);
  return out;
}

Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
  if (params.datasets.indices.empty())
    return invalid_argument(expected_found("at least one dataset", "none"));
  size_t leaf = 0;
  return substitute(params.datasets.structure, params, inputs, leaf);
}

void needs(const Dataset& node, const Marks& used, std::vector<Marks>& needed) {
  for (Marks& marks : needed) marks.assign(marks.size(), false);
  size_t at = 0;
  for (const int index : static_cast<const Params&>(node.params()).datasets.indices) {
    Marks& marks = needed[static_cast<size_t>(index)];
    for (size_t i = 0; i < marks.size(); ++i, ++at) marks[i] = marks[i] || used[at];
  }
}

int64_t cardinality(const Params&, std::span<const DatasetRef> inputs) {
  int64_t least = kInfinite;
  for (const DatasetRef& input : inputs) {
    int64_t count = input->cardinality();
    if (count == kUnknown) return kUnknown;
    if (count != kInfinite) least = least == kInfinite ? count : std::min(least, count);
  }
  return least;
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Zip>({
      .name = "zip",
      .kind = OperatorKind::source,
      .page =
          {.doc =
               "Combines datasets element by element, in the structure in which they are given. Ends with the shortest. If any input fails at a position, that position is one error. A value with datasets inside is such a structure, too: `zip(w)` joins the members of a window of dicts or tuples.",
           .cost = "No copy.",
           .example = "zip({x: range(3), y: range(10, 13)})",
           .output = "{x: 0, y: 10}\n{x: 1, y: 11}\n{x: 2, y: 12}",
           .bench = "zip(range(1000000), range(1000000))",
           .elsewhere = "zip_with map_zip: zip(a, b) | map((x, y) -> …)"},
      .typing = {.spec = spec_of<Params, spec>,
                 .cardinality = cardinality_of<Params, cardinality>,
                 .needs = needs},
      .position = {.ends_early = true,
                   .kept =
                       [](const ParamsBase&) {
                         return Kept{kMaxBlockRows, 0};
                       }},
      .access = {.open = access},
  });
  return def;
}

}  // namespace zip_op
}  // namespace weir
