// What the sources share that give the rows of a value one by one: cursor and access over ValueRows.
// Checkpoint: how many were given.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "dataset/access.h"
#include "dataset/operator.h"
#include "dataset/params.h"
#include "ops/batching/value_rows.h"

namespace weir {

class ValueSlices final : public Cursor {
 public:
  explicit ValueSlices(ValueRows rows) : rows_(std::move(rows)) {}

  Step next(Context&, const Demand& demand, Block& out) override {
    if (position_ == rows_.count()) return PullResult::end;
    const int rows = demand.at_most(rows_.count() - position_).rows;
    out.reset(demand.drop ? 0 : rows_.columns());
    if (!demand.drop) rows_.read(position_, rows, out);
    out.rows = rows;
    position_ += rows;
    return PullResult::rows;
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    ++position_;
    return 1;
  }

  void state(Archive& archive) override { archive("given", position_, 0, rows_.count()); }

 private:
  const ValueRows rows_;
  int64_t position_ = 0;
};

// The rows of a parameter, whose memory lasts as long as the dataset.
inline Result<ValueRows> rows_of(const Opening& opening, const ValueParam& value) {
  for (const Tensor& tensor : value.values) {
    if (!opening.node->dynamic()) tensor.set_lasting();
  }
  return ValueRows::make(value.spec, value.values);
}

class ValueAccess final : public Access {
 public:
  explicit ValueAccess(ValueRows rows) : rows_(std::move(rows)) {}

  AccessCount count() const override { return {rows_.count(), false}; }
  void read(Context&, std::span<const int64_t> positions, Block& out) override {
    out.reset(rows_.columns());
    rows_.read(positions, out);
  }

 private:
  const ValueRows rows_;
};

}  // namespace weir
