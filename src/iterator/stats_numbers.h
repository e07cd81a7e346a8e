// How statistics write numbers, whatever the locale.
#pragma once

#include <cstdint>
#include <string>

namespace weir {

// Rounded to so many places after the point.
std::string decimal(double value, int places);
// 0.953 is "95.3 %".
std::string percent(double part);
// "1.21 MB"; "-" if negative.
std::string size_text(int64_t bytes);
// Nanoseconds as seconds, exactly.
std::string seconds(int64_t ns);

}  // namespace weir
