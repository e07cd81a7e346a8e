// Whether the processor has something in the upper halves of its vector registers. Code without AVX that runs
// then waits for them, about 100 ns on some processors, so whatever uses them clears them before it returns.
#pragma once

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <cstdint>

namespace weir::test {

// False where the processor doesn't say, and in builds with assertions: those have -O1, where gcc clears none
// by itself.
inline bool upper_halves_in_use() {
#if defined(__x86_64__) && defined(NDEBUG)
  uint32_t a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid_count(1, 0, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) return false;
  if (!__get_cpuid_count(13, 1, &a, &b, &c, &d) || !(a & 4)) return false;
  uint32_t low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
  // Those of registers 0 to 15: of 256 bits and of 512.
  constexpr uint32_t kUpper = 1 << 2 | 1 << 6;
  return low & kUpper;
#else
  return false;
#endif
}

// Clears them. REQUIRES: AVX, if upper_halves_in_use()
inline void clear_upper_halves() {
#if defined(__x86_64__)
  if (upper_halves_in_use()) asm volatile("vzeroupper" ::: "memory");
#endif
}

}  // namespace weir::test
