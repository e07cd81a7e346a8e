// PartFacts: what the graph tells about a part of a partition before anything is opened.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataset/params.h"
#include "dataset/slice.h"

namespace weir {

struct PartFacts {
  // How many elements it has: a count, kInfinite or kUnknown.
  int64_t count = kUnknown;
  // The files that it opens, in their order; empty if they are unknown.
  std::optional<std::vector<std::string>> files{};
};

}  // namespace weir
