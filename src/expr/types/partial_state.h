// PartialState: the state of a function of several results that need not make all of them.
#pragma once

#include <memory>
#include <vector>

#include "expr/types/kernel.h"

namespace weir {

class PartialState : public KernelState {
 public:
  // The state for a call of which only these results are used; its body leaves out the others. Null if it
  // makes all the same. `used` has an entry for each result.
  virtual std::shared_ptr<const KernelState> for_results(const std::vector<bool>& used) const = 0;
};

}  // namespace weir
