// CountedSource: the cursor of a source whose elements are counted when it is opened, and of which none
// fails. Checkpoint: how many were given. Source has
//
//   // Puts up to `rows` elements from number `first` on into `out`, without values if `drop`; returns how
//   many. int give(int64_t first, int rows, bool drop, Block& out);
#pragma once

#include <cstdint>

#include "core/archive.h"
#include "core/block.h"
#include "dataset/cursor.h"

namespace weir {

template <class Source, class Base = Cursor>
class CountedSource : public Base {
 public:
  explicit CountedSource(int64_t count) : count_(count) {}

  int64_t assured() const noexcept override { return count_ - position_; }
  Step next(Context&, const Demand& demand, Block& out) override {
    if (position_ == count_) return PullResult::end;
    const int rows = demand.at_most(count_ - position_).rows;
    out.rows = static_cast<Source*>(this)->give(position_, rows, demand.drop, out);
    position_ += out.rows;
    return PullResult::rows;
  }
  int64_t lose(const ErrorPtr&) noexcept override {
    ++position_;
    return 1;
  }
  void state(Archive& archive) override { archive("given", position_, 0, count_); }

 private:
  int64_t count_;
  int64_t position_ = 0;
};

}  // namespace weir
