// JoinedRounds: whole rounds of small rows of a partition's parts, put together before they are due. The rows
// of many parts lie far apart in memory, so several of each are copied at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/access/part.h"
#include "ops/access/scattered_rows.h"

namespace weir {

class JoinedRounds {
 public:
  explicit JoinedRounds(const std::vector<Component>& components) : scattered_(components) {}

  // How many rounds of so many parts are put together at most; 0 if that is not worth it.
  int64_t most(int64_t parts) const;
  // Takes the next `rounds` rows of each part, all of which have given `round`. Returns false if some of them
  // failed or have origins, or if there is no memory.
  // REQUIRES: empty(), and each part has as many rows at hand
  bool join(std::span<Part* const> parts, int rounds, int64_t round);

  bool empty() const { return begin_ == block_.rows; }
  int left() const { return block_.rows - begin_; }
  // The first round, and which row from there on is the next to be given.
  int64_t round() const { return round_; }
  int begin() const { return begin_; }
  // How many rows of the parts' number `i` are left.
  int left_of(int i) const { return empty() ? 0 : left() / parts_ + (i >= parts_ - left() % parts_ ? 1 : 0); }
  // Gives the next rows to a block that is being made, from its row `first` on.
  void give(int rows, ScatteredRows& out, int first) {
    out.put(block_, begin_, rows, {.first = first, .left = rows});
    begin_ += rows;
  }
  void lose_one() { ++begin_; }
  void clear() { begin_ = block_.rows = 0; }

 private:
  ScatteredRows scattered_;
  Block block_;
  int parts_ = 1;
  int begin_ = 0;
  int64_t round_ = 0;
};

}  // namespace weir
