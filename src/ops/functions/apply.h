// Apply: what operators that apply a function to the rows of a Port have in common. Keeps the function and
// the variables it was opened under. If a block runs out of memory, its first row fails and the others are
// tried one by one, provided that the function may be called again; any other exception fails all rows.
#pragma once

#include "dataset/operator.h"
#include "expr/types/function.h"

namespace weir {

inline const Function& function_of(const FunctionParam& param) {
  return static_cast<const Function&>(*param.function);
}

class Apply {
 public:
  Apply(const Opening& opening, const FunctionParam& param)
      : function_(&function_of(param)), env_(opening.env), key_(opening.key) {}

  const Function& function() const { return *function_; }
  uint64_t key() const { return key_; }

  CallArgs args(Session& session, int64_t first, bool drop = false) const {
    return {.session = session, .env = env_.get(), .key = key_, .base_ordinal = first, .drop = drop};
  }

  // Calls the function over rows with ordinals from `first` on, unless all rows of `in` have failed.
  // `selection`: as CallArgs::selection.
  void operator()(Session& session, int64_t first, const Block& in, Block& out, bool drop = false,
                  const int32_t* selection = nullptr) const;

 private:
  void call_by_rows(CallArgs args, const Block& in, Block& out) const;

  FunctionRef function_;
  EnvRef env_;
  uint64_t key_;
};

}  // namespace weir
