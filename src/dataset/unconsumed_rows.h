// UnconsumedRows: the rows that a Port has pulled and its operator has not consumed, kept where they cannot
// be made again and positions have them by value (dataset/holding.h). Belongs to its Port.
#pragma once

#include <algorithm>
#include <cstdint>

#include "dataset/held_rows.h"

namespace weir {

class UnconsumedRows {
 public:
  // Whether rows are kept; otherwise everything here does nothing.
  explicit UnconsumedRows(bool kept) : kept_(kept) {}

  bool kept() const { return kept_; }
  void start_over() {
    if (kept_) rows_ = HeldRows();
    from_ = 0;
  }
  // Keeps rows that were just pulled, the last of which is number `pulled` - 1. Where there is no memory,
  // no position can be saved until they are consumed.
  void add(const Block& block, int64_t pulled) noexcept try {
    rows_.add(block.slice(0, block.rows));
  } catch (...) {
    rows_ = HeldRows();
    from_ = pulled;
  }
  // Of `pulled` rows the first `consumed` are consumed.
  void consume_to(int64_t consumed, int64_t pulled) {
    if (kept_) rows_.drop(std::clamp<int64_t>(rows_.rows() - (pulled - consumed), 0, rows_.rows()));
  }
  // Whether all rows from number `consumed` on are there.
  bool complete_from(int64_t consumed) const { return consumed >= from_; }
  const HeldRows& rows() const { return rows_; }

 private:
  bool kept_;
  HeldRows rows_;
  // Rows before this one were pulled without memory to keep them.
  int64_t from_ = 0;
};

}  // namespace weir
