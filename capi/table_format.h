// Formats of tables of the host: a weir_table_format taken over, as a TableFormat. Its destroy function runs
// exactly once: when the last table of it is closed and the runtime is gone, or when taking it over fails.
#pragma once

#include "capi/barrier.h"
#include "format/tables/table_format.h"

namespace weir::capi {

// invalid_argument if it is not a valid one.
Result<RefPtr<const TableFormat>> take_table_format(const weir_table_format* given);

}  // namespace weir::capi
