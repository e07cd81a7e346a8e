// names_dataset: the dataset that a string or a list of strings stands for where names of files are wanted.
#pragma once

#include "dataset/dataset.h"
#include "graph/binder.h"

namespace weir {

// REQUIRES: `names` is a string or a vector of them
Result<DatasetRef> names_dataset(ExpressionRef names, BuildSite at);

}  // namespace weir
