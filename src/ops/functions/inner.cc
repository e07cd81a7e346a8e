#include "ops/functions/inner.h"

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

bool InnerOpener::repeats() const {
  Sites sites;
  apply_.function().add_sites(sites);
  return sites.states.empty() && apply_.function().not_replayable().empty();
}

Result<DatasetRef> InnerOpener::ahead_of(DatasetRef node) {
  if (node != plain_node_) {
    WEIR_ASSIGN(ahead_node_, weir::run_ahead(node, slots_));
    plain_node_ = std::move(node);
  }
  return ahead_node_;
}

ErrorPtr InnerOpener::close_over(Session& session, const Block& in, int row, int64_t ordinal, Closure& out) {
  if (compiled_ != nullptr && compiled_->close_over(apply_.args(session, ordinal), in, row, out))
    return nullptr;
  if (in.rows == 1) {
    apply_(session, ordinal, in, result_);
  } else {
    apply_(session, ordinal, in.slice(row, 1), result_);
  }
  if (!result_.errors.empty()) return result_.errors[0].error;
  const Column& column = result_.columns[0];
  const NestedDataset& nested = dataset_of(column.dense() ? column.tensor() : column.list()[0]);
  out.node = DatasetRef(static_cast<const Dataset*>(nested.node.get()));
  out.env = nested.env;
  return nullptr;
}

Step InnerOpener::open(Context& ctx, const Block& in, int row, int64_t ordinal, Origin origin, bool ahead,
                       std::unique_ptr<Inner>& out) {
  Closure made;
  if (ErrorPtr error = close_over(ctx.session, in, row, ordinal, made)) return error;
  const uint64_t key = derive_key(apply_.key(), static_cast<uint64_t>(ordinal));
  if (ahead) {
    WEIR_ASSIGN(made.node, ahead_of(std::move(made.node)));
  }
  std::unique_ptr<Inner> inner = std::move(spent_);
  if (!inner) inner.reset(new Inner(opens_outer_ ? depth_ : -1));
  inner->ordinal_ = ordinal;
  inner->epochs_ = EpochScope(nullptr, depth_ + 1, key);
  inner->origin_ = origin;
  inner->ahead_ = ahead;
  ErrorPtr opening_error;
  inner->in_scope(ctx, [&](Context& scoped) {
    scoped.opening_error = &opening_error;
    std::unique_ptr<Stage>& stage = inner->stage_;
    if (stage && stage->reopen(scoped, *made.node, made.env, key)) return true;
    stage = Stage::open(scoped, {std::move(made.node), std::move(made.env), key, path_});
    return false;
  });
  if (opening_error) return opening_error;
  out = std::move(inner);
  return PullResult::rows;
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
  return opener_.open(ctx, block, row, ordinal, origin_, ahead, out);
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
  if (const Origin part = origin_.of_part(false);
      got == PullResult::rows && part.known() && out.origins.empty()) {
    for (int row = 0; row < out.rows; ++row) out.origins.add_one(row, part);
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
