// FoundNames: names that a pattern matched when a graph was built. Checkpoints record a digest of them (at
// most 8 KiB), since a position among other names would mean something else; where the files are makes no
// difference. Immutable; shared by the node that found them and all nodes above it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ref.h"

namespace weir {

class FoundNames final : public RefCounted {
 public:
  // `what` is the call that found them, list_files("data/*"), and `place` what its patterns begin with that
  // says where the files are.
  FoundNames(std::string what, const std::vector<std::string>& names, std::string_view place = {});

  // The checksum of all names, with their places.
  uint64_t checksum() const { return checksum_; }
  // Their count, then a checksum of each name without its place, or of each run of names if there are very
  // many.
  const std::vector<uint64_t>& digest() const { return digest_; }
  // How they differ from the names that the digest `saved` was made of; "" if they don't.
  std::string difference(std::span<const uint64_t> saved) const;

 private:
  const std::string what_;
  uint32_t checksum_ = 0;
  std::vector<uint64_t> digest_;
  // The first name of each run.
  std::vector<std::string> firsts_;
};

}  // namespace weir
