// Cuts: the places where the input of a Port failed to read a file. A replay might be able to read the file
// and would then yield other rows, so it stops at a cut, returns the same error and continues from the anchor
// after it.
//
// Belongs to its Port. With more than AnchorFields::kMostCuts among the unconsumed rows no position can be
// saved, until they are consumed. Costs nothing if no file failed.
#pragma once

#include <vector>

#include "core/block.h"
#include "dataset/anchor.h"

namespace weir {

// Whether reading a file failed for some row.
bool has_failed_read(const Block& block);

class Cuts {
 public:
  // Cuts of a loaded position that its replay has yet to meet.
  void load(std::vector<Cut> ahead);
  bool is_ahead() const { return !ahead_.empty(); }
  // REQUIRES: is_ahead()
  const Cut& next() const { return ahead_.front(); }
  // The replay has reached the next cut, and continues from `anchor`.
  void pass(AnchorRef anchor);

  // Adds one at the input's position.
  void add(Cut cut) noexcept;
  // Adds one for which there is no memory.
  void add_without_memory(Cut cut) noexcept;
  // Rows before that anchor are not needed any more.
  void forget_before(const Anchor& anchor);
  // The cut that the anchor follows, or null.
  const Cut* before(const Anchor& anchor) const;
  const std::vector<Cut>& made() const { return made_; }
  bool empty() const { return made_.empty() && ahead_.empty() && lost_to_ == 0 && !unanchored_.again; }

  // Adds the cuts after `from` to it, the anchors of those that were made as `placed` says, null to leave one
  // out. Throws if they are not known or too many.
  template <class Placed>
  void write(AnchorFields& from, Placed placed) const {
    check(from.ordinal);
    for (const Cut& cut : made_) {
      Cut copy = cut;
      if (cut.anchor && !(copy.anchor = placed(*cut.anchor))) continue;
      if (copy.next() > from.ordinal || cut.anchor) from.cuts.push_back(std::move(copy));
    }
    from.cuts.insert(from.cuts.end(), ahead_.begin(), ahead_.end());
    finish(from);
  }

 private:
  void check(int64_t ordinal) const;
  void finish(AnchorFields& fields) const;

  std::vector<Cut> made_;
  std::vector<Cut> ahead_;
  // Kept without memory, if it has `again`.
  Cut unanchored_;
  // What lies before this row could not be recorded.
  int64_t lost_to_ = 0;
};

}  // namespace weir
