// interleave_files: implements num_parallel_reads: reads files in turns, one record of each. Equals
// interleave(f -> READER(f), cycle_length: count, num_parallel_calls: count). A file that fails gives the
// errors of its reader.
#pragma once

#include <memory>

#include "dataset/operator.h"

namespace weir {

// `reader` with `params` reads the file named by its only input. `count` may be auto.
Result<DatasetRef> interleave_files(DatasetRef names, const IntParam& count, const OperatorDef& reader,
                                    std::unique_ptr<ParamsBase> params, const BuildSite& site);

}  // namespace weir
