#include "tensor.h"

#include "weir/dlpack.h"

namespace weirpy {

namespace {

constexpr const char* kVersioned = "dltensor_versioned";

// Takes a versioned DLPack capsule.
Tensor from_capsule(nb::capsule capsule) {
  auto* managed = static_cast<DLManagedTensorVersioned*>(PyCapsule_GetPointer(capsule.ptr(), kVersioned));
  if (!managed) throw nb::python_error();
  PyCapsule_SetName(capsule.ptr(), "used_dltensor_versioned");
  Tensor out;
  Error error;
  check(weir_tensor_from_dlpack(managed, out.handle.out(), error), error);
  return out;
}

// A tensor of strings from a flat list of bytes.
Tensor from_strings(nb::list entries, const std::vector<int64_t>& dims) {
  std::vector<weir_string> views(entries.size());
  for (size_t i = 0; i < views.size(); ++i) {
    char* data = nullptr;
    Py_ssize_t size = 0;
    if (PyBytes_AsStringAndSize(PyList_GET_ITEM(entries.ptr(), static_cast<Py_ssize_t>(i)), &data, &size) <
        0) {
      throw nb::python_error();
    }
    views[i] = {data, static_cast<uint64_t>(size)};
  }
  Tensor out;
  Error error;
  check(weir_tensor_copy(WEIR_DTYPE_STRING, static_cast<int32_t>(dims.size()), dims.data(), views.data(),
                         views.size() * sizeof(weir_string), out.handle.out(), error),
        error);
  return out;
}

}  // namespace

Tensor wrap_array(nb::handle object) {
  if (!PyArray_Check(object.ptr())) throw nb::type_error("expected a NumPy array");
  auto* array = reinterpret_cast<PyArrayObject*>(object.ptr());
  const int32_t dtype = dtype_of(PyArray_DESCR(array));
  if (dtype == 0) {
    PyErr_Format(PyExc_TypeError, "arrays of dtype %R cannot go in; convert it with astype",
                 PyArray_DESCR(array));
    throw nb::python_error();
  }
  if (!PyArray_IS_C_CONTIGUOUS(array) || !PyArray_ISALIGNED(array))
    throw nb::type_error("expected a contiguous array");
  Tensor out;
  Error error;
  Py_INCREF(object.ptr());
  check(weir_tensor_wrap(dtype, PyArray_NDIM(array), PyArray_DIMS(array), PyArray_DATA(array),
                         static_cast<uint64_t>(PyArray_NBYTES(array)), release_object, object.ptr(),
                         out.handle.out(), error),
        error);
  return out;
}

void define_tensor(nb::module_& module) {
  nb::class_<Tensor>(module, "Tensor", nb::is_weak_referenceable())
      .def_static("wrap", wrap_array, nb::arg("array"))
      .def_static("from_dlpack", from_capsule, nb::arg("capsule"))
      .def_static("from_strings", from_strings, nb::arg("entries"), nb::arg("dims"))
      .def_prop_ro("address",
                   [](const Tensor& self) {
                     weir_view view = WEIR_VIEW_INIT;
                     Error error;
                     check(weir_tensor_view(self.handle.get(), &view, error), error);
                     return reinterpret_cast<uintptr_t>(view.data);
                   })
      .def("numpy", [](const Tensor& self) {
        weir_view view = WEIR_VIEW_INIT;
        Error error;
        check(weir_tensor_view(self.handle.get(), &view, error), error);
        PyObject* made = copy_view(view, false);
        if (!made) throw nb::python_error();
        return nb::steal(made);
      });
}

}  // namespace weirpy
