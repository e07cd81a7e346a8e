// What the tests of tuners count time in.
#pragma once

#include <cstdint>

namespace weir {

constexpr int64_t kMs = 1'000'000;

}  // namespace weir
