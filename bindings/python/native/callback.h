// Functions of Python in a pipeline.
#pragma once

#include <atomic>

#include "plan.h"

namespace weirpy {

// What a callback or generator of the library holds of Python. Alive until the library destroys it, on any
// thread.
struct Host {
  nb::object function;
  std::vector<Plan> inputs;  // of each argument, with its place in the flat list of inputs
  Plan result;
  bool stateful = false;
  std::string state;  // what `save` handed out last
  std::string result_spec;
};

struct Callback {
  nb::object function;
  std::vector<std::string> inputs;  // the specs of the arguments
  std::string result;
  uint32_t flags = 0;
  bool stateful = false;
  // Why it takes one call at a time, with its name; empty if several threads may call it at once.
  std::string serial;

  // A callback for the library to take over.
  weir_callback handed() const;
};

struct Generator {
  nb::object function;
  std::string result;
  uint32_t flags = 0;
  bool stateful = false;

  weir_generator handed() const;
};

// How many functions and generators of Python run, on all threads.
extern std::atomic<int32_t> running_functions;

// Writes a value of Python as the result of a call. False with an exception.
bool write_result(const Plan& plan, nb::handle value, weir_call call);

// Fails all rows of a call with the exception that is set, which is kept for whoever waits for the element.
void fail_call(weir_call call);

// What an object with state_dict returns, as bytes; and the way back.
std::string dumped_state(nb::handle object);
void load_state(nb::handle object, const void* data, uint64_t size);

}  // namespace weirpy
