// All damage that one bit, a cut or an extra byte can do to saved bytes, for readers that must refuse it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/status.h"

namespace weir {

// How many damaged versions of `bytes` are not refused as data_loss by `open(std::string_view)`, which
// returns a Status: each bit flipped, each shorter length, each byte appended.
template <class Open>
size_t damages_not_refused(std::string bytes, Open&& open) {
  size_t wrong = 0;
  auto damaged = [&](std::string_view given) { wrong += open(given).code() != Code::data_loss ? 1 : 0; };
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    const char kept = bytes[bit / 8];
    bytes[bit / 8] = static_cast<char>(kept ^ (1 << bit % 8));
    damaged(bytes);
    bytes[bit / 8] = kept;
  }
  for (size_t size = 0; size < bytes.size(); ++size) damaged(std::string_view(bytes).substr(0, size));
  for (int byte = 0; byte < 256; ++byte) damaged(bytes + static_cast<char>(byte));
  return wrong;
}

}  // namespace weir
