#include <charconv>

#include "capi/iterator_object.h"

namespace weir::capi {

namespace {

constexpr size_t kDigits = 16;

void append_digits(std::string& text, uint64_t bits) {
  constexpr std::string_view kHex = "0123456789abcdef";
  for (int shift = 60; shift >= 0; shift -= 4) text += kHex[(bits >> shift) & 15];
}

}  // namespace

uint64_t StringHandle::iterator_of(std::string_view text) noexcept {
  if (text.size() != kSize || !text.starts_with(kPrefix)) return 0;
  uint64_t handle = 0;
  const char* digits = text.data() + kPrefix.size();
  const auto [end, code] = std::from_chars(digits, digits + kDigits, handle, 16);
  return code == std::errc() && end == digits + kDigits ? handle : 0;
}

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
