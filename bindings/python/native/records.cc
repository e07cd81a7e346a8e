// Writing TFRecord files and tf.Examples.
#include "runtime.h"

namespace weirpy {

namespace {

using OwnedWriter = Owned<weir_record_writer, weir_record_writer_destroy>;
using OwnedExample = Owned<weir_example, weir_example_destroy>;

struct RecordWriter {
  OwnedWriter handle;
};

void create(RecordWriter* self, nb::object runtime, const std::string& file, int32_t compression,
            int32_t level) {
  weir_record_writer_options options = WEIR_RECORD_WRITER_OPTIONS_INIT;
  options.compression = compression;
  options.level = level;
  const weir_runtime host = nb::cast<Runtime&>(runtime).handle.get();
  new (self) RecordWriter();
  checked_without_gil([&](Error& error) {
    return weir_record_writer_create(host, file.data(), file.size(), &options, self->handle.out(), error);
  });
}

// Values of one feature: contiguous int64 or float32 arrays, or a list of bytes.
void set_feature(weir_example example, const std::string& name, nb::handle values, Error& error) {
  if (PyList_Check(values.ptr())) {
    std::vector<weir_string> entries;
    for (nb::handle value : nb::borrow<nb::list>(values)) {
      entries.push_back({PyBytes_AsString(value.ptr()), static_cast<uint64_t>(PyBytes_Size(value.ptr()))});
      if (PyErr_Occurred()) throw nb::python_error();
    }
    check(weir_example_set_bytes(example, name.data(), name.size(), entries.data(), entries.size(), error),
          error);
    return;
  }
  auto* array = reinterpret_cast<PyArrayObject*>(values.ptr());
  const auto count = static_cast<uint64_t>(PyArray_SIZE(array));
  const bool integers = PyArray_TYPE(array) == NPY_INT64;
  check(integers ? weir_example_set_int64(example, name.data(), name.size(),
                                          static_cast<const int64_t*>(PyArray_DATA(array)), count, error)
                 : weir_example_set_float(example, name.data(), name.size(),
                                          static_cast<const float*>(PyArray_DATA(array)), count, error),
        error);
}

nb::bytes example(nb::dict features) {
  OwnedExample made;
  Error error;
  check(weir_example_create(made.out(), error), error);
  for (auto [name, values] : features) set_feature(made.get(), nb::cast<std::string>(name), values, error);
  Bytes out;
  check(weir_example_serialize(made.get(), &out.bytes, error), error);
  return out.to_bytes();
}

}  // namespace

void define_records(nb::module_& module) {
  module.def("example", example, nb::arg("features"));
  nb::class_<RecordWriter>(module, "RecordWriter", nb::is_weak_referenceable())
      .def("__init__", create, nb::arg("runtime"), nb::arg("file"), nb::arg("compression"), nb::arg("level"))
      .def(
          "_write",
          [](RecordWriter& self, nb::bytes record) {
            checked_without_gil([&](Error& error) {
              return weir_record_writer_write(self.handle.get(), record.data(), record.size(), error);
            });
          },
          nb::arg("record"))
      .def("_close", [](RecordWriter& self) {
        checked_without_gil([&](Error& error) { return weir_record_writer_close(self.handle.get(), error); });
      });
}

}  // namespace weirpy
