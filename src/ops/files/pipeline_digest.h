// The digest of the pipeline that ends in a node: every operator and parameter as written, with the names of
// files that patterns matched. It tells whether files belong to a pipeline, and if not, why.
#pragma once

#include "core/digest.h"
#include "dataset/instance.h"

namespace weir {

// Of the node alone.
GraphDigest digest_of_pipeline(const Dataset& node);
uint64_t hash_of_pipeline(const Dataset& node);

// The same with what the instance depends on besides: the variables of enclosing lambdas, the $params, and
// the rank if the rows depend on it. failed_precondition if a variable is a dataset, or the node was not made
// from text.
Result<GraphDigest> digest_of_instance(const Session& session, const Instance& instance);

}  // namespace weir
