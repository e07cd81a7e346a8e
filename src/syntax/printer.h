// Tree to canonical text: parsing it gives an equal tree, and printing that gives the same text.
// Ownership: yields a string. Threads: pure functions. Errors: none; any tree that the parser can yield
// prints. Cost: in proportion to the text.
#pragma once

#include <string>
#include <string_view>

#include "syntax/tree.h"

namespace weir::syntax {

// Any node: a document (a statement a line, the pipeline on the last, no newline at the end), an
// expression, pattern, spec, feature. Only the parentheses that are needed.
std::string print(const Node& node);

// A key as dicts, fields, patterns, specs and elements show it: bare if it is an identifier, else quoted.
std::string print_key(std::string_view key);

}  // namespace weir::syntax
