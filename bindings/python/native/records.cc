// Writing TFRecord files and tf.Examples.
#include "runtime.h"

namespace weirpy {

namespace {

using OwnedWriter = Owned<weir_record_writer, weir_record_writer_destroy>;
using OwnedExample = Owned<weir_example, weir_example_destroy>;

// So many records, or bytes of them, are passed to the library together, since giving up the interpreter's
// lock and taking it again costs more than writing a small one. Until then their objects are kept.
constexpr size_t kRecordsTogether = 256;
constexpr size_t kBytesTogether = 64 * 1024;

struct RecordWriter {
  OwnedWriter handle;
  bool closed = false;
  std::vector<nb::bytes> waiting;
  size_t waiting_bytes = 0;
  // Those that are being written, without the interpreter's lock.
  std::vector<nb::bytes> passing;

  int32_t write_one(const nb::bytes& record, Error& error) const {
    return weir_record_writer_write(handle.get(), PyBytes_AS_STRING(record.ptr()),
                                    static_cast<uint64_t>(PyBytes_GET_SIZE(record.ptr())), error);
  }
  int32_t write_passing(Error& error) const {
    int32_t result = WEIR_OK;
    for (size_t i = 0; i < passing.size() && result == WEIR_OK; ++i) result = write_one(passing[i], error);
    return result;
  }
  // Calls without the lock what writes the records that wait.
  template <class Call>
  void pass_on(Call&& call) {
    struct Passed {
      ~Passed() { records.clear(); }
      std::vector<nb::bytes>& records;
    };
    passing.swap(waiting);
    waiting_bytes = 0;
    const Passed passed{passing};
    checked_without_gil(call);
  }
};

void create(RecordWriter* self, nb::object runtime, const std::string& file, const std::string& compression,
            int32_t level) {
  weir_record_writer_options options = WEIR_RECORD_WRITER_OPTIONS_INIT;
  options.compression_name = compression.data();
  options.compression_name_size = compression.size();
  options.level = level;
  const weir_runtime host = nb::cast<Runtime&>(runtime).handle.get();
  new (self) RecordWriter();
  checked_without_gil([&](Error& error) {
    return weir_record_writer_create(host, file.data(), file.size(), &options, self->handle.out(), error);
  });
}

// What is wrong with the file may be said at a later record, as the library does, which gathers what it
// writes.
void write(RecordWriter& self, nb::bytes record) {
  // The library says that the writer is closed, or that another thread is using it.
  if (self.closed || !self.passing.empty())
    return checked_without_gil([&](Error& error) { return self.write_one(record, error); });
  self.waiting_bytes += record.size();
  self.waiting.push_back(std::move(record));
  if (self.waiting.size() < kRecordsTogether && self.waiting_bytes < kBytesTogether) return;
  self.pass_on([&](Error& error) { return self.write_passing(error); });
}

void close(RecordWriter& self) {
  const weir_record_writer handle = self.handle.get();
  if (!self.passing.empty())
    return checked_without_gil([&](Error& error) { return weir_record_writer_close(handle, error); });
  self.closed = true;
  self.pass_on([&](Error& error) {
    const int32_t result = self.write_passing(error);
    if (result == WEIR_OK) return weir_record_writer_close(handle, error);
    weir_record_writer_close(handle, nullptr);
    return result;
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
    check(weir_example_set(example, name.data(), name.size(), WEIR_DTYPE_STRING, entries.data(),
                           entries.size(), error),
          error);
    return;
  }
  auto* array = reinterpret_cast<PyArrayObject*>(values.ptr());
  const auto count = static_cast<uint64_t>(PyArray_SIZE(array));
  const int32_t dtype = PyArray_TYPE(array) == NPY_INT64 ? WEIR_DTYPE_INT64 : WEIR_DTYPE_FLOAT32;
  check(weir_example_set(example, name.data(), name.size(), dtype, PyArray_DATA(array), count, error), error);
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
      .def("write", write, nb::arg("record"), "Appends a record.")
      .def("close", close, "Writes what is still in the buffer and closes the file.");
}

}  // namespace weirpy
