#include "core/load_library.h"

#include <dlfcn.h>
#include <pthread.h>

#include "core/sync.h"

namespace weir {

namespace {

// Never destroyed: threads may still load while the process ends.
Mutex& loading = *new Mutex;
[[maybe_unused]] const int watches_forks =
    pthread_atfork([] { loading.lock(); }, [] { loading.unlock(); }, [] { loading.unlock(); });

}  // namespace

void* load_library(const char* name) {
  MutexLock lock(loading);
  return ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

}  // namespace weir
