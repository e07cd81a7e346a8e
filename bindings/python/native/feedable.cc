// A feedable iterator: it takes from the iterator that a handle names.
#include "iterator.h"

namespace weirpy {

namespace {

using OwnedFeedable = Owned<weir_feedable, weir_feedable_destroy, true>;

struct Feedable {
  OwnedFeedable handle;
  OwnedElement element;
  Plan plan;
  Leaving leaving;
};

void create(Feedable* self, const Spec& spec, nb::object runtime, bool text) {
  new (self) Feedable();
  Error error;
  check(weir_feedable_create(spec.handle.get(), self->handle.out(), error), error);
  self->plan = Plan::of(spec.handle.get());
  self->leaving = {text, std::move(runtime)};
}

nb::object next(Feedable& self, const std::string& handle) {
  check_outside();
  Filling filling(self.element);
  Error error;
  const int32_t result = wait_in_slices([&](int64_t slice) {
    return weir_feedable_next_within(self.handle.get(), handle.data(), handle.size(), slice, filling.get(),
                                     error);
  });
  if (result == WEIR_END) PyErr_SetNone(PyExc_StopIteration);
  if (result == WEIR_END || result == kInterrupted) throw nb::python_error();
  check(result, error);
  PyObject* value = convert_element(self.plan, filling.get(), self.leaving);
  if (!value) throw nb::python_error();
  return nb::steal(value);
}

}  // namespace

void define_feedable(nb::module_& module) {
  nb::class_<Feedable>(module, "Feedable", nb::is_weak_referenceable())
      .def("__init__", create, nb::arg("spec"), nb::arg("runtime"), nb::arg("text"))
      .def("_next", next, nb::arg("handle"));
}

}  // namespace weirpy
