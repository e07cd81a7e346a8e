#include "dataset/compose.h"

namespace weir {

Result<DatasetRef> expansion(const Opening& opening, const ParamsBase& params) {
  if (!opening.node.dynamic()) return opening.node.inputs().back();
  return opening.node.op().expand(params, opening.node.inputs(), opening.ctx.runtime());
}

}  // namespace weir
