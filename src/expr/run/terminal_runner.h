// TerminalRunner: a terminal inside a lambda: opens a dataset and drains it to one value. Any number of
// threads may call it at once.
#pragma once

#include <vector>

#include "core/runtime.h"
#include "core/value.h"
#include "dataset/traits.h"

namespace weir {

class TerminalRunner : public FunctionTraits {
 public:
  // `env` holds the variables captured for the row; `key` is the row's own.
  virtual Status run(Session& session, const EnvRef& env, uint64_t key, Components& out) const = 0;
  // It drains what it opens.
  void epoch_nodes(std::vector<EpochNode>&) const final {}
};

}  // namespace weir
