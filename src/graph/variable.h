// Two internal operators: a dataset found in a variable, and a dataset bound in an outer scope. They cost a
// virtual call per block.
#pragma once

#include "dataset/dataset.h"
#include "expr/types/function.h"

namespace weir {

// The dataset that an expression over variables gives when opened.
// REQUIRES: value->spec() is a dataset
Result<DatasetRef> variable_dataset(ExpressionRef value, const BuildSite& site);

// `node`, bound `levels` scopes further out and opened under that scope's Env.
Result<DatasetRef> outer_dataset(DatasetRef node, int levels, const BuildSite& site);

}  // namespace weir
