// CallPlace: the place of a function's call in the text, for the errors of elements.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/status.h"

namespace weir {

struct Arg;

struct CallPlace {
  // As the notation writes it: "reshape", "//", "x[…]".
  std::string name;
  // Empty if the caller didn't write it.
  std::shared_ptr<const std::string> source;
  size_t offset = 0;
};

// The error with "; in reshape of int64[3] and int64[2] at line 1, column 21" after it. Returns it as it is
// without a place, or where memory ran out.
ErrorPtr located(const CallPlace* place, std::span<const Arg> args, const ErrorPtr& error);

}  // namespace weir
