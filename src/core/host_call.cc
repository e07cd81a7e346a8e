#include "core/host_call.h"

#include "core/text.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

extern "C" {
// Lives in stopped_unwinding.c, since <pthread.h> does this differently in C++.
int weir_core_call(void (*function)(void*), void* argument);
[[noreturn]] void weir_core_end_thread(void);
}

namespace weir {

constinit thread_local bool host_call::thread_is_ending = false;
constinit thread_local int host_call::depth = 0;

namespace {

// Never destroyed: threads may still end while the process does.
const ErrorPtr& g_thread_ended =
    *new ErrorPtr(Status(Code::cancelled, "the thread that made this element ended in a callback").pointer());

}  // namespace

const ErrorPtr& thread_ended() noexcept { return g_thread_ended; }

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

bool host_call::run(void (*function)(void*), void* argument) {
  if (weir_core_call(function, argument)) [[likely]]
    return true;
  thread_is_ending = true;
  return false;
}

#ifdef __SANITIZE_ADDRESS__
void host_call::forget_frames_below() {
  pthread_attr_t attributes;
  void* lowest = nullptr;
  size_t size = 0;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return;
  if (::pthread_attr_getstack(&attributes, &lowest, &size) == 0) {
    auto* const here = static_cast<char*>(__builtin_frame_address(0));
    __asan_unpoison_memory_region(lowest, static_cast<size_t>(here - static_cast<char*>(lowest)));
  }
  ::pthread_attr_destroy(&attributes);
}
#endif

void end_thread() {
  // The host's own cleanup handlers may call the library again.
  host_call::thread_is_ending = false;
  weir_core_end_thread();
}

}  // namespace weir
