// IteratorObject: the object behind a weir_iterator, and the text by which a feedable iterator finds it.
#pragma once

#include <atomic>
#include <bit>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "capi/runtime.h"
#include "capi/spec.h"
#include "core/sync.h"
#include "iterator/iterator.h"

namespace weir::capi {

// A block that one call at a time borrows, so that each need not make its own columns.
class SpareBlock {
 public:
  class Loan {
   public:
    explicit Loan(SpareBlock& spare)
        : spare_(spare.lent_.exchange(true, std::memory_order_acquire) ? nullptr : &spare) {}
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    ~Loan() {
      if (!spare_) return;
      // The rows go, the columns' memory stays.
      spare_->block_.reset(spare_->block_.columns.size());
      spare_->lent_.store(false, std::memory_order_release);
    }
    // Its own if another call has the spare one.
    Block& operator*() { return spare_ ? spare_->block_ : own_; }

   private:
    SpareBlock* const spare_;
    Block own_;
  };

 private:
  std::atomic<bool> lent_{false};
  Block block_;
};

// "weir-iterator:", the handle in 16 hexadecimal digits, "-", and 128 random bits in 32 of them.
class StringHandle {
 public:
  static constexpr std::string_view kPrefix = "weir-iterator:";
  static constexpr size_t kSize = kPrefix.size() + 16 + 1 + 32;

  // The handle in a text of this size, 0 for any other size. A text of another form gives any number:
  // equals() decides whether it is one.
  static uint64_t iterator_of(std::string_view text) noexcept {
    if (text.size() != kSize) return 0;
    const char* digits = text.data() + kPrefix.size();
    return uint64_t{eight_digits(digits)} << 32 | eight_digits(digits + 8);
  }

  // The text of `handle`, made at the first call.
  std::string_view get(uint64_t handle, RandomSource& random);
  // Whether `text` is what get() returned.
  bool equals(std::string_view text) const noexcept {
    return made_.load(std::memory_order_acquire) && text == text_;
  }

 private:
  // Eight lower-case hexadecimal digits at once, first as a byte each, then joined two by two.
  static uint32_t eight_digits(const char* text) noexcept {
    static_assert(std::endian::native == std::endian::little);
    uint64_t bits;
    std::memcpy(&bits, text, sizeof bits);
    bits = (bits & 0x0f0f0f0f0f0f0f0f) + 9 * ((bits >> 6) & 0x0101010101010101);
    bits = (bits << 4 | bits >> 8) & 0x00ff00ff00ff00ff;
    bits = (bits << 8 | bits >> 16) & 0x0000ffff0000ffff;
    return static_cast<uint32_t>(bits << 16 | bits >> 32);
  }

  std::atomic<bool> made_{false};
  Mutex mutex_;
  std::string text_;
};

struct IteratorObject final : Object {
  static constexpr HandleKind kKind = HandleKind::iterator;
  IteratorObject(RefPtr<RuntimeHost> h, SpecRef s, DocumentRef document, bool shares_caches = false)
      : host(std::move(h)),
        spec(std::move(s)),
        components(spec->components()),
        draining_host(spec->has_dataset() ? host : nullptr),
        iterator(host->runtime(), host, *spec, std::move(document), shares_caches) {
    if (TopPage* top = host->top()) top->add(iterator);
  }

  ~IteratorObject() override {
    if (TopPage* top = host->top()) top->remove(iterator);
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
