#include "plan.h"
#include "weir/dlpack.h"

namespace weirpy {

namespace {

// Smaller tensors are copied: that is cheaper than sharing, and keeps no block of rows alive.
constexpr uint64_t kCopiedBytes = 4096;

// What an array over the library's memory has as its base.
struct Memory {
  PyObject_HEAD DLManagedTensorVersioned* tensor;
};

void release_memory(PyObject* self) {
  DLManagedTensorVersioned* tensor = reinterpret_cast<Memory*>(self)->tensor;
  if (tensor) tensor->deleter(tensor);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyTypeObject* memory_type() {
  static PyTypeObject* type = [] {
    static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(release_memory)}, {0, nullptr}};
    static PyType_Spec spec = {"weir._core.Memory", sizeof(Memory), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  }();
  return type;
}

PyObject* raise_from(const Error& error) {
  set_exception(error.error, false);
  return nullptr;
}

// bfloat16 where ml_dtypes isn't there: the same values as float32.
PyObject* widened(const weir_view& view) {
  PyObject* array = PyArray_SimpleNew(view.rank, const_cast<npy_intp*>(view.dims), NPY_FLOAT32);
  if (!array) return nullptr;
  auto* out = static_cast<uint32_t*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array)));
  const auto* in = static_cast<const uint16_t*>(view.data);
  for (uint64_t i = 0; i < view.byte_size / 2; ++i) out[i] = static_cast<uint32_t>(in[i]) << 16;
  return view.rank == 0 ? PyArray_Return(reinterpret_cast<PyArrayObject*>(array)) : array;
}

PyObject* string_entry(const weir_string& entry, bool text) {
  const char* data = entry.data ? entry.data : "";
  const auto size = static_cast<Py_ssize_t>(entry.size);
  return text ? PyUnicode_DecodeUTF8(data, size, nullptr) : PyBytes_FromStringAndSize(data, size);
}

PyObject* strings(const weir_view& view, bool text) {
  const auto* entries = static_cast<const weir_string*>(view.data);
  if (view.rank == 0) return string_entry(entries[0], text);
  PyObject* array = PyArray_SimpleNew(view.rank, const_cast<npy_intp*>(view.dims), NPY_OBJECT);
  if (!array) return nullptr;
  auto** out = static_cast<PyObject**>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array)));
  const npy_intp count = PyArray_SIZE(reinterpret_cast<PyArrayObject*>(array));
  for (npy_intp i = 0; i < count; ++i) {
    PyObject* entry = string_entry(entries[i], text);
    if (!entry) {
      Py_DECREF(array);
      return nullptr;
    }
    Py_XSETREF(out[i], entry);
  }
  if (!text) return array;
  PyObject* packed = PyObject_CallMethod(array, "astype", "O", classes().string_dtype.ptr());
  Py_DECREF(array);
  return packed;
}

// Scalars of the usual dtypes, without the detour over a dtype object.
PyObject* scalar(const weir_view& view) {
#define WEIR_SCALAR(DTYPE, Name, type)                                                \
  case DTYPE: {                                                                       \
    PyObject* made = PyArrayScalar_New(Name);                                         \
    if (made) PyArrayScalar_ASSIGN(made, Name, *static_cast<const type*>(view.data)); \
    return made;                                                                      \
  }
  switch (view.dtype) {
    WEIR_SCALAR(WEIR_DTYPE_INT64, Long, int64_t)
    WEIR_SCALAR(WEIR_DTYPE_INT32, Int, int32_t)
    WEIR_SCALAR(WEIR_DTYPE_UINT8, UByte, uint8_t)
    WEIR_SCALAR(WEIR_DTYPE_FLOAT32, Float, float)
    WEIR_SCALAR(WEIR_DTYPE_FLOAT64, Double, double)
    case WEIR_DTYPE_BOOL: {
      if (*static_cast<const uint8_t*>(view.data)) PyArrayScalar_RETURN_TRUE;
      PyArrayScalar_RETURN_FALSE;
    }
    default:
      break;
  }
#undef WEIR_SCALAR
  PyArray_Descr* descr = descr_of(view.dtype);
  if (!descr) return widened(view);
  PyObject* made = PyArray_Scalar(const_cast<void*>(view.data), descr, nullptr);
  Py_DECREF(descr);
  return made;
}

PyObject* copied(const weir_view& view) {
  PyArray_Descr* descr = descr_of(view.dtype);
  if (!descr) return widened(view);
  PyObject* array = PyArray_NewFromDescr(&PyArray_Type, descr, view.rank, const_cast<npy_intp*>(view.dims),
                                         nullptr, nullptr, 0, nullptr);
  if (array && view.byte_size > 0) {
    memcpy(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array)), view.data, view.byte_size);
  }
  return array;
}

PyObject* shared(const weir_view& view, weir_element element, uint32_t index) {
  Error error;
  DLManagedTensorVersioned* tensor = nullptr;
  if (weir_element_dlpack(element, index, 0, &tensor, error) != WEIR_OK) return raise_from(error);
  auto* base = PyObject_New(Memory, memory_type());
  if (!base) {
    tensor->deleter(tensor);
    return nullptr;
  }
  base->tensor = tensor;
  PyArray_Descr* descr = descr_of(view.dtype);
  const int flags = (tensor->flags & DLPACK_FLAG_BITMASK_READ_ONLY) ? NPY_ARRAY_CARRAY_RO : NPY_ARRAY_CARRAY;
  PyObject* array = PyArray_NewFromDescr(&PyArray_Type, descr, view.rank, tensor->dl_tensor.shape, nullptr,
                                         tensor->dl_tensor.data, flags, nullptr);
  if (!array) {
    Py_DECREF(base);
    return nullptr;
  }
  if (PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(array), reinterpret_cast<PyObject*>(base)) < 0) {
    Py_DECREF(array);
    return nullptr;
  }
  return array;
}

bool view_of(const Components& from, uint32_t index, weir_view& view) {
  Error error;
  const int32_t result = from.call.value ? weir_call_input(from.call, index, &view, error)
                                         : weir_element_view(from.element, index, &view, error);
  if (result != WEIR_OK) raise_from(error);
  return result == WEIR_OK;
}

PyObject* tensor(const Components& from, uint32_t index, bool text) {
  weir_view view = WEIR_VIEW_INIT;
  if (!view_of(from, index, view)) return nullptr;
  if (view.device_type == WEIR_DEVICE_CUDA) [[unlikely]]
    return device_array(from, index, view);
  if (!from.call.value && view.rank > 0 && view.byte_size > kCopiedBytes && view.dtype != WEIR_DTYPE_STRING &&
      !(view.dtype == WEIR_DTYPE_BFLOAT16 && !descr_of(view.dtype))) {
    return shared(view, from.element, index);
  }
  return copy_view(view, text);
}

PyObject* nested(const Components& from, uint32_t index, const Leaving& leaving) {
  Error error;
  weir_dataset dataset = {0};
  if (weir_element_dataset(from.element, index, &dataset, error) != WEIR_OK) return raise_from(error);
  try {
    return classes().dataset(dataset.value, leaving.runtime).release().ptr();
  } catch (nb::python_error& raised) {
    weir_dataset_unref(dataset);
    raised.restore();
    return nullptr;
  }
}

// An object of one of weir's small classes, over the components from `index` on.
PyObject* parts(const nb::object& type, const Plan& plan, const Components& from, const Leaving& leaving) {
  PyObject* arguments[3] = {nullptr, nullptr, nullptr};
  bool complete = true;
  for (uint32_t i = 0; complete && i < plan.count; ++i) {
    arguments[i] = tensor(from, plan.first + i, leaving.text);
    complete = arguments[i] != nullptr;
  }
  PyObject* made = complete ? PyObject_Vectorcall(type.ptr(), arguments, plan.count, nullptr) : nullptr;
  for (PyObject* argument : arguments) Py_XDECREF(argument);
  return made;
}

PyObject* optional(const Plan& plan, const Components& from, const Leaving& leaving) {
  weir_view view = WEIR_VIEW_INIT;
  if (!view_of(from, plan.first, view)) return nullptr;
  if (view.rank > 0) {
    PyErr_SetString(PyExc_NotImplementedError,
                    "optional values cannot be taken in blocks; take elements one by one");
    return nullptr;
  }
  if (!*static_cast<const uint8_t*>(view.data)) return PyObject_CallNoArgs(classes().optional.ptr());
  PyObject* value = convert(plan.children[0], from, leaving);
  if (!value) return nullptr;
  PyObject* made = PyObject_CallOneArg(classes().optional.ptr(), value);
  Py_DECREF(value);
  return made;
}

PyObject* members(const Plan& plan, const Components& from, const Leaving& leaving) {
  const bool keyed = plan.kind == WEIR_SPEC_DICT;
  PyObject* out = keyed ? PyDict_New() : PyTuple_New(static_cast<Py_ssize_t>(plan.children.size()));
  for (size_t i = 0; out && i < plan.children.size(); ++i) {
    PyObject* member = convert(plan.children[i], from, leaving);
    bool failed = member == nullptr;
    if (!failed && keyed) {
      failed = PyDict_SetItem(out, plan.keys[i].ptr(), member) < 0;
      Py_DECREF(member);
    } else if (!failed) {
      PyTuple_SET_ITEM(out, static_cast<Py_ssize_t>(i), member);
    }
    if (failed) Py_CLEAR(out);
  }
  return out;
}

}  // namespace

Classes& classes() {
  static auto* made = new Classes;
  return *made;
}

Plan Plan::of(weir_spec spec, uint32_t first) {
  weir_spec_info info = WEIR_SPEC_INFO_INIT;
  Error error;
  check(weir_spec_view(spec, &info, error), error);
  Plan plan;
  plan.kind = info.kind;
  plan.dtype = info.dtype;
  plan.rank = info.rank;
  if (info.rank > 0) plan.dims.assign(info.dims, info.dims + info.rank);
  plan.first = first;
  plan.count = info.component_count;
  uint32_t next = first + (info.kind == WEIR_SPEC_OPTIONAL ? 1 : 0);
  for (uint32_t i = 0; i < info.child_count; ++i) {
    OwnedSpec child;
    weir_string key = {nullptr, 0};
    check(weir_spec_child(spec, i, child.out(), &key, error), error);
    plan.children.push_back(of(child.get(), next));
    next += plan.children.back().count;
    PyObject* name =
        PyUnicode_DecodeUTF8(key.data ? key.data : "", static_cast<Py_ssize_t>(key.size), "surrogateescape");
    if (!name) throw nb::python_error();
    PyUnicode_InternInPlace(&name);
    plan.keys.push_back(nb::steal(name));
  }
  return plan;
}

PyObject* copy_view(const weir_view& view, bool text) {
  if (view.dtype == WEIR_DTYPE_STRING) return strings(view, text);
  return view.rank == 0 ? scalar(view) : copied(view);
}

PyObject* convert(const Plan& plan, const Components& from, const Leaving& leaving) {
  switch (plan.kind) {
    case WEIR_SPEC_TENSOR:
      return tensor(from, plan.first, leaving.text);
    case WEIR_SPEC_TUPLE:
    case WEIR_SPEC_DICT:
      return members(plan, from, leaving);
    case WEIR_SPEC_SPARSE:
      return parts(classes().sparse, plan, from, leaving);
    case WEIR_SPEC_RAGGED:
      return parts(classes().ragged, plan, from, leaving);
    case WEIR_SPEC_OPTIONAL:
      return optional(plan, from, leaving);
    default:
      return nested(from, plan.first, leaving);
  }
}

}  // namespace weirpy
