// IteratorObject: what a weir_iterator stands for, and the text by which a feedable iterator finds it.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "capi/runtime.h"
#include "capi/spec.h"
#include "core/sync.h"
#include "iterator/iterator.h"

namespace weir::capi {

// A block that calls lend one another, so that each need not make its own.
class SpareBlock {
 public:
  SpareBlock() = default;
  SpareBlock(const SpareBlock&) = delete;
  SpareBlock& operator=(const SpareBlock&) = delete;
  ~SpareBlock() { delete spare_.load(std::memory_order_acquire); }

  // A new one if another call has the spare one.
  std::unique_ptr<Block> take() {
    std::unique_ptr<Block> block(spare_.exchange(nullptr, std::memory_order_acq_rel));
    return block ? std::move(block) : std::make_unique<Block>();
  }
  // Keeps the memory of `block`, not its rows.
  void put(std::unique_ptr<Block> block) {
    block->reset(block->columns.size());
    delete spare_.exchange(block.release(), std::memory_order_acq_rel);
  }

 private:
  std::atomic<Block*> spare_{nullptr};
};

// "weir-iterator:", the handle in 16 hexadecimal digits, "-", and 128 random bits in 32 of them.
class StringHandle {
 public:
  static constexpr std::string_view kPrefix = "weir-iterator:";
  static constexpr size_t kSize = kPrefix.size() + 16 + 1 + 32;

  // The handle that a text of this form begins with; 0 for any other text.
  static uint64_t iterator_of(std::string_view text) noexcept;

  // The text of `handle`, made at the first call.
  std::string_view get(uint64_t handle, RandomSource& random);
  // Whether `text` is what get() returned.
  bool equals(std::string_view text) const noexcept {
    return made_.load(std::memory_order_acquire) && text == text_;
  }

 private:
  std::atomic<bool> made_{false};
  Mutex mutex_;
  std::string text_;
};

struct IteratorObject final : Object {
  static constexpr HandleKind kKind = HandleKind::iterator;
  IteratorObject(RefPtr<RuntimeHost> h, SpecRef s, DocumentRef document)
      : host(std::move(h)),
        spec(std::move(s)),
        components(spec->components()),
        draining_host(spec->has_dataset() ? host : nullptr),
        iterator(host->runtime(), host, *spec, std::move(document)) {}

  ~IteratorObject() override {
    if (const uint64_t handle = named_handle.load()) host->forget_iterator(handle);
  }

  const RefPtr<RuntimeHost> host;
  const SpecRef spec;
  const std::vector<Component> components;
  // What its elements keep to drain nested datasets with.
  const RefPtr<RuntimeHost> draining_host;
  Iterator iterator;
  SpareBlock spare;
  StringHandle string_handle;
  // Its own handle if it has a name, else 0.
  std::atomic<uint64_t> named_handle{0};
};

}  // namespace weir::capi
