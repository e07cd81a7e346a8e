#include "exec/onetbb.h"

// A sanitizer has to know oneTBB, so there it is linked.
#ifdef WEIR_LINKS_ONETBB

bool weir::find_onetbb() { return true; }

#else

#include <dlfcn.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <cstdlib>

#include "core/load_library.h"
#include "core/once.h"

namespace weir {

namespace {

using namespace tbb::detail;  // NOLINT(google-build-using-namespace)

constexpr const char* kLibrary = "libtbb.so.12";
// What libtbb calls of its own, and what a program with another oneTBB has as well.
constexpr const char* kCalledInside[] = {
    "_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextE",
    "_ZN3tbb6detail2r122cache_aligned_allocateEm",
    "_ZN3tbb6detail2r117notify_by_addressEPvm",
};

// What the headers of task_arena and global_control call.
struct Onetbb {
  void (*initialize)(d1::task_arena_base&);
  void (*terminate)(d1::task_arena_base&);
  void (*enqueue)(d1::task&, d1::task_arena_base*);
  d1::slot_id (*execution_slot)(const d1::execution_data*);
  std::size_t (*global_control_active_value)(int);
  void* (*allocate)(d1::small_object_pool*&, std::size_t);
  void (*deallocate)(d1::small_object_pool&, void*, std::size_t, const d1::execution_data&);
  void (*assertion_failure)(const char*, int, const char*, const char*);

  bool load() {
    void* library = load_library(kLibrary);
    if (library == nullptr) return false;
    const auto find = [&](const char* name, auto& function) {
      reinterpret_cast<void*&>(function) = ::dlsym(library, name);
      return function != nullptr;
    };
    for (const char* name : kCalledInside) {
      void* const first = ::dlsym(RTLD_DEFAULT, name);
      if (first != nullptr && first != ::dlsym(library, name)) return false;
    }
    return find("_ZN3tbb6detail2r110initializeERNS0_2d115task_arena_baseE", initialize) &&
           find("_ZN3tbb6detail2r19terminateERNS0_2d115task_arena_baseE", terminate) &&
           find("_ZN3tbb6detail2r17enqueueERNS0_2d14taskEPNS2_15task_arena_baseE", enqueue) &&
           find("_ZN3tbb6detail2r114execution_slotEPKNS0_2d114execution_dataE", execution_slot) &&
           find("_ZN3tbb6detail2r127global_control_active_valueEi", global_control_active_value) &&
           find("_ZN3tbb6detail2r18allocateERPNS0_2d117small_object_poolEm", allocate) &&
           find("_ZN3tbb6detail2r110deallocateERNS0_2d117small_object_poolEPvmRKNS2_14execution_dataE",
                deallocate) &&
           find("_ZN3tbb6detail2r117assertion_failureEPKciS3_S3_", assertion_failure);
  }
};

Onetbb functions;
constinit Once looked_up;
bool found = false;

}  // namespace

bool find_onetbb() {
  looked_up.call([] { found = functions.load(); });
  return found;
}

}  // namespace weir

// The functions that oneTBB's headers call, hidden in this library, which lead to the ones that were looked
// up.
namespace tbb::detail::r1 {

void initialize(d1::task_arena_base& arena) { weir::functions.initialize(arena); }
void terminate(d1::task_arena_base& arena) { weir::functions.terminate(arena); }
void enqueue(d1::task& task, d1::task_arena_base* arena) { weir::functions.enqueue(task, arena); }
d1::slot_id execution_slot(const d1::execution_data* data) { return weir::functions.execution_slot(data); }
std::size_t global_control_active_value(int parameter) {
  return weir::functions.global_control_active_value(parameter);
}
void* allocate(d1::small_object_pool*& pool, std::size_t size) {
  return weir::functions.allocate(pool, size);
}
void deallocate(d1::small_object_pool& pool, void* data, std::size_t size,
                const d1::execution_data& execution) {
  weir::functions.deallocate(pool, data, size, execution);
}
void assertion_failure(const char* place, int line, const char* expression, const char* comment) {
  weir::functions.assertion_failure(place, line, expression, comment);
  std::abort();
}

}  // namespace tbb::detail::r1

#endif
