// compose: builds a node of another operator, for operators that are composed of others, with the errors of
// Dataset::build. PassCursor returns the rows of such a node.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "dataset/operator.h"

namespace weir {

// P says which operator it belongs to: `static const OperatorDef& op()`.
template <class P>
Result<DatasetRef> compose(P params, std::vector<DatasetRef> inputs, const BuildSite& site) {
  return Dataset::build(P::op(), std::make_unique<P>(std::move(params)), std::move(inputs), site);
}

// The node with other inputs. Its openings are counted as those of `node`.
// REQUIRES: it has no `expand`
Result<DatasetRef> with_inputs(const Dataset& node, std::vector<DatasetRef> inputs);

// The dataset that an operator with `expand` consists of: built with the node, or now if its parameters were
// not known then.
Result<DatasetRef> expansion(const Opening& opening, const ParamsBase& params);

// The cursor of an operator that adds nothing to the rows of another node.
class PassCursor final : public Cursor {
 public:
  PassCursor(Opening& opening, DatasetRef node)
      : rows_(opening.ctx, opening.inner(std::move(node)), Port::Mode::pass) {}
  Step next(Context& ctx, const Demand& demand, Block& out) override { return rows_.pull(ctx, demand, out); }
  void state(Archive& archive) override { rows_.state(archive); }

 private:
  Port rows_;
};

}  // namespace weir
