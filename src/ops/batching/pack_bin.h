// PackBin: the sequences that become one element of pack, one after the other. Each token is copied once,
// into the element itself.
#pragma once

#include <cstdint>
#include <vector>

#include "core/block.h"

namespace weir {

// What all bins of a pack have in common.
struct PackLayout {
  int64_t length = 0;
  // Of each vector of a sequence; a scalar of its dtype fills what is left over.
  std::vector<Tensor> padding;

  // What an open bin takes, without the bytes of strings.
  int64_t bin_bytes() const;
};

// Consecutive rows of the input whose sequences lie in a bin.
struct PackedRows {
  int64_t first = 0;
  int64_t count = 0;
};

class PackBin {
 public:
  explicit PackBin(const PackLayout& layout) : layout_(layout), tokens_(layout.padding.size()) {}

  int64_t room() const { return layout_.length - used_; }
  // In the order of the input.
  const std::vector<PackedRows>& rows() const { return rows_; }
  // Adds tokens [begin, begin + count) of the sequence in row `ordinal`. If it throws, the bin is as before.
  // REQUIRES: 0 < count <= room()
  void add(const Components& sequence, int64_t begin, int64_t count, int64_t ordinal, Origin origin);
  // Puts the padded element into `out`, as its only row.
  void finish(Block& out);
  // Empties it.
  void clear() noexcept;

 private:
  void add_tokens(size_t part, const Tensor& tokens);

  const PackLayout& layout_;
  std::vector<Column> tokens_;
  int64_t used_ = 0;
  std::vector<int32_t> segments_;
  std::vector<PackedRows> rows_;
  Origin origin_;
};

// Puts tokens [begin, begin + length) of a sequence into `out` as a whole element. Copies none.
void give_whole(const PackLayout& layout, const Components& sequence, int64_t begin, Origin origin,
                Block& out);

}  // namespace weir
