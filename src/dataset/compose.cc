#include "dataset/compose.h"

namespace weir {

Result<DatasetRef> expansion(const Opening& opening, const ParamsBase& params) {
  if (!opening.node->dynamic()) return opening.node->inputs().back();
  const BuildSite site{&opening.ctx.runtime(), opening.node->depth(), opening.node->epoch_id(), true};
  return opening.node->op().expand(params, opening.node->inputs(), site);
}

}  // namespace weir
