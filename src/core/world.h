// World: which of how many processes this one is, for pipelines that are divided among them.
#pragma once

#include <cstdint>
#include <string>

namespace weir {

struct World {
  // From 0 to size - 1.
  int64_t rank = 0;
  // 0 if it is not known.
  int64_t size = 0;
  // If it is not known: what was found instead.
  std::string reason = "no environment";

  bool known() const { return size > 0; }
};

}  // namespace weir
