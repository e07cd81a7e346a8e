// Calls host functions, and handles threads that end inside one.
//
// A host's function may end its thread, by pthread_exit or a cancellation. That unwinds the stack, but weir's
// frames cannot be left halfway: rows would be lost with their cursors, destructors must not be left this
// way, and oneTBB's threads cannot end at all. So call_host() stops the unwinding. The current work fails as
// if the function had failed, nothing new begins on the thread (thread_ends()), and when the library returns
// to its caller, end_thread() resumes the unwinding. docs/adr/0010 says what was rejected.
//
// Exceptions are passed on. A call costs about 20 ns, thread_ends() a load.
#pragma once

#include <cxxabi.h>
#include <pthread.h>

#include <exception>
#include <memory>
#include <type_traits>

namespace weir {

namespace host_call {

// Next to the thread pointer, so that reading it is one instruction in a shared library, too.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local bool thread_is_ending;

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

// Calls function(). Returns false if the thread began to end in it.
template <class Function>
bool call_host(Function&& function) {
  struct Call {
    std::remove_reference_t<Function>* function;
    std::exception_ptr thrown;
    // A forced unwind has no object, which the sanitizer takes for a null reference.
    __attribute__((no_sanitize("undefined"))) static void run(void* call) {
      auto* self = static_cast<Call*>(call);
      try {
        (*self->function)();
      } catch (const abi::__forced_unwind&) {
        host_call::forget_frames_below();
        throw;
      } catch (...) {
        // It must not pass through C frames.
        self->thrown = std::current_exception();
      }
    }
  } call{std::addressof(function), nullptr};
  const bool returned = host_call::run(Call::run, &call);
  if (call.thrown) [[unlikely]]
    std::rethrow_exception(std::move(call.thrown));
  return returned;
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
