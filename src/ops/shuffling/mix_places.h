// MixPlaces: which element of which dataset stands at a position of a mixture (ops/shuffling/mix_turns.h).
//
// The turns of a round repeat once all shares are whole, so a position far ahead costs no more than one
// within that period. Consecutive positions take a turn each, others up to kStride turns. Kept are 24 bytes
// per dataset for each kStride turns of a period, as far as positions were asked for. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ops/shuffling/mix_turns.h"

namespace weir {

class MixPlaces {
 public:
  static constexpr int64_t kStride = 1024;
  static constexpr int64_t kEndless = INT64_MAX;
  struct Place {
    int64_t source = 0;
    int64_t position = 0;
  };
  // Asked now and then whether to give up.
  using Stops = std::function<bool()>;

  // `counts`: how many elements each dataset has, or kEndless.
  MixPlaces(MixTurns turns, std::vector<int64_t> counts);

  // Returns false if it was to give up.
  // REQUIRES: the mixture has the position, were no end its own
  bool find(int64_t position, const Stops& stops, Place& place);
  // The position at which the first dataset ends; kEndless; 0 if it was to give up.
  int64_t first_end(const Stops& stops);
  // The dataset that ends there.
  int64_t first_ended() const { return rounds_[0].ended; }

 private:
  // The turns up to the next end of a dataset.
  struct Round {
    MixTurns turns;
    // Its first position, and how many elements each dataset gave before.
    int64_t begin = 0;
    std::vector<int64_t> before;
    // The turn at which it ends, or -1 if that is not known yet; whose end that is, and what each dataset has
    // given then.
    int64_t end = -1;
    int64_t ended = 0;
    std::vector<int64_t> after;
    // After so many turns all begins again; 0 if that is not known yet. How many each dataset has of these.
    int64_t period = 0;
    std::vector<int64_t> in_period;
    // Before turns 0, kStride, 2 * kStride …: the turns' scores, and how many each dataset had.
    std::vector<MixTurns::Integer> scores;
    std::vector<int64_t> taken;
  };
  // A turn of a round, and how many each dataset had before it.
  struct Walk {
    size_t round = 0;
    int64_t turn = 0;
    MixTurns turns;
    std::vector<int64_t> taken;
  };

  void begin_round(MixTurns turns, int64_t begin, std::vector<int64_t> before);
  bool is_end(const Round& round, int64_t source, int64_t taken) const;
  void finish(Round& round, int64_t source, int64_t turn, const std::vector<int64_t>& taken) const;
  bool step();
  void skip_periods();
  bool advance(size_t round, int64_t turn, const Stops& stops);
  Place look_up(size_t round, int64_t turn);

  const std::vector<int64_t> counts_;
  std::vector<Round> rounds_;
  // Where the last round was followed up to, and the place found last.
  Walk ahead_;
  Walk found_;
};

}  // namespace weir
