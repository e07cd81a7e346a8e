// What a dataset will do, as far as the graph tells: its operators as a tree, with parameters, structure and
// cardinality, what runs ahead where and with which limits, and what a checkpoint takes. Nothing is opened.
#pragma once

#include <string>

#include "graph/document.h"

namespace weir {

// As JSON, which weir.h describes, or as lines for a terminal. With `parts`, JSON also has what is known of
// those of the partition that gives the elements.
std::string explain(const Document& document, bool json, bool parts = false);

}  // namespace weir
