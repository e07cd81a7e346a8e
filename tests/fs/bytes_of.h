// Text as what files are written from.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace weir {

inline std::span<const uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace weir
