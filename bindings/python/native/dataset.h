// An immutable description of a sequence, and what is passed to documents by name.
#pragma once

#include <deque>
#include <optional>

#include "plan.h"
#include "runtime.h"
#include "spec.h"
#include "tensor.h"

namespace weirpy {

struct Dataset {
  OwnedDataset handle;
  nb::object runtime;
  // It calls functions of Python that other processes do not know.
  bool calls_python = false;
  // Some of them must run on the thread that takes the element.
  bool on_caller = false;
  // Of the first function in it that takes one call at a time: Callback::serial.
  std::string serial;
  // What taking elements by their position needs again: how they become objects, and the element, which is
  // zero while a call fills it.
  std::optional<Plan> plan;
  OwnedElement element;

  weir_runtime host() const { return nb::cast<Runtime&>(runtime).handle.get(); }
};

// The element that a call fills, borrowed from an iterator or a dataset. A second thread inside the same one
// makes its own.
class Filling {
 public:
  explicit Filling(OwnedElement& spare) : spare_(spare), element_(std::move(spare)) {
    if (!element_) weir_element_create(element_.out(), nullptr);
  }
  ~Filling() {
    if (!spare_) spare_ = std::move(element_);
  }
  weir_element get() const { return shared_ ? shared_->get() : element_.get(); }
  // The element as Python objects.
  PyObject* convert(const Plan& plan, const Leaving& leaving) {
    return weirpy::convert(plan, {get(), {0}, this}, leaving);
  }
  // For values that stay in the element; the next filling has another one.
  const std::shared_ptr<OwnedElement>& share() {
    if (!shared_) shared_ = std::make_shared<OwnedElement>(std::move(element_));
    return shared_;
  }

 private:
  OwnedElement& spare_;
  OwnedElement element_;
  std::shared_ptr<OwnedElement> shared_;
};

// What can be passed by name: str and bytes, Tensor, Dataset, Callback, Generator, capsules of Arrow streams,
// and Nodes of _node.py.
class Arguments {
 public:
  // REQUIRES: pairs of a name and a value
  explicit Arguments(nb::sequence pairs);
  // Destroys callbacks that the library has not taken over.
  ~Arguments();
  const weir_argument* data() const { return arguments_.data(); }
  uint64_t size() const { return arguments_.size(); }
  bool call_python() const { return call_python_; }
  const std::string& serial() const { return serial_; }
  bool on_caller() const { return on_caller_; }
  // Says that the library has taken the callbacks over, as it does also in a call that fails.
  void taken() { taken_ = true; }

 private:
  weir_argument made(nb::handle name, nb::handle value);
  void read_node(nb::handle node, weir_argument& argument);
  std::pair<const char*, uint64_t> keep(nb::handle text);

  std::vector<weir_argument> arguments_;
  std::deque<std::string> texts_;
  std::deque<std::vector<weir_argument>> lists_;
  std::deque<weir_callback> callbacks_;
  std::deque<weir_generator> generators_;
  bool taken_ = false;
  bool call_python_ = false;
  bool on_caller_ = false;
  std::string serial_;
};

}  // namespace weirpy
