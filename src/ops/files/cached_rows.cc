#include "ops/files/cached_rows.h"

#include <algorithm>
#include <utility>

namespace weir {

CachedRows::CachedRows(std::span<const Component> components, RefPtr<MemoryBudget> budget)
    : filling_(std::make_unique<Filling>(components)),
      components_(components.size()),
      held_(std::move(budget)) {}

Status CachedRows::add(const Block& block) {
  Filling& filling = *filling_;
  const int values = block.value_rows();
  if (values == 0) return {};
  if (!held_.set(bytes_ + filling.store.byte_size())) return held_.exceeded();
  if (filling.count > 0 && (filling.count + values > kMaxBlockRows || filling.bytes >= kMaxBlockBytes))
    flush();
  filling.rows.clear();
  for (int row = 0; row < block.rows; ++row) {
    if (!block.failed(row)) filling.rows.push_back(row);
  }
  filling.store.grow_to(filling.count + values);
  WEIR_TRY(filling.store.stage(block, filling.rows));
  filling.origins.stage(block.origins, filling.rows);
  for (int i = 0; i < values; ++i, ++filling.count) {
    filling.store.place(i, filling.count);
    filling.origins.place(i, filling.count);
  }
  filling.bytes += block.byte_size();
  rows_ += values;
  return {};
}

void CachedRows::flush() {
  Filling& filling = *filling_;
  Part part{rows_ - filling.count, {}};
  part.block.reset(components_);
  if (parts_.size() == parts_.capacity()) parts_.reserve(2 * parts_.size() + 1);
  filling.store.begin_lift(filling.count);
  for (int i = 0; i < filling.count; ++i) {
    filling.store.lift(i, i);
    filling.origins.lift(i, i);
  }
  filling.store.give(filling.count, part.block);
  part.block.rows = filling.count;
  filling.origins.give(part.block.origins);
  bytes_ += part.block.byte_size();
  parts_.push_back(std::move(part));
  filling.count = 0;
  filling.bytes = 0;
}

void CachedRows::finish() {
  if (filling_->count > 0) flush();
  filling_.reset();
  parts_.shrink_to_fit();
  held_.set(bytes_);
}

void CachedRows::give(int64_t position, int most, bool drop, size_t& block, Block& out) const {
  const auto holds = [&](size_t i) {
    return i < parts_.size() && parts_[i].first <= position &&
           position - parts_[i].first < parts_[i].block.rows;
  };
  if (!holds(block) && !holds(++block)) {
    const auto after = std::upper_bound(parts_.begin(), parts_.end(), position,
                                        [](int64_t at, const Part& part) { return at < part.first; });
    block = static_cast<size_t>(after - parts_.begin()) - 1;
  }
  const Part& part = parts_[block];
  const int begin = static_cast<int>(position - part.first);
  const int rows = std::min(most, part.block.rows - begin);
  out.reset(drop ? 0 : components_);
  for (size_t i = 0; i < out.columns.size(); ++i) out.columns[i] = part.block.columns[i].slice(begin, rows);
  out.origins.append(part.block.origins, begin, rows, 0);
  out.rows = rows;
}

}  // namespace weir
