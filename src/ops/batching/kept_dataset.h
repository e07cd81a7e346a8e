// KeptDataset: rows that an operator keeps, as a dataset that is an element: a window, a group. One node
// serves all datasets of one structure; the rows lie in the variables of each, shared and never copied.
#pragma once

#include <utility>
#include <vector>

#include "core/block.h"
#include "dataset/dataset.h"

namespace weir {

class KeptDataset {
 public:
  // Datasets of elements of this structure.
  static Result<KeptDataset> make(const Spec& element);

  // The dataset of these rows, none of which has failed.
  RefPtr<NestedDataset> of(std::vector<Block> rows) const;
  // What gives the rows if it is opened with the variables of such a dataset, so that others may be built on
  // it.
  const DatasetRef& node() const { return node_; }

 private:
  explicit KeptDataset(DatasetRef node) : node_(std::move(node)) {}

  DatasetRef node_;
};

}  // namespace weir
