// TakenArguments: a caller's weir_arguments, read and checked once; the callbacks among them are taken over.
// Ownership: callbacks that nobody takes are destroyed with it; datasets and tensors are shared.
// Threads: one call's. Errors: invalid_argument, kept until status() is asked. Cost: an allocation an
// argument.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "capi/barrier.h"
#include "graph/document.h"

namespace weir::capi {

// More in one call are refused, and the array is not read then.
inline constexpr uint64_t kMaxArguments = 65536;

struct TakenArgument {
  std::string name;
  // A text, or a thing.
  std::variant<std::string, HandedThing> value;
};

class TakenArguments {
 public:
  TakenArguments(const weir_argument* arguments, uint64_t count);

  const Status& status() const { return status_; }
  const std::vector<TakenArgument>& list() const { return list_; }

 private:
  Status take(const weir_argument& known);

  Status status_;
  std::vector<TakenArgument> list_;
};

// What a text calls @NAME: the things given, before those that the runtime has registered.
Result<Handed> handed_of(const TakenArguments& arguments, Handed registered);
// Values for $params.
Result<std::vector<ParamValue>> params_of(const TakenArguments& arguments);

}  // namespace weir::capi
