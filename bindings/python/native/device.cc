// DeviceArray: a component in the memory of a device, which frameworks take over by DLPack.
#include "dataset.h"
#include "weir/dlpack.h"

namespace weirpy {

namespace {

// DLPack before version 1, which callers get that don't say that they know a later one.
struct OldTensor {
  DLTensor tensor;
  void* context;
  void (*deleter)(OldTensor* self);
};

struct DeviceArray {
  std::shared_ptr<OwnedElement> element;
  uint32_t index = 0;
  // Its dims live as long as the element.
  weir_view view = WEIR_VIEW_INIT;
};

constexpr const char* kOld = "dltensor";
constexpr const char* kVersioned = "dltensor_versioned";

void delete_versioned(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, kVersioned)) return;
  auto* managed = static_cast<DLManagedTensorVersioned*>(PyCapsule_GetPointer(capsule, kVersioned));
  managed->deleter(managed);
}

void delete_old(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, kOld)) return;
  auto* old = static_cast<OldTensor*>(PyCapsule_GetPointer(capsule, kOld));
  old->deleter(old);
}

nb::object old_capsule(DLManagedTensorVersioned* managed) {
  auto* old = new OldTensor{managed->dl_tensor, managed, [](OldTensor* self) {
                              auto* inner = static_cast<DLManagedTensorVersioned*>(self->context);
                              inner->deleter(inner);
                              delete self;
                            }};
  PyObject* capsule = PyCapsule_New(old, kOld, delete_old);
  if (capsule) return nb::steal(capsule);
  old->deleter(old);
  throw nb::python_error();
}

[[noreturn]] void refuse(const char* message) {
  PyErr_SetString(PyExc_BufferError, message);
  throw nb::python_error();
}

// None is the legacy one.
int64_t stream_of(nb::handle stream) {
  if (stream.is_none()) return WEIR_STREAM_LEGACY;
  static constexpr const char* kExpected =
      "expected a stream: None or 1 for the legacy one, 2 for the thread's own, a handle, or -1 for none";
  if (!PyIndex_Check(stream.ptr()) || PyBool_Check(stream.ptr())) throw nb::type_error(kExpected);
  const nb::object number = nb::steal(PyNumber_Index(stream.ptr()));
  if (!number.is_valid()) throw nb::python_error();
  int64_t on = 0;
  if (!nb::try_cast(number, on)) throw nb::value_error(kExpected);
  return on;
}

// The protocol's: the caller's stream waits for the copy; -1 waits for nothing.
nb::object dlpack(const DeviceArray& self, nb::object stream, nb::object max_version, nb::object device,
                  nb::object copy) {
  if (!copy.is_none() && nb::cast<bool>(copy))
    refuse("memory of a device is not copied; copy it there, or leave to_device out");
  if (!device.is_none() && !device.equal(nb::make_tuple(self.view.device_type, self.view.device_id)))
    refuse("memory of a device stays there; expected dl_device to be that of the array");
  const int64_t on = stream_of(stream);
  Error error;
  DLManagedTensorVersioned* managed = nullptr;
  check(weir_element_dlpack_on(self.element->get(), self.index, 0, on, &managed, error), error);
  if (max_version.is_none() || nb::cast<int64_t>(max_version[0]) < 1) return old_capsule(managed);
  PyObject* capsule = PyCapsule_New(managed, kVersioned, delete_versioned);
  if (capsule) return nb::steal(capsule);
  managed->deleter(managed);
  throw nb::python_error();
}

nb::tuple shape(const DeviceArray& self) {
  nb::list dims;
  for (int32_t i = 0; i < self.view.rank; ++i) dims.append(self.view.dims[i]);
  return nb::tuple(dims);
}

nb::object dtype(const DeviceArray& self) {
  PyArray_Descr* descr = descr_of(self.view.dtype);
  if (!descr) return nb::str("bfloat16");
  return nb::steal(reinterpret_cast<PyObject*>(descr));
}

}  // namespace

PyObject* device_array(const Components& from, uint32_t index, const weir_view& view) {
  try {
    if (!from.filling) {
      PyErr_SetString(PyExc_RuntimeError, "elements on a device are taken one by one");
      return nullptr;
    }
    DeviceArray made;
    made.element = from.filling->share();
    made.index = index;
    made.view = view;
    return nb::cast(std::move(made)).release().ptr();
  } catch (nb::python_error& raised) {
    raised.restore();
  } catch (const std::exception& raised) {
    PyErr_SetString(PyExc_RuntimeError, raised.what());
  }
  return nullptr;
}

void define_device(nb::module_& module) {
  nb::class_<DeviceArray>(module, "DeviceArray", nb::is_weak_referenceable(),
                          "A component in the memory of a device: torch.from_dlpack(array), "
                          "jax.dlpack.from_dlpack(array).")
      .def("__dlpack__", dlpack, nb::kw_only(), nb::arg("stream").none() = nb::none(),
           nb::arg("max_version").none() = nb::none(), nb::arg("dl_device").none() = nb::none(),
           nb::arg("copy").none() = nb::none())
      .def("__dlpack_device__",
           [](const DeviceArray& self) { return nb::make_tuple(self.view.device_type, self.view.device_id); })
      .def_prop_ro("shape", shape)
      .def_prop_ro("dtype", dtype)
      .def_prop_ro("nbytes", [](const DeviceArray& self) { return self.view.byte_size; })
      .def_prop_ro("device",
                   [](const DeviceArray& self) { return "cuda:" + std::to_string(self.view.device_id); })
      .def("__array__",
           [](const DeviceArray& self, nb::args, nb::kwargs) -> nb::object {
             const std::string text =
                 "expected an array in the CPU's memory, found one on cuda:" +
                 std::to_string(self.view.device_id) +
                 "; take it with torch.from_dlpack or jax.dlpack.from_dlpack, or read before to_device";
             throw nb::type_error(text.c_str());
           })
      .def("__len__",
           [](const DeviceArray& self) {
             if (self.view.rank == 0) throw nb::type_error("len() of a scalar");
             return self.view.dims[0];
           })
      .def("__repr__", [](const DeviceArray& self) {
        return nb::str("<weir.DeviceArray {}{} on cuda:{}>")
            .format(nb::str(dtype(self)), shape(self), self.view.device_id);
      });
}

}  // namespace weirpy
