// placeless: a tree in which strings that name files don't say where these are.
#pragma once

#include <map>
#include <string>

#include "core/file_places.h"
#include "graph/canonical.h"

namespace weir {

// Which strings those are is told from the parameters that name files (FilesParam, Allows::names,
// KernelParam::names_files): what is written there, and what gets there from a list, a `let`, a handed value
// or the elements of a source, through lambdas, structures and `+`. Others stay: a function that makes names
// out of something else is compared as it is written.
//
// The strings of one argument lose the folder that they share; what a name is added to that begins with a
// slash, all of it. `params`: null, or gets what each $param names that is used for nothing else.
Canonical placeless(const Canonical& tree, std::map<std::string, Naming>* params = nullptr);

}  // namespace weir
