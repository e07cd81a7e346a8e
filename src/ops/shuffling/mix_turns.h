// MixTurns: which of several datasets each next element of a mixture comes from. Turn t of a round goes to
// the one whose weight * (t + 1) - taken is greatest, the first of equals, so that the shares are exact at
// every step. A dataset that ends begins another round without it, with the weights of the others scaled
// to 1.
//
// A weight is the shortest decimal that reads back as its float, and all are integers over one denominator,
// so nothing is rounded. Cost: a few nanoseconds per dataset and turn.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/archive.h"
#include "core/tensor.h"

namespace weir {

class MixTurns {
 public:
  __extension__ using Integer = __int128;

  // invalid_argument unless there are `count` weights of at least 0 that add up to 1. A sum that differs from
  // 1 by no more than the weights' rounding is scaled.
  static Result<MixTurns> make(const Tensor& weights, int64_t count);

  // No dataset with a weight is left.
  bool empty() const { return active_.empty(); }
  // Whether it has a weight above 0 and was not closed.
  bool active(int64_t dataset) const;
  // Gives the next turn away.
  // REQUIRES: !empty()
  int64_t take() noexcept;
  // Nobody is behind: the turns come as from the beginning of the round.
  bool even() const {
    return std::all_of(scores_.begin(), scores_.end(), [](Integer score) { return score == 0; });
  }
  // How far each dataset is behind, to come back to the turn at hand.
  const std::vector<Integer>& scores() const { return scores_; }
  void set_scores(std::span<const Integer> scores) { scores_.assign(scores.begin(), scores.end()); }
  // Remembers the turn at hand, and goes back to `turns` turns after it.
  void mark() { marked_ = scores_; }
  void go_back(int turns) noexcept;
  // Begins a round without a dataset.
  void close(int64_t dataset) noexcept;

  // A position of other weights begins a round. REQUIRES of loading: the closed datasets are closed.
  void state(Archive& archive);

 private:
  void begin_round() noexcept;

  // Of each dataset, over one denominator.
  std::vector<Integer> weights_;
  // Those whose turn may come, and the sum of their weights.
  std::vector<int32_t> active_;
  Integer sum_ = 0;
  // weight * t - taken of each, times the sum. All together are 0, and none is below -sum_.
  std::vector<Integer> scores_;
  std::vector<Integer> marked_;
};

}  // namespace weir
