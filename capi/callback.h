// Callbacks of the host: a weir_callback taken over, as the expression floor sees it.
// Ownership: its destroy function runs exactly once: when the last CallbackRef goes, or when taking it over
// fails. Threads: as its flags say. Errors: invalid_argument for what is no callback. Cost: about 100 ns a
// call besides the host's function.
#pragma once

#include "capi/barrier.h"
#include "core/host_call.h"
#include "expr/callback.h"

namespace weir::capi {

// Runs a destroy function unless somebody else has taken that over.
class DestroyGuard {
 public:
  DestroyGuard(void (*destroy)(void*), void* user_data) : destroy_(destroy), user_data_(user_data) {}
  DestroyGuard(const DestroyGuard&) = delete;
  DestroyGuard& operator=(const DestroyGuard&) = delete;
  ~DestroyGuard() {
    if (destroy_) call_host([this] { destroy_(user_data_); });
  }
  void dismiss() { destroy_ = nullptr; }

 private:
  void (*destroy_)(void*);
  void* user_data_;
};

Result<CallbackRef> take_callback(const weir_callback* given);

}  // namespace weir::capi
