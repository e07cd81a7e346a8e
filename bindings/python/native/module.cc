#define WEIR_PYTHON_MODULE
#include "plan.h"

namespace weirpy {

namespace {

// NumPy's macro returns from the function that it stands in.
bool load_numpy() {
  import_array1(false);
  return true;
}

void set_classes(nb::object dataset, nb::object sparse, nb::object ragged, nb::object optional,
                 nb::object string_dtype, nb::object refit) {
  classes() = {std::move(dataset),  std::move(sparse),       std::move(ragged),
               std::move(optional), std::move(string_dtype), std::move(refit)};
}

}  // namespace

}  // namespace weirpy

NB_MODULE(_core, module) {
  using namespace weirpy;
  if (!load_numpy()) throw nb::python_error();
  nb::set_leak_warnings(false);
  module.def("set_classes", set_classes);
  define_errors(module);
  define_runtime(module);
  define_spec(module);
  define_tensor(module);
  define_device(module);
  define_dataset(module);
  define_iterator(module);
  define_callback(module);
  define_checkpoint(module);
  define_records(module);
  define_digest(module);
  define_arrow(module);
}
