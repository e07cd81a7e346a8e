// param_digests: the values of a document's $params, as a checkpoint compares them.
#pragma once

#include <vector>

#include "graph/document.h"
#include "iterator/checkpoint.h"

namespace weir {

// `placeless`: names of files don't say where the files are. REQUIRES: `env` is the document's, not null
std::vector<ParamDigest> digests_of(const Document& document, const Env* env, bool placeless);

}  // namespace weir
