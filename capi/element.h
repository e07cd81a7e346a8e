// Element: what an iterator fills and the caller reads in place: one row, or the rows of a block.
// Ownership: shares the buffers of its values; keeps their memory for the next filling.
// Threads: one at a time (an exclusive pin while it is filled or released). Errors: out_of_range.
// Cost: filling it is free; the cursor writes into its block.
#pragma once

#include "capi/barrier.h"
#include "capi/runtime.h"
#include "capi/spec.h"
#include "core/block.h"

namespace weir::capi {

struct Element final : Object {
  static constexpr HandleKind kKind = HandleKind::element;

  // One row, unless `batched`: then rows is what next_block gave, and all columns are dense.
  Block block;
  bool batched = false;
  // Of the iterator that filled it; what printing needs.
  SpecRef spec;
  // Only where there are nested datasets to drain, so that an element does not keep a runtime for nothing.
  RefPtr<RuntimeHost> host;
  // Of the iterator that filled it: what origins name.
  RefPtr<SourceNames> source_names;
  // What weir_element_origin gave last.
  std::string file;

  bool empty() const { return block.rows == 0; }
  // Forgets the values, keeps memory.
  void forget() { block.reset(block.columns.size()); }
  // Component `index` as a tensor of its own. REQUIRES: !empty()
  Tensor tensor(size_t index) const;
};

}  // namespace weir::capi
