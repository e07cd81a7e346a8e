// What `weir --help` and `weir run --help` print.
// Ownership: text that lives for ever. Threads: any. Errors: none. Cost: none.
#pragma once

#include <string_view>

#include "arguments.h"

namespace weir::command {

// About one verb, or about all of the command for Verb::help.
std::string_view help_about(Verb verb);

}  // namespace weir::command
