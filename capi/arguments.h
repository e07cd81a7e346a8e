// TakenArguments: a caller's weir_arguments, read and checked once. It takes over the callbacks among them and
// destroys those that nobody uses; datasets and tensors are shared. Errors are kept until status() is called.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "capi/barrier.h"
#include "graph/document.h"

namespace weir::capi {

// More arguments in one call are refused without reading the array.
inline constexpr uint64_t kMaxArguments = 65536;

struct TakenArgument {
  std::string name;
  // A text, or something handed in.
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

// What a text may refer to by @NAME: the arguments given, which come before what the runtime has registered.
Result<Handed> handed_of(const TakenArguments& arguments, Handed registered);
// Values for $params.
Result<std::vector<ParamValue>> params_of(const TakenArguments& arguments);

}  // namespace weir::capi
