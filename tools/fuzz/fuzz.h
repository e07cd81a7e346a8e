// What the fuzz targets share. An input is saved bytes or only their content, since a fuzzer cannot guess a
// checksum.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "golden/golden.h"
#include "graph/envelope.h"

namespace weir {

// The input's content in an envelope of the same kind and version as `sample`.
inline std::string with_right_checksum(std::string_view sample, const uint8_t* data, size_t size) {
  std::string_view content(reinterpret_cast<const char*>(data), size);
  if (content.starts_with(sample.substr(0, 8)) && size >= kEnvelopeBytes)
    content.remove_prefix(kEnvelopeBytes);
  return golden::enclosed_like(sample, content);
}

}  // namespace weir
