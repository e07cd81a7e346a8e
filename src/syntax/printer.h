// Tree to canonical text: parsing it gives an equal tree, and printing that gives the same text. Prints any
// tree that the parser can return.
#pragma once

#include <string>
#include <string_view>

#include "syntax/tree.h"

namespace weir::syntax {

// Prints any node: a document (a statement per line, the pipeline on the last, no newline at the end), an
// expression, pattern, spec or feature. Writes only the parentheses that are needed.
std::string print(const Node& node);

// A key as dicts, fields, patterns, specs and elements show it: bare if it is an identifier, else quoted.
std::string print_key(std::string_view key);

}  // namespace weir::syntax
