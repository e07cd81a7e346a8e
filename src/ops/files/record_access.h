// record_access: the records of uncompressed TFRecord files by their positions, through an index of each file
// (format/record_index.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dataset/access.h"

namespace weir {

// The records of the files one after another. A missing index is made, and written next to its file if
// possible. A damaged record is an error in its place; the records after it are read. Errors are those of
// making an index.
Result<std::unique_ptr<Access>> record_access(Context& ctx, const std::vector<std::string>& files);

// Whether each file has an index that fits, so that record_access() reads no records.
bool have_indices(Context& ctx, const std::vector<std::string>& files);

}  // namespace weir
