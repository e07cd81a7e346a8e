// How the extension fails: blocking code throws a Failure, which becomes weir_call_fail at the edge.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "remote/text.h"

namespace weir_remote {

struct Failure {
  Failure(int32_t c, std::string m) : code(c), message(std::move(m)) {}
  // About a file, whose name is shown without its secrets.
  Failure(int32_t c, std::string_view name, const std::string& m)
      : code(c), message(shown_name(name) + ": " + m) {}

  int32_t code;  // WEIR_CODE_...
  std::string message;
};

}  // namespace weir_remote
