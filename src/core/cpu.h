// What the processor can do beyond the baseline that the library is compiled for.
//
//   WEIR_TARGET_AVX2 void loop_avx2(…);
//   if (cpu_level() >= CpuLevel::avx2) loop_avx2(…);
//
// Every level gives the same bits: nothing is contracted or reordered. Ownership: none. Threads: any.
// Errors: none. Cost: a relaxed load.
#pragma once

#include <atomic>
#include <cstdint>

namespace weir {

enum class CpuLevel : uint8_t { baseline, avx2 };

// What a function needs that is only called where cpu_level() allows it.
#if defined(__x86_64__)
#define WEIR_TARGET_AVX2 [[gnu::target("avx2")]]
#else
#define WEIR_TARGET_AVX2
#endif

CpuLevel detected_cpu_level();

inline std::atomic<CpuLevel> chosen_cpu_level{detected_cpu_level()};
inline CpuLevel cpu_level() { return chosen_cpu_level.load(std::memory_order_relaxed); }
// Computes with no more than that from now on, for comparing levels; never with more than there is.
void limit_cpu_level(CpuLevel most);

}  // namespace weir
