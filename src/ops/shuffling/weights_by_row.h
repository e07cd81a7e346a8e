// WeightsByRow: the weights of a mixture's cursor. Rows that were given before a position have those that
// they had then, and those after it the dataset's (core/mixtures.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/mixtures.h"
#include "core/value.h"
#include "dataset/instance.h"

namespace weir {

class WeightsByRow {
 public:
  // `weights`: tensors of numbers, as the operator's parameter has them. data_loss for those of a damaged
  // position.
  static Result<WeightsByRow> open(Opening& opening, const Components& weights);
  // For a mixture whose rows are read by their positions: fails if the position had other weights.
  static Status check_access(Opening& opening, const Components& weights);

  // The cursor goes on at a row, as a position says.
  void resume(int64_t row) const {
    if (row > 0) give(row, row);
  }
  // The weights of row `row` if they aren't those that this gave last, else null. At first none were given.
  const Components* other_at(int64_t row);
  // How many of the next `rows` rows have the weights of row `row`.
  int same(int64_t row, int rows) const;
  // Rows up to `row` were given; before that, those up to `before`. `given`: of each dataset, if that is
  // known.
  void give(int64_t before, int64_t row, std::span<const int64_t> given = {}) const {
    if (mixture_) mixtures_->give(*mixture_, before, row, given);
  }

 private:
  struct Part {
    int64_t from;
    Components weights;
  };

  // Null in a function, where a position fits the same weights only.
  Mixtures* mixtures_ = nullptr;
  Mixtures::Mixture* mixture_ = nullptr;
  std::vector<Part> parts_;
  int at_ = -1;
};

}  // namespace weir
