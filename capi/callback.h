// Callbacks of the host: a weir_callback taken over, as an expr::Callback. Its destroy function runs exactly
// once: when the last CallbackRef goes, or when taking it over fails. It is called on the threads that its
// flags allow; a call costs about 100 ns besides the host's function.
#pragma once

#include "capi/barrier.h"
#include "core/host_call.h"
#include "expr/types/callback.h"

namespace weir::capi {

// Runs a destroy function unless dismissed.
class DestroyGuard {
 public:
  DestroyGuard(void (*destroy)(void*), void* user_data) : destroy_(destroy), user_data_(user_data) {}
  DestroyGuard(const DestroyGuard&) = delete;
  DestroyGuard& operator=(const DestroyGuard&) = delete;
  ~DestroyGuard() {
    if (destroy_) notify_host([this] { destroy_(user_data_); });
  }
  void dismiss() { destroy_ = nullptr; }

 private:
  void (*destroy_)(void*);
  void* user_data_;
};

// Takes over a callback. invalid_argument if it is not a valid one.
Result<CallbackRef> take_callback(const weir_callback* given);

// Whether texts can call a function by this name: invalid_argument for a reserved word, already_exists for
// the name of an operator, function or dtype.
Status check_function_name(std::string_view name);

}  // namespace weir::capi
