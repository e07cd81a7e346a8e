// Floating-point modes that a host may have set on the thread that calls the library.
//
//   for (const HostFloatMode& mode : host_float_modes()) {
//     HostFloatScope scope(mode);
//     … CHECK(float_control() == scope.control());
//   }
//
// A scope restores the thread's mode. New threads and oneTBB's tasks begin with a copy of it.
#pragma once

#include <cfenv>
#include <cstdint>
#include <span>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace weir {

struct HostFloatMode {
  const char* name;
  void (*set)();
};

// What decides how this thread computes, without the sticky flags.
inline uint64_t float_control() {
#if defined(__x86_64__)
  uint16_t x87 = 0;
  asm volatile("fnstcw %0" : "=m"(x87));
  return static_cast<uint64_t>(_mm_getcsr() & ~0x3fu) << 16 | x87;
#elif defined(__aarch64__)
  uint64_t fpcr = 0;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  return fpcr;
#else
  return static_cast<uint64_t>(std::fegetround());
#endif
}

namespace host_float {

inline void flush_subnormals() {
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() | 0x8040);
#elif defined(__aarch64__)
  asm volatile("msr fpcr, %0" : : "r"(float_control() | uint64_t{1} << 24));
#endif
}
inline void round_up() { std::fesetround(FE_UPWARD); }
inline void round_down() { std::fesetround(FE_DOWNWARD); }
inline void round_toward_zero() { std::fesetround(FE_TOWARDZERO); }
inline void flush_and_round_up() {
  round_up();
  flush_subnormals();
}
inline void trap() {
  // A flag that is already raised would trap at once.
  std::feclearexcept(FE_ALL_EXCEPT);
  ::feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
}
inline void short_mantissas() {
#if defined(__x86_64__)
  const uint16_t x87 = 0x027f;
  asm volatile("fldcw %0" : : "m"(x87));
#endif
}

}  // namespace host_float

inline std::span<const HostFloatMode> host_float_modes() {
  using namespace host_float;
  static constexpr HostFloatMode modes[] = {{"subnormals are zero", flush_subnormals},
                                            {"upward", round_up},
                                            {"downward", round_down},
                                            {"toward zero", round_toward_zero},
                                            {"upward and subnormals are zero", flush_and_round_up},
                                            {"traps", trap},
                                            {"x87 of 53 bits", short_mantissas}};
  return modes;
}

// Sets a mode for this thread while it lives.
class HostFloatScope {
 public:
  explicit HostFloatScope(const HostFloatMode& mode) {
    std::fegetenv(&before_);
    mode.set();
    control_ = float_control();
  }
  HostFloatScope(const HostFloatScope&) = delete;
  HostFloatScope& operator=(const HostFloatScope&) = delete;
  ~HostFloatScope() { std::fesetenv(&before_); }
  uint64_t control() const { return control_; }

 private:
  std::fenv_t before_;
  uint64_t control_ = 0;
};

}  // namespace weir
