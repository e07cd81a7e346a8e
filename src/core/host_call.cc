#include "core/host_call.h"

#include "core/text.h"

namespace weir {

constinit thread_local int host_call::depth = 0;

ErrorPtr host_call::too_deep() noexcept try {
  return failed_precondition(
             expected_found(
                 concat("at most ", kMostDepth, " calls of the program's functions inside each other"),
                 "one more",
                 "a function that builds or reads datasets must not come back to itself without end"))
      .pointer();
} catch (...) {
  return out_of_memory();
}

}  // namespace weir
