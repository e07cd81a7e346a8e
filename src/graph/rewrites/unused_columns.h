// without_unused_columns: a graph whose sources of columns don't read the columns that no operator uses.
//
// The structure stays: a default stands in the place of an unread column, so what lies between the source and
// those that use its elements need not know. An operator says by OperatorTyping::columns and ::needs which
// components of its input it uses; one that says nothing uses all. Pipelines that a function makes are
// followed where their elements are those of the operator (Columns::inner). Every place that opens a source
// counts for itself.
#pragma once

#include "dataset/dataset.h"

namespace weir {

DatasetRef without_unused_columns(const DatasetRef& root);

}  // namespace weir
