#include "callback.h"

#include "spec.h"

namespace weirpy {

namespace {

Plan plan_of(const std::string& text, uint32_t first = 0) {
  OwnedSpec spec;
  Error error;
  check(weir_spec_parse(text.data(), text.size(), spec.out(), error), error);
  return Plan::of(spec.get(), first);
}

struct Running {
  Running() { ++running_functions; }
  ~Running() { --running_functions; }
};

// Runs `body`, which returns false with an exception, under the GIL. After the interpreter has ended, calls
// fail.
template <class Body>
int32_t held(weir_call call, Body&& body) {
  if (finalizing()) return WEIR_CODE_CANCELLED;
  const Running running;
  return with_gil([&] {
    bool done = false;
    try {
      done = body();
    } catch (nb::python_error& raised) {
      raised.restore();
    } catch (const std::exception& thrown) {
      PyErr_SetString(PyExc_RuntimeError, thrown.what());
    }
    if (done) return WEIR_OK;
    fail_call(call);
    // Every row has its error then. A function without a call fails even if its message is refused.
    return call.value ? WEIR_OK : WEIR_CODE_UNKNOWN;
  });
}

// What Python code returned.
template <class Call>
nb::object returned(Call&& call) {
  const LateInterrupt::Hidden hidden;
  return nb::steal(call());
}

// Writes what was returned, again if a Ctrl-C comes meanwhile.
bool written(const Plan& plan, const nb::object& result, weir_call call) {
  for (;;) {
    try {
      const LateInterrupt::Hidden hidden;
      if (write_result(plan, result, call)) return true;
    } catch (nb::python_error& raised) {
      raised.restore();
    }
    if (!LateInterrupt::takes()) return false;
  }
}

int32_t run_callback(void* user_data, weir_call call) {
  auto& host = *static_cast<Host*>(user_data);
  return held(call, [&] {
    for (;;) {
      std::vector<nb::object> arguments;
      std::vector<PyObject*> raw;
      for (const Plan& plan : host.inputs) {
        arguments.push_back(nb::steal(convert(plan, {{0}, call}, {})));
        if (!arguments.back().is_valid()) return false;
        raw.push_back(arguments.back().ptr());
      }
      const nb::object result =
          returned([&] { return PyObject_Vectorcall(host.function.ptr(), raw.data(), raw.size(), nullptr); });
      if (result.is_valid()) return written(host.result, result, call);
      // What it has done to its state would be done twice.
      if (host.stateful || !LateInterrupt::takes()) return false;
    }
  });
}

void destroy_host(void* user_data) {
  // After the interpreter has ended its objects cannot be released, and the process is ending too.
  if (finalizing()) return;
  with_gil([&] { delete static_cast<Host*>(user_data); });
}

int32_t save_callback(void* user_data, const void** data, uint64_t* size) {
  auto& host = *static_cast<Host*>(user_data);
  return held({0}, [&] {
    host.state = dumped_state(host.function);
    *data = host.state.data();
    *size = host.state.size();
    return true;
  });
}

int32_t restore_callback(void* user_data, const void* data, uint64_t size) {
  return held({0}, [&] {
    load_state(static_cast<Host*>(user_data)->function, data, size);
    return true;
  });
}

// One run of a generator: the object that the function returned, and its iterator.
struct Run {
  nb::object object;
  nb::object iterator;
  std::string state;
};

// Begins a run, at a place if there is one.
int32_t begin_run(Host& host, const void* data, uint64_t size, void** state) {
  return held({0}, [&] {
    auto run = std::make_unique<Run>();
    run->object = returned([&] { return PyObject_CallNoArgs(host.function.ptr()); });
    if (!run->object.is_valid()) return false;
    if (data) load_state(run->object, data, size);
    run->iterator = nb::steal(PyObject_GetIter(run->object.ptr()));
    if (!run->iterator.is_valid()) return false;
    *state = run.release();
    return true;
  });
}

int32_t open_run(void* user_data, void** state) {
  return begin_run(*static_cast<Host*>(user_data), nullptr, 0, state);
}

int32_t restore_run(void* user_data, const void* data, uint64_t size, void** state) {
  return begin_run(*static_cast<Host*>(user_data), data, size, state);
}

int32_t next_of_run(void* user_data, void* state, weir_call call) {
  bool ended = false;
  const int32_t result = held(call, [&] {
    auto& run = *static_cast<Run*>(state);
    nb::object item = returned([&] { return PyIter_Next(run.iterator.ptr()); });
    ended = !item.is_valid() && !PyErr_Occurred();
    return ended || (item.is_valid() && written(static_cast<Host*>(user_data)->result, item, call));
  });
  return ended ? WEIR_END : result;
}

int32_t save_run(void*, void* state, const void** data, uint64_t* size) {
  auto& run = *static_cast<Run*>(state);
  return held({0}, [&] {
    run.state = dumped_state(run.object);
    *data = run.state.data();
    *size = run.state.size();
    return true;
  });
}

void close_run(void*, void* state) {
  if (finalizing()) return;
  with_gil([&] { delete static_cast<Run*>(state); });
}

std::unique_ptr<Host> host_of(const nb::object& function, const std::string& result, bool stateful) {
  auto host = std::make_unique<Host>();
  host->function = function;
  host->result = plan_of(result);
  host->result_spec = result;
  host->stateful = stateful;
  return host;
}

}  // namespace

std::atomic<int32_t> running_functions = 0;

std::string dumped_state(nb::handle object) {
  nb::object bytes = nb::module_::import_("pickle").attr("dumps")(object.attr("state_dict")());
  return {PyBytes_AsString(bytes.ptr()), static_cast<size_t>(PyBytes_Size(bytes.ptr()))};
}

void load_state(nb::handle object, const void* data, uint64_t size) {
  object.attr("load_state_dict")(nb::module_::import_("pickle").attr("loads")(nb::bytes(data, size)));
}

weir_callback Callback::handed() const {
  auto host = host_of(function, result, stateful);
  uint32_t first = 0;
  for (const std::string& input : inputs) {
    host->inputs.push_back(plan_of(input, first));
    first += host->inputs.back().count;
  }
  weir_callback out = WEIR_CALLBACK_INIT;
  out.flags = flags;
  out.function = run_callback;
  out.destroy = destroy_host;
  out.result_spec = host->result_spec.data();
  out.result_spec_size = host->result_spec.size();
  if (stateful) {
    out.save = save_callback;
    out.restore = restore_callback;
  }
  out.user_data = host.release();
  return out;
}

weir_generator Generator::handed() const {
  weir_generator out = WEIR_GENERATOR_INIT;
  out.flags = flags;
  out.open = open_run;
  out.next = next_of_run;
  out.close = close_run;
  out.destroy = destroy_host;
  if (stateful) {
    out.save = save_run;
    out.restore = restore_run;
  }
  out.user_data = host_of(function, result, stateful).release();
  return out;
}

void define_callback(nb::module_& module) {
  nb::class_<Callback>(module, "Callback")
      .def(nb::init<nb::object, std::vector<std::string>, std::string, uint32_t, bool, std::string>(),
           nb::arg("function"), nb::arg("inputs"), nb::arg("result"), nb::arg("flags"), nb::arg("stateful"),
           nb::arg("serial"))
      .def_ro("serial", &Callback::serial);
  nb::class_<Generator>(module, "Generator")
      .def(nb::init<nb::object, std::string, uint32_t, bool>(), nb::arg("function"), nb::arg("result"),
           nb::arg("flags"), nb::arg("stateful"));
  module.attr("CONCURRENT") = WEIR_CALLBACK_CONCURRENT;
  module.attr("BLOCKING") = WEIR_CALLBACK_BLOCKING;
  module.attr("BLOCK") = WEIR_CALLBACK_BLOCK;
  module.attr("PURE") = WEIR_CALLBACK_PURE;
  module.attr("ON_CALLER") = WEIR_CALLBACK_ON_CALLER;
}

}  // namespace weirpy
