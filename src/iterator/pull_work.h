// PullWork: what pulling a dataset's rows may take, as far as its graph tells.
#pragma once

#include "dataset/dataset.h"

namespace weir {

struct PullWork {
  // Some function or parameter runs a dataset to its end, which may take any time.
  bool runs_datasets = false;
  // Some parameter does, so that opening may take any time.
  bool opens_slowly = false;
  // Functions or generators of the host are called.
  bool calls_host = false;
};

// Looks through all that is at or below the node, lambdas included. Costs a walk over the graph.
PullWork work_of(const Dataset& root);

}  // namespace weir
