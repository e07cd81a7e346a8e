// What the fuzz targets share: inputs are the saved bytes or only their content, and the fuzzer cannot guess a checksum.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "graph/envelope.h"

namespace weir {

// The input's content in an envelope of the same kind and version as `sample`.
inline std::string with_right_checksum(const std::string& sample, const uint8_t* data, size_t size) {
  EnvelopeKind kind;
  kind.magic = std::string_view(sample).substr(0, 8);
  std::memcpy(&kind.version, &sample.at(8), sizeof kind.version);
  std::string_view content(reinterpret_cast<const char*>(data), size);
  if (content.starts_with(kind.magic) && size >= kEnvelopeBytes) content.remove_prefix(kEnvelopeBytes);
  return enclose(kind, content);
}

}  // namespace weir
