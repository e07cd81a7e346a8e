// NameFinder: finds names that a text uses and nothing here provides, in extensions.
#pragma once

#include <optional>
#include <string>

#include "core/status.h"
#include "graph/handed.h"

namespace weir {

class NameFinder {
 public:
  virtual ~NameFinder() = default;
  // What a text may use as NAME(…) or @NAME; empty if no extension provides it. The error of one that does.
  virtual Result<std::optional<HandedThing>> find(const std::string& name) = 0;
};

}  // namespace weir
