// Whether a sanitizer is at work. There everything takes about ten times as long, so that tests which go
// through thousands of cases take some of them; in the other builds they go through all.
#pragma once

#include <cstddef>

namespace weir {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// How far apart those cases are that differ only in where something happens.
constexpr size_t sanitized_step(size_t step) { return kSanitized ? step : 1; }

}  // namespace weir
