#include "core/memory_budget.h"

#include <memory>

#include "core/text.h"

namespace weir {

Status HeldBytes::exceeded() const {
  Status status = resource_exhausted(expected_found(
      concat("shuffles, caches, windows and batches that hold at most ", budget_->limit(),
             " bytes, the runtime's memory_bytes"),
      concat(budget_->used(), ", ", held_, " of them here"),
      "make buffer_size, windows or batches smaller, or give cache a file, or raise memory_bytes"));
  auto error = std::make_shared<Error>(status.error());
  error->lacks_memory = true;
  return Status(ErrorPtr(std::move(error)));
}

}  // namespace weir
