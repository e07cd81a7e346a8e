// What `weir --help` and `weir run --help` print.
#pragma once

#include <string_view>

#include "arguments.h"

namespace weir::command {

// About one verb, or about the whole command for Verb::help.
std::string_view help_about(Verb verb);

}  // namespace weir::command
