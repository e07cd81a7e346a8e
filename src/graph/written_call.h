// WrittenCall: what the binder leaves at a node that a text made, to be shown (graph/explain.h).
#pragma once

#include <memory>
#include <vector>

#include "dataset/dataset.h"
#include "syntax/tree.h"

namespace weir {

// Every Dataset::digest() is one.
struct WrittenCall : NodeDigest {
  // Of each field of the operator, null where not given; empty if an expression gave the dataset.
  std::vector<syntax::NodePtr> values;
};

// Empty for nodes that replace others.
inline std::vector<syntax::NodePtr> written_values(const Dataset& node) {
  return node.digest() ? static_cast<const WrittenCall&>(*node.digest()).values
                       : std::vector<syntax::NodePtr>();
}

}  // namespace weir
