// Str: a view of the bytes of a string entry; 16 bytes, owned by somebody else.
#pragma once

#include <cstdint>
#include <string_view>

namespace weir {

struct Str {
  const char* data = nullptr;
  uint64_t size = 0;

  Str() = default;
  Str(const char* bytes, uint64_t count) : data(bytes), size(count) {}
  explicit Str(std::string_view view) : data(view.data()), size(view.size()) {}
  std::string_view view() const { return {data, static_cast<size_t>(size)}; }
};

}  // namespace weir
