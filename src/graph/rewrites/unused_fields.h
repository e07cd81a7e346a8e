// without_unused_fields: a graph whose maps leave out the parts of their results that no operator above them uses.
//
// Each node becomes one of the same operator over a narrower input, so that positions, counters and the paths of errors are
// those of the graph as written. Errors are, too, but for those of features that nobody uses: parse_example leaves these out,
// as it leaves out those that its own lambda does not use. So this is part of what a graph means, and no rewrite that can be
// switched off: all that opens the nodes of a document opens these.
#pragma once

#include <vector>

#include "dataset/dataset.h"

namespace weir {

struct UsedFields {
  // The graph itself if all fields are used.
  DatasetRef root;
  // The maps, as written, that leave something out, from the root to the sources.
  std::vector<DatasetRef> maps;
};

Result<UsedFields> without_unused_fields(const DatasetRef& root);

}  // namespace weir
