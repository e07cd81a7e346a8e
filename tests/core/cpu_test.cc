#include "core/cpu.h"

#include <catch2/catch_test_macros.hpp>

namespace weir {
namespace {

TEST_CASE("A level is limited, never raised above what there is") {
  limit_cpu_level(CpuLevel::baseline);
  CHECK(cpu_level() == CpuLevel::baseline);
  limit_cpu_level(CpuLevel::avx2);
  CHECK(cpu_level() == detected_cpu_level());
}

}  // namespace
}  // namespace weir
