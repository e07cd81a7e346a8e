// CallWidth: over how many rows a program runs at once, so that what their values take is bounded by bytes.
// It goes by what the last calls took. A program without effects is tried with all rows, and again with fewer
// where they take too much; others begin with one row, unless the shapes are known or the functions of the
// host in it take blocks.
//
//   Room room = width.room(rows);
//   evaluate(…);                      // throws Room::Overfull: width.narrow(rows, room.taken), and again
//   width.learn(rows, room.taken);
//
// Any number of threads may use one. If nothing changes, a call costs a load.
#pragma once

#include <atomic>

#include "core/block.h"
#include "expr/run/call.h"
#include "expr/run/program.h"

namespace weir {

class CallWidth {
 public:
  // What the values of a call should take, all registers together; twice as much is too much.
  static constexpr int64_t kCallBytes = int64_t{8} << 20;

  explicit CallWidth(const Program& program);

  int rows() const { return rows_.load(std::memory_order_relaxed); }
  Room room(int rows) const { return {.most = may_repeat_ && rows > 1 ? 2 * kCallBytes : INT64_MAX}; }
  // What `rows` rows have taken.
  void learn(int rows, int64_t bytes) {
    if (bytes > kCheapRow * rows || this->rows() < kMaxBlockRows) [[unlikely]]
      adapt(rows, bytes);
  }
  // What some of `rows` rows have taken, which was too much.
  void narrow(int rows, int64_t bytes);

 private:
  // So many bytes never are too many.
  static constexpr int64_t kCheapRow = kCallBytes / kMaxBlockRows;

  void adapt(int rows, int64_t bytes);

  bool may_repeat_;
  std::atomic<int> rows_{kMaxBlockRows};
};

}  // namespace weir
