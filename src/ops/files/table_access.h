// table_access: the rows of tables by their positions, those of one file after another. Runs of neighbours
// are read together. One thread at a time may use it; reading files blocks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dataset/access.h"
#include "format/tables/table_format.h"
#include "ops/files/table_reader.h"

namespace weir {

// A file that cannot be read is one row, its error. `counted`: as for TableReader. resource_exhausted beyond
// 2^63 rows.
Result<std::unique_ptr<Access>> table_access(Context& ctx, RefPtr<const TableFormat> format,
                                             const std::vector<FieldType>& fields,
                                             const std::vector<FieldType>& counted,
                                             const std::vector<std::string>& files);

}  // namespace weir
