// Digests of a graph as written: what tells whether a checkpoint belongs to a dataset, and if not, why.
// Ownership: values. Threads: values. Errors: none.
// Cost: a hash of the canonical text, 8 bytes a parameter.
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

// One operator of the canonical text, in the order in which it is printed; `param` and large tensors count
// too.
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

// The first operator and parameter in which two graphs of different fingerprints differ:
// "operator 3, batch: parameter n differs" or "operator 3 is batch here and padded_batch there". Of equal
// digests it says that the difference is in names and lets, which only the text has.
std::string difference(const GraphDigest& here, const GraphDigest& there);

}  // namespace weir
