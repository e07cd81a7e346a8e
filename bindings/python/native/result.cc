// From values of Python to the result of a call.
#include <cmath>

#include "callback.h"

namespace weirpy {

namespace {

bool raise_from(const Error& error) {
  set_exception(error.error, false);
  return false;
}

// The entry of a string tensor, with its bytes in memory of the call.
bool write_string(PyObject* entry, weir_call call, weir_string* out) {
  Py_ssize_t size = 0;
  const char* data = nullptr;
  if (PyUnicode_Check(entry)) {
    data = PyUnicode_AsUTF8AndSize(entry, &size);
    if (!data) return false;
  } else if (PyBytes_Check(entry)) {
    data = PyBytes_AS_STRING(entry);
    size = PyBytes_GET_SIZE(entry);
  } else {
    PyErr_Format(PyExc_TypeError, "expected bytes or str for a string, found %s", Py_TYPE(entry)->tp_name);
    return false;
  }
  Error error;
  void* memory = nullptr;
  if (size > 0 && weir_call_allocate(call, static_cast<uint64_t>(size), &memory, error) != WEIR_OK) {
    return raise_from(error);
  }
  if (size > 0) memcpy(memory, data, static_cast<size_t>(size));
  *out = {static_cast<const char*>(memory), static_cast<uint64_t>(size)};
  return true;
}

// Numbers of Python that the dtype holds as they are, apart from the rounding of floats. All else is decided
// in Python.
bool surely_fits(PyObject* value, int32_t dtype) {
  if (PyFloat_CheckExact(value)) {
    const double number = PyFloat_AS_DOUBLE(value);
    return dtype == WEIR_DTYPE_FLOAT32 && (!std::isfinite(number) || std::abs(number) < 1e38);
  }
  if (!PyLong_CheckExact(value)) return false;
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow != 0) return false;
  switch (dtype) {
    case WEIR_DTYPE_INT32:
      return number >= INT32_MIN && number <= INT32_MAX;
    case WEIR_DTYPE_UINT8:
      return number >= 0 && number <= UINT8_MAX;
    default:
      return dtype == WEIR_DTYPE_FLOAT32 || dtype == WEIR_DTYPE_FLOAT64;
  }
}

// The value as a contiguous array of that dtype, or an exception if it would become another value.
nb::object as_array(nb::handle value, int32_t dtype) {
  PyArray_Descr* descr = dtype == WEIR_DTYPE_STRING ? PyArray_DescrFromType(NPY_OBJECT) : descr_of(dtype);
  if (!descr) {
    PyErr_SetString(PyExc_TypeError, "results of dtype bfloat16 need the package ml_dtypes");
    return {};
  }
  nb::object wanted = nb::steal(reinterpret_cast<PyObject*>(descr));
  nb::object array = nb::borrow(value);
  if (dtype == WEIR_DTYPE_STRING) {
    // A class of arrays of its own may have a mask.
    if (PyArray_Check(value.ptr()) && !PyArray_CheckExact(value.ptr())) {
      array = nb::steal(PyObject_CallFunctionObjArgs(classes().refit.ptr(), value.ptr(), descr, nullptr));
      if (!array.is_valid()) return {};
    }
    Py_INCREF(descr);
    return nb::steal(PyArray_FromAny(array.ptr(), descr, 0, 0, NPY_ARRAY_CARRAY, nullptr));
  }
  if (PyArray_CheckExact(value.ptr())
          ? !PyArray_EquivTypes(PyArray_DESCR(reinterpret_cast<PyArrayObject*>(value.ptr())), descr)
          : !surely_fits(value.ptr(), dtype)) {
    array = nb::steal(PyObject_CallFunctionObjArgs(classes().refit.ptr(), value.ptr(), descr, nullptr));
    if (!array.is_valid()) return {};
  }
  Py_INCREF(descr);
  return nb::steal(
      PyArray_FromAny(array.ptr(), descr, 0, 0, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST, nullptr));
}

bool write_tensor(nb::handle value, uint32_t index, int32_t dtype, weir_call call) {
  nb::object array = as_array(value, dtype);
  if (!array.is_valid()) return false;
  auto* made = reinterpret_cast<PyArrayObject*>(array.ptr());
  Error error;
  void* out = nullptr;
  if (weir_call_output(call, index, PyArray_NDIM(made), PyArray_DIMS(made), &out, error) != WEIR_OK) {
    return raise_from(error);
  }
  const npy_intp count = PyArray_SIZE(made);
  if (dtype != WEIR_DTYPE_STRING) {
    if (count > 0) memcpy(out, PyArray_DATA(made), static_cast<size_t>(PyArray_NBYTES(made)));
    return true;
  }
  auto** entries = static_cast<PyObject**>(PyArray_DATA(made));
  for (npy_intp i = 0; i < count; ++i) {
    if (!write_string(entries[i], call, static_cast<weir_string*>(out) + i)) return false;
  }
  return true;
}

bool write_parts(const Plan& plan, nb::handle value, weir_call call,
                 std::initializer_list<const char*> names) {
  uint32_t index = plan.first;
  for (const char* name : names) {
    nb::object part = nb::steal(PyObject_GetAttrString(value.ptr(), name));
    const bool values = std::string_view(name) == "values";
    if (!part.is_valid() || !write_tensor(part, index++, values ? plan.dtype : WEIR_DTYPE_INT64, call))
      return false;
  }
  return true;
}

bool write_tuple(const Plan& plan, nb::handle value, weir_call call) {
  // These can be taken apart, too, but into letters, keys, or without an order.
  if (PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr()) || PyDict_Check(value.ptr()) ||
      PyAnySet_Check(value.ptr())) {
    PyErr_Format(PyExc_TypeError, "expected a tuple as the result, found %R", Py_TYPE(value.ptr()));
    return false;
  }
  nb::object items = nb::steal(PySequence_Fast(value.ptr(), "expected a tuple as the result"));
  if (!items.is_valid()) return false;
  const auto found = static_cast<size_t>(PySequence_Fast_GET_SIZE(items.ptr()));
  if (found != plan.children.size()) {
    PyErr_Format(PyExc_ValueError, "expected a result of %zu members, found %zu", plan.children.size(),
                 found);
    return false;
  }
  for (size_t i = 0; i < found; ++i) {
    if (!write_result(plan.children[i], PySequence_Fast_GET_ITEM(items.ptr(), static_cast<Py_ssize_t>(i)),
                      call)) {
      return false;
    }
  }
  return true;
}

bool write_dict(const Plan& plan, nb::handle value, weir_call call) {
  for (size_t i = 0; i < plan.children.size(); ++i) {
    nb::object member = nb::steal(PyObject_GetItem(value.ptr(), plan.keys[i].ptr()));
    if (!member.is_valid() && PyErr_ExceptionMatches(PyExc_KeyError)) {
      PyErr_Format(PyExc_KeyError, "expected a result with the key %R, found none", plan.keys[i].ptr());
    }
    if (!member.is_valid() || !write_result(plan.children[i], member, call)) return false;
  }
  return true;
}

}  // namespace

bool write_result(const Plan& plan, nb::handle value, weir_call call) {
  switch (plan.kind) {
    case WEIR_SPEC_TENSOR:
      return write_tensor(value, plan.first, plan.dtype, call);
    case WEIR_SPEC_TUPLE:
      return write_tuple(plan, value, call);
    case WEIR_SPEC_DICT:
      return write_dict(plan, value, call);
    case WEIR_SPEC_SPARSE:
      return write_parts(plan, value, call, {"indices", "values", "shape"});
    case WEIR_SPEC_RAGGED:
      return write_parts(plan, value, call, {"values", "row_splits"});
    default:
      PyErr_SetString(PyExc_TypeError,
                      "functions of Python cannot return optional values and nested datasets");
      return false;
  }
}

void fail_call(weir_call call) {
  nb::python_error raised;  // takes the exception that is set
  nb::object value = nb::borrow(raised.value());
  int32_t code = WEIR_CODE_UNKNOWN;
  std::string message = Py_TYPE(value.ptr())->tp_name;
  nb::object text = nb::steal(PyObject_Str(value.ptr()));
  const bool says = text.is_valid() && PyUnicode_GetLength(text.ptr()) > 0;
  nb::object number = nb::steal(PyObject_GetAttrString(value.ptr(), "weir_code"));
  // The code becomes the class again.
  const bool coded = number.is_valid() && PyLong_Check(number.ptr());
  if (coded) code = static_cast<int32_t>(PyLong_AsLong(number.ptr()));
  if (says) message = (coded ? "" : message + ": ") + nb::str(text).c_str();
  PyErr_Clear();
  keep_raised(std::move(value));
  // Functions that get no call fail as a row does.
  const int64_t rows = call.value ? weir_call_rows(call) : 1;
  for (int64_t row = 0; row < rows; ++row) {
    weir_call_fail(call, row, code, message.data(), message.size(), nullptr);
  }
}

}  // namespace weirpy
