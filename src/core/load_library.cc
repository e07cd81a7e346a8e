#include "core/load_library.h"

#include <dlfcn.h>
#include <pthread.h>

#include <cstdlib>

#include "core/sync.h"

namespace weir {

namespace {

// Never destroyed: threads may still load while the process ends.
Mutex& changing = *new Mutex;
[[maybe_unused]] const int watches_forks =
    pthread_atfork([] { changing.lock(); }, [] { changing.unlock(); }, [] { changing.unlock(); });

}  // namespace

void* load_library(const char* name) {
  MutexLock lock(changing);
  return ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

void call_at_exit(void (*function)()) {
  MutexLock lock(changing);
  std::atexit(function);
}

}  // namespace weir
