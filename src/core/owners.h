// Lists of what strings and datasets of tensors point into.
#pragma once

#include <span>
#include <vector>

#include "core/tensor.h"

namespace weir {

// Adds what keeps the entries of `values` alive, to a list that may have it already. Rows that come from one
// tensor share its buffer and list, which are added once.
inline void add_owners(std::vector<RefPtr<RefCounted>>& out, std::span<const Tensor> values) {
  const Buffer* buffer = nullptr;
  const Owners* owners = nullptr;
  for (const Tensor& value : values) {
    if (value.buffer && value.buffer.get() != buffer) out.push_back(value.buffer);
    if (value.owners && value.owners.get() != owners)
      out.insert(out.end(), value.owners->list.begin(), value.owners->list.end());
    buffer = value.buffer.get();
    owners = value.owners.get();
  }
}

}  // namespace weir
