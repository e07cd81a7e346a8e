#include "ops/functions/row_keys.h"

namespace weir {

PullResult RowKeys::fill(Context& ctx, const Demand& demand) {
  if (input_.buffered() == 0) {
    const PullResult got = input_.fill(ctx, demand);
    if (got != PullResult::rows) return got;
    end_ = 0;
  }
  if (input_.begin() < end_) return PullResult::rows;
  end_ = 0;
  begin_ = input_.begin();
  const int rows = again_ ? input_.buffered() : 1;
  const Block& block = input_.block();
  if (rows == block.rows) {
    key_(ctx.session, input_.position(), block, keys_);
  } else {
    key_(ctx.session, input_.position(), block.slice(begin_, rows), keys_);
  }
  end_ = begin_ + rows;
  return PullResult::rows;
}

int64_t RowKeys::key(int ahead) const {
  const Column& keys = keys_.columns[0];
  const int row = input_.begin() - begin_ + ahead;
  return keys.dense() ? keys.tensor().as<int64_t>()[row]
                      : *keys.list()[static_cast<size_t>(row)].as<int64_t>();
}

int RowKeys::run() const {
  const int begin = input_.begin() - begin_;
  int end = end_ - begin_;
  for (const RowError& error : keys_.errors) {
    if (error.row < begin) continue;
    end = std::min(end, error.row);
    break;
  }
  const int64_t first = key();
  int row = begin + 1;
  while (row < end && key(row - begin) == first) ++row;
  return row - begin;
}

}  // namespace weir
