// NameFinder: finds names that a text uses and nothing here provides, in extensions.
#pragma once

#include <optional>
#include <string>

#include "core/status.h"
#include "format/tables/table_format.h"
#include "graph/handed.h"

namespace weir {

class NameFinder {
 public:
  virtual ~NameFinder() = default;
  // What a text may use as NAME(…) or @NAME; empty if no extension provides it. The error of one that does.
  virtual Result<std::optional<HandedThing>> find(const std::string& name) = 0;
  // The format of tables with this name. failed_precondition, with what to install, if there is none.
  virtual Result<RefPtr<const TableFormat>> table_format(const std::string& name) = 0;
};

}  // namespace weir
