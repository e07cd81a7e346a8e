#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>

#include "common.h"

namespace weirpy {

namespace {

thread_local PyObject* raised_last = nullptr;

// weir.errors.make_error, which knows the class of each code.
nb::object& maker() {
  static nb::object* made = new nb::object(nb::module_::import_("weir.errors").attr("make_error"));
  return *made;
}

nb::object text_of(const weir_string& text) {
  return nb::steal(
      PyUnicode_DecodeUTF8(text.data ? text.data : "", static_cast<Py_ssize_t>(text.size), "replace"));
}

}  // namespace

void keep_raised(nb::object exception) {
  Py_XDECREF(raised_last);
  raised_last = exception.release().ptr();
}

nb::object take_raised() { return nb::steal(std::exchange(raised_last, nullptr)); }

bool was_interrupted() {
  return with_gil([] {
    nb::object raised = take_raised();
    if (!raised.is_valid() || PyObject_IsInstance(raised.ptr(), PyExc_Exception)) return false;
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.ptr())), raised.ptr());
    return true;
  });
}

thread_local LateInterrupt* LateInterrupt::innermost_ = nullptr;
std::atomic<const void*> LateInterrupt::due_ = nullptr;

namespace {

// Of the interrupt that is due: the thread that raises it, and its number.
struct Due {
  std::mutex mutex;
  pid_t thread = 0;
  uint64_t number = 0;
};
Due& due = *new Due;

}  // namespace

bool LateInterrupt::takes() {
  if (!innermost_ || !PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) return false;
  innermost_->came_ = !innermost_->came_;
  if (innermost_->came_) PyErr_Clear();
  return innermost_->came_;
}

bool LateInterrupt::comes_here(const void* iterator) {
  const std::lock_guard<std::mutex> lock(due.mutex);
  if (due_ != iterator || due.thread != gettid()) return false;
  due_ = nullptr;
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  return true;
}

bool LateInterrupt::comes_in_wait() {
  if (!innermost_ || !std::exchange(innermost_->came_, false)) return false;
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  return true;
}

LateInterrupt::~LateInterrupt() {
  innermost_ = outer_;
  if (!came_) return;
  const std::lock_guard<std::mutex> lock(due.mutex);
  if (due_) {
    PyErr_SetInterrupt();
    return;
  }
  due_ = iterator_;
  due.thread = gettid();
  // For a caller that asks for no other element: later, since it must have stored this one.
  try {
    std::thread([number = ++due.number] {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      const std::lock_guard<std::mutex> waited(due.mutex);
      if (due.number == number && due_.exchange(nullptr) && !finalizing()) PyErr_SetInterrupt();
    }).detach();
  } catch (const std::system_error&) {  // the next call raises it
  }
}

void set_exception(const weir_error& error, bool goes_on) {
  nb::object cause = take_raised();
  if (cause.is_valid() && !PyObject_IsInstance(cause.ptr(), PyExc_Exception)) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(cause.ptr())), cause.ptr());
    return;
  }
  try {
    nb::object exception =
        maker()(error.code, text_of(error.message), text_of(error.path), text_of(error.file), error.offset,
                error.record, text_of(error.line), goes_on);
    if (cause.is_valid()) PyException_SetCause(exception.ptr(), cause.release().ptr());
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
  } catch (nb::python_error& other) {
    other.restore();
  }
}

void check(int32_t result, const Error& error) {
  if (result == WEIR_OK) return;
  if (result != kInterrupted) set_exception(error.error, result == WEIR_ELEMENT_FAILED);
  throw nb::python_error();
}

bool finalizing() {
#if PY_VERSION_HEX >= 0x030d0000
  return Py_IsFinalizing() || !Py_IsInitialized();
#else
  return _Py_IsFinalizing() || !Py_IsInitialized();
#endif
}

void release_object(void* object) {
  if (finalizing()) return;
  with_gil([&] { Py_DECREF(static_cast<PyObject*>(object)); });
}

void define_errors(nb::module_& module) {
  module.def("version", [] { return std::string(weir_version()); });
  module.def("code_name", [](int32_t code) { return std::string(weir_code_name(code)); });
  module.def(
      "schema",
      [](std::optional<std::string> name, bool text) {
        return text_by([&](weir_bytes* out, Error& error) {
          return weir_schema(name ? name->data() : nullptr, name ? name->size() : 0, text ? WEIR_TEXT : 0,
                             out, error);
        });
      },
      nb::arg("name") = nb::none(), nb::arg("text") = false);
}

}  // namespace weirpy
