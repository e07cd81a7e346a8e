#include "runtime.h"

namespace weirpy {

namespace {

void log_line(void* function, int32_t level, const char* line, uint64_t size) {
  if (finalizing()) return;
  with_gil([&] {
    PyObject* result = PyObject_CallFunction(static_cast<PyObject*>(function), "is#", level, line,
                                             static_cast<Py_ssize_t>(size));
    if (!result) PyErr_WriteUnraisable(static_cast<PyObject*>(function));
    Py_XDECREF(result);
  });
}

void create(Runtime* self, int32_t threads, int64_t pool_bytes, int32_t log_level, int64_t record_bytes,
            int64_t memory_bytes, const std::vector<std::string>& extensions, nb::object logger) {
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  options.thread_count = threads;
  options.pool_bytes = pool_bytes;
  options.log_level = log_level;
  options.record_bytes = record_bytes;
  options.memory_bytes = memory_bytes;
  std::string folders;
  for (const std::string& folder : extensions) folders += (folders.empty() ? "" : ":") + folder;
  options.extensions = folders.data();
  options.extensions_size = folders.size();
  weir_logger host = WEIR_LOGGER_INIT;
  if (!logger.is_none()) {
    host.log = log_line;
    host.destroy = release_object;
    host.user_data = logger.release().ptr();
    options.logger = &host;
  }
  new (self) Runtime();
  checked_without_gil([&](Error& error) { return weir_runtime_create(&options, self->handle.out(), error); });
}

}  // namespace

void define_runtime(nb::module_& module) {
  nb::class_<Runtime>(module, "Runtime", nb::is_final(), nb::is_weak_referenceable(),
                      "Threads, memory and limits that datasets and iterators share.")
      .def("__init__", create, nb::kw_only(), nb::arg("threads") = 0, nb::arg("pool_bytes") = 0,
           nb::arg("log_level") = 0, nb::arg("record_bytes") = 0, nb::arg("memory_bytes") = 0,
           nb::arg("extensions") = std::vector<std::string>(), nb::arg("logger") = nb::none())
      .def(
          "load_extension",
          [](Runtime& self, const std::string& file) {
            checked_without_gil([&](Error& error) {
              return weir_runtime_load_extension(self.handle.get(), file.data(), file.size(), error);
            });
          },
          nb::arg("file"), "Loads an extension, a shared library with an absolute name.")
      .def(
          "close", [](Runtime& self) { self.handle.reset(); },
          "Ends the runtime; what was made with it stays usable.");
}

}  // namespace weirpy
