// call_of_source: what NAME(a, b: c) means where NAME is a generator with a signature:
// from_generator(@NAME, SPEC, arguments: {…}), where SPEC is what the generator tells.
#pragma once

#include "core/status.h"
#include "expr/types/generator.h"
#include "syntax/tree.h"

namespace weir {

// REQUIRES: it has a signature
Result<syntax::NodePtr> call_of_source(const Generator& generator, const syntax::Node& call);

// The same text, which is never freed: paths of operators and stats outlive the graphs that they are of.
const char* lasting_name(const std::string& name);

}  // namespace weir
