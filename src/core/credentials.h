// Covers credentials where the name of a file is known, which core/text.h has to look for.
#pragma once

#include <string>
#include <string_view>

namespace weir {

// The same as without_credentials(text), in which `file` may stand, as it is or quoted: as an http URL it is
// covered to its end, whatever it has in it. For the name itself, pass it twice.
std::string without_credentials(std::string_view text, std::string_view file);

}  // namespace weir
