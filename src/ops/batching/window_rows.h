// WindowRows: the rows of an input that the next windows need, and where these begin.
//
//   while ((got = rows.gather(ctx, input, wanted)) == PullResult::rows) {
//     … rows.pieces(), from rows.start() to rows.end(input) …
//     rows.go_on(input, 1);
//   }
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/checked.h"
#include "core/memory_budget.h"
#include "dataset/port.h"

namespace weir {

// How windows lie in their input.
struct WindowShape {
  int64_t size = 1;
  int64_t step = 1;
  int64_t stride = 1;
  bool drop_remainder = false;

  // The elements from the first to the last of a full window.
  int64_t span() const { return capped_add<int64_t>(capped_multiply(size - 1, stride), 1); }

  static constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
};

// Rows of the input that the next windows need, in the blocks that they came in.
class HeldInput {
 public:
  struct Piece {
    Block block;
    int64_t first = 0;
    // Counted where there is a budget.
    int64_t bytes = 0;
    int64_t end() const { return first + block.rows; }
  };

  explicit HeldInput(const RefPtr<MemoryBudget>& budget) : counts_(budget != nullptr), held_(budget) {}

  const std::vector<Piece>& pieces() const { return pieces_; }
  // Takes what the Port has buffered. Returns why not, having dropped all rows, if they exceed the budget.
  ErrorPtr take(Port& input, size_t columns) {
    Piece& piece = pieces_.emplace_back();
    // With the memory of an earlier piece, which goes on to the input.
    piece.block.columns.swap(spare_);
    piece.block.columns.resize(columns);
    piece.first = input.position();
    const int rows = input.buffered();
    input.take_into(piece.block, 0, rows);
    piece.block.rows = rows;
    if (counts_) piece.bytes = piece.block.byte_size();
    if (count()) return nullptr;
    const Status exceeded = held_.exceeded();
    clear();
    return exceeded.pointer();
  }
  // Rows before `ordinal` are not needed any more.
  void drop_before(int64_t ordinal) noexcept {
    const auto needed = std::find_if(pieces_.begin(), pieces_.end(),
                                     [&](const Piece& piece) { return piece.end() > ordinal; });
    pieces_.erase(pieces_.begin(), needed);
    count();
  }
  // A block with the rows from `first` on takes the place of all pieces. Changes nothing if it throws.
  // REQUIRES: there are several, and no row of the block failed
  void replace(const Block& block, int64_t first) {
    copy_ = block.columns;
    Origins origins = block.origins;
    spare_.swap(pieces_.back().block.columns);
    pieces_.resize(1);
    Block& held = pieces_[0].block;
    held.columns.swap(copy_);
    held.origins.swap(origins);
    held.errors.clear();
    held.rows = block.rows;
    pieces_[0].first = first;
    if (counts_) pieces_[0].bytes = pieces_[0].block.byte_size();
    count();
  }
  void clear() noexcept {
    pieces_.clear();
    count();
  }

 private:
  // False if the budget is exceeded.
  bool count() noexcept {
    if (!counts_) return true;
    int64_t bytes = 0;
    for (const Piece& piece : pieces_) bytes += piece.bytes;
    return held_.set(bytes);
  }

  std::vector<Piece> pieces_;
  // Columns that are kept for their memory.
  std::vector<Column> spare_;
  std::vector<Column> copy_;
  const bool counts_;
  HeldBytes held_;
};

class WindowRows {
 public:
  // `width`: how many columns a row of the input has.
  WindowRows(const WindowShape& shape, size_t width, const RefPtr<MemoryBudget>& budget)
      : shape_(shape), span_(shape.span()), width_(width), rows_(budget) {}

  const WindowShape& shape() const { return shape_; }
  int64_t span() const { return span_; }
  // The number of the input's row that the next window begins with.
  int64_t start() const { return start_; }
  // The number of the row after the last one of the next window.
  int64_t end(const Port& input) const { return std::min(capped_add(start_, span_), input.position()); }
  // Not null: the next window is lost for this reason.
  ErrorPtr lack() const { return start_ < lost_to_ ? lack_ : nullptr; }
  const std::vector<HeldInput::Piece>& pieces() const { return rows_.pieces(); }
  // As HeldInput::replace().
  void replace(const Block& block) { rows_.replace(block, start_); }

  // Reads what the next window needs; `wanted` windows are asked for.
  PullResult gather(Context& ctx, Port& input, int wanted) {
    if (start_ < lost_to_) return PullResult::rows;
    const int64_t end = capped_add(start_, span_);
    while (input.position() < end) {
      const int64_t gap = start_ - input.position();
      const int64_t beyond = capped_multiply<int64_t>(shape_.step, wanted - 1);
      Demand demand;
      demand.drop = gap > 0;
      demand.rows = static_cast<int>(
          std::min<int64_t>(gap > 0 ? gap : capped_add(end, beyond) - input.position(), kMaxBlockRows));
      const PullResult got = input.fill(ctx, demand);
      if (got == PullResult::end && !shape_.drop_remainder && start_ < input.position())
        return PullResult::rows;
      if (got != PullResult::rows) return got;
      if (gap > 0) {
        input.take(static_cast<int>(std::min<int64_t>(gap, input.buffered())));
        input.consume_all();
      } else if (ErrorPtr error = rows_.take(input, width_)) {
        lack_ = std::move(error);
        lost_to_ = input.position();
        return PullResult::rows;
      }
    }
    return PullResult::rows;
  }

  // The next `count` windows are made or lost.
  void go_on(Port& input, int64_t count) noexcept {
    start_ = capped_add(start_, capped_multiply<int64_t>(shape_.step, count));
    rows_.drop_before(start_);
    input.consume_to(std::min(start_, input.position()));
  }

  // The first error among the elements of the next window, which ends before `end`; null if there is none.
  const ErrorPtr* first_error(int64_t end) const {
    for (const HeldInput::Piece& piece : rows_.pieces()) {
      for (const RowError& error : piece.block.errors) {
        const int64_t ordinal = piece.first + error.row;
        if (ordinal >= start_ && ordinal < end && (ordinal - start_) % shape_.stride == 0)
          return &error.error;
      }
    }
    return nullptr;
  }

  // Where the first element of the next window came from.
  Origin origin() const {
    const HeldInput::Piece& piece = rows_.pieces().front();
    return piece.block.origins.of(static_cast<int>(start_ - piece.first));
  }

  // Calls `f(block, begin, count)` for each run of rows of the next window, which ends before `end`.
  template <class F>
  void each_run(int64_t end, F&& f) const {
    int64_t ordinal = start_;
    for (const HeldInput::Piece& piece : rows_.pieces()) {
      const int64_t piece_end = std::min(piece.end(), end);
      while (ordinal < piece_end) {
        const int count = shape_.stride == 1 ? static_cast<int>(piece_end - ordinal) : 1;
        f(piece.block, static_cast<int>(ordinal - piece.first), count);
        ordinal = capped_add(ordinal, shape_.stride == 1 ? int64_t{count} : shape_.stride);
      }
    }
  }

  // After a position of the input was loaded: the next window begins at this row.
  void start_at(int64_t start) {
    rows_.clear();
    lost_to_ = 0;
    start_ = start;
  }

 private:
  const WindowShape shape_;
  const int64_t span_;
  const size_t width_;
  int64_t start_ = 0;
  HeldInput rows_;
  // The elements before this one were dropped for lack of memory, for that reason.
  int64_t lost_to_ = 0;
  ErrorPtr lack_;
};

}  // namespace weir
