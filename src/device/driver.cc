#include "device/driver.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "core/load_library.h"
#include "core/sync.h"
#include "core/text.h"
#include "exec/threads.h"

namespace weir::cuda {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";
// The version of CUDA whose forms of the functions are meant, and that streams 0 are the legacy one.
constexpr int kVersion = 11030;
constexpr uint64_t kLegacyStream = 1;

using GetProcAddress = Answer (*)(const char* symbol, void** function, int version, uint64_t flags);
using GetProcAddress2 = Answer (*)(const char* symbol, void** function, int version, uint64_t flags,
                                   int* status);

// Never unloaded. Guarded by the lock.
struct Opened {
  Mutex mutex;
  void* library = nullptr;
  Driver driver;
};
Opened& opened = *new Opened;
// fork_generation() of the process that initialised the driver, plus one; 0: none has.
std::atomic<uint64_t> initialized_in{0};

Status find(void* library, const char* symbol, void*& function) {
  function = nullptr;
  if (void* newer = ::dlsym(library, "cuGetProcAddress_v2")) {
    int found = 0;
    reinterpret_cast<GetProcAddress2>(newer)(symbol, &function, kVersion, kLegacyStream, &found);
  } else if (void* older = ::dlsym(library, "cuGetProcAddress")) {
    reinterpret_cast<GetProcAddress>(older)(symbol, &function, kVersion, kLegacyStream);
  }
  if (function) return Status();
  return failed_precondition(expected_found("a driver for CUDA 11.3 or later",
                                            concat(kLibrary, " without ", symbol), "install a newer driver"));
}

Status load() {
  if (opened.library) return Status();
  void* library = load_library(kLibrary);
  if (!library) {
    const char* why = ::dlerror();
    return failed_precondition(expected_found(
        "NVIDIA's driver", concat("no ", kLibrary, " (", why ? why : "it cannot be opened", ")"),
        "elements stay in the memory of the CPU without to_device"));
  }
  Driver found;
#define WEIR_CUDA_FIND(name, symbol, parameters)                   \
  {                                                                \
    void* function;                                                \
    WEIR_TRY(find(library, symbol, function));                     \
    found.name = reinterpret_cast<decltype(found.name)>(function); \
  }
  WEIR_CUDA_FUNCTIONS(WEIR_CUDA_FIND)
#undef WEIR_CUDA_FIND
  opened.driver = found;
  opened.library = library;
  return Status();
}

Status cannot_start(Answer answer) {
  const char* visible = ::secure_getenv("CUDA_VISIBLE_DEVICES");
  return failed_precondition(expected_found(
      "a device that CUDA can use", opened.driver.describe(answer),
      visible ? concat("CUDA_VISIBLE_DEVICES is \"", visible, "\" and hides the others") : std::string()));
}

}  // namespace

std::string Driver::describe(Answer answer) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (get_error_name(answer, &name) != kSuccess || !name) name = "an unknown error";
  if (get_error_string(answer, &text) != kSuccess || !text) text = "no description";
  return concat(name, " (", answer, ": ", text, ")");
}

bool driver_is_ours() { return initialized_in.load(std::memory_order_acquire) == fork_generation() + 1; }

Result<const Driver*> open_driver() {
  // Asked without the lock, which another thread may have had when this process was forked.
  if (initialized_in.load(std::memory_order_acquire) != 0 && !driver_is_ours()) {
    return failed_precondition(
        expected_found("a process that may use CUDA", "one that was forked from a process that used it",
                       "start it in another way, such as spawn, or make no iterator with to_device before"));
  }
  MutexLock lock(opened.mutex);
  WEIR_TRY(load());
  if (initialized_in.load(std::memory_order_acquire) == 0) {
    const Answer answer = opened.driver.init(0);
    if (answer != kSuccess) return cannot_start(answer);
    initialized_in.store(fork_generation() + 1, std::memory_order_release);
  }
  return &opened.driver;
}

}  // namespace weir::cuda
