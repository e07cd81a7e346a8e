// FloatMode: while one lives, its thread computes in the mode that IEEE 754 begins with: rounded to nearest,
// subnormals kept, nothing trapped. A host may have set another one on its threads, and a value must not
// depend on whose thread computes it.
//
//   FloatMode mode;
//   body(run);                                        // a call that is not inlined
//   return in_float_mode([&] { return a * b; });      // anything else
//
// The compiler knows nothing of modes and may move arithmetic of the same function past them, so what
// computes stands in a function of its own. No code of the host's runs inside: it sees the mode that it has
// set. Ownership: sets back the mode that it found. Threads: each has a mode of its own. Errors: none. Cost:
// 1 ns, and about 10 ns where the mode differs.
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

// The same for `long double`, which x86-64 computes in another unit with a mode and pending exceptions of its
// own. What it raises is gone afterwards: raised by us and unmasked by somebody else on a thread that both
// use, it would trap there. Cost: some 50 ns.
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

// Calls `body` in that mode. What it computes with lies outside, by reference.
template <class F>
auto in_float_mode(F body) {
  FloatMode mode;
  return float_mode::apart(body);
}

}  // namespace weir
