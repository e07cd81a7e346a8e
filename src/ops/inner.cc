#include "ops/inner.h"

#include <algorithm>

namespace weir {

int64_t cardinality_of_inners(const ParamsBase&, std::span<const DatasetRef> inputs) {
  const int64_t count = inputs[0]->cardinality();
  return count == 0 || count == kInfinite ? count : kUnknown;
}

void Inner::Saved::state(Archive& archive) {
  archive("bytes", bytes);
  archive("epochs", epochs);
  // Absent where nothing runs ahead.
  if (archive.loading() ? archive.next_is("ahead") : ahead) archive("ahead", ahead);
}

// Runs `work` with a Context whose counts are the dataset's own, inside those of the operator.
template <class F>
auto Inner::in_scope(Context& ctx, F&& work) {
  Context scoped = ctx;
  scoped.epochs = &epochs_;
  scoped.opening_error = nullptr;
  if (outer_depth_ < 0) return work(scoped);
  epochs_.enter(ctx.epochs->at(outer_depth_));
  const EpochTableRef before = epochs_.outer();
  auto result = work(scoped);
  if (epochs_.outer() != before) ctx.epochs->replace(outer_depth_, epochs_.outer());
  return result;
}

bool InnerOpener::opens_outer(const Dataset& node, const Function& function) {
  if (node.opens_variables()) return true;
  std::vector<EpochNode> counted;
  function.epoch_nodes(counted);
  return std::any_of(counted.begin(), counted.end(),
                     [&](const EpochNode& n) { return n.depth <= node.depth(); });
}

Result<DatasetRef> InnerOpener::ahead_of(DatasetRef node) {
  if (node != plain_node_) {
    WEIR_ASSIGN(ahead_node_, weir::run_ahead(node, slots_));
    plain_node_ = std::move(node);
  }
  return ahead_node_;
}

Step InnerOpener::open(Context& ctx, const Block& in, int64_t ordinal, Origin origin, bool ahead,
                       std::unique_ptr<Inner>& out) {
  apply_(ctx.session, ordinal, in, result_);
  if (!result_.errors.empty()) return result_.errors[0].error;
  const Column& column = result_.columns[0];
  const NestedDataset& nested = dataset_of(column.dense() ? column.tensor() : column.list()[0]);
  DatasetRef node(static_cast<const Dataset*>(nested.node.get()));
  const uint64_t key = derive_key(apply_.key(), static_cast<uint64_t>(ordinal));
  std::unique_ptr<Inner> inner(
      new Inner(ordinal, EpochScope(nullptr, depth_ + 1, key), opens_outer_ ? depth_ : -1));
  inner->origin_ = origin;
  inner->ahead_ = ahead;
  if (ahead) {
    auto made = ahead_of(std::move(node));
    if (!made.ok()) return made.status();
    node = *std::move(made);
  }
  ErrorPtr opening_error;
  inner->stage_ = inner->in_scope(ctx, [&](Context& scoped) {
    scoped.opening_error = &opening_error;
    return Stage::open(scoped, {std::move(node), nested.env, key, path_});
  });
  if (opening_error) return opening_error;
  out = std::move(inner);
  return PullResult::rows;
}

Step InnerSource::open_next(Context& ctx, std::unique_ptr<Inner>& out) {
  return open_row(ctx, out, opener_.runs_ahead());
}

Step InnerSource::open_row(Context& ctx, std::unique_ptr<Inner>& out, bool ahead) {
  PullResult got = input_.fill(ctx, Demand{});
  if (got != PullResult::rows) return got;
  const int64_t ordinal = input_.position();
  int row = input_.begin();
  input_.take(1);
  const Block& block = input_.block();
  origin_ = block.origins.of(row);
  if (const ErrorPtr* error = block.error_of(row)) return *error;
  if (block.rows == 1) return opener_.open(ctx, block, ordinal, origin_, ahead, out);
  return opener_.open(ctx, block.slice(row, 1), ordinal, origin_, ahead, out);
}

Step InnerSource::open_again(Context& ctx, std::unique_ptr<Inner>& out, const Inner::Saved& saved) {
  // The row comes first, since the input's own openings are counted as usual.
  PullResult got = input_.fill(ctx, Demand{});
  if (got != PullResult::rows) return got;
  QuietContext quiet(ctx);
  Step opened = open_row(*quiet, out, saved.ahead);
  if (opened.error() || opened.answer() != PullResult::rows) return opened;
  WEIR_TRY(out->load(saved));
  return PullResult::rows;
}

PullResult Inner::next(Context& ctx, const Demand& demand, Block& out) {
  const PullResult got = in_scope(ctx, [&](Context& scoped) { return stage_->next(scoped, demand, out); });
  if (got == PullResult::rows && origin_.known() && out.origins.empty()) {
    for (int row = 0; row < out.rows; ++row) out.origins.add_one(row, origin_);
  }
  return got;
}

Inner::Saved Inner::save(Holding* holding) {
  Archive archive(holding);
  stage_->state(archive);
  return {archive.take(), epochs_.written(epochs_.depth()), ahead_};
}

Status Inner::load(const Saved& saved) {
  Archive archive(saved.bytes);
  stage_->state(archive);
  archive.finish();
  WEIR_TRY(archive.status());
  // The saved numbers already count what opening has counted.
  epochs_ = EpochScope(nullptr, epochs_.depth(), epochs_.key());
  if (!epochs_.assign(saved.epochs)) return data_loss("the counts of an open dataset are damaged");
  return Status();
}

}  // namespace weir
