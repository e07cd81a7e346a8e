// TakenArguments: a caller's weir_arguments, read and checked once. It takes over the callbacks among them
// and destroys those that nobody uses; it takes over Arrow streams, too, and reads them to their end;
// datasets and tensors are shared. Errors are kept until status() is called.
#pragma once

#include <string>
#include <vector>

#include "capi/barrier.h"
#include "graph/document.h"

namespace weir::capi {

// More arguments in one call, members counted, are refused without reading the array, as are those nested
// deeper.
inline constexpr uint64_t kMaxArguments = 65536;
inline constexpr int kMaxArgumentDepth = 1000;

class TakenArguments {
 public:
  // Without a runtime, Arrow streams are released unread.
  TakenArguments(const weir_argument* arguments, uint64_t count, weir_runtime runtime = {0});

  const Status& status() const { return status_; }
  const std::vector<Argument>& list() const { return list_; }

 private:
  void take_all(const weir_argument* arguments, uint64_t count, uint32_t size, int depth,
                std::vector<Argument>& out);
  Status take(const weir_argument& known, Argument& out);

  const weir_runtime runtime_;
  Status status_;
  std::vector<Argument> list_;
  uint64_t count_ = 0;
};

// What a text may refer to by @NAME: the arguments given, which come before what the runtime has registered.
Result<Handed> handed_of(const TakenArguments& arguments, Handed registered);
// Values for $params.
Result<std::vector<ParamValue>> params_of(const TakenArguments& arguments);

}  // namespace weir::capi
