// The barrier around every call into the host: an exception stops at it and becomes an error, and calls nest
// only so deep. A host's function must not end its thread (docs/adr/0077).
#pragma once

#include "core/exception.h"

namespace weir {

namespace host_call {

// How many calls this thread is in that may call the library again. Next to the thread pointer, so that
// reading it is one instruction in a shared library, too.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local int depth;
// More fit the stack of a small thread. A callback that comes back to itself without end must not overflow
// it.
inline constexpr int kMostDepth = 32;
ErrorPtr too_deep() noexcept;

}  // namespace host_call

// Calls function(), which does not call the library again, or only releases something. Returns null, or what
// it threw.
template <class Function>
ErrorPtr notify_host(Function&& function) noexcept {
  try {
    function();
    return nullptr;
  } catch (...) {
    return error_of_exception();
  }
}

// Calls function(), which may call the library again. Returns null, what it threw, or failed_precondition if
// too many such calls are inside each other; then it was not called.
template <class Function>
[[nodiscard]] ErrorPtr call_host(Function&& function) noexcept {
  if (host_call::depth == host_call::kMostDepth) [[unlikely]]
    return host_call::too_deep();
  ++host_call::depth;
  ErrorPtr error = notify_host(static_cast<Function&&>(function));
  --host_call::depth;
  return error;
}

}  // namespace weir
