#include "core/cpu.h"

#include <algorithm>

namespace weir {

CpuLevel detected_cpu_level() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) return CpuLevel::avx2;
#endif
  return CpuLevel::baseline;
}

void limit_cpu_level(CpuLevel most) { chosen_cpu_level.store(std::min(most, detected_cpu_level())); }

}  // namespace weir
