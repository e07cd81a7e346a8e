// Calls of the host's functions, and threads that end inside one.
//
// A host's function may end its thread: pthread_exit, or a cancellation. The stack is unwound then, but
// weir's frames cannot be left halfway: rows would be lost with their cursors, destructors must not be left
// so, and oneTBB's threads cannot be ended at all. So call_host() stops the unwinding. The work at hand fails
// as if the function had failed, nothing new begins on the thread (thread_ends()), and where the library
// returns to its caller, end_thread() goes on with what was stopped. docs/adr/0010 says what was rejected.
//
// Ownership: none. Threads: any; what ends is the calling one. Errors: exceptions are passed on.
// Cost: about 20 ns a call; thread_ends() is a load.
#pragma once

#include <cxxabi.h>
#include <pthread.h>

#include <exception>
#include <memory>
#include <type_traits>

namespace weir {

namespace host_call {

// Next to the thread pointer, so that a look at it is one instruction in a shared library too.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local bool thread_is_ending;

// False if the thread began to end in `function` instead of returning from it.
bool run(void (*function)(void*), void* argument);
// Frames that were unwound leave marks behind, which the address sanitizer takes for those of its own next
// frames.
#ifdef __SANITIZE_ADDRESS__
void forget_frames_below();
#else
inline void forget_frames_below() {}
#endif

}  // namespace host_call

// The thread is to end as soon as the library returns to its caller.
inline bool thread_ends() { return host_call::thread_is_ending; }
// Ends the thread, with the value that it had given. REQUIRES: thread_ends(), and nobody of weir is further
// up.
[[noreturn]] void end_thread();
// For a thread that cannot end, since it serves others too.
inline void stay_alive() { host_call::thread_is_ending = false; }

// Calls function(), in which the thread may end. False if it did.
template <class Function>
bool call_host(Function&& function) {
  struct Call {
    std::remove_reference_t<Function>* function;
    std::exception_ptr thrown;
    // A forced unwind has no object, which the sanitizer takes for a null reference.
    [[gnu::no_sanitize("undefined")]] static void run(void* call) {
      auto* self = static_cast<Call*>(call);
      try {
        (*self->function)();
      } catch (const abi::__forced_unwind&) {
        host_call::forget_frames_below();
        throw;
      } catch (...) {
        // It must not pass frames of C.
        self->thrown = std::current_exception();
      }
    }
  } call{std::addressof(function), nullptr};
  const bool returned = host_call::run(Call::run, &call);
  if (call.thrown) [[unlikely]]
    std::rethrow_exception(std::move(call.thrown));
  return returned;
}

// While it lives, no cancellation acts: around what weir itself asks of the system.
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
