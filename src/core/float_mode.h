// FloatMode: while it lives, its thread computes in the default mode of IEEE 754: round to nearest,
// subnormals kept, nothing trapped. A host may have set another mode on its threads, and a value must not
// depend on which thread computes it.
//
//   FloatMode mode;
//   body(run);                                        // a call that is not inlined
//   return in_float_mode([&] { return a * b; });      // anything else
//
// The compiler does not know about modes and may move arithmetic of the same function past them, so the
// arithmetic must be in its own function. No host code runs inside, so the host sees only the mode that it
// set. The old mode is restored at the end. Costs 1 ns, and about 10 ns if the mode differs.
#pragma once

#include <cstdint>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace weir {

class FloatMode {
 public:
#if defined(__x86_64__)
  FloatMode() noexcept : found_(_mm_getcsr()) {
    if ((found_ & kControl) != kUsual) [[unlikely]]
      enter();
  }
#elif defined(__aarch64__)
  FloatMode() noexcept {
    asm volatile("mrs %0, fpcr" : "=r"(found_) : : "memory");
    if (found_ != 0) [[unlikely]]
      enter();
  }
#else
  FloatMode() noexcept = default;
#endif
  FloatMode(const FloatMode&) = delete;
  FloatMode& operator=(const FloatMode&) = delete;
  ~FloatMode() {
    if (changed_) [[unlikely]]
      leave();
  }

 private:
#if defined(__x86_64__)
  // Everything but the sticky flags; all masks set and nothing else.
  static constexpr uint32_t kControl = 0xffc0;
  static constexpr uint32_t kUsual = 0x1f80;
  uint32_t found_;
#else
  uint64_t found_ = 0;
#endif
  void enter() noexcept;
  void leave() noexcept;
  bool changed_ = false;
};

// The same for `long double`, which x86-64 computes in another unit with its own mode and pending exceptions.
// Discards the exceptions raised inside: if a host on the same thread unmasked them, they would trap there.
// Costs some 50 ns.
class LongDoubleMode {
 public:
  LongDoubleMode() noexcept;
  LongDoubleMode(const LongDoubleMode&) = delete;
  LongDoubleMode& operator=(const LongDoubleMode&) = delete;
  ~LongDoubleMode();

 private:
#if defined(__x86_64__)
  // As fnstenv writes it.
  uint8_t found_[28];
#endif
};

namespace float_mode {

template <class F>
[[gnu::noinline]] auto apart(F& body) {
  return body();
}

}  // namespace float_mode

// Calls `body` in that mode. Its operands lie outside and are captured by reference.
template <class F>
auto in_float_mode(F body) {
  FloatMode mode;
  return float_mode::apart(body);
}

}  // namespace weir
