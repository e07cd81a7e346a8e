#include "dataset/compose.h"

#include <utility>

namespace weir {

Result<DatasetRef> with_inputs(const Dataset& node, std::vector<DatasetRef> inputs) {
  return Dataset::build(node.op(), node.params().clone(), std::move(inputs),
                        {.depth = node.depth(), .on_behalf_of = node.epoch_id(), .digest = node.digest()});
}

Result<DatasetRef> expansion(const Opening& opening, const ParamsBase& params) {
  if (!opening.node->dynamic()) return opening.node->inputs().back();
  const BuildSite site{&opening.ctx.runtime(), opening.node->depth(), opening.node->epoch_id(), true};
  return opening.node->op().typing.expand(params, opening.node->inputs(), site);
}

}  // namespace weir
