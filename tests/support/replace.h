// replace: replaces every occurrence of one text by another.
#pragma once

#include <string>

namespace weir {

inline void replace(std::string& text, const std::string& what, const std::string& with) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
}

}  // namespace weir
