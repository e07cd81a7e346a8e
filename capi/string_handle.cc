#include "capi/iterator_object.h"

namespace weir::capi {

namespace {

void append_digits(std::string& text, uint64_t bits) {
  constexpr std::string_view kHex = "0123456789abcdef";
  for (int shift = 60; shift >= 0; shift -= 4) text += kHex[(bits >> shift) & 15];
}

}  // namespace

std::string_view StringHandle::get(uint64_t handle, RandomSource& random) {
  MutexLock lock(mutex_);
  if (!made_.load(std::memory_order_relaxed)) {
    std::string text(kPrefix);
    append_digits(text, handle);
    text += '-';
    append_digits(text, random.draw());
    append_digits(text, random.draw());
    text_ = std::move(text);
    made_.store(true, std::memory_order_release);
  }
  return text_;
}

}  // namespace weir::capi
