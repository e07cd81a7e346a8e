// Digests of a graph as written: they tell whether a checkpoint belongs to a dataset, and if not, why.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/archive.h"

namespace weir {

// XXH3, 128 bits.
struct Fingerprint {
  std::array<uint64_t, 2> words{};
  bool operator==(const Fingerprint&) const = default;
  // 32 hexadecimal digits.
  std::string to_string() const;
};
Fingerprint fingerprint_of(std::string_view bytes);
// XXH3, 64 bits.
uint64_t hash_of(std::string_view bytes, uint64_t seed = 0);

struct ParameterDigest {
  std::string name;
  uint64_t hash = 0;
  bool operator==(const ParameterDigest&) const = default;
};

// One operator of the canonical text, in the order in which they are printed; `param` and large tensors count
// as well.
struct NodeDigest {
  std::string name;
  std::vector<ParameterDigest> parameters;
  bool operator==(const NodeDigest&) const = default;
};

struct GraphDigest {
  std::vector<NodeDigest> nodes;
  bool operator==(const GraphDigest&) const = default;

  void state(Archive& archive);
};

// Says in which operator and parameter two graphs with different fingerprints first differ: "operator 3,
// batch: parameter n differs" or "operator 3 is batch here and padded_batch there". If the digests are equal,
// the difference is in names and lets, which only the text has, and it says so.
std::string difference(const GraphDigest& here, const GraphDigest& there);

}  // namespace weir
