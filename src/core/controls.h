// without_controls: text for a terminal or a log. Names of files may hold commands for either.
#pragma once

#include <string>
#include <string_view>

namespace weir {

// The text with control characters as \r and \xhh; newlines and tabs stay.
std::string without_controls(std::string_view text);

}  // namespace weir
