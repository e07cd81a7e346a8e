// Rewrites: the graph that an iterator opens in place of the one as written, with the same elements, errors and
// positions at a lower cost.
//
// Runs of operators become one cursor each, by the rules of rule.h. Fingerprints, checkpoints, counters and error
// paths refer to the graph as written. Pipelines inside lambdas, and below operators that are composed of others
// (cache, snapshot, sample_from_datasets …), stay as they are, and so does a pipeline with options(rewrites: false),
// except for unused fields. Document::rewrites() keeps them.
#pragma once

#include <string>
#include <vector>

#include "dataset/dataset.h"

namespace weir {

struct Rewrites {
  struct Replaced {
    // The names of the rules.
    std::vector<const char*> rules;
    // As written, in the order in which an element comes to them.
    std::vector<DatasetRef> operators;
  };

  // The graph as written, without unused fields (unused_fields.h).
  DatasetRef written;
  // The same with runs of its operators replaced.
  DatasetRef root;
  // From the root to the sources.
  std::vector<Replaced> replaced;
};

Result<Rewrites> rewrite(const DatasetRef& root);

}  // namespace weir
