// Values for $params as weir.h takes them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "weir/weir.h"

namespace weir::command {

// Borrows the names and texts.
inline std::vector<weir_argument> text_arguments(
    const std::vector<std::pair<std::string, std::string>>& values) {
  std::vector<weir_argument> arguments;
  for (const auto& [name, text] : values) {
    weir_argument argument = WEIR_ARGUMENT_INIT;
    argument.name = name.data();
    argument.name_size = name.size();
    argument.text = text.data();
    argument.text_size = text.size();
    arguments.push_back(argument);
  }
  return arguments;
}

}  // namespace weir::command
