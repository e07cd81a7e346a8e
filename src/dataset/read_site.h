// ReadSite: numbers the reads of a cursor, so that an error of one can be told from those of all others of
// its iterator (core/failed_reads.h). The number of a read is the same after a restore, also over a copy of
// the file elsewhere, and another one in each epoch.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/block.h"
#include "core/failed_reads.h"
#include "dataset/instance.h"

namespace weir {

class ReadSite {
 public:
  explicit ReadSite(const Instance& place) : path_(place.path), key_(place.key) {}

  // The number of the read of a file, which is the number `index` that the cursor reads.
  uint64_t read(std::string_view file, int64_t index) const;
  // Row i of a block was read as number indices[i], by its position: gives listed errors again, and marks new
  // ones.
  void answer_again(const FailedReads& failed, std::span<const int64_t> indices, Block& out) const;

 private:
  PathRef path_;
  uint64_t key_;
};

}  // namespace weir
