#include "core/host_call.h"

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
