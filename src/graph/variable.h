// Two operators that no text names: a dataset found in a variable, and a dataset bound in an outer scope.
// Ownership, threads, errors: as of any operator. Cost: a virtual call a block.
#pragma once

#include "dataset/dataset.h"
#include "expr/function.h"

namespace weir {

// The dataset that an expression over variables gives when it is opened.
// REQUIRES: value->spec() is a dataset
Result<DatasetRef> variable_dataset(ExpressionRef value, const BuildSite& site);

// `node`, bound `levels` scopes further out: opened under that scope's Env.
Result<DatasetRef> outer_dataset(DatasetRef node, int levels, const BuildSite& site);

}  // namespace weir
