// SeekableInput: the input of an operator that needs only a slice of its elements, as skip and shard do. If
// elements can be read by their position (OperatorAccess::seeks), only those are read, ahead of the operator;
// else the operator gets all of them and drops the others. A restored position continues in the way in which
// it was saved.
//
//   input_(opening, 0, Port::Mode::keep, Port::Opens::now, {.first = n})
//   … if (input_.seeks()) return input_.port().pull(ctx, demand, out);
#pragma once

#include <memory>
#include <string>

#include "dataset/port.h"

namespace weir {

class SeekableInput {
 public:
  // Needs all elements of input `index`.
  SeekableInput(Opening& opening, int index, Port::Mode mode, Port::Opens opens);
  // REQUIRES: !slice.by_rank
  SeekableInput(Opening& opening, int index, Port::Mode mode, Port::Opens opens, const Slice& slice);

  // Whether only the elements that are needed come.
  bool seeks() const { return seeks_; }
  Port& port() { return *port_; }
  const Port& port() const { return *port_; }
  // Saves and loads the position of the port and the manner. An operator calls both.
  void state(Archive& archive);
  Step resume(Context& ctx);

 private:
  void open(Context& ctx, Port::Opens opens);

  Instance instance_;
  const Port::Mode mode_;
  const Slice slice_;
  bool seeks_ = false;
  std::unique_ptr<Port> port_;
  // A loaded position of the other manner, until resume().
  bool reopens_ = false;
  std::string saved_;
};

}  // namespace weir
