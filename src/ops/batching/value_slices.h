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
#include "ops/counted_source.h"

namespace weir {

class ValueSlices final : public CountedSource<ValueSlices> {
 public:
  explicit ValueSlices(ValueRows rows) : CountedSource(rows.count()), rows_(std::move(rows)) {}

  int give(int64_t first, int rows, bool drop, Block& out) {
    out.reset(drop ? 0 : rows_.columns());
    if (!drop) rows_.read(first, rows, out);
    return rows;
  }

 private:
  const ValueRows rows_;
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
