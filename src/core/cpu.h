// What the processor can do beyond the baseline that the library is compiled for.
//
//   WEIR_TARGET_AVX2 void loop_avx2(…);
//   if (cpu_level() >= CpuLevel::avx2) loop_avx2(…);
//
// Every level gives the same bits: nothing is contracted or reordered.
#pragma once

#include <atomic>
#include <cstdint>

namespace weir {

enum class CpuLevel : uint8_t { baseline, avx2 };

// The attribute of a function that is called only where cpu_level() allows it.
#if defined(__x86_64__)
#define WEIR_TARGET_AVX2 [[gnu::target("avx2")]]
#else
#define WEIR_TARGET_AVX2
#endif

CpuLevel detected_cpu_level();

inline std::atomic<CpuLevel> chosen_cpu_level{detected_cpu_level()};
inline CpuLevel cpu_level() { return chosen_cpu_level.load(std::memory_order_relaxed); }
// Limits the level used from now on to `most`, for comparing levels; never exceeds what the processor has.
void limit_cpu_level(CpuLevel most);

}  // namespace weir
