// TerminalRunner: a terminal inside a lambda: drains a dataset to one value.
// Ownership: shared by the programs that run it. Threads: any number of calls at once. Errors: the dataset's.
// Cost: opening and draining the dataset.
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
  // It drains what it opens itself.
  void epoch_nodes(std::vector<EpochNode>&) const final {}
};

}  // namespace weir
