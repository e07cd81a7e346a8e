// The barrier around every call into the host: an exception stops at it and becomes an error, a thread that ends inside is
// held until the library returns, and calls nest only so deep.
//
// A host's function may end its thread, by pthread_exit or a cancellation. That unwinds the stack, but weir's
// frames cannot be left halfway: rows would be lost with their cursors, destructors must not be left this
// way, and oneTBB's threads cannot end at all. So call_host() stops the unwinding. The current work fails as
// if the function had failed, nothing new begins on the thread (thread_ends()), and when the library returns
// to its caller, end_thread() resumes the unwinding. docs/adr/0010 says what was rejected.
//
// A call costs about 20 ns, thread_ends() a load.
#pragma once

#include <cxxabi.h>
#include <pthread.h>

#include <memory>
#include <type_traits>

#include "core/exception.h"

namespace weir {

namespace host_call {

// Next to the thread pointer, so that reading it is one instruction in a shared library, too.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local bool thread_is_ending;
// How many calls this thread is in that may call the library again.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local int depth;
// More fit the stack of a small thread. A callback that comes back to itself without end must not overflow it.
inline constexpr int kMostDepth = 32;
ErrorPtr too_deep() noexcept;

// Returns false if the thread began to end in `function` instead of returning from it.
bool run(void (*function)(void*), void* argument);
// Unwound frames leave marks that the address sanitizer takes for marks of its own next frames.
#ifdef __SANITIZE_ADDRESS__
void forget_frames_below();
#else
inline void forget_frames_below() {}
#endif

}  // namespace host_call

// The thread must end as soon as the library returns to its caller.
inline bool thread_ends() { return host_call::thread_is_ending; }
// Ends the thread, with the exit value that it gave.
// REQUIRES: thread_ends(), and no frame of weir is further up the stack.
[[noreturn]] void end_thread();
// For a thread that cannot end, since it serves others as well.
inline void stay_alive() { host_call::thread_is_ending = false; }

// The error of what a thread was making that ended in a callback. Made when the library was loaded.
const ErrorPtr& thread_ended() noexcept;

// Calls function(), inside notify_host() or call_host(). Returns what it threw as an error; null if nothing.
// A forced unwind has no object, which the sanitizer takes for a null reference.
template <class Function>
__attribute__((no_sanitize("undefined"))) ErrorPtr catching(Function&& function) {
  try {
    function();
    return nullptr;
  } catch (const abi::__forced_unwind&) {
    host_call::forget_frames_below();
    throw;
  } catch (...) {
    return error_of_exception();
  }
}

// Calls function(), which does not call the library again, or only releases something: whatever becomes of it, the library
// goes on. Returns null if it came back, else thread_ended() or what it threw.
template <class Function>
ErrorPtr notify_host(Function&& function) noexcept {
  struct Call {
    std::remove_reference_t<Function>* function;
    ErrorPtr thrown;
    // An exception must not pass through C frames.
    static void run(void* call) {
      auto* self = static_cast<Call*>(call);
      self->thrown = catching(*self->function);
    }
  } call{std::addressof(function), nullptr};
  return host_call::run(Call::run, &call) ? std::move(call.thrown) : thread_ended();
}

// Calls function(), which may call the library again. Returns null if it came back, else thread_ended(), what it threw, or
// failed_precondition if too many such calls are inside each other; then it was not called.
template <class Function>
[[nodiscard]] ErrorPtr call_host(Function&& function) noexcept {
  if (host_call::depth == host_call::kMostDepth) [[unlikely]]
    return host_call::too_deep();
  ++host_call::depth;
  ErrorPtr error = notify_host(static_cast<Function&&>(function));
  --host_call::depth;
  return error;
}

// Blocks cancellation while it lives, for weir's own system calls.
class Uncancelled {
 public:
  Uncancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  Uncancelled(const Uncancelled&) = delete;
  Uncancelled& operator=(const Uncancelled&) = delete;
  ~Uncancelled() {
    int ours = 0;
    pthread_setcancelstate(before_, &ours);
  }

 private:
  int before_ = 0;
};

}  // namespace weir
