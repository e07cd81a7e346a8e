#include "exec/partial_block.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/exception.h"

namespace weir {
namespace {

// Blocks below this size leave their memory in place for the next one.
constexpr int64_t kKeptBytes = int64_t{64} << 10;
// Pieces of columns of up to this size are copied.
constexpr size_t kCopiedBytes = 256;

// How many of `rows` rows, `bytes` in all, are wanted; at least one.
int wanted_rows(const Demand& demand, int rows, int64_t bytes, int left) {
  int64_t count = std::min(demand.rows, left);
  if (bytes > demand.bytes)
    count = std::min<int64_t>(count, demand.bytes / std::max<int64_t>(1, bytes / rows));
  return static_cast<int>(std::max<int64_t>(1, count));
}

void copy_mark(const Mark& from, int next_row, Mark& to) {
  to.ordinal = from.ordinal + next_row;
  // They are mostly the same; sharing anew would cost two atomic operations each.
  if (!(to.anchor == from.anchor)) to.anchor = from.anchor;
  if (to.epochs != from.epochs) to.epochs = from.epochs;
  to.opened = next_row == 0 ? from.opened : nullptr;
  to.unplaced = from.unplaced;
}

// A few numbers are copied, which is sooner done than counting one more owner of their buffer.
void cut(const Column& from, int begin, int count, Column& out) {
  if (from.dense() && from.tensor().dtype != DType::invalid && !has_owners(from.tensor().dtype) &&
      !(from.tensor().buffer && from.tensor().buffer->on_device())) {
    const Tensor& tensor = from.tensor();
    const Shape row_shape = tensor.shape.tail();
    const size_t row_bytes = static_cast<size_t>(row_shape.count()) * dtype_size(tensor.dtype);
    const size_t bytes = row_bytes * static_cast<size_t>(count);
    if (bytes > 0 && bytes <= kCopiedBytes) {
      uint8_t* const to = out.make_dense(tensor.dtype, row_shape, count);
      std::memcpy(to, tensor.data + static_cast<size_t>(begin) * row_bytes, bytes);
      return;
    }
  }
  out = from.slice(begin, count);
}

void cut(const Block& from, int begin, int count, Block& out) {
  out.rows = count;
  out.columns.resize(from.columns.size());
  for (size_t i = 0; i < from.columns.size(); ++i) cut(from.columns[i], begin, count, out.columns[i]);
  out.errors.clear();
  for (const RowError& error : from.errors) {
    if (error.row >= begin && error.row < begin + count)
      out.errors.push_back({error.row - begin, error.error});
  }
  out.origins.clear();
  out.origins.append(from.origins, begin, count, 0);
}

}  // namespace

bool PartialBlock::whole(const Demand& demand) const {
  return next_row == 0 && !rows_lost && wanted_rows(demand, block.rows, bytes, block.rows) == block.rows;
}

void PartialBlock::take_rows(const Demand& demand, Block& out, Mark& at) noexcept {
  copy_mark(mark, next_row, at);
  if (whole(demand)) {
    next_row = block.rows;
    std::swap(out, block);
    // What `out` brought along is only spare memory.
    if (bytes > kKeptBytes) block = Block();
    block.reset(block.columns.size());
    return;
  }
  const int count = wanted_rows(demand, block.rows, bytes, block.rows - next_row);
  ErrorPtr error = rows_lost ? out_of_memory() : nullptr;
  try {
    if (!error) cut(block, next_row, count, out);
  } catch (...) {
    error = error_of_exception();
  }
  if (error) out.set_error(std::move(error), block.columns.size());
  next_row += out.rows;
}

void PartialBlock::copy_rest(std::vector<Block>& out) const {
  if (exhausted()) return;
  if (!rows_lost) {
    out.push_back(block.slice(next_row, block.rows - next_row));
    return;
  }
  for (int row = next_row; row < block.rows; ++row)
    out.emplace_back().set_error(out_of_memory(), block.columns.size());
}

void PartialBlock::recycle(int64_t kept_bytes) {
  if (bytes > kept_bytes) block = Block();
  // Strings may lie in memory that is much larger than their rows.
  block.reset(block.columns.size());
  mark = Mark();
  bytes = 0;
  next_row = 0;
  rows_lost = false;
}

template <class Pull>
PullResult GuardedFeed::guard(const Session& session, Block& out, Pull&& pull) noexcept {
  if (threw_) return PullResult::end;
  if (session.cancelled.load(std::memory_order_relaxed)) return PullResult::cancelled;
  try {
    return pull();
  } catch (...) {
    threw_ = true;
    out.set_error(error_of_exception(), out.columns.size());
    return PullResult::rows;
  }
}

PullResult GuardedFeed::pull(Session& session, Waker* waker, StageStats* stats, Drain& drain,
                             const Demand& demand, Block& out, Mark& mark) noexcept {
  Context context{session, waker, &epochs_};
  context.drain = &drain;
  return guard(session, out, [&] {
    return pull_sampled(context, sampler_, stats, [&] { return feed_->next(context, demand, out, mark); });
  });
}

PullResult GuardedFeed::pull_inline(const Context& consumer, const Demand& demand, Block& out,
                                    Mark& mark) noexcept {
  Context context{consumer.session, consumer.waker, &epochs_};
  context.sample = consumer.sample;
  context.drain = consumer.drain;
  return guard(consumer.session, out, [&] { return feed_->next(context, demand, out, mark); });
}

}  // namespace weir
