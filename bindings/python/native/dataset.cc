#include "dataset.h"

#include <algorithm>
#include <tuple>

#include "callback.h"
#include "iterator.h"

namespace weirpy {

Arguments::Arguments(nb::sequence pairs) {
  for (nb::handle pair : pairs) arguments_.push_back(made(pair[0], pair[1]));
}

std::pair<const char*, uint64_t> Arguments::keep(nb::handle text) {
  const bool bytes = PyBytes_Check(text.ptr());
  const std::string& kept = texts_.emplace_back(
      bytes ? std::string(PyBytes_AS_STRING(text.ptr()), static_cast<size_t>(PyBytes_GET_SIZE(text.ptr())))
            : nb::cast<std::string>(text));
  return {kept.data(), kept.size()};
}

// A Node: its kind, its text or number, and its members.
void Arguments::read_node(nb::handle node, weir_argument& argument) {
  argument.kind = nb::cast<uint32_t>(node[0]);
  if (PyFloat_Check(nb::object(node[1]).ptr())) {
    argument.number = nb::cast<double>(node[1]);
  } else if (argument.kind <= WEIR_VALUE_STRING || argument.kind >= WEIR_VALUE_CALL) {
    std::tie(argument.text, argument.text_size) = keep(nb::object(node[1]));
  }
  std::vector<weir_argument> members;
  for (nb::handle pair : nb::object(node[2])) members.push_back(made(pair[0], pair[1]));
  const auto& kept = lists_.emplace_back(std::move(members));
  argument.members = kept.data();
  argument.member_count = kept.size();
}

weir_argument Arguments::made(nb::handle name, nb::handle value) {
  weir_argument argument = WEIR_ARGUMENT_INIT;
  std::tie(argument.name, argument.name_size) = keep(name);
  if (PyTuple_Check(value.ptr())) {
    read_node(value, argument);
    return argument;
  }
  if (nb::isinstance<Dataset>(value)) {
    const Dataset& dataset = nb::cast<Dataset&>(value);
    argument.dataset = dataset.handle.get();
    call_python_ = call_python_ || dataset.calls_python;
    on_caller_ = on_caller_ || dataset.on_caller;
    if (serial_.empty()) serial_ = dataset.serial;
  } else if (nb::isinstance<Tensor>(value)) {
    argument.tensor = nb::cast<Tensor&>(value).handle.get();
  } else if (nb::isinstance<Callback>(value)) {
    const Callback& callback = nb::cast<Callback&>(value);
    argument.callback = &callbacks_.emplace_back(callback.handed());
    on_caller_ = on_caller_ || (callback.flags & WEIR_CALLBACK_ON_CALLER);
    if (serial_.empty()) serial_ = callback.serial;
  } else if (nb::isinstance<Generator>(value)) {
    const Generator& generator = nb::cast<Generator&>(value);
    argument.generator = &generators_.emplace_back(generator.handed());
    on_caller_ = on_caller_ || (generator.flags & WEIR_CALLBACK_ON_CALLER);
  } else if (PyCapsule_CheckExact(value.ptr())) {
    // The capsule releases a stream that the library did not take.
    argument.arrow = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(value.ptr(), "arrow_array_stream"));
    if (!argument.arrow) throw nb::python_error();
  } else {
    std::tie(argument.text, argument.text_size) = keep(value);
  }
  call_python_ = call_python_ || argument.callback || argument.generator;
  return argument;
}

Arguments::~Arguments() {
  if (taken_) return;
  for (weir_callback& callback : callbacks_) callback.destroy(callback.user_data);
  for (weir_generator& generator : generators_) generator.destroy(generator.user_data);
}

namespace {

// Makes a dataset by a call that takes arguments over.
template <class Call>
Dataset made(nb::object runtime, Arguments& arguments, Call&& call) {
  Dataset out;
  out.runtime = std::move(runtime);
  out.calls_python = arguments.call_python();
  out.serial = arguments.serial();
  out.on_caller = arguments.on_caller();
  const weir_runtime host = out.host();
  arguments.taken();
  checked_without_gil([&](Error& error) { return call(host, out.handle.out(), error); });
  return out;
}

Dataset parse(nb::object runtime, const std::string& text, nb::sequence pairs) {
  Arguments arguments(pairs);
  return made(std::move(runtime), arguments, [&](weir_runtime host, weir_dataset* out, Error& error) {
    return weir_dataset_parse(host, text.data(), text.size(), arguments.data(), arguments.size(), out, error);
  });
}

// A pipeline: a Node for each call.
Dataset apply(nb::object runtime, nb::sequence pairs) {
  Arguments arguments(pairs);
  return made(std::move(runtime), arguments, [&](weir_runtime host, weir_dataset* out, Error& error) {
    return weir_dataset_apply(host, "", 0, nullptr, 0, arguments.data(), arguments.size(), out, error);
  });
}

Dataset deserialize(nb::object runtime, nb::bytes bytes, nb::sequence pairs) {
  Arguments arguments(pairs);
  return made(std::move(runtime), arguments, [&](weir_runtime host, weir_dataset* out, Error& error) {
    return weir_dataset_deserialize(host, bytes.data(), bytes.size(), arguments.data(), arguments.size(), out,
                                    error);
  });
}

// Without a text: of what apply() takes.
nb::str check_text(nb::object runtime, std::optional<std::string> text, nb::sequence pairs) {
  Arguments arguments(pairs);
  arguments.taken();
  const weir_runtime host = nb::cast<Runtime&>(runtime).handle.get();
  return text_by([&](weir_bytes* out, Error& error) {
    return weir_dataset_check(host, text ? text->data() : nullptr, text ? text->size() : 0, arguments.data(),
                              arguments.size(), 0, out, error);
  });
}

void register_function(nb::object runtime, const std::string& name, const Callback& callback) {
  const weir_callback handed = callback.handed();
  const weir_runtime host = nb::cast<Runtime&>(runtime).handle.get();
  checked_without_gil(
      [&](Error& error) { return weir_runtime_register(host, name.data(), name.size(), &handed, error); });
}

const Plan& plan_of(Dataset& self) {
  if (!self.plan) {
    OwnedSpec spec;
    Error error;
    check(weir_dataset_spec(self.handle.get(), spec.out(), error), error);
    self.plan = Plan::of(spec.get());
  }
  return *self.plan;
}

// Whether the values of an element take so little that it may keep them until it is filled again.
bool is_small(const Plan& plan, weir_element element) {
  constexpr uint32_t kMostComponents = 4;
  constexpr uint64_t kMostBytes = 64 << 10;
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < plan.count; ++i) {
    weir_view view = WEIR_VIEW_INIT;
    if (i == kMostComponents || weir_element_view(element, i, &view, nullptr) != WEIR_OK) return false;
    const bool strings = view.dtype == WEIR_DTYPE_STRING;
    if (strings && view.rank > 0) return false;
    bytes += strings ? static_cast<const weir_string*>(view.data)->size : view.byte_size;
  }
  return bytes <= kMostBytes;
}

nb::object at(Dataset& self, int64_t position, bool text) {
  const Plan& plan = plan_of(self);
  Filling filling(self.element);
  Error error;
  const weir_runtime host = self.host();
  const bool in_range = position >= 0 && position < -(WEIR_AT_TRY / 2);
  // Further below it would be one with WEIR_AT_TRY.
  const int64_t wanted = in_range ? position + WEIR_AT_TRY : std::max<int64_t>(position, WEIR_AT_TRY / 2);
  const int32_t result = wait_in_slices(
      [&](int64_t) { return weir_dataset_at(host, self.handle.get(), wanted, filling.get(), error); });
  if (result == kInterrupted) {
    weir_element_clear(filling.get());
    throw nb::python_error();
  }
  check(result, error);
  PyObject* value = convert_element(plan, filling.get(), {text, self.runtime});
  if (!is_small(plan, filling.get())) weir_element_clear(filling.get());
  if (!value) throw nb::python_error();
  return nb::steal(value);
}

weir_dataset_info info_of(const Dataset& self) {
  weir_dataset_info info = WEIR_DATASET_INFO_INIT;
  Error error;
  check(weir_dataset_view(self.handle.get(), &info, error), error);
  return info;
}

}  // namespace

void define_dataset(nb::module_& module) {
  module.def("parse", parse, nb::arg("runtime"), nb::arg("text"), nb::arg("arguments"));
  module.def("apply", apply, nb::arg("runtime"), nb::arg("arguments"));
  module.def("deserialize", deserialize, nb::arg("runtime"), nb::arg("data"), nb::arg("arguments"));
  module.def("check", check_text, nb::arg("runtime"), nb::arg("text").none(), nb::arg("arguments"));
  module.def("register", register_function, nb::arg("runtime"), nb::arg("name"), nb::arg("callback"));
  module.def(
      "adopt",
      [](uint64_t value, nb::object runtime) {
        Dataset out;
        out.handle = OwnedDataset(weir_dataset{value});
        out.runtime = std::move(runtime);
        return out;
      },
      nb::arg("handle"), nb::arg("runtime"));
  nb::class_<Dataset>(module, "Dataset", nb::is_weak_referenceable())
      .def_ro("runtime", &Dataset::runtime)
      .def_ro("calls_python", &Dataset::calls_python)
      .def_ro("serial", &Dataset::serial)
      .def_prop_ro("spec",
                   [](const Dataset& self) {
                     OwnedSpec spec;
                     Error error;
                     check(weir_dataset_spec(self.handle.get(), spec.out(), error), error);
                     return Spec(std::move(spec));
                   })
      .def_prop_ro("cardinality", [](const Dataset& self) { return info_of(self).cardinality; })
      .def_prop_ro("fingerprint",
                   [](const Dataset& self) {
                     const weir_dataset_info info = info_of(self);
                     return nb::make_tuple(info.fingerprint[0], info.fingerprint[1]);
                   })
      .def("format",
           [](const Dataset& self) {
             return text_by([&](weir_bytes* bytes, Error& error) {
               return weir_dataset_format(self.handle.get(), bytes, error);
             });
           })
      .def("serialize",
           [](const Dataset& self) {
             return bytes_by([&](weir_bytes* bytes, Error& error) {
               return weir_dataset_serialize(self.handle.get(), bytes, error);
             });
           })
      .def(
          "explain",
          [](const Dataset& self, bool text, bool parts) {
            const uint32_t flags = (text ? WEIR_TEXT : 0) | (parts ? WEIR_EXPLAIN_PARTS : 0);
            return text_by([&](weir_bytes* bytes, Error& error) {
              return weir_dataset_explain(self.handle.get(), flags, bytes, error);
            });
          },
          nb::arg("text"), nb::arg("parts"))
      .def("at", at, nb::arg("position"), nb::arg("text") = false);
}

}  // namespace weirpy
