#include "iterator/stats_numbers.h"

#include <algorithm>
#include <charconv>

#include "core/text.h"

namespace weir {

std::string decimal(double value, int places) {
  char text[64];
  const auto written = std::to_chars(text, text + sizeof text, std::clamp(value, -1e18, 1e18),
                                     std::chars_format::fixed, places);
  return std::string(text, written.ptr);
}

std::string percent(double part) { return concat(decimal(100 * part, part < 0.0995 ? 1 : 0), " %"); }

std::string size_text(int64_t bytes) {
  if (bytes < 0) return "-";
  constexpr const char* kUnits[] = {" B", " kB", " MB", " GB", " TB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < std::size(kUnits); ++unit) value /= 1000;
  const int places = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return decimal(value, places) + kUnits[unit];
}

std::string seconds(int64_t ns) {
  const std::string rest = std::to_string(ns % 1'000'000'000);
  return concat(ns / 1'000'000'000, ".", std::string(9 - rest.size(), '0'), rest);
}

}  // namespace weir
