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

  // Takes the weights of row 0. REQUIRES: none were taken
  const Components& first() {
    const Components* const weights = other_at(0);
    take(0);
    return *weights;
  }
  // The weights of row `row` if they aren't those that were taken last, else null. At first none were.
  const Components* other_at(int64_t row) const;
  // The cursor has taken over the weights of row `row`.
  void take(int64_t row) { taken_ = part_of(row); }
  // How many of the next `rows` rows have the weights of row `row`.
  int same(int64_t row, int rows) const;
  // Rows up to `row` were given, and `ended` if there are no more. `given`: of each dataset, if that is
  // known.
  void give(int64_t row, std::span<const int64_t> given = {}, bool ended = false) const {
    if (mixture_) mixtures_->give(*mixture_, key_, row, given, ended);
  }

 private:
  int part_of(int64_t row) const;

  struct Part {
    int64_t from;
    Components weights;
  };

  // Null in a function, where a position fits the same weights only.
  Mixtures* mixtures_ = nullptr;
  Mixtures::Mixture* mixture_ = nullptr;
  uint64_t key_ = 0;
  std::vector<Part> parts_;
  int taken_ = -1;
};

}  // namespace weir
