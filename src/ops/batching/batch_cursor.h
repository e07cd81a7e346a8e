// BatchCursor: what the operators share that join n elements into one. A failed element drops the rows
// gathered for its batch and takes their place; the next batch begins after it. A batch that memory runs out
// for is an error in its own place, and its rows are lost. Checkpoint: the input's position before the
// unfinished batch, whose rows are read again.
//
// Buffer gathers the rows of a batch (dataset/batch_buffer.h, dataset/padded_buffer.h):
//   Buffer(components, n, more…), rows(), clear(), lose(), pass_over(count), add(ctx, block, begin, count),
//   Status finish(out), and if rows may be made in their place offer_target(ctx, input, count).
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/exception.h"
#include "core/joined_errors.h"
#include "dataset/operator.h"
#include "dataset/yield_timer.h"

namespace weir {

// The structure of batches of `length` such elements; invalid_argument if a rank is too high.
// REQUIRES: they consist of dense tensors
Result<Spec> batched(const Spec& spec, int64_t length);
// How many batches `count` elements make.
int64_t batch_count(int64_t count, int64_t n, bool drop_remainder);
// What such an operator keeps.
Kept kept_by_batch(const IntParam& n);

// What becomes of the other rows of a batch of which one failed: they are lost, and the next batch begins
// after the failed one, or after as many rows as the batch would have had.
enum class AfterError : uint8_t { next_row, next_batch };

template <class Buffer, AfterError After = AfterError::next_row>
class BatchCursor final : public RestartableCursor {
 public:
  template <class... More>
  BatchCursor(Opening& opening, int64_t n, bool drop_remainder, More&&... more)
      : BatchCursor(opening.ctx, opening.input(0), n, drop_remainder, std::forward<More>(more)...) {}
  template <class... More>
  BatchCursor(Context& ctx, Instance input, int64_t n, bool drop_remainder, More&&... more)
      : input_(ctx, std::move(input), Port::Mode::keep),
        n_(n),
        drop_remainder_(drop_remainder),
        batch_(input_.node().components(), n_, std::forward<More>(more)...),
        held_(ctx.runtime().budget),
        limited_(ctx.runtime().budget != nullptr) {}

  bool restart(Opening& opening, const ParamsBase&) override {
    // Other sizes need another buffer, and what reads another input than its operator's is at another place.
    if (opening.node->dynamic() || opening.node->inputs()[0].get() != &input_.node()) return false;
    input_.restart(opening, 0, Port::Mode::keep);
    forget();
    error_ = nullptr;
    return true;
  }

  Step next(Context& ctx, const Demand&, Block& out) override {
    while (batch_.rows() < n_) {
      Demand demand;
      demand.rows = static_cast<int>(std::min<int64_t>(n_ - batch_.rows(), kMaxBlockRows));
      if constexpr (requires { batch_.offer_target(ctx, input_, demand.rows); }) {
        if (input_.buffered() == 0 && !error_) batch_.offer_target(ctx, input_, demand.rows);
      }
      PullResult got = input_.fill(ctx, demand);
      if (got == PullResult::end) break;
      if (got != PullResult::rows) return got;
      const int64_t before = input_.position();
      if (ErrorPtr error = gather(ctx)) return error;
      const bool more = batch_.rows() < n_;
      if (more && yield_timer_.should_yield(ctx, static_cast<int>(input_.position() - before)))
        return PullResult::pending;
    }
    yield_timer_.reset();
    const bool keep = batch_.rows() == n_ || (batch_.rows() > 0 && !drop_remainder_);
    if (!keep && (!error_ || is_out_of_memory(*error_))) return PullResult::end;
    input_.consume_all();
    if (error_) {
      forget();
      return std::exchange(error_, nullptr);
    }
    Status status = batch_.finish(out);
    hold(0);
    if (!status.ok()) return status;
    return PullResult::rows;
  }

  int64_t lose(const ErrorPtr& error) noexcept override {
    // The error comes in place of the batch.
    error_ = error;
    batch_.lose();
    hold(0);
    return 0;
  }

  void state(Archive& archive) override {
    input_.state(archive);
    if (!archive.loading()) return;
    forget();
    error_ = nullptr;
  }

 private:
  // Takes the buffered rows up to the end of the batch or an error, which it returns.
  ErrorPtr gather(Context& ctx) {
    const Block& block = input_.block();
    int begin = input_.begin();
    int end = begin + static_cast<int>(std::min<int64_t>(input_.buffered(), n_ - batch_.rows()));
    for (const RowError& error : block.errors) {
      if (error.row < begin || error.row >= end) continue;
      if (After == AfterError::next_batch || is_out_of_memory(*error.error)) {
        if (error_) {
          error_ = joined(error_, error.error);
        } else {
          lose(error.error);
        }
        continue;
      }
      input_.take(error.row + 1 - begin);
      forget();
      error_ = nullptr;
      input_.consume_all();
      return error.error;
    }
    if (!error_ && limited_ && !hold(held_bytes_ + block.byte_size() / block.rows * (end - begin)))
      lose(held_.exceeded().pointer());
    if (error_) {
      batch_.pass_over(end - begin);
    } else {
      batch_.add(ctx, block, begin, end - begin);
    }
    input_.take(end - begin);
    return nullptr;
  }

  void forget() noexcept {
    batch_.clear();
    hold(0);
  }
  // The rows gathered take that much.
  bool hold(int64_t bytes) noexcept {
    held_bytes_ = bytes;
    return held_.set(bytes);
  }

  Port input_;
  int64_t n_;
  bool drop_remainder_;
  Buffer batch_;
  HeldBytes held_;
  const bool limited_;
  int64_t held_bytes_ = 0;
  YieldTimer yield_timer_;
  // Why the current batch cannot be made; its rows are only counted.
  ErrorPtr error_;
};

}  // namespace weir
