// What a checkpoint of a dataset will take besides positions, and what restoring it reads again: known from
// the graph, before anything runs. As lines for a terminal, or as JSON.
#pragma once

#include <string>

#include "graph/document.h"

namespace weir {

std::string checkpoint_needs(const Document& document, bool json);

}  // namespace weir
