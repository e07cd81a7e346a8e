// A text compressed by a codec's own encoder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "format/codec.h"

namespace weir {

inline std::string encoded(const Codec& codec, std::string_view text, int level = kDefaultLevel,
                           Codec::Use use = Codec::Use::file) {
  std::vector<uint8_t> out;
  codec.encoder(level, use)
      ->write({reinterpret_cast<const uint8_t*>(text.data()), text.size()}, Encoder::Flush::end, out);
  return {out.begin(), out.end()};
}

// Words of few letters, so that each codec finds something.
inline std::string words(size_t size) {
  std::string text(size, '\0');
  uint64_t state = 1;
  for (char& c : text) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    c = "abcdefg "[state >> 61];
  }
  return text;
}

}  // namespace weir
