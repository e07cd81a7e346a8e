// Element: what an iterator fills and the caller reads in place: one row, or the rows of a block. It shares
// the buffers of its values and keeps their memory for the next filling. Filling and releasing need an
// exclusive pin. Filling is free, since the cursor writes into its block.
#pragma once

#include "capi/barrier.h"
#include "capi/runtime.h"
#include "capi/spec.h"
#include "capi/tensor.h"
#include "core/block.h"
#include "device/ring.h"

namespace weir::capi {

struct Element final : Object {
  static constexpr HandleKind kKind = HandleKind::element;

  // One row, unless `batched`: then the rows of next_block, and all columns are dense.
  Block block;
  bool batched = false;
  // An element of a dataset that is being made for it (iterator/element_at.h), or null.
  RefPtr<RefCounted> reading;
  // Of the iterator that filled it; used for printing.
  SpecRef spec;
  // Set only if there are nested datasets to drain, so that an element does not keep a runtime needlessly.
  RefPtr<RuntimeHost> host;
  // Of the iterator that filled it; origins refer to it.
  RefPtr<SourceNames> source_names;
  // What weir_element_origin last returned.
  std::string file;
  // If the values are on a device: their place there, and where they are used.
  RefPtr<Lease> lease;
  StreamNumber stream = kLegacyStream;
  uint64_t thread = 0;
  HandedOut handed_out;

  ~Element() override { release(); }
  // After it was filled: notes where its values are.
  void note_device() {
    if (block.rows == 0 || block.columns.empty()) return;
    const Column& column = block.columns[0];
    const Tensor& first = column.dense() ? column.tensor() : column.list()[0];
    if (!first.buffer || !first.buffer->on_device()) [[likely]]
      return;
    lease = *lease_of(first);
    stream = kLegacyStream;
    thread = this_thread();
  }
  // Lets the stream wait for values on a device, which are then used on it.
  Status use_on(StreamNumber number) {
    if (!lease) return Status();
    stream = number == kNoStream ? kLegacyStream : number;
    thread = this_thread();
    Status waits = lease->wait_on(number);
    if (waits.ok()) return waits;
    release();
    return with_operator(waits, "to_device");
  }
  // Gives up values on a device; others stay. No spare memory must keep them.
  void release() noexcept {
    if (!lease) [[likely]]
      return;
    lease->release_on(stream, thread);
    lease = nullptr;
    block = Block();
  }

  bool empty() const { return block.rows == 0; }
  // Drops the values but keeps memory.
  void forget() { block.reset(block.columns.size()); }
  // Component `index` as a separate tensor.
  // REQUIRES: !empty()
  Tensor tensor(size_t index) const;
  // Whether nobody else holds the memory of a component, so that its receiver may write to it.
  // REQUIRES: !empty()
  bool unshared(size_t index) const;
};

}  // namespace weir::capi
