#include "core/float_mode.h"

namespace weir {

#if defined(__x86_64__)

void FloatMode::enter() noexcept {
  changed_ = true;
  _mm_setcsr((found_ & ~kControl) | kUsual);
}

void FloatMode::leave() noexcept { _mm_setcsr(found_); }

LongDoubleMode::LongDoubleMode() noexcept {
  // 64-bit mantissa, round to nearest, nothing trapped.
  const uint16_t usual = 0x037f;
  asm volatile("fnstenv %0\n\tfnclex\n\tfldcw %1" : "=m"(found_) : "m"(usual) : "memory");
}

LongDoubleMode::~LongDoubleMode() { asm volatile("fnclex\n\tfldenv %0" : : "m"(found_) : "memory"); }

#elif defined(__aarch64__)

void FloatMode::enter() noexcept {
  changed_ = true;
  asm volatile("msr fpcr, %0" : : "r"(uint64_t{0}) : "memory");
}

void FloatMode::leave() noexcept { asm volatile("msr fpcr, %0" : : "r"(found_) : "memory"); }

#else

void FloatMode::enter() noexcept {}
void FloatMode::leave() noexcept {}

#endif

#if !defined(__x86_64__)
// Other processors compute it in software, in the mode above.
LongDoubleMode::LongDoubleMode() noexcept = default;
LongDoubleMode::~LongDoubleMode() = default;
#endif

}  // namespace weir
