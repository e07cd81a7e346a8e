// A position in a dataset.
#pragma once

#include <unistd.h>

#include <chrono>

#include "dataset.h"

namespace weirpy {

struct Iterator;

// Iterators that are alive when the interpreter ends are cancelled first, so that no thread calls into it
// afterwards.
void watch(Iterator* iterator);
void unwatch(Iterator* iterator);

// Waits for what saving would wait for, and lets signals end the wait.
void settle(Iterator& self);

// How many functions are being traced, on all threads. Guarded by the GIL.
extern uint32_t traces;
// Sets the exception, and gives false, on a thread that traces a function: what it does to an iterator
// happens once, and not for each element.
bool ask_outside();
inline void check_outside() {
  if (traces > 0 && !ask_outside()) throw nb::python_error();
}

struct Iterator {
  Iterator() = default;
  Iterator(const Iterator&) = delete;
  ~Iterator() { unwatch(this); }

  OwnedIterator handle;
  OwnedElement element;  // taken by the thread that is inside next; zero while it is
  Plan plan;
  Leaving leaving;
  // Cheap calls keep the GIL: see `timed`.
  uint32_t calls = 0;
  uint32_t cheap = 0;
  bool holds_gil = false;
  // The last call gave an element or the end, so that no thread makes one that saving would wait for.
  bool settled = false;
  // Functions stay on the threads that call.
  bool on_caller = false;
};

// Before a call for elements, which a LateInterrupt then goes around.
void check_interrupt(Iterator& self);

// Takes up to `max_rows` elements at once, without the GIL; signals end the wait. False at the end. Throws
// the error of an element, and the exception of a signal.
bool next_rows(Iterator& self, int64_t max_rows, weir_element element, int64_t& rows);

// Calls `within(timeout_ns)` without the GIL until it gives something, and lets signals end the wait every 50
// ms. Returns its result, or kInterrupted with the exception of a signal.
constexpr int64_t kSignalSlice = 50'000'000;
constexpr int32_t kMostCheap = 256;

// Lets a loop over elements that runs without the GIL handle signals as often as a wait does.
class SignalWatch {
 public:
  // Called after each element; true with the exception of a signal. Looks at the clock now and then, or at
  // once.
  bool interrupted(bool at_once) {
    if (!at_once && ++calls_ % kMostCheap != 0) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::nanoseconds(kSignalSlice)) return false;
    last_ = now;
    return with_gil([] { return PyErr_CheckSignals() < 0; });
  }

 private:
  uint32_t calls_ = 0;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Python handles signals there.
inline bool on_main_thread() { return gettid() == getpid(); }

template <class Within>
int32_t wait_in_slices(Within&& within) {
  for (;;) {
    int32_t result;
    {
      WithoutGil released;
      result = within(kSignalSlice);
    }
    if (result != WEIR_PENDING) return result;
    if (LateInterrupt::comes_in_wait() || PyErr_CheckSignals() < 0) return kInterrupted;
  }
}

}  // namespace weirpy
