#include "dataset.h"
namespace weirpy {
void define_arrow(nb::module_& module) { module.def("from_arrow", [](nb::object) { return nb::none(); }); }
}
