#include "graph/computed.h"

#include <algorithm>

#include "core/memo.h"
#include "expr/types/kernel.h"

namespace weir {

namespace {

class Computed final : public TerminalRunner {
 public:
  explicit Computed(ExpressionRef value) : value_(std::move(value)) {}

  Lane lane() const override { return value_->traits().lane(); }
  std::string not_replayable() const override { return value_->traits().not_replayable(); }
  void add_sites(Sites& out) const override { value_->traits().add_sites(out); }

  Status run(Session& session, const EnvRef& env, uint64_t, Components& out) const override {
    const Components* known = session.memo().find(this);
    if (!known) {
      // The document's Env, if it has one, is the outermost; no other is needed.
      const Env* root = env.get();
      while (root && root->parent) root = root->parent.get();
      // The key is always the same, whoever comes first: it is one value.
      WEIR_ASSIGN(Components value, value_->evaluate(session, root, 0));
      known = &session.memo().keep(this, std::move(value));
    }
    out.assign(known->begin(), known->end());
    return Status();
  }

 private:
  const ExpressionRef value_;
};

bool drains_or_draws(const syntax::Node& node) {
  if (node.kind == syntax::Kind::pipeline) return true;
  const Kernel* kernel = node.kind == syntax::Kind::call ? find_kernel(node.text) : nullptr;
  return (kernel && kernel->draws) ||
         std::any_of(node.items.begin(), node.items.end(),
                     [](const syntax::Item& item) { return item.value && drains_or_draws(*item.value); });
}

}  // namespace

RefPtr<const TerminalRunner> make_computed(ExpressionRef value) {
  return make_ref<const Computed>(std::move(value));
}

bool is_worth_keeping(const syntax::Node& node, const Expression& value) {
  return !value.constant() && !value.spec().has_dataset() && drains_or_draws(node);
}

}  // namespace weir
