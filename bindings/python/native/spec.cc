#include "spec.h"

namespace weirpy {

namespace {

constexpr const char* kKinds[] = {"tensor", "tuple", "dict", "sparse", "ragged", "optional", "dataset"};
constexpr const char* kDTypes[] = {"",        "bool",    "int8",      "int16",      "int32",   "int64",
                                   "uint8",   "uint16",  "uint32",    "uint64",     "float16", "bfloat16",
                                   "float32", "float64", "complex64", "complex128", "string",  "dataset"};

Spec parse(const std::string& text) {
  OwnedSpec handle;
  Error error;
  check(weir_spec_parse(text.data(), text.size(), handle.out(), error), error);
  return Spec(std::move(handle));
}

Spec child(const Spec& spec, uint32_t index) {
  OwnedSpec handle;
  Error error;
  check(weir_spec_child(spec.handle.get(), index, handle.out(), nullptr, error), error);
  return Spec(std::move(handle));
}

Spec member(const Spec& spec, const nb::str& name) {
  for (uint32_t i = 0; spec.plan.kind == WEIR_SPEC_DICT && i < spec.plan.keys.size(); ++i) {
    if (name.equal(spec.plan.keys[i])) return child(spec, i);
  }
  throw nb::key_error(nb::str(name).c_str());
}

Spec position(const Spec& spec, int64_t index) {
  const auto count = static_cast<int64_t>(spec.plan.children.size());
  const int64_t place = index < 0 ? index + count : index;
  if (spec.plan.kind != WEIR_SPEC_TUPLE || place < 0 || place >= count) throw nb::index_error();
  return child(spec, static_cast<uint32_t>(place));
}

nb::object shape(const Spec& spec) {
  if (spec.plan.rank < 0) return nb::none();
  PyObject* out = PyTuple_New(spec.plan.rank);
  for (int i = 0; i < spec.plan.rank; ++i) {
    const int64_t size = spec.plan.dims[static_cast<size_t>(i)];
    PyTuple_SET_ITEM(out, i, size < 0 ? Py_NewRef(Py_None) : PyLong_FromLongLong(size));
  }
  return nb::steal(out);
}

std::string format(const Spec& spec) {
  Bytes out;
  Error error;
  check(weir_spec_format(spec.handle.get(), &out.bytes, error), error);
  return std::string(out.bytes.data, out.bytes.size);
}

uint32_t component(const Spec& spec, const std::string& path) {
  uint32_t out = 0;
  Error error;
  check(weir_spec_component(spec.handle.get(), path.data(), path.size(), &out, error), error);
  return out;
}

}  // namespace

void define_spec(nb::module_& module) {
  nb::class_<Spec>(module, "Spec", nb::is_weak_referenceable(),
                   "The structure of an element, as the notation writes it: Spec(\"{x: int64[3]}\").")
      .def_static("parse", parse, nb::arg("text"))
      .def(
          "__init__", [](Spec* self, const std::string& text) { new (self) Spec(parse(text)); },
          nb::arg("text"))
      .def_prop_ro("kind", [](const Spec& self) { return kKinds[self.plan.kind]; })
      .def_prop_ro("dtype",
                   [](const Spec& self) -> nb::object {
                     return self.plan.dtype ? nb::str(kDTypes[self.plan.dtype]) : nb::object(nb::none());
                   })
      .def_prop_ro("shape", shape)
      .def_prop_ro("component_count", [](const Spec& self) { return self.plan.count; })
      .def_prop_ro("keys",
                   [](const Spec& self) {
                     nb::list out;
                     if (self.plan.kind == WEIR_SPEC_DICT) {
                       for (const nb::object& key : self.plan.keys) out.append(key);
                     }
                     return nb::tuple(out);
                   })
      .def_prop_ro("children",
                   [](const Spec& self) {
                     nb::list out;
                     for (uint32_t i = 0; i < self.plan.children.size(); ++i)
                       out.append(nb::cast(child(self, i)));
                     return nb::tuple(out);
                   })
      .def("__getitem__", member, nb::arg("key"))
      .def("__getitem__", position, nb::arg("index"))
      .def("component", component, nb::arg("path"))
      .def("__str__", format)
      .def("__repr__", [](const Spec& self) { return "weir.Spec(\"" + format(self) + "\")"; })
      .def(
          "__eq__", [](const Spec& self, const Spec& other) { return format(self) == format(other); },
          nb::is_operator())
      .def("__hash__", [](const Spec& self) { return std::hash<std::string>()(format(self)); })
      .def("__reduce__",
           [](const nb::object& self) { return nb::make_tuple(self.type(), nb::make_tuple(nb::str(self))); });
}

}  // namespace weirpy
