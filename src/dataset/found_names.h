// FoundNames: names that a pattern matched when a graph was built, as checkpoints remember them: a position
// among other names would be another one. Ownership: shared by the node that found them and all above it.
// Threads: immutable. Errors: difference() says what is wrong, or nothing. Cost: a checksum a name; at most 8
// KiB in a checkpoint.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/ref.h"

namespace weir {

class FoundNames final : public RefCounted {
 public:
  // `what` asked for them: list_files("data/*").
  FoundNames(std::string what, const std::vector<std::string>& names);

  uint64_t count() const { return digest_[0]; }
  // Of all names.
  uint64_t checksum() const { return checksum_; }
  // How many there are, then a checksum of each name, or of each run of names where they are very many.
  const std::vector<uint64_t>& digest() const { return digest_; }
  // "", or how they differ from those that the digest `saved` is of.
  std::string difference(std::span<const uint64_t> saved) const;

 private:
  const std::string what_;
  uint32_t checksum_ = 0;
  std::vector<uint64_t> digest_;
  // The first name of each run.
  std::vector<std::string> firsts_;
};

}  // namespace weir
