#include "ops/inner.h"

namespace weir {

void Inner::Saved::state(Archive& archive) {
  archive("bytes", bytes);
  archive("epochs", epochs);
}

Result<std::unique_ptr<Inner>> Inner::open(Context& ctx, const Apply& apply, Port& input, const PathRef& path) {
  std::unique_ptr<Inner> inner(new Inner(input.position()));
  Block made;
  if (input.block().rows == 1) {
    apply(ctx.session, inner->ordinal_, input.block(), made);
  } else {
    apply(ctx.session, inner->ordinal_, input.block().slice(input.begin(), 1), made);
  }
  input.take(1);
  if (!made.errors.empty()) return Status(made.errors[0].error);
  Tensor value = made.columns[0].row(0);
  const NestedDataset& nested = dataset_of(value);
  DatasetRef node(static_cast<const Dataset*>(nested.node.get()));
  Context scoped{ctx.session, ctx.waker, &inner->epochs_};
  uint64_t key = derive_key(apply.key(), static_cast<uint64_t>(inner->ordinal_));
  inner->stage_ = Stage::open(scoped, node, nested.env, key, path, -1);
  return inner;
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
