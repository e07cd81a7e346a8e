// interleave_files: what num_parallel_reads stands for: files read in turns, a record of each.
// It yields what interleave(f -> READER(f), cycle_length: count) would. Ownership: as Dataset::build.
// Threads: any. Errors: as Dataset::build; a file that fails is an error of its own records, as its reader
// says. Cost: building a node a file.
#pragma once

#include <memory>

#include "dataset/operator.h"

namespace weir {

// `reader` with `params` reads the file whose name its only input gives. `count` may be auto.
Result<DatasetRef> interleave_files(DatasetRef names, const IntParam& count, const OperatorDef& reader,
                                    std::unique_ptr<ParamsBase> params, const BuildSite& site);

}  // namespace weir
