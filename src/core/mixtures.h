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
    // Those of the dataset.
    std::string weights;
    // How often it was begun; the key of the cursor that was begun last, how many rows that has given, and
    // whether that is all.
    int64_t begun = 0;
    uint64_t key = 0;
    int64_t rows = 0;
    bool ended = false;
    // How many elements of each dataset they were, if that is known.
    std::vector<int64_t> given;
    // Only the same weights fit: its rows are read by their positions, or in a function, or several times at
    // once.
    bool fixed = false;
    // Of the cursor whose weights have changed, if any: all that it has had.
    uint64_t changed = 0;
    std::vector<Weights> changes;
  };

  // The mixture at a path, opened with these weights. failed_precondition if a position was saved with others
  // that can't be kept up to its row.
  Result<Mixture*> open(const std::string& path, const std::string& weights, bool fixed);
  // The weights of the cursor of a key.
  std::vector<Weights> weights_of(const Mixture& mixture, uint64_t key) const;
  // The cursor of a key has given its rows up to `row`, and `ended` if there are no more.
  void give(Mixture& mixture, uint64_t key, int64_t row, std::span<const int64_t> given, bool ended);
  // What open() failed with first.
  Status refusal() const;

  // For a checkpoint: empty if there is none.
  std::string written() { return written_below({}); }
  // Those at and below a path; empty: all.
  std::string written_below(std::string_view path);
  // Adds those, in place of what is known of the same ones.
  Status load(std::string_view written);
  // By path. REQUIRES: no other thread uses it
  const std::map<std::string, Mixture>& all() const { return all_; }

 private:
  static void state(Archive& archive, std::string& path, Mixture& mixture);

  mutable Mutex mutex_;
  std::map<std::string, Mixture> all_;
  Status refusal_;
};

}  // namespace weir
