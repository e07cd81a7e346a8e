// Drains nested datasets, to print an element that holds one.
#pragma once

#include "core/runtime.h"
#include "core/value.h"
#include "graph/format_element.h"

namespace weir {

// An endless dataset cannot be printed.
inline constexpr int64_t kMaxNestedRows = int64_t{1} << 20;

class RowVisitor {
 public:
  virtual ~RowVisitor() = default;
  virtual Status row(const Components& values) = 0;
};

// Gives each element to the visitor. `owner` keeps the runtime alive. Fails with the first error of an
// element, or resource_exhausted above kMaxNestedRows.
Status drain_nested(Runtime& runtime, RefPtr<RefCounted> owner, const NestedDataset& nested,
                    RowVisitor& visitor);

// Drains for format_element().
class NestedDrainer final : public NestedPrinter {
 public:
  NestedDrainer(Runtime& runtime, RefPtr<RefCounted> owner) : runtime_(runtime), owner_(std::move(owner)) {}
  Status drain(const NestedDataset& dataset, const Spec& element, std::vector<std::string>& out) override;

 private:
  Runtime& runtime_;
  const RefPtr<RefCounted> owner_;
};

}  // namespace weir
