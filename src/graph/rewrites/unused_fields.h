// without_unused_fields: a graph whose maps leave out the parts of their results that no operator above them
// uses.
//
// Each node becomes one of the same operator over a narrower input, so positions, counters and the paths of
// errors are those of the graph as written. The errors are the same, too, except those of unused features:
// parse_example leaves these out, as it does with features that its own lambda does not use. So this is part
// of a graph's meaning, not a rewrite that can be switched off: everything that opens the nodes of a document
// opens these.
#pragma once

#include <vector>

#include "dataset/dataset.h"

namespace weir {

bool all(const Marks& marks);

// Which components of its only input an operator uses if `used` of its elements are.
Marks needed_fields(const Dataset& node, Marks used);

struct UsedFields {
  // The graph itself if all fields are used.
  DatasetRef root;
  // The maps, as written, that leave something out, from the root to the sources.
  std::vector<DatasetRef> maps;
};

Result<UsedFields> without_unused_fields(const DatasetRef& root);

}  // namespace weir
