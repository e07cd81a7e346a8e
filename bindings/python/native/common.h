// What all files of the extension share: handles that release themselves, errors that become exceptions, and
// NumPy.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#define PY_ARRAY_UNIQUE_SYMBOL weir_python_array
#ifndef WEIR_PYTHON_MODULE
#define NO_IMPORT_ARRAY
#endif
#include <cxxabi.h>
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "weir/weir.h"

namespace nb = nanobind;

namespace weirpy {

// Python before 3.14 ends a thread that wants the GIL after the interpreter has ended, but a thread must not
// end inside the library. As in later versions, it sleeps until the process is gone.
template <class Body>
auto never_ending(Body&& body) {
  try {
    return body();
  } catch (const abi::__forced_unwind&) {
    for (;;) ::pause();
  }
}

// Gives up the GIL for as long as it lives.
class WithoutGil {
 public:
  WithoutGil() = default;
  WithoutGil(const WithoutGil&) = delete;
  ~WithoutGil() {
    never_ending([this] { PyEval_RestoreThread(state_); });
  }

 private:
  PyThreadState* const state_ = PyEval_SaveThread();
};

// Owns a handle of the library. Releasing may wait for callbacks, which need the GIL, so it is given up for
// that.
template <class Handle, void (*Release)(Handle), bool kWaits = false>
class Owned {
 public:
  Owned() = default;
  explicit Owned(Handle handle) : handle_(handle) {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, Handle{})) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() { reset(); }

  Handle get() const { return handle_; }
  Handle* out() { return &handle_; }
  Handle release() { return std::exchange(handle_, Handle{}); }
  explicit operator bool() const { return handle_.value != 0; }

  void reset() {
    if (handle_.value == 0) return;
    const Handle handle = std::exchange(handle_, Handle{});
    if constexpr (kWaits) {
      if (PyGILState_Check()) {
        WithoutGil released;
        Release(handle);
        return;
      }
    }
    Release(handle);
  }

 private:
  Handle handle_{};
};

using OwnedRuntime = Owned<weir_runtime, weir_runtime_destroy, true>;
using OwnedDataset = Owned<weir_dataset, weir_dataset_unref, true>;
using OwnedSpec = Owned<weir_spec, weir_spec_unref>;
using OwnedTensor = Owned<weir_tensor, weir_tensor_unref>;
using OwnedIterator = Owned<weir_iterator, weir_iterator_destroy, true>;
using OwnedElement = Owned<weir_element, weir_element_destroy>;

// Bytes that the library made.
struct Bytes {
  weir_bytes bytes = WEIR_BYTES_INIT;
  Bytes() = default;
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  ~Bytes() { weir_bytes_release(&bytes); }
  nb::bytes to_bytes() const { return nb::bytes(bytes.data, bytes.size); }
};

// An error that the library fills.
struct Error {
  weir_error error = WEIR_ERROR_INIT;
  Error() = default;
  Error(const Error&) = delete;
  Error& operator=(const Error&) = delete;
  ~Error() {
    // Mostly there is none.
    if (error.code != 0) weir_error_clear(&error);
  }
  operator weir_error*() { return &error; }
};

// Sets the Python exception of an error. `goes_on` says that the next call of the iterator continues after
// it. An exception that a callback raised on this thread becomes its cause; one like KeyboardInterrupt takes
// its place.
void set_exception(const weir_error& error, bool goes_on);

// What a call answers that a signal ended; its exception is set.
constexpr int32_t kInterrupted = -1000;

// Throws unless the result is WEIR_OK.
void check(int32_t result, const Error& error);

// What a callback on this thread raised last, to be chained to the error that follows from it.
void keep_raised(nb::object exception);
nb::object take_raised();
// A callback on this thread raised what `except Exception` does not take, such as KeyboardInterrupt: that is
// set again, and is no error of an element. Called without the GIL.
bool was_interrupted();

// While it lives, a Ctrl-C that interrupts a function on this thread is held back, and the function is called
// again. So is one that comes when the element is there. This thread's next call for an element of the
// iterator raises the exception, or a signal a moment later does. So the element is returned, and a position
// saved then is after it.
class LateInterrupt {
 public:
  explicit LateInterrupt(const void* iterator)
      : iterator_(iterator), outer_(std::exchange(innermost_, this)) {}
  LateInterrupt(const LateInterrupt&) = delete;
  ~LateInterrupt();
  // Takes the exception that is set if it is a KeyboardInterrupt; a second one ends the call instead of the
  // first. Under the GIL.
  static bool takes();
  // Whether one that was held back comes now, before a call; its exception is set. Under the GIL.
  static bool comes(const void* iterator) {
    return due_.load(std::memory_order_relaxed) == iterator && comes_here(iterator);
  }
  // The same while a call waits, when no element is on its way out.
  static bool comes_in_wait();
  // What `make` makes of an element that was taken: a new reference, or null with an exception. The
  // interpreter would handle a signal before it stores the value. Under the GIL.
  template <class Make>
  PyObject* keep(Make&& make) {
    for (;;) {
      PyObject* made = make();
      if (made && PyErr_CheckSignals() == 0) [[likely]]
        return made;
      if (!PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
        Py_XDECREF(made);
        return nullptr;
      }
      PyErr_Clear();
      came_ = true;
      if (made) return made;
    }
  }
  // Around Python code that the library calls: its own calls for elements are none of the call that it is in.
  struct Hidden {
    LateInterrupt* const hidden = std::exchange(innermost_, nullptr);
    ~Hidden() { innermost_ = hidden; }
  };

 private:
  static bool comes_here(const void* iterator);

  static thread_local LateInterrupt* innermost_;
  // Whose next call raises one, or null.
  static std::atomic<const void*> due_;
  const void* const iterator_;
  LateInterrupt* const outer_;
  bool came_ = false;
};

// Runs a call of the library without the GIL, and throws unless it gives WEIR_OK.
template <class Call>
void checked_without_gil(Call&& call) {
  Error error;
  int32_t result;
  {
    WithoutGil released;
    result = call(error);
  }
  check(result, error);
}

// What `call(bytes, error)` makes.
template <class Call>
nb::bytes bytes_by(Call&& call) {
  Bytes out;
  checked_without_gil([&](Error& error) { return call(&out.bytes, error); });
  return out.to_bytes();
}
template <class Call>
nb::str text_by(Call&& call) {
  Bytes out;
  checked_without_gil([&](Error& error) { return call(&out.bytes, error); });
  return nb::str(out.bytes.data, out.bytes.size);
}

// Whether the interpreter is ending: then objects can no longer be released.
bool finalizing();

// Runs `body` under the GIL, in a function that the library calls.
template <class Body>
auto with_gil(Body&& body) {
  return never_ending([&] {
    struct Gil {
      PyGILState_STATE state = PyGILState_Ensure();
      ~Gil() { PyGILState_Release(state); }
    };
    const Gil gil;
    return never_ending(body);
  });
}

// For memory that the library borrows from a Python object: releases the object, on any thread.
void release_object(void* object);

// For values that are read here: taking it of an element on a device is an error.
inline weir_view host_view() {
  weir_view view = WEIR_VIEW_INIT;
  view.struct_size = offsetof(weir_view, device_type);
  return view;
}

inline std::string_view to_view(const weir_string& text) { return {text.data ? text.data : "", text.size}; }

void define_errors(nb::module_& module);
void define_runtime(nb::module_& module);
void define_spec(nb::module_& module);
void define_tensor(nb::module_& module);
void define_device(nb::module_& module);
void define_dataset(nb::module_& module);
void define_iterator(nb::module_& module);
void define_callback(nb::module_& module);
void define_checkpoint(nb::module_& module);
void define_records(nb::module_& module);
void define_digest(nb::module_& module);
void define_arrow(nb::module_& module);

}  // namespace weirpy
