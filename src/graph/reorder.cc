#include "graph/reorder.h"

namespace weir {

namespace {

class Reordered final : public Function {
 public:
  Reordered(FunctionRef inner, Spec wanted)
      : Function(inner->input(), std::move(wanted)),
        inner_(std::move(inner)),
        from_(component_order(inner_->result(), result_)) {
    can_fail_ = inner_->can_fail();
    draws_random_ = inner_->draws_random();
    concurrent_ = inner_->concurrent();
    takes_blocks_ = inner_->takes_blocks();
    is_host_ = inner_->is_host();
  }

  void call(const CallArgs& args, const Block& in, Block& out) const override {
    inner_->call(args, in, out);
    if (out.columns.size() != from_.size()) return;
    std::vector<Column> columns;
    columns.reserve(from_.size());
    for (int from : from_) columns.push_back(std::move(out.columns[static_cast<size_t>(from)]));
    out.columns = std::move(columns);
  }

  int passes(int i) const override { return inner_->passes(from_[static_cast<size_t>(i)]); }
  Lane lane() const override { return inner_->lane(); }
  std::string not_replayable() const override { return inner_->not_replayable(); }
  void add_sites(Sites& out) const override { inner_->add_sites(out); }
  void epoch_nodes(std::vector<EpochNode>& out) const override { inner_->epoch_nodes(out); }
  bool opens_variables() const override { return inner_->opens_variables(); }
  const Function& inner() const { return *inner_; }

 private:
  const FunctionRef inner_;
  const std::vector<int> from_;
};

}  // namespace

Spec ordered_like(const Spec& spec, const Spec& like) {
  Spec out = spec;
  out.keys = like.keys;
  for (size_t i = 0; i < out.children.size(); ++i) {
    size_t from = spec.kind == Spec::Kind::dict ? static_cast<size_t>(spec.find(like.keys[i])) : i;
    out.children[i] = ordered_like(spec.children[from], like.children[i]);
  }
  return out;
}

const Function* reordered(const Function& function) {
  const auto* found = dynamic_cast<const Reordered*>(&function);
  return found ? &found->inner() : nullptr;
}

FunctionRef reorder_result(FunctionRef function, Spec wanted) {
  return make_ref<Reordered>(std::move(function), std::move(wanted));
}

}  // namespace weir
