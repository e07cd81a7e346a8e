#include "ops/inner.h"

namespace weir {

void Inner::Saved::state(Archive& archive) {
  archive("bytes", bytes);
  archive("epochs", epochs);
}

Step InnerSource::open_next(Context& ctx, std::unique_ptr<Inner>& out) {
  Pull got = input_.fill(ctx, Want{});
  if (got != Pull::rows) return got;
  std::unique_ptr<Inner> inner(new Inner(input_.position()));
  int row = input_.begin();
  input_.take(1);
  const Block& block = input_.block();
  if (const ErrorPtr* error = block.error_of(row)) return *error;
  if (block.rows == 1) {
    apply_(ctx.session, inner->ordinal_, block, made_);
  } else {
    apply_(ctx.session, inner->ordinal_, block.slice(row, 1), made_);
  }
  if (!made_.errors.empty()) return made_.errors[0].error;
  const Column& column = made_.columns[0];
  const NestedDataset& nested = dataset_of(column.dense() ? column.tensor() : column.list()[0]);
  DatasetRef node(static_cast<const Dataset*>(nested.node.get()));
  ErrorPtr opening_error;
  const uint64_t key = derive_key(apply_.key(), static_cast<uint64_t>(inner->ordinal_));
  if (!node->seed_sites().empty()) inner->epochs_ = EpochScope(key);
  Context scoped{ctx.session, ctx.waker, &inner->epochs_, &opening_error};
  inner->stage_ = Stage::open(scoped, node, nested.env, key, path_, -1);
  if (opening_error) return opening_error;
  out = std::move(inner);
  return Pull::rows;
}

Pull Inner::next(Context& ctx, const Want& want, Block& out) {
  Context scoped{ctx.session, ctx.waker, &epochs_};
  return stage_->next(scoped, want, out);
}

Inner::Saved Inner::save() {
  Archive archive;
  stage_->state(archive);
  return {archive.take(), epochs_.counts(stage_->node().epoch_nodes())};
}

Status Inner::load(const Saved& saved) {
  Archive archive(saved.bytes);
  stage_->state(archive);
  archive.finish();
  epochs_.assign(stage_->node().epoch_nodes(), saved.epochs);
  return archive.status();
}

}  // namespace weir
