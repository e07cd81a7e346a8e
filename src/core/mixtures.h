// Mixtures: which weights the mixtures of an iterator have had, and from which row on. Operators behind a
// mixture make rows again after a restore, so a position that is taken up with other weights keeps the old
// ones up to the row that the mixture had come to. Checkpoints have an entry for each mixture. May be used on
// any thread.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/archive.h"
#include "core/ref.h"
#include "core/status.h"
#include "core/sync.h"

namespace weir {

class Mixtures : public RefCounted {
 public:
  // Weights, as the operator writes them, and the first row that has them.
  struct Weights {
    int64_t from = 0;
    std::string bytes;
  };
  struct Mixture {
    // In this order.
    std::vector<Weights> weights;
    // How often it was begun, and how many rows it had given when it was begun last.
    int64_t begun = 0;
    int64_t rows = 0;
    // How many elements of each dataset they were, if that is known.
    std::vector<int64_t> given;
    // Its rows were read by their positions, which other weights change.
    bool by_position = false;
    // It gave a row in this session.
    bool live = false;
  };

  // The mixture at a path, which is opened with these weights. failed_precondition if a position was saved
  // with others that can't be kept up to its row.
  Result<Mixture*> open(const std::string& path, const std::string& weights, bool by_position);
  // Those that it has in the session; without `earlier` the last ones only.
  std::vector<Weights> weights_of(const Mixture& mixture, bool earlier) const;
  // It has given its rows up to `row`; before that, those up to `before`.
  void give(Mixture& mixture, int64_t before, int64_t row, std::span<const int64_t> given);
  bool live(const Mixture& mixture) const;
  // What open() failed with first.
  Status refusal() const;

  // For a checkpoint: empty if there is none.
  std::string written();
  Status load(std::string_view written);
  // By path. REQUIRES: nobody else uses this
  const std::map<std::string, Mixture>& all() const { return all_; }

 private:
  void state(Archive& archive);

  mutable Mutex mutex_;
  std::map<std::string, Mixture> all_;
  Status refusal_;
};

}  // namespace weir
