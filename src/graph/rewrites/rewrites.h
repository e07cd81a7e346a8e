// Rewrites: the graph that an iterator opens in place of the one as written, with the same elements, errors
// and positions at a lower cost.
//
// Adjacent maps become one (ops/functions/fused_maps.h), and maps leave out unused fields (unused_fields.h).
// Fingerprints, checkpoints, counters and error paths refer to the graph as written. Pipelines inside
// lambdas, and below operators that are composed of others (cache, snapshot, sample_from_datasets …), stay as
// they are, and so does a pipeline with options(rewrites: false), except for unused fields.
// Document::rewrites() keeps them.
#pragma once

#include <string>
#include <vector>

#include "dataset/dataset.h"

namespace weir {

struct Rewrites {
  struct Replaced {
    const char* rule;
    // As written, in the order in which an element comes to them.
    std::vector<DatasetRef> operators;
  };

  // The graph as written, without unused columns and fields (unused_columns.h, unused_fields.h).
  DatasetRef written;
  // The same with adjacent maps fused.
  DatasetRef root;
  // From the root to the sources.
  std::vector<Replaced> replaced;
};

Result<Rewrites> rewrite(const DatasetRef& root);

}  // namespace weir
