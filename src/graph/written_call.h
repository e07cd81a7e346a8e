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
  // Where a source of the program's was called by its own name: that call, with the name of each argument.
  syntax::NodePtr source;
};

// Empty for nodes that replace others.
inline std::vector<syntax::NodePtr> written_values(const Dataset& node) {
  return node.digest() ? static_cast<const WrittenCall&>(*node.digest()).values
                       : std::vector<syntax::NodePtr>();
}

// Null for other nodes.
inline syntax::NodePtr written_source(const Dataset& node) {
  return node.digest() ? static_cast<const WrittenCall&>(*node.digest()).source : syntax::NodePtr();
}

}  // namespace weir
